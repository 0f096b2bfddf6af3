"""Read a ledger: from the beginning, from a given record, or while it is being written."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING

from volition.core.clock import Clock, SystemClock
from volition.core.errors import refuse
from volition.core.ledger.fault import BrokenLedger
from volition.core.ledger.scan import Scan
from volition.core.ledger.segment import read_header, segments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from volition.core.ledger.record import Record


class Reader:
    """Reads a ledger without a lock; any number may do so, in any process, while it is being written or not.

    Every record is checked against the chain before it is yielded, and a broken one raises BrokenLedger. An unfinished
    last line does not count yet. Memory does not grow with the ledger.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        segments(self.path)
        self.header = read_header(self.path)

    def records(self, *, start: int = 1) -> Iterator[Record]:
        """Yield the records from number `start` to the last one written.

        Segments that end before `start` are not read: the chain is checked from the segment that holds `start`.
        """
        return (record for record in self._scan(start).records() if record.seq >= start)

    def follow(
        self,
        *,
        start: int = 1,
        stop: Callable[[], bool] | None = None,
        timeout: float | None = None,
        poll: float = 0.05,
        clock: Clock | None = None,
    ) -> Iterator[Record]:
        """Yield the records from number `start` on, then wait for new ones and yield them as they come.

        It ends when `stop()` is true, after yielding everything written before that, or when no record came for
        `timeout` seconds; with neither it never ends. It polls every `poll` seconds.
        """
        if not poll > 0:
            refuse(f"poll is {poll!r}", where="follow(poll=...)", expected="seconds above 0", remedy="leave it at 0.05")
        clock = clock or SystemClock()
        scan = self._scan(start)
        last = clock.monotonic()
        while True:
            stopping = stop is not None and stop()
            for record in scan.records():
                if record.seq >= start:
                    yield record
                last = clock.monotonic()
            if stopping or (timeout is not None and clock.monotonic() - last >= timeout):
                return
            clock.sleep(poll)

    def _scan(self, start: int) -> Scan:
        if start < 1:
            refuse(f"start is {start}", where="start", expected="a record number, 1 or more", remedy="begin with 1")
        return Scan(self.path, segment=_segment_of(self.path, start) if start > 1 else 1)


def read(path: str | PathLike[str]) -> Iterator[Record]:
    """Yield all records of a ledger, each checked; a body is decoded only on request."""
    return Reader(path).records()


def _segment_of(folder: Path, start: int) -> int:
    """The last segment with fewer than `start` records before it, or 1 if a header on the way is broken."""
    later = range(2, segments(folder)[-1] + 1)
    try:
        return bisect_left(later, start, key=lambda segment: read_header(folder, segment).seq) + 1
    except BrokenLedger:
        return 1
