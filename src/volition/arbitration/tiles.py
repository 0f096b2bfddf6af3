"""The spec's intentions over a tile world: avoid, reach and hold.

Their candidates are the `Tile`s that a `TileMap` offers; their context is a `TileSituation`. `routing` joins them: what a
constraint avoids, every reach goes around.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from volition.arbitration.data_checks import read_member, record, text
from volition.arbitration.intent import CONSTRAINT, HEURISTIC, Kind
from volition.arbitration.tilemap import Position, TileSituation, read_position
from volition.core.errors import InvalidInput, Problems, did_you_mean, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.arbitration.tilemap import TileMap

__all__ = ["avoid", "hold", "reach"]


@dataclass(frozen=True, slots=True)
class Avoid:
    """A constraint's intent: no tile with one of these tags; see `avoid`."""

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT,)

    tags: tuple[str, ...]

    def __post_init__(self) -> None:
        problems = Problems()
        object.__setattr__(self, "tags", _read_tags(self.tags, "avoid", problems))
        if not self.tags and not len(problems):
            problems.add(
                "no tag is named", where="avoid", expected="one tag or more", remedy="name one, such as 'hazard'"
            )
        problems.raise_if_any(InvalidInput)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[bool | str]:
        _check_known(self.tags, _situation(context).map, "avoid")
        return [f"{tile.tag} at {tile.position}" if tile.tag in self.tags else False for tile in candidates]

    def to_data(self) -> dict[str, Any]:
        return {"avoid": self.tags[0] if len(self.tags) == 1 else list(self.tags)}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> Avoid | None:
        """Read `{"avoid": "hazard"}` or `{"avoid": ["hazard", "water"]}`."""
        return read_member(data, "avoid", cls, where, problems)


@dataclass(frozen=True, slots=True)
class Reach:
    """A heuristic's intent: towards a target, by the shortest path; see `reach`."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    target: Position
    around: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        problems = Problems()
        target = read_position(self.target, "target", "reach", problems)
        object.__setattr__(self, "around", _read_tags(self.around, "around", problems))
        problems.raise_if_any(InvalidInput)
        object.__setattr__(self, "target", target)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[float | None]:
        situation = _situation(context)
        here, distances = self._way(situation)
        if here is None:
            return [None] * len(candidates)
        return [_progress(here, distances.get(tile.position), tile, situation) for tile in candidates]

    def finds_path(self, situation: TileSituation) -> bool:
        """Whether any path leads from the actor to the target."""
        return self._way(situation)[0] is not None

    def _way(self, situation: TileSituation) -> tuple[int | None, Mapping[Position, int]]:
        """The distance of the actor, who may stand on ground that no path would cross, and those of all tiles."""
        _check_known(self.around, situation.map, "reach, around")
        distances, here = situation.map.distances(self.target, self.around), situation.position
        if here in distances:
            return distances[here], distances
        onward = [distances[tile.position] for tile in situation.map.moves(here) if tile.position in distances]
        return min(onward) + 1 if onward else None, distances

    def to_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"reach": list(self.target)}
        return {**data, "around": list(self.around)} if self.around else data

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> Reach | None:
        """Read `{"reach": [x, y], "around": ["hazard"]}`."""
        fields = record(data, where, problems, required=("reach",), optional=("around",))
        if fields is None:
            return None
        return problems.attempt(lambda: cls(fields["reach"], fields.get("around", ())), under=f"{where}.")


@dataclass(frozen=True, slots=True)
class HoldStill:
    """Stay put: as a constraint it forbids every move, as a heuristic it gives +1.0 to staying and -1.0 to moving.

    >>> hold().to_data()
    {'hold': True}
    """

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT, HEURISTIC)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Any]:
        here = _situation(context).position
        stay, move = (False, f"holding at {here}") if kind == CONSTRAINT else (1.0, -1.0)
        return [stay if tile.position == here else move for tile in candidates]

    def to_data(self) -> dict[str, Any]:
        return {"hold": True}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> HoldStill | None:
        """Read `{"hold": true}`."""
        fields = record(data, where, problems, required=("hold",))
        if fields is None or fields["hold"] is True:
            return None if fields is None else cls()
        problems.add(
            f"hold is {fields['hold']!r}",
            where=f"{where}.hold",
            expected="true",
            remedy="leave the intention out to allow moving",
        )
        return None


hold = HoldStill


def avoid(*tags: str) -> Avoid:
    """As a constraint: forbid every tile that has one of these tags.

    A tag that the map's legend does not know is an error: a misspelt veto must not pass for "nothing to avoid".

    >>> avoid("hazard").to_data()
    {'avoid': 'hazard'}
    """
    return Avoid(tags)


def reach(target: Sequence[int], around: Iterable[str] = ()) -> Reach:
    """As a heuristic: +1.0 for a step nearer to the target, -1.0 for one farther from it, 0.0 for neither.

    Distance is the length of the shortest path over tiles that are neither walls nor of a tag in `around`; the tile
    that the actor stands on may be of such a tag, the tile stepped on may not, and scores -1.0. Where no path leads to
    the target it abstains. A target outside the map is an error. What the other constraints avoid need not be
    named: `route` adds it. `around` is for ground that nothing forbids.

    >>> reach((4, 1), around=["hazard"]).to_data()
    {'reach': [4, 1], 'around': ['hazard']}
    """
    return Reach(target, around if isinstance(around, str) else tuple(around))  # type: ignore[arg-type]


def _progress(here: int, there: int | None, tile: Any, situation: TileSituation) -> float:
    if tile.position == situation.position:
        return 0.0
    if there is None or there > here:
        return -1.0
    return 1.0 if there < here else 0.0


def _situation(context: Any) -> TileSituation:
    if not isinstance(context, TileSituation):
        refuse(
            f"the context is {context!r}",
            where="context",
            expected="a TileSituation: the map, and the position on it",
            remedy="decide with a TacticalInterpreter, or pass context=TileSituation(map, position)",
        )
    return context


def _check_known(tags: Iterable[str], world: TileMap, where: str) -> None:
    problems = Problems()
    check_tags(tags, world, where, problems)
    problems.raise_if_any(InvalidInput)


def check_tags(tags: Iterable[str], world: TileMap, where: str, problems: Problems) -> None:
    for tag in tags:
        if tag not in world.tags:
            problems.add(
                f"the map knows no {tag!r}",
                where=where,
                expected="a tag of the map's legend",
                remedy=did_you_mean(tag, sorted(world.tags)),
            )


def _read_tags(tags: Any, where: str, problems: Problems) -> tuple[str, ...]:
    """Tags, sorted and each once; a text is one tag."""
    if not isinstance(tags, (str, list, tuple)):
        problems.add(f"this is {tags!r}", where=where, expected="a tag or a list of tags", remedy="write ['hazard']")
        return ()
    named = [tags] if isinstance(tags, str) else tags
    for index, tag in enumerate(named):
        text(tag, where if isinstance(tags, str) else f"{where}[{index}]", problems)
    return tuple(sorted({tag for tag in named if isinstance(tag, str)}))
