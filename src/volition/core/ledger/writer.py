"""Write a ledger: one writer, complete lines, and a promise about what a crash can lose."""

from __future__ import annotations

import os
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, get_args

from volition.core.clock import Clock, SystemClock
from volition.core.errors import VolitionError, refuse
from volition.core.ledger.line import encode
from volition.core.ledger.segment import Anchor
from volition.core.ledger.tail import open_tail

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

Durability = Literal["record", "interval", "close"]

SEGMENT_BYTES: Final = 64 << 20


class Ledger:
    """An append-only, hash-chained record in a folder; created if missing, continued if it exists.

    `append` returns when the operating system has the record's bytes: killing the process loses nothing that was
    acknowledged, in any mode. What a power failure can lose depends on `durability`:

    - "record": nothing that was acknowledged. Each `append` or `append_many` waits for the disk.
    - "interval": what was written since the last sync. An append syncs when `interval` seconds have passed since the
      last sync; after the last append of a burst nothing syncs by itself until `sync` or `close`.
    - "close": what was written to the last segment since the ledger was opened, or since `sync`.

    A finished segment and the header of a new one are on disk before the next record is written, in every mode. So only
    the end can be lost: the ledger then ends early, or in an unfinished line, or, if the file system kept later blocks
    and lost earlier ones, in broken lines, and then it is refused when it is opened again.

    `kind` and `meta` are stored in the first header. A ledger of another kind, or with other meta if meta is given, is
    refused. The whole chain is checked on opening: a broken ledger raises BrokenLedger, and an unfinished last line is
    cut off (`cut` says how many bytes). A segment ends where the next record would exceed `segment_bytes`. Threads may
    share a ledger; a forked process may not.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Ledger(folder, kind="diary") as ledger:
    ...     ledger.append({"act": "chat"}), ledger.append_many([{"act": "move"}, {"act": "lie"}])
    (1, range(2, 4))
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        kind: str,
        meta: dict[str, Any] | None = None,
        durability: Durability = "record",
        interval: float = 1.0,
        segment_bytes: int = SEGMENT_BYTES,
        clock: Clock | None = None,
    ) -> None:
        _check(kind, durability, interval, segment_bytes)
        self.path = Path(path)
        self.durability = durability
        self._interval = interval
        self._limit = segment_bytes
        self._clock = clock or SystemClock()
        self._mutex = threading.Lock()
        self._process = os.getpid()
        self._tail = open_tail(self.path, kind, meta)
        self.cut = len(self._tail.tail)
        self._synced_at = self._clock.monotonic()

    @property
    def count(self) -> int:
        """The number of records in the ledger."""
        return self._tail.count

    def append(self, record: dict[str, Any]) -> int:
        """Write one record and return its number, counted from 1 over the whole ledger."""
        return self._append(deque((encode(record),)))[0]

    def append_many(self, records: Iterable[dict[str, Any]]) -> range:
        """Write records with one write and one sync (per segment that they reach), and return their numbers.

        All are encoded before any is written. If the process dies meanwhile, or the disk is full, a prefix of them is
        there.
        """
        return self._append(deque(encode(record, where=f"records[{n}]") for n, record in enumerate(records)))

    def append_encoded(self, bodies: Iterable[bytes]) -> range:
        """`append_many` for records that are already JSON.

        The caller must ensure that each is one object in UTF-8, on one line, with finite numbers: it is not checked.
        """
        return self._append(deque(bodies))

    def sync(self) -> None:
        """Wait until everything that was appended is on disk."""
        with self._mutex:
            self._check_open()
            self._tail.sync()
            self._synced_at = self._clock.monotonic()

    def anchor(self) -> Anchor:
        """The count and the last record's hash: kept elsewhere, it lets `verify` notice cut and rewritten records."""
        with self._mutex:
            return Anchor(self._tail.count, self._tail.top.decode())

    def close(self) -> None:
        """Sync, record where the ledger ends, and allow the next writer. Closing again does nothing."""
        with self._mutex:
            if not self._tail.closed and self._process == os.getpid():
                self._tail.sync()
                self._tail.finish()

    def abandon(self, why: str) -> None:
        """Allow the next writer without recording where the ledger ends, for a disk on which that fails."""
        with self._mutex:
            if not self._tail.closed and self._process == os.getpid():
                self._tail.shut(why)

    @property
    def closed(self) -> bool:
        """Whether it was closed, or had to close itself after an error."""
        return bool(self._tail.closed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, bodies: deque[bytes]) -> range:
        with self._mutex:
            self._check_open()
            tail, first = self._tail, self._tail.count + 1
            try:
                while bodies:
                    if batch := tail.take_fitting(bodies, self._limit):
                        tail.write(batch)
                    else:
                        tail.rotate()
                if self._sync_is_due():
                    tail.sync()
                    self._synced_at = self._clock.monotonic()
            except VolitionError:
                raise
            except BaseException:
                # Interrupted between a write and its bookkeeping: only reading the file again shows what is there.
                tail.shut("it was interrupted while writing")
                raise
            return range(first, tail.count + 1)

    def _sync_is_due(self) -> bool:
        match self.durability:
            case "record":
                return True
            case "interval":
                return self._clock.monotonic() - self._synced_at >= self._interval
            case "close":
                return False

    def _check_open(self) -> None:
        if self._tail.closed:
            refuse(
                f"the ledger is closed: {self._tail.closed}",
                where=str(self.path),
                expected="an open ledger",
                remedy="open it again, which checks all of it",
            )
        if self._process != os.getpid():
            refuse(
                f"the ledger was opened by process {self._process}, and this is another",
                where=str(self.path),
                expected="one writing process",
                remedy="append in the process that opened it; a forked process needs its own ledger",
            )


def _check(kind: str, durability: str, interval: float, segment_bytes: int) -> None:
    if not isinstance(kind, str) or not kind:
        refuse(
            f"kind is {kind!r}", where="kind", expected="a text", remedy="say what the ledger holds, such as 'drama'"
        )
    if durability not in (known := get_args(Durability)):
        refuse(
            f"durability is {durability!r}",
            where="durability",
            expected=" or ".join(known),
            remedy="use 'record' if every record counts",
        )
    if not 0 <= interval < float("inf"):
        refuse(f"interval is {interval!r}", where="interval", expected="seconds, 0 or more", remedy="leave it at 1.0")
    if segment_bytes < 1:
        refuse(
            f"segment_bytes is {segment_bytes!r}", where="segment_bytes", expected="1 or more", remedy="leave it out"
        )
