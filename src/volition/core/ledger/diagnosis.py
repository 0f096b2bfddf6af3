"""Why a line is not the one that belongs there. Asked once, when a chain is already known to be broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.ledger.fault import Fault, Reason
from volition.core.ledger.line import HASHED, batches, digest, opening, parts
from volition.core.ledger.segment import name, segments

if TYPE_CHECKING:
    from pathlib import Path

    from volition.core.ledger.scan import Scan
    from volition.core.ledger.segment import Header


def fault_of_record(scan: Scan, line: bytes) -> Fault:
    """What is wrong with a line that should have held the next record."""
    reason, detail = _of_record(scan, line)
    return Fault(reason, name(scan.segment), scan.line + 1, scan.count + 1, detail)


def fault_of_header(scan: Scan, header: Header) -> Fault | None:
    """What is wrong with a header that is whole in itself, or None where it is the one that belongs there."""
    found = _of_header(scan, header)
    return found and Fault(found[0], name(scan.segment), 1, scan.count + 1, found[1])


def _of_record(scan: Scan, line: bytes) -> tuple[Reason, str]:
    wanted = scan.count + 1
    found = parts(line)
    if found is None:
        return Reason.CHANGED, "the line is not laid out as a record"
    if found.is_header:
        return Reason.OUT_OF_ORDER, "a header stands among the records"
    if found.seq == wanted:
        return Reason.CHANGED, "its hash does not follow from its bytes and the line before it"
    if digest(scan.head, opening(wanted) + found.raw + b"}") == found.hash:
        return Reason.CHANGED, f"its number was changed to {found.seq}"
    if found.seq < wanted:
        return Reason.OUT_OF_ORDER, f"record {found.seq} stands here again"
    elsewhere = _place(scan.folder, scan.segment, wanted, scan.head)
    if elsewhere is not None:
        return Reason.OUT_OF_ORDER, f"record {found.seq} stands in its place; it is in {elsewhere}"
    return Reason.MISSING, f"record {found.seq} follows record {scan.count}"


def _place(folder: Path, first: int, seq: int, previous: bytes) -> str | None:
    """Where the record that continues `previous` stands, from the segment `first` on."""
    start = opening(seq)
    for segment in segments(folder):
        if segment < first:
            continue
        number = 0
        with (folder / name(segment)).open("rb", buffering=0) as file:
            for lines, _ in batches(file.fileno(), 0):
                for number, line in enumerate(lines, number + 1):  # noqa: B020 - counts on over the batches
                    if line.startswith(start, HASHED) and digest(previous, line[HASHED:]) == line[HASHED - 64 : HASHED]:
                        return f"{name(segment)}, line {number}"
    return None


def _of_header(scan: Scan, header: Header) -> tuple[Reason, str] | None:
    kin = scan.segment == 1 or header.origin == scan.origin
    if not kin:
        return Reason.FOREIGN, "the segment belongs to another ledger"
    if header.segment != scan.segment:
        return Reason.OUT_OF_ORDER, f"this is segment {header.segment}"
    if header.seq > scan.count:
        missing = header.seq - scan.count
        return Reason.MISSING, f"the segment before ends {missing} record{'s' * (missing > 1)} early"
    if header.seq < scan.count or header.previous != scan.head:
        return Reason.FOREIGN, "the segment does not continue the one before it, or that one was rewritten"
    return None
