"""An append-only record on disk that survives a killed process and shows where it was changed.

A ledger is a folder of JSON lines, `000001.jsonl`, `000002.jsonl` and so on. One process writes it, any number read or
follow it, and anyone can verify it. When its writer closes it properly, `closed.anchor` says where it ends. Its bytes
contain no path, machine name or time unless a caller put them there.

Recording:
    Ledger        appends records; none that was acknowledged is lost
    read          reads the records of a ledger
    verify        checks a whole ledger, and names the first fault
    Anchor        the head of a ledger, to store elsewhere
    BrokenLedger  the record was changed or cut
"""

from volition.core.ledger.fault import BrokenLedger
from volition.core.ledger.reader import read, verify
from volition.core.ledger.segment import Anchor
from volition.core.ledger.writer import Ledger

__all__ = [  # noqa: RUF022  in the order of the page above
    "Ledger",
    "read",
    "verify",
    "Anchor",
    "BrokenLedger",
]
