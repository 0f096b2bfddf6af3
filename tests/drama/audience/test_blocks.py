"""The order in which an evening is read: blocks by room, few cuts, and nothing before its cause."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.drama.audience.evenings import evening, event, made_evening
from volition.drama.audience.blocks import (
    CUTS,
    GESTURES,
    QUARTER,
    TOWARDS,
    arrange,
    cut_minutes,
    is_idle,
    is_quiet,
    is_small,
    most_cuts,
)
from volition.drama.audience.narrator import transcript
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CLOCK, CONFLICT, OBSERVE, PHYSICAL, SOCIAL_MOVE
from volition.drama.stage.events import Delta
from volition.drama.stage.interference import Interference
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.audience.comings import RoomBlock
    from volition.drama.stage.record import Run

SCENARIOS = ("dinner-party", "winter-station", "night-tide", "newsroom")
SEEDS = range(1, 4)
EVERY = [(name, seed) for name in SCENARIOS for seed in SEEDS]
TABLE, BALCONY, KITCHEN = "dining_table", "balcony", "kitchen"


def _read(run: Run) -> list[tuple[str, list[str]]]:
    return [(block.room, [one.id for one in block.events]) for block in arrange(run)]


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_there_are_few_cuts(name: str, seed: int) -> None:
    """In any ten minutes of any evening the reader changes rooms at most six times."""
    assert most_cuts(cut_minutes(arrange(evening(name, seed)))) <= CUTS


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_the_clock_does_not_go_far_back(name: str, seed: int) -> None:
    """Where the reader goes to another room, what is read there began at most a quarter of an hour before."""
    blocks = arrange(evening(name, seed))
    assert all(one.events[-1].minutes - then.events[0].minutes <= QUARTER for one, then in pairwise(blocks))


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_all_that_is_dramatic_is_read_once(name: str, seed: int) -> None:
    """Every dramatic event is read exactly once; what is left out is small, a gesture too many, or idle talk."""
    run = evening(name, seed)
    read = Counter(one.id for block in arrange(run) for one in block.events)
    assert set(read.values()) == {1}
    for one in run.events:
        if one.id not in read:
            assert not one.is_dramatic
            assert is_small(one) or is_idle(one) or one.manner in GESTURES


@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_nothing_is_read_before_its_cause(name: str, seed: int) -> None:
    """Causes, what was overheard, and what the same people did before come first; only a return waits to be told on arrival."""
    blocks = arrange(evening(name, seed))
    order = {one.id: place for place, one in enumerate(one for block in blocks for one in block.events)}
    main = evening(name, seed).scenario.evening.gathering
    returns = {one.id for one in evening(name, seed).events if one.type == SOCIAL_MOVE and one.destination == main}
    last: dict[str, int] = {}
    for one in evening(name, seed).events:
        if one.id not in order:
            continue
        for cause in (*one.causes, one.details.get("heard", "")):
            assert cause in returns or order.get(cause, -1) < order[one.id]
        for who in one.participants:
            assert last.get(who, -1) < order[one.id]
            last[who] = order[one.id]


@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_everything_is_read_in_its_room(name: str, seed: int) -> None:
    """A move is read where it leaves from, and a return to the main room on arrival; all else where it happens.

    What the clock does to somebody is read where they are.
    """
    run = evening(name, seed)
    main = run.scenario.evening.gathering
    for block in arrange(run):
        for one in block.events:
            is_return = one.type == SOCIAL_MOVE and one.destination == main
            assert block.room == (main if is_return else one.room)


def test_other_rooms_are_told_in_blocks() -> None:
    """What alternates between two rooms is read room by room, and the reader begins in the main one."""
    table, balcony = event(CHAT, "thorne", "elena"), event(CHAT, "victor", "marcus", BALCONY)
    run = made_evening(balcony, table, balcony, table, balcony, table)
    assert _read(run) == [(TABLE, ["e1", "e3", "e5"]), (BALCONY, ["e0", "e2", "e4"])]


def test_what_is_overheard_waits_for_what_was_said() -> None:
    """A room waits for the one from which it hears something."""
    said, heard = event(CHAT, "victor", "marcus", BALCONY), event(OBSERVE, "thorne", details={"heard": "e1"})
    run = made_evening(event(CHAT, "thorne", "elena"), said, heard, event(CHAT, "thorne", "elena"))
    assert _read(run) == [(TABLE, ["e0"]), (BALCONY, ["e1"]), (TABLE, ["e2", "e3"])]


def test_nobody_is_met_before_they_have_come() -> None:
    """A room waits for what those in it have done elsewhere before, even if they only listen now."""
    run = made_evening(
        event(SOCIAL_MOVE, "victor", destination=BALCONY),
        event(CONFLICT, "victor", "marcus", BALCONY),
        event(SOCIAL_MOVE, "victor", room=BALCONY, destination=TABLE),
        event(CHAT, "thorne", "elena", witnesses=("victor",)),
    )
    assert _read(run) == [(BALCONY, ["e1"]), (TABLE, ["e3"])]


def test_quiet_and_alone_is_left_out() -> None:
    """A room is shown once for the sake of somebody who is alone there, and then only for something that matters."""
    air, talk = event(PHYSICAL, "lydia", "", BALCONY, manner="air"), event(CHAT, "thorne", "elena")
    quarrel = event(CONFLICT, "lydia", "victor", BALCONY)
    run = made_evening(air, *[talk] * 20, air, *[talk] * 20, quarrel)
    assert [len(ids) for room, ids in _read(run) if room == BALCONY] == [1, 1]
    assert [ids for room, ids in _read(run) if room == BALCONY][-1] == ["e42"]
    assert all(map(is_quiet, (air, event(SOCIAL_MOVE, "lydia", room=BALCONY, destination=KITCHEN))))
    assert not any(map(is_quiet, (talk, quarrel, event(PHYSICAL, "thorne", manner="leave"))))


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_gestures_do_not_pile_up(name: str, seed: int) -> None:
    """No gesture towards the same person is told more than twice in a quarter of an hour."""
    _check_gestures(arrange(evening(name, seed)))


def _check_gestures(blocks: list[RoomBlock]) -> None:
    times: dict[tuple[object, str], list[float]] = {}
    for block in blocks:
        for one in block.events:
            if one.type == PHYSICAL and one.manner in GESTURES:
                times.setdefault((one.manner, (*one.targets, one.source)[0]), []).append(one.minutes)
    for minutes in map(sorted, times.values()):
        assert all(later - first >= QUARTER for first, later in zip(minutes, minutes[TOWARDS:], strict=False))


@pytest.mark.req("DE-34")
def test_a_third_gesture_is_left_out() -> None:
    """Of four gestures towards one person within a few minutes two are told; towards another, they are told as well."""
    shuns = [event(PHYSICAL, who, "elena", manner="shun") for who in ("thorne", "victor", "diana", "lydia")]
    run = made_evening(*shuns, event(PHYSICAL, "thorne", "victor", manner="shun"))
    assert _read(run) == [(TABLE, ["e0", "e1", "e4"])]
    _check_gestures(arrange(run))


def test_one_lonely_drink_is_enough() -> None:
    """Who drinks or pours alone is told to do so once in a quarter of an hour; in company it is told twice."""
    alone = [event(PHYSICAL, "lydia", "", BALCONY, manner=manner) for manner in ("drink", "pour", "drink")]
    run = made_evening(event(CONFLICT, "lydia", "victor", BALCONY), *alone)
    assert _read(run) == [(BALCONY, ["e0", "e1"])]
    seen = event(PHYSICAL, "lydia", "", BALCONY, manner="drink", witnesses=("victor",))
    assert _read(made_evening(event(CONFLICT, "lydia", "victor", BALCONY), *[seen] * 3)) == [
        (BALCONY, ["e0", "e1", "e2"])
    ]


@pytest.mark.req("DE-34")
def test_idle_talk_is_thinned_until_something_is_at_stake() -> None:
    """Of idle talk two are read in three minutes; questions and peace always, and after the first truth all of it."""
    idle, asks = (
        event(CHAT, "thorne", "elena"),
        event(CHAT, "victor", "elena", details={"question": "secret_affair_01"}),
    )
    assert _read(made_evening(*[idle] * 6)) == [(TABLE, ["e0", "e1", "e3", "e4"])]
    assert _read(made_evening(idle, idle, asks, idle)) == [(TABLE, ["e0", "e1", "e2", "e3"])]
    burst = event(CATASTROPHE, "elena", "thorne")
    assert _read(made_evening(burst, *[idle] * 4)) == [(TABLE, ["e0", "e1", "e2", "e3", "e4"])]
    assert not is_idle(event(CHAT, "thorne", "elena", details={"reconciled": True}))


def test_a_departure_by_the_clock_is_read_at_its_minute() -> None:
    """What happens elsewhere after the clock has taken somebody away is read after it, and what happens before before."""
    table, balcony = event(CONFLICT, "thorne", "elena"), event(CONFLICT, "victor", "marcus", BALCONY)
    gone = (Delta("location", "lydia", None, TABLE, DEPARTED, "made by hand"),)
    cab = event(CLOCK, "lydia", details={"clock": "cab"}, deltas=gone)
    run = made_evening(table, balcony, cab, table, balcony)
    assert _read(run) == [(TABLE, ["e0"]), (BALCONY, ["e1"]), (TABLE, ["e2", "e3"]), (BALCONY, ["e4"])]


def test_a_change_by_hand_is_read_where_it_wasmade_evening() -> None:
    """No event is read across a moment at which something was changed by hand, in either direction."""
    table, balcony = event(CHAT, "thorne", "elena"), event(CHAT, "victor", "marcus", BALCONY)
    run = made_evening(balcony, table, balcony, table)
    run = replace(run, interference=(Interference(2, "veto", "thorne", "chat:elena"),))
    assert _read(run) == [(TABLE, ["e1"]), (BALCONY, ["e0", "e2"]), (TABLE, ["e3"])]


def test_every_cut_is_announced() -> None:
    """The paragraph before which the reader changes rooms begins with a link, or a heading stands before it."""
    run = evening("winter-station", 3)
    paragraphs, place = transcript(run).split("\n\n"), {}
    for block in arrange(run):
        first = block.events[0]
        place[first.id] = block.room
    announced = [
        text for text in paragraphs if text.startswith("## ") or (text.startswith("*") and not text.endswith("*"))
    ]
    assert len(announced) >= len(place)
