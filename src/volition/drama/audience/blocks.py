"""The order in which an evening is read: events in blocks by room, so that a reader is not sent back and forth.

Events happen in several rooms at once. They are composed in the order in which they happen, and read in another one: what
happens in a room within a few minutes is told together, then the reader goes to the next room. Where the clock takes people
away for good, it is read at its minute, if that does not cost too many cuts. An event is never read
before what caused it, or before anything else at which one of the people in its room was there earlier: so nobody is read
of in two places at once. How people come and go is told between these events (`comings`).

What is read is chosen too: a quiet act of somebody alone is left out where nothing else happens, and so is a third gesture
towards the same person within a quarter of an hour. Of idle talk only some is read until something is at stake. Dramatic acts are always told, once.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise, product
from math import inf
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.drama.audience.chronicle import stated_in
from volition.drama.audience.comings import RoomBlock, place_by_clock, tell_comings, whereabouts
from volition.drama.audience.prose import clock
from volition.drama.rules.catalog import (
    BREAK_WITH,
    CATASTROPHE,
    CHAT,
    CLOCK,
    COMFORT,
    DRINK,
    FORGIVE,
    LEAVE,
    OBSERVE,
    PHYSICAL,
    POUR,
    SHUN,
    SLAM,
    SOCIAL_MOVE,
)
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from volition.drama.audience.comings import Whereabouts
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run

CUTS: Final = 6
SPAN: Final = 10.0
"""The most times that the reader changes rooms in so many minutes of an evening."""
AHEAD: Final = (5.0, 8.0, 12.0)
"""So many minutes a room is told ahead of the others: more, where the reader has recently changed rooms often."""
REMEMBERED: Final = 30.0
"""A room that was told so many minutes ago is not shown again for the sake of somebody who is quiet and alone there."""
SCENE: Final = 3
"""From so many events on a block has a heading, if the last one was given long enough ago."""
SINCE: Final = 6.0
"""So many minutes lie between two headings, if there are no more than a few events to tell."""
LONG: Final = 20.0
"""A block in one room gets another heading after so many minutes."""
GESTURES: Final = frozenset({SHUN, COMFORT, SLAM, DRINK})
TOWARDS: Final = 2
QUARTER: Final = 15.0
"""The most gestures of a kind towards the same person that are told in so many minutes."""


IDLE: Final = 2
WHILE: Final = 3.0
"""The most idle talks of a room that are told in so many minutes, as long as nothing is at stake."""
_IDLE: Final = frozenset({"stance"})
"""What the details of idle talk may say."""
_TOLD: Final = frozenset({LEAVE, FORGIVE, BREAK_WITH})
"""What is done with one's hands and is never left out."""


class ReadingPace(Struct, frozen=True):
    """How an evening is cut: how far rooms are told ahead, and when quiet rooms are shown.

    After `remembered` minutes a quiet room is shown again; never, not even once, if that is infinite. With `small` a block
    of small acts is left out even where the people in it have company.
    """

    ahead: tuple[float, ...] = AHEAD
    remembered: float = REMEMBERED
    small: bool = False


PACES: Final = (
    ReadingPace(),
    ReadingPace(ahead=(8.0, 12.0), remembered=60.0),
    ReadingPace(ahead=(12.0,), remembered=inf),
    ReadingPace(ahead=(12.0,), remembered=inf, small=True),
    ReadingPace(ahead=(12.0, 20.0), remembered=inf, small=True),
    ReadingPace(ahead=(20.0, 30.0), remembered=inf, small=True),
    ReadingPace(ahead=(30.0, 45.0), remembered=inf, small=True),
)
"""From the liveliest to the calmest: an evening is told at the first one at which there are not too many cuts."""


