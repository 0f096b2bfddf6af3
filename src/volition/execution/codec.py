"""One strict JSON object per line: frames to bytes and back, and a byte stream cut into lines.

Strict means: UTF-8, no key twice, no NaN or infinity, integers up to 2^53 - 1, nothing after the object, and limits on
length and depth. The same rules hold for what is written, so what one side sends the other can read.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import msgspec
import orjson

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import InvalidInput, Problem, did_you_mean, shown
from volition.execution.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_FRAME: Final = 2**20
"""How long a line may be, its end not counted, unless the sides agree on less."""

MAX_DEPTH: Final = 32
"""How many arrays and objects may stand inside one another, the frame itself included."""

FaultCode: TypeAlias = Literal[
    "too_long", "not_utf8", "not_json", "not_object", "too_deep", "bad_number", "duplicate_key",
    "bad_version", "unknown_type", "bad_field",
]  # fmt: skip

_HEAD: Final = b'{"v":1,'
TYPES: Final = {member.__struct_config__.tag: member for member in get_args(Frame)}
_encode: Final = msgspec.json.Encoder().encode
_PLAIN: Final = frozenset({str, bool, type(None)})
_DOUBT: Final = 2**40
_EXPECTED: Final[dict[str, tuple[str, str]]] = {
    "too_long": ("a shorter line", "send less in one frame, or agree on a larger max_frame"),
    "not_utf8": ("text in UTF-8", "encode the line as UTF-8"),
    "not_json": ("one JSON object on one line", "write JSON: no NaN, no infinity, nothing after the object"),
    "not_object": ("one JSON object on one line", "put it into an object with v and type"),
    "too_deep": (f"at most {MAX_DEPTH} arrays and objects inside one another", "flatten the data"),
    "bad_number": ("a finite number; integers up to 2^53 - 1", "leave it out, or write it as text"),
    "duplicate_key": ("each key once", "remove one of them"),
    "bad_version": ('"v":1', "speak version 1 of the wire"),
    "bad_field": ("the fields of this type of frame", "correct the field"),
}


class FrameFault(InvalidInput):
    """A line that is no frame; `code` says which rule it breaks. The only error that reading a line can raise.

    `line` is the line itself where it came over a connection.
    """

    def __init__(self, *problems: Problem, code: FaultCode = "bad_field") -> None:
        super().__init__(*problems)
        self.code: FaultCode = code
        self.line: bytes | None = None


def encode(frame: Frame, *, max_frame: int = MAX_FRAME, checked: bool = False) -> bytes:
    r"""The line of a frame, its end included; FrameFault where the frame holds what the wire cannot.

    `checked` says that every number in it is finite and within bounds, every key is a text, and nothing is too deep.

    >>> from volition.execution.frames import Ping
    >>> encode(Ping(n=1))
    b'{"v":1,"type":"ping","n":1}\n'
    """
    if not checked:
        _measure(frame, MAX_DEPTH)
    try:
        line = _HEAD + _encode(frame)[1:] + b"\n"
    except (msgspec.MsgspecError, UnicodeEncodeError, TypeError) as error:
        raise _fault("bad_field", f"a frame that cannot be written: {error}") from None
    if len(line) > max_frame + 1:
        raise _fault("too_long", f"a frame of {len(line) - 1} bytes, where {max_frame} are allowed")
    return line


def decode(line: bytes, *, max_frame: int = MAX_FRAME) -> Frame:
    """The frame on a line (its end may be there or not); FrameFault, and nothing else, where there is none.

    >>> decode(b'{"v":1,"type":"ping","n":1}')
    Ping(n=1)
    """
    line = line.removesuffix(b"\n")
    if len(line) > max_frame:
        raise _fault("too_long", f"a line of {len(line)} bytes, where {max_frame} are allowed")
    data = read_object(line)
    version = data.get("v")
    if type(version) is not int or version != 1:
        raise _fault("bad_version", f"the version of the wire is {shown(version)}")
    kind = data.get("type")
    member = TYPES.get(kind) if isinstance(kind, str) else None
    if member is None:
        problem = Problem(
            f"{shown(kind)} is no type of frame", "type", "a known type of frame", did_you_mean(kind, map(str, TYPES))
        )
        raise FrameFault(problem, code="unknown_type")
    try:
        frame: Frame = msgspec.convert(data, member)
    except msgspec.ValidationError as error:
        raise _fault("bad_field", f"{kind}: {error}") from None
    return frame


class Lines:
    r"""Cuts a stream of bytes into lines, whatever the pieces it comes in.

    Once a line is over the limit the stream is lost, `overrun` is true, and nothing more is given. The limit may
    change between two lines.

    >>> lines = Lines()
    >>> list(lines.feed(b'{"v"')), list(lines.feed(b':1}\n{}\n{')), lines.pending
    ([], [b'{"v":1}', b'{}'], 1)
    """

    def __init__(self, max_frame: int = MAX_FRAME) -> None:
        self.max_frame = max_frame
        self.settled = False
        """Whether the limit is final; then the lines that come together are cut together, which is quicker."""
        self.overrun = False
        self._rest = bytearray()
        self._searched = 0

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished line are held."""
        return len(self._rest)

    def feed(self, data: bytes) -> Iterable[bytes]:
        """The lines that these bytes complete, without their ends; to be read to the end before the next call."""
        end = len(data) - 1
        if data.find(b"\n") == end and not self._rest and 0 <= end <= self.max_frame and not self.overrun:
            return (data[:end],)
        if self.settled and not self.overrun and b"\n" in data and len(self._rest) + len(data) <= self.max_frame:
            return self._split(data)
        return self._cut(data)

    def _split(self, data: bytes) -> list[bytes]:
        """What `_cut` gives, where all that is held together is too short for a line that is too long."""
        lines = (bytes(self._rest) + data if self._rest else data).split(b"\n")
        self._rest[:] = lines.pop()
        self._searched = len(self._rest)
        return lines

    def _cut(self, data: bytes) -> Iterator[bytes]:
        if self.overrun:
            return
        self._rest += data
        while True:
            end = self._rest.find(b"\n", self._searched)
            if (len(self._rest) if end < 0 else end) > self.max_frame:
                self.overrun = True
                self._rest.clear()
                return
            if end < 0:
                self._searched = len(self._rest)
                return
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            self._searched = 0
            yield line


