"""A run in numbers: what happened, when drama began, who broke, who learned what, and how it ended."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from volition.core.typed import DataStruct
from volition.drama.audience.tension import Halves, halves, minutes_of, tension
from volition.drama.rules.catalog import CATASTROPHE, CONFLICT, OBSERVE, SOCIAL_MOVE, Belief, EventType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.drama.stage.events import Ending, Event
    from volition.drama.stage.record import Run


class Catastrophe(Struct, frozen=True):
    """Who broke, when, how, and which secret came out, if any."""

    event: str
    who: str
    minutes: float
    kind: str | None
    told: str | None


class Lesson(Struct, frozen=True):
    """A change of a person's belief about a secret: from whom it came, when, and by which event.

    `source` is the person who told, betrayed or lied, or who was overheard. `before` and `after` are names of beliefs.
    """

    event: str
    minutes: float
    who: str
    secret: str
    before: str
    after: str
    source: str | None


class MindUse(Struct, frozen=True):
    """How often a mind from outside was asked for somebody and answered, why it did not, and what that cost."""

    who: str
    label: str
    asked: int
    answered: int
    fallbacks: Mapping[str, int]
    tokens: int
    seconds: float


class EveningSummary(DataStruct, frozen=True):
    """The numbers of a run. `counts` are the events of each type; `rooms` are the acts other than moves in each room.

    `minds` are the minds from outside that took part.
    """

    scenario: str
    seed: int
    minutes: float
    ticks: int
    events: int
    counts: Mapping[str, int]
    first_dramatic_tick: int | None
    catastrophes: tuple[Catastrophe, ...]
    rooms: Mapping[str, int]
    tension: Halves
    lessons: tuple[Lesson, ...]
    ending: Ending | None
    minds: tuple[MindUse, ...] = ()


def summary(run: Run, genre: str = "default") -> EveningSummary:
    """Summarise a run."""
    events, minutes = run.events, minutes_of(run)
    kinds = Counter(event.type for event in events)
    used = Counter(event.room for event in events if event.type != SOCIAL_MOVE)
    return EveningSummary(
        scenario=run.scenario.id,
        seed=run.seed,
        minutes=minutes,
        ticks=len(run.ticks),
        events=len(events),
        counts={kind.name: kinds[kind] for kind in EventType},
        first_dramatic_tick=first_dramatic_tick(events),
        catastrophes=catastrophes(events),
        rooms={room: used[room] for room in run.scenario.rooms},
        tension=halves(tension(run, genre), minutes),
        lessons=lessons(events),
        ending=run.ending,
        minds=tuple(_mind_use(run, who) for who in run.custom.outside),
    )


def _mind_use(run: Run, who: str) -> MindUse:
    asked = [tick.asked[who] for tick in run.ticks if who in tick.asked]
    fallbacks = Counter(each.fallback for each in asked if each.fallback)
    return MindUse(
        who,
        run.custom.outside[who].label,
        len(asked),
        len(asked) - fallbacks.total(),
        dict(sorted(fallbacks.items())),
        sum(each.tokens for each in asked),
        sum(each.seconds for each in asked),
    )


def first_dramatic_tick(events: Sequence[Event]) -> int | None:
    """The tick of the first dramatic act or catastrophe; None if there is none."""
    return next((event.tick for event in events if event.is_dramatic), None)


def catastrophes(events: Sequence[Event]) -> tuple[Catastrophe, ...]:
    """Who broke, in order."""
    return tuple(
        Catastrophe(event.id, event.source, event.minutes, event.details.get("breakdown"), event.details.get("told"))
        for event in events
        if event.type == CATASTROPHE
    )


def lessons(events: Sequence[Event]) -> tuple[Lesson, ...]:
    """Every change of belief, in order."""
    by_id = {event.id: event for event in events}
    return tuple(
        Lesson(
            event.id,
            event.minutes,
            delta.agent,
            delta.key,
            Belief(delta.before or 0).name.lower(),
            Belief(delta.after).name.lower(),
            _source(event, by_id),
        )
        for event in events
        for delta in event.deltas
        if delta.kind == "belief"
    )


def _source(event: Event, by_id: Mapping[str, Event]) -> str | None:
    """From whom a secret came: the accused in a quarrel, the person watched or overheard, else the speaker."""
    if event.type == CONFLICT and event.targets:
        return event.targets[0]
    if event.type != OBSERVE:
        return event.source
    heard = by_id.get(event.details.get("heard", ""))
    return _source(heard, by_id) if heard is not None else event.focus
