"""The log alone rebuilds every state, and a log that does not fit is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.drama.stage.evenings import (
    DINNER,
    EVENINGS,
    LITERAL_DINNER,
    LITERAL_STATION,
    STATION,
    digests,
    fingerprint,
    mind_of,
    scenario_of,
    watched,
)
from tests.processes import under_hash_seeds
from volition.core.errors import BrokenRecord, InvalidInput
from volition.drama.rules.catalog import CLOCK
from volition.drama.stage.causes import Causes
from volition.drama.stage.replay import advance, state_at, steps, walk
from volition.drama.stage.stage import Stage
from volition.drama.stage.state import state_from_data, state_to_data
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.stage.events import Delta
    from volition.drama.stage.record import Run

WHOLE = (1,)
SHORT = (13, 14)
ELSEWHERE = ((STATION, 1, None), (LITERAL_DINNER, 12, 40), (LITERAL_STATION, 12, 40))


def rebuilt(run: Run) -> Iterator[str]:
    """The fingerprint of every state that the log tells of."""
    world = run.opening_state()
    yield fingerprint(world)
    for record in run.ticks:
        advance(world, record)
        yield fingerprint(world)


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("seed", [*WHOLE, *SHORT])
def test_the_log_alone_rebuilds_every_state(seed: int) -> None:
    """After every tick the replayed state has the bytes of the live one."""
    evening = watched(DINNER, seed, None if seed in WHOLE else 30)
    assert evening.live == tuple(rebuilt(evening.run))
    assert len(evening.live) == len(evening.run.ticks) + 1


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed", "ticks"), ELSEWHERE)
def test_so_it_does_in_other_houses_and_by_the_letter(name: str, seed: int, ticks: int | None) -> None:
    """Replay equals the run in the second scenario and under the literal rules as well."""
    evening = watched(name, seed, ticks)
    assert evening.live == tuple(rebuilt(evening.run))


@pytest.mark.req("DE-17", "DE-08")
def test_another_hash_seed_gives_the_same_bytes() -> None:
    """A process with another hash seed plays the same evenings, to the byte."""
    there = under_hash_seeds("from tests.drama.stage.evenings import digests; print(*digests())", "1")
    assert there == {f"{' '.join(digests())}\n".encode()}


@pytest.mark.req("DE-17")
def test_every_reader_of_a_run_sees_the_same_states() -> None:
    """`steps` and `walk` give the state before, `state_at` the same one, and at the end the last."""
    evening = watched(DINNER, 12, 30)
    live, run = evening.live, evening.run
    assert [fingerprint(world) for world, _ in steps(run)] == list(live[:-1])
    for tick in (0, 1, 17, len(run.ticks)):
        assert fingerprint(state_at(run, tick)) == evening.live[tick]
    for world, event in walk(run):
        assert world.tick == event.tick
        assert world.minutes == event.minutes
        assert event.type == CLOCK or world.agents[event.source].location == event.room
    for tick in (-1, len(run.ticks) + 1):
        with pytest.raises(InvalidInput, match=f"no tick {tick}"):
            state_at(run, tick)


@pytest.mark.req("DE-17")
@given(st.data())
def test_a_change_that_does_not_fit_is_refused_by_name(data: st.DataObject) -> None:
    """Whatever a delta says was there before, if it was not, the record is broken at that tick and event."""
    run = watched(DINNER, 12, 60).run
    at = data.draw(st.integers(0, len(run.ticks) - 1))
    record = run.ticks[at]
    events = [event for event in record.events if event.deltas]
    if data.draw(st.booleans()) and events:
        event = data.draw(st.sampled_from(events))
        forged = structs.replace(event, deltas=_forged(data, event.deltas))
        broken = structs.replace(record, events=tuple(forged if one is event else one for one in record.events))
        where = f"tick {at}, event {event.id}"
    else:
        broken, where = structs.replace(record, after=_forged(data, record.after)), f"tick {at}, its end"
    with pytest.raises(BrokenRecord) as refusal:
        list(steps(replace(run, ticks=(*run.ticks[:at], broken, *run.ticks[at + 1 :]))))
    assert refusal.value.problems[0].where == where


def _forged(data: st.DataObject, deltas: tuple[Delta, ...]) -> tuple[Delta, ...]:
    at = data.draw(st.integers(0, len(deltas) - 1))
    return (*deltas[:at], deltas[at]._replace(before=_other(deltas[at].before)), *deltas[at + 1 :])


def _other(value: Any) -> Any:
    """Something else of the same kind, where there is a kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "!"
        case tuple():
            return (*value, 0)
    return 0.25


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("what", ["kind", "agent", "key"])
def test_a_change_of_what_does_not_exist_is_refused(what: str) -> None:
    """A delta for a part, a person or an entry that the state does not have is a broken record."""
    run = watched(DINNER, 12, 60).run
    at, event = next(
        (record.tick, event) for record in run.ticks for event in record.events if event.deltas[:1] and event.tick > 3
    )
    strange = event.deltas[0]._replace(**{what: "nonsense"})
    events = tuple(
        structs.replace(one, deltas=(strange, *one.deltas[1:])) if one is event else one for one in run.ticks[at].events
    )
    broken = (*run.ticks[:at], structs.replace(run.ticks[at], events=events), *run.ticks[at + 1 :])
    with pytest.raises(BrokenRecord, match=event.id):
        list(steps(replace(run, ticks=broken)))


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), [(DINNER, 12), (STATION, 1), (LITERAL_DINNER, 12)])
def test_an_evening_goes_on_from_any_state_as_it_went_on(name: str, seed: int) -> None:
    """A stage that is rebuilt from data in mid-evening plays the same ticks, event for event."""
    run = watched(name, seed).run
    for tick in (0, 23, 57):
        past = run.ticks[:tick]
        events = [event for record in past for event in record.events]
        world = state_from_data(scenario_of(name), state_to_data(state_at(run, tick)))
        stage = Stage(world, mind_of(name), seed, Causes(events), len(events))
        assert [stage.tick() for _ in range(20)] == list(run.ticks[tick : tick + 20])


def test_the_evenings_hold_what_laws_are_about() -> None:
    """The evenings on which laws are checked contain every kind of event and of detail, so no law is vacuous."""
    runs = [watched(name, seed).run for name, seed in EVENINGS]
    events = [event for run in runs for event in run.events]
    assert len({event.type for event in events}) == 10
    details = {detail for event in events for detail in event.details}
    assert details >= {"question", "believed", "found", "forced", "breakdown", "stance", "sides"}
    assert any(delta.after == DEPARTED for event in events for delta in event.deltas)
    because = {choice.because for run in runs for record in run.ticks for choice in record.choices.values()}
    assert because >= {None, "engaged", "hushed", "full", "gone"}
