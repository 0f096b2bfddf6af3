"""Why a line is not the one that belongs there. Called once, when a chain is known to be broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.ledger.fault import FaultKind
from volition.core.ledger.line import HASHED, batches, digest, opening, parts
from volition.core.ledger.segment import name, segments

if TYPE_CHECKING:
    from pathlib import Path

    from volition.core.ledger.position import Position
    from volition.core.ledger.segment import Header


def fault_of_record(at: Position, line: bytes) -> tuple[FaultKind, str]:
    """What is wrong with a line that should hold the next record."""
    wanted = at.count + 1
    found = parts(line)
    if found is None:
        return FaultKind.CHANGED, "the line is not laid out as a record"
    if found.is_header:
        return FaultKind.OUT_OF_ORDER, "there is a header among the records"
    if found.seq == wanted:
        return FaultKind.CHANGED, "its hash does not follow from its bytes and the line before it"
    if digest(at.head, opening(wanted) + found.raw + b"}") == found.hash:
        return FaultKind.CHANGED, f"its number was changed to {found.seq}"
    if found.seq < wanted:
        return FaultKind.OUT_OF_ORDER, f"record {found.seq} is repeated here"
    elsewhere = _place(at.folder, at.segment, wanted, at.head)
    if elsewhere is not None:
        return FaultKind.OUT_OF_ORDER, f"record {found.seq} is in its place; it is in {elsewhere}"
    return FaultKind.MISSING, f"record {found.seq} follows record {at.count}"


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
