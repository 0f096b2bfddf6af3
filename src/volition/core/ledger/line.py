"""The lines of a ledger: records as JSON, laid out and chained to the line before them.

    {"hash":"<64 hex digits>","seq":12,"body":{...}}

The hash is SHA-256 over the previous line's hash (as hex text) followed by every byte of this line after its own hash,
without the line end. So every byte of a line is constant, part of the hash, or hashed, and a line is checked as it is
in the file, without encoding it again. The header of a segment says `header` where a record says `body`.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from enum import Enum
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator


# Dataclasses are refused, so that the search for a NaN knows every possible container.
_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_WITHOUT_PARTS: Final = frozenset({str, int, bool, type(None)})


class Record(NamedTuple):
    """One record: its number, counted from 1, its hash, and the bytes of its body as they are in the file."""

    seq: int
    hash: str
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The body, decoded again at each call.

        >>> Record(1, "", b'{"act":"chat"}').body
        {'act': 'chat'}
        """
        body: dict[str, Any] = orjson.loads(self.raw)
        return body


def encode(record: dict[str, Any], *, where: str = "record") -> bytes:
    """The JSON bytes of a record, keys in the order given.

    A record is a dict of JSON values with text keys. Anything that would be read back differently is refused: NaN,
    infinity, integers beyond 64 bits, text that is not Unicode, objects of other types.

    >>> encode({"who": "victor", "bonds": [0.5, None]})
    b'{"who":"victor","bonds":[0.5,null]}'
    """
    if not isinstance(record, dict):
        refuse(
            f"a record is a {type(record).__name__}",
            where=where,
            expected="a dict with text keys",
            remedy="put the value under a key",
        )
    try:
        raw = orjson.dumps(record, option=_OPTIONS)
    except TypeError as error:
        refuse(
            f"a record cannot be written as JSON: {error}",
            where=where,
            expected="text keys, and JSON values: text, numbers within 64 bits, true, false, null, lists, dicts",
            remedy="convert the value first; verbatim() stores bytes",
        )
    # orjson writes NaN as null, so only data with a null needs the slower search.
    if b"null" in raw and not _is_plain(record) and (odd := next(_not_finite(record, where), None)) is not None:
        refuse(
            f"a record contains {odd[1]!r}",
            where=odd[0],
            expected="a finite number: JSON has no others",
            remedy="leave it out, or use None or a text",
        )
    return raw


def _is_plain(data: Any) -> bool:
    """Whether there are only finite numbers and values without parts in plain containers.

    It names no place, so it takes a fifth of the time of the search for one, and an evening is recorded in half the time
    (benchmarks/drama.py, recording / playing: 0.46 before, 0.28 with it).
    """
    todo = [data]
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind is dict:
            todo.extend(value.values())
        elif kind is list or kind is tuple:
            todo.extend(value)
        elif kind is float:
            if not isfinite(value):
                return False
        elif kind not in _WITHOUT_PARTS:
            return False
    return True


def _not_finite(value: Any, where: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        if not isfinite(value):
            yield where, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _not_finite(item, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _not_finite(item, f"{where}[{index}]")
    elif isinstance(value, Enum):
        yield from _not_finite(value.value, where)


def verbatim(data: bytes) -> dict[str, str]:
    """Store bytes inside a record: UTF-8 as readable text, anything else as base64.

    >>> verbatim(b"stop"), verbatim(b"\\xff")
    ({'text': 'stop'}, {'base64': '/w=='})
    """
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}


GENESIS: Final = b"0" * 64
"""Used as the previous hash of the first line."""

START: Final = b'{"hash":"'
HASHED: Final = len(START) + 64
"""The offset at which the hashed part of a line begins."""

_CHUNK: Final = 1 << 20
_LAYOUT: Final = re.compile(
    rb'\{"hash":"([0-9a-f]{64})","seq":(0|[1-9][0-9]{0,17}),"(body|header)":(\{.*\})\}', re.DOTALL
)


class Sealed(NamedTuple):
    """A line as it is written, and its hash."""

    line: bytes
    hash: bytes


class Parts(NamedTuple):
    """The fields of a well-formed line; they have not been checked against its hash."""

    hash: bytes
    seq: int
    is_header: bool
    raw: bytes


def digest(previous: bytes, rest: bytes) -> bytes:
    """The hash of a line whose hashed part is `rest`."""
    return sha256(previous + rest).hexdigest().encode()


def opening(seq: int, field: bytes = b"body") -> bytes:
    """The hashed part of a line up to its body."""
    return b'","seq":%d,"%b":' % (seq, field)


def seal(previous: bytes, seq: int, raw: bytes, *, field: bytes = b"body") -> Sealed:
    """Chain `raw`, the JSON of one object, to the line before it.

    >>> seal(GENESIS, 1, b'{"act":"chat"}').line.decode()[73:]
    '","seq":1,"body":{"act":"chat"}}\\n'
    """
    rest = opening(seq, field) + raw + b"}"
    own = digest(previous, rest)
    return Sealed(START + own + rest + b"\n", own)


def follows(previous: bytes, line: bytes) -> bool:
    """Whether the line's own hash follows from `previous` and the line's bytes."""
    return digest(previous, line[HASHED:]) == line[len(START) : HASHED]


def parts(line: bytes) -> Parts | None:
    """The fields of a line, or None if it is not laid out as one."""
    match = _LAYOUT.fullmatch(line)
    if match is None:
        return None
    own, seq, field, raw = match.groups()
    return Parts(own, int(seq), field == b"header", raw)


def batches(descriptor: int, offset: int) -> Iterator[tuple[list[bytes], bytes]]:
    """Read a file from `offset` on as (complete lines without line ends, the bytes after the last of them).

    The last batch has no lines, and its rest is the file's unfinished end. Nothing is kept between two reads, so an end
    that was cut and written again in the meantime is read as it is now.
    """
    size = _CHUNK
    while True:
        chunk = os.pread(descriptor, size, offset)
        end = chunk.rfind(b"\n") + 1
        if end:
            yield chunk[: end - 1].split(b"\n"), chunk[end:]
            offset += end
            size = _CHUNK
        elif len(chunk) < size:
            yield [], chunk
            return
        else:
            size *= 2
