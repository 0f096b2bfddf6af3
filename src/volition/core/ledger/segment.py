"""The files of a ledger: numbered segments, each beginning with a header; the anchor of one that was closed; and the lock.

An anchor is the end of a ledger in one line: kept elsewhere it reveals rewriting, and next to a closed ledger that it was cut.
The lock is advisory, and the operating system releases it when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import orjson
from msgspec import Struct

from volition.core.errors import InvalidInput, refuse
from volition.core.folder import OPEN_UNTRUSTED, replace_file, sync_folder
from volition.core.ledger.fault import BrokenLedger, Fault, FaultKind
from volition.core.ledger.line import Sealed, batches, encode, follows, parts, seal

if TYPE_CHECKING:
    from pathlib import Path


CLOSED: Final = "closed.anchor"
"""The file in which the writer of a ledger records where it ends, when it closes it properly."""


class Anchor(Struct, frozen=True):
    """The number of records and the hash of the last one (of the header if there are none), to be kept elsewhere.

    >>> str(Anchor(2, "ab" * 32))[:8]
    '2:ababab'
    """

    count: int
    hash: str

    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """Read an anchor as `str` writes it."""
        match = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text)
        if match is None:
            refuse(
                f"{text!r:.100} is not an anchor",
                where="anchor",
                expected="COUNT:HASH, the hash as 64 lower-case hex digits",
                remedy="take it from `volition ledger anchor PATH` or Ledger.anchor()",
            )
        return cls(int(match[1]), match[2])


def write_closed(folder: Path, anchor: Anchor) -> None:
    """Record where a ledger ends, atomically."""
    replace_file(folder / CLOSED, f"{anchor}\n".encode())


def read_closed(folder: Path) -> Anchor | None:
    """Where a ledger ended when it was closed; None if it was not closed. BrokenLedger if the file was changed."""
    try:
        with (folder / CLOSED).open("rb") as file:
            content = file.read(128)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _broken_ledger(folder, f"it cannot be read: {error.strerror}") from None
    try:
        anchor = Anchor.parse(content.decode("ascii").removesuffix("\n"))
    except (InvalidInput, UnicodeDecodeError):
        anchor = None
    if anchor is None or f"{anchor}\n".encode() != content:
        raise _broken_ledger(folder, "it does not contain an unchanged anchor")
    return anchor


def _broken_ledger(folder: Path, detail: str) -> BrokenLedger:
    return BrokenLedger(folder, Fault(FaultKind.CHANGED, CLOSED, 1, 1, detail))


FORMAT: Final = "volition-ledger"
VERSION: Final = 1
"""The version of the format that is written, and the only one that is read. Later versions must keep the layout and the
hash of the header line, so that an unknown version is told apart from a broken file."""

_NAME: Final = re.compile(r"([0-9]{6,12})\.jsonl")


class Header(Struct, frozen=True):
    """The first line of a segment.

    `seq` is the number of records before it and `previous` the hash of the line before it. Segment 1 holds what the
    caller said about the ledger (`kind`, `meta`); later segments name the hash of segment 1 as their `origin`.
    """

    segment: int
    seq: int
    previous: bytes
    hash: bytes
    origin: bytes
    kind: str
    meta: dict[str, Any]


def name(segment: int) -> str:
    """The file name of a segment.

    >>> name(1)
    '000001.jsonl'
    """
    return f"{segment:06d}.jsonl"


def seal_header(segment: int, *, seq: int, previous: bytes, **about: Any) -> Sealed:
    """The header of a segment: `kind` and `meta` of the ledger in the first one, its `origin` in the others."""
    layout = {"format": FORMAT, "version": VERSION, "segment": segment, "previous": previous.decode()}
    return seal(previous, seq, encode(layout | about, where="header"), field=b"header")


def parse_header(line: bytes, where: Path) -> Header | None:
    """The header in a line, or None if the line is not an unchanged header.

    The hash is checked against the `previous` that the header itself names; whether that is the right one is for the
    caller to check. An unknown version is refused.
    """
    line_parts = parts(line)
    if line_parts is None or not line_parts.is_header:
        return None
    try:
        about: dict[str, Any] = orjson.loads(line_parts.raw)
        previous = str(about["previous"]).encode()
    except (ValueError, KeyError):
        return None
    if not follows(previous, line) or about.get("format") != FORMAT:
        return None
    if about.get("version") != VERSION:
        refuse(
            f"the ledger is of format version {about.get('version')!r}",
            where=str(where),
            expected=f"version {VERSION}",
            remedy="read it with the version of volition that wrote it, or a newer one",
        )
    segment, meta = about.get("segment"), about.get("meta", {})
    if not isinstance(segment, int) or not isinstance(meta, dict):
        return None
    return Header(
        segment=segment,
        seq=line_parts.seq,
        previous=previous,
        hash=line_parts.hash,
        origin=str(about["origin"]).encode() if "origin" in about else line_parts.hash,
        kind=str(about.get("kind", "")),
        meta=meta,
    )


def read_header(folder: Path, segment: int = 1) -> Header:
    """The header of a segment; BrokenLedger if the segment is missing or does not begin with one."""
    path = folder / name(segment)
    try:
        with path.open("rb", buffering=0) as file:
            lines, _ = next(batches(file.fileno(), 0))
    except FileNotFoundError:
        raise BrokenLedger(folder, Fault(FaultKind.MISSING, path.name, 1, 1, f"there is no {path.name}")) from None
    header = parse_header(lines[0], path) if lines else None
    if header is None:
        detail = "the first line is not an unchanged header"
        raise BrokenLedger(folder, Fault(FaultKind.BROKEN_HEADER, path.name, 1, 1, detail))
    return header


def segments(folder: Path) -> list[int]:
    """The numbers of the existing segments, in order; InvalidInput if there are none."""
    try:
        names = {entry.name for entry in os.scandir(folder)}
    except OSError as error:
        refuse(
            f"there is no ledger to read: {error.strerror}",
            where=str(folder),
            expected="a folder with segments such as 000001.jsonl",
            remedy="check the path",
        )
    numbers = (int(match[1]) for entry in names if (match := _NAME.fullmatch(entry)))
    present = sorted(number for number in numbers if number > 0 and name(number) in names)
    if not present:
        refuse(
            "there is no ledger in this folder",
            where=str(folder),
            expected="a folder with segments such as 000001.jsonl",
            remedy="check the path; a Ledger creates its folder when it is opened",
        )
    return present


def create(folder: Path, segment: int, header: bytes) -> int:
    """Create a segment with its header, and return a descriptor that appends to it.

    It gets its name only when it is complete and on disk, and then the folder is synced: a crash leaves either no
    segment or one with its header.
    """
    path = folder / name(segment)
    unfinished = path.with_suffix(".new")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        written = 0
        while written < len(header):
            written += os.write(descriptor, header[written:])
        os.fsync(descriptor)
        unfinished.rename(path)
        sync_folder(folder)
    except BaseException:
        os.close(descriptor)
        unfinished.unlink(missing_ok=True)
        raise
    return descriptor


LOCK: Final = "writer.lock"


class WriterLock:
    """Held from its creation until `release`, or until the process ends, however it ends.

    The file names the holder while the lock is held, and is empty afterwards. It is never removed: a lock on a removed
    file would let two writers in.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            here = " (this one)" if holder == str(os.getpid()) else ""
            os.close(self._descriptor)
            refuse(
                f"the ledger is being written by {f'process {holder}' if holder else 'another process'}{here}",
                where=str(path),
                expected="one writer at a time",
                remedy="close that writer or wait until it ends, write to another ledger, or read this one",
            )
        except BaseException:
            os.close(self._descriptor)
            raise
        with suppress(OSError):  # on a full disk the lock holds without a name
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Allow the next writer."""
        with suppress(OSError):  # a name that stays says nothing without the lock
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def is_written(folder: Path) -> bool:
    """Whether any process is writing the ledger in a folder now.

    An empty lock file is held by nobody; if it names a holder, the lock is tried without waiting and released at once.
    """
    try:
        descriptor = os.open(folder / LOCK, OPEN_UNTRUSTED)
    except OSError:
        return False
    try:
        if not os.read(descriptor, 1):
            return False
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
