"""Causes of events."""

from __future__ import annotations

from typing import Any

import pytest

from tests.drama.stage.evenings import EVENINGS, watched
from tests.drama.stage.scenes import DEBT, HALL, WILL, YARD
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFLICT, OBSERVE, REVEAL, SOCIAL_MOVE, EventType
from volition.drama.stage.causes import Causes, effects
from volition.drama.stage.events import Delta, Event, Strain


def event(id: str, tick: int, type: EventType, source: str, *targets: str, room: str = HALL, **fields: Any) -> Event:
    return Event(id, tick, 0.0, 0, type, source, targets, room, (), **{"deltas": (), "strains": (), **fields})


def causes(
    tick: int, type: EventType, source: str, *targets: str, among: list[Event], **fields: Any
) -> tuple[str, ...]:
    return Causes(among).of(tick, type, source, targets, fields.get("room", HALL), fields.get("secret"))


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_causes_lead_back(name: str, seed: int) -> None:
    """Every event but the first has one to five causes, each once, and all of them happened before it."""
    earlier: set[str] = set()
    for one in watched(name, seed).run.events:
        assert set(one.causes) <= earlier
        assert len(set(one.causes)) == len(one.causes)
        assert len(one.causes) <= 5
        assert one.causes or not earlier
        earlier.add(one.id)


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_events_stand_in_order(name: str, seed: int) -> None:
    """Ids count up without a gap, order counts within a tick, and nobody is their own target or witness."""
    run = watched(name, seed).run
    assert [one.id for one in run.events] == [f"e{count:04}" for count in range(1, len(run.events) + 1)]
    for record in run.ticks:
        assert [one.order for one in record.events] == list(range(len(record.events)))
        for one in record.events:
            assert (one.tick, one.minutes) == (record.tick, record.minutes)
            assert one.source not in one.targets
            assert len(set(one.targets)) == len(one.targets)
            assert not {one.source, *one.targets} & set(one.witnesses)
            assert not {one.source, *one.targets, *one.witnesses} & set(one.overheard)
            assert one.type != EventType.INTERNAL
            assert one.type != OBSERVE or one.deltas


@pytest.mark.req("DE-17")
def test_a_word_answers_the_last_one_for_three_ticks() -> None:
    """The last event that addressed somebody leads to what they do, up to three ticks later."""
    among = [event("e1", 1, CHAT, "ben", "ann"), event("e2", 4, CHAT, "cas", "ann"), event("e3", 5, CHAT, "cas", "dov")]
    assert causes(7, CHAT, "ann", "eve", among=among) == ("e2",)
    assert causes(8, CHAT, "ann", "eve", among=among) == ("e3",)


@pytest.mark.req("DE-17")
def test_a_move_leads_to_acts_for_two_ticks() -> None:
    """One's own last move counts for two ticks; after that the last event in the room does."""
    among = [event("e1", 4, SOCIAL_MOVE, "ann", room=YARD), event("e2", 5, CHAT, "ben", "cas")]
    assert causes(6, CHAT, "ann", "eve", among=among) == ("e1",)
    assert causes(7, CHAT, "ann", "eve", among=among) == ("e2",)
    assert causes(7, CHAT, "ann", "eve", among=among, room=YARD) == ("e1",)


@pytest.mark.req("DE-17")
def test_what_taught_and_who_asked_lead_to_what_is_told() -> None:
    """However long ago: the event by which one came to know a secret, and the question about it."""
    taught = event("e1", 1, CHAT, "ben", "cas", deltas=(Delta("belief", "ann", WILL, 0, 2, "told"),))
    asked = event("e2", 2, CHAT, "eve", "ann", details={"question": WILL})
    other = event("e3", 3, CHAT, "eve", "dov", details={"question": DEBT})
    among = [taught, asked, other]
    assert causes(60, REVEAL, "ann", "dov", among=among, secret=WILL) == ("e2", "e1")
    assert causes(60, REVEAL, "ann", "dov", among=among) == ("e3",)


@pytest.mark.req("DE-17")
def test_a_bond_that_changed_leads_to_acts_between_two_for_five_ticks() -> None:
    """In either direction, and only between the two."""
    delta = Delta("bond", "ben", "ann", 0.2, 0.1, "why", "trust")
    among = [event("e1", 1, CONFLICT, "cas", "dov", deltas=(delta,)), event("e2", 2, CHAT, "eve", "cas")]
    assert causes(6, CHAT, "ann", "ben", among=among) == ("e1",)
    assert causes(7, CHAT, "ann", "ben", among=among) == ("e2",)
    assert causes(6, CHAT, "ann", "eve", among=among) == ("e2",)


@pytest.mark.req("DE-17")
def test_an_outburst_comes_of_what_strained() -> None:
    """The last strains of five ticks, at most five, and relief is no strain."""
    hurt, relief = (Strain("ann", "stress", 0.1, "why"),), (Strain("ann", "stress", -0.1, "why"),)
    among = [event(f"e{tick}", tick, CHAT, "ben", "cas", strains=hurt) for tick in range(9)]
    among.append(event("e9", 9, CHAT, "ben", "cas", strains=relief))
    assert causes(10, CATASTROPHE, "ann", among=among) == ("e5", "e6", "e7", "e8")
    assert causes(9, CATASTROPHE, "ann", among=among) == ("e4", "e5", "e6", "e7", "e8")
    assert causes(9, CHAT, "ann", among=among) == ("e9",)


@pytest.mark.req("DE-17")
def test_only_the_very_first_event_has_no_cause() -> None:
    """If nothing else caused it, the last event in the room did; without one, the last event of all."""
    assert causes(0, CHAT, "ann", "ben", among=[]) == ()
    among = [event("e1", 1, CHAT, "cas", "dov"), event("e2", 1, CHAT, "eve", "ben", room=YARD)]
    assert causes(50, CHAT, "ann", "ben", among=among) == ("e1",)
    assert causes(50, CHAT, "ann", "ben", among=among, room="porch") == ("e2",)


@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_effects_are_causes_read_the_other_way(name: str, seed: int) -> None:
    """An event led to exactly those that have it as a cause, in the order in which they happened."""
    events = watched(name, seed).run.events
    assert effects(events) == {one.id: tuple(other.id for other in events if one.id in other.causes) for one in events}
