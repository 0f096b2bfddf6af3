"""The layout of a line of a ledger, and how it is chained to the line before it.

    {"hash":"<64 hex digits>","seq":12,"body":{...}}

The hash is SHA-256 over the previous line's hash (as hex text) followed by every byte of this line after its own hash,
without the line end. So every byte of a line is constant, part of the hash, or hashed, and a line is checked as it is
in the file, without encoding it again. The header of a segment says `header` where a record says `body`.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    found = _LAYOUT.fullmatch(line)
    if found is None:
        return None
    own, seq, field, raw = found.groups()
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
