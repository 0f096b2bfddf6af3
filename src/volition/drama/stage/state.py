"""The parts of a state: as JSON-compatible data and back, and changed by deltas, as a replay does.

Equal states give equal bytes. What people remember of recent events is kept beside, because no delta says it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from volition.core.canonical import digest
from volition.core.errors import BrokenRecord, Problem
from volition.core.typed import convert
from volition.drama.evening.person import BOND_NUMBERS, PERSON_PARTS, PERSON_VIEWS
from volition.drama.evening.record import parts_of
from volition.drama.evening.state import PACING, WORLD, EveningState
from volition.drama.evening.views import Entries, NamedSet
from volition.drama.evening.world import WORLD_PARTS, begin
from volition.drama.rules.catalog import EMOTIONS, EventType
from volition.drama.world.model import Happening, Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
_SHOWN: Final = {"emotion": "emotions", "bond": "bonds", "belief": "beliefs"}
"""Kinds of deltas that change one entry of a part with another name."""
_KINDS: Final = {part.delta for part in parts_of(EveningState)} | {"emotions"}
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


def value(world: WorldState, kind: str, agent: str, key: Any = None, attribute: str | None = None) -> Any:
    """The current value of a part of the state."""
    return _read(_part(world, kind, agent), kind, key, attribute)


def write(world: WorldState, delta: Delta) -> None:
    """Apply a delta."""
    _write(world, _part(world, delta.kind, delta.agent), delta)


def _part(world: WorldState, kind: str, agent: str) -> Any:
    """The part that deltas of a kind change."""
    if kind not in _KINDS:
        raise KeyError(kind)
    return world if kind == WORLD else getattr(world.agents[agent], _SHOWN.get(kind, kind))


def _read(part: Any, kind: str, key: Any, attribute: str | None) -> Any:
    if kind == WORLD:
        return getattr(part, WORLD_PARTS[key].name)
    if kind == "bond":
        return tuple(part[key])[BOND_NUMBERS.index(attribute)]
    if kind == "emotions":
        return tuple(part.values())
    if kind == "belief":
        return int(part[key])
    if isinstance(part, Entries):
        return part.get(key)
    if isinstance(part, NamedSet):
        return key in part
    return tuple(part) if kind == PACING else part


def _write(world: WorldState, part: Any, delta: Delta) -> None:
    kind, key, after = delta.kind, delta.key, delta.after
    if kind == WORLD:
        setattr(world, key, after)
    elif kind == "bond":
        setattr(part[key], delta.attribute or "", after)
    elif kind == "emotions":
        part.replace(dict(zip(EMOTIONS, after, strict=True)))
    elif isinstance(part, Entries) and after is None:
        part.pop(key, None)
    elif isinstance(part, Entries):
        part[key] = after
    elif isinstance(part, NamedSet):
        (part.add if after else part.discard)(key)
    else:
        setattr(world.agents[delta.agent], kind, after)


def replay(world: WorldState, delta: Delta, where: str) -> None:
    """Apply a recorded delta; BrokenRecord if it does not fit the state before it, or would make an invalid one."""
    try:
        part = _part(world, delta.kind, delta.agent)
        found = _read(part, delta.kind, delta.key, delta.attribute)
        if found == delta.before and isinstance(found, bool) == isinstance(delta.before, bool):
            _write(world, part, delta)
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
