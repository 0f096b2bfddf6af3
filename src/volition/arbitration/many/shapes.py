"""The arrays of many decisions, checked and brought into one form; all errors are reported at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from volition.arbitration.composite import HEAVIEST
from volition.arbitration.intention import UNIT, check_range
from volition.core.errors import InvalidInput, Problems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Truths = NDArray[np.bool_]

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, eq=False, slots=True)
class Shapes:
    """`count` deciders; a first axis of length 1 means that they share what it holds."""

    count: int
    table: Reals
    """(1 or N, K, C): 0 where a heuristic abstains."""
    abstains: Truths | None
    """(1 or N, K, C): where a heuristic has no opinion; None where all have one of everything."""
    weights: Reals
    """(1 or N, K)"""
    vetoes: Truths
    """(1 or N, C, V)"""
    closed: Truths
    """(1 or N, C): vetoed or not offered."""
    offered: Truths
    """(1 or N, C)"""
    levels: Truths
    """(L, K): the members of each priority level, the highest first."""
    priorities: tuple[int | None, ...]
    ranges: tuple[tuple[float, float], ...]
    reaches: Reals
    """(K): how large the scores of each heuristic can be."""
    candidates: tuple[str, ...]
    heuristics: tuple[str, ...]
    constraints: tuple[str, ...]

    def scores_of(self, decider: int) -> list[list[float | None]]:
        """What each heuristic (K) gives each candidate (C) for one decider; None is an abstention."""
        scores: list[list[float | None]] = _row(self.table, decider).tolist()
        if self.abstains is None:
            return scores
        silent = _row(self.abstains, decider).tolist()
        return [
            [None if nothing else score for score, nothing in zip(*rows, strict=True)]
            for rows in zip(scores, silent, strict=True)
        ]

    def of(self, decider: int) -> tuple[Reals, Truths, Truths]:
        """The weights (K), the vetoes (C, V) and the offer (C) of one decider."""
        return _row(self.weights, decider), _row(self.vetoes, decider), _row(self.offered, decider)


def read_shapes(
    scores: Any,
    weights: Any,
    vetoes: Any,
    abstains: Any,
    offered: Any,
    priorities: Sequence[int | None] | None,
    ranges: Sequence[tuple[float, float]] | None,
    noise: Any,
    candidates: Sequence[str] | None,
    heuristics: Sequence[str] | None,
    constraints: Sequence[str] | None,
) -> Shapes:
    """All arrays in one form; InvalidInput lists every wrong shape, name and number."""
    problems = Problems()
    table = _array(scores, np.float64, "scores", (2, 3), problems)
    weighed = _array(1.0 if weights is None else weights, np.float64, "weights", (0, 1, 2), problems)
    forbidden = _array(False if vetoes is None else vetoes, np.bool_, "vetoes", (0, 1, 2, 3), problems)
    there = _array(True if offered is None else offered, np.bool_, "offered", (0, 1, 2), problems)
    silent = None if abstains is None else _array(abstains, np.bool_, "abstains", (2, 3), problems)
    problems.raise_if_any(InvalidInput)
    table = table if table.ndim == 3 else table[np.newaxis]
    silent = silent if silent is None or silent.ndim == 3 else silent[np.newaxis]
    size, voters = table.shape[1], table.shape[2]
    weighed = np.broadcast_to(weighed, (voters,)) if weighed.ndim == 0 else weighed
    weighed = weighed if weighed.ndim == 2 else weighed[np.newaxis]
    there = np.broadcast_to(there, (size,)) if there.ndim == 0 else there
    there = there if there.ndim == 2 else there[np.newaxis]
    forbidden = _expand_vetoes(forbidden, size)
    if vetoes is None:
        forbidden = forbidden[:, :, :0]
    named = 1 if noise is None or noise.deciders is None else len(noise.deciders)
    count = max(len(table), len(weighed), len(forbidden), len(there), named, 1 if silent is None else len(silent))
    for name, array, wanted in (
        ("scores", table, (size, voters)),
        *([] if silent is None else [("abstains", silent, (size, voters))]),
        ("weights", weighed, (voters,)),
        ("vetoes", forbidden, (size, forbidden.shape[2])),
        ("offered", there, (size,)),
    ):
        if array.shape[1:] != wanted or len(array) not in {1, count}:
            problems.add(
                f"{name} has the shape {array.shape}",
                where=name,
                expected=f"({count} or 1, {', '.join(map(str, wanted))})",
                remedy="deciders first, then candidates, then heuristics or constraints, as in the scores",
            )
    _check_noise(noise, count, problems)
    names = (
        _names(candidates, size, "candidate", problems),
        _names(heuristics, voters, "heuristic", problems),
        _names(constraints, forbidden.shape[2], "constraint", problems),
    )
    if silent is not None and not len(problems):
        table = np.where(silent, 0.0, table)
    ranks, spans = _priorities(priorities, voters, problems), _ranges(ranges, voters, problems)
    problems.raise_if_any(InvalidInput)
    _check_numbers(table, silent, weighed, np.array(spans).reshape(voters, 2), names, problems)
    problems.raise_if_any(InvalidInput)
    closed = forbidden.any(axis=2) | ~there
    levels = sorted({rank for rank in ranks if rank is not None}, reverse=True)
    return Shapes(
        count=count,
        table=np.ascontiguousarray(table.transpose(0, 2, 1)),
        abstains=None if silent is None else silent.transpose(0, 2, 1),
        weights=np.ascontiguousarray(weighed),
        vetoes=forbidden,
        closed=np.ascontiguousarray(closed),
        offered=there,
        levels=np.array([rank == level for level in levels for rank in ranks], np.bool_).reshape(len(levels), voters),
        priorities=ranks,
        ranges=spans,
        reaches=np.abs(np.array(spans).reshape(voters, 2)).max(axis=1, initial=0.0),
        candidates=names[0],
        heuristics=names[1],
        constraints=names[2],
    )


def _row(array: NDArray[S], decider: int) -> NDArray[S]:
    row: NDArray[S] = array[decider if len(array) > 1 else 0]
    return row


def _array(values: Any, kind: Any, name: str, dimensions: tuple[int, ...], problems: Problems) -> NDArray[Any]:
    truths = kind is np.bool_
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in ("b" if truths else "iuf"):
        problems.add(
            f"{name} holds {array.dtype}",
            where=name,
            expected=f"an array of {'truth values' if truths else 'numbers'}",
            remedy="give an array, or lists of one length",
        )
        return np.zeros((1,) * max(dimensions), dtype=kind)
    array = np.asarray(array, dtype=kind)
    if array.ndim not in dimensions:
        problems.add(
            f"{name} has {array.ndim} dimensions",
            where=name,
            expected=" or ".join(map(str, dimensions)),
            remedy="deciders first, then candidates, then heuristics or constraints",
        )
    return array


def _expand_vetoes(vetoes: Truths, size: int) -> Truths:
    """Vetoes as (1 or N, C, V)."""
    if vetoes.ndim == 0:
        return np.broadcast_to(vetoes, (1, size, 1))
    if vetoes.ndim == 1:
        return vetoes[np.newaxis, :, np.newaxis]
    return vetoes[:, :, np.newaxis] if vetoes.ndim == 2 else vetoes


def _check_noise(noise: Any, count: int, problems: Problems) -> None:
    if noise is None:
        return
    if not 0.0 <= noise.sigma <= HEAVIEST:
        problems.add(f"sigma is {noise.sigma}", where="noise.sigma", expected="0 or more", remedy="give the deviation")
    if noise.deciders is not None and len(noise.deciders) != count:
        problems.add(
            f"{len(noise.deciders)} deciders are named",
            where="noise.deciders",
            expected=f"{count}, as many as there are",
            remedy="name each of them, or none",
        )


def _names(wanted: Sequence[str] | None, count: int, what: str, problems: Problems) -> tuple[str, ...]:
    if wanted is None:
        return tuple(f"{what}_{number}" for number in range(count))
    names = tuple(wanted)
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if len(names) != count or wrong or len(set(names)) != len(names):
        problems.add(
            f"{len(names)} names of {what}s, {len(set(names))} of them different",
            where=f"{what}s",
            expected=f"{count} different texts",
            remedy="name each of them once",
        )
    return names


def _priorities(wanted: Sequence[int | None] | None, count: int, problems: Problems) -> tuple[int | None, ...]:
    ranks = tuple(wanted) if wanted is not None else (None,) * count
    odd = [rank for rank in ranks if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int))]
    if len(ranks) != count or odd:
        problems.add(
            f"{len(ranks)} priorities, {len(odd)} of them not integers",
            where="priorities",
            expected=f"{count} integers or None",
            remedy="give one for each heuristic",
        )
        return (None,) * count
    return ranks


def _ranges(
    wanted: Sequence[tuple[float, float]] | None, count: int, problems: Problems
) -> tuple[tuple[float, float], ...]:
    spans = [UNIT] * count if wanted is None else list(wanted)
    if len(spans) != count:
        problems.add(
            f"{len(spans)} ranges",
            where="ranges",
            expected=f"{count}, one for each heuristic",
            remedy="give one for each",
        )
        return (UNIT,) * count
    for place, span in enumerate(spans):
        check_range(span, None, f"ranges[{place}]", problems)
    return tuple((float(low), float(high)) for low, high in spans) if not len(problems) else (UNIT,) * count


def _check_numbers(
    table: Reals,
    abstains: Truths | None,
    weights: Reals,
    ranges: Reals,
    names: tuple[tuple[str, ...], ...],
    problems: Problems,
) -> None:
    """Add a problem for the first invalid score and weight; every comparison with NaN is false, so NaN is found too."""
    candidates, heuristics, _ = names
    lows, highs = ranges[:, 0], ranges[:, 1]
    fits = table.size == 0 or (table.min() >= lows.max() and table.max() <= highs.min())
    wrong = np.empty((0, 3), dtype=np.int64)
    if not fits:
        unfit = ~((table >= lows) & (table <= highs))
        wrong = np.argwhere(unfit if abstains is None else unfit & ~abstains)
    if len(wrong):
        at = wrong[0]
        decider = f" for decider {at[0]}" if len(table) > 1 else ""
        problems.add(
            f"{heuristics[at[2]]} gives {candidates[at[1]]} the score {table[tuple(at)]}{decider}",
            where=f"scores{list(map(int, at if len(table) > 1 else at[1:]))}",
            expected=f"a number in [{float(lows[at[2]])!r}, {float(highs[at[2]])!r}]",
            remedy="scale it; to exclude a candidate, veto it; to say nothing, mark it in `abstains`",
        )
    heaviest = HEAVIEST / np.maximum(1.0, np.abs(ranges).max(axis=1, initial=1.0))
    if weights.size and not ((weights >= 0.0) & (weights <= heaviest)).all():
        at = np.argwhere(~((weights >= 0.0) & (weights <= heaviest)))[0]
        problems.add(
            f"the weight of {heuristics[at[1]]} is {weights[tuple(at)]}",
            where=f"weights{list(map(int, at))}",
            expected="a finite number, 0 or more",
            remedy="negate the score instead of the weight",
        )
