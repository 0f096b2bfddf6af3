"""The parts of a state: as JSON-compatible data and back, and changed by deltas, as a replay does.

Equal states give equal bytes. What people remember of recent events is kept beside, because no delta says it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import astuple

from volition.core.canonical import digest
from volition.core.errors import BrokenRecord, Problem
from volition.core.typed import convert
from volition.drama.rules.catalog import EMOTIONS, Belief, EventType
from volition.drama.world.model import DEPARTED, AgentState, Happening, PacingState, Scenario, WorldState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.stage.events import Delta, Event

WORLD = "world"
_PARTS = {part.name: str(part.type) for part in fields(AgentState)}
MAPS = frozenset(part for part, kind in _PARTS.items() if kind.startswith("dict")) - {"emotions", "bonds", "beliefs"}
"""Parts of an agent that map a person, a secret or a need to a value; None removes the entry."""
SETS = frozenset(part for part, kind in _PARTS.items() if kind.startswith("set"))
"""Parts of an agent that are sets."""
SINGLE = frozenset(part for part, kind in _PARTS.items() if not kind.startswith(("dict", "set", "list"))) - {
    "id",
    "pacing",
}
"""Parts of an agent that are a single value."""
_UNSUITABLE = (KeyError, AttributeError, TypeError, ValueError, AssertionError)
OF_THE_WORLD = frozenset(part.name for part in fields(WorldState)) - {"scenario", "agents", "recent"}


def state_to_data(world: WorldState) -> dict[str, Any]:
    """Everything in an evening that can change, as JSON-compatible data."""
    return {
        **{part: getattr(world, part) for part in sorted(OF_THE_WORLD)},
        "recent": [_happening_to_data(happening) for happening in world.recent],
        "agents": {id: _agent_to_data(agent) for id, agent in world.agents.items()},
    }


def state_from_data(scenario: Scenario, data: Mapping[str, Any]) -> WorldState:
    """The state that such data describe."""
    world = WorldState(scenario, {id: _agent_from_data(id, data["agents"][id]) for id in scenario.people})
    for part in OF_THE_WORLD:
        setattr(world, part, data[part])
    world.recent = [convert([tick, EventType[type], *rest], Happening) for tick, type, *rest in data["recent"]]
    return world


def state_digest(world: WorldState) -> str:
    """A hash of everything that can change."""
    return digest(state_to_data(world))


def _agent_to_data(me: AgentState) -> dict[str, Any]:
    return {
        **{part: getattr(me, part) for part in sorted(SINGLE)},
        "pacing": to_builtins(me.pacing),
        "emotions": [me.emotions[emotion] for emotion in EMOTIONS],
        "bonds": {other: to_builtins(bond) for other, bond in sorted(me.bonds.items())},
        "beliefs": {secret: int(belief) for secret, belief in sorted(me.beliefs.items())},
        **{
            part: [[_to_list(key), _to_list(held)] for key, held in sorted(getattr(me, part).items())]
            for part in sorted(MAPS)
        },
        **{part: [_to_list(key) for key in sorted(getattr(me, part))] for part in sorted(SETS)},
        "recent": [list(act) for act in me.recent],
    }


def _agent_from_data(id: str, data: Mapping[str, Any]) -> AgentState:
    # JSON has no keys but strings, so a map with other keys is stored as a list of pairs.
    maps = {part: {_key(key): held for key, held in data[part]} for part in MAPS}
    emotions = dict(zip(EMOTIONS, data["emotions"], strict=True))
    return convert({**data, **maps, "id": id, "emotions": emotions}, AgentState)


def _happening_to_data(happening: Happening) -> list[Any]:
    tick, type, *rest = map(_to_list, to_builtins(happening))
    return [tick, EventType(type).name, *rest]


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _to_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def value(world: WorldState, kind: str, agent: str, key: Any = None, attribute: str | None = None) -> Any:
    """The current value of a part of the state."""
    if kind == WORLD:
        return getattr(world, key)
    me = world.agents[agent]
    if kind in SINGLE:
        return getattr(me, kind)
    if kind in MAPS:
        return getattr(me, kind).get(key)
    if kind in SETS:
        return key in getattr(me, kind)
    match kind:
        case "bond":
            assert attribute is not None
            return getattr(me.bonds[key], attribute)
        case "emotion":
            return me.emotions[key]
        case "belief":
            return int(me.beliefs[key])
        case "pacing":
            return astuple(me.pacing)
        case "emotions":
            return tuple([me.emotions[emotion] for emotion in EMOTIONS])
        case "recent":
            return tuple(me.recent)
    raise KeyError(kind)


def write(world: WorldState, delta: Delta) -> None:
    """Apply a delta."""
    kind, key, after = delta.kind, delta.key, delta.after
    if kind == WORLD:
        setattr(world, key, after)
        return
    me = world.agents[delta.agent]
    if kind in SINGLE:
        setattr(me, kind, after)
    elif kind in MAPS:
        _put(getattr(me, kind), key, after)
    elif kind in SETS:
        (getattr(me, kind).add if after else getattr(me, kind).discard)(key)
    elif kind == "bond":
        assert delta.attribute is not None
        setattr(me.bonds[key], delta.attribute, after)
    elif kind == "emotion":
        me.emotions[key] = after
    elif kind == "belief":
        me.beliefs[key] = Belief(after)
    elif kind == "pacing":
        me.pacing = PacingState(*after)
    elif kind == "emotions":
        me.emotions = dict(zip(EMOTIONS, after, strict=True))
    elif kind == "recent":
        me.recent = list(after)
    else:
        raise KeyError(kind)


def _put(entries: dict[Any, Any], key: Any, after: Any) -> None:
    if after is None:
        entries.pop(key, None)
    else:
        entries[key] = after


def replay(world: WorldState, delta: Delta, where: str) -> None:
    """Apply a recorded delta; BrokenRecord if it does not fit the state before it, or would make an invalid one."""
    what = f"{delta.kind} of {delta.agent or 'the world'}" + (f" ({delta.key})" if delta.key is not None else "")
    try:
        found = value(world, delta.kind, delta.agent, delta.key, delta.attribute)
        if found == delta.before and isinstance(found, bool) == isinstance(delta.before, bool):
            _check(world, delta)
            write(world, delta)
            return
        said = f"{what} was {delta.before!r} according to the record, but is {found!r}"
    except _UNSUITABLE as error:
        said = f"{what} cannot become {delta.after!r} ({type(error).__name__}: {error})"
    raise BrokenRecord(
        Problem(
            said,
            where,
            "a change that fits the state before it",
            "the record was edited, or written by other rules: play the evening again",
        )
    )


def _check(world: WorldState, delta: Delta) -> None:
    """Raise ValueError for an invalid value that could otherwise be written without an error."""
    kind, after = delta.kind, delta.after
    if kind == "location" and after != DEPARTED and after not in world.scenario.rooms:
        raise ValueError("there is no such room")
    if kind == "pacing" and (
        len(after) != len(PacingState.__struct_fields__) or not all(isinstance(part, int | float) for part in after)
    ):
        raise ValueError("pacing is six numbers")
    if kind == "recent" and not all(isinstance(tick, int) and isinstance(id, str) for tick, id in after):
        raise ValueError("an act is a tick and an id")


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
