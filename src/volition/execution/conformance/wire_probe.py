"""The executor as its own probe: with the feature `probe` it answers what the kit would otherwise read in its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.probe import Sight, Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.execution.conformance.probe import Vector

FEATURE: Final = "probe"
_PRECISION: Final = 0.01


class WireProbe:
    """Reads frames of the type `probe.sight`. Their places are in the unit of MOVE's vectors."""

    def __init__(self) -> None:
        self._precision = _PRECISION

    def fits(self, schema: Mapping[str, Any]) -> bool:
        return True

    def see(self, data: Any) -> Sight:
        sight = data["sight"]
        target = sight.get("target")
        self._precision = float(data.get("precision", _PRECISION))
        return Sight(
            place=_vector(sight["place"]),
            alive=_truth(sight["alive"]),
            grounded=_truth(sight["grounded"]),
            busy=_truth(sight["busy"]),
            holding=_truth(sight["holding"]),
            facing=str(sight["facing"]),
            health=float(sight["health"]),
            cooling=frozenset(map(str, sight["cooling"])),
            tired=frozenset(map(str, sight["tired"])),
            target=None if target is None else Target(
                alive=_truth(target["alive"]),
                health=float(target["health"]),
                in_reach=_truth(target["in_reach"]),
                ahead=_truth(target["ahead"]),
            ),
        )  # fmt: skip

    def ways(self, data: Any) -> Sequence[Vector]:
        return [_vector(way) for way in data.get("ways", ())]

    def obstructed(self, data: Any) -> Sequence[Vector]:
        return [_vector(way) for way in data.get("obstructed", ())]

    def arrives(self, before: Sight, vector: Vector, after: Sight) -> bool:
        return all(
            abs(then + part - now) <= self._precision
            for then, part, now in zip(before.place, vector, after.place, strict=True)
        )

    def step_to_target(self, data: Any) -> Vector | None:
        return _perhaps(data.get("to_target"))

    def step_to_harm(self, data: Any) -> Vector | None:
        return _perhaps(data.get("to_harm"))

    def turn(self, data: Any, *, to_target: bool) -> Vector | None:
        return _perhaps(data.get("face_target" if to_target else "face_away"))


def _vector(value: Any) -> Vector:
    x, y, z = value
    return (float(x), float(y), float(z))


def _perhaps(value: Any) -> Vector | None:
    return None if value is None else _vector(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value
