"""Distributions of numbers as counts by hundredths: small enough to send, and to add up over thousands of evenings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003  spreads are read by this type
from dataclasses import dataclass, field
from math import floor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

BANDS: Final = ("< 0.0", "0.0 - 0.3", "0.3 - 0.5", "0.5 - 0.7", "0.7 - 0.9", ">= 0.9")
"""The score ranges of the tuning guide (specification 7.1)."""

_EDGES: Final = (0, 30, 50, 70, 90)


@dataclass(frozen=True, slots=True)
class Spread:
    """How many numbers fall into each hundredth; `counts[42]` are those from 0.42 up to, but not including, 0.43."""

    counts: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of some numbers.

        >>> Spread.of([0.421, 0.427, -0.001]).counts
        {-1: 1, 42: 2}
        """
        return cls(dict(sorted(Counter([floor(value * 100.0) for value in values]).items())))

    @classmethod
    def together(cls, spreads: Iterable[Spread]) -> Spread:
        """The spread of all the numbers of several spreads."""
        counts: Counter[int] = Counter()
        for spread in spreads:
            counts.update(spread.counts)
        return cls(dict(sorted(counts.items())))

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return sum(self.counts.values())

    def quantile(self, share: float) -> float | None:
        """The number below which this share lies, as if each hundredth were filled evenly; None if there are no numbers.

        >>> Spread({40: 1, 41: 2, 50: 1}).quantile(0.5)
        0.415
        """
        wanted, seen = share * self.count, 0
        for hundredth, count in self.counts.items():
            if seen + count >= wanted:
                return round((hundredth + (wanted - seen) / count) / 100.0, 6)
            seen += count
        return None

    def share_from(self, least: float) -> float:
        """The share of numbers from `least` on, which is a multiple of a hundredth."""
        from_ = round(least * 100.0)
        return _part(sum(count for hundredth, count in self.counts.items() if hundredth >= from_), self.count)

    def bands(self) -> dict[str, float]:
        """The share of numbers in each of the bands.

        >>> Spread({-5: 1, 30: 2, 90: 1}).bands()["0.3 - 0.5"]
        0.5
        """
        counts = dict.fromkeys(BANDS, 0)
        for hundredth, count in self.counts.items():
            counts[BANDS[sum(hundredth >= edge for edge in _EDGES)]] += count
        return {band: _part(count, self.count) for band, count in counts.items()}


def _part(count: int, whole: int) -> float:
    return count / whole if whole else 0.0
