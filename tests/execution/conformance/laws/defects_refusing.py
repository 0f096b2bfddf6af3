"""Executors that refuse the wrong thing, for the wrong reason, or in other words than they were asked."""

from __future__ import annotations

import re
import unicodedata
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import answer, read, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


class Named(Defect):
    """Results have another name than their intents: `named` says which."""

    caught_by: ClassVar = {"intents.name_echoed"}
    also: ClassVar = {"conduct.bound_by_id"}

    def named(self, name: str) -> str:
        raise NotImplementedError

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"intent": self.named(frame["intent"])} if frame["type"] == "result" else frame]


class NamesInAscii(Named):
    """Letters beyond ASCII in the name of an intent come back as question marks."""

    also: ClassVar = {"conduct.bound_by_id"}

    def named(self, name: str) -> str:
        return name.encode("ascii", "replace").decode()


class NamesCutShort(Named):
    """Of a long name only the beginning comes back."""

    also: ClassVar = {"conduct.bound_by_id"}

    def named(self, name: str) -> str:
        return name[:64]


class NamesComposed(Named):
    """Names come back in another normal form."""

    also: ClassVar = {"conduct.bound_by_id"}

    def named(self, name: str) -> str:
        return unicodedata.normalize("NFC", name)


class NamesInCapitals(Named):
    """Names come back in capital letters."""

    also: ClassVar = {"conduct.bound_by_id"}

    def named(self, name: str) -> str:
        return name.upper() if name.isascii() else name


class NoNameAtAll(Named):
    """What is not canonical comes back as UNKNOWN."""

    also: ClassVar = {"conduct.bound_by_id"}

    def named(self, name: str) -> str:
        return name if name.isupper() and name.isascii() and len(name) < 20 and name != "DANCE" else "UNKNOWN"


