"""Arbitration the slow and plain way, in fractions: the oracle for the tests of explanations.

A case is data. `decided` follows the laws one after the other. `turns` walks a line in the space of weights through every
point at which two candidates draw level or come within the tie margin of each other, and decides again at each of these
points and between them; nothing can change anywhere else.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from tests.arbitration.strategies import bound_of
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.tables import Scores, Violates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from volition.arbitration.decision import Decision

NAMES = "abcde"
HELD = "(hold)"
"""What is chosen where the leader is below the bound."""

unhurried = settings(deadline=None)
"""Brute force takes its time, more so on a busy machine."""


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that a decision depends on; `scores` and `priorities` are by voter, `vetoes` by constraint."""

    candidates: tuple[str, ...]
    weights: dict[str, float]
    priorities: dict[str, int | None]
    scores: dict[str, dict[str, float | None]]
    vetoes: dict[str, frozenset[str]]
    tie_margin: float = 0.0
    hold_below: tuple[str, float] | None = None

    @property
    def survivors(self) -> list[str]:
        return [name for name in self.candidates if not self.vetoing(name)]

    @property
    def has_opinions(self) -> bool:
        return any(column[name] is not None for column in self.scores.values() for name in self.survivors)

    def vetoing(self, name: str) -> list[str]:
        return sorted(by for by, forbidden in self.vetoes.items() if name in forbidden)

    def score(self, voter: str, name: str) -> Fraction:
        return Fraction(self.scores[voter][name] or 0)

    def composite(self, *without: str) -> CompositeIntention:
        constraints = [Constraint(by, Violates(self.vetoes[by])) for by in self.vetoes if by not in without]
        voters = [
            Heuristic(by, Scores(self.scores[by]), weight=self.weights[by], priority=self.priorities[by])
            for by in self.weights
            if by not in without
        ]
        return CompositeIntention(*constraints, *voters)

    def decision(self, **settings: Any) -> Decision[str]:
        settings = {"tie_margin": self.tie_margin, "hold_below": bound_of(self.hold_below)} | settings
        return arbitrate(self.candidates, self.composite(), **settings)


class Choice(NamedTuple):
    """The winner, HELD or None, and who was tied for the first place; `total` are the totals of all survivors."""

    winner: str | None
    tied: tuple[str, ...]
    total: dict[str, Fraction]


def table(
    voters: dict[str, tuple[float, int | None, list[float | None]]],
    *,
    tie_margin: float = 0.0,
    vetoes: dict[str, str] | None = None,
) -> Case:
    """A case written by hand: weight, priority and the scores of a, b, c ... for each voter."""
    names = NAMES[: max((len(column) for _, _, column in voters.values()), default=2)]
    return Case(
        tuple(names),
        {by: float(weight) for by, (weight, _, _) in voters.items()},
        {by: priority for by, (_, priority, _) in voters.items()},
        {by: dict(zip(names, column, strict=True)) for by, (_, _, column) in voters.items()},
        {by: frozenset(forbidden) for by, forbidden in (vetoes or {}).items()},
        tie_margin,
    )


def cases(
    score: st.SearchStrategy[float],
    weight: st.SearchStrategy[float],
    margin: st.SearchStrategy[float],
    *,
    voters: int = 4,
    vetoes: bool = True,
) -> st.SearchStrategy[Case]:
    """Small cases of every shape: repeated and missing priorities, abstentions, vetoes."""

    @st.composite
    def draw_case(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Case:
        names = tuple(NAMES[: draw(st.integers(1, len(NAMES)))])
        ids = [f"h{n}" for n in range(draw(st.integers(0, voters)))]
        opinion = st.none() | score | score | score
        judges = [f"c{n}" for n in range(draw(st.integers(0, 3)))] if vetoes else []
        return Case(
            names,
            {by: draw(weight) for by in ids},
            {by: draw(st.sampled_from([None, 0, 1, 1, 2])) for by in ids},
            {by: {name: draw(opinion) for name in names} for by in ids},
            {by: frozenset(draw(st.sets(st.sampled_from(names)))) for by in judges},
            draw(margin),
        )

    return draw_case()


def many(tie_margin: float, count: int) -> Case:
    """Very many candidates, and a tie-break that most of the losers would win."""
    chance = Random(20_000)
    ids = tuple(f"n{n}" for n in range(count))
    scores: dict[str, dict[str, float | None]] = {}
    for by in ("h0", "h1", "h2"):
        scores[by] = {id: chance.randrange(-64, 65) / 64 for id in ids}
    scores["last"] = {id: n / 32_768 for n, id in enumerate(ids)}
    weights = {"h0": 1.0, "h1": 0.5, "h2": 2.0, "last": 0.0}
    return Case(ids, weights, {"h0": None, "h1": None, "h2": None, "last": 1}, scores, {}, tie_margin)


def eighths(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda k: k / 8)


def tenths(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda k: k / 10)


NO_MARGIN = st.just(0.0)
GRID_SCORES = eighths(-8, 8) | st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])
GRID_WEIGHTS = st.integers(0, 8).map(lambda k: k / 4)
GRID = cases(GRID_SCORES, GRID_WEIGHTS, NO_MARGIN | eighths(0, 4))
"""Every product and every total is exact in floats."""
GRID_WITHOUT_MARGIN = cases(GRID_SCORES, GRID_WEIGHTS, NO_MARGIN)
HOLDING = st.builds(
    lambda case, what, least: replace(case, hold_below=(what, least)),
    GRID,
    st.sampled_from(["margin", "total"]),
    eighths(0, 8),
)
"""Exact cases that hold below a margin or a total; many of them act."""
DECIMALS = cases(tenths(-10, 10), tenths(0, 20), NO_MARGIN | tenths(0, 5))
"""As people write them: what looks equal often differs in the last bit."""
FLOATS = cases(st.floats(-1, 1), st.floats(0, 1000), NO_MARGIN | st.floats(0, 1))
ANY = GRID | DECIMALS | FLOATS


