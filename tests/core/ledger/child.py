"""A process that writes or follows a ledger, as users have them: `child.py write FOLDER MODE SEED`, `follow FOLDER COUNT`."""

from __future__ import annotations

import os
import random
import sys
from hashlib import sha256
from typing import Any, get_args

from volition.core.ledger import Ledger
from volition.core.ledger.reader import Reader
from volition.core.ledger.writer import Durability


def body(seq: int) -> dict[str, Any]:
    """The body of record `seq`, so that anyone can check that it is the one that was written; some are large."""
    return {"n": seq, "pad": "x" * (300_000 if seq % 17 == 0 else seq * 37 % 400)}


def write(folder: str, mode: str, seed: str) -> None:
    """Append until killed, and report each number once it is acknowledged."""
    durability: Durability = next(known for known in get_args(Durability) if known == mode)
    chance = random.Random(seed)
    with Ledger(folder, kind="test", durability=durability, interval=0.01, segment_bytes=400_000) as ledger:
        while True:
            first = ledger.count + 1
            if chance.random() < 0.5:
                last = ledger.append(body(first))
            else:
                last = ledger.append_many(body(first + n) for n in range(chance.randrange(1, 20)))[-1]
            os.write(1, b"%d\n" % last)


def follow(folder: str, count: str) -> None:
    """Follow from the first record to the last, and report one digest of all that was seen."""
    seen = sha256()
    os.write(1, b"ready\n")
    for record in Reader(folder).follow(timeout=600, poll=0.002):
        seen.update(b"%d %b %b\n" % (record.seq, record.hash.encode(), record.raw))
        if record.seq == int(count):
            break
    os.write(1, seen.hexdigest().encode())


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(*sys.argv[2:])
    else:
        follow(*sys.argv[2:])
