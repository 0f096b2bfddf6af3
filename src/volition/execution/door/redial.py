"""When to dial again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.core.chance import stream, uid, uniform, word

if TYPE_CHECKING:
    from volition.execution.wire.session.refusals import HandshakeFailed

FIRST: Final = 0.05
LONGEST: Final = 2.0
"""Waits double from the first to the longest, in seconds."""


class Redial:
    """When to dial (from `at` on), and why the last connection failed."""

    def __init__(self, seed: int, now: float) -> None:
        self._seed, self._failures = seed, 0
        self.at = now
        self.error: HandshakeFailed | None = None

    def later(self, error: HandshakeFailed | None, now: float) -> None:
        """A connection failed or was lost: wait, longer each time."""
        self.error = error
        self.at = now + delay(self._failures, seed=self._seed)
        self._failures += 1

    def reset(self) -> None:
        """A session is ready: the next wait will be short again."""
        self._failures, self.error = 0, None


def delay(failures: int, *, seed: int) -> float:
    """Seconds before dialling again after this many failures in a row, shortened by up to half at random, so that callers
    spread out.

    >>> [round(delay(failures, seed=7), 3) for failures in range(3)]
    [0.048, 0.081, 0.168]
    """
    full = min(LONGEST, FIRST * 2.0 ** min(failures, 60))
    return full * (0.5 + 0.5 * uniform(word(stream(seed, failures, uid("door"), uid("dial")), 0)))
