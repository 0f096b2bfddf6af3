"""The sections of a scenario file about time: events of the clock, and circumstances that the seed draws.

Courses and wine are events of the clock like any other, with several minutes each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.drama.world.model import Circumstance, ClockEvent, Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.world.table import Known, Table

COURSE: Final = "course"
WINE: Final = "wine"
SERVED: Final = (COURSE, WINE)
"""What may be served."""
SERVED_AS: Final = {"courses": COURSE, "wine": WINE}
"""The ids under which all events that serve the same are one."""
DEEDS: Final = ("serve", "arrive", "depart", "news", "hands", "ends")
"""What an event of the clock may do; without any of them it is only told."""
MOST_EVENTS: Final = 16
"""The most events of the clock and the most circumstances, apart from what is served."""
MOST_THINGS: Final = 8

_ALWAYS = ("id", "minute", "until", "when", "unless", "by", "lines")
_PARTS = ("known", "out", "here", "gone", "forgiven", "carries", "within", "outbursts", "chance")


class ClockNames(NamedTuple):
    """The names that events of the clock may refer to."""

    rooms: Known
    people: Known
    secrets: Known
    things: Known


class ClockPlan(NamedTuple):
    """What the clock brings: courses and wine by their minutes, and everything else."""

    courses: tuple[float, ...]
    pours: tuple[float, ...]
    events: tuple[ClockEvent, ...]


def read_events(table: Table, names: ClockNames, minutes: float) -> ClockPlan:
    """`[[evening.events]]`."""
    served: dict[str, list[float]] = {COURSE: [], WINE: []}
    events: list[ClockEvent] = []
    taken: set[str] = set()
    for entry in table.tables("events"):
        id = _read_id(entry, taken)
        if id in SERVED_AS and entry.data.get("serve") != SERVED_AS[id]:
            entry.note(
                f"{id!r} is the name of what is served",
                "id",
                expected=f'an event with serve = "{SERVED_AS[id]}", or another name',
                remedy="rename it",
            )
        done = [deed for deed in DEEDS if deed in entry.data]
        if len(done) > 1:
            what = f"it does {len(done)} things: {', '.join(done)}"
            entry.note(what, done[1], expected="one thing for each event", remedy="write an event for each")
        if "serve" in entry.data:
            entry.keys(("id", "serve", "minutes"), ("lines",))
            served[entry.choice("serve", SERVED)] += entry.series("minutes", 0, minutes)
        else:
            events.append(_read_event(id, entry, names, minutes))
    if len(events) > MOST_EVENTS:
        table.note(
            f"{len(events)} events", "events", expected=f"at most {MOST_EVENTS}", remedy="keep those that matter most"
        )
    return ClockPlan(tuple(sorted(served[COURSE])), tuple(sorted(served[WINE])), tuple(events))


def read_circumstances(table: Table, names: ClockNames, minutes: float) -> tuple[Circumstance, ...]:
    """`[[evening.circumstances]]`."""
    taken: set[str] = set()
    circumstances = tuple(_read_circumstance(entry, names, minutes, taken) for entry in table.tables("circumstances"))
    if len(circumstances) > MOST_EVENTS:
        table.note(
            f"{len(circumstances)} circumstances",
            "circumstances",
            expected=f"at most {MOST_EVENTS}",
            remedy="keep those that matter most",
        )
    return circumstances


def read_things(table: Table, people: Known) -> dict[str, str]:
    """`things = { THING = "PERSON" }`: what can change hands, and who has it at the beginning."""
    things = table.table("things", MOST_THINGS)
    return {thing: things.name(thing, people) or "" for thing in things.ids()}


def _read_event(id: str, entry: Table, names: ClockNames, minutes: float) -> ClockEvent:
    deed = next((deed for deed in DEEDS if deed in entry.data), "")
    beside = {"arrive": ("room",), "news": ("room",), "hands": ("to",)}
    entry.keys(("id", "minute"), (*_ALWAYS[2:], *((deed,) if deed else ()), *beside.get(deed, ())))
    minute = entry.number("minute", 0, minutes)
    until = entry.number("until", 0, minutes, minutes)
    if until < minute:
        entry.note(
            f"{until:g} comes before {minute:g}", "until", expected="a minute from `minute` on", remedy="raise it"
        )
    if deed == "hands" and "to" not in entry.data:
        entry.note("nobody gets it", "to", expected="the person to whom it goes", remedy='add to = "PERSON"')
    if not deed and not entry.data.get("lines"):
        entry.note(
            "nothing happens",
            "lines",
            expected=f"one of {', '.join(DEEDS)}, or lines that tell it",
            remedy="say what the event does",
        )
    return ClockEvent(
        id=id,
        minute=minute,
        until=until,
        when=_read_condition(entry.table("when"), names),
        unless=_read_condition(entry.table("unless"), names) if "unless" in entry.data else None,
        by=entry.name("by", names.people),
        room=entry.name("room", names.rooms),
        arrive=entry.names("arrive", names.people),
        depart=entry.names("depart", names.people),
        news=entry.name("news", names.secrets),
        hands=entry.name("hands", names.things),
        to=entry.name("to", names.people),
        ends=entry.identifier("ends"),
        lines=_read_lines(entry),
    )


def _read_condition(table: Table, names: ClockNames) -> Condition:
    if not table.data:
        return Condition()
    table.keys((), _PARTS)
    known, forgiven = table.table("known"), table.table("forgiven")
    carries, within = table.table("carries"), table.table("within")
    return Condition(
        known={secret: known.names(secret, names.people) for secret in known.known_keys(names.secrets)},
        out=table.names("out", names.secrets),
        here=table.names("here", names.people),
        gone=table.names("gone", names.people),
        forgiven={who: forgiven.names(who, names.people) for who in forgiven.known_keys(names.people)},
        carries={thing: carries.name(thing, names.people) or "" for thing in carries.known_keys(names.things)},
        within={who: within.name(who, names.rooms) or "" for who in within.known_keys(names.people)},
        outbursts=table.whole("outbursts", 0, 1000),
        chance=table.number("chance", 0, 1, 1.0),
    )


def _read_circumstance(entry: Table, names: ClockNames, minutes: float, taken: set[str]) -> Circumstance:
    entry.keys(("id", "chance"), ("late", "words", "rooms", "suspects"))
    rooms, suspects = entry.table("rooms"), entry.table("suspects")
    circumstance = Circumstance(
        id=_read_id(entry, taken),
        chance=entry.number("chance", 0, 1),
        late=entry.table("late").shares(names.people, 0, minutes),
        words=entry.names("words", names.people),
        rooms={who: rooms.name(who, names.rooms) or "" for who in rooms.known_keys(names.people)},
        suspects={who: suspects.name(who, names.secrets) or "" for who in suspects.known_keys(names.people)},
    )
    if "words" in entry.data and len(circumstance.words) != 2:
        entry.note(f"{len(circumstance.words)} people", "words", expected="two people who had words", remedy="name two")
    return circumstance


def _read_id(entry: Table, taken: set[str]) -> str:
    id = entry.identifier("id") or ""
    if id in taken:
        entry.note(f"{id!r} is there twice", "id", expected="a name of its own", remedy="rename one of them")
    taken.add(id)
    return id


def _read_lines(entry: Table) -> tuple[str, ...]:
    lines = [item for _, item in entry.items("lines")]
    for index, line in enumerate(lines):
        if not isinstance(line, str) or not line.strip():
            entry.note("this is no text", "lines", index, expected="a line of text", remedy="write it between quotes")
    return tuple(line for line in lines if isinstance(line, str))


def events_to_data(courses: Iterable[float], pours: Iterable[float], events: Iterable[ClockEvent]) -> list[Any]:
    """The events as a file has them."""
    data: list[Any] = []
    for (id, what), minutes in zip(SERVED_AS.items(), (list(courses), list(pours)), strict=True):
        if minutes:
            data.append({"id": id, "serve": what, "minutes": minutes})
    return data + [_event_to_data(event) for event in events]


def circumstances_to_data(circumstances: Iterable[Circumstance]) -> list[Any]:
    """The circumstances as a file has them."""
    return [
        _without_empty(
            {
                "id": circumstance.id,
                "chance": circumstance.chance,
                "late": dict(circumstance.late),
                "words": list(circumstance.words),
                "rooms": dict(circumstance.rooms),
                "suspects": dict(circumstance.suspects),
            }
        )
        for circumstance in circumstances
    ]


def _event_to_data(event: ClockEvent) -> dict[str, Any]:
    data = {
        "id": event.id,
        "minute": event.minute,
        "until": event.until,
        "when": _condition_to_data(event.when),
        "by": event.by,
        "room": event.room,
        "arrive": list(event.arrive),
        "depart": list(event.depart),
        "news": event.news,
        "hands": event.hands,
        "to": event.to,
        "ends": event.ends,
        "lines": list(event.lines),
    }
    kept = _without_empty(data)
    if event.unless is not None:
        kept["unless"] = _condition_to_data(event.unless)
    return kept


def _condition_to_data(condition: Condition) -> dict[str, Any]:
    data = {
        "known": {secret: list(people) for secret, people in condition.known.items()},
        "out": list(condition.out),
        "here": list(condition.here),
        "gone": list(condition.gone),
        "forgiven": {who: list(others) for who, others in condition.forgiven.items()},
        "carries": dict(condition.carries),
        "within": dict(condition.within),
        "outbursts": condition.outbursts or None,
        "chance": None if condition.chance == 1.0 else condition.chance,
    }
    return _without_empty(data)


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None and value not in ([], {})}
