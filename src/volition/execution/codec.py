"""One strict JSON object per line: frames to bytes and back, and a byte stream cut into lines.

Strict means: UTF-8, no key twice, no NaN or infinity, integers up to 2^53 - 1, nothing after the object, and limits on
length and depth. The same rules hold for what is written, so what one side sends the other can read.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import msgspec
import orjson

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import InvalidInput, Problem, did_you_mean, shown
from volition.execution.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FRAME: Final = 2**20
"""How long a line may be, its end not counted, unless the sides agree on less."""

MAX_DEPTH: Final = 32
"""How many arrays and objects may stand inside one another, the frame itself included."""

FaultCode: TypeAlias = Literal[
    "too_long", "not_utf8", "not_json", "not_object", "too_deep", "bad_number", "duplicate_key",
    "bad_version", "unknown_type", "bad_field",
]  # fmt: skip

_HEAD: Final = b'{"v":1,'
_TYPES: Final = {member.__struct_config__.tag: member for member in get_args(Frame)}
_KEY: Final = re.compile(rb'"[ \t\r\n]*:')
_LONG_INTEGER: Final = re.compile(rb"(?<![.\d])\d{17}")
_PLAIN: Final = frozenset({str, bool, type(None)})
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
    """A line that is no frame; `code` says which rule it breaks. The only error that reading a line can raise."""

    def __init__(self, *problems: Problem, code: FaultCode = "bad_field") -> None:
        super().__init__(*problems)
        self.code: FaultCode = code


def encode(frame: Frame, *, max_frame: int = MAX_FRAME) -> bytes:
    r"""The line of a frame, its end included; FrameFault where the frame holds what the wire cannot.

    >>> from volition.execution.frames import Ping
    >>> encode(Ping(n=1))
    b'{"v":1,"type":"ping","n":1}\n'
    """
    _measure(msgspec.structs.asdict(frame), MAX_DEPTH)
    try:
        line = _HEAD + msgspec.json.encode(frame)[1:]
    except (msgspec.MsgspecError, UnicodeEncodeError, TypeError) as error:
        raise _fault("bad_field", f"a frame that cannot be written: {error}") from None
    if len(line) > max_frame:
        raise _fault("too_long", f"a frame of {len(line)} bytes, where {max_frame} are allowed")
    return line + b"\n"


def decode(line: bytes, *, max_frame: int = MAX_FRAME) -> Frame:
    """The frame on a line (its end may be there or not); FrameFault, and nothing else, where there is none.

    >>> decode(b'{"v":1,"type":"ping","n":1}')
    Ping(n=1)
    """
    data = _object(line.removesuffix(b"\n"), max_frame)
    version = data.get("v")
    if type(version) is not int or version != 1:
        raise _fault("bad_version", f"the version of the wire is {shown(version)}")
    kind = data.get("type")
    member = _TYPES.get(kind) if isinstance(kind, str) else None
    if member is None:
        problem = Problem(
            f"{shown(kind)} is no type of frame", "type", "a known type of frame", did_you_mean(kind, map(str, _TYPES))
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
        self.overrun = False
        self._rest = bytearray()
        self._searched = 0

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished line are held."""
        return len(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that these bytes complete, without their ends; to be read to the end."""
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


def _object(line: bytes, max_frame: int) -> dict[str, Any]:
    """The object on a line, read strictly.

    The quick reader keeps the last of two equal keys and turns a huge integer into a float. Both leave a trace: fewer
    keys in the object than places in the text that may be the end of a key, or a long run of digits. Only then is the
    line read again, slowly.
    """
    if len(line) > max_frame:
        raise _fault("too_long", f"a line of {len(line)} bytes, where {max_frame} are allowed")
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _unreadable(line, error) from None
    if type(data) is not dict:
        raise _fault("not_object", f"{shown(data)} is no object")
    keys = _measure(data, MAX_DEPTH)
    if keys != len(_KEY.findall(line)) or _LONG_INTEGER.search(line):
        json.loads(line, object_pairs_hook=_each_once, parse_int=_small)
    return data


def _measure(value: Any, room: int) -> int:
    """How many keys stand in `value`; FrameFault where it is too deep or holds what strict JSON does not."""
    kind = type(value)
    if kind in _PLAIN:
        return 0
    if kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise _fault("bad_number", f"the integer {shown(value)} is too large")
        return 0
    if kind is float:
        if not math.isfinite(value):
            raise _fault("bad_number", f"{value} is no JSON number")
        return 0
    if isinstance(value, msgspec.Struct):
        value, kind = msgspec.structs.asdict(value), dict
    if kind is not dict and kind is not list and kind is not tuple:
        raise _fault("bad_field", f"a value of type {kind.__name__}")
    if not room:
        raise _fault("too_deep", "the frame is nested too deeply")
    if kind is not dict:
        return sum([_measure(inner, room - 1) for inner in value])
    for key in value:
        if type(key) is not str:
            raise _fault("bad_field", f"a key of type {type(key).__name__}")
    return len(value) + sum([_measure(inner, room - 1) for inner in value.values()])


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