class AgentsInAscii(Defect):
    """The agent of a state is the one that was asked about, without its accents."""

    caught_by: ClassVar = {"states.agent_echoed"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "state_request" and isinstance(data.get("agent"), str):
            wire.notes[str(data.get("id"))] = data["agent"]
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        agent = wire.notes.get(str(frame.get("id"))) if frame["type"] == "state" else None
        return [frame | {"agent": agent.encode("ascii", "replace").decode()} if agent else frame]


class ReadsFractions(Defect):
    """An id with a fraction of nothing is taken for an integer."""

    caught_by: ClassVar = {"framing.integers"}
    also: ClassVar = {"conduct.bound_by_id", "conduct.state_ids"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [re.sub(rb'"(id|n)":(\d+)\.0\b', rb'"\1":\2', line)]


class ReadsExponents(Defect):
    """An id with an exponent is taken for an integer."""

    caught_by: ClassVar = {"framing.integers"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [re.sub(rb'"(id|n)":(\d+)e0\b', rb'"\1":\2', line)]


class HalfCharacters(Defect):
    """Half of a surrogate pair is replaced and read."""

    caught_by: ClassVar = {"framing.surrogates"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [re.sub(rb"\\ud800", b"?", line)]


class NoAstralCharacters(Defect):
    """A character that is escaped as a pair is refused."""

    caught_by: ClassVar = {"framing.unknown_fields"}
    also: ClassVar = {"intents.name_echoed", "states.agent_echoed"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [b"?" if b"\\ud83d" in line else line]


class GivesUpAtFifty(Defect):
    """Fifty bad lines end a session."""

    caught_by: ClassVar = {"framing.too_many_faults"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        wire.notes["bad"] = wire.notes.get("bad", 0) + (line == b"?")
        if wire.notes["bad"] == 50:
            wire.guest.close(self.now, "faults")
            return []
        return [line]


class CountsRefusals(Defect):
    """A hundred frames that are refused end a session."""

    caught_by: ClassVar = {"framing.refused_do_not_count"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        wire.notes["refused"] = wire.notes.get("refused", 0) + (read(line).get("id") == 2**50)
        if wire.notes["refused"] == 100:
            wire.guest.close(self.now, "faults")
            return []
        return [line]


class PingsOnce(Defect):
    """A silent bridge is asked once whether it is there."""

    caught_by: ClassVar = {"heartbeat.pings_when_idle"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] != "ping":
            return [frame]
        wire.notes["pings"] = wire.notes.get("pings", 0) + 1
        return [frame] if wire.notes["pings"] == 1 else []


class LastFaultUnanswered(Defect):
    """The bad line that ends a session has no error."""

    caught_by: ClassVar = {"framing.too_many_faults"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        bad = frame.get("code") == "not_json"
        wire.notes["errors"] = wire.notes.get("errors", 0) + bad
        return [] if bad and wire.notes["errors"] == 100 else [frame]


class NoSuchStateTaken(Defect):
    """An intent may be based on a state that was never sent."""

    caught_by: ClassVar = {"states.no_such_state", "intents.order_of_refusals"}
    also: ClassVar = {"requests.refusals_forgotten"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "intent" and type(data.get("based_on")) is int and data["based_on"] > self.host._seq:
            return [written({key: value for key, value in data.items() if key != "based_on"})]
        return [line]


class NoSuchStateIsFormer(Defect):
    """A state that was never sent is called one of a former episode."""

    caught_by: ClassVar = {"states.no_such_state", "intents.order_of_refusals"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"detail": "FORMER_EPISODE"} if frame.get("detail") == "NO_SUCH_STATE" else frame]


class FullBeforeAnything(Defect):
    """Where the window is full, that is said of every intent, whatever it is."""

    caught_by: ClassVar = {"intents.order_of_refusals"}

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        full = [frame for frame in frames if frame.get("detail") == "WINDOW_FULL"]
        for frame in frames:
            if full and frame.get("detail") in {"NOT_CANONICAL", "NO_SUCH_STATE"}:
                frame |= {"result": full[0]["result"], "detail": "WINDOW_FULL"}
        return frames


class StateBeforeName(Defect):
    """What an intent is based on is checked before its name."""

    caught_by: ClassVar = {"intents.order_of_refusals"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("intent") == "DANCE" and type(data.get("based_on")) is int:
            wire.add(answer(data, "FAILURE", "INVALID_STATE", detail="NO_SUCH_STATE"))
            return []
        return [line]


class RequestsGoUp(Defect):
    """A state request whose id is not above the others is refused."""

    caught_by: ClassVar = {"states.any_id"}
    also: ClassVar = {"framing.fields"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") != "state_request" or type(data.get("id")) is not int:
            return [line]
        if data["id"] <= wire.notes.get("last", 0):
            wire.add({"v": 1, "type": "error", "code": "stale_id", "message": "an old id", "id": data["id"]})
            return []
        wire.notes["last"] = data["id"]
        return [line]


class RequestsOnce(Defect):
    """A state request with an id that was used is not answered again."""

    caught_by: ClassVar = {"states.any_id"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") != "state_request" or type(data.get("id")) is not int:
            return [line]
        used: set[int] = wire.notes.setdefault("used", set())
        if data["id"] in used:
            return []
        used.add(data["id"])
        return [line]


class RequestsDoNotCount(Defect):
    """An intent may have an id that was used for a state request."""

    caught_by: ClassVar = {"ids.stale"}
    also: ClassVar = {"conduct.timestamps"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "state_request":
            wire.notes.setdefault("asked", []).append(data.get("id"))
        if data.get("type") == "intent" and data.get("id") in wire.notes.get("asked", ()):
            wire.add(answer(data))
            return []
        return [line]


class OpenIdAnsweredTwice(Defect):
    """An id that is sent again while it is open has its result twice."""

    caught_by: ClassVar = {"ids.repeated_while_open"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "intent" and data.get("id") in wire.guest.session.under_way:
            wire.notes.setdefault("twice", set()).add(data["id"])
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        twice = frame["type"] == "result" and frame["id"] in wire.notes.get("twice", ())
        return [frame, frame] if twice else [frame]


class OpenIdDoneTwice(Defect):
    """An id that is sent again while it is open is attempted again, under a number of its own."""

    caught_by: ClassVar = {"truth.repeated_while_open"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        numbers = wire.notes.setdefault("numbers", count(10**6))
        if data.get("type") == "intent" and data.get("id") in wire.guest.session.under_way:
            wire.notes.setdefault("again", {})[data["id"]] = line
        if data.get("type") == "intent" and type(data.get("id")) is int and data["id"] < 10**6:
            wire.notes.setdefault("known", {})[data["id"]] = next(numbers)
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        again: dict[int, bytes] = wire.notes.get("again", {})
        if frame["type"] == "result" and frame["id"] in again and frame["result"]["status"] == "SUCCESS":
            data: dict[str, Any] = read(again.pop(frame["id"]))
            self.executor.arena.attempt("MOVE", data["parameters"], 10**9)
            self.executor._open[10**9] = self.silent
        return [frame]

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.silent: Any = type("Silent", (), {"id": -1, "mark": None, "intent": None})()


class StopsCount(Defect):
    """STOP takes room in the window."""

    caught_by: ClassVar = {"window.stop_not_counted"}

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        asked = [frame for frame in frames if frame["type"] == "result"]
        if len(asked) >= 8 and asked[0]["intent"] == "STOP":
            asked[-1] |= {
                "result": answer(asked[-1], "FAILURE", "RESOURCE_EXHAUSTED")["result"], "detail": "WINDOW_FULL",
            }  # fmt: skip
        return frames


class PingsWhileItIsSilent(Defect):
    """The executor pings only where it has not sent anything itself for a second."""

    caught_by: ClassVar = {"heartbeat.pings_when_idle"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "ping" and self.now - wire.notes.get("spoke", -9.0) < 1.0:
            return []
        wire.notes["spoke"] = self.now
        return [frame]


class BadLinesAreLife(Defect):
    """A line that is no frame counts as a sign of life."""

    caught_by: ClassVar = {"heartbeat.silence_is_death"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [line] if read(line) else [line, b'{"v":1,"type":"pong","n":0}']


class RefusedIsSilence(Defect):
    """A frame that is refused does not count as a sign of life."""

    caught_by: ClassVar = {"heartbeat.refused_is_life"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "cancel" and data.get("id") == 2**50:
            wire.add({"v": 1, "type": "error", "code": "unknown_id", "message": "never sent", "id": data["id"]})
            return []
        return [line]
