"""Executors that cannot be controlled: window, deadlines, cancel and STOP."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import PROMISED, AtTicks, answer, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


class WindowNotHeld(Defect):
    """More is taken than the welcome says."""

    held: ClassVar = replace(PROMISED, max_inflight=64)
    caught_by: ClassVar = {"window.one_more"}


class WindowTooSmall(Defect):
    """Less is taken than the welcome says."""

    held: ClassVar = replace(PROMISED, max_inflight=4)
    caught_by: ClassVar = {"window.fits"}
    also: ClassVar = {"window.free_again", "window.stop_not_counted"}


class StopNeedsRoom(Defect):
    """STOP is refused where the window is full."""

    caught_by: ClassVar = {"window.stop_apart"}

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        full = [frame for frame in frames if frame.get("detail") == "WINDOW_FULL"]
        for frame in frames:
            if full and frame.get("intent") == "STOP":
                frame |= {"result": full[0]["result"], "detail": "WINDOW_FULL"}
        return frames


class WaitsWithoutEnd(AtTicks, Defect):
    """What waits is attempted, however late."""

    expires: ClassVar = False
    caught_by: ClassVar = {"deadlines.not_started_late"}


class StopExpires(Defect):
    """STOP expires like any other intent."""

    caught_by: ClassVar = {"deadlines.stop_never_expires"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("intent") == "STOP" and data.get("ttl_ms") == 1:
            wire.add(answer(data, "FAILURE", "INVALID_STATE", detail="EXPIRED"))
            return []
        return [line]


class CancelNotAcknowledged(Defect):
    """A cancel is carried out without an answer."""

    caught_by: ClassVar = {"cancel.acknowledged"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if frame.get("stage") == "cancelling" else [frame]


class CancelIgnored(Defect):
    """A cancel is acknowledged, and the intent continues to its end."""

    caught_by: ClassVar = {"cancel.result_follows"}
    also: ClassVar = {"cancel.at_once", "cancel.beside_a_newer_one", "cancel.each_time", "requests.under_way_cancel"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "cancel" and data.get("id") in wire.guest.session.under_way:
            wire.add({"v": 1, "type": "progress", "id": data["id"], "stage": "cancelling"})
            return []
        return [line]


class CancelOfTheFinished(Defect):
    """To cancel what is finished brings its result once more."""

    caught_by: ClassVar = {"cancel.finished", "conduct.one_result"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        done: dict[int, Frame] = wire.notes.get("done", {})
        if data.get("type") == "cancel" and type(data.get("id")) is int and data["id"] in done:
            wire.add(done[data["id"]])
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            wire.notes.setdefault("done", {})[frame["id"]] = frame
        return [frame]


class CancelOfAnything(Defect):
    """A cancel of what was never sent is silently ignored."""

    caught_by: ClassVar = {"cancel.never_sent"}
    also: ClassVar = {"framing.refused_do_not_count"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if frame.get("code") == "unknown_id" else [frame]


class CancelledTwice(Defect):
    """Every cancel brings a result."""

    caught_by: ClassVar = {"cancel.twice"}
    also: ClassVar = {"conduct.bound_by_id", "conduct.one_result"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        cancelled: set[int] = wire.notes.setdefault("cancelled", set())
        if data.get("type") == "cancel" and type(data.get("id")) is int:
            if data["id"] in cancelled:
                wire.add(answer({"id": data["id"], "intent": "MOVE"}, "FAILURE", "UNKNOWN", detail="CANCELLED"))
            cancelled.add(data["id"])
        return [line]


class StopInTheQueue(Defect):
    """STOP waits until what is under way has ended."""

    caught_by: ClassVar = {"stop.overtakes"}
    also: ClassVar = {"stop.ahead_of_the_queue"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if read(line).get("intent") == "STOP" and wire.guest.session.under_way:
            wire.notes.setdefault("stops", []).append(line)
            return []
        return [line]

    def stepped(self, wire: Wire) -> None:
        if not wire.guest.session.under_way and not wire.guest.over:
            wire.feed(*wire.notes.pop("stops", []))


class StopAnsweredFirst(Defect):
    """The result of STOP comes before the results of what it ends."""

    caught_by: ClassVar = {"stop.ends_what_is_open", "stop.each_has_its_result"}
    also: ClassVar = {
        "conduct.seq_never_back",
        "conduct.stop_is_last",
        "requests.marked_stop",
        "requests.under_way_stop",
        "stop.means_all",
    }

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        first = next((at for at, frame in enumerate(frames) if frame["type"] == "result"), 0)
        return frames[:first] + sorted(frames[first:], key=lambda frame: frame.get("intent") != "STOP")


class StopForgetsTheOthers(Defect):
    """What STOP ends gets no result."""

    caught_by: ClassVar = {"stop.ends_what_is_open", "stop.each_has_its_result"}
    also: ClassVar = {
        "conduct.stop_is_last",
        "ids.repeated_while_open",
        "requests.marked_stop",
        "requests.under_way_stop",
        "stop.means_all",
        "truth.cut_short",
        "window.stop_apart",
        "window.stop_not_counted",
    }

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        stopping = any(frame.get("intent") == "STOP" for frame in frames)
        return [frame for frame in frames if not (stopping and frame.get("intent") == "MOVE")]


class StopOfNothing(Defect):
    """The fourth STOP in a row fails: there was nothing to stop."""

    caught_by: ClassVar = {"stop.idle"}
    also: ClassVar = {"deadlines.stop_never_expires"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            wire.notes["row"] = wire.notes.get("row", 0) + 1 if frame["intent"] == "STOP" else 0
            if wire.notes["row"] >= 4:
                frame["result"] |= {"status": "FAILURE", "failure_reason": "INVALID_STATE", "partial_execution": False}
        return [frame]
