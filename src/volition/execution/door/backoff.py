"""How long to wait before dialling again."""

from __future__ import annotations

from dataclasses import dataclass

from volition.core.chance import stream, uid, uniform, word
from volition.core.errors import refuse


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double from `first` to `most` seconds, each shortened by up to a half so that callers spread.

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
