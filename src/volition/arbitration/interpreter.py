"""The spec's TacticalInterpreter: a composite over a tile map becomes a move, a hold or a fail. It executes nothing.

On a map every `reach` goes around what the constraints `avoid`, and where no path leads the decision says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Heuristic
from volition.arbitration.report import fields_to_data
from volition.arbitration.tilemap import STAY, Tile, TileSituation
from volition.arbitration.tiles import Avoid, Reach, check_tags
from volition.core.errors import InvalidInput, Problems
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.arbitration.breakdown import Reason
    from volition.arbitration.decision import Decision
    from volition.arbitration.tilemap import Position, TileMap


STAY_CHOSEN = "stay_chosen"
"""The rule of a hold that was not forced: staying put was allowed and won."""
TARGET_UNREACHABLE = "target_unreachable"
"""The rule of a hold without a path: a target cannot be reached, and nothing else favoured a move."""


class StaleMap(InvalidInput):
    """The map that the caller saw is not the map that decides; nothing was decided."""


class TileMove(FrozenStruct, frozen=True):
    """The payload of a move: which way, and where it leads."""

    direction: str
    destination: Position


class TacticalDecision(FrozenStruct, frozen=True):
    """What to do on the map of that version: move (with its payload), hold, or fail.

    `rule` says what decided; where staying put won it is "stay_chosen", and `reason.rule` says how it won; where it won
    because nobody voted and no path leads to a target, it is "target_unreachable". `unreachable` names such targets by
    the heuristic that wants to reach them, whatever was decided.
    """

    kind: Literal["move", "hold", "fail"]
    payload: TileMove | None
    rule: str
    map_version: int
    unreachable: Mapping[str, Position]
    decision: Decision[Tile]

    @property
    def reason(self) -> Reason:
        return self.decision.reason

    @property
    def is_lost(self) -> bool:
        """Whether the actor holds because no path leads to where it wants to go."""
        return self.rule == TARGET_UNREACHABLE

    def to_data(self) -> dict[str, Any]:
        return fields_to_data(self)

    def __str__(self) -> str:
        to = f" {self.payload.direction} to {self.payload.destination}" if self.payload else ""
        lost = "".join(f", {id} finds no path to {target}" for id, target in self.unreachable.items())
        return f"{self.kind}{to} ({self.rule}{lost}, map version {self.map_version})"


class TacticalInterpreter:
    """Decides moves on the map it was given last.

    >>> from volition.arbitration.composite import CompositeIntention
    >>> from volition.arbitration.intention import Constraint, Heuristic
    >>> from volition.arbitration.tilemap import TileMap
    >>> from volition.arbitration.tiles import avoid, reach
    >>> interpreter = TacticalInterpreter(TileMap.parse("..~.\\n...."))
    >>> safe_way = CompositeIntention(
    ...     Constraint("safety", avoid("hazard")), Heuristic("goal", reach((3, 0)))
    ... )
    >>> print(interpreter.decide((1, 0), safe_way))
    move south to (1, 1) (highest_total, map version 0)
    >>> interpreter.update(TileMap.parse("..~.\\n..~.", version=1))
    >>> print(interpreter.decide((1, 0), safe_way))
    hold (target_unreachable, goal finds no path to (3, 0), map version 1)
    """

    def __init__(self, map: TileMap) -> None:
        self._map = map
        self._routed: tuple[CompositeIntention, TileMap, CompositeIntention] | None = None

    @property
    def map(self) -> TileMap:
        """The map that decides."""
        return self._map

    def update(self, map: TileMap) -> None:
        """Take a newer map; one whose version is not newer is refused."""
        if map.version <= self._map.version:
            raise StaleMap.of(
                f"the map offered has version {map.version}, and version {self._map.version} is already known",
                where="map.version",
                expected=f"a version above {self._map.version}",
                remedy="raise the version with every change of the world",
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

        What the constraints avoid, every `reach` walks around. Where nothing favours a move the actor holds, and
        where that is because a target cannot be reached, the decision says so. `map_version` is the version that the
        caller saw: another one is refused. Where everything is vetoed, staying put included, the answer is "fail":
        holding would be the forbidden act.
        """
        world = self._map
        if map_version is not None and map_version != world.version:
            raise StaleMap.of(
                f"the caller saw map version {map_version!r}, and the map has version {world.version}",
                where="map_version",
                expected=f"version {world.version}",
                remedy="look at the map again, then decide",
            )
        situation = TileSituation(world, position)
        decision = arbitrate(
            world.moves(position),
            self._route(composite),
            on_impossible=on_impossible,
            tie_margin=tie_margin,
            stay=STAY,
            context=situation,
            version=world.version,
        )
        return interpret(decision, situation)

    def _route(self, composite: CompositeIntention) -> CompositeIntention:
        """The composite as it walks; made once for a walk that keeps its composite and its map."""
        known = self._routed
        if known is None or known[0] is not composite or known[1] is not self._map:
            known = self._routed = (composite, self._map, route(composite, self._map))
        return known[2]


