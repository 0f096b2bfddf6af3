"""Read a ledger, from the beginning, from a given record or while it is being written; and verify it."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from volition.core.clock import Clock, SystemClock
from volition.core.errors import MissingPart, refuse
from volition.core.ledger.fault import BrokenLedger, Fault, FaultKind
from volition.core.ledger.scan import Scan
from volition.core.ledger.segment import CLOSED, is_written, name, read_closed, read_header, segments
from volition.core.ledger.signature import LedgerSignature, read_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from volition.core.ledger.line import Record
    from volition.core.ledger.segment import Anchor
    from volition.core.ledger.signature import FoundSignature


class Reader:
    """Reads a ledger without a lock; any number may do so, in any process, while it is being written or not.

    Every record is checked against the chain before it is yielded, and a broken one raises BrokenLedger. An unfinished
    last line does not count yet. Memory does not grow with the ledger.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        segments(self.path)
        self.header = read_header(self.path)

    def records(self, *, start: int = 1) -> Iterator[Record]:
        """Yield the records from number `start` to the last one written.

        Segments that end before `start` are not read: the chain is checked from the segment that holds `start`.
        """
        return (record for record in self._scan(start).records() if record.seq >= start)

    def follow(
        self,
        *,
        start: int = 1,
        stop: Callable[[], bool] | None = None,
        timeout: float | None = None,
        poll: float = 0.05,
        clock: Clock | None = None,
    ) -> Iterator[Record]:
        """Yield the records from number `start` on, then wait for new ones and yield them as they come.

        It ends when `stop()` is true, after yielding everything written before that, or when no record came for
        `timeout` seconds; with neither it never ends. It polls every `poll` seconds.
        """
        if not poll > 0:
            refuse(f"poll is {poll!r}", where="follow(poll=...)", expected="seconds above 0", remedy="leave it at 0.05")
        clock = clock or SystemClock()
        scan = self._scan(start)
        last = clock.monotonic()
        while True:
            stopping = stop is not None and stop()
            for record in scan.records():
                if record.seq >= start:
                    yield record
                last = clock.monotonic()
            if stopping or (timeout is not None and clock.monotonic() - last >= timeout):
                return
            clock.sleep(poll)

    def _scan(self, start: int) -> Scan:
        if start < 1:
            refuse(f"start is {start}", where="start", expected="a record number, 1 or more", remedy="begin with 1")
        return Scan(self.path, segment=_segment_of(self.path, start) if start > 1 else 1)


def read(path: str | PathLike[str]) -> Iterator[Record]:
    """Yield all records of a ledger, each checked; a body is decoded only on request."""
    return Reader(path).records()


def _segment_of(folder: Path, start: int) -> int:
    """The last segment with fewer than `start` records before it, or 1 if a header on the way is broken."""
    later = range(2, segments(folder)[-1] + 1)
    try:
        return bisect_left(later, start, key=lambda segment: read_header(folder, segment).seq) + 1
    except BrokenLedger:
        return 1


class Verification(Struct, frozen=True):
    """What `verify` found: `count` chained records up to `head`, the first `fault` if any, and what it cannot show.

    `closed` says that the writer closed the ledger properly and recorded where it ends. `signed` says who made it, if somebody
    signed that; `unchecked` is why that could not be checked.
    """

    folder: Path
    count: int
    head: str
    fault: Fault | None
    anchor: Anchor | None
    closed: bool
    signed: LedgerSignature | None = None
    unchecked: str = ""

    @property
    def intact(self) -> bool:
        return self.fault is None

    @property
    def cannot_show(self) -> tuple[str, ...]:
        """What this verification cannot detect, whatever it found."""
        unchecked = (f"who signed it, because {self.unchecked}",) if self.unchecked else ()
        if self.anchor is None:
            return (
                f"records cut off the end together with {CLOSED}" if self.closed else "records cut off the end",
                "the ledger rewritten, from any record on, with new hashes",
                *unchecked,
            )
        return (f"records after record {self.anchor.count}, where the anchor ends, cut off or rewritten", *unchecked)

    def raise_if_broken(self) -> None:
        """Raise BrokenLedger if there is a fault."""
        if self.fault is not None:
            raise BrokenLedger(self.folder, self.fault)

    def __str__(self) -> str:
        verdict = f"broken: {self.fault}" if self.fault else "intact"
        signed = f"\n  {self.signed}" if self.signed else ""
        unknown = "".join(f"\n  cannot show: {what}" for what in self.cannot_show)
        return f"{verdict}\n  records: {self.count}\n  head: {self.head}{signed}{unknown}"

    def to_data(self) -> dict[str, Any]:
        return {
            "intact": self.intact,
            "count": self.count,
            "head": self.head,
            "fault": self.fault and to_builtins(self.fault),
            "anchor": self.anchor and str(self.anchor),
            "closed": self.closed,
            "signed": self.signed and to_builtins(self.signed),
            "cannot_show": list(self.cannot_show),
        }


