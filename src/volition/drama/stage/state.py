"""A state as plain data, and back: the same state gives the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.canonical import digest
from volition.drama.rules.catalog import EMOTIONS, Belief, EventType
from volition.drama.stage.changes import MAPS, OF_THE_WORLD, PLAIN, SETS, pace_of
from volition.drama.world.model import AgentState, Bond, Happening, PacingState, WorldState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.world.model import Scenario


def state_to_data(world: WorldState) -> dict[str, Any]:
    """Everything that can change in an evening, as JSON can hold it."""
    return {
        **{part: getattr(world, part) for part in sorted(OF_THE_WORLD)},
        "recent": [list(_happening_to_data(happening)) for happening in world.recent],
        "agents": {id: _agent_to_data(agent) for id, agent in world.agents.items()},
    }


def state_from_data(scenario: Scenario, data: Mapping[str, Any]) -> WorldState:
    """The state that such data describe."""
    world = WorldState(scenario, {id: _agent_from_data(id, data["agents"][id]) for id in scenario.people})
    for part in OF_THE_WORLD:
        setattr(world, part, data[part])
    world.recent = [_happening_from_data(happening) for happening in data["recent"]]
    return world


def state_digest(world: WorldState) -> str:
    """One short name for everything that can change."""
    return digest(state_to_data(world))


def tupled(value: Any) -> Any:
    """A value read from JSON as the state keeps it: lists are tuples there."""
    return tuple(map(tupled, value)) if isinstance(value, list) else value


def _agent_to_data(me: AgentState) -> dict[str, Any]:
    return {
        **{part: getattr(me, part) for part in sorted(PLAIN)},
        "pacing": list(pace_of(me)),
        "emotions": [me.emotions[emotion] for emotion in EMOTIONS],
        "bonds": {other: [bond.trust, bond.affection, bond.obligation] for other, bond in sorted(me.bonds.items())},
        "beliefs": {secret: int(belief) for secret, belief in sorted(me.beliefs.items())},
        **{
            part: [[_listed(key), _listed(held)] for key, held in sorted(getattr(me, part).items())]
            for part in sorted(MAPS)
        },
        **{part: [_listed(key) for key in sorted(getattr(me, part))] for part in sorted(SETS)},
        "recent": [list(act) for act in me.recent],
    }


def _agent_from_data(id: str, data: Mapping[str, Any]) -> AgentState:
    me = AgentState(
        id,
        data["location"],
        PacingState(*data["pacing"]),
        dict(zip(EMOTIONS, data["emotions"], strict=True)),
        {other: Bond(*bond) for other, bond in data["bonds"].items()},
        {secret: Belief(belief) for secret, belief in data["beliefs"].items()},
    )
    for part in PLAIN:
        setattr(me, part, data[part])
    for part in MAPS:
        setattr(me, part, {tupled(key): tupled(held) for key, held in data[part]})
    for part in SETS:
        setattr(me, part, {tupled(key) for key in data[part]})
    me.recent = [(tick, id) for tick, id in data["recent"]]
    return me


def _happening_to_data(happening: Happening) -> tuple[Any, ...]:
    return (
        happening.tick,
        happening.type.name,
        happening.source,
        list(happening.targets),
        happening.room,
        happening.secret,
        happening.destination,
        list(happening.seen_by),
    )


def _happening_from_data(data: list[Any]) -> Happening:
    tick, type, source, targets, room, secret, destination, seen_by = data
    return Happening(tick, EventType[type], source, tuple(targets), room, secret, destination, tuple(seen_by))


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
