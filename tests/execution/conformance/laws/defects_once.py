"""Executors that do something twice, or obey who should not be obeyed any more."""

from __future__ import annotations

import unicodedata
from itertools import count
from typing import TYPE_CHECKING, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import answer, kind, read, written
from volition.execution.executor.contract import Ended

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire
    from volition.execution import IncomingIntent


def changed(line: bytes, **fields: object) -> bytes:
    """The line of a marked intent with other fields; any other line as it is."""
    data = read(line)
    known = {name: value for name, value in fields.items() if name in data}
    return written(data | known) if kind(line) == "intent" and "request" in data else line


class ForgetsRequests(Defect):
    """What was done for a request is forgotten with the connection."""

    caught_by: ClassVar = {"requests.remembered"}
    also: ClassVar = {"requests.interrupted"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "hello":
            self.memory._digests.clear()
            self.memory._results.clear()
        return [line]


class DoesItTwice(Defect):
    """Every request is taken for a new one."""

    caught_by: ClassVar = {"requests.remembered", "requests.other_digest", "requests.under_way"}
    also: ClassVar = {
        "requests.interrupted",
        "requests.order_of_refusals",
        "requests.under_way_cancel",
        "requests.under_way_digest",
        "requests.under_way_overdue",
        "requests.under_way_stop",
    }
    numbers = count()

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, request=f"new-{next(self.numbers)}")]


class AnyDigest(Defect):
    """What a request was for is not compared."""

    caught_by: ClassVar = {"requests.other_digest", "requests.under_way_digest"}
    also: ClassVar = {"requests.order_of_refusals"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, digest="same")]


class ObeysOldTokens(Defect):
    """An outdated token is obeyed."""

    caught_by: ClassVar = {"requests.stale_token", "requests.fences"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, token=2**52)]


