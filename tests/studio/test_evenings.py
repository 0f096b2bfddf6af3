"""An evening on a page is the evening that was recorded."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.conftest import RUN
from volition.drama import play, scenario
from volition.drama.audience.deeds import describe_act, describe_deed
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from tests.studio.served import Served
    from volition.drama import Evening


@pytest.fixture(scope="module")
def shown(served: Served) -> Any:
    return served.get(f"/runs/{RUN}")


@pytest.fixture(scope="module")
def ticks(served: Served) -> Any:
    return served.get(f"/runs/{RUN}/ticks")


def test_every_state_is_the_recorded_one(evening: Evening, ticks: Any) -> None:
    """Rooms, pacing and beliefs of every tick are those rebuilt from the log."""
    assert [tick["tick"] for tick in ticks] == list(range(evening.first, evening.last + 1))
    for tick in ticks[::7]:
        world = evening.state(tick["tick"])
        assert tick["minutes"] == world.minutes
        for who, me in world.agents.items():
            now = tick["people"][who]
            assert now["room"] == me.location
            assert now["pacing"]["stress"] == me.pacing.stress
            assert tick["beliefs"][who] == {secret: held.name.lower() for secret, held in me.beliefs.items()}


def test_choices_are_the_recorded_ones(evening: Evening, ticks: Any) -> None:
    """Everybody's choice is in the tick in which it was made; the state at the end has none."""
    for record, tick in zip(evening.run.ticks, ticks[:-1], strict=True):
        chosen = {who: now["choice"]["id"] for who, now in tick["people"].items() if now["choice"]}
        assert chosen == {who: choice.id for who, choice in record.choices.items()}
        assert tick["events"] == [event.id for event in record.events]
    assert not any(now["choice"] for now in ticks[-1]["people"].values())


def test_one_tick_has_bonds_too(served: Served, evening: Evening, ticks: Any) -> None:
    """A single tick is the one in the list, with bonds."""
    one = served.get(f"/runs/{RUN}/ticks/25")
    bond = evening.state(25).agents["victor"].bonds["marcus"]
    assert one["bonds"]["victor"]["marcus"]["trust"] == bond.trust
    assert {**one, "bonds": None} == ticks[25]


def test_people_are_drawn_inside_of_their_rooms(shown: Any, ticks: Any) -> None:
    """No two people share a place, and everybody is inside the walls; those who left are outside."""
    rooms = {room["id"]: room for room in shown["plan"]["rooms"]}
    for tick in ticks:
        places = [tuple(now["at"]) for now in tick["people"].values()]
        assert len(set(places)) == len(places)
        for now in tick["people"].values():
            if now["room"] == DEPARTED:
                assert now["at"] in shown["plan"]["outside"]
                continue
            room, (x, y) = rooms[now["room"]], now["at"]
            assert room["x"] < x < room["x"] + room["width"]
            assert room["y"] < y < room["y"] + room["height"]


def test_who_stays_keeps_the_place(ticks: Any) -> None:
    """Somebody who does not change rooms keeps their place."""
    for one, two in pairwise(ticks):
        for who, now in one["people"].items():
            if two["people"][who]["room"] == now["room"]:
                assert two["people"][who]["at"] == now["at"]


def test_threads_cover_the_evening(evening: Evening, shown: Any, ticks: Any) -> None:
    """Everybody is in exactly one room at every tick of their thread."""
    for who, stays in shown["threads"].items():
        assert stays[0]["first"] == evening.first
        assert all(one["until"] == two["first"] and one["room"] != two["room"] for one, two in pairwise(stays))
        assert stays[-1]["until"] == evening.last
        for stay in stays:
            assert all(ticks[n]["people"][who]["room"] == stay["room"] for n in range(stay["first"], stay["until"]))


def test_events_are_told_with_causes_both_ways(evening: Evening, shown: Any) -> None:
    """Every event has a text, and its effects are the events that name it as a cause; secrets and drama are the evening's own."""
    events = {event["id"]: event for event in shown["events"]}
    assert list(events) == [event.id for event in evening.events]
    for event in events.values():
        assert event["text"]
        assert all(event["id"] in events[cause]["effects"] for cause in event["causes"])
        assert all(event["id"] in events[effect]["causes"] for effect in event["effects"])
    for event in evening.events:
        told = events[event.id]
        assert (told["secrets"], told["dramatic"]) == (list(event.secrets), event.is_dramatic)


def test_the_audience_weighs_by_genre(served: Served, evening: Evening) -> None:
    """Components do not depend on the genre and tension does; every event is in exactly one scene."""
    views = {genre: served.get(f"/runs/{RUN}/audience", params={"genre": genre}) for genre in ("default", "thriller")}
    one, two = views["default"], views["thriller"]
    assert [m["components"] for m in one["moments"]] == [m["components"] for m in two["moments"]]
    for audience in (one, two):
        assert all(sum(m["shares"]) == pytest.approx(m["tension"]) for m in audience["moments"])
    assert [m["tension"] for m in one["moments"]] != [m["tension"] for m in two["moments"]]
    for view in views.values():
        in_scenes = [event for scene in view["scenes"] for event in scene["events"]]
        assert in_scenes == [event.id for event in evening.events]
    status, problem = served.refusal("GET", f"/runs/{RUN}/audience?genre=westerm")
    assert (status, problem["where"]) == (400, "genre")


def test_an_unknown_tick_is_refused(served: Served) -> None:
    """Ticks outside the evening are refused, however large."""
    for number in (-1, 61, 10**30):
        status, _ = served.refusal("GET", f"/runs/{RUN}/ticks/{number}")
        assert status in {400, 404}


def test_what_is_asked_again_is_made_once(served: Served) -> None:
    """A loaded evening and its shapes are cached, and the cache is bounded."""
    shown = served.studio.evening(RUN)
    assert served.studio.evening(RUN) is shown
    assert shown.shape_json is shown.shape_json
    assert shown.decision(3, "victor") is shown.decision(3, "victor")
    assert len(served.studio._evenings) <= 8


def test_everything_has_words(evening: Evening, shown: Any, ticks: Any) -> None:
    """Choices, events and the ending come with words: acts as `volition explain` has them, deeds, and lines that are said."""
    for tick in ticks[:-1:9]:
        for who, now in tick["people"].items():
            if now["choice"]:
                assert now["choice"]["words"] == describe_act(evening.scenario, who, now["choice"]["id"])
    told = evening.transcript()
    for event, happened in zip(shown["events"], evening.events, strict=True):
        assert event["deed"] == describe_deed(evening.scenario, happened)
        assert all(line["words"].rstrip(".") in event["text"] for line in event["spoken"])
    assert any(event["spoken"] for event in shown["events"])
    assert all(line in told for part in shown["closing"] for line in part["lines"])


def test_an_evening_is_compared_with_another(served: Served, evening: Evening) -> None:
    """A run is the same as itself, and another scenario's is refused."""
    assert served.get(f"/runs/{RUN}/comparison?other={RUN}")["parted"] is None
    play(scenario("winter-station"), 1, ticks=2).save(served.studio.store.folder / "volition-runs" / "elsewhere-1")
    status, problem = served.refusal("GET", f"/runs/{RUN}/comparison?other=elsewhere-1")
    assert (status, problem["where"]) == (400, "other")
