"""Executors that are good while little is open, and lose, mix up or invent results when much is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import PROMISED, Frame, answer, kind, read, written
from volition.execution.worlds.arena.attempts import ArenaReport
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Wire
    from volition.execution.executor.contract import News

MANY = 4
"""From this many open intents on, the defects show."""


class Crowded(Defect):
    """Counts the open intents of a connection."""

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if kind(line) == "intent" and isinstance(data.get("id"), int):
            given = wire.notes.get("given", {}).get(data["id"])
            lines = self.refuse(given, wire) if given else [*self.asked(data, line, wire)]
            if lines:
                self.open(wire).add(data["id"])
            return lines
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame | bytes]:
        if frame["type"] != "result":
            return [frame]
        out = [*self.answered(frame, wire)]
        self.open(wire).discard(frame["id"])
        return out

    def open(self, wire: Wire) -> set[int]:
        found: set[int] = wire.notes.setdefault("open", set())
        return found

    def crowded(self, wire: Wire) -> bool:
        return len(self.open(wire)) >= MANY

    def asked(self, intent: Frame, line: bytes, wire: Wire) -> Iterable[bytes]:
        """An intent came."""
        return [line]

    def refuse(self, given: Frame, wire: Wire) -> list[bytes]:
        """Give an intent this answer, now and whenever it is repeated, and do not attempt it."""
        wire.notes.setdefault("given", {})[given["id"]] = given
        wire.add(given)
        return []

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        """A result goes out."""
        return [result]


class ResultsTurnRound(Crowded):
    """Results that go out together are handed to one another's ids."""

    caught_by: ClassVar = {"soak.own_result"}
    also: ClassVar = {"soak.one_result", "soak.none_faked", "soak.moves_true"}

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        results = [frame for frame in frames if frame["type"] == "result" and frame["intent"] != "STOP"]
        if len(results) >= MANY:
            contents = [(frame["result"], frame.pop("detail", None)) for frame in results]
            for frame, (result, detail) in zip(results, [contents[-1], *contents], strict=False):
                frame.update({"result": result} | ({"detail": detail} if detail else {}))
        return frames


class FirstOfManyParameters(Crowded):
    """With two MOVEs open, the second goes where the first was sent."""

    caught_by: ClassVar = {"soak.moves_true"}

    def asked(self, intent: Frame, line: bytes, wire: Wire) -> Iterable[bytes]:
        if intent.get("intent") != "MOVE":
            return [line]
        first = wire.notes.setdefault("first", {})
        if not self.open(wire) & first.keys():
            first.clear()
        first[intent["id"]] = intent["parameters"]
        return [written(intent | {"parameters": next(iter(first.values()))})]


class Fake(Crowded):
    """When much is open, one intent is called a success, and not attempted."""

    of: ClassVar = ""

    def asked(self, intent: Frame, line: bytes, wire: Wire) -> Iterable[bytes]:
        if intent.get("intent") != self.of or not self.crowded(wire) or intent["id"] in self.open(wire):
            return [line]
        return self.refuse(answer(intent), wire)


class FakedJump(Fake):
    """When much is open, JUMP is called a success, and not attempted."""

    of = "JUMP"
    caught_by: ClassVar = {"soak.none_faked"}


class FakedSwing(Fake):
    """When much is open, PRIMARY_ATTACK is called a success, and not attempted."""

    of = "PRIMARY_ATTACK"
    caught_by: ClassVar = {"soak.none_faked"}


class FakedEvade(Fake):
    """When much is open, EVADE is called a success, and not attempted."""

    of = "EVADE"
    caught_by: ClassVar = {"soak.none_faked"}


class FakedMove(Fake):
    """When much is open, MOVE is called a success, and not attempted."""

    of = "MOVE"
    caught_by: ClassVar = {"soak.moves_true"}


class FakedDamage(Crowded):
    """When much is open, a swing at nobody is said to have hurt somebody."""

    caught_by: ClassVar = {"soak.damage_true"}

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        if result["intent"] == "PRIMARY_ATTACK" and self.crowded(wire):
            result["result"]["outcomes"]["damage_dealt"] += 25.0
        return [result]


class Leak(Crowded):
    """A place in the window is lost now and then."""

    def asked(self, intent: Frame, line: bytes, wire: Wire) -> Iterable[bytes]:
        taken = len(self.open(wire)) + wire.notes.get("leaked", 0)
        if intent.get("intent") == "STOP" or intent["id"] in self.open(wire) or taken < PROMISED.max_inflight:
            return [line]
        return self.refuse(answer(intent, "FAILURE", "RESOURCE_EXHAUSTED", detail="WINDOW_FULL"), wire)

    def leak(self, wire: Wire) -> None:
        wire.notes["leaked"] = wire.notes.get("leaked", 0) + 1


