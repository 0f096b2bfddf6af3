"""Events of the clock: when they happen, what they do, and what the seed draws at the beginning."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.evening.casts import DINNER, shipped
from volition.core.errors import InvalidInput
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import Belief, EventType
from volition.drama.stage.run import opening, run
from volition.drama.world.model import Circumstance, ClockEvent, Condition
from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.wording import without_events

if TYPE_CHECKING:
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

AFFAIR = "secret_affair_01"


def with_clock(*events: ClockEvent, circumstances: tuple[Circumstance, ...] = (), **setup: Any) -> Scenario:
    """The dinner, with these events and circumstances alone."""
    dinner = shipped(DINNER)
    evening = replace(dinner.evening, events=events, circumstances=circumstances, **setup)
    phrases = without_events(dinner.phrases, (one.id for one in dinner.evening.events))
    return scenario_from_data(scenario_to_data(replace(dinner, evening=evening, phrases=phrases)))


def event(**fields: Any) -> ClockEvent:
    return ClockEvent(**{"id": "bell", "minute": 20.0, "until": 150.0, **fields})


def rung(played: Run, id: str = "bell") -> list[Any]:
    return [event for event in played.events if event.details.get("clock") == id]


@pytest.mark.req("DE-33")
def test_an_event_happens_once_at_its_minute() -> None:
    """It happens at the first tick from its minute on, and never again."""
    played = run(with_clock(event(lines=("A bell rings.",))), 3, ticks=30)
    (bell,) = rung(played)
    minutes = [record.minutes for record in played.ticks]
    assert bell.type == EventType.CLOCK
    assert bell.minutes == min(minute for minute in minutes if minute >= 20.0)


@pytest.mark.req("DE-33")
def test_people_leave_together_and_not_before() -> None:
    """Who has a passage stays until it goes, all go at once, and why not earlier is named."""
    together = ("diana", "lydia", "victor")
    flown = 0
    for seed in (1, 2):
        played = run(with_clock(event(minute=100.0, depart=together)), seed)
        if not (flights := rung(played)):
            continue
        (flight,) = flights
        flown += 1
        thrown = {
            delta.agent for one in played.events for delta in one.deltas if delta.kind == "thrown_out" and delta.after
        }
        early = {one.source for one in played.events if one.manner == "leave" and one.tick < flight.tick}
        assert not early & set(together) - thrown
        assert {flight.source, *flight.targets} == set(together) - early
    assert flown


@pytest.mark.req("DE-33")
def test_who_is_expected_is_not_there_before() -> None:
    """Nobody meets, sees or is told of by acts before they arrive; then they stand in the room they come to."""
    played = run(with_clock(event(arrive=("victor",), room="foyer")), 5, ticks=30)
    (arrival,) = rung(played)
    before = [one for one in played.events if (one.tick, one.order) < (arrival.tick, arrival.order)]
    assert not [one for one in before if "victor" in (one.source, *one.targets, *one.witnesses)]
    assert [delta.after for delta in arrival.deltas if delta.kind == "location"] == ["foyer"]


@pytest.mark.req("DE-33")
def test_news_is_learned_by_those_who_are_there() -> None:
    """Everybody in the room learns what is read out, and nobody elsewhere."""
    played = run(with_clock(event(news=AFFAIR)), 7, ticks=30)
    (news,) = rung(played)
    told = {delta.agent for delta in news.deltas if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE}
    assert told
    assert told <= {news.source, *news.targets}


@pytest.mark.req("DE-33")
def test_a_thing_has_one_owner() -> None:
    """A thing goes from who had it to who gets it: at every moment exactly one person has it."""
    scenario = with_clock(event(hands="keys", to="elena"), things={"keys": "thorne"})
    played = run(scenario, 2, ticks=30)
    (handed,) = rung(played)
    assert {(delta.agent, delta.after) for delta in handed.deltas if delta.kind == "carries"} == {
        ("thorne", None),
        ("elena", 1.0),
    }


@pytest.mark.req("DE-33")
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Condition(out=(AFFAIR,)), False),
        (Condition(known={AFFAIR: ("diana",)}), True),
        (Condition(here=("diana",)), True),
        (Condition(gone=("diana",)), False),
        (Condition(forgiven={"elena": ("diana",)}), False),
        (Condition(outbursts=3), False),
        (Condition(chance=1e-9), False),
        (Condition(chance=1.0), True),
    ],
)
def test_a_condition_decides_and_unless_prevents(condition: Condition, holds: bool) -> None:
    """An event happens where its condition holds, and where what would prevent it does not."""
    for fields, happens in (({"when": condition}, holds), ({"unless": condition}, not holds)):
        if condition == Condition() and "unless" in fields:
            continue
        played = run(with_clock(event(minute=5.0, until=9.0, lines=("It strikes.",), **fields)), 1, ticks=12)
        assert bool(rung(played)) is happens


@pytest.mark.req("DE-33")
def test_a_missed_deadline_is_an_ending() -> None:
    """An event that ends the evening does: the ending has its name, and nothing happens afterwards."""
    scenario = with_clock(event(minute=30.0, unless=Condition(out=(AFFAIR,)), ends="too_late"))
    played = run(scenario, 1)
    assert played.ending is not None
    assert played.ending.kind == "too_late"
    assert played.ticks[-1].events[-1].details["clock"] == "bell"


@pytest.mark.req("DE-34")
def test_who_comes_late_comes_to_the_others() -> None:
    """Who is late is nowhere before, whatever else the seed draws for them, and then stands where people gather."""
    both = (
        Circumstance("late", chance=1.0, late={"victor": 12.0}),
        Circumstance("outside", chance=1.0, rooms={"victor": "balcony"}),
    )
    for circumstances in (both, both[::-1]):
        played = run(with_clock(circumstances=circumstances), 5, ticks=20)
        (arrival,) = rung(played, "late")
        assert arrival.room == played.scenario.evening.gathering
        earlier = [one for one in played.events if one.minutes < arrival.minutes]
        assert not [one for one in earlier if "victor" in (one.source, *one.targets, *one.witnesses)]


@pytest.mark.req("DE-34")
def test_the_seed_draws_circumstances() -> None:
    """A circumstance shapes the evenings whose seed draws it, in its share, and the others not at all."""
    late = Circumstance("late", 0.5, late={"victor": 20.0})
    scenario = with_clock(circumstances=(late,))
    mind = Mind(scenario)
    drawn = [opening(scenario, seed, mind).agents["victor"].arrival for seed in range(60)]
    assert set(drawn) == {None, 20.0}
    assert 15 <= drawn.count(20.0) <= 45


@pytest.mark.req("DE-33")
@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"depart": ["nobody"]}, "evening.events[0].depart[0]"),
        ({"minute": 500}, "evening.events[0].minute"),
        ({"arrive": ["victor"], "depart": ["victor"]}, "evening.events[0].depart"),
        ({"until": 3}, "evening.events[0].until"),
        ({"when": {"moon": 1}}, "evening.events[0].when.moon"),
        ({"lines": []}, "evening.events[0].lines"),
        ({"hands": "keys"}, "evening.events[0].hands"),
    ],
)
def test_a_problem_of_an_event_names_its_place(change: dict[str, Any], where: str) -> None:
    """What is wrong with an event is said with its path."""
    data = scenario_to_data(with_clock())
    data["evening"]["events"] = [{"id": "bell", "minute": 20, "lines": ["It rings."]} | change]
    with pytest.raises(InvalidInput) as refused:
        scenario_from_data(data)
    assert where in str(refused.value)
