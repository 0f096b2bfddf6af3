"""How a reader learns who is where: which moves are told between the events of a block, and where it is said who is there.

The reader believes that people are where they were last read of. Before every event that is read, this is put right for the
room that it is read in: by telling who has gone and who has come back since the last event there, or in a word on who is
there now. Who comes and goes again between two such events is not told at all, so no list of moves is ever read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from volition.drama.audience.prose import join_names
from volition.drama.rules.catalog import CLOCK, SOCIAL_MOVE
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.drama.stage.events import Delta, Event
    from volition.drama.stage.record import Run

    Whereabouts = Mapping[str, str]

MOVES: Final = 2
"""The most moves that are told in a row, and the most people whose coming or going is noted; else it is said who is there."""


class RoomBlock(Struct):
    """What is read in one room before the reader goes on.

    `titled` are the events that a heading stands before. `noted` are those before which it must be said who is there, with
    those whom the reader has left there; nobody, where the reader has just come.
    """

    room: str
    events: list[Event]
    titled: set[str]
    noted: dict[str, tuple[str, ...]]


def whereabouts(run: Run) -> dict[str, Whereabouts]:
    """Where everybody is before every event."""
    places = {agent.id: agent.location for agent in run.opening_state().agents.values()}
    where: dict[str, Whereabouts] = {}
    for record in run.ticks:
        places |= _places_after(record.before)
        for event in record.events:
            where[event.id] = dict(places)
            places |= _places_after(event.deltas)
        places |= _places_after(record.after)
    return where


def _places_after(deltas: Iterable[Delta]) -> dict[str, str]:
    return {delta.agent: delta.after for delta in deltas if delta.kind == "location"}


def place_by_clock(event: Event, where: Whereabouts) -> Event:
    """An event of the clock in the room of the person it happens to, unless they come or go by it; any other as it is."""
    room = where[event.source]
    if event.type != CLOCK or room in (event.room, DEPARTED) or event.source in _places_after(event.deltas):
        return event
    there = tuple(who for who, place in where.items() if place == room and who not in event.participants)
    return structs.replace(event, room=room, witnesses=there)


def tell_comings(run: Run, blocks: Sequence[RoomBlock], where: Mapping[str, Whereabouts]) -> None:
    """Put the moves that are told into blocks that have none, and note where it must be said who is there."""
    reader = _Reader(run, where)
    for number, block in enumerate(blocks):
        reader.read(block, blocks[number + 1] if number + 1 < len(blocks) else None)


def describe_change(came: Sequence[str], gone: Sequence[str], names: Mapping[str, str]) -> str:
    """Who is in a room now that was not, and who no longer is.

    >>> describe_change(["a"], ["b", "c"], {"a": "Ann", "b": "Ben", "c": "Cal"})
    'Ann is here now. Ben and Cal have gone.'
    """
    words = []
    if came:
        words.append(f"{join_names(came, names)} {'is' if len(came) == 1 else 'are'} here now.")
    if gone:
        words.append(f"{join_names(gone, names)} {'has' if len(gone) == 1 else 'have'} gone.")
    return " ".join(words)


class _Reader:
    """Where a reader believes everybody is, while blocks are being read."""

    def __init__(self, run: Run, where: Mapping[str, Whereabouts]) -> None:
        self._main, self._where = run.scenario.evening.gathering, where
        self._believed: dict[str, str | None] = {}
        self._order = {event.id: number for number, event in enumerate(run.events)}
        self._moves = [event for event in run.events if event.type == SOCIAL_MOVE]
        self._last: dict[str, int] = {}
        self._room: str | None = None

    def read(self, block: RoomBlock, then: RoomBlock | None) -> None:
        """Read a block, with the moves that belong to it, and with those who go on to the next one."""
        ordered: list[Event] = []
        for number, event in enumerate(block.events):
            if event.id not in block.titled:
                for move in self._moves_before(event, is_first=number == 0):
                    ordered.append(move)
                    self._take_in(move, block)
            ordered.append(event)
            self._take_in(event, block)
        if then is not None:
            for move in self._moves_after(block, then):
                ordered.append(move)
                self._take_in(move, block)
        block.events = ordered

    def _take_in(self, event: Event, block: RoomBlock) -> None:
        """Read one event: before it the reader knows who is in its room, after it who has come and gone."""
        here, known = self._here(event, block.room), self._believed_in(block.room)
        if here != known and self._believed:
            block.noted[event.id] = tuple(sorted(known)) if self._room == block.room else ()
        self._believed |= dict.fromkeys(self._believed_in(block.room))
        self._believed |= dict.fromkeys(here, block.room)
        self._believed |= _places_after(event.deltas)
        self._last[block.room] = self._order[event.id]
        self._room = block.room

    def _here(self, event: Event, room: str) -> set[str]:
        return {who for who, place in self._where[event.id].items() if place == room}

    def _believed_in(self, room: str) -> set[str]:
        return {who for who, place in self._believed.items() if place == room}

    def _moves_before(self, event: Event, *, is_first: bool) -> list[Event]:
        """The moves that explain who is there now: those who came back to the main room, and those who went meanwhile.

        A return is told on arrival only: where it is read before, what happens there until then would be read after it.
        """
        room, here = event.room, self._here(event, event.room)
        since = self._since(room, self._order[event.id])
        came, gone = here - self._believed_in(room), self._believed_in(room) - here
        moves = [
            move
            for move in since
            if (move.source in gone and move.room == room and self._stays(move, event) and not is_first)
            or (move.source in came and move.destination == room == self._main)
        ]
        last = {(move.source, move.destination == room): move for move in moves}
        explained = [move for move in moves if last[move.source, move.destination == room] is move]
        untold = (came | gone) - {move.source for move in explained}
        return [] if len(explained) > MOVES or (is_first and untold) else explained

    def _stays(self, move: Event, until: Event) -> bool:
        """Whether who made a move is still where they went, and that is not the main room: who has gone on is only missed."""
        return move.destination != self._main and self._where[until.id][move.source] == move.destination

    def _moves_after(self, block: RoomBlock, then: RoomBlock) -> list[Event]:
        """Those who go from a block straight to where the next one is read, unless they come back to the main room."""
        if then.room == self._main:
            return []
        first = then.events[0]
        here = self._here(first, then.room) & self._believed_in(block.room)
        since = self._since(block.room, self._order[first.id])
        moves = [m for m in since if m.source in here and m.room == block.room and m.destination == then.room]
        last = {move.source: move for move in moves}
        return list(last.values()) if len(last) <= MOVES else []

    def _since(self, room: str, until: int) -> list[Event]:
        """The moves after what was last read in a room, and before an event."""
        after = self._last.get(room, -1)
        return [move for move in self._moves if after < self._order[move.id] < until]
