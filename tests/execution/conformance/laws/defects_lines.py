"""Executors that read or write lines less strictly than they should."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import PROMISED, kind, read, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


class LastOfTwoKeys(Defect):
    """Of a duplicate key the last one counts."""

    caught_by: ClassVar = {"framing.duplicate_keys"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [written(read(line)) if _twice(line) else line]


def _twice(line: bytes) -> bool:
    """Whether an object on a line that is otherwise JSON has a duplicate key."""
    found = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found.append(len(dict(items)) < len(items))
        return dict(items)

    try:
        json.loads(line, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return any(found)


class TextAfterTheObject(Defect):
    """Anything after the object on its line is dropped."""

    caught_by: ClassVar = {"framing.trailing_text"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        try:
            data, end = json.JSONDecoder().raw_decode(line.decode())
        except (ValueError, RecursionError):
            return [line]
        return [line.decode()[:end].encode() if isinstance(data, dict) else line]


class ReadsNaN(Defect):
    """NaN and infinity are read as numbers."""

    caught_by: ClassVar = {"framing.no_nan"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if read(line):
            for word in (b"-Infinity", b"Infinity", b"NaN", b"1e999"):
                line = line.replace(word, b"1")
        return [line]


class ForgivesBadText(Defect):
    """Bytes that are not UTF-8 are replaced."""

    caught_by: ClassVar = {"framing.utf8"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [line.decode("utf-8", "replace").encode()]


class LargeIntegers(Defect):
    """Integers beyond 2^53 - 1 are read."""

    caught_by: ClassVar = {"framing.whole_numbers"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        large = [key for key, value in data.items() if type(value) is int and abs(value) >= 2**53]
        return [written(data | dict.fromkeys(large, 1)) if data.get("type") == "ping" and large else line]


class ArraysToo(Defect):
    """An array of frames is read as its frames."""

    caught_by: ClassVar = {"framing.objects_only"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        inner = read(line[1:-1])
        return [written(inner)] if line[:1] == b"[" and inner.get("type") == "ping" else [line]


class VersionOfTheWireIgnored(Defect):
    """`v` may be anything."""

    caught_by: ClassVar = {"framing.wire_version"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        return [
            written(data | {"v": 1}) if data.get("type") == "ping" and data.get("n") == 1 and len(data) < 4 else line
        ]


class StrangeTypesIgnored(Defect):
    """A type that is not known is ignored."""

    caught_by: ClassVar = {"framing.known_types"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [] if kind(line) in {"exec", "PING"} else [line]


class GuessesFields(Defect):
    """A number in quotes is accepted."""

    caught_by: ClassVar = {"framing.fields"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        return [written(data | {"n": 1})] if data.get("n") == "1" else [line]


class FallsOverDepth(Defect):
    """A line that is nested too deeply ends the reader, and with it the connection."""

    caught_by: ClassVar = {"framing.depth"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if line.count(b"[") > 1000:
            wire.guest.end(self.now, "reset")
            return []
        return [line]


class FallsOverGarbage(Defect):
    """Garbage before the greeting ends the connection."""

    caught_by: ClassVar = {"framing.garbage_then_valid"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if wire.guest.session.phase == "waiting" and not read(line):
            wire.guest.end(self.now, "reset")
            return []
        return [line]


class OverLongLines(Defect):
    """Lines may be of any length."""

    caught_by: ClassVar = {"framing.line_too_long", "framing.length_in_bytes"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [_shortened(line) if len(line) > PROMISED.max_frame else line]


class CountsCharacters(Defect):
    """The length of a line is counted in characters."""

    caught_by: ClassVar = {"framing.length_in_bytes"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [_shortened(line) if len(line) > PROMISED.max_frame >= len(line.decode("utf-8", "replace")) else line]


class SmallerThanItSays(Defect):
    """Lines may be half as long as the welcome says."""

    caught_by: ClassVar = {"framing.longest_line"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [line + b"x" * PROMISED.max_frame if len(line) > PROMISED.max_frame // 2 else line]


def _shortened(line: bytes) -> bytes:
    return written(read(line) | {"x": ""})


class PatientWithNonsense(Defect):
    """No number of bad lines ends a session."""

    caught_by: ClassVar = {"framing.too_many_faults"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if line == b"?":
            wire.add({"v": 1, "type": "error", "code": "not_json", "message": "what?"})
            return []
        return [line]


class AnswersErrors(Defect):
    """An error is answered with an error."""

    caught_by: ClassVar = {"framing.error_unanswered"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if read(line).get("code") == "not_json":
            wire.add({"v": 1, "type": "error", "code": "not_json", "message": "what error?"})
        return [line]


class ObjectPerRead(Defect):
    """What comes in one read is taken for one frame: the first line of it counts."""

    caught_by: ClassVar = {"framing.any_cut"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "state_request" and data.get("full") is False and "x" in data and not data["x"]:
            wire.notes["count"] = wire.notes.get("count", 0) + 1
            return [] if wire.notes["count"] == 2 else [line]
        return [line]


class ChattyLines(Defect):
    """Text for people is between the frames."""

    caught_by: ClassVar = {"conduct.strict_lines"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame | bytes]:
        return [b"[INFO] welcome sent", frame] if frame["type"] == "welcome" else [frame]


class LongLines(Defect):
    """Its own lines are longer than it allows."""

    caught_by: ClassVar = {"conduct.line_length"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"motto": "x" * PROMISED.max_frame} if frame["type"] == "welcome" else frame]


class SingleQuotes(Defect):
    """Single quotes are read like double ones."""

    caught_by: ClassVar = {"framing.not_json"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [line.replace(b"'", b'"') if line.startswith(b"{'") else line]


class NothingNew(Defect):
    """A frame with a field that is not known is refused."""

    caught_by: ClassVar = {"framing.unknown_fields"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if "mood" not in read(line):
            return [line]
        wire.add({"v": 1, "type": "error", "code": "bad_field", "message": "what mood?"})
        return []


class FallsOverStrangeBytes(Defect):
    """A line that begins with a byte beyond ASCII ends the connection."""

    caught_by: ClassVar = {"robustness.random_lines"}
    also: ClassVar = {"framing.not_json"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if line[:1] >= b"\x80" and not wire.guest.over:
            wire.guest.end(self.now, "reset")
            return []
        return [line]


class DrownsInAFlood(Defect):
    """Of many requests in a row some are lost."""

    caught_by: ClassVar = {"robustness.flood"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        count = wire.notes["row"] = wire.notes.get("row", 0) + 1 if kind(line) == "state_request" else 0
        return [] if count == 250 else [line]
