"""Weighted choice: chance chooses, and the chance of a candidate is its share of all totals above 0.

The draw is a pure function of the seed. The candidates, sorted by id, lie side by side in [0, 1), each as long as its
share; the one on which the draw falls is chosen. All of that is computed in fractions, so that each candidate has its
share of the 2^32 possible draws to within one, and the same seed chooses the same candidate in whatever order they are
offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from volition.core.chance import stream, uid, uniform, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.arbitration.tally import Tally

_PURPOSE = uid("weighted choice")


@dataclass(frozen=True, slots=True)
class WeightedDraw:
    """How chance chose.

    `value` is the draw, in [0, 1), that the `seed` gives. `weights` are the totals above 0, and 0 for the others, by id;
    `chances` are their shares, exactly. The draw fell into [low, high), the part of the chosen candidate; the three are
    None where no total is above 0, and nothing could be drawn.
    """

    seed: int
    value: float
    weights: dict[str, float]
    chances: dict[str, Fraction]
    chosen: str | None
    low: Fraction | None
    high: Fraction | None


def draw_value(seed: int) -> float:
    """The draw of a seed: one of 2^32 numbers, evenly spread over [0, 1)."""
    return uniform(word(stream(seed, 0, 0, _PURPOSE), 0))


def draw_place(seed: int, names: Sequence[str], totals: Sequence[float]) -> int | None:
    """The position of the candidate on which the draw of the seed falls; None where no total is above 0."""
    value = Fraction(draw_value(seed))
    return next((place for place, low, high in _parts(names, totals) if low <= value < high), None)


def draw_of(tally: Tally) -> WeightedDraw | None:
    """How chance chose in a decision; None where it did not."""
    seed = tally.settings.seed
    if seed is None or not tally.totals:
        return None
    value = draw_value(seed)
    parts = {tally.survivors[place]: (low, high) for place, low, high in _parts(tally.survivors, tally.totals)}
    weights = {name: max(0.0, total) for name, total in sorted(zip(tally.survivors, tally.totals, strict=True))}
    chances = {name: parts[name][1] - parts[name][0] if parts else Fraction() for name in weights}
    chosen = next((name for name, (low, high) in parts.items() if low <= value < high), None)
    low, high = (None, None) if chosen is None else parts[chosen]
    return WeightedDraw(seed, value, weights, chances, chosen, low, high)


def _parts(names: Sequence[str], totals: Sequence[float]) -> Iterator[tuple[int, Fraction, Fraction]]:
    """The part of [0, 1) of each candidate, in the order of ids; none where no total is above 0."""
    weights = [Fraction(max(0.0, total)) for total in totals]
    whole = sum(weights, Fraction())
    reached = Fraction()
    for place in sorted(range(len(names)), key=names.__getitem__) if whole else ():
        before, reached = reached, reached + weights[place]
        yield place, before / whole, reached / whole