class LeakAfterCancel(Leak):
    """The place of a cancelled intent is lost."""

    caught_by: ClassVar = {"soak.window_free"}
    also: ClassVar = {"window.fits"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "cancel":
            self.leak(wire)
        return super().heard(line, wire)


class LeakAfterItsTime(Leak):
    """The place of an intent that ends with its time is lost."""

    caught_by: ClassVar = {"soak.window_free"}
    also: ClassVar = {"window.fits"}

    def asked(self, intent: Frame, line: bytes, wire: Wire) -> Iterable[bytes]:
        if intent.get("ttl_ms", 1000) < 1000:
            wire.notes.setdefault("brief", set()).add(intent["id"])
        return super().asked(intent, line, wire)

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        if result["id"] in wire.notes.get("brief", ()) and result["result"]["status"] == "PARTIAL":
            self.leak(wire)
        return [result]


class LeakAfterStop(Leak):
    """The place of an intent that is stopped is lost."""

    caught_by: ClassVar = {"soak.window_free"}
    also: ClassVar = {"window.fits"}

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        stopped = any(id < result["id"] for id in self.open(wire))
        if result["intent"] == "STOP" and (stopped or wire.notes.pop("cut", False)):
            self.leak(wire)
        wire.notes["cut"] = result["result"]["status"] == "PARTIAL"
        return [result]


class TwiceWhenCrowded(Crowded):
    """When much is open, a result is sent twice."""

    caught_by: ClassVar = {"soak.one_result"}
    also: ClassVar = {"conduct.one_result"}

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        return [result] * (2 if self.crowded(wire) and result["intent"] != "STOP" else 1)


class LostWhenCrowded(Crowded):
    """When much is open, the result of a RELEASE is lost."""

    caught_by: ClassVar = {"soak.one_result"}

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if self.crowded(wire) and result["intent"] == "RELEASE" else [result]


class AnotherNameWhenCrowded(Crowded):
    """When much is open, results have the name of the intent before."""

    caught_by: ClassVar = {"soak.one_result"}
    also: ClassVar = {"conduct.bound_by_id"}

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        name, wire.notes["name"] = wire.notes.get("name", result["intent"]), result["intent"]
        return [result | {"intent": name} if self.crowded(wire) and result["intent"] != "STOP" else result]


class OnlyTheNewest(Crowded):
    """Of many results that go out together only the newest is sent."""

    caught_by: ClassVar = {"soak.one_result"}

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        results = [frame for frame in frames if frame["type"] == "result" and frame["intent"] != "STOP"]
        dropped = results[:-1] if len(results) >= MANY else []
        return [frame for frame in frames if not any(frame is each for each in dropped)]


class Secretive(ArenaExecutor):
    """Does what nobody has asked for, and tells nobody."""

    secret = 10**9

    def do_in_secret(self, name: str, parameters: dict[str, Any] | None = None) -> None:
        self.secret += 1
        self._news(self.arena.attempt(name, parameters, self.secret, ticks=40))

    def _news(self, report: ArenaReport) -> list[News]:
        return super()._news(
            ArenaReport(tuple(each for each in report.results if each.id in self._open), report.events)
        )


class RepeatedIsDoneAgain(Crowded):
    """What was sent again while much was open is done a second time, when the first is over."""

    game = Secretive
    caught_by: ClassVar = {"soak.moves_true"}

    def asked(self, intent: Frame, line: bytes, wire: Wire) -> Iterable[bytes]:
        if intent["id"] in self.open(wire) and intent["intent"] == "MOVE" and self.crowded(wire):
            wire.notes.setdefault("again", {})[intent["id"]] = intent["parameters"]
        return [line]

    def answered(self, result: Frame, wire: Wire) -> Iterable[Frame]:
        parameters = wire.notes.get("again", {}).pop(result["id"], None)
        if parameters and result["result"]["status"] == "SUCCESS":
            assert isinstance(self.executor, Secretive)
            self.executor.do_in_secret("MOVE", parameters)
        return [result]


class DoneBehindAFailure(Crowded):
    """When much is open, a JUMP is refused, and yet it is done a little later."""

    game = Secretive
    caught_by: ClassVar = {"soak.none_faked"}

    def asked(self, intent: Frame, line: bytes, wire: Wire) -> Iterable[bytes]:
        if intent["intent"] != "JUMP" or not self.crowded(wire) or intent["id"] in self.open(wire):
            return [line]
        wire.notes["due"] = True
        return self.refuse(answer(intent, "FAILURE", "INVALID_STATE"), wire)

    def stepped(self, wire: Wire) -> None:
        if wire.notes.pop("due", False):
            assert isinstance(self.executor, Secretive)
            self.executor.do_in_secret("JUMP")
