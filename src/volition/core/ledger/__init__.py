"""The ledger: the append-only, hash-chained record that every part of Volition writes.

A ledger is a folder of JSON lines, `000001.jsonl`, `000002.jsonl` and so on. One process writes it, any number read or
follow it, and anyone can verify it. When its writer closes it properly, `closed.anchor` says where it ends. Its bytes
contain no path, machine name or time unless a caller put them there.
"""

from __future__ import annotations

from volition.core.ledger.fault import BrokenLedger, Fault, FaultKind
from volition.core.ledger.line import Record, verbatim
from volition.core.ledger.reader import Reader, Verification, read, verify
from volition.core.ledger.segment import CLOSED, FORMAT, VERSION, Anchor, Header, is_written
from volition.core.ledger.writer import SEGMENT_BYTES, Durability, Ledger

__all__ = [
    "CLOSED",
    "FORMAT",
    "SEGMENT_BYTES",
    "VERSION",
    "Anchor",
    "BrokenLedger",
    "Durability",
    "Fault",
    "FaultKind",
    "Header",
    "Ledger",
    "Reader",
    "Record",
    "Verification",
    "is_written",
    "read",
    "verbatim",
    "verify",
]
