"""What a pilot knows at one moment, and how it is read from the states of an executor.

A situation comes from one state, and nothing in it from what was requested. There are no cooldowns: the executor decides
whether an action is ready. `Perception` is all that has to be written for another executor. Leave out what a state does
not say, and the pilot is more careful.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import msgspec
from msgspec import Struct, field

from volition.core.errors import InvalidInput
from volition.core.typed import convert
from volition.execution.worlds.arena import rules
from volition.execution.worlds.arena.bodies import Actor, Opponent  # noqa: TC001  msgspec reads the annotations
from volition.execution.worlds.pilot.ground import Ground

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.execution.wire.frames import StateFrame
    from volition.execution.worlds.pilot.ground import Place


class Abilities(Struct, frozen=True):
    """What the pilot may rely on about its body, in tiles and shares of its stamina; None is unknown.

    `speed` is in tiles per tick. `evade` is how far an EVADE carries, straight away from the opponent along one axis;
    where it is unknown the pilot never evades near a hazard. `leap` is the minimal distance that a body that has just
    left the ground travels before it lands.
    """

    reach: float = 1.5
    speed: float = 0.2
    guarded_speed: float = 0.1
    evade: float | None = None
    leap: float | None = None
    costs: Mapping[str, float] = {}


class Me(Struct, frozen=True):
    """The pilot's own body. `health` and `stamina` are shares from 0 to 1.

    `flight` is how far it will still travel before it lands, in tiles; 0 on the ground or where that is unknown.
    `sliding`: it moves although it is on the ground.
    """

    place: Place
    alive: bool = True
    health: float = 1.0
    stamina: float = 1.0
    facing: str | None = None
    holding: bool = False
    in_air: bool = False
    busy: bool = False
    flight: float = 0.0
    sliding: bool = False


class Foe(Struct, frozen=True):
    """The opponent. `reach` is that of its blow.

    `blow_in`: ticks until a visible blow lands, or None. `harmless`: it cannot strike for a while.
    """

    place: Place
    alive: bool = True
    health: float = 1.0
    reach: float = 1.2
    blow_in: int | None = None
    harmless: bool = False


class PilotSituation(Struct, frozen=True):
    """One state as the pilot understands it; `ground` is None where the map is unknown."""

    seq: int
    tick: int
    episode: int
    me: Me
    foe: Foe | None = None
    ground: Ground | None = None
    abilities: Abilities = field(default_factory=Abilities)


LAG = 1
"""Ticks of a flight that the pilot does not rely on: they may pass before its next intent arrives."""

ARENA_ABILITIES = Abilities(
    reach=rules.ATTACK_REACH / rules.TILE,
    speed=rules.WALK_SPEED / rules.TILE,
    guarded_speed=rules.GUARD_SPEED / rules.TILE,
    evade=rules.DASH_TICKS * rules.DASH_SPEED / rules.TILE,
    leap=(rules.AIR_TICKS - 1 - LAG) * rules.WALK_SPEED / rules.TILE,
    costs={
        "PRIMARY_ATTACK": rules.ATTACK_COST / rules.STAMINA,
        "EVADE": rules.EVADE_COST / rules.STAMINA,
        "JUMP": rules.JUMP_COST / rules.STAMINA,
        "HOLD": 1 / rules.STAMINA,
    },
)


@runtime_checkable
class Perception(Protocol):
    """Turns states into situations; it gets them in the order of their arrival."""

    def perceive(self, frame: StateFrame) -> PilotSituation:
        """What is known after this state; InvalidInput where the data cannot be read."""
        ...


class _MapData(Struct, frozen=True):
    rows: tuple[str, ...]


class _ArenaData(Struct, frozen=True):
    actor: Actor
    opponent: Opponent
    map: _MapData | None = None


class ArenaPerception:
    """Reads the states of the arena. The map is in full states only, and is remembered within an episode.

    The cooldowns of the state are not read: the executor decides whether an action is ready.
    """

    def __init__(self) -> None:
        self._ground: Ground | None = None
        self._rows: tuple[str, ...] = ()
        self._episode = -1

    def perceive(self, frame: StateFrame) -> PilotSituation:
        data = _read(frame.data)
        if data.map is not None and data.map.rows != self._rows:
            self._ground, self._rows = Ground(data.map.rows), data.map.rows
        elif data.map is None and frame.episode != self._episode:
            self._ground, self._rows = None, ()
        self._episode = frame.episode
        return PilotSituation(
            frame.seq, frame.tick, frame.episode, _me(data.actor), _foe(data.opponent), self._ground, ARENA_ABILITIES
        )


def _read(data: Any) -> _ArenaData:
    try:
        return convert(data, _ArenaData)
    except msgspec.ValidationError as error:
        raise InvalidInput.of(
            f"the state is not one of the arena: {error}",
            where="state.data",
            expected="the state of docs/arena.md",
            remedy="give the pilot a Perception that reads the states of this executor",
        ) from error


def _me(actor: Actor) -> Me:
    left = rules.AIR_TICKS - actor.air - LAG
    return Me(
        place=(actor.x / rules.TILE, actor.y / rules.TILE),
        alive=actor.alive,
        health=actor.health / rules.HEALTH,
        stamina=actor.stamina / rules.STAMINA,
        facing=actor.facing,
        holding=actor.holding,
        in_air=actor.air > 0,
        busy=actor.dashing,
        flight=max(0, left) * rules.WALK_SPEED / rules.TILE if actor.air else 0.0,
        sliding=not actor.air and actor.velocity[:2] != [0, 0],
    )


def _foe(opponent: Opponent) -> Foe:
    return Foe(
        place=(opponent.x / rules.TILE, opponent.y / rules.TILE),
        alive=opponent.alive,
        health=opponent.health / rules.HEALTH,
        reach=rules.STRIKE_REACH / rules.TILE,
        blow_in=opponent.timer if opponent.mode == "windup" else None,
        harmless=opponent.mode in {"recover", "down"},
    )
