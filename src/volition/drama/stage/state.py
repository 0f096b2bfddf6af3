"""The parts of a state: as JSON-compatible data and back, and changed by deltas, as a replay does.

Equal states give equal bytes. What people remember of recent events is kept beside, because no delta says it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from volition.core.canonical import digest
from volition.core.errors import BrokenRecord, Problem
from volition.core.typed import convert
from volition.drama.evening.names import names_of
from volition.drama.evening.person import PERSON_PARTS, PERSON_VIEWS, AgentState
from volition.drama.evening.record import NONE, REAL, RecordPart, copy_plain, parts_of
from volition.drama.evening.state import PACING, RECENT_ACTS, WORLD, EveningState
from volition.drama.evening.views import Entries, MemberView
from volition.drama.evening.world import WORLD_PARTS, WorldState
from volition.drama.rules.catalog import EMOTIONS, EventType
from volition.drama.world.model import Happening, Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.evening.names import ScenarioNames
    from volition.drama.stage.events import Delta, Event

_IN_FULL: Final = ("emotions", "bonds", "beliefs")
_MAPS: Final = tuple(
    sorted(part for part, view in PERSON_VIEWS.items() if issubclass(view, Entries) and part not in _IN_FULL)
)
"""Parts of an agent that are written as pairs, since JSON has no keys but strings; the others are written in full."""
_SETS: Final = tuple(sorted(part for part, view in PERSON_VIEWS.items() if issubclass(view, MemberView)))
_SINGLE: Final = tuple(sorted(set(PERSON_PARTS) - PERSON_VIEWS.keys() - {"recent"}))
_UNSUITABLE: Final = (KeyError, AttributeError, TypeError, ValueError)


def state_to_data(world: WorldState) -> dict[str, Any]:
    """Everything in an evening that can change, as JSON-compatible data."""
    return {
        **{part: getattr(world, part) for part in sorted(WORLD_PARTS)},
        "recent": [_happening_to_data(happening) for happening in world.recent],
        "agents": {id: _agent_to_data(agent) for id, agent in world.agents.items()},
    }


def state_from_data(scenario: Scenario, data: Mapping[str, Any]) -> WorldState:
    """The state that such data describe."""
    names = names_of(scenario)
    world = WorldState(copy_plain(names.blank, EveningState), names)
    for part in WORLD_PARTS:
        setattr(world, part, data[part])
    for id, me in world.agents.items():
        _write_agent(me, data["agents"][id])
    world.recent = [convert([tick, EventType[type], *rest], Happening) for tick, type, *rest in data["recent"]]
    return world


def state_digest(world: WorldState) -> str:
    """A hash of everything that can change."""
    return digest(state_to_data(world))


def _agent_to_data(me: AgentState) -> dict[str, Any]:
    return {
        **{part: getattr(me, part) for part in _SINGLE},
        "pacing": list(me.pacing),
        "emotions": list(me.emotions.values()),
        "bonds": {other: list(bond) for other, bond in sorted(me.bonds.items())},
        "beliefs": {secret: int(belief) for secret, belief in sorted(me.beliefs.items())},
        **{
            part: [[_to_list(key), _to_list(value)] for key, value in sorted(getattr(me, part).items())]
            for part in _MAPS
        },
        **{part: [_to_list(key) for key in sorted(getattr(me, part))] for part in _SETS},
        "recent": [list(act) for act in me.recent],
    }


def _write_agent(me: AgentState, data: Mapping[str, Any]) -> None:
    """Write a person into an empty state, which has no entries to remove first."""
    for part in (*_SINGLE, "pacing", "recent"):
        setattr(me, part, data[part])
    me.emotions.update(zip(EMOTIONS, data["emotions"], strict=True))
    for part in ("bonds", "beliefs"):
        getattr(me, part).update(data[part])
    for part in _MAPS:
        entries = getattr(me, part)
        for key, value in data[part]:
            entries[_key(key)] = value
    for part in _SETS:
        members = getattr(me, part)
        for key in data[part]:
            members.add(_key(key))


def _happening_to_data(happening: Happening) -> list[Any]:
    tick, type, *rest = map(_to_list, to_builtins(happening))
    return [tick, EventType(type).name, *rest]


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _to_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


class _Whole:
    """A part that deltas replace as a whole: a property of a person, read as a tuple."""

    def __init__(self, name: str, names: ScenarioNames) -> None:
        self.name, self._names = name, names

    def find(self, evening: EveningState, who: int, key: Any) -> AgentState:
        return AgentState(evening, who, self._names)

    def read(self, me: AgentState) -> tuple[Any, ...]:
        return tuple(me.evening.emotions[me.who] if self.name == "emotions" else getattr(me, self.name))

    def write(self, me: AgentState, after: Any) -> None:
        if self.name == "emotions":
            real = self._names.spellings[REAL.name].write
            me.evening.emotions[me.who][:] = [real(felt) for felt, _ in zip(after, EMOTIONS, strict=True)]
        else:
            setattr(me, self.name, after)


class _OfWorld:
    """What is nobody's own: a number of the evening, named by the key."""

    def __init__(self, names: ScenarioNames) -> None:
        self._names = names

    def find(self, evening: EveningState, who: int, key: Any) -> tuple[EveningState, RecordPart]:
        return evening, WORLD_PARTS[key]

    def read(self, found: tuple[EveningState, RecordPart]) -> Any:
        evening, part = found
        return self._names.spellings[part.kind.name].read(getattr(evening, part.name))

    def write(self, found: tuple[EveningState, RecordPart], after: Any) -> None:
        evening, part = found
        setattr(evening, part.name, self._names.spellings[part.kind.name].write(after))


