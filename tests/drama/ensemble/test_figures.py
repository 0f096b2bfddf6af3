"""Means over settings, by adding up the table's rows; and groups compared: whether chance could explain a difference."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.ensemble.plays import QUICK, SHORT, SIGMA, STRENGTH, plan
from volition.core.errors import InvalidInput
from volition.drama.ensemble import Ensemble, EnsemblePlan, figures, sweep
from volition.drama.ensemble.figures import Figures, Pair, are_apart, compare, means
from volition.drama.ensemble.intervals import Interval, mean, mean_value
from volition.drama.ensemble.table import Column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.sentences import Told

MASKING, TICKS = "rules.pacing.masking", "evening.ticks"
SETTINGS = (TICKS, SIGMA, MASKING)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Ensemble:
    """Three settings that vary, three seeds each; some evenings are too short for any drama."""
    varied = EnsemblePlan.of(SHORT, (1, 2, 3), grid={SIGMA: [0.05, 0.3], MASKING: [0.1, 0.5], TICKS: [2, 12]})
    return sweep(varied, tmp_path_factory.mktemp("means") / "out", engine="here", path=QUICK, format="csv")


def _by_hand(rows: Sequence[dict[str, Any]], name: str) -> float | None:
    cells = [Fraction(row[name]) for row in rows if row[name] is not None]
    return float(sum(cells) / len(cells)) if cells else None


@pytest.mark.parametrize("by", [*product(SETTINGS, repeat=2), (SIGMA,), SETTINGS, ("point",), ()])
def test_means_are_those_of_the_rows(done: Ensemble, by: tuple[str, ...]) -> None:
    """A cell is the mean over all evenings at its values, None if no evening has the number; no evening is left out."""
    names = ("first_drama", "tension")
    rows = list(done.rows())
    found = done.means(names, by)
    assert [cell.at for cell in found] == list(dict.fromkeys(tuple(row[key] for key in by) for row in rows))
    assert sum(cell.evenings for cell in found) == len(rows)
    for cell in found:
        mine = [row for row in rows if tuple(row[key] for key in by) == cell.at]
        assert cell.evenings == len(mine)
        for name in names:
            assert cell.means[name] == (
                value if (value := _by_hand(mine, name)) is None else pytest.approx(value, rel=1e-8)
            )


def test_evenings_count_and_not_points(done: Ensemble) -> None:
    """If points have the number in different shares of their evenings, the mean of their means differs."""
    (all_,) = done.means(["first_drama"], [])
    points = [cell.means["first_drama"] for cell in done.means(["first_drama"], ["point"])]
    known = [value for value in points if value is not None]
    assert None in points
    assert all_.means["first_drama"] == done.figures()[0].means["first_drama"].value
    assert all_.means["first_drama"] != pytest.approx(sum(known) / len(known))


rows = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.none() | st.integers(-9, 9)), min_size=1, max_size=30
)


@given(rows)
def test_any_table(table: list[tuple[int, int, int | None]]) -> None:
    """Whatever the table, each cell is the mean of the values that its rows have."""
    read: list[Any] = [itemgetter(place) for place in range(3)]
    columns = [
        Column("across", "int", read[0], setting=True),
        Column("up", "int", read[1], setting=True),
        Column("number", "int", read[2]),
    ]
    for cell in means(columns, table, ["number"], ["across", "up"]):  # type: ignore[arg-type]
        values = [value for across, up, value in table if (across, up) == cell.at]
        known = [float(value) for value in values if value is not None]
        assert cell.evenings == len(values)
        assert cell.means["number"] == mean(known).value


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_the_middle_is_the_value_of_the_mean(values: list[float]) -> None:
    """A mean without its interval is the same number to the last digit shown."""
    assert mean_value(values) == mean(values).value


@pytest.mark.parametrize(
    ("names", "by", "told"),
    [
        (["tensoin"], [SIGMA], "tension"),
        (["ending"], [SIGMA], "no number 'ending'"),
        ([SIGMA], [SIGMA], "no number"),
        (["tension"], ["rules.noise.sigm"], SIGMA),
        (["tension"], ["events"], "no setting 'events'"),
    ],
)
def test_what_is_no_number_or_no_setting(done: Ensemble, names: list[str], by: list[str], told: str) -> None:
    """An unknown number and an unknown setting are refused, with the nearest one."""
    with pytest.raises(InvalidInput, match=told.replace(".", r"\.")):
        done.means(names, by)


def test_settings_that_vary() -> None:
    """A swept setting varies if it takes more than one value, by a grid or by draws."""
    some = EnsemblePlan.of(SHORT, [1], grid={SIGMA: [0.1], MASKING: [0.1, 0.5]}, random={TICKS: (2, 9)}, draws=3)
    taken = {name: {dict(point)[name] for point in some.points} for name in some.names}
    assert some.varied == tuple(name for name in some.names if len(taken[name]) > 1)
    assert SIGMA not in some.varied
    assert MASKING in some.varied
    assert EnsemblePlan.of(SHORT, [1]).varied == ()


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


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Ensemble:
    """The small sweep of two settings."""
    return sweep(plan(), tmp_path_factory.mktemp("swept") / "out", engine="here", path=QUICK, format="csv")


def test_points_of_an_ensemble(swept: Ensemble, told: Told) -> None:
    """Points are compared by the figures of their evenings; a point that does not exist is refused."""
    by_point = swept.figures("point")
    assert [swept.figures_at(point) for point in range(4)] == list(by_point)
    found = swept.compare(3, 1)
    rows = [[row for row in swept.rows() if row["point"] == point] for point in (3, 1)]
    for pair in found.pairs:
        assert pair.difference == mean([two[pair.name] - one[pair.name] for one, two in zip(*rows, strict=True)])
    assert found == compare(by_point[3], by_point[1], {pair.name: pair.difference for pair in found.pairs})
    for first, second in ((0, 4), (-1, 0)):
        with told.raises(InvalidInput):
            swept.compare(first, second)


def test_many_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A point has its own figures even if there are so many points that groups are bands."""
    monkeypatch.setattr(figures, "GROUPS", 9)
    many = plan(1, grid={}, draws=10)
    done = Ensemble(sweep(many, tmp_path / "out", engine="here", path=QUICK, format="csv").folder.path)
    assert len(done.figures("point")) < 10
    found = done.figures_at(9)
    assert (found.of, found.evenings) == ("point = 9", 1)
    assert found.means["tension"].value == pytest.approx(list(done.rows())[9]["tension"], rel=1e-8)


def test_differences_are_of_evenings_alike_in_all_else(swept: Ensemble) -> None:
    """By brute force: each evening is paired with the one of the same seed and other settings at the first value."""
    rows = list(swept.rows())
    (found,) = swept.differences(SIGMA)
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
    assert swept.differences("ending") == ()
