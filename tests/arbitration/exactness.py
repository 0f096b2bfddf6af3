"""Brute force against sensitivity, on cases that seek ties within a few ulps: the arbiter decides again and again.

`python -m tests.arbitration.exactness 1000000` makes that many checks and says how many differ.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from math import fsum, inf, nextafter
from random import Random
from typing import TYPE_CHECKING

from tests.arbitration.brute import NAMES, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.arbitration.sensitivity import Sensitivity, WeightRange

HEAVIEST = 2.0**1000


def near_tie(chance: Random, bounded: float = 0.4) -> Case:
    """A case in which totals are equal, or differ in their last bits, much more often than by chance.

    `bounded` is the share of cases that hold below a bound, which is near what they have.
    """
    names = tuple(NAMES[: chance.randint(2, 4)])
    ids = [f"h{n}" for n in range(chance.randint(1, 4))]
    score, weight = chance.choice(_KINDS)
    scores: dict[str, dict[str, float | None]] = {by: {name: score(chance) for name in names} for by in ids}
    weights = {by: abs(weight(chance)) for by in ids}
    if len(ids) > 1 and chance.random() < 0.7:
        _draw_level(chance, names, ids, scores, weights)
    for by in ids:
        for name in names:
            if chance.random() < 0.08:
                scores[by][name] = None
    priorities = {by: chance.choice([None, None, None, 0, 1]) for by in ids}
    margin = chance.choice([0.0, 0.0, 0.0, 0.1, 0.3, 0.25, 2.0**-52, 1e-16])
    case = Case(names, weights, priorities, scores, {}, margin)
    return replace(case, hold_below=_bound(chance, case)) if chance.random() < bounded else case


def _bound(chance: Random, case: Case) -> tuple[str, float]:
    """A bound at which the case acts, often by a hair: its own margin or total, or a few doubles beside it."""
    decision = case.decision()
    assert decision.id is not None
    margin, total = decision.margin, decision.ranking()[0].total or 0.0
    if margin is None or margin < 0.0 or chance.random() < 0.5:
        what, least = "total", chance.choice([total, total, 0.0, total / 2])
    else:
        what, least = "margin", chance.choice([margin, margin, 0.0, 0.0, margin / 2, 2.0**-52])
    for _ in range(chance.choice([0, 0, 1, 2])):
        least = nextafter(least, chance.choice([-inf, -inf, inf]))
    return what, max(0.0, least) if what == "margin" else least


def _draw_level(
    chance: Random,
    names: tuple[str, ...],
    ids: list[str],
    scores: dict[str, dict[str, float | None]],
    weights: dict[str, float],
) -> None:
    """Let one candidate have about the same total as another, by other scores."""
    one, other = chance.sample(names, 2)
    by = chance.choice(ids)
    owed = sum(weights[id] * ((scores[id][one] or 0.0) - (scores[id][other] or 0.0)) for id in ids if id != by)
    if weights[by]:
        level = (scores[by][one] or 0.0) + owed / weights[by]
        if -1.0 <= level <= 1.0:
            for _ in range(chance.choice([0, 0, 1, 1, 2, 3])):
                level = nextafter(level, chance.choice([-1.0, 1.0]))
            scores[by][other] = min(1.0, max(-1.0, level))


def _tenths(chance: Random) -> float:
    return chance.randint(-10, 10) / 10


def _sums(chance: Random) -> float:
    """Tenths as sums make them: 0.1 + 0.2 is not 0.3."""
    return max(-1.0, min(1.0, sum(chance.choice([0.1, 0.2, 0.3, -0.1, -0.2]) for _ in range(chance.randint(1, 4)))))


def _any(chance: Random) -> float:
    return chance.uniform(-1, 1)


def _steep(chance: Random) -> float:
    return float(chance.choice([-1, 1]) * 10.0 ** chance.uniform(-18, 0))


_KINDS: tuple[tuple[Callable[[Random], float], Callable[[Random], float]], ...] = (
    (_tenths, lambda chance: chance.randint(0, 20) / 10),
    (_tenths, lambda chance: chance.randint(0, 20) / 10),
    (_sums, lambda chance: abs(_sums(chance)) or 1.0),
    (_any, lambda chance: chance.uniform(0, 2)),
    (_steep, lambda chance: 10.0 ** chance.uniform(-12, 12)),
)


def weights_to_try(bounds: WeightRange, chance: Random) -> Iterator[tuple[float, str | bool | None]]:
    """Weights, each with what sensitivity says of it: True keeps the winner, a name takes over, None holds."""
    weight = bounds.weight
    for at, rival, end in ((bounds.low, bounds.low_rival, 0.0), (bounds.high, bounds.high_rival, HEAVIEST / 64)):
        if at is None:
            yield end, True
            inside = end
        else:
            yield at, rival
            inside = nextafter(at, weight)
            yield inside, True
            for _ in range(8):
                inside = nextafter(inside, weight)
                yield inside, True
        near = weight
        for _ in range(8):
            near = nextafter(near, inside)
            yield near, True
        yield (weight + inside) / 2, True
        for _ in range(8):
            yield (
                min(max(weight + (inside - weight) * chance.random() ** chance.choice([1, 8, 64]), 0.0), HEAVIEST / 64),
                True,
            )
    if bounds.low is None:
        yield 0.0, True


def plain(case: Case, weights: dict[str, float]) -> str | None:
    """Who wins with these weights: the arbiter's laws as short as possible, because this is asked a million times."""
    names = case.survivors
    totals = {name: fsum(weights[by] * (case.scores[by][name] or 0.0) for by in weights) for name in names}
    best = max(totals.values())
    left = [name for name in names if fsum((best, -totals[name], -case.tie_margin)) <= 0.0]
    for priority in sorted({p for p in case.priorities.values() if p is not None}, reverse=True):
        members = [by for by, p in case.priorities.items() if p == priority]
        values = {name: fsum(case.scores[by][name] or 0.0 for by in members) for name in left}
        left = [name for name in left if values[name] == max(values.values())]
    what, least = case.hold_below or ("", 0.0)
    others = [total for name, total in totals.items() if name != left[0]]
    if what == "total" and totals[left[0]] < least:
        return None
    if what == "margin" and others and fsum((totals[left[0]], -max(others), -least)) < 0.0:
        return None
    return left[0]


