"""From the raw numbers of a set of candidates to scores in [-1, 1]: by their span, by their order, or by their deviation.

A curve gives a raw measure the same score whatever else is offered. These give it a score among the others, for numbers
that have no scale: so a candidate that comes or goes may change the scores of the rest, and with them the winner.

They take a list, or a mapping from ids, and give the same. None stays None and abstains. What holds for all of them:
a higher number never scores lower, equal numbers score alike, and where all numbers are equal they score 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from math import fsum, isfinite, sqrt, tanh
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from volition.arbitration.data_checks import is_number
from volition.core.errors import InvalidInput, Problems, format_value, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

__all__ = ["min_max_scores", "rank_scores", "z_scores"]

K = TypeVar("K", bound="Hashable")

Raw = float | None
Best = Literal["highest", "lowest"]


@overload
def min_max_scores(raw: Mapping[K, Raw], best: Best = ...) -> dict[K, Raw]: ...
@overload
def min_max_scores(raw: Sequence[Raw], best: Best = ...) -> list[Raw]: ...
def min_max_scores(raw: Any, best: Best = "highest") -> Any:
    """A straight line from -1 for the lowest number to +1 for the highest, or the other way round.

    >>> min_max_scores([10, 25, None, 40]), min_max_scores({"inn": 30, "barn": 5}, best="lowest")
    ([-1.0, 0.0, None, 1.0], {'inn': -1.0, 'barn': 1.0})
    """
    return _normalise(raw, best, lambda shares, _: [2.0 * share - 1.0 for share in shares])


@overload
def rank_scores(raw: Mapping[K, Raw], best: Best = ...) -> dict[K, Raw]: ...
@overload
def rank_scores(raw: Sequence[Raw], best: Best = ...) -> list[Raw]: ...
def rank_scores(raw: Any, best: Best = "highest") -> Any:
    """Even steps from -1 for the lowest number to +1 for the highest: only their order counts, and equals share a step.

    >>> rank_scores([3, 1000, 3, 20, None])
    [-1.0, 1.0, -1.0, 0.0, None]
    """

    def in_steps(shares: list[float], _: list[int]) -> list[float]:
        last = len(shares) - 1
        return [(2 * step - last) / last for step in range(len(shares))]

    return _normalise(raw, best, in_steps)


@overload
def z_scores(raw: Mapping[K, Raw], best: Best = ..., *, steepness: float = ...) -> dict[K, Raw]: ...
@overload
def z_scores(raw: Sequence[Raw], best: Best = ..., *, steepness: float = ...) -> list[Raw]: ...
def z_scores(raw: Any, best: Best = "highest", *, steepness: float = 1.0) -> Any:
    """How many standard deviations a number is from the mean, on the logistic curve: 0 at the mean, never quite -1 or +1.

    So the ordinary counts neither for nor against a candidate. `steepness` is that of the curve `logistic`.

    >>> [round(score, 3) for score in z_scores([1, 2, 3, 4, 90])]
    [-0.265, -0.252, -0.238, -0.225, 0.761]
    """
    if not is_number(steepness) or steepness <= 0:
        refuse(
            f"the steepness is {format_value(steepness)}",
            where="z_scores",
            expected="a finite number > 0",
            remedy="leave it out for 1; write best='lowest' to turn the order round",
        )

    def by_deviation(shares: list[float], counts: list[int]) -> list[float]:
        # Deviations are the same on any scale, and shares of the span neither overflow nor vanish.
        whole, pairs = sum(counts), list(zip(shares, counts, strict=True))
        mean = fsum(count * share for share, count in pairs) / whole
        deviation = sqrt(fsum(count * (share - mean) ** 2 for share, count in pairs) / whole)
        return [tanh(0.5 * (float(steepness) * ((share - mean) / deviation))) for share in shares]

    return _normalise(raw, best, by_deviation)


def _normalise(raw: Any, best: Best, score: Callable[[list[float], list[int]], list[float]]) -> Any:
    """Put in the place of each number what `score` makes of the different ones: of their shares and their counts."""
    if best not in ("highest", "lowest"):
        refuse(
            f"best is {format_value(best)}",
            where="best",
            expected="'highest' or 'lowest'",
            remedy="write best='lowest' where a small number is good",
        )
    entries = dict(raw) if isinstance(raw, Mapping) else dict(enumerate(_as_iterable(raw)))
    numbers = _numbers(entries)
    counts = Counter(sorted(number for number in numbers.values() if number is not None))
    score_of = dict.fromkeys(counts, 0.0)
    if len(counts) > 1:
        # Rounding must not reverse the order, so no score is below the level before it.
        rising = accumulate(score(_shares(list(counts)), list(counts.values())), max)
        sign = 1.0 if best == "highest" else -1.0
        score_of = {
            number: sign * level + 0.0 for number, level in zip(counts, rising, strict=True)
        }  # -0.0 becomes 0.0
    scores = {name: None if number is None else score_of[number] for name, number in numbers.items()}
    return scores if isinstance(raw, Mapping) else list(scores.values())


def _shares(rising: list[float]) -> list[float]:
    """The way of each number from the lowest to the highest, in [0, 1] and exact at both ends."""
    if not isfinite(rising[-1] - rising[0]):
        rising = [number / 2.0 for number in rising]
    low, span = rising[0], rising[-1] - rising[0]
    return [(number - low) / span for number in rising]


def _as_iterable(raw: Any) -> Iterable[Any]:
    if isinstance(raw, (str, bytes)) or not isinstance(raw, Iterable):
        refuse(
            f"the raw numbers are {format_value(raw)}",
            where="raw",
            expected="numbers in a list, or by id in a mapping",
            remedy="give one number for each candidate",
        )
    return raw


def _numbers(entries: dict[Any, Any]) -> dict[Any, float | None]:
    """The raw numbers as floats; all that are not are refused at once."""
    problems = Problems()
    for name, value in entries.items():
        if value is not None and not is_number(value):
            problems.add(
                f"the raw number is {format_value(value)} ({type(value).__name__})",
                where=f"raw[{name!r}]",
                expected="a finite number, or None to abstain",
                remedy="measure it, or write None",
            )
    problems.raise_if_any(InvalidInput)
    return {name: None if value is None else float(value) for name, value in entries.items()}
