"""What the first welcome of a run offers: intents, limits, ticks, a probe, and how exactly places are told."""

from __future__ import annotations

from math import dist
from typing import TYPE_CHECKING, Final

from msgspec import ValidationError

from volition.core.typed import convert
from volition.execution.conformance.verdict import NotApplicable, Unoffered
from volition.execution.wire.frames import Places

if TYPE_CHECKING:
    from volition.execution.conformance.verdict import Frame
    from volition.execution.wire.probe import Probe, Sight, Vector


_NO_PROBE: Final = (
    "the meaning of the states is unknown: pass a probe (--probe MODULE:CLASS), or let the executor offer the feature "
    "probe (docs/conformance-kit.md)"
)


class Offering:
    """The first welcome of a run, and the probe. `shared` is false where every dial starts another executor."""

    def __init__(self, probe: Probe | None, *, shared: bool) -> None:
        self.welcome: Frame = {}
        self.probe = probe
        self.shared = shared

    def limit(self, name: str, usual: int) -> int:
        limits = self.welcome.get("limits")
        value = limits.get(name) if isinstance(limits, dict) else None
        return value if isinstance(value, int) and value > 0 else usual

    def supports(self, name: str) -> bool:
        intents = self.welcome.get("intents")
        return isinstance(intents, list) and name in intents

    def need(self, *names: str) -> None:
        """NotApplicable unless the executor supports these intents."""
        for name in names:
            if not self.supports(name):
                raise Unoffered(f"the executor does not support {name}")

    def need_probe(self, *names: str) -> Probe:
        """The probe, where these intents can be tried; NotApplicable without one."""
        if self.probe is None:
            raise Unoffered(_NO_PROBE)
        self.need(*names)
        return self.probe

    def need_move_probe(self) -> Probe:
        """The probe, where it says where a MOVE leads; NotApplicable otherwise."""
        probe = self.need_probe("MOVE")
        if self.welcome.get("move_frame") != "relative":
            raise NotApplicable("the vectors are absolute, and no probe says where they lead")
        return probe

    @property
    def places(self) -> Places | None:
        """How the executor tells places; None where it does not say, or not in a way that can be read."""
        schema = self.welcome.get("state_schema")
        try:
            return convert(schema["places"], Places) if isinstance(schema, dict) and schema.get("places") else None
        except ValidationError:
            return None

    @property
    def tolerance(self) -> float:
        """How far apart two places may be and still be the same; 0 where they are exact."""
        return 0.0 if self.places is None else self.places.tolerance

    @property
    def coast(self) -> float:
        """How long, in seconds, the actor may go on moving after what moved it has ended."""
        return 0.0 if self.places is None else self.places.coast_ms / 1000

    def same_place(self, one: Sight, other: Sight) -> bool:
        """Whether two sights show the actor at one place, as exactly as the executor tells places."""
        return one.place == other.place or dist(one.place, other.place) <= self.tolerance

    def arrives(self, before: Sight, vector: Vector, after: Sight) -> bool:
        """Whether `after` is where a MOVE by `vector` from `before` leads: for the probe, or within the tolerance."""
        there = tuple(then + part for then, part in zip(before.place, vector, strict=True))
        near = bool(self.tolerance) and dist(there, after.place) <= self.tolerance
        return near or self.need_probe().arrives(before, vector, after)

    def need_shared(self) -> None:
        """NotApplicable where the next connection does not reach the same executor."""
        if not self.shared:
            raise Unoffered("every connection starts another executor")

    def pick(self, *names: str) -> str:
        """The first of these intents that the executor supports, as every one does STOP; NotApplicable without one."""
        for name in names:
            if self.supports(name):
                return name
        raise Unoffered(f"the executor supports none of {', '.join(names)}")

    @property
    def tick(self) -> float:
        """The length of a tick in seconds; 0 where the world moves only when acted upon."""
        hz = self.welcome.get("tick_hz")
        return 1 / hz if isinstance(hz, int | float) and hz > 0 else 0.0
