"""Executors that greet badly, or do not recover from the end of a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import TOKEN, answer, kind, read, written
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


class WelcomeIncomplete(Defect):
    """The welcome does not say which engine it is."""

    caught_by: ClassVar = {"handshake.welcome"}
    also: ClassVar = {"conduct.strict_lines", "opening.ready"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        frame.pop("engine", None)
        return [frame]


class AllFeaturesAlways(Defect):
    """The welcome names features that the bridge does not have."""

    caught_by: ClassVar = {"handshake.features_shared"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"features": ["events", "state_push"]} if frame["type"] == "welcome" else frame]


class SchemaFirst(Defect):
    """The schema is checked before the version."""

    caught_by: ClassVar = {"handshake.order_of_refusals"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "hello" and data.get("state_schema") and data.get("spec") == "2.0.0":
            return [written(data | {"spec": "1.0.0", "token": TOKEN})]
        return [line]


class DeafAfterTheGreeting(Defect):
    """What comes in one piece with the greeting is lost."""

    caught_by: ClassVar = {"opening.together"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if wire.notes.get("greeted") and wire.guest.session.phase == "waiting":
            return []
        wire.notes["greeted"] = wire.notes.get("greeted") or kind(line) == "hello"
        return [line]


class StopNeedsAState(Defect):
    """A STOP before the first state fails."""

    caught_by: ClassVar = {"opening.first_stop"}
    also: ClassVar = {"observe.drives_nothing"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        wire.notes["state"] = wire.notes.get("state") or data.get("type") == "state_request"
        if data.get("intent") == "STOP" and wire.guest.session.phase == "open" and not wire.notes["state"]:
            wire.add(answer(data, "FAILURE", "INVALID_STATE"))
            return []
        return [line]


class SpeaksLikeABridge(Defect):
    """It sends frames that only a bridge sends."""

    caught_by: ClassVar = {"conduct.executor_frames"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame, {"v": 1, "type": "cancel", "id": 1}] if frame["type"] == "welcome" else [frame]


class TornBeforeTheGreeting(Defect):
    """After a caller that went in the middle of its first line the executor stays busy."""

    caught_by: ClassVar = {"robustness.random_bytes", "robustness.storm"}
    busy_until = 0.0

    def half(self, wire: Wire) -> None:
        wire.notes["torn"] = wire.guest.session.phase == "waiting"

    def ended(self, wire: Wire) -> None:
        if wire.notes.get("torn") and wire.guest.session.phase == "waiting":
            self.busy_until = self.now + 4
        super().ended(wire)

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome" and self.now < self.busy_until:
            wire.guest.end(self.now)
            return [{"v": 1, "type": "reject", "code": "not_ready", "message": "busy", "supported": "1.0.0"}]
        return [frame]


class VersionNotChecked(Defect):
    """Any version is accepted."""

    caught_by: ClassVar = {"handshake.version_refused"}
    also: ClassVar = {"handshake.order_of_refusals"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        return [written(data | {"spec": "1.0.0"}) if data.get("type") == "hello" else line]


class VersionToTheLetter(Defect):
    """Another minor version is refused."""

    caught_by: ClassVar = {"handshake.minor_accepted"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [line.replace(b'"1.99.3"', b'"2.0.0"')]


class TokenByPrefix(Defect):
    """A part of the token is enough."""

    caught_by: ClassVar = {"handshake.token_refused"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        given = data.get("token")
        fits = data.get("type") == "hello" and isinstance(given, str) and given and TOKEN.startswith(given)
        return [written(data | {"token": TOKEN}) if fits else line]


class SchemaNotChecked(Defect):
    """Any schema of states is accepted."""

    caught_by: ClassVar = {"handshake.schema_refused"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        return [written(data) if data.get("type") == "hello" and data.pop("state_schema", None) else line]


class ActsBeforeTheGreeting(Defect):
    """What comes before the greeting is kept, and done after it."""

    caught_by: ClassVar = {"handshake.nothing_before_hello"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if "hello" not in wire.notes and kind(line) in {"intent", "state_request", "cancel"}:
            wire.notes.setdefault("kept", []).append(line)
            return []
        if kind(line) != "hello":
            return [line]
        wire.notes["hello"] = True
        return [line, *wire.notes.pop("kept", [])]


class GreetsAgain(Defect):
    """Every greeting gets a welcome."""

    caught_by: ClassVar = {"handshake.greeting_twice"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome":
            wire.notes["welcome"] = frame
        again = frame.get("code") == "out_of_order" and frame["message"].startswith("hello")
        return [wire.notes["welcome"]] if again else [frame]


class TakesAllBridges(Defect):
    """A second bridge is accepted at any time, and takes over."""

    caught_by: ClassVar = {"handshake.second_bridge"}
    also: ClassVar = {"observe.events"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if read(line).get("type") == "hello":
            self.host.driver = None
        return [line]


class BusyAfterATear(Defect):
    """After a bridge that went in the middle of a line the executor stays busy."""

    caught_by: ClassVar = {"handshake.free_again", "dead_man.after_torn_line"}
    also: ClassVar = {"robustness.random_bytes", "robustness.storm"}
    busy_until = 0.0

    def half(self, wire: Wire) -> None:
        wire.notes["torn"] = True

    def ended(self, wire: Wire) -> None:
        if wire.notes.get("torn") and not wire.guest.over:
            self.busy_until = self.now + 4
        super().ended(wire)

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome" and self.now < self.busy_until:
            wire.guest.end(self.now)
            return [{"v": 1, "type": "reject", "code": "not_ready", "message": "busy", "supported": "1.0.0"}]
        return [frame]


class RemembersTheConnectionBefore(Defect):
    """Results are remembered over connections."""

    caught_by: ClassVar = {"handshake.nothing_remembered"}
    also: ClassVar = {"conduct.bound_by_id", "opening.first_stop"}
    old: Frame | None = None

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "intent" and self.old and data.get("id") == 1 and not wire.notes.get("result"):
            wire.add(self.old)
            return []
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and frame["id"] == 1:
            wire.notes["result"], self.old = True, frame
        return [frame]


class PushesToEverybody(Defect):
    """States are pushed to bridges that do not want them."""

    caught_by: ClassVar = {"handshake.features_off"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "state" and not wire.guest.session.features:
            return [frame, {key: value for key, value in frame.items() if key != "id"}]
        return [frame]


class WaitsForTheGreeting(Defect):
    """A connection on which nobody greets is kept for a minute."""

    timing: ClassVar = Timing(handshake=60.0)
    caught_by: ClassVar = {"handshake.silent_caller"}


class ChangesItsMind(Defect):
    """Every welcome names another version."""

    caught_by: ClassVar = {"conduct.same_welcome"}
    count = 0

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome":
            self.count += 1
            frame["executor"]["version"] = str(self.count)
        return [frame]
