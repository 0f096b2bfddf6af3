from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.drama.audience.evenings import SCENARIOS, belief, evening, event
from volition.core.canonical import canonical
from volition.drama.audience.summary import Catastrophe, catastrophes, first_dramatic_tick, lessons, summary
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFLICT, LIE, OBSERVE, REVEAL, SOCIAL_MOVE, Belief
from volition.drama.stage.events import TickRecord

HELD, NEW = Belief.BELIEVES_TRUE, Belief.UNKNOWN


@pytest.mark.parametrize("name", SCENARIOS)
def test_numbers_of_a_run(name: str) -> None:
    """The counts of a summary are those of the events."""
    played = evening(name)
    told = summary(played)
    assert sum(told.counts.values()) == told.events == len(played.events)
    for kind, count in told.counts.items():
        assert count == len([one for one in played.events if one.type.name == kind])
    assert set(told.rooms) == set(played.scenario.rooms)
    assert sum(told.rooms.values()) == told.events - told.counts["SOCIAL_MOVE"]
    assert told.ticks == len(played.ticks)
    assert len(told.catastrophes) == told.counts["CATASTROPHE"]
    assert played.ending is not None
    assert (told.minutes, told.ending) == (played.ending.minutes, played.ending)


def test_a_summary_is_data() -> None:
    """A summary is written as JSON and read back as the same data."""
    data = summary(evening()).to_data()
    assert canonical(json.loads(canonical(data))) == canonical(data)


def test_a_move_uses_no_room() -> None:
    """Passing through a room does not count as using it."""
    played = evening()
    moved = event(SOCIAL_MOVE, "thorne", destination="foyer")
    record = TickRecord(0, 0.0, 1.0, {}, (moved,), ())
    told = summary(replace(played, ticks=(record,), ending=None))
    assert not any(told.rooms.values())


def test_first_dramatic_tick() -> None:
    """The first dramatic act is a dramatic act or an outburst, not a chat."""
    calm = event(CHAT, "ann", "ben", tick=1)
    assert first_dramatic_tick([calm]) is None
    assert first_dramatic_tick([calm, event(LIE, "ann", "ben", tick=7), event(CONFLICT, "ann", "ben", tick=9)]) == 7
    assert first_dramatic_tick([calm, event(CATASTROPHE, "ann", tick=8)]) == 8


def test_from_whom_it_was_learned() -> None:
    """The source of a secret is the person who tells it, the accused in a quarrel, or the person watched or overheard."""
    told = event(REVEAL, "ann", "ben", id="e1", deltas=(belief("ben", "debt", NEW, HELD),))
    forced = event(CONFLICT, "ann", "cal", id="e2", deltas=(belief("dot", "debt", NEW, HELD),))
    seen = event(OBSERVE, "dot", id="e3", focus="ben", deltas=(belief("dot", "will", NEW, Belief.SUSPECTS),))
    heard = event(OBSERVE, "eve", id="e4", details={"heard": "e2"}, deltas=(belief("eve", "debt", NEW, HELD),))
    found = lessons([told, forced, seen, heard])
    assert [(one.who, one.source) for one in found] == [("ben", "ann"), ("dot", "cal"), ("dot", "ben"), ("eve", "cal")]
    assert (found[2].before, found[2].after) == ("unknown", "suspects")


def test_who_broke() -> None:
    """Catastrophes are named with who, when, how and what they told."""
    burst = event(CATASTROPHE, "ann", minutes=80.0, details={"breakdown": "flight", "told": "debt"})
    assert catastrophes([event(CHAT, "ann", "ben"), burst]) == (Catastrophe("e0001", "ann", 80.0, "flight", "debt"),)
