"""The first double at which a lead fails equals the one that trying each double finds."""

from __future__ import annotations

from collections import Counter
from math import fsum
from random import Random

import pytest
from msgspec.structs import replace

from volition.arbitration.doubles import double_at, position
from volition.arbitration.flip_search import Lead, TotalLine, first_failure

pytestmark = pytest.mark.req("AR-16", "AR-21")


def number(chance: Random) -> float:
    """Doubles of every kind: as people write them, small fractions, powers of two, of any size, and subnormal."""
    sign = chance.choice([-1.0, 1.0])
    sizes: list[float] = [
        chance.uniform(0, 1),
        chance.randint(0, 10) / 10,
        chance.randint(0, 64) / 64,
        10.0 ** chance.uniform(-18, 0),
        2.0 ** -chance.randint(0, 60),
        chance.uniform(0, 1) * 2.0 ** -chance.choice([1000, 1030, 1070]),
    ]
    return sign * chance.choice(sizes)


def near(chance: Random, value: float) -> float:
    """The same, or a few doubles away, or some more."""
    away = chance.choice([0, 1, 1, 2, 3, 50]) * chance.choice([1, 1, 1, 1_000, 10**6])
    return double_at(position(value) + chance.choice([-1, 1]) * away)


def near_tie(chance: Random, leaders: int) -> tuple[Lead, float]:
    """A lead that rounding may end at any double, and a weight at which it holds if there is one nearby."""
    weight = abs(
        near(chance, chance.choice([number(chance), 10.0 ** chance.uniform(-12, 12), 2.0 ** chance.randint(-1074, 40)]))
    )
    score, common = number(chance), [number(chance) for _ in range(chance.randint(0, 3))]
    lines = []
    for _ in range(leaders + 1):
        others = [near(chance, part) if chance.random() < 0.3 else part for part in common]
        if chance.random() < 0.3:
            others.append(number(chance) * 2.0 ** -chance.randint(40, 60))
        mine = chance.choice([score, near(chance, score), near(chance, score), number(chance)])
        if chance.random() < 0.3:
            others.append((score - mine) * weight)
        lines.append(TotalLine(tuple(others), mine, fsum(others)))
    lead = Lead(tuple(lines[1:]), lines[0], chance.choice([0.0, 0.1, -0.1, 2.0**-52]), chance.random() < 0.5)
    if chance.random() < 0.7:
        *totals, rival = lead.totals(weight)
        lead = replace(lead, ahead_by=near(chance, max(totals) - rival))
    holding = (double_at(position(weight) + n) for n in range(100) if lead.holds(double_at(position(weight) + n)))
    return lead, next(holding, weight)


@pytest.mark.parametrize("leaders", [1, 2, 3])
def test_the_first_failure_is_that_of_a_scan(leaders: int) -> None:
    """Among some hundred doubles in either direction it is the first at which nobody leads."""
    chance, seen = Random(leaders), Counter[str]()
    for _ in range(300):
        lead, weight = near_tie(chance, leaders)
        way = chance.choice([-1, 1])
        first = position(weight)
        last = max(0, first + way * chance.choice([1, 40, 400]))
        scan = (double_at(at) for at in range(first, last + way, way) if not lead.holds(double_at(at)))
        wanted = next(scan, None)
        assert first_failure(lead, weight, double_at(last)) == wanted
        seen["never" if wanted is None else "at once" if wanted == weight else "later"] += 1
    assert min(seen["never"], seen["later"]) > 20


@pytest.mark.parametrize("leaders", [1, 2])
def test_a_failure_far_away(leaders: int) -> None:
    """However many doubles lie before it: all that are looked at hold, and a search from any of them finds the same."""
    chance, far = Random(leaders), 0
    for _ in range(16):
        lead, weight = near_tie(chance, leaders)
        last = chance.choice([0.0, weight * 2.0**80])
        found = first_failure(lead, weight, last)
        end = position(last) if found is None else position(found)
        way = 1 if last > weight else -1
        far += abs(end - position(weight)) > 10**9
        assert found is None or not lead.holds(found)
        for _ in range(2):
            before = position(weight) + int((end - position(weight)) * chance.random() ** chance.choice([1, 20]))
            if before != end:
                around = range(before, before + way * min(100, abs(end - before)), way)
                assert all(lead.holds(double_at(at)) for at in around)
                assert first_failure(lead, double_at(before), last) == found
    assert far > 4
