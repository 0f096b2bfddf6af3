"""Whether a ledger is as it was written; where it first is not; and what no chain can show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from volition.core.errors import refuse
from volition.core.ledger.fault import BrokenLedger, Fault, Reason
from volition.core.ledger.scan import Scan
from volition.core.ledger.segment import name, segments

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True, slots=True)
class Anchor:
    """The number of records and the hash of the last one (of the header where there is none), to be kept elsewhere.

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
        found = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text)
        if found is None:
            refuse(
                f"{text!r:.100} is not an anchor",
                where="anchor",
                expected="COUNT:HASH, the hash as 64 lower-case hex digits",
                remedy="take it from `volition ledger anchor PATH` or Ledger.anchor()",
            )
        return cls(int(found[1]), found[2])


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found: `count` chained records up to `head`, the first `fault` if any, and what stays unknown."""

    count: int
    head: str
    fault: Fault | None
    anchor: Anchor | None

    @property
    def intact(self) -> bool:
        return self.fault is None

    @property
    def cannot_show(self) -> tuple[str, ...]:
        """What this verification cannot tell, whatever it found."""
        if self.anchor is None:
            return (
                "records cut off the end",
                "the ledger rewritten, from any record on, with new hashes",
            )
        return (f"records after record {self.anchor.count}, where the anchor ends, cut off or rewritten",)

    def __str__(self) -> str:
        found = f"broken: {self.fault}" if self.fault else "intact"
        unknown = "".join(f"\n  cannot show: {what}" for what in self.cannot_show)
        return f"{found}\n  records: {self.count}\n  head: {self.head}{unknown}"

    def to_data(self) -> dict[str, Any]:
        return {
            "intact": self.intact,
            "count": self.count,
            "head": self.head,
            "fault": self.fault and self.fault.to_data(),
            "anchor": self.anchor and str(self.anchor),
            "cannot_show": list(self.cannot_show),
        }


def verify(path: str | PathLike[str], anchor: Anchor | None = None) -> Verification:
    """Check every byte of a ledger and name the first record that is not as it was written.

    The chain alone shows a line that was changed, removed, moved or put in from elsewhere. It cannot show that
    records were cut off the end, or that somebody wrote the ledger anew with new hashes: for that, keep an anchor
    where the ledger's owner cannot reach it, and give it here. Memory does not grow with the ledger. A ledger that is
    being written is checked as far as it has come.
    """
    folder = Path(path)
    segments(folder)
    scan = Scan(folder)
    fault = None
    try:
        for record in scan.records():
            if anchor is not None and record.seq == anchor.count and record.hash != anchor.hash:
                raise _rewritten(scan, scan.count)
        if anchor is not None and anchor.count == 0 and anchor.hash != scan.origin.decode():
            raise _rewritten(scan, 0)
        if anchor is not None and anchor.count > scan.count:
            raise scan.broken(Reason.MISSING, f"the anchor counts {anchor.count} records and {scan.count} are here")
        if scan.tail:
            raise scan.broken(Reason.TORN, f"{len(scan.tail)} bytes without a line end")
    except BrokenLedger as error:
        fault = error.fault
    return Verification(scan.count, scan.top.decode(), fault, anchor)


def _rewritten(scan: Scan, seq: int) -> BrokenLedger:
    detail = "the anchor has another hash: this or something before it was written anew"
    return BrokenLedger(scan.folder, Fault(Reason.REWRITTEN, name(scan.segment), scan.line, seq, detail))