def count_checks(case: Case, found: Sensitivity, chance: Random, seen: Counter[str]) -> None:
    """Decide again wherever sensitivity says something, and count what was seen."""
    now = case.decision().id
    for by, bounds in found.ranges.items():
        ends = [at for at in (bounds.low, bounds.high) if at is not None]
        for weight in (*ends, 0.0):  # the arbiter itself, which the plain way is checked against
            then = replace(case, weights=case.weights | {by: weight}).decision().id
            seen["differences"] += then != plain(case, case.weights | {by: weight})
        seen["ranges"] += 1
        low, high = (-inf if bounds.low is None else bounds.low), (inf if bounds.high is None else bounds.high)
        for weight, says in weights_to_try(bounds, chance):
            if says is True and not low < weight < high:
                continue  # the two neighbours meet
            then = plain(case, case.weights | {by: weight})
            seen["checks"] += 1
            seen["bounds at which it holds"] += says is None
            seen["differences"] += says == now  # at a bound it is another one
            if then != (now if says is True else says):
                seen["differences"] += 1
                sys.stderr.write(f"{case}\n{by} {bounds}\n{weight}: {says}, and it is {then}\n")


def main(wanted: int, seed: int = 0, bounded: float = 0.4) -> Counter[str]:
    chance, seen = Random(seed), Counter[str]()
    while seen["checks"] < wanted:
        case = near_tie(chance, bounded)
        decision = case.decision()
        totals = sorted(decision.trace.totals)
        seen["cases"] += 1
        seen["cases with a near tie"] += any(
            abs(one - other) <= 1e-15 * max(1.0, abs(one)) for one, other in pairwise(totals)
        )
        count_checks(case, decision.sensitivity(), chance, seen)
    return seen


if __name__ == "__main__":
    for name, count in main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0).items():
        sys.stdout.write(f"{count:>10,} {name}\n")
