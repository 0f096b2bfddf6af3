"""What the kit knows about a world: a probe reads an executor's states, so that its results can be compared with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from msgspec import Struct

from volition.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Vector: TypeAlias = tuple[float, float, float]

FEATURE: Final = "probe"
_PRECISION: Final = 0.01


class ProbeTarget(Struct, frozen=True):
    """Somebody to hit: `in_reach` of a swing, and `ahead` where a swing in the current facing would hit it."""

    alive: bool
    health: float
    in_reach: bool
    ahead: bool


class Sight(Struct, frozen=True):
    """One state as the checks need it. The effect of an attempt is judged by health, not by the actor's own counters.

    `cooling` and `tired` are the intents that a cooldown or a lack of resources prevents now.
    """

    place: Vector
    alive: bool
    grounded: bool
    busy: bool
    holding: bool
    facing: str
    health: float
    cooling: frozenset[str]
    tired: frozenset[str]
    target: ProbeTarget | None

    @property
    def free(self) -> bool:
        """Whether the actor can begin something."""
        return self.alive and self.grounded and not self.busy


class Probe(Protocol):
    """Reads the states of one schema. It never acts: it says what a state shows and where the actor could go."""

    def fits(self, schema: Mapping[str, Any]) -> bool:
        """Whether this probe reads states of that schema."""
        ...

    def see(self, data: Any) -> Sight:
        """Read the data of a full state; KeyError, TypeError or ValueError where it does not match the schema."""
        ...

    def ways(self, data: Any) -> Sequence[Vector]:
        """Vectors for MOVE that lead over free and harmless ground in a straight line, longest first."""
        ...

    def obstructed_ways(self, data: Any) -> Sequence[Vector]:
        """Vectors for MOVE that end where the actor cannot be, over harmless ground and within the world."""
        ...

    def arrives(self, before: Sight, vector: Vector, after: Sight) -> bool:
        """Whether `after` is where a MOVE by `vector` from `before` leads."""
        ...

    def step_to_target(self, data: Any) -> Vector | None:
        """A MOVE that brings the actor closer to its target; None where there is no way."""
        ...

    def step_to_harm(self, data: Any) -> Vector | None:
        """A MOVE towards the nearest harmful place, (0, 0, 0) where the actor is on it; None where there is none."""
        ...

    def turn(self, data: Any, *, to_target: bool) -> Vector | None:
        """A short MOVE after which the actor faces its target, or turns its back on it, with the target still in reach."""
        ...


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
        return convert(data["sight"], Sight)

    def ways(self, data: Any) -> Sequence[Vector]:
        return convert(data.get("ways", ()), list[Vector])

    def obstructed_ways(self, data: Any) -> Sequence[Vector]:
        return convert(data.get("obstructed", ()), list[Vector])

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
    return None if value is None else convert(value, Vector)
