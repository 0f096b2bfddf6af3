"""The end of a ledger, open for appending: continued or created, and repaired after a failed write."""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from volition.core.errors import MissingPart, refuse
from volition.core.folder import DRAFTS, sync_folder
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.line import GENESIS, Sealed, encode, seal
from volition.core.ledger.reader import check_closed
from volition.core.ledger.scan import Position, Scan
from volition.core.ledger.segment import (
    CLOSED,
    Anchor,
    Header,
    WriterLock,
    create,
    name,
    read_closed,
    read_header,
    seal_header,
    write_closed,
)

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(kw_only=True)
class Tail(Position):
    """The end of a ledger, where lines are appended; all of them are good.

    After an error, either the file is as the fields say, or the tail is `closed` with the reason. It is never open in
    an unknown state.
    """

    lock: WriterLock
    descriptor: int
    unsynced: bool = False
    closed: str = ""

    def take_fitting(self, bodies: deque[bytes], limit: int) -> list[Sealed]:
        """Take from the front of `bodies` what fits into this segment; a segment holds at least one record."""
        batch: list[Sealed] = []
        size, head, seq = self.size, self.head, self.count + 1
        while bodies:
            sealed = seal(head, seq, bodies[0])
            size += len(sealed.line)
            if size > limit and (batch or self.line > 1):
                break
            bodies.popleft()
            batch.append(sealed)
            head, seq = sealed.hash, seq + 1
        return batch

    def write(self, batch: list[Sealed]) -> None:
        """Write complete lines with one write."""
        data = batch[0].line if len(batch) == 1 else b"".join(sealed.line for sealed in batch)
        written = 0
        try:
            while written < len(data):
                written += os.write(self.descriptor, data[written:] if written else data)
        except OSError as error:
            self._keep_whole(batch, written, error)
        self._advance(batch)

    def rotate(self) -> None:
        """Sync this segment, then begin the next: a crash never loses a record but keeps a later segment."""
        self.sync()
        segment = self.segment + 1
        header = seal_header(segment, seq=self.count, previous=self.head, origin=self.origin.decode())
        try:
            descriptor = create(self.folder, segment, header.line)
        except OSError as error:
            if (self.folder / name(segment)).exists():
                self.shut("a new segment may not be on disk")
            raise_failed(self.folder, "a new segment could not be created", error, self.closed)
        os.close(self.descriptor)
        self.descriptor, self.segment = descriptor, segment
        self.head, self.size, self.line = header.hash, len(header.line), 1

    def sync(self) -> None:
        """Wait until everything that was written is on disk."""
        if not self.unsynced:
            return
        try:
            os.fdatasync(self.descriptor)
        except OSError as error:
            # The system may have dropped what it could not write, and reports that only once.
            self.unsynced = False
            self.shut("what was written may not be on disk")
            raise_failed(self.folder, "the records could not be written to disk", error, self.closed)
        self.unsynced = False

    def finish(self) -> None:
        """Close properly, and record where the ledger ends."""
        try:
            write_closed(self.folder, Anchor(self.count, self.top.decode()))
        except OSError as error:
            # All records are on disk; they are worth more than the record of where they end.
            self.shut("it was closed")
            raise_failed(self.folder, "the end of the ledger could not be recorded", error)
        self.shut("it was closed")

    def shut(self, why: str) -> None:
        """Close for good, sync what can be synced, and allow the next writer."""
        self.closed = why
        with suppress(OSError):
            if self.unsynced:
                os.fdatasync(self.descriptor)
        with suppress(OSError):
            os.close(self.descriptor)
        self.lock.release()

    def _advance(self, batch: list[Sealed]) -> None:
        if batch:
            self.size += sum(len(sealed.line) for sealed in batch)
            self.count += len(batch)
            self.line += len(batch)
            self.head = self.top = batch[-1].hash
            self.unsynced = True

    def _keep_whole(self, batch: list[Sealed], written: int, error: OSError) -> NoReturn:
        """After a partial write: keep the complete lines, which a reader may have seen, and cut the rest."""
        whole: list[Sealed] = []
        for sealed in batch:
            written -= len(sealed.line)
            if written < 0:
                break
            whole.append(sealed)
        self._advance(whole)
        try:
            os.ftruncate(self.descriptor, self.size)
        except OSError:
            self.shut("an incomplete line could not be removed")
        raise_failed(self.folder, f"{len(whole)} of {len(batch)} records could be written", error, self.closed)


