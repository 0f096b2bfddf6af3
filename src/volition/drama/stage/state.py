"""The parts of a state: as JSON-compatible data and back, and changed by deltas, as a replay does.

Equal states give equal bytes. What people remember of recent events is kept beside, because no delta says it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import to_builtins

from volition.core.canonical import digest
from volition.core.errors import BrokenRecord, Problem
from volition.core.typed import convert
from volition.drama.evening.person import PERSON_PARTS, PERSON_VIEWS
from volition.drama.evening.record import BELIEF, PEOPLE_SET, RecordPart, parts_of
from volition.drama.evening.state import PACING, RECENT_ACTS, SIGHTINGS, WORLD, EveningState
from volition.drama.evening.views import Entries, NamedSet
from volition.drama.evening.world import WORLD_PARTS, begin
from volition.drama.rules.catalog import EMOTIONS, EventType
from volition.drama.world.model import Happening, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from volition.drama.evening.names import ScenarioNames
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Delta, Event

_IN_FULL: Final = ("emotions", "bonds", "beliefs")
_MAPS: Final = tuple(
    sorted(part for part, view in PERSON_VIEWS.items() if issubclass(view, Entries) and part not in _IN_FULL)
)
"""Parts of an agent that are written as pairs, since JSON has no keys but strings; the others are written in full."""
_SETS: Final = tuple(sorted(part for part, view in PERSON_VIEWS.items() if issubclass(view, NamedSet)))
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
    world = begin(scenario)
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
    for part in (*_SINGLE, "pacing", "bonds", "beliefs", "recent"):
        setattr(me, part, data[part])
    me.emotions = dict(zip(EMOTIONS, data["emotions"], strict=True))
    for part in _MAPS:
        setattr(me, part, {_key(key): value for key, value in data[part]})
    for part in _SETS:
        setattr(me, part, {_key(key) for key in data[part]})


def _happening_to_data(happening: Happening) -> list[Any]:
    tick, type, *rest = map(_to_list, to_builtins(happening))
    return [tick, EventType(type).name, *rest]


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _to_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


class _Place(NamedTuple):
    """Where deltas of a kind change a state: `find` is given the world, an agent and a key, and what it finds is read and
    written by the others.

    Where there is no such key, or no such value, a KeyError, TypeError or ValueError is raised and nothing is written.
    """

    find: Callable[[WorldState, str, Any], Any]
    read: Callable[[Any], Any]
    write: Callable[[Any, Any], None]


@lru_cache(maxsize=32)
def _places(names: ScenarioNames) -> dict[tuple[str, str | None], _Place]:
    """The place of every kind of delta, and of every attribute of a bond."""
    places: dict[tuple[str, str | None], _Place] = {
        (WORLD, None): _Place(
            lambda world, _, key: (world, WORLD_PARTS[key].name),
            lambda found: getattr(*found),
            lambda found, after: setattr(found[0], found[1], after),
        ),
        ("emotions", None): _Place(
            lambda world, agent, _: world.agents[agent],
            lambda me: tuple(me.evening.emotions[me.who]),
            lambda me, after: setattr(me, "emotions", dict(zip(EMOTIONS, after, strict=True))),
        ),
        (PACING, None): _Place(
            lambda world, agent, _: world.agents[agent].pacing, tuple, lambda pacing, after: pacing.replace(after)
        ),
        (RECENT_ACTS, None): _Place(
            lambda world, agent, _: world.agents[agent],
            lambda me: me.recent,
            lambda me, after: setattr(me, "recent", after),
        ),
        (SIGHTINGS, None): _Place(
            lambda world, agent, key: (world.agents[agent].sightings, key),
            lambda found: found[0].get(found[1]),
            lambda found, after: found[0].write(found[1], after),
        ),
    }
    for part in parts_of(EveningState):
        if part.delta is not None and (part.delta, None) not in places:
            attribute = part.name if part.delta == "bond" else None
            place_of = _place_in_set if part.kind == PEOPLE_SET else _place_of_number
            places[part.delta, attribute] = place_of(part, names)
    return places


def _place_of_number(part: RecordPart, names: ScenarioNames) -> _Place:
    """The place of one number: of somebody, between them and a key, or between them, a person and a secret."""
    name, person, secret, rest = part.name, names.person, names.secret, part.shape[1:]
    spelling, entries = names.spellings[part.kind.name], names.places.get(rest[0], {}) if rest else {}
    say = int if part.kind == BELIEF else spelling.read

    def find(world: WorldState, agent: str, key: Any) -> tuple[list[Any], int]:
        numbers, who = getattr(world.evening, name), person[agent]
        if not rest:
            return numbers, who
        if len(rest) == 1:
            if key == agent:
                raise KeyError(key)
            return numbers[who], entries[key]
        other, about = key
        return numbers[who][person[other]], secret[about]

    def write(found: tuple[list[Any], int], after: Any) -> None:
        found[0][found[1]] = spelling.write(after)

    return _Place(find, lambda found: say(found[0][found[1]]), write)


def _place_in_set(part: RecordPart, names: ScenarioNames) -> _Place:
    """The place of one person in a set of somebody, or of a person and a secret."""
    name, person, secret, rest = part.name, names.person, names.secret, part.shape[1:]

    def find(world: WorldState, agent: str, key: Any) -> tuple[list[int], int, int]:
        sets, who = getattr(world.evening, name), person[agent]
        if not rest:
            return sets, who, 1 << person[key]
        other, about = key
        return sets[who], secret[about], 1 << person[other]

    def write(found: tuple[list[int], int, int], after: Any) -> None:
        sets, at, bit = found
        sets[at] = sets[at] | bit if after else sets[at] & ~bit

    return _Place(find, lambda found: found[0][found[1]] & found[2] != 0, write)


def value(world: WorldState, kind: str, agent: str, key: Any = None, attribute: str | None = None) -> Any:
    """The current value of a part of the state."""
    place = _places(world.names)[kind, attribute]
    return place.read(place.find(world, agent, key))


def write(world: WorldState, delta: Delta) -> None:
    """Apply a delta."""
    place = _places(world.names)[delta.kind, delta.attribute]
    place.write(place.find(world, delta.agent, delta.key), delta.after)


def replay(world: WorldState, delta: Delta, where: str) -> None:
    """Apply a recorded delta; BrokenRecord if it does not fit the state before it, or would make an invalid one."""
    try:
        place = _places(world.names)[delta.kind, delta.attribute]
        spot = place.find(world, delta.agent, delta.key)
        found = place.read(spot)
        if found == delta.before and isinstance(found, bool) == isinstance(delta.before, bool):
            place.write(spot, delta.after)
            return
        problem = f"was {delta.before!r} according to the record, but is {found!r}"
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
    out = event.secret or event.details.get("forced") or event.details.get("told")
    seen_by = (event.source, *event.targets, *event.witnesses)
    failed = event.details.get("believed") is False
    return Happening(
        event.tick, event.type, event.source, event.targets, event.room, out, event.destination, seen_by, failed
    )


def forget(recent: Iterable[Happening], tick: int, scenario: Scenario) -> list[Happening]:
    """What is still remembered at a tick: what happened longer ago than anything refers to is not."""
    memory, calm = scenario.rules["memory"], scenario.rules["service"]["calm"]
    ticks = max(memory["conflict"], memory["move"], memory["challenge"], calm) + 1
    return [happening for happening in recent if tick - happening.tick <= ticks]
