"""What events demand of people, over whole evenings."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from tests.drama.rules.numbers import near
from tests.drama.stage.evenings import EVENINGS, watched
from tests.drama.stage.oracle import strained
from volition.drama.rules.catalog import EventType
from volition.drama.stage.events import Delta, Event
from volition.drama.stage.replay import walk


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_every_event_asks_what_the_specification_says(name: str, seed: int) -> None:
    """Stress, commitment, budget and drinks that an event asks of everybody are those of its tables, and no others."""
    for world, event in walk(watched(name, seed).run):
        total: dict[tuple[str, str], float] = {}
        for strain in event.strains:
            key = strain.agent, strain.number
            total[key] = total.get(key, 0.0) + strain.amount
        assert {key: amount for key, amount in total.items() if abs(amount) > 1e-12} == near(strained(world, event)), (
            event.id
        )


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_no_event_charges_twice(name: str, seed: int) -> None:
    """Pacing changes only at the end of a tick, and each change is recorded there once."""
    run = watched(name, seed).run
    for record in run.ticks:
        assert not any(delta.kind == "pacing" for event in record.events for delta in event.deltas)
        paid = [delta.agent for delta in record.after if delta.kind == "pacing"]
        assert len(paid) == len(set(paid))


@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_an_event_knows_its_secrets(name: str, seed: int) -> None:
    """An event is about the secrets that its own fields name and those of which it taught somebody, each once."""
    run = watched(name, seed).run
    about = 0
    for event in run.events:
        details = {key: event.details.get(key) for key in ("question", "forced", "told")}
        named = {event.secret, *details.values(), *event.details.get("found", ())}
        learned = {delta.key for delta in event.deltas if delta.kind == "belief"}
        assert set(event.secrets) == (named | learned) - {None}
        assert len(set(event.secrets)) == len(event.secrets)
        assert set(event.secrets) <= set(run.scenario.secrets)
        about += bool(event.secrets)
    assert about


@pytest.mark.parametrize(
    "given",
    [
        {"secret": "debt"},
        {"details": {"question": "debt"}},
        {"details": {"forced": "debt"}},
        {"details": {"told": "debt", "breakdown": "outburst"}},
        {"details": {"found": ["debt"]}},
        {
            "deltas": (
                Delta("belief", "ben", "debt", 0, 2, "told"),
                Delta("bond", "ben", "ann", 0.1, 0.2, "told", "trust"),
            )
        },
    ],
)
def test_each_way_to_be_about_a_secret(given: dict[str, Any]) -> None:
    """A secret is an event's where it is told, asked about, forced out, cried out, betrayed or learned; once, if in two ways."""
    made = {"deltas": (), "strains": (), **given}
    event = Event("e0001", 0, 0.0, 0, EventType.CHAT, "ann", ("ben",), "hall", (), **made)
    assert event.secrets == ("debt",)
    assert structs.replace(event, secret="debt").secrets == ("debt",)
    assert structs.replace(event, secret="will").secrets == (("will",) if "secret" in given else ("will", "debt"))


@pytest.mark.parametrize("type", EventType)
def test_dramatic_events(type: EventType) -> None:
    """Dramatic are telling, confiding, lying and quarrelling, and breaking down."""
    event = Event("e0001", 0, 0.0, 0, type, "ann", (), "hall", (), (), ())
    assert event.is_dramatic == (type.name in {"REVEAL", "CONFIDE", "LIE", "CONFLICT", "CATASTROPHE"})