def counting(case: Case) -> tuple[Callable[..., CompositeIntention], Counter[tuple[str, str]]]:
    """Makes composites of plain functions, and counts who was asked about what."""
    asked: Counter[tuple[str, str]] = Counter()

    def ask(by: str, answer: Callable[[str], Any]) -> Callable[[str], Any]:
        def call(name: str) -> Any:
            asked[by, name] += 1
            return answer(name)

        return call

    def composite(weights: dict[str, float], without: Iterable[str]) -> CompositeIntention:
        entries: list[Constraint | Heuristic] = [
            Constraint(by, ask(by, case.vetoes[by].__contains__)) for by in case.vetoes if by not in without
        ]
        for by, column in case.scores.items():
            if by not in without:
                weight = weights.get(by, case.weights[by])
                entries.append(Heuristic(by, ask(by, column.__getitem__), weight=weight, priority=case.priorities[by]))
        return CompositeIntention(*entries)

    return composite, asked


def choose(case: Case, total: dict[str, Fraction]) -> Choice:
    """The laws of aggregation's end and of ties, from given totals of the survivors."""
    if not total:
        return Choice(None, (), total)
    best = max(total.values())
    tied = left = [name for name in total if best - total[name] <= Fraction(case.tie_margin)]
    for priority in sorted({p for p in case.priorities.values() if p is not None}, reverse=True):
        values = {name: level(case, priority, name) for name in left}
        left = [name for name in left if values[name] == max(values.values())]
    return Choice(HELD if is_held(case, left[0], total) else left[0], tuple(tied), total)


def is_held(case: Case, leader: str, total: Mapping[str, Fraction]) -> bool:
    """Whether a leader is below the bound of the case."""
    if case.hold_below is None:
        return False
    what, least = case.hold_below
    others = [value for name, value in total.items() if name != leader]
    if what == "total":
        return total[leader] < Fraction(least)
    return bool(others) and total[leader] - max(others) < Fraction(least)


def level(case: Case, priority: int, name: str) -> Fraction:
    """The sum of one level's scores, rounded as a float is."""
    return Fraction(float(sum(case.score(by, name) for by, p in case.priorities.items() if p == priority)))


def decided(case: Case) -> Choice:
    """The decision: the weighted votes are rounded, added exactly, and the sum is rounded once."""
    return choose(case, {name: Fraction(float(sum(votes(case, name).values()))) for name in case.survivors})


def votes(case: Case, name: str) -> dict[str, Fraction]:
    return {by: Fraction(weight * (case.scores[by][name] or 0.0)) for by, weight in case.weights.items()}


def unrounded(case: Case, weights: Mapping[str, Fraction]) -> Choice:
    """The decision with these weights if nothing were ever rounded."""
    total = {name: sum((w * case.score(by, name) for by, w in weights.items()), Fraction()) for name in case.survivors}
    return choose(case, total)


class Turn(NamedTuple):
    """Where along a line the winner first changes, to whom, and whether it has changed at that very point."""

    at: Fraction
    to: str
    open: bool


def turns(
    case: Case, start: Mapping[str, Fraction], slope: Mapping[str, Fraction], end: Fraction | None
) -> Turn | None:
    """The first change of the winner on the weights `start + t * slope`, for t in (0, end]."""
    now = unrounded(case, start).winner
    points = sorted({Fraction(), *(t for t in _levels(case, start, slope) if t > 0 and (end is None or t <= end))})
    if end is not None and points[-1] != end:
        points.append(end)
    if end is None:
        points.append(points[-1] + 1)  # nothing changes behind the last level, so one more look is enough
    for before, point in pairwise(points):
        between = _at(case, start, slope, (before + point) / 2)
        if between is not None and between != now:
            return Turn(before, between, open=False)
        there = _at(case, start, slope, point)
        if there is not None and there != now:
            return Turn(point, there, open=True)
    return None


def _at(case: Case, start: Mapping[str, Fraction], slope: Mapping[str, Fraction], t: Fraction) -> str | None:
    return unrounded(case, {by: start[by] + t * slope[by] for by in start}).winner


def _levels(case: Case, start: Mapping[str, Fraction], slope: Mapping[str, Fraction]) -> Iterator[Fraction]:
    """Every t at which two totals are equal, or a tie margin or a least margin apart, or one is the least total."""
    at_start = unrounded(case, start).total
    rate = {name: sum((slope[by] * case.score(by, name) for by in slope), Fraction()) for name in at_start}
    what, least = case.hold_below or ("margin", 0.0)
    if what == "total":
        yield from ((Fraction(least) - at_start[one]) / rate[one] for one in at_start if rate[one])
    apart_by = {Fraction(), Fraction(case.tie_margin), Fraction(least)}
    for one, other, apart in product(at_start, at_start, apart_by):
        if rate[one] != rate[other]:
            yield (apart - at_start[one] + at_start[other]) / (rate[one] - rate[other])


def exact_weights(case: Case) -> dict[str, Fraction]:
    return {by: Fraction(weight) for by, weight in case.weights.items()}
