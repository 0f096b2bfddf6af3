"""One pass over a ledger, line by line: the chain is checked before a record is handed out, and what breaks it is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.core.ledger.fault import BrokenLedger, Fault, FaultKind
from volition.core.ledger.line import GENESIS, HASHED, START, Record, batches, digest, follows, opening, parts
from volition.core.ledger.segment import name, parse_header, read_header, segments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.core.ledger.segment import Header


@dataclass
class Position:
    """The place after the last good line.

    `count` records precede it. `head` is the hash of the last line and `top` that of the last record; `size` is where
    the last line ends in `segment`, and `tail` holds the bytes after it that are not a complete line.
    """

    folder: Path
    segment: int = 1
    line: int = 0
    size: int = 0
    count: int = 0
    head: bytes = GENESIS
    top: bytes = GENESIS
    origin: bytes = b""
    tail: bytes = b""

    def broken_ledger(self, reason: FaultKind, detail: str) -> BrokenLedger:
        """The error for the line after the last good one."""
        return BrokenLedger(self.folder, Fault(reason, name(self.segment), self.line + 1, self.count + 1, detail))


def fault_of_record(at: Position, line: bytes) -> tuple[FaultKind, str]:
    """What is wrong with a line that should hold the next record."""
    wanted = at.count + 1
    line_parts = parts(line)
    if line_parts is None:
        return FaultKind.CHANGED, "the line is not laid out as a record"
    if line_parts.is_header:
        return FaultKind.OUT_OF_ORDER, "there is a header among the records"
    if line_parts.seq == wanted:
        return FaultKind.CHANGED, "its hash does not follow from its bytes and the line before it"
    if digest(at.head, opening(wanted) + line_parts.raw + b"}") == line_parts.hash:
        return FaultKind.CHANGED, f"its number was changed to {line_parts.seq}"
    if line_parts.seq < wanted:
        return FaultKind.OUT_OF_ORDER, f"record {line_parts.seq} is repeated here"
    elsewhere = _place(at.folder, at.segment, wanted, at.head)
    if elsewhere is not None:
        return FaultKind.OUT_OF_ORDER, f"record {line_parts.seq} is in its place; it is in {elsewhere}"
    return FaultKind.MISSING, f"record {line_parts.seq} follows record {at.count}"


def _place(folder: Path, first: int, seq: int, previous: bytes) -> str | None:
    """Where the record that continues `previous` is, from the segment `first` on."""
    start = opening(seq)
    for segment in segments(folder):
        if segment < first:
            continue
        number = 0
        with (folder / name(segment)).open("rb", buffering=0) as file:
            for lines, _ in batches(file.fileno(), 0):
                for number, line in enumerate(lines, number + 1):  # noqa: B020  counts on over the batches
                    if line.startswith(start, HASHED) and digest(previous, line[HASHED:]) == line[HASHED - 64 : HASHED]:
                        return f"{name(segment)}, line {number}"
    return None


def fault_of_header(at: Position, header: Header) -> tuple[FaultKind, str] | None:
    """What is wrong with a header that is valid in itself, or None if it is the one that belongs there."""
    if at.segment > 1 and header.origin != at.origin:
        return FaultKind.FOREIGN, "the segment belongs to another ledger"
    if header.segment != at.segment:
        return FaultKind.OUT_OF_ORDER, f"this is segment {header.segment}"
    if header.seq > at.count:
        missing = header.seq - at.count
        return FaultKind.MISSING, f"the segment before ends {missing} record{'s' * (missing > 1)} early"
    if header.seq < at.count or header.previous != at.head:
        return FaultKind.FOREIGN, "the segment does not continue the one before it, or that one was rewritten"
    return None


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
