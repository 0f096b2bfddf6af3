"""Lines: a measured evening comes back as it was, to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings

from tests.drama.company.ensemble.plays import SHORT
from tests.drama.company.records import cases
from volition.drama.company.ensemble.lines import Played, from_line, to_line
from volition.drama.company.ensemble.plan import Evening
from volition.drama.company.measures import Meter

if TYPE_CHECKING:
    from volition.drama.company.measures import Measures
    from volition.drama.world.model import Scenario


@given(cases())
@settings(max_examples=30)
def test_round_trip(case: tuple[Scenario, list[Measures]]) -> None:
    """Whatever was measured can be sent."""
    for row, measures in enumerate(case[1]):
        line = to_line(Evening(row, 7, measures.seed), "scalar", measures)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert from_line(line) == Played(row, 7, "scalar", measures)


def test_a_real_one() -> None:
    """So can an evening that was played, and it is written in the same way again."""
    measures = Meter(SHORT).measure(2)
    line = to_line(Evening(0, 0, 2), "scalar", measures)
    found = from_line(line).measures
    assert found == measures
    assert repr(found.mood) == repr(measures.mood)
    assert len(measures.state) == 64
    assert 0.0 < measures.mood.tension <= measures.mood.most_tension
    assert to_line(Evening(0, 0, 2), "scalar", found) == line
