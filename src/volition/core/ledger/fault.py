"""What can be wrong with a ledger, and where."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from volition.core.errors import BrokenRecord, Problem

if TYPE_CHECKING:
    from pathlib import Path


class FaultKind(StrEnum):
    """Why a ledger is not intact."""

    CHANGED = "changed record"
    """A line is not as it was written."""
    MISSING = "missing record"
    """A record that was written is gone."""
    OUT_OF_ORDER = "out of order"
    """A line or segment is in the place of another, which is elsewhere in the ledger."""
    BROKEN_HEADER = "broken header"
    """A segment does not begin with an unchanged header."""
    FOREIGN = "foreign segment"
    """A segment is valid in itself but does not continue the one before it."""
    TORN = "torn tail"
    """The last line is incomplete: its write was cut short (then it was never acknowledged), or the file was."""
    REWRITTEN = "rewritten"
    """The chain is valid, but it is not the one that was anchored."""
    FALSE_SIGNATURE = "false signature"
    """What is signed beside the ledger was changed, or was signed for another ledger."""


class Fault(Struct, frozen=True):
    """The first broken place of a ledger: segment file, line (from 1), and `seq`, the first record not to trust."""

    reason: FaultKind
    segment: str
    line: int
    seq: int
    detail: str

    def __str__(self) -> str:
        if self.reason is FaultKind.FALSE_SIGNATURE:
            return f"{self.reason} ({self.segment}): {self.detail}"
        return f"{self.reason} at record {self.seq} ({self.segment}, line {self.line}): {self.detail}"


class BrokenLedger(BrokenRecord):
    """A ledger is broken at `fault`; everything before it is as it was written."""

    def __init__(self, folder: Path, fault: Fault) -> None:
        self.folder = folder
        self.fault = fault
        if fault.reason is FaultKind.FALSE_SIGNATURE:
            expected = "the signature of whoever made this ledger, as it was written"
            remedy = f"restore {fault.segment} from a copy; without it nobody is said to have made the ledger"
            super().__init__(Problem(f"{fault.reason}: {fault.detail}", str(folder / fault.segment), expected, remedy))
            return
        super().__init__(
            Problem(
                f"{fault.reason} at record {fault.seq}: {fault.detail}",
                f"{folder / fault.segment}, line {fault.line}",
                "every line as it was written, each chained to the one before it",
                f"what comes before it is good (records: {fault.seq - 1}): read that, restore the rest from a copy, "
                "or start a new ledger; nothing was changed here",
            )
        )
