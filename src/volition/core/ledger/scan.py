"""One pass over a ledger, line by line: the chain is checked before a record is handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.ledger.diagnosis import fault_of_header, fault_of_record
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.line import HASHED, START, batches, digest, follows, opening
from volition.core.ledger.position import Position
from volition.core.ledger.record import Record
from volition.core.ledger.segment import name, parse_header, read_header, segments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Scan(Position):
    """A pass over a ledger, which can continue later, when more has been written. Memory holds one chunk at a time."""

    def __init__(self, folder: Path, *, segment: int = 1) -> None:
        """Begin at a segment. After the first one, the chain continues from what that segment's header says."""
        super().__init__(folder, segment)
        if segment > 1:
            header = read_header(folder, segment)
            self.count, self.head, self.top, self.origin = header.seq, header.previous, header.previous, header.origin

    def records(self) -> Iterator[Record]:
        """Yield every complete record that was not yielded before; raise BrokenLedger at the first broken line."""
        while True:
            # Checked before the segment is read: a writer finishes a segment before it begins the next.
            has_next = segments(self.folder)[-1] > self.segment
            yield from self._segment()
            if not has_next:
                self._check_tail()
                return
            if self.tail:
                raise self.broken_ledger(FaultKind.CHANGED, "the line is cut short, and another segment follows")
            self.segment += 1
            self.line = self.size = 0

    def _segment(self) -> Iterator[Record]:
        path = self.folder / name(self.segment)
        try:
            file = path.open("rb", buffering=0)
        except FileNotFoundError:
            raise self.broken_ledger(FaultKind.MISSING, f"there is no {name(self.segment)}") from None
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
                        raise self.broken_ledger(*fault_of_record(self, line))
                    self.head = self.top = own
                    self.count = seq
                    self.line += 1
                    self.size += len(line) + 1
                    yield Record(seq, own.decode(), line[HASHED + len(start) : -1])
                self.tail = tail
        if self.line == 0:
            raise self.broken_ledger(FaultKind.BROKEN_HEADER, "the segment does not begin with a complete line")

    def _enter(self, line: bytes, path: Path) -> None:
        header = parse_header(line, path)
        if header is None:
            raise self.broken_ledger(FaultKind.BROKEN_HEADER, "the first line is not an unchanged header")
        fault = fault_of_header(self, header)
        if fault is not None:
            raise self.broken_ledger(*fault)
        self.head, self.origin = header.hash, header.origin
        if self.segment == 1:
            self.top = header.hash
        self.line, self.size = 1, len(line) + 1

    def _check_tail(self) -> None:
        """A write that was cut short leaves the start of a line; a complete record with a wrong line end is damage."""
        whole = self.tail[:-1]
        if whole.startswith(START) and whole.startswith(opening(self.count + 1), HASHED) and follows(self.head, whole):
            raise self.broken_ledger(FaultKind.CHANGED, "the record is complete but its line end is wrong")
