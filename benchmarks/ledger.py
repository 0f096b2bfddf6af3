"""What a ledger costs: append in each durability mode, append_many, read and verify, compared with bare writes.

Every case runs in every round, so that a busy moment of the machine affects all of them alike. The bars are ratios to a
case of the same run.

    python benchmarks/ledger.py --quick
"""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, get_args

from rows import Row, options, ratio, show

from volition.core.ledger import Ledger, read, verify
from volition.core.ledger.writer import Durability

if TYPE_CHECKING:
    from collections.abc import Callable

RECORD: dict[str, Any] = {
    "tick": 25,
    "agent": "victor",
    "choice": "conflict:marcus",
    "votes": [{"by": f"term{n}", "weight": 2.0, "score": 0.125 * n} for n in range(8)],
    "said": "I know what you did at the lake house. " * 3,
}
SYNCED_APPEND_BAR = 2.0
"""With a sync for each record the disk dominates: at most this many times a bare write and fdatasync."""


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def append(folder: Path, durability: Durability, count: int) -> float:
    with Ledger(folder, kind="benchmark", durability=durability) as ledger:
        return seconds(lambda: deque((ledger.append(RECORD) for _ in range(count)), maxlen=0)) / count


def append_many(folder: Path, count: int, batch: int) -> float:
    with Ledger(folder, kind="benchmark", durability="record") as ledger:
        return seconds(lambda: [ledger.append_many([RECORD] * batch) for _ in range(count // batch)]) / count


def bare_write(path: Path, line: bytes, count: int, *, sync: bool) -> float:
    """The seconds for each line of the writes alone."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write() -> None:
        for _ in range(count):
            os.write(descriptor, line)
            if sync:
                os.fdatasync(descriptor)

    try:
        return seconds(write) / count
    finally:
        os.close(descriptor)


def one_round(folder: Path, *, synced: int, unsynced: int) -> dict[str, float]:
    """Every case once, in microseconds per record."""
    found = {f"append, durability {mode}": 0.0 for mode in get_args(Durability)}
    for mode in get_args(Durability):
        count = synced if mode == "record" else unsynced
        found[f"append, durability {mode}"] = append(folder / mode, mode, count)
    found["append_many of 100, durability record"] = append_many(folder / "many", unsynced, 100)
    line = (folder / "close" / "000001.jsonl").read_bytes().splitlines(keepends=True)[-1]
    found["bare write"] = bare_write(folder / "bare", line, unsynced, sync=False)
    found["bare write and fdatasync"] = bare_write(folder / "synced", line, synced, sync=True)
    found["read"] = seconds(lambda: deque(read(folder / "close"), maxlen=0)) / unsynced
    found["read and decode"] = seconds(lambda: [0 for record in read(folder / "close") if not record.body]) / unsynced
    found["verify"] = seconds(lambda: verify(folder / "close")) / unsynced
    return {name: value * 1e6 for name, value in found.items()}


def rows(rounds: list[dict[str, float]]) -> list[Row]:
    """The medians as rows; reading in records per second."""
    made = []
    for name in rounds[0]:
        value = median(found[name] for found in rounds)
        rate = name.startswith(("read", "verify"))
        made.append(Row(name, round(1e6 / value if rate else value, 2), "records/s" if rate else "us/record"))
    taken = {name: [found[name] for found in rounds] for name in rounds[0]}
    return [
        *made,
        ratio("append / bare write", taken["append, durability close"], taken["bare write"]),
        ratio(
            "synced append / bare write and fdatasync",
            taken["append, durability record"],
            taken["bare write and fdatasync"],
            at_most=SYNCED_APPEND_BAR,
        ),
    ]


def main() -> int:
    given = options(__doc__)
    count, synced, unsynced = (5, 200, 4_000) if given.quick else (15, 1_000, 20_000)
    rounds = []
    for _ in range(count + 1):
        with TemporaryDirectory() as folder:
            rounds.append(one_round(Path(folder), synced=synced, unsynced=unsynced))
    return show("Ledger", rows(rounds[1:]), as_json=given.json)


if __name__ == "__main__":
    raise SystemExit(main())
