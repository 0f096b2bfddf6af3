"""Executors that take an observer for something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import answer, kind, read, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


def observes(wire: Wire) -> bool:
    return wire.guest.session.observes


class ObserverMayStop(Defect):
    """An intent of an observer is attempted."""

    caught_by: ClassVar = {"observe.drives_nothing"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if observes(wire) and kind(line) == "intent":
            wire.add(answer(read(line)))
            return []
        return [line]


class ObserverMayCancel(Defect):
    """A cancel of an observer counts for the driver's intents."""

    caught_by: ClassVar = {"observe.drives_nothing"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if observes(wire) and kind(line) == "cancel" and self.host.driver:
            self.host.driver.receive(line + b"\n", self.now)
        return [line]


class ObserverIsNotAnswered(Defect):
    """What an observer may not send is silently ignored."""

    caught_by: ClassVar = {"observe.drives_nothing"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [] if observes(wire) and kind(line) in {"intent", "cancel"} else [line]


class ObserverStopsTheActor(Defect):
    """The actor stops when an observer leaves."""

    caught_by: ClassVar = {"observe.leaves"}

    def ended(self, wire: Wire) -> None:
        if observes(wire):
            self.executor.arena.attempt("STOP", None, 0)
        super().ended(wire)


class ObserverEndsTheSession(Defect):
    """What the driver has under way ends when an observer leaves."""

    caught_by: ClassVar = {"observe.leaves"}

    def ended(self, wire: Wire) -> None:
        if observes(wire) and self.host.driver:
            for attempt in [*self.host.driver.session.under_way.values()]:
                self.host.cancel(attempt)
        super().ended(wire)


class ObserverDrives(Defect):
    """An observer counts as a driver: nobody else is welcome beside it."""

    caught_by: ClassVar = {"observe.welcome"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        watched = any(observes(other) and not other.guest.over for other in self.wires)
        self.wires.append(wire)
        if frame["type"] == "welcome" and watched and not observes(wire):
            wire.guest.end(self.now)
            return [{"v": 1, "type": "reject", "code": "not_ready", "message": "busy", "supported": "1.0.0"}]
        return [frame]

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.wires: list[Wire] = []


class ObserverMustWait(Defect):
    """An observer is refused while somebody drives."""

    caught_by: ClassVar = {"observe.welcome"}
    also: ClassVar = {"observe.drives_nothing", "observe.events", "observe.leaves", "observe.states"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome" and observes(wire) and self.host.driver:
            wire.guest.end(self.now)
            return [{"v": 1, "type": "reject", "code": "not_ready", "message": "busy", "supported": "1.0.0"}]
        return [frame]


class ObserverSeesNothing(Defect):
    """States are not pushed to observers."""

    caught_by: ClassVar = {"observe.states"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if observes(wire) and frame["type"] == "state" and "id" not in frame else [frame]


class ObserverSeesHalf(Defect):
    """An observer that asks for a full state gets half of one."""

    caught_by: ClassVar = {"observe.states"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"full": False} if observes(wire) and frame["type"] == "state" else frame]


class ObserverHearsNothing(Defect):
    """Events are not sent to observers."""

    caught_by: ClassVar = {"observe.events"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if observes(wire) and frame["type"] == "event" else [frame]


class ObserverGetsIds(Defect):
    """Events reach observers with the id of the driver's intent."""

    caught_by: ClassVar = {"observe.events"}
    also: ClassVar = {"conduct.event_ids"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"id": 5} if observes(wire) and frame["type"] == "event" else frame]


class ObserverGetsResults(Defect):
    """The results of the driver are sent to observers too."""

    caught_by: ClassVar = {"observe.events"}
    also: ClassVar = {"conduct.bound_by_id", "conduct.next_state", "observe.drives_nothing"}

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.results: list[bytes] = []

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame | bytes]:
        if observes(wire) and frame["type"] == "state":
            results, self.results = self.results, []
            return [*results, frame]
        if frame["type"] == "result":
            self.results = [written(frame)]
        return [frame]
