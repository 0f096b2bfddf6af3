"""Shared by the tests of the arena's environments: maps, and walks by chance whose seed is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from volition.execution.worlds.arena.ground import parse_map
from volition.gym.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from volition.gym import ArenaEnv

CLOSET = parse_map("name: closet\n#######\n#@...&#\n#######")
"""The opponent sees the actor at once."""
CELLS = parse_map("name: cells\n########\n#@...#&#\n########")
"""Nobody meets."""
LEDGE = parse_map("name: ledge\n#########\n#~~@~~~&#\n#~~.~~~.#\n#########")
"""The actor stands on a narrow floor between hazards."""


def action(option: str) -> int:
    """The number of the action that means an option."""
    return OPTIONS.index(option)


def draw(chance: np.random.Generator, mask: NDArray[np.int8], *, masked: float = 0.0) -> int:
    """An action that the mask allows; with the probability `masked` any at all."""
    if chance.random() < masked:
        return int(chance.integers(len(mask)))
    return int(chance.choice(np.flatnonzero(mask)))


def walk(env: ArenaEnv, steps: int, *, seed: int, masked: float = 0.3) -> Iterator[tuple[Any, ...]]:
    """What an environment returns, from its reset on, for actions that this seed draws."""
    chance = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    yield observation, info
    for _ in range(steps):
        *step, info = env.step(draw(chance, info["action_mask"], masked=masked))
        yield (*step, info)
        if step[2] or step[3]:
            observation, info = env.reset()
            yield observation, info
