"""Executors that claim more for a MOVE that was cut short than it has done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.execution.conformance.subject import Frame, Wire


def relabel(frame: Frame, status: str, reason: str = "NONE") -> None:
    """Give a result frame another status."""
    inner: dict[str, Any] = frame["result"]
    inner |= {"status": status, "failure_reason": reason, "partial_execution": status == "PARTIAL"}


class Claiming(Defect):
    """A MOVE that ended without arriving is called a success, where `claims` says so."""

    claims: ClassVar[Callable[[Any, Frame, Wire], bool]]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        partial = frame["type"] == "result" and frame["result"]["status"] == "PARTIAL"
        if partial and frame["intent"] == "MOVE" and self.claims(frame, wire):
            relabel(frame, "SUCCESS")
        return [frame]

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        wire.notes.setdefault("sent", []).append(
            (data.get("type"), data.get("intent"), data.get("id"), data.get("ttl_ms"))
        )
        return [line]


class OverdueSucceeds(Claiming):
    """A MOVE whose time is over is called a success."""

    caught_by: ClassVar = {"truth.move_in_time"}

    def claims(self, frame: Frame, wire: Wire) -> bool:
        return ("intent", "MOVE", frame["id"], 300) in wire.notes["sent"]


class SupersededSucceeds(Claiming):
    """A MOVE that was superseded by another is called a success."""

    caught_by: ClassVar = {"truth.superseded_move"}
    also: ClassVar = {"requests.under_way", "requests.under_way_cancel", "requests.under_way_stop"}

    def claims(self, frame: Frame, wire: Wire) -> bool:
        return any(
            intent == "MOVE" and id > frame["id"] for kind, intent, id, _ in wire.notes["sent"] if kind == "intent"
        )


class CancelledSucceeds(Claiming):
    """A MOVE that was cancelled is called a success."""

    caught_by: ClassVar = {"truth.cut_short"}
    also: ClassVar = {"requests.under_way", "requests.under_way_cancel"}

    def claims(self, frame: Frame, wire: Wire) -> bool:
        return ("cancel", None, frame["id"], None) in wire.notes["sent"]


class StoppedSucceeds(Claiming):
    """A MOVE that was stopped is called a success."""

    caught_by: ClassVar = {"truth.cut_short"}

    def claims(self, frame: Frame, wire: Wire) -> bool:
        kind, intent, *_ = wire.notes["sent"][-1]
        return (kind, intent) == ("intent", "STOP")


class CancelledNeverBegan(Claiming):
    """A MOVE that was cancelled on its way is said not to have begun."""

    caught_by: ClassVar = {"truth.cut_short"}
    also: ClassVar = {"requests.under_way"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and ("cancel", None, frame["id"], None) in wire.notes["sent"]:
            relabel(frame, "FAILURE", "UNKNOWN")
            frame["detail"] = "CANCELLED"
        return [frame]


class DyingSucceeds(Claiming):
    """A MOVE during which the actor dies is called a success."""

    caught_by: ClassVar = {"truth.dying_move"}

    def claims(self, frame: Frame, wire: Wire) -> bool:
        return not frame["result"]["outcomes"]["is_alive"]


class DyingLives(Defect):
    """The result of a MOVE during which the actor dies says that it is alive."""

    caught_by: ClassVar = {"truth.dying_move"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and frame["result"]["status"] == "PARTIAL":
            frame["result"]["outcomes"]["is_alive"] = True
        return [frame]
