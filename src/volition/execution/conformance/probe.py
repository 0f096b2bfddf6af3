"""What the kit can know of a world: a probe reads an executor's states, so that its words can be held against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Vector: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Target:
    """Somebody to hit: `in_reach` of a swing, and `ahead` where a swing as the actor stands now would meet it."""

    alive: bool
    health: float
    in_reach: bool
    ahead: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """One state as the checks need it. What an attempt did is judged by health, not by what an actor counts of itself.

    `cooling` and `tired` name the intents that a cooldown or a lack of means hinders now.
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
    target: Target | None


class Probe(Protocol):
    """Reads the states of one schema. It never acts: it says where one could go, and what was to be seen."""

    def fits(self, schema: Mapping[str, Any]) -> bool:
        """Whether this probe reads states of that schema."""
        ...

    def see(self, data: Any) -> Sight:
        """Read the data of a full state; KeyError, TypeError or ValueError where it is not of the schema."""
        ...

    def ways(self, data: Any) -> Sequence[Vector]:
        """Vectors for MOVE that lead over free and harmless ground in a straight line, the longest first."""
        ...

    def obstructed(self, data: Any) -> Sequence[Vector]:
        """Vectors for MOVE that end where the actor cannot be, over harmless ground and within the world."""
        ...

    def arrives(self, before: Sight, vector: Vector, after: Sight) -> bool:
        """Whether `after` is where a MOVE by `vector` from `before` leads."""
        ...

    def step_to_target(self, data: Any) -> Vector | None:
        """A MOVE that brings the actor nearer to its target; None where there is no way."""
        ...

    def step_to_harm(self, data: Any) -> Vector | None:
        """A MOVE towards the nearest place that hurts, or (0, 0, 0) on it; None where there is none."""
        ...

    def turn(self, data: Any, *, to_target: bool) -> Vector | None:
        """A small MOVE after which the actor faces its target, or does not, and still has it in reach."""
        ...
