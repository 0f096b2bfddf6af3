"""A reader always knows who is there: by a heading, a word on the company, or a move that is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.drama.audience.evenings import evening, event, made_evening, told_of
from volition.drama.audience.blocks import arrange
from volition.drama.audience.comings import MOVES, describe_change, whereabouts
from volition.drama.audience.narrator import TemplateNarrator, transcript
from volition.drama.audience.prose import join_names, short_names
from volition.drama.rules.catalog import CHAT, CLOCK, PHYSICAL, SOCIAL_MOVE
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.sentences import Told
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run

SCENARIOS = ("dinner-party", "winter-station", "night-tide", "newsroom")
EVERY = [(name, seed) for name in SCENARIOS for seed in range(1, 4)]
TABLE, BALCONY, KITCHEN = "dining_table", "balcony", "kitchen"


class _Usher:
    """A narrator that writes down what a reader is told: who is in which room, and what happens in it.

    Like the built-in one it does not name people in a heading where everybody is: unless they are known to be there, it has
    to be said.
    """

    def __init__(self) -> None:
        self._room: str | None = None
        self._begun = False

    def opening(self, scenario: object) -> list[str]:
        return []

    def place(self, reader: str | None, here: str | None) -> None:
        self._room = here

    def heading(self, world: WorldState, event: Event) -> list[str]:
        inside = {agent.location for agent in world.agents.values()} - {DEPARTED}
        begun, self._begun = self._begun, True
        return self.company(world, event, ()) if len(inside) > 1 or not begun else []

    def company(self, world: WorldState, event: Event, known: Sequence[str]) -> list[str]:
        here = [agent.id for agent in world.agents.values() if agent.location == self._room]
        return [f"there {self._room} {' '.join(here)}".rstrip()]

    def tell(self, world: WorldState, event: Event) -> list[str]:
        return [f"event {self._room} {event.id}"]

    def closing(self, run: object) -> list[str]:
        return []


def _reading(run: Run) -> list[list[str]]:
    """What a reader is told, in the order of reading, as words."""
    return [line.split() for line in transcript(run, _Usher()).strip().split("\n\n")]


def _check(run: Run) -> None:
    """Read an evening, and believe only what is told; complain where somebody is there of whom that is not known."""
    events, where = {one.id: one for one in run.events}, whereabouts(run)
    believed: dict[str, str] = {}
    for kind, room, *rest in _reading(run):
        if kind == "there":
            believed = {who: place for who, place in believed.items() if place != room} | dict.fromkeys(rest, room)
            continue
        one = events[rest[0]]
        here = {who for who, place in where[one.id].items() if place == room}
        if one.type == SOCIAL_MOVE and room == one.destination:
            assert here == {who for who, place in believed.items() if place == room}, one.id
            believed[one.source] = room
            continue
        assert here == {who for who, place in believed.items() if place == room}, one.id
        if one.type != CLOCK:
            assert all(believed.get(who) == room for who in one.participants), one.id
        believed |= {delta.agent: delta.after for delta in one.deltas if delta.kind == "location"}


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_who_acts_is_known_to_be_there(name: str, seed: int) -> None:
    """Whoever is in the room of an event that is read was named before it, or was told to have come in since, and not to have gone."""
    _check(evening(name, seed))


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_nobody_is_read_of_in_two_places(name: str, seed: int) -> None:
    """What a person does or sees is read in the order in which it happened, in whichever rooms it was."""
    last: dict[str, int] = {}
    order = {one.id: number for number, one in enumerate(evening(name, seed).events)}
    for block in arrange(evening(name, seed)):
        for one in block.events:
            for who in (*one.participants, *one.witnesses) if one.type != SOCIAL_MOVE else one.participants:
                assert last.get(who, -1) < order[one.id]
                last[who] = order[one.id]


@pytest.mark.req("DE-34")
@pytest.mark.parametrize(("name", "seed"), EVERY)
def test_no_list_of_moves_is_read(name: str, seed: int) -> None:
    """No more than a few moves are read in a row, and none is read for its own sake at the end of the evening."""
    in_a_row = 0
    for block in arrange(evening(name, seed)):
        assert any(one.type != SOCIAL_MOVE for one in block.events)
        for one in block.events:
            in_a_row = in_a_row + 1 if one.type == SOCIAL_MOVE else 0
            assert in_a_row <= 2 * MOVES


def _go(who: str, room: str, destination: str) -> Event:
    return event(SOCIAL_MOVE, who, room=room, destination=destination)


def _talk(who: str, whom: str, room: str = TABLE, there: Sequence[str] = ()) -> Event:
    return event(CHAT, who, whom, room, witnesses=tuple(there))


def test_a_return_is_told_on_arrival() -> None:
    """Somebody who comes back to the table is told to come back there, after what was said while they were away."""
    run = made_evening(
        _talk("thorne", "elena"),
        _go("victor", TABLE, BALCONY),
        _talk("thorne", "elena"),
        _go("victor", BALCONY, TABLE),
        _talk("victor", "elena"),
    )
    assert [[one.id for one in block.events] for block in arrange(run)] == [["e0", "e1", "e2", "e3", "e4"]]
    _check(run)


def test_who_only_passes_is_not_told() -> None:
    """Somebody who goes and is back before anything else happens there has not gone, for a reader."""
    run = made_evening(
        _talk("thorne", "elena"), _go("victor", TABLE, BALCONY), _go("victor", BALCONY, TABLE), _talk("victor", "elena")
    )
    assert [[one.id for one in block.events] for block in arrange(run)] == [["e0", "e3"]]


def test_who_comes_into_another_room_is_named(told: Told) -> None:
    """In a room to which the reader has gone before somebody came, it is said who has come."""
    run = made_evening(
        _go("marcus", TABLE, BALCONY),
        _go("diana", TABLE, BALCONY),
        _talk("marcus", "diana", BALCONY),
        _go("victor", TABLE, BALCONY),
        _talk("victor", "diana", BALCONY, ["marcus"]),
    )
    (block,) = arrange(run)
    assert block.noted == {"e4": ("diana", "marcus")}
    told(*re.findall(r"^\*.*?\*", transcript(run), re.MULTILINE))
    _check(run)


def test_a_crowd_that_goes_is_only_counted(told: Told) -> None:
    """Where more than a few leave at once, it is said who is left instead of telling every move."""
    leavers = ("victor", "marcus", "diana", "lydia")
    run = made_evening(
        _talk("thorne", "elena"), *[_go(who, TABLE, BALCONY) for who in leavers], _talk("thorne", "elena")
    )
    (block,) = arrange(run)
    assert [one.id for one in block.events] == ["e0", "e5"]
    assert block.noted == {"e5": tuple(sorted(run.scenario.people))}
    told(*re.findall(r"^\*.*?\*", transcript(run), re.MULTILINE))


def test_who_has_gone_on_is_only_missed(told: Told) -> None:
    """Where somebody went is told only if they are still there: who has gone on from it has gone, and no more is said."""
    run = made_evening(
        _talk("thorne", "elena"),
        _go("victor", TABLE, BALCONY),
        _go("victor", BALCONY, KITCHEN),
        _talk("thorne", "elena"),
    )
    (block,) = arrange(run)
    assert [one.id for one in block.events] == ["e0", "e3"]
    told(*re.findall(r"^\*.*?\*", transcript(run), re.MULTILINE))
    _check(run)


def test_the_clock_is_read_where_its_person_is() -> None:
    """What the clock does to somebody is read in the room where they are, whichever room the record names."""
    handed = event(CLOCK, "victor", "marcus", details={"clock": "the_bag"})
    run = made_evening(_go("victor", TABLE, BALCONY), _go("marcus", TABLE, BALCONY), handed)
    assert [block.room for block in arrange(run)] == [BALCONY]


@pytest.mark.parametrize(("name", "seed"), EVERY[::3])
def test_the_built_in_narrator_names_those_who_are_there(name: str, seed: int) -> None:
    """Every heading and every word on the company names exactly those in the room; a heading does not where everybody is."""
    run, named = evening(name, seed), []
    names, where, told = short_names(run.scenario), whereabouts(run), told_of(name, seed)
    for block in arrange(run):
        for one in block.events:
            here = [who for who, place in where[one.id].items() if place == block.room]
            inside = [who for who, place in where[one.id].items() if place != DEPARTED]
            known = block.noted.get(one.id)
            came, gone = set(here) - set(known or ()), set(known or ()) - set(here)
            if known and max(len(came), len(gone)) <= MOVES:
                named.append(describe_change(sorted(came, key=here.index), sorted(gone), names) if here else "")
            elif here and (known is not None or (one.id in block.titled and len(here) < len(inside))):
                named.append(
                    f"{'With ' if len(here) > 1 else ''}{join_names(here, names)}{' alone' * (len(here) == 1)}."
                )
    assert [text for text in named if text not in told] == []


def test_a_note_stands_at_the_beginning() -> None:
    """A word on the company is told before the event, and only once."""
    world = evening().opening_state()
    narrator, one = TemplateNarrator(1), event(PHYSICAL, "thorne", manner="drink")
    assert narrator.company(world, one, ()) == []
    first, second = narrator.tell(world, one)[0], narrator.tell(world, one)[0]
    assert first.startswith("*With ")
    assert not second.startswith("*With ")