@lru_cache(maxsize=32)
def _places(names: ScenarioNames) -> dict[tuple[str, str | None], Any]:
    """What deltas of every kind change, and of every attribute of a bond."""
    places: dict[tuple[str, str | None], Any] = {
        (WORLD, None): _OfWorld(names),
        **{(name, None): _Whole(name, names) for name in (PACING, RECENT_ACTS, "emotions")},
    }
    for part in parts_of(EveningState):
        if part.name in names.parts:
            attribute = part.name if part.delta == "bond" else None
            places.setdefault((part.delta or "", attribute), names.parts[part.name])
    return places


def _place(world: WorldState, kind: str, agent: str, key: Any, attribute: str | None) -> tuple[Any, Any]:
    """How a part is read and written, and where it stands."""
    place = _places(world.names)[kind, attribute]
    return place, place.find(world.evening, NONE if kind == WORLD else world.names.person[agent], key)


def value(world: WorldState, kind: str, agent: str, key: Any = None, attribute: str | None = None) -> Any:
    """The current value of a part of the state."""
    place, entry = _place(world, kind, agent, key, attribute)
    return place.read(entry)


def write(world: WorldState, delta: Delta) -> None:
    """Apply a delta."""
    place, entry = _place(world, delta.kind, delta.agent, delta.key, delta.attribute)
    place.write(entry, delta.after)


def replay(world: WorldState, delta: Delta, where: str) -> None:
    """Apply a recorded delta; BrokenRecord if it does not fit the state before it, or would make an invalid one."""
    try:
        place, entry = _place(world, delta.kind, delta.agent, delta.key, delta.attribute)
        value = place.read(entry)
        if value == delta.before and (type(value) is bool) is (type(delta.before) is bool):
            place.write(entry, delta.after)
            return
        problem = f"was {delta.before!r} according to the record, but is {value!r}"
    except _UNSUITABLE as error:
        problem = f"cannot become {delta.after!r} ({type(error).__name__}: {error})"
    what = f"{delta.kind} of {delta.agent or 'the world'}" + (f" ({delta.key})" if delta.key is not None else "")
    raise BrokenRecord(
        Problem(
            f"{what} {problem}",
            where,
            "a change that fits the state before it",
            "the record was edited, or written by other rules: play the evening again",
        )
    )


def remember(event: Event) -> Happening:
    """An event as those who saw it remember it."""
    details = event.details
    stated = details.get("about") if details.get("stated") else None
    out = event.secret or details.get("forced") or details.get("told") or stated
    seen_by = (event.source, *event.targets, *event.witnesses)
    failed, hinted = details.get("believed") is False, out is None and "about" in details and "wrong" not in details
    return Happening(
        event.tick, event.type, event.source, event.targets, event.room, out, event.destination, seen_by, failed, hinted
    )


def forget(recent: Iterable[Happening], tick: int, scenario: Scenario) -> list[Happening]:
    """What is still remembered at a tick: what happened longer ago than anything refers to is not."""
    memory, calm = scenario.rules["memory"], scenario.rules["service"]["calm"]
    ticks = max(memory["conflict"], memory["move"], memory["challenge"], calm) + 1
    return [happening for happening in recent if tick - happening.tick <= ticks]
