"""Groups compared: every mean that both have, whether chance could explain the difference, and what a setting changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.ensemble.plays import SIGMA, STRENGTH, plan
from volition.core.errors import InvalidInput
from volition.drama.ensemble import Ensemble, Figures, Interval, Pair, figures, sweep
from volition.drama.ensemble.comparison import are_apart, compare
from volition.drama.ensemble.intervals import mean

if TYPE_CHECKING:
    from pathlib import Path

NOTHING = Interval(None, None, None, 0, "bootstrap")


def _measured(bounds: list[int]) -> Interval:
    low, value, high = sorted(bounds)
    return Interval(float(value), float(low), float(high), 9, "bootstrap")


measured = st.builds(_measured, st.lists(st.integers(0, 8), min_size=3, max_size=3))
of_one = st.builds(lambda value: Interval(float(value), None, None, 1, "bootstrap"), st.integers(0, 8))
intervals = st.one_of(measured, of_one, st.just(NOTHING))


@given(measured, measured)
def test_apart_is_that_no_number_is_in_both(one: Interval, two: Interval) -> None:
    """Two intervals are apart exactly if no number is in both; ends that touch are in both."""
    shared = [n for n in range(9) if all(each.low <= n <= each.high for each in (one, two))]  # type: ignore[operator]
    assert are_apart(one, two) == are_apart(two, one) == (not shared)


@given(st.integers(100_000_000, 999_999_998), st.integers(-6, 6))
def test_the_last_digit_is_no_difference(digits: int, power: int) -> None:
    """A number that all evenings share is not apart from itself, whichever way its ninth and last digit was rounded."""
    value, other = digits * 10.0**power, (digits + 1) * 10.0**power
    one, two = (Interval(each, each, each, 9, "bootstrap") for each in (value, other))
    assert not are_apart(one, two)
    assert not are_apart(two, one)


@given(of_one | st.just(NOTHING), intervals)
def test_what_has_no_interval_is_apart_from_nothing(one: Interval, two: Interval) -> None:
    """A single evening has no interval, so nothing is apart from it."""
    assert not are_apart(one, two)
    assert not are_apart(two, one)


@given(st.lists(st.tuples(intervals, intervals), max_size=12))
def test_every_mean_of_both_stands_once(means: list[tuple[Interval, Interval]]) -> None:
    """Means that both groups have are in the order of the columns, those that are apart first."""
    names = [f"z{place}" if place % 2 else f"a{place}" for place in range(len(means))]
    first, second = (
        Figures(None, 9, {}, {}, {}, dict(zip(names, (pair[side] for pair in means), strict=True))) for side in (0, 1)
    )
    paired = {name: mean([1.0, float(place)]) for place, name in enumerate(names)}
    found = compare(first, second, paired)
    both = [
        Pair(name, one, two, are_apart(one, two), paired[name])
        for name, (one, two) in zip(names, means, strict=True)
        if one.value is not None and two.value is not None
    ]
    assert found.pairs == (*(pair for pair in both if pair.apart), *(pair for pair in both if not pair.apart))
    assert found.apart == sum(pair.apart for pair in both)
    assert (found.first, found.second) == (first, second)


def test_points_of_an_ensemble(tmp_path: Path) -> None:
    """Points are compared by the figures of their evenings; a point that does not exist is refused."""
    done = sweep(plan(), tmp_path / "out", engine="here", format="csv")
    by_point = done.figures("point")
    assert [done.figures_at(point) for point in range(4)] == list(by_point)
    found = done.compare(3, 1)
    rows = [[row for row in done.rows() if row["point"] == point] for point in (3, 1)]
    for pair in found.pairs:
        assert pair.difference == mean([two[pair.name] - one[pair.name] for one, two in zip(*rows, strict=True)])
    assert found == compare(by_point[3], by_point[1], {pair.name: pair.difference for pair in found.pairs})
    for first, second in ((0, 4), (-1, 0)):
        with pytest.raises(InvalidInput, match="from 0 to 3"):
            done.compare(first, second)


def test_many_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A point has its own figures even if there are so many points that groups are bands."""
    monkeypatch.setattr(figures, "GROUPS", 9)
    many = plan(1, grid={}, draws=10)
    done = Ensemble(sweep(many, tmp_path / "out", engine="here", format="csv").folder.path)
    assert len(done.figures("point")) < 10
    found = done.figures_at(9)
    assert (found.of, found.evenings) == ("point = 9", 1)
    assert found.means["tension"].value == pytest.approx(list(done.rows())[9]["tension"], rel=1e-8)


def test_differences_are_of_evenings_alike_in_all_else(tmp_path: Path) -> None:
    """By brute force: each evening is paired with the one of the same seed and other settings at the first value."""
    done = sweep(plan(), tmp_path / "out", engine="here", format="csv")
    rows = list(done.rows())
    (found,) = done.differences(SIGMA)
    assert (found.first, found.value) == (0.1, 0.3)
    for name in ("tension", "events", "minutes"):
        pairs = [
            float(two[name]) - float(one[name])
            for two in rows
            for one in rows
            if (one[SIGMA], two[SIGMA]) == (0.1, 0.3) and all(one[part] == two[part] for part in ("seed", STRENGTH))
        ]
        assert len(pairs) == 6
        assert found.means[name] == mean(pairs)
    assert found.to_data()["from"] == 0.1
    assert done.differences("ending") == ()