def arrange(run: Run) -> list[RoomBlock]:
    """The blocks of a run, in the order in which they are read; what was changed by hand is read between two of them."""
    where = whereabouts(run)
    calm = next((event.minutes for event in run.events if _breaks_calm(event)), inf)
    changes, farewells = {change.at for change in run.interference}, _farewells(run)
    for breaks, pace in product((changes | farewells, changes) if farewells else (changes,), PACES):
        reading = _Reading(run.scenario.evening.gathering, pace, calm)
        for part in _parts(run, where, sorted(breaks)):
            reading.read(part)
        _set_titles(reading.blocks)
        tell_comings(run, reading.blocks, where)
        if most_cuts(cut_minutes(reading.blocks)) <= CUTS:
            break
    return reading.blocks


def _breaks_calm(event: Event) -> bool:
    """Whether an event is the first of an evening at which something is at stake: an outburst, or a truth."""
    return event.type == CATASTROPHE or bool(stated_in(event))


def _farewells(run: Run) -> set[int]:
    """The ticks before and after which everything is read that happens before or after somebody leaves by the clock."""
    left = {event.tick for event in run.events if event.type == CLOCK and _leaves(event)}
    return left | {tick + 1 for tick in left}


def _leaves(event: Event) -> bool:
    return any(delta.kind == "location" and delta.after == DEPARTED for delta in event.deltas)


def _parts(run: Run, where: Mapping[str, Whereabouts], breaks: Sequence[int]) -> list[list[Event]]:
    """What happens in a run besides comings and goings, cut before some ticks."""
    parts: list[list[Event]] = [[] for _ in range(len(breaks) + 1)]
    for event in run.events:
        if event.type != SOCIAL_MOVE:
            parts[bisect_right(breaks, event.tick)].append(place_by_clock(event, where[event.id]))
    return parts


def cut_minutes(blocks: Sequence[RoomBlock]) -> list[float]:
    """When the reader changes rooms, by the minute of what is told next."""
    return [after.events[0].minutes for before, after in pairwise(blocks) if before.room != after.room]


def most_cuts(minutes: Iterable[float]) -> int:
    """The most cuts in any span of ten minutes."""
    times = sorted(minutes)
    return max((sum(start <= time < start + SPAN for time in times) for start in times), default=0)


def is_small(event: Event) -> bool:
    """Whether an event changes nothing that a reader must know: a move, a look that finds nothing, something in one's hands."""
    if event.is_dramatic:
        return False
    if event.type == OBSERVE:
        return "heard" not in event.details and "found" not in event.details
    return event.type == SOCIAL_MOVE or (event.type == PHYSICAL and event.manner not in _TOLD)


def is_idle(event: Event) -> bool:
    """Whether an event is talk that comes from nothing and leads to nothing: no question, no topic, no peace, no side taken."""
    return event.type == CHAT and event.details.keys() <= _IDLE


def is_quiet(event: Event) -> bool:
    """Whether an event is small, and of somebody who is alone."""
    return not event.targets and not event.witnesses and is_small(event)


