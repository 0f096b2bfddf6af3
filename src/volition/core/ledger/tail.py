"""The end of a ledger, open for appending: where lines are written, and where a failed write is made good."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from volition.core.errors import MissingPart, Problem
from volition.core.ledger.anchor import Anchor, write_closed
from volition.core.ledger.line import Sealed, seal
from volition.core.ledger.segment import create, name, next_header

if TYPE_CHECKING:
    from collections import deque
    from pathlib import Path

    from volition.core.ledger.lock import WriterLock


@dataclass(slots=True)
class Tail:
    """The last segment: `size` bytes in whole lines, `head` the last line's hash, `top` the last record's.

    After an error it is either as its fields say, or `closed` with the reason: never open and in doubt.
    """

    folder: Path
    lock: WriterLock
    descriptor: int
    segment: int
    size: int
    count: int
    head: bytes
    top: bytes
    origin: bytes
    empty: bool
    unsynced: bool = False
    closed: str = ""

    def fitting(self, bodies: deque[bytes], limit: int) -> list[Sealed]:
        """Take from the front of `bodies` what this segment has room for; a segment holds one record at least."""
        batch: list[Sealed] = []
        size, head, seq = self.size, self.head, self.count + 1
        while bodies:
            sealed = seal(head, seq, bodies[0])
            size += len(sealed.line)
            if size > limit and (batch or not self.empty):
                break
            bodies.popleft()
            batch.append(sealed)
            head, seq = sealed.hash, seq + 1
        return batch

    def write(self, batch: list[Sealed]) -> None:
        """Write whole lines with one write."""
        data = batch[0].line if len(batch) == 1 else b"".join(sealed.line for sealed in batch)
        written = 0
        try:
            while written < len(data):
                written += os.write(self.descriptor, data[written:] if written else data)
        except OSError as error:
            self._keep_whole(batch, written, error)
        self._advance(batch)

    def rotate(self) -> None:
        """End this segment on disk, then begin the next: a later segment never outlives an earlier record."""
        self.sync()
        segment = self.segment + 1
        header = next_header(segment, seq=self.count, previous=self.head, origin=self.origin)
        try:
            descriptor = create(self.folder, segment, header.line)
        except OSError as error:
            if (self.folder / name(segment)).exists():
                self.shut("a new segment may not be on disk")
            failed(self.folder, "a new segment could not be begun", error, self.closed)
        os.close(self.descriptor)
        self.descriptor, self.segment = descriptor, segment
        self.head, self.size, self.empty = header.hash, len(header.line), True

    def sync(self) -> None:
        """Wait until everything that was written is on disk."""
        if not self.unsynced:
            return
        try:
            os.fdatasync(self.descriptor)
        except OSError as error:
            # The system may have dropped what it could not write, and says so only once.
            self.unsynced = False
            self.shut("what was written may not be on disk")
            failed(self.folder, "the records could not be put on disk", error, self.closed)
        self.unsynced = False

    def finish(self) -> None:
        """Close in order, and say where the ledger ends."""
        try:
            write_closed(self.folder, Anchor(self.count, self.top.decode()))
        except OSError as error:
            # All records are on disk; that nobody can say where they end is not worth losing them.
            self.shut("it was closed")
            failed(self.folder, "where the ledger ends could not be written", error)
        self.shut("it was closed")

    def shut(self, why: str) -> None:
        """Close for good, putting on disk what can be, and let the next writer in."""
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
            self.head = self.top = batch[-1].hash
            self.empty = False
            self.unsynced = True

    def _keep_whole(self, batch: list[Sealed], written: int, error: OSError) -> NoReturn:
        """After a write that stopped half way: keep the whole lines, which a reader may have seen, and cut the rest."""
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
            self.shut("half a line could not be taken back")
        failed(self.folder, f"{len(whole)} of {len(batch)} records could be written", error, self.closed)


def failed(folder: Path, what: str, error: OSError, closed: str = "") -> NoReturn:
    """Raise MissingPart for what the system would not do; `closed` says why the ledger had to be closed, if it had."""
    after = f"; the ledger is closed, for {closed}" if closed else ""
    raise MissingPart(
        Problem(
            f"{what}: {error.strerror}{after}",
            str(folder),
            "a folder that can be written, on a disk with room left",
            "make room or mend the folder, then open the ledger again; all that was acknowledged before is there"
            if closed
            else "make room or mend the folder, then go on; all that was acknowledged is there",
        )
    ) from error
