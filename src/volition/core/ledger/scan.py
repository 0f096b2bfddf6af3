"""One pass over a ledger, line by line, that trusts nothing: the chain is checked before a record is handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.ledger.diagnosis import fault_of_header, fault_of_record
from volition.core.ledger.fault import BrokenLedger, Fault, Reason
from volition.core.ledger.line import GENESIS, HASHED, START, batches, digest, follows, opening
from volition.core.ledger.record import Record
from volition.core.ledger.segment import name, parse_header, read_header, segments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Scan:
    """Where a pass stands: behind the last good line. It can go on later, when more has been written.

    `count` records stand before it; `head` is the hash of the last line; `size` is where that line ends in `segment`;
    `tail` holds the bytes behind it that are not a whole line. Nothing but the chunk being read is kept in memory.
    """

    def __init__(self, folder: Path, *, segment: int = 1) -> None:
        """Begin at a segment. Past the first one, the chain is taken up from what that segment's header says."""
        self.folder = folder
        self.segment = segment
        self.line = 0
        self.size = 0
        self.count = 0
        self.head = self.top = GENESIS
        self.origin = b""
        self.tail = b""
        header = read_header(folder, segment) if segment > 1 else None
        if header is not None:
            self.count, self.head, self.top, self.origin = header.seq, header.previous, header.previous, header.origin

    def records(self) -> Iterator[Record]:
        """Yield every record that is wholly there and not yet seen; raise BrokenLedger at the first broken line."""
        while True:
            # Asked before the segment is read: a writer is done with a segment before it begins the next.
            has_next = segments(self.folder)[-1] > self.segment
            yield from self._segment()
            if not has_next:
                self._check_tail()
                return
            if self.tail:
                raise self.broken(Reason.CHANGED, "the line is cut short, and another segment follows")
            self.segment += 1
            self.line = self.size = 0

    def broken(self, reason: Reason, detail: str) -> BrokenLedger:
        """The error for the line behind the last good one."""
        return BrokenLedger(self.folder, Fault(reason, name(self.segment), self.line + 1, self.count + 1, detail))

    def _segment(self) -> Iterator[Record]:
        path = self.folder / name(self.segment)
        try:
            file = path.open("rb", buffering=0)
        except FileNotFoundError:
            raise self.broken(Reason.MISSING, f"there is no {name(self.segment)}") from None
        with file:
            for lines, tail in batches(file.fileno(), self.size):
                for line in lines:
                    if self.line == 0:
                        self._enter(line, path)
                        continue
                    seq = self.count + 1
                    start = opening(seq)
                    own = digest(self.head, line[HASHED:])
                    if line[:HASHED] != START + own or not line.startswith(start, HASHED):
                        raise BrokenLedger(self.folder, fault_of_record(self, line))
                    self.head = self.top = own
                    self.count = seq
                    self.line += 1
                    self.size += len(line) + 1
                    yield Record(seq, own.decode(), line[HASHED + len(start) : -1])
                self.tail = tail
        if self.line == 0:
            raise self.broken(Reason.BROKEN_HEADER, "the segment does not begin with a whole line")

    def _enter(self, line: bytes, path: Path) -> None:
        header = parse_header(line, path)
        if header is None:
            raise self.broken(Reason.BROKEN_HEADER, "the first line is not a header as it was written")
        fault = fault_of_header(self, header)
        if fault is not None:
            raise BrokenLedger(self.folder, fault)
        self.head, self.origin = header.hash, header.origin
        if self.segment == 1:
            self.top = header.hash
        self.line, self.size = 1, len(line) + 1

    def _check_tail(self) -> None:
        """A write that was cut short leaves the beginning of a line; a whole record with another end is damage."""
        whole = self.tail[:-1]
        if whole.startswith(START) and whole.startswith(opening(self.count + 1), HASHED) and follows(self.head, whole):
            raise self.broken(Reason.CHANGED, "the record is whole and its line end is not")
