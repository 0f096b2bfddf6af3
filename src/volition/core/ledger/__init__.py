"""The ledger: the one append-only, hash-chained record that everything in the house writes.

A ledger is a folder of JSON lines, `000001.jsonl`, `000002.jsonl` and so on. One process writes it, any number read or
follow it, and anyone can verify it. One that was closed in order says in `closed.anchor` where it ends. No path, machine or time stands in its bytes unless a caller put it there.
"""

from __future__ import annotations

from volition.core.ledger.anchor import CLOSED, Anchor
from volition.core.ledger.fault import BrokenLedger, Fault, Reason
from volition.core.ledger.lock import is_written
from volition.core.ledger.reader import Reader, read
from volition.core.ledger.record import Record, verbatim, verbatim_bytes
from volition.core.ledger.segment import FORMAT, VERSION, Header
from volition.core.ledger.verify import Verification, verify
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
    "Header",
    "Ledger",
    "Reader",
    "Reason",
    "Record",
    "Verification",
    "is_written",
    "read",
    "verbatim",
    "verbatim_bytes",
    "verify",
]