class PassesFencesOver(Defect):
    """Tokens in a greeting are passed over."""

    caught_by: ClassVar = {"requests.fences"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [written(read(line) | {"fences": {}})] if kind(line) == "hello" else [line]


class OneFenceForAll(Defect):
    """A token outdates lower ones for every resource."""

    caught_by: ClassVar = {"requests.stale_token"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [changed(line, resource="volition-conformance")]


class UnderWayIsInterrupted(Defect):
    """The same request while it is under way is answered as if nobody knew its result."""

    caught_by: ClassVar = {"requests.under_way"}
    also: ClassVar = {
        "requests.under_way_cancel",
        "requests.under_way_open",
        "requests.under_way_overdue",
        "requests.under_way_stop",
    }

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        requests = self.host._requests
        begin = requests.begin

        def begin_hastily(attempt: IncomingIntent) -> list[Ended] | None:
            if attempt.mark is None or requests.first_of(attempt) is attempt:
                return begin(attempt)
            known = self.memory.admit(attempt.mark)
            return None if known is None else [Ended(attempt, *known)]

        requests.begin = begin_hastily  # type: ignore[method-assign]


class CancelsOnlyTheFirst(Defect):
    """To cancel what repeats a request under way has no effect."""

    caught_by: ClassVar = {"requests.under_way_cancel"}

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        cancel = self.host.cancel
        self.host.cancel = lambda attempt: None if self.host.repeats(attempt) else cancel(attempt)  # type: ignore[method-assign]


class WaitsForAsLongAsItTakes(Defect):
    """What repeats a request under way waits beyond its own time."""

    caught_by: ClassVar = {"requests.under_way_overdue"}

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        give_up = self.host.give_up
        self.host.give_up = lambda attempt: None if self.host.repeats(attempt) else give_up(attempt)  # type: ignore[method-assign]


class OverdueEndsBoth(Defect):
    """When the time of what repeats a request under way is over, the request is given up."""

    caught_by: ClassVar = {"requests.under_way_overdue"}

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.host.give_up = self.host.cancel  # type: ignore[method-assign]


class OtherDigestEndsIt(Defect):
    """A request that is under way ends where it is asked for with another digest."""

    caught_by: ClassVar = {"requests.under_way_digest"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        first, data = wire.notes.setdefault("digests", {}), read(line)
        if kind(line) == "intent" and "request" in data:
            id, digest = first.setdefault(data["request"], (data["id"], data["digest"]))
            if digest != data["digest"]:
                return [written({"v": 1, "type": "cancel", "id": id}), line]
        return [line]


class StopOfTheFirstOnly(Defect):
    """A STOP ends the first intent of a request, and what repeats it is answered as if nobody knew how."""

    caught_by: ClassVar = {"requests.under_way_stop"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if kind(line) == "intent" and "request" in data:
            wire.notes.setdefault("requests", {})[data["id"]] = data["request"]
        return [line]

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        stopped: set[str] = set()
        for frame in frames if any(each.get("intent") == "STOP" for each in frames) else ():
            request = wire.notes.get("requests", {}).get(frame.get("id"))
            if request in stopped:
                frame |= {"result": answer(frame, "FAILURE", "UNKNOWN")["result"], "detail": "INTERRUPTED"}
            stopped |= {request} if request else set()
        return frames


class RepeatsAreNotOpen(Defect):
    """Pongs do not name what repeats a request under way."""

    caught_by: ClassVar = {"requests.under_way_open"}
    also: ClassVar = {"heartbeat.open_ids"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "pong":
            frame["open"] = frame["open"][:1]
        return [frame]


class RemembersRefusals(Defect):
    """A request that was refused without an attempt is used."""

    caught_by: ClassVar = {"requests.refusals_forgotten"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("intent") == "DANCE" and "request" in data:
            self.memory._digests[data["request"]] = data["digest"]
        return [line]


class PartsAreEnough(Defect):
    """A request without a token is remembered like any other."""

    caught_by: ClassVar = {"requests.whole_marks"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        return [written({"token": 2**52, **data}) if kind(line) == "intent" and "request" in data else line]


class MarksAnyway(Defect):
    """Requests are remembered for bridges that do not have the feature."""

    caught_by: ClassVar = {"requests.only_where_agreed"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if kind(line) != "hello":
            return [line]
        wire.notes["asked"] = data.get("features", [])
        return [written(data | {"features": [*wire.notes["asked"], "requests"]})]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome":
            frame["features"] = [name for name in frame["features"] if name in wire.notes["asked"]]
        return [frame]


class RemembersStop(Defect):
    """A STOP is taken for a request: the second time it is answered, and not carried out."""

    caught_by: ClassVar = {"requests.marked_stop"}
    also: ClassVar = {"conduct.stop_is_last"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        known, data = self.notes, read(line)
        if kind(line) != "intent" or data.get("intent") != "STOP" or "request" not in data:
            return [line]
        if data["request"] in known:
            wire.add(answer(data))
            return []
        known.add(data["request"])
        return [line]

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.notes: set[str] = set()


class OutdatedStop(Defect):
    """A STOP under an outdated token is refused."""

    caught_by: ClassVar = {"requests.marked_stop"}
    also: ClassVar = {"conduct.stop_is_last"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("intent") == "STOP" and data.get("token") == 0:
            wire.add(answer(data, "FAILURE", "INVALID_STATE", detail="STALE_TOKEN"))
            return []
        return [line]


class TokenFirst(Defect):
    """A request is refused for its token before anybody looks whether it is known."""

    caught_by: ClassVar = {"requests.order_of_refusals"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if kind(line) != "intent" or "token" not in data or "resource" not in data or data.get("intent") == "STOP":
            return [line]
        if data["token"] < self.highest.get(data["resource"], 0):
            wire.add(answer(data, "FAILURE", "INVALID_STATE", detail="STALE_TOKEN"))
            return []
        self.highest[data["resource"]] = data["token"]
        return [line]

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.highest: dict[str, int] = {}


class LooksAlike(Defect):
    """Requests that look alike are the same."""

    caught_by: ClassVar = {"requests.texts_compared"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if kind(line) == "intent" and "request" in data:
            return [written(data | {"request": unicodedata.normalize("NFC", data["request"])})]
        return [line]


class InterruptedDoneAgain(Defect):
    """A request whose bridge vanished is done again."""

    caught_by: ClassVar = {"requests.interrupted"}

    def ended(self, wire: Wire) -> None:
        super().ended(wire)
        for request in [*self.memory._digests]:
            if request not in self.memory._results:
                del self.memory._digests[request]


class InterruptedSucceeds(Defect):
    """A request whose bridge vanished is called a success."""

    caught_by: ClassVar = {"requests.interrupted"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [answer(frame) if frame.get("detail") == "INTERRUPTED" else frame]
