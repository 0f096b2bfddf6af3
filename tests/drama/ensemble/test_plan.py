"""Plans: every combination with every seed, each evening in one row; different plans have different hashes."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.doctor.records import PARTY
from tests.drama.ensemble.own_terms import TALK
from tests.drama.ensemble.plays import SHORT, SIGMA, STRENGTH, plan
from volition.arbitration import Heuristic
from volition.core.document import dump_json, parse_json
from volition.core.errors import InvalidInput
from volition.drama.doctor.case import Proposals
from volition.drama.ensemble import EnsemblePlan

MASK = "rules.pacing.masking"


def test_points() -> None:
    """Points are all combinations of the grid, each with the same draws."""
    made = plan(grid={SIGMA: [0.1, 0.3], MASK: [0.0, 0.1, 0.2]}, draws=4)
    strengths = [dict(point)[STRENGTH] for point in made.points[:4]]
    assert len(set(strengths)) == 4
    expected = [
        {MASK: mask, SIGMA: sigma, STRENGTH: strength}
        for sigma, mask, strength in product([0.1, 0.3], [0.0, 0.1, 0.2], strengths)
    ]
    assert [dict(point) for point in made.points] == expected


def test_settings_are_made() -> None:
    """The scenario of a point has its settings, and everything else is unchanged."""
    made = plan()
    for point, values in enumerate(made.points):
        found, before = Proposals(made.scenario_at(point)), Proposals(SHORT)
        assert {name: found.now(name) for name in made.names} == dict(values)
        assert found.now("rules.pacing") == before.now("rules.pacing")
        assert made.hashes[point] == found.scenario.hash
    assert len(set(made.hashes)) == len(made.points)


@given(st.sets(st.integers(0, 99), min_size=1, max_size=20))
def test_rows(seeds: set[int]) -> None:
    """Rows and pairs of point and seed are one to one, and a plan as data is the same plan."""
    made = EnsemblePlan(SHORT, tuple(sorted(seeds)), grid=((SIGMA, (0.1, 0.2)),))
    rows = [made.evening(row) for row in range(made.size)]
    assert [row.row for row in rows] == list(range(made.size))
    assert {(row.point, row.seed) for row in rows} == set(product(range(2), seeds))
    again = EnsemblePlan.from_data(parse_json(dump_json(made.to_data())))
    assert (again, again.hash) == (made, made.hash)


def test_hashes() -> None:
    """Everything that changes what is played changes the hash; the order of arguments does not."""
    kinds: list[dict[str, Any]] = [
        {},
        {"seeds": 4},
        {"grid": {SIGMA: [0.1, 0.4]}},
        {"grid": {MASK: [0.1, 0.3]}},
        {"random": {STRENGTH: (0.1, 0.8)}},
        {"draws": 3},
        {"draw_seed": 2},
        {"terms": [TALK]},
        {"terms": [Heuristic("talk", TALK.intent, weight=1.0)]},
        {"terms": [Heuristic("talk", lambda action: 0.5, weight=2.0)]},
    ]
    hashes = [plan(**kind).hash for kind in kinds] + [EnsemblePlan.of(PARTY, [1, 2, 3]).hash]
    assert len(set(hashes)) == len(hashes)
    one = EnsemblePlan.of(SHORT, [3, 1, 1], grid={SIGMA: ["0.1"], MASK: [0.2]})
    assert one.hash == EnsemblePlan.of(SHORT, [1, 3], grid={MASK: [0.2, 0.2], SIGMA: [0.1]}).hash


def test_a_plan_of_nothing() -> None:
    """A plan that sweeps nothing plays the scenario itself, once for each seed."""
    made = EnsemblePlan.of(SHORT, [5, 6])
    assert (made.points, made.size, made.hashes) == (((),), 2, (SHORT.hash,))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seeds": []}, "no seed"),
        ({"seeds": [-1]}, "out of range"),
        ({"seeds": [2**53]}, "out of range"),
        ({"grid": {SIGMA: []}}, "no value"),
        ({"grid": {SIGMA: [0.1]}, "random": {SIGMA: (0, 1)}, "draws": 2}, "swept twice"),
        ({"random": {SIGMA: (0, 1)}}, "no draws"),
        ({"draws": 3}, "3 draws"),
        ({"random": {SIGMA: (0, 1)}, "draws": 0}, "0 draws"),
        ({"grid": {SIGMA: [0.1, 99.0]}}, r"with rules\.noise\.sigma=99"),
        ({"grid": {"evening.ticks": ["2.5"]}}, "whole number"),
        ({"seeds": range(10_001), "grid": {SIGMA: [n / 1000 for n in range(1000)]}}, "at most"),
    ],
)
def test_refused(given: dict[str, Any], said: str) -> None:
    """What cannot be played is refused before anything is played."""
    with pytest.raises(InvalidInput, match=said):
        EnsemblePlan.of(SHORT, **{"seeds": [1], **given})


def test_all_problems_at_once() -> None:
    """Every setting that is wrong is named."""
    with pytest.raises(InvalidInput) as caught:
        EnsemblePlan.of(SHORT, [1], grid={"rules.x": [1], SIGMA: ["no"]}, random={"rules.y": (0, 1)}, draws=1)
    assert len(caught.value.problems) == 3
    assert json.dumps(caught.value.to_data())
