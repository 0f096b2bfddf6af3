"""Volition for reinforcement learning: bodies as Gymnasium environments, and guests of an evening as PettingZoo agents.

Importing this package registers `volition/Arena-v0` and `volition/Rover-v0`; `gymnasium.make("volition.gym:volition/Arena-v0")` does
both. It needs the extra `gym`, and the rover `mujoco`. There is no training code: actions, masks, vetoes and rewards are what the rest of the package says.

Driving a body:
    ArenaEnv     an arena as a Gymnasium environment
    ArenaVector  several arenas at once
    ARENA        the id under which the arena is registered
    ROVER        the id under which a rover in MuJoCo is registered
    BodyEnv      what an environment of another body is made from

What its actions, observations and rewards mean:
    OPTIONS      the actions, in order
    COLUMNS      the columns of an observation

Guests of an evening:
    evening_v0   the guests of an evening as PettingZoo agents
"""

from __future__ import annotations

from volition.core.extras import require

require("gymnasium", "pettingzoo")

from typing import TYPE_CHECKING  # noqa: E402  what is missing is said first

import gymnasium  # noqa: E402

from volition.core.lazy import lazy_names  # noqa: E402

if TYPE_CHECKING:
    from volition.gym.arena_env import ArenaEnv
    from volition.gym.arena_observation import COLUMNS
    from volition.gym.arena_vector import ArenaVector
    from volition.gym.body_env import BodyEnv
    from volition.gym.options import OPTIONS

__all__ = [  # noqa: RUF022  in the order of the page above
    "ArenaEnv", "ArenaVector", "ARENA", "ROVER", "BodyEnv", "OPTIONS", "COLUMNS", "evening_v0",
]  # fmt: skip

ARENA = "volition/Arena-v0"
"""The id under which the arena is registered."""
ROVER = "volition/Rover-v0"
"""The id under which a rover in MuJoCo is registered."""

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "volition.gym.arena_env": "ArenaEnv",
        "volition.gym.arena_vector": "ArenaVector",
        "volition.gym.body_env": "BodyEnv",
        "volition.gym.options": "OPTIONS",
        "volition.gym.arena_observation": "COLUMNS",
        "volition.gym.evening_v0": "evening_v0",
    },
)


if ARENA not in gymnasium.registry:
    gymnasium.register(
        ARENA, entry_point="volition.gym.arena_env:ArenaEnv", vector_entry_point="volition.gym.arena_vector:ArenaVector"
    )
if ROVER not in gymnasium.registry:
    gymnasium.register(ROVER, entry_point="volition.gym.rover:make_rover")
