"""The executor as its own probe: with the feature `probe` it answers what the kit would otherwise read in its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.execution.conformance.probe import Sight, Vector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FEATURE: Final = "probe"
_PRECISION: Final = 0.01


class WireProbe:
    """Reads frames of the type `probe.sight`, whose places are in the unit of MOVE's vectors.

    What is not of the type that the protocol asks for is a ValueError, as every probe promises.
    """

    def __init__(self) -> None:
        self._precision = _PRECISION

    def fits(self, schema: Mapping[str, Any]) -> bool:
        return True

    def see(self, data: Any) -> Sight:
        self._precision = float(data.get("precision", _PRECISION))
        return msgspec.convert(data["sight"], Sight)

    def ways(self, data: Any) -> Sequence[Vector]:
        return msgspec.convert(data.get("ways", ()), list[Vector])

    def obstructed_ways(self, data: Any) -> Sequence[Vector]:
        return msgspec.convert(data.get("obstructed", ()), list[Vector])

    def arrives(self, before: Sight, vector: Vector, after: Sight) -> bool:
        return all(
            abs(then + part - now) <= self._precision
            for then, part, now in zip(before.place, vector, after.place, strict=True)
        )

    def step_to_target(self, data: Any) -> Vector | None:
        return _optional_vector(data.get("to_target"))

    def step_to_harm(self, data: Any) -> Vector | None:
        return _optional_vector(data.get("to_harm"))

    def turn(self, data: Any, *, to_target: bool) -> Vector | None:
        return _optional_vector(data.get("face_target" if to_target else "face_away"))


def _optional_vector(value: Any) -> Vector | None:
    return None if value is None else msgspec.convert(value, Vector)
