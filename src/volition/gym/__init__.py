"""Volition for reinforcement learning: bodies as Gymnasium environments, and guests of an evening as PettingZoo agents.

Importing this package registers `volition/Arena-v0`; `gymnasium.make("volition.gym:volition/Arena-v0")` does both. It needs
the extra `gym`. There is no training code: actions, masks, vetoes and rewards are what the rest of the package says.
"""

from __future__ import annotations

from volition.core.extras import require

require("gymnasium", "pettingzoo")

from importlib import import_module  # noqa: E402  what is missing is said first
from typing import TYPE_CHECKING, Any  # noqa: E402

import gymnasium  # noqa: E402

if TYPE_CHECKING:
    from volition.gym.arena_env import ArenaEnv
    from volition.gym.arena_observation import COLUMNS, observe_arena
    from volition.gym.arena_vector import ArenaVector
    from volition.gym.episode import WEIGHTS
    from volition.gym.options import OPTIONS

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # driving a body
    "ArenaEnv", "ArenaVector", "ARENA",
    # what its actions, observations and rewards mean
    "OPTIONS", "COLUMNS", "observe_arena", "WEIGHTS",
    # guests of an evening
    "evening_v0",
]  # fmt: skip

ARENA = "volition/Arena-v0"
"""The id under which the arena is registered."""
_FROM = {
    "ArenaEnv": "arena_env",
    "ArenaVector": "arena_vector",
    "OPTIONS": "options",
    "COLUMNS": "arena_observation",
    "observe_arena": "arena_observation",
    "WEIGHTS": "episode",
}


def __getattr__(name: str) -> Any:
    """Each part is imported when it is first used."""
    if name == "evening_v0":
        return import_module(f"{__name__}.evening_v0")
    if name in _FROM:
        return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if ARENA not in gymnasium.registry:
    gymnasium.register(
        ARENA, entry_point="volition.gym.arena_env:ArenaEnv", vector_entry_point="volition.gym.arena_vector:ArenaVector"
    )
