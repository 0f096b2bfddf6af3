"""Whose thoughts are told beside an event."""

from __future__ import annotations

from msgspec import structs

from tests.drama.audience.evenings import evening, event
from tests.drama.evening.casts import shipped
from volition.drama.audience.thoughts import thinkers_of, thought_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CHAT, CLOCK
from volition.drama.stage.events import Choice, Delta, TickRecord
from volition.drama.words.phrase import Picker
from volition.drama.world.model import DEPARTED

TABLE = "dining_table"


def test_nobody_thinks_of_who_has_just_gone() -> None:
    """A thought beside a departure is not about those who leave by it, and they think nothing any more."""
    world = begin(shipped("dinner-party"))
    everybody = list(world.agents)
    for agent in world.agents.values():
        agent.location = TABLE
    gone = [who for who in everybody if who != "elena"]
    leaves = tuple(Delta("location", who, None, TABLE, DEPARTED, "made by hand") for who in gone)
    away = event(CLOCK, "marcus", "thorne", details={"clock": "cab"}, deltas=leaves)
    for tick in range(60):
        told = thought_of(world, structs.replace(away, tick=tick), ["elena"], 9, Picker(1))
        assert told is None or told[1].whom is None
    kept = {who: Choice("internal", 0.0, 0) for who in everybody}
    record = TickRecord(2, 2.0, 1.0, kept, (away,), ())
    assert thinkers_of(world, record, away) == ["elena"]


def test_thinkers_keep_to_themselves_in_the_room() -> None:
    """Those think who chose to, in the room of the event, and who take no part in it."""
    world = evening().opening_state()
    for agent in world.agents.values():
        agent.location = TABLE
    world.agents["victor"].location = "balcony"
    kept = {who: Choice("internal", 0.0, 0) for who in world.agents}
    talk = event(CHAT, "thorne", "elena")
    assert set(thinkers_of(world, TickRecord(2, 2.0, 1.0, kept, (talk,), ()), talk)) == {"diana", "lydia", "marcus"}
