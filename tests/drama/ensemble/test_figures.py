"""Means over settings, by adding up the table's rows."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.ensemble.plays import SHORT, SIGMA
from volition.core.errors import InvalidInput
from volition.drama.ensemble import Ensemble, EnsemblePlan, sweep
from volition.drama.ensemble.columns import Column
from volition.drama.ensemble.figures import means
from volition.drama.ensemble.intervals import mean, mean_value

if TYPE_CHECKING:
    from collections.abc import Sequence

MASKING, TICKS = "rules.pacing.masking", "evening.ticks"
SETTINGS = (TICKS, SIGMA, MASKING)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Ensemble:
    """Three settings that vary, two seeds each; some evenings are too short for any drama."""
    plan = EnsemblePlan.of(SHORT, (1, 2), grid={SIGMA: [0.05, 0.3], MASKING: [0.1, 0.5], TICKS: [2, 20]})
    return sweep(plan, tmp_path_factory.mktemp("means") / "out", engine="here", format="csv")


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
    columns = [
        Column("across", "int", lambda one: one[0], setting=True),
        Column("up", "int", lambda one: one[1], setting=True),
        Column("number", "int", lambda one: one[2]),
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
    plan = EnsemblePlan.of(SHORT, [1], grid={SIGMA: [0.1], MASKING: [0.1, 0.5]}, random={TICKS: (2, 9)}, draws=3)
    taken = {name: {dict(point)[name] for point in plan.points} for name in plan.names}
    assert plan.varied == tuple(name for name in plan.names if len(taken[name]) > 1)
    assert SIGMA not in plan.varied
    assert MASKING in plan.varied
    assert EnsemblePlan.of(SHORT, [1]).varied == ()
