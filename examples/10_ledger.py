"""A ledger is append-only and hash-chained, so that changes are noticed.

The chain reveals every changed record. A ledger that was closed properly also records where it ends, so missing records
at the end are noticed. To detect that this note was removed too, or that the whole ledger was rewritten, keep an anchor
(the count and the last hash) somewhere else.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from volition.core.ledger import Ledger, read, verify
from volition.core.ledger.segment import CLOSED


def main() -> None:
    """Append, verify, tamper, verify again, and anchor."""
    with TemporaryDirectory() as folder:
        with Ledger(folder, kind="diary", meta={"scenario": "dinner-party"}) as ledger:
            ledger.append({"tick": 1, "who": "victor", "act": "chat:thorne"})
            ledger.append_many(
                [{"tick": 2, "who": "eleanor", "act": "lie"}, {"tick": 3, "who": "marcus", "act": "move"}]
            )
            anchor = ledger.anchor()
        for record in read(folder):
            print(record.seq, record.hash[:8], record.body)
        print(verify(folder), end="\n\n")

        segment = Path(folder) / "000001.jsonl"
        written = segment.read_bytes()
        segment.write_bytes(written.replace(b'"lie"', b'"nap"'))
        print("one word changed:", verify(folder).fault, end="\n\n")

        segment.write_bytes(b"".join(written.splitlines(keepends=True)[:-1]))
        print("the last record cut off:", "intact" if verify(folder).intact else "broken")
        (Path(folder) / CLOSED).unlink()
        print("its closing note too:", "intact" if verify(folder).intact else "broken")
        print("the same, with the anchor:", verify(folder, anchor).fault)


if __name__ == "__main__":
    main()
