"""Lines: a measured evening is read back to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings

from tests.drama.doctor.records import cases
from tests.drama.ensemble.plays import SHORT
from volition.drama.company.measures import Meter
from volition.drama.ensemble.lines import Played, from_line, to_line
from volition.drama.ensemble.plan import PlannedEvening

if TYPE_CHECKING:
    from volition.drama.company.measures import Measures
    from volition.drama.world.model import Scenario


@given(cases())
@settings(max_examples=30)
def test_round_trip(case: tuple[Scenario, list[Measures]]) -> None:
    """All measures survive a line."""
    for row, measures in enumerate(case[1]):
        line = to_line(PlannedEvening(row, 7, measures.seed), "scalar", measures)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert from_line(line) == Played(row, 7, "scalar", measures)


def test_a_real_one() -> None:
    """So do those of a played evening, and writing them again gives the same line."""
    measures = Meter(SHORT).measure(2)
    line = to_line(PlannedEvening(0, 0, 2), "scalar", measures)
    found = from_line(line).measures
    assert found == measures
    assert repr(found.mood) == repr(measures.mood)
    assert len(measures.state) == 64
    assert 0.0 < measures.mood.tension <= measures.mood.most_tension
    assert to_line(PlannedEvening(0, 0, 2), "scalar", found) == line
