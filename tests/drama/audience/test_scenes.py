from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.drama.audience.evenings import SCENARIOS, evening, event, viewed
from tests.drama.party import IDS, party
from volition.core.canonical import canonical
from volition.drama.audience.scenes import SHORTEST, TYPES, scene_type, scenes, segment
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFIDE, CONFLICT, REVEAL, SOCIAL_MOVE, EventType

if TYPE_CHECKING:
    from volition.drama.audience.viewing import Viewed

ROOMS = ("dining_table", "kitchen", "balcony")


def _talk(number: float, room: str = "dining_table", **fields: Any) -> Viewed:
    tension, collapse = fields.pop("tension", 0.5), fields.pop("collapse", False)
    made: dict[str, Any] = {"id": f"e{number}", "minutes": float(number), "source": "thorne", "targets": "elena"}
    made = {"type": CHAT} | made | fields
    return viewed(event(room=room, witnesses=("marcus", "lydia"), **made), tension, collapse=collapse)


def _lengths(seen: list[Viewed]) -> list[int]:
    return [len(scene.events) for scene in segment(seen, party())]


def _three_and(*later: Viewed) -> list[Viewed]:
    """Three quiet events and what comes after them."""
    return [*(_talk(number) for number in range(3)), *later]


def test_a_quiet_stretch_is_one_scene() -> None:
    """Without a change no scene ends."""
    assert _lengths([_talk(number) for number in range(9)]) == [9]


@pytest.mark.parametrize(
    "later",
    [
        [_talk(number, "balcony") for number in (3, 4, 5)],
        [_talk(number) for number in (8.5, 9, 10)],
        [_talk(number, source="victor", targets="diana") for number in (3, 4, 5)],
        [_talk(3, type=SOCIAL_MOVE), _talk(4), _talk(5)],
    ],
    ids=["another room", "a pause", "other company", "a move"],
)
def test_what_ends_a_scene(later: list[Viewed], request: pytest.FixtureRequest) -> None:
    """Another room, a pause, another company and a move each begin a scene."""
    if request.node.callspec.id == "other company":
        later = [structs.replace(one, event=structs.replace(one.event, witnesses=())) for one in later]
    assert _lengths(_three_and(*later)) == [3, 3]


def test_a_collapse_ends_a_scene() -> None:
    """The event after a collapse of irony begins a scene."""
    assert _lengths([_talk(0), _talk(1), _talk(2, collapse=True), _talk(3), _talk(4), _talk(5)]) == [3, 3]


def test_tension_that_fades_ends_a_scene() -> None:
    """Three events below 30 % of the peak of the last five end a scene; at 30 % they do not."""
    faded = [0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    assert _lengths([_talk(number, tension=value) for number, value in enumerate(faded)]) == [5, 3]
    held = [1.0, 1.0, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]
    assert _lengths([_talk(number, tension=value) for number, value in enumerate(held)]) == [8]


def test_a_room_within_hearing_is_the_same_scene() -> None:
    """A scene may continue in a room from which the first one can be overheard."""
    tables = party()
    kitchen = replace(tables.rooms["kitchen"], overhears={"dining_table": 0.3})
    tables = replace(tables, rooms={**tables.rooms, "kitchen": kitchen})
    seen = _three_and(*(_talk(number, "kitchen") for number in (3, 4, 5)))
    assert [len(scene.events) for scene in segment(seen, tables)] == [6]
    assert _lengths(seen) == [3, 3]


def test_short_pieces_join_the_scene_before() -> None:
    """A piece of fewer than three events joins the scene before it; a short first piece absorbs the next one."""
    assert _lengths(_three_and(_talk(3, "balcony"), _talk(4), _talk(5), _talk(6))) == [4, 3]
    assert _lengths([_talk(0), _talk(1, "balcony"), _talk(2, "balcony"), _talk(3, "balcony")]) == [4]


streams = st.lists(
    st.tuples(
        st.sampled_from([CHAT, CHAT, SOCIAL_MOVE, CONFLICT, CONFIDE, REVEAL, CATASTROPHE]),
        st.sampled_from(IDS),
        st.sampled_from(ROOMS),
        st.sampled_from([0.5, 1.0, 6.0]),
        st.sampled_from([0.05, 0.2, 0.7]),
        st.booleans(),
    ),
    max_size=30,
)


@given(streams)
def test_scenes_part_a_run(stream: list[tuple[EventType, str, str, float, float, bool]]) -> None:
    """Every event is in exactly one scene, in order, and only a run that is too short has a scene that is too short."""
    seen, minutes = [], 0.0
    for number, (type, source, room, gap, tension, falls) in enumerate(stream):
        minutes += gap
        happened = event(type, source, room=room, id=f"e{number}", minutes=minutes)
        seen.append(viewed(happened, tension, collapse=falls))
    found = segment(seen, party())
    assert [id for scene in found for id in scene.events] == [one.event.id for one in seen]
    assert all(len(scene.events) >= min(SHORTEST, len(seen)) for scene in found)
    assert all(scene.type in TYPES for scene in found)


def test_types() -> None:
    """A scene has the first type that applies."""
    calm, tense = _talk(0), _talk(1, tension=0.61)
    truth, clash, broken = _talk(2, type=REVEAL), _talk(3, type=CONFLICT), _talk(4, type=CATASTROPHE)
    fallen, trust = _talk(5, type=REVEAL, collapse=True), _talk(6, type=CONFIDE)
    assert scene_type([calm]) == scene_type([calm, truth]) == "maintenance"
    assert scene_type([calm, tense]) == "escalation"
    assert scene_type([tense, trust]) == "bonding"
    assert scene_type([trust, fallen]) == "revelation"
    assert scene_type([fallen, clash]) == "confrontation"
    assert scene_type([clash, broken]) == "catastrophe"


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenes_of_a_run(name: str) -> None:
    """The scenes of a played evening cover all of it, in order of time, and can be written as data."""
    found = scenes(evening(name))
    assert [id for scene in found for id in scene.events] == [happened.id for happened in evening(name).events]
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert len(found) > 3
    assert canonical([scene.to_data() for scene in found])