def raise_failed(folder: Path, what: str, error: OSError, closed: str = "") -> NoReturn:
    """Raise MissingPart for an error of the system; `closed` says why the ledger had to be closed, if it was."""
    after = f"; the ledger was closed: {closed}" if closed else ""
    raise MissingPart.of(
        f"{what}: {error.strerror}{after}",
        where=str(folder),
        expected="a writable folder on a disk with free space",
        remedy=(
            "free some space or repair the folder, then open the ledger again; everything acknowledged before is there"
            if closed
            else "free some space or repair the folder, then continue; everything acknowledged is there"
        ),
    ) from error


def open_tail(folder: Path, kind: str, meta: dict[str, Any] | None) -> Tail:
    """Lock a ledger and open its end; `tail` has the bytes of an unfinished last line, which were cut off.

    A missing ledger is created, and then continued. After a refusal or an error nothing is changed and nothing is locked.
    """
    lock = None
    try:
        _make_folder(folder)
        lock = WriterLock(folder)
        for unfinished in (*folder.glob("[0-9]*.new"), *folder.glob(DRAFTS)):
            unfinished.unlink()
        if not any(folder.glob("[0-9]*.jsonl")):
            header = seal_header(1, seq=0, previous=GENESIS, kind=kind, meta=meta or {})
            (folder / CLOSED).unlink(missing_ok=True)
            os.close(create(folder, 1, header.line))
        return _continue(folder, lock, kind, meta)
    except BaseException as error:
        if lock is not None:
            lock.release()
        if isinstance(error, OSError):
            raise_failed(folder, "the ledger cannot be opened for writing", error)
        raise


def _make_folder(folder: Path) -> None:
    """Create the folder and missing parents, and make their names durable."""
    absent = [parent for parent in folder.parents if not parent.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in (folder, *absent):
        sync_folder(made.parent)


def _continue(folder: Path, lock: WriterLock, kind: str, meta: dict[str, Any] | None) -> Tail:
    scan = Scan(folder)
    deque(scan.records(), maxlen=0)
    _check_same(folder, read_header(folder), kind, meta)
    _reopen(folder, scan)
    descriptor = os.open(folder / name(scan.segment), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        if scan.tail:
            os.ftruncate(descriptor, scan.size)
        # The last writer may have died before its records were on disk; they must be before others follow them.
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return Tail(**vars(scan), lock=lock, descriptor=descriptor)


def _reopen(folder: Path, scan: Scan) -> None:
    """Check the recorded end of a closed ledger and remove it: a ledger that was cut is not continued."""
    closed = read_closed(folder)
    if closed is None:
        return
    if scan.tail:
        raise scan.broken_ledger(
            FaultKind.TORN, f"{len(scan.tail)} bytes follow the end at which the ledger was closed"
        )
    check_closed(scan, closed)
    (folder / CLOSED).unlink()
    sync_folder(folder)


def _check_same(folder: Path, header: Header, kind: str, meta: dict[str, Any] | None) -> None:
    if header.kind != kind:
        refuse(
            f"the ledger is of kind {header.kind!r}",
            where=str(folder),
            expected=f"kind {kind!r}",
            remedy="write to another folder, or open it with its own kind",
        )
    if meta is not None and header.meta != orjson.loads(encode(meta, where="meta")):
        refuse(
            f"the ledger was created with other meta: {header.meta!r:.200}",
            where=str(folder),
            expected=f"{meta!r:.200}",
            remedy="write to another folder, or leave meta out to continue the ledger as it is",
        )
