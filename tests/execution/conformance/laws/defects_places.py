"""Executors that declare too much about how inexactly they tell places."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.laws.defects_world import Slider

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


class Declares(Defect):
    """The welcome declares more than the arena's does."""

    declared: ClassVar[Frame]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome":
            frame["state_schema"]["places"] |= self.declared
        return [frame]


class SeesNothing(Declares):
    """Its tolerance is as large as the steps of its actor: nothing could ever be told from standing."""

    caught_by: ClassVar = {"places.tolerance"}
    declared: ClassVar = {"tolerance": 1.0}


class CoastsAtFullSpeed(Declares):
    """It slides on after STOP as fast at the end as at the beginning, and calls that coasting."""

    arena = Slider
    caught_by: ClassVar = {"places.coasting"}
    declared: ClassVar = {"coast_ms": 500}
