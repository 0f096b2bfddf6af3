"""One strict JSON object per line: frames to bytes and back, and splitting a byte stream into lines.

Strict means: UTF-8, no duplicate keys, no NaN or infinity, integers up to 2^53 - 1, nothing after the object, and
limits on length and depth. The same rules apply to writing, so each side can read what the other sends.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import msgspec
import orjson

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import InvalidInput, Problem, did_you_mean, format_value
from volition.core.typed import convert
from volition.execution.wire.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_FRAME: Final = 2**20
"""The maximum length of a line without its line end, unless the sides agree on less."""

MAX_DEPTH: Final = 32
"""How deeply arrays and objects may be nested, including the frame itself."""

FaultCode: TypeAlias = Literal[
    "too_long", "not_utf8", "not_json", "not_object", "too_deep", "bad_number", "duplicate_key",
    "bad_version", "unknown_type", "bad_field",
]  # fmt: skip

_HEAD: Final = b'{"v":1,'
_NOT_OPENING: Final = bytes(set(range(256)) - set(b"[{"))
TYPES: Final = {member.__struct_config__.tag: member for member in get_args(Frame)}
_encode: Final = msgspec.json.Encoder().encode
_SIMPLE: Final = frozenset({str, bool, type(None)})
_ARRAYS: Final = (list, tuple)
_EXPECTED: Final[dict[str, tuple[str, str]]] = {
    "too_long": ("a shorter line", "send less in one frame, or agree on a larger max_frame"),
    "not_utf8": ("text in UTF-8", "encode the line as UTF-8"),
    "not_json": ("one JSON object on one line", "write JSON: no NaN, no infinity, nothing after the object"),
    "not_object": ("one JSON object on one line", "put it into an object with v and type"),
    "too_deep": (f"at most {MAX_DEPTH} nested arrays and objects", "flatten the data"),
    "bad_number": ("a finite number; integers up to 2^53 - 1", "leave it out, or write it as text"),
    "duplicate_key": ("each key once", "remove one of them"),
    "bad_version": ('"v":1', "speak version 1 of the wire"),
    "bad_field": ("the fields of this type of frame", "correct the field"),
}


class FrameFault(InvalidInput):
    """A line that is not a frame; `code` says which rule it breaks. Reading a line raises no other error.

    `line` is the line itself if it came over a connection.
    """

    def __init__(self, *problems: Problem, code: FaultCode = "bad_field") -> None:
        super().__init__(*problems)
        self.code: FaultCode = code
        self.line: bytes | None = None


def encode(frame: Frame, *, max_frame: int = MAX_FRAME) -> bytes:
    r"""The line of a frame, including its line end; FrameFault if the frame holds something the wire cannot carry.

    >>> from volition.execution.wire.frames import Ping
    >>> encode(Ping(n=1))
    b'{"v":1,"type":"ping","n":1}\n'
    """
    _check(frame, MAX_DEPTH)
    try:
        line = _HEAD + _encode(frame)[1:] + b"\n"
    except (msgspec.MsgspecError, UnicodeEncodeError, TypeError) as error:
        raise _fault("bad_field", f"a frame that cannot be written: {error}") from None
    if len(line) > max_frame + 1:
        raise _fault("too_long", f"a frame of {len(line) - 1} bytes, where {max_frame} are allowed")
    return line


def decode(line: bytes, *, max_frame: int = MAX_FRAME) -> Frame:
    """The frame on a line, with or without its line end; FrameFault, and no other error, if there is none.

    >>> decode(b'{"v":1,"type":"ping","n":1}')
    Ping(n=1)
    """
    line = line.removesuffix(b"\n")
    if len(line) > max_frame:
        raise _fault("too_long", f"a line of {len(line)} bytes, where {max_frame} are allowed")
    data = read_object(line)
    version = data.get("v")
    if type(version) is not int or version != 1:
        raise _fault("bad_version", f"the version of the wire is {format_value(version)}")
    kind = data.get("type")
    member = TYPES.get(kind) if isinstance(kind, str) else None
    if member is None:
        problem = Problem(
            f"{format_value(kind)} is not a type of frame",
            "type",
            "a known type of frame",
            did_you_mean(kind, map(str, TYPES)),
        )
        raise FrameFault(problem, code="unknown_type")
    try:
        frame: Frame = convert(data, member)
    except msgspec.ValidationError as error:
        raise _fault("bad_field", f"{kind}: {error}") from None
    return frame


class Lines:
    r"""Splits a stream of bytes into lines, however it is chunked.

    Once a line exceeds the limit the stream is lost: `overrun` is true, and no more lines are returned. The limit may
    change between two lines.

    >>> lines = Lines()
    >>> list(lines.feed(b'{"v"')), list(lines.feed(b':1}\n{}\n{')), lines.pending
    ([], [b'{"v":1}', b'{}'], 1)
    """

    def __init__(self, max_frame: int = MAX_FRAME) -> None:
        self.max_frame = max_frame
        self.overrun = False
        self._rest = bytearray()

    @property
    def pending(self) -> int:
        """The number of buffered bytes of an unfinished line."""
        return len(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that these bytes complete, without line ends; consume them all before the next call."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            line = bytes(self._rest) + end
            self._rest.clear()
            self.overrun = self.overrun or len(line) > self.max_frame
            if self.overrun:
                return
            yield line
        self._rest += rest
        if self.overrun or len(self._rest) > self.max_frame:
            self.overrun = True
            self._rest.clear()


def read_object(line: bytes) -> dict[str, Any]:
    """The object on a line, read strictly.

    orjson is strict except in two respects: it keeps the last of two duplicate keys, and it turns a huge integer into a
    float. A line that it reproduces byte for byte contains neither. Any other line is read again by the standard
    library, whose hooks see every key and every integer; that takes about ten times as long, but few executors write
    such lines.
    """
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _unreadable(line, error) from None
    if type(data) is not dict:
        raise _fault("not_object", f"{format_value(data)} is not an object")
    if not _reproduces(data, line):
        _check(data, MAX_DEPTH)
        json.loads(line, object_pairs_hook=_each_once, parse_int=_small)
    elif len(line.translate(None, _NOT_OPENING)) > MAX_DEPTH:
        _check(data, MAX_DEPTH)
    return data


def _reproduces(data: dict[str, Any], line: bytes) -> bool:
    try:
        return orjson.dumps(data, option=orjson.OPT_STRICT_INTEGER) == line
    except orjson.JSONEncodeError:  # an integer is too large for the wire
        return False


def _check(value: Any, room: int) -> None:
    """FrameFault if a container is nested more than `room` levels deep, or holds something that is not strict JSON."""
    if not room:
        raise _fault("too_deep", "the frame is nested too deeply")
    members: Iterable[Any]
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str:
                raise _fault("bad_field", f"a key of type {type(key).__name__}")
        members = value.values()
    elif isinstance(value, _ARRAYS):
        members = value
    elif isinstance(value, msgspec.Struct):
        members = msgspec.structs.astuple(value)
    else:
        raise _fault("bad_field", f"a value of type {type(value).__name__}")
    for inner in members:
        kind = type(inner)
        if kind in _SIMPLE:
            continue
        if kind is float:
            if not math.isfinite(inner):
                raise _fault("bad_number", f"{inner} is not a JSON number")
        elif kind is int:
            if not -MAX_INTEGER <= inner <= MAX_INTEGER:
                raise _fault("bad_number", f"the integer {format_value(inner)} is too large")
        else:
            _check(inner, room - 1)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise _fault("duplicate_key", f"the key {format_value(twice)} is duplicated in one object")
    return data


def _small(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        raise _fault("bad_number", f"the integer {format_value(digits)} is too large")
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
