"""The spec's TacticalInterpreter: a composite over a tile map becomes a move, a hold or a fail. It executes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from volition.arbitration.arbiter import arbitrate
from volition.arbitration.tilemap import STAY, Situation, Tile
from volition.core.errors import InvalidInput, Problem

if TYPE_CHECKING:
    from volition.arbitration.composite import CompositeIntention
    from volition.arbitration.decision import Decision, Reason
    from volition.arbitration.tilemap import Position, TileMap

STAY_CHOSEN = "stay_chosen"
"""The rule of a hold that was not forced: staying put was allowed and won."""


class StaleMap(InvalidInput):
    """The map that the caller saw is not the map that decides; nothing was decided."""


@dataclass(frozen=True, slots=True)
class Move:
    """The payload of a move: which way, and where it leads."""

    direction: str
    destination: Position

    def to_data(self) -> dict[str, Any]:
        return {"direction": self.direction, "destination": list(self.destination)}


@dataclass(frozen=True, slots=True)
class TacticalDecision:
    """What to do on the map of that version: move (with its payload), hold, or fail.

    `rule` says what decided; where staying put won it is "stay_chosen", and `reason.rule` says how it won.
    """

    kind: Literal["move", "hold", "fail"]
    payload: Move | None
    rule: str
    map_version: int
    decision: Decision[Tile]

    @property
    def reason(self) -> Reason:
        return self.decision.reason

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "payload": None if self.payload is None else self.payload.to_data(),
            "rule": self.rule,
            "map_version": self.map_version,
            "decision": self.decision.to_data(),
        }

    def __str__(self) -> str:
        to = f" {self.payload.direction} to {self.payload.destination}" if self.payload else ""
        return f"{self.kind}{to} ({self.rule}, map version {self.map_version})"


class TacticalInterpreter:
    """Decides moves on the map it was given last.

    >>> from volition.arbitration.composite import CompositeIntention
    >>> from volition.arbitration.intention import Constraint, Heuristic
    >>> from volition.arbitration.tilemap import TileMap
    >>> from volition.arbitration.tiles import avoid, reach
    >>> interpreter = TacticalInterpreter(TileMap.parse("..~.\\n...."))
    >>> safe_way = CompositeIntention(
    ...     Constraint("safety", avoid("hazard")), Heuristic("goal", reach((3, 0), around=["hazard"]))
    ... )
    >>> print(interpreter.decide((1, 0), safe_way))
    move south to (1, 1) (highest_total, map version 0)
    """

    def __init__(self, map: TileMap) -> None:
        self._map = map

    @property
    def map(self) -> TileMap:
        """The map that decides."""
        return self._map

    def update(self, map: TileMap) -> None:
        """Take a newer map; one whose version is not newer is refused."""
        if map.version <= self._map.version:
            raise StaleMap(
                Problem(
                    f"the map offered has version {map.version}, and version {self._map.version} is already known",
                    "map.version",
                    f"a version above {self._map.version}",
                    "raise the version with every change of the world",
                )
            )
        self._map = map

    def decide(
        self,
        position: Position,
        composite: CompositeIntention,
        *,
        map_version: int | None = None,
        on_impossible: Literal["hold", "fail"] = "hold",
        tie_margin: float = 0.0,
    ) -> TacticalDecision:
        """Arbitrate between the moves from a position, staying put among them.

        `map_version` is the version that the caller saw: another one is refused. Where everything is vetoed, staying
        put included, the answer is "fail": holding would be the forbidden act.
        """
        world = self._map
        if map_version is not None and map_version != world.version:
            raise StaleMap(
                Problem(
                    f"the caller saw map version {map_version!r}, and the map has version {world.version}",
                    "map_version",
                    f"version {world.version}",
                    "look at the map again, then decide",
                )
            )
        decision = arbitrate(
            world.moves(position),
            composite,
            on_impossible=on_impossible,
            tie_margin=tie_margin,
            stay=STAY,
            context=Situation(world, position),
            version=world.version,
        )
        return _interpret(decision, world.version)


def _interpret(decision: Decision[Tile], version: int) -> TacticalDecision:
    tile, rule = decision.candidate, decision.reason.rule
    if tile is None:
        return TacticalDecision("fail" if decision.kind == "fail" else "hold", None, rule, version, decision)
    if tile.id == STAY:
        return TacticalDecision("hold", None, STAY_CHOSEN, version, decision)
    return TacticalDecision("move", Move(tile.id, tile.position), rule, version, decision)