class _Reading:
    """A reader on the way through an evening."""

    def __init__(self, gathering: str, pace: ReadingPace, calm: float) -> None:
        self.blocks: list[RoomBlock] = []
        self._gathering, self._pace, self._calm = gathering, pace, calm
        self._talks: dict[str, list[float]] = {}
        self._seen: dict[str, float] = {}
        self._done: set[str] = set()
        self._gestures: dict[tuple[str | None, str], list[float]] = {}

    def read(self, events: Sequence[Event]) -> None:
        """Read some events: all of them before any later one."""
        needs = _needs(events)
        queues = {room: [event for event in events if event.room == room] for room in _all_rooms(events)}
        left = list(events)
        while left := [event for event in left if event.id not in self._done]:
            until = left[0].minutes + self._ahead(left[0].minutes)
            here = self.blocks[-1].room if self.blocks else self._gathering
            block = _block(queues.get(here, ()), until, self._done, needs)
            if not block:
                here = left[0].room
                block = _block(queues[here], until, self._done, needs)
                if self._is_forgotten(here, block):
                    self._done.update(event.id for event in block)
                    continue
            self._tell(here, block)

    def _ahead(self, now: float) -> float:
        """How far a room is told ahead: farther the more often the reader has changed rooms."""
        recent = sum(abs(minute - now) < SPAN for minute in cut_minutes(self.blocks))
        return self._pace.ahead[max(0, min(len(self._pace.ahead) - 1, recent - 2))]

    def _is_forgotten(self, room: str, block: Sequence[Event]) -> bool:
        """Whether a block can be left out: it is quiet, and was seen not long ago."""
        seen, until = self._seen.get(room), self._pace.remembered
        if self._pace.small:
            return all(map(is_small, block))
        if room == self._gathering:
            return False
        return all(map(is_quiet, block)) and (until == inf if seen is None else block[0].minutes - seen < until)

    def _tell(self, room: str, block: Sequence[Event]) -> None:
        self._done.update(event.id for event in block)
        kept = [event for event in block if not self._is_too_much(event) and not self._is_chatter(event)]
        if not kept:
            return
        if not self.blocks or self.blocks[-1].room != room:
            self.blocks.append(RoomBlock(room, [], set(), {}))
        self.blocks[-1].events.extend(kept)
        self._seen[room] = kept[-1].minutes

    def _is_chatter(self, event: Event) -> bool:
        """Whether an event is idle talk, in an evening at which nothing is at stake yet, and there was enough of it here."""
        if not is_idle(event) or event.minutes >= self._calm:
            return False
        times = self._talks.setdefault(event.room, [])
        if sum(abs(event.minutes - minutes) < WHILE for minutes in times) >= IDLE:
            return True
        times.append(event.minutes)
        return False

    def _is_too_much(self, event: Event) -> bool:
        """Whether an event is a gesture that was told twice, not long ago, towards the same person, or a second lonely drink."""
        alone = event.manner in (DRINK, POUR) and is_quiet(event)
        if event.type != PHYSICAL or not (alone or event.manner in GESTURES):
            return False
        whom = event.targets[0] if event.targets else event.source
        times = self._gestures.setdefault((DRINK if alone else event.manner, whom), [])
        if sum(abs(event.minutes - minutes) < QUARTER for minutes in times) >= (1 if alone else TOWARDS):
            return True
        times.append(event.minutes)
        return False


def _needs(events: Sequence[Event]) -> dict[str, set[str]]:
    """For every event those that are read before it: its causes, and the last thing at which each of those here was there."""
    needs: dict[str, set[str]] = {}
    last: dict[str, str] = {}
    ids = {event.id for event in events}
    for event in events:
        there = {*event.participants, *event.witnesses}
        heard = event.details.get("heard")
        before = {last[who] for who in there if who in last} | {*event.causes, *((heard,) if heard else ())}
        needs[event.id] = before & ids
        last.update(dict.fromkeys(there, event.id))
    return needs


def _block(queue: Sequence[Event], until: float, done: Container[str], needs: dict[str, set[str]]) -> list[Event]:
    """What can be read in a room now: its next events up to a minute, as long as nothing from elsewhere must come first."""
    block: list[Event] = []
    now: set[str] = set()
    for event in queue:
        if event.id in done:
            continue
        if event.minutes > until or any(id not in done and id not in now for id in needs[event.id]):
            break
        block.append(event)
        now.add(event.id)
    return block


def _all_rooms(events: Iterable[Event]) -> list[str]:
    return list(dict.fromkeys(event.room for event in events))


def _set_titles(blocks: Sequence[RoomBlock]) -> None:
    """Give headings to blocks that are scenes, and within a block that goes on for long; no two alike in a row."""
    last: float | None = None
    label: tuple[str, str] | None = None
    for block in blocks:
        start = block.events[0]
        if last is None or (len(block.events) >= SCENE and abs(start.minutes - last) >= SINCE):
            if label != (block.room, clock(start.minutes)):
                block.titled.add(start.id)
            last, label = start.minutes, (block.room, clock(start.minutes))
        for event in block.events[SCENE:]:
            if event.minutes - max(last, start.minutes) >= LONG:
                block.titled.add(event.id)
                last, label = event.minutes, (block.room, clock(event.minutes))
