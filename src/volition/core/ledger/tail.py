"""The end of a ledger, open for appending: writes lines, and repairs the file after a failed write."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from volition.core.errors import MissingPart
from volition.core.ledger.anchor import Anchor, write_closed
from volition.core.ledger.line import Sealed, seal
from volition.core.ledger.position import Position
from volition.core.ledger.segment import create, name, seal_header

if TYPE_CHECKING:
    from collections import deque
    from pathlib import Path

    from volition.core.ledger.lock import WriterLock


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