def interpret(decision: Decision[Tile], situation: TileSituation) -> TacticalDecision:
    """Read a decision between the moves of a situation as a move, a hold or a fail."""
    tile, version = decision.candidate, situation.map.version
    rule: str = decision.reason.rule
    lost = unreachable(decision.tally.composite, situation)
    if tile is None:
        return TacticalDecision("fail" if decision.kind == "fail" else "hold", None, rule, version, lost, decision)
    if tile.id == STAY:
        why = TARGET_UNREACHABLE if lost and not decision.reason.voted_by else STAY_CHOSEN
        return TacticalDecision("hold", None, why, version, lost, decision)
    return TacticalDecision("move", TileMove(tile.id, tile.position), rule, version, lost, decision)


def route(composite: CompositeIntention, world: TileMap) -> CompositeIntention:
    """The composite as it walks on this map: every `reach` goes around what the constraints `avoid`.

    A path over forbidden ground is no path. Writing this into the composite keeps each vote a function of the
    intention, the candidate and the situation alone, so every answer about the decision stays exact. Tags and targets
    that the map does not know are refused, all at once.

    >>> from volition.arbitration.intention import Constraint
    >>> from volition.arbitration.tilemap import TileMap
    >>> from volition.arbitration.tiles import avoid, reach
    >>> spec = CompositeIntention(Constraint("safety", avoid("hazard")), Heuristic("goal", reach((2, 0))))
    >>> route(spec, TileMap.parse(".~.\\n..."))["goal"].intent
    Reach(target=(2, 0), around=('hazard',))
    """
    _check_ground(composite, world)
    avoided = {tag for entry in composite.constraints if isinstance(entry.intent, Avoid) for tag in entry.intent.tags}
    if not avoided:
        return composite
    return CompositeIntention(
        *(
            replace(entry, intent=Reach(entry.intent.target, (*entry.intent.around, *avoided)))
            if isinstance(entry, Heuristic) and isinstance(entry.intent, Reach)
            else entry
            for entry in composite
        )
    )


def unreachable(composite: CompositeIntention, situation: TileSituation) -> dict[str, Position]:
    """The targets that no path leads to, by the id of the heuristic that wants to reach them."""
    return {
        entry.id: entry.intent.target
        for entry in composite.heuristics
        if isinstance(entry.intent, Reach) and not entry.intent.finds_path(situation)
    }


def _check_ground(composite: CompositeIntention, world: TileMap) -> None:
    problems = Problems()
    for entry in composite:
        where = f"{entry.kind} {entry.id!r}"
        if isinstance(entry.intent, Avoid):
            check_tags(entry.intent.tags, world, where, problems)
        if isinstance(entry.intent, Reach):
            check_tags(entry.intent.around, world, where, problems)
            if entry.intent.target not in world:
                problems.add(
                    f"the target {entry.intent.target} is not on the map",
                    where=where,
                    expected=f"[x, y], x from 0 to {world.width - 1} and y from 0 to {world.height - 1}",
                    remedy="check the order: x to the right first, then y down",
                )
    problems.raise_if_any(InvalidInput)
