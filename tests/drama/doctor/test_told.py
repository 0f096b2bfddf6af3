"""How evenings read, in the doctor's report: cuts between rooms and gestures, counted by hand and by the doctor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.doctor.records import PARTY
from tests.drama.evening.casts import shipped
from volition.drama.doctor import examine
from volition.drama.doctor.cure import measure_evenings
from volition.drama.doctor.told import TELLING, ToldEvening, most_gestures, tell_evenings
from volition.drama.rules.catalog import COMFORT, PHYSICAL, SHUN
from volition.drama.stage.events import Event
from volition.drama.world.scenario import scenario_names

PEOPLE = st.sampled_from(["ann", "ben", "cas"])
MADE = st.tuples(PEOPLE, PEOPLE, st.sampled_from([SHUN, COMFORT, "drink"]), st.integers(0, 60))


def gesture(made: tuple[str, str, str, int]) -> Event:
    source, target, manner, minute = made
    return Event("e1", 0, float(minute), 0, PHYSICAL, source, (target,), "hall", (), (), (), manner=manner)


@pytest.mark.req("DE-34")
@given(st.lists(MADE, max_size=12))
def test_gestures_are_counted_in_every_quarter_of_an_hour(made: list[tuple[str, str, str, int]]) -> None:
    """It is the largest number of equal gestures of one person towards another in any fifteen minutes."""
    shown = [one for one in made if one[2] != "drink"]
    counts = [sum(other[:3] == one[:3] and 0 <= other[3] - one[3] < 15 for other in shown) for one in shown]
    assert most_gestures([gesture(one) for one in made]) == max(counts, default=0)


@pytest.mark.req("DE-34")
@pytest.mark.parametrize("name", scenario_names())
def test_shipped_evenings_read_well(name: str) -> None:
    """Evenings of every shipped scenario have at most six cuts in ten minutes and no gesture three times in fifteen."""
    told = list(tell_evenings(shipped(name), range(601, 603)))
    assert max(one.cuts for one in told) <= 6
    assert max(one.gestures for one in told) <= 2


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(
    ("told", "symptom"),
    [(ToldEvening(3, 7, 1), "many_cuts"), (ToldEvening(3, 6, 3), "repeated_gestures"), (ToldEvening(3, 6, 2), None)],
)
def test_what_tires_a_reader_is_a_symptom(told: ToldEvening, symptom: str | None) -> None:
    """One cut or gesture too many fails its target, names its seed, and has a setting to change."""
    scenario = PARTY
    records = measure_evenings(scenario, range(1, 3))
    before, after = examine(records, scenario), examine(records, scenario, [ToldEvening(2, 1, 1), told])
    more = [found for found in after.symptoms if found not in before.symptoms]
    assert [found.id for found in more] == ([] if symptom is None else [symptom])
    assert all(found.settings and "seed 3" in found.evidence[0].what for found in more)
    assert [target.part for target in after.targets[len(before.targets) :]] == [TELLING, TELLING]
