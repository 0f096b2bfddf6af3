"""A place in a ledger: how far a pass over it has come, or where its writer appends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.core.ledger.fault import BrokenLedger, Fault, FaultKind
from volition.core.ledger.line import GENESIS
from volition.core.ledger.segment import name

if TYPE_CHECKING:
    from pathlib import Path


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
