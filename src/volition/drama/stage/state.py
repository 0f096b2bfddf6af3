"""States as JSON-compatible data, and back: equal states give equal bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import convert, to_builtins

from volition.core.canonical import digest
from volition.drama.rules.catalog import EMOTIONS, EventType
from volition.drama.stage.changes import MAPS, OF_THE_WORLD, SETS, SINGLE
from volition.drama.world.model import AgentState, Happening, WorldState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.world.model import Scenario


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