def read_object(line: bytes, *, room: int = MAX_DEPTH) -> dict[str, Any]:
    """The object on a line, read strictly, with at most `room` arrays and objects inside one another.

    The quick reader keeps the last of two equal keys and turns a huge integer into a float. A line that is written back
    byte by byte hides neither. Any other is looked through: more colons in the text than keys in the object, or a huge
    float, and it is read again, slowly.
    """
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _unreadable(line, error) from None
    if type(data) is not dict:
        raise _fault("not_object", f"{shown(data)} is no object")
    if line.count(b"{") + line.count(b"[") <= room and _written(data) == line:
        return data
    if _measure(data, room) != line.count(b":"):
        json.loads(line, object_pairs_hook=_each_once, parse_int=_small)
    return data


def _written(data: dict[str, Any]) -> bytes:
    """The data as the quick writer puts it; nothing where an integer is too large for the wire."""
    try:
        return orjson.dumps(data, option=orjson.OPT_STRICT_INTEGER)
    except orjson.JSONEncodeError:
        return b""


def _measure(value: Any, room: int) -> int:
    """How many keys stand in a container, and far too many where a float may have been an integer on the line.

    FrameFault where it is too deep or holds what strict JSON does not.
    """
    keys = 0
    kind = type(value)
    if kind is not list and kind is not tuple:
        if kind is not dict:
            value = _parts(value)
        for key in value:
            if type(key) is not str:
                raise _fault("bad_field", f"a key of type {type(key).__name__}")
        keys = len(value)
        value = value.values()
    if not room:
        raise _fault("too_deep", "the frame is nested too deeply")
    for inner in value:
        kind = type(inner)
        if kind in _PLAIN:
            continue
        if kind is float:
            if not -MAX_INTEGER <= inner <= MAX_INTEGER:
                if not math.isfinite(inner):
                    raise _fault("bad_number", f"{inner} is no JSON number")
                keys += _DOUBT
        elif kind is int:
            if not -MAX_INTEGER <= inner <= MAX_INTEGER:
                raise _fault("bad_number", f"the integer {shown(inner)} is too large")
        else:
            keys += _measure(inner, room - 1)
    return keys


def _parts(value: Any) -> dict[str, Any]:
    if not isinstance(value, msgspec.Struct):
        raise _fault("bad_field", f"a value of type {type(value).__name__}")
    return msgspec.structs.asdict(value)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise _fault("duplicate_key", f"the key {shown(twice)} stands twice in one object")
    return data


def _small(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        raise _fault("bad_number", f"the integer {shown(digits)} is too large")
    return int(digits)


def _unreadable(line: bytes, error: orjson.JSONDecodeError) -> FrameFault:
    try:
        line.decode()
    except UnicodeDecodeError as wrong:
        return _fault("not_utf8", f"the byte at offset {wrong.start} is not UTF-8")
    if "depth limit" in error.msg:
        return _fault("too_deep", "the frame is nested too deeply")
    return _fault("not_json", f"not JSON: {error.msg} (at character {error.pos})")


def _fault(code: FaultCode, what: str) -> FrameFault:
    expected, remedy = _EXPECTED[code]
    return FrameFault(Problem(what, "frame", expected, remedy), code=code)
