"""How an episode begins, with any executor, and which state a step ends with; the same for one body and for many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput
from volition.execution.wire.frames import RESET
from volition.execution.worlds.arena.rules import TICK_MS

if TYPE_CHECKING:
    import numpy as np

    from volition.execution.transports import Address
    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.execution.wire.request import Outcome

PATIENCE: Final = 200
"""States that are awaited until a dead body lives again, of an executor that cannot be reset."""
_MOST_SEED: Final = 2**31


def draw_seed(chance: np.random.Generator) -> int:
    """The seed of an episode for which the caller gives none."""
    return int(chance.integers(_MOST_SEED))


def episode_seed(
    address: str | Address, welcome: Welcome | None, seed: int | None, chance: np.random.Generator
) -> int | None:
    """The seed to reset an executor with: the one given, or one that is drawn.

    None if the executor cannot be reset: then the body goes on where it is, and a seed is refused.
    """
    if welcome is None or RESET in welcome.features:  # a lost executor is dialled again by the reset itself
        return draw_seed(chance) if seed is None else seed
    if seed is not None:
        raise InvalidInput.of(
            f"the executor at {address} cannot begin an episode with the seed {seed}",
            where="reset",
            expected=f"an executor with the feature {RESET!r}",
            remedy="reset it without a seed: then the body goes on where it is",
        )
    return None


def is_alive(frame: StateFrame | None) -> bool:
    """Whether a state shows a living actor, or does not say."""
    actor: Any = frame.data.get("actor") if frame is not None and isinstance(frame.data, dict) else None
    return not isinstance(actor, dict) or actor.get("alive") is not False


def two_ticks(welcome: Welcome | None) -> float:
    """Seconds in which at least one tick passes; where an executor has no tick rate, as in the arena."""
    return 2 * (1 / welcome.tick_hz if welcome is not None and welcome.tick_hz else TICK_MS / 1000)


def later_state(known: StateFrame | None, outcome: Outcome | None, seen: StateFrame) -> StateFrame | None:
    """The newest state that is known, where it is later than the one that was seen."""
    told = None if outcome is None else outcome.next_state
    frames = [frame for frame in (known, told) if frame is not None]
    newest = max(frames, key=lambda frame: frame.seq, default=None)
    return newest if newest is not None and newest.seq > seen.seq else None