def verify(
    path: str | PathLike[str], anchor: Anchor | None = None, *, look: Callable[[Record], None] | None = None
) -> Verification:
    """Check every byte of a ledger and name the first record that is not as it was written.

    The chain alone reveals lines that were changed, removed, moved or inserted, and bytes that were added at the end.
    If the writer closed the ledger properly, records that were cut off the end are noticed too. The chain cannot reveal
    that somebody rewrote the ledger with new hashes: to notice that, keep an anchor where the ledger's owner cannot
    reach it, and pass it here. Where it is signed who made the ledger, that is checked too. Memory does not grow with the ledger. A ledger that is being written is checked as far
    as it goes. `look` is called with every good record, in order.

    Every part of Volition that calls a ledger intact has asked this function.
    """
    folder = Path(path)
    segments(folder)
    scan = Scan(folder)
    fault, closed, signed, unchecked = None, None, None, ""
    try:
        # Checked before the records are read: if a writer comes or goes meanwhile, the first answer counts.
        growing = is_written(folder)
        closed = None if growing else read_closed(folder)
        found, hash_signed = read_signature(folder), ""
        for record in scan.records():
            if anchor is not None and record.seq == anchor.count and record.hash != anchor.hash:
                raise _rewritten_error(scan, scan.count)
            if record.seq == found.count:
                hash_signed = record.hash
            if look is not None:
                look(record)
        if anchor is not None and anchor.count == 0 and anchor.hash != scan.origin.decode():
            raise _rewritten_error(scan, 0)
        if anchor is not None and anchor.count > scan.count:
            raise scan.broken_ledger(
                FaultKind.MISSING, f"the anchor counts {anchor.count} records and {scan.count} are here"
            )
        if scan.tail and not growing:
            raise scan.broken_ledger(FaultKind.TORN, f"{len(scan.tail)} bytes without a line end")
        if closed is not None and read_closed(folder) == closed:
            check_closed(scan, closed)
        if found.exists:
            signed, unchecked = _check_signed(found, hash_signed)
    except BrokenLedger as error:
        fault = error.fault
    return Verification(folder, scan.count, scan.top.decode(), fault, anchor, closed is not None, signed, unchecked)


def _check_signed(found: FoundSignature, hash: str) -> tuple[LedgerSignature | None, str]:
    """Who signed a ledger whose last signed record has this hash, and why that could not be checked; BrokenLedger if it is false."""
    try:
        return found.check(hash), ""
    except MissingPart as error:
        return None, error.problems[0].what


def check_closed(scan: Scan, closed: Anchor) -> None:
    """Compare the end of a ledger with where it was closed; BrokenLedger if they differ."""
    if closed.count > scan.count:
        detail = f"the ledger was closed with {closed.count} records and {scan.count} are here"
        raise scan.broken_ledger(FaultKind.MISSING, detail)
    if (closed.count, closed.hash) != (scan.count, scan.top.decode()):
        raise _rewritten_error(scan, scan.count, "the ledger was closed with another end")


def _rewritten_error(scan: Scan, seq: int, detail: str = "") -> BrokenLedger:
    detail = detail or "the anchor has another hash: this record or one before it was rewritten"
    return BrokenLedger(scan.folder, Fault(FaultKind.REWRITTEN, name(scan.segment), scan.line, seq, detail))
