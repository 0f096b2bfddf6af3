"""When to dial again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.core.chance import stream, uid, uniform, word
from volition.core.errors import refuse

if TYPE_CHECKING:
    from volition.execution.wire.session.refusals import HandshakeFailed


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double from `first` to `most` seconds, each shortened by up to half at random, so that callers spread
    out.

    >>> [round(Backoff().delay(attempt, seed=7), 3) for attempt in range(3)]
    [0.048, 0.081, 0.168]
    """

    first: float = 0.05
    most: float = 2.0

    def __post_init__(self) -> None:
        if not 0 < self.first <= self.most < float("inf"):
            refuse(
                f"a backoff from {self.first} to {self.most} s",
                where="backoff",
                expected="finite times, 0 < first <= most",
                remedy="start from the defaults",
            )

    def delay(self, attempt: int, *, seed: int) -> float:
        """Seconds before dialling again after `attempt` failures in a row (the first is 0); a pure function."""
        full = min(self.most, self.first * 2.0 ** min(attempt, 60))
        return full * (0.5 + 0.5 * uniform(word(stream(seed, attempt, uid("door"), uid("dial")), 0)))


class Redial:
    """When to dial (from `at` on), and why the last connection failed."""

    def __init__(self, backoff: Backoff, seed: int, now: float) -> None:
        self._backoff, self._seed, self._failures = backoff, seed, 0
        self.at = now
        self.error: HandshakeFailed | None = None

    def later(self, error: HandshakeFailed | None, now: float) -> None:
        """A connection failed or was lost: wait, longer each time."""
        self.error = error
        self.at = now + self._backoff.delay(self._failures, seed=self._seed)
        self._failures += 1

    def reset(self) -> None:
        """A session is ready: the next wait will be short again."""
        self._failures, self.error = 0, None
