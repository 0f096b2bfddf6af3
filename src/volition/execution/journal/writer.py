"""The journal's thread: takes events from a queue, turns them into records, and appends those to the ledger."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from volition.core.errors import InvalidInput, VolitionError, refuse
from volition.core.ledger import Ledger, read
from volition.execution.journal.records import ATTEMPT, parse
from volition.execution.wire.request import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from volition.core.ledger.writer import Durability
    from volition.execution.door.events import DoorEvent
    from volition.execution.journal.builder import RecordBuilder

KIND: Final = "journal"
LAYOUT: Final = 1
"""The version of the records' layout, in the ledger's header."""

_LOOK: Final = 0.005
"""How often, in seconds, the writer polls the queue."""
BREATH: Final = 0.0002
"""How long, in seconds, it releases the interpreter between two batches."""
_PIECE: Final = 16
"""How many events make a batch; the fuller the queue, the larger the batches."""
_LARGEST_PIECE: Final = 128
_SETTLED: Final = 1.0
"""After how many seconds without a record the last ones are synced to disk."""
SUMMED: Final = 1.0
"""For how many seconds equal refused retries are collected in one record."""
_AGAIN: Final = 1.0
"""How many seconds it waits before it retries a failing disk, unless a caller asks for it."""


Queued: TypeAlias = "tuple[DoorEvent | threading.Event, str]"
"""An event of a door, and the name of its body where there are several; or a flag that is set once everything before it
is written."""


class Writer:
    """The thread's side: only it touches records and ledger. It holds no reference to the journal, so that a journal that
    is not referred to any more is closed."""

    def __init__(self, path: Path, builder: RecordBuilder, durability: Durability, half: int) -> None:
        self.queue: deque[Queued] = deque()
        self.passed_over = 0
        self.written = 0
        self.round = 0
        """The number of the writer's present look at the queue."""
        self.failed_round = 0
        """In which one the disk failed last: what failed in a round that a caller found under way says nothing of the disk
        as it is now, and is not held against that caller."""
        self.fault: VolitionError | None = None
        """Why the disk fails, until it works again."""
        self.notices: deque[VolitionError] = deque()
        """Other errors that a caller must know, each once."""
        self.closing = False
        """Whether a caller waits for the end of the run; nothing is told after that."""
        self.abandoned = False
        """Whether no caller will ask again: then a failing disk ends the thread."""
        self.process = os.getpid()
        self.thread = threading.Thread(target=self._run_thread, name=f"journal {path.name}", daemon=True)
        self._path, self._builder, self._durability, self._half = path, builder, durability, half
        self._ledger = self._open_ledger()
        self._blamed = False
        self._noted = 0
        self._unsynced = 0.0
        self._ended = False
        self._summing = 0.0
        self._errors = threading.Lock()
        self._bell = threading.Lock()
        self._bell.acquire()

    def _open_ledger(self) -> Ledger:
        return Ledger(self._path, kind=KIND, meta={"layout": LAYOUT}, durability=self._durability)

    def begin(self, meta: dict[str, Any]) -> None:
        """Write the beginning of a run; errors are raised to the caller."""
        try:
            self._builder.begin(_last_run(self._path) + 1, meta)
            self._append()
        except BaseException:
            self._ledger.close()
            raise

    # Called by the callers' threads.

    def ring(self) -> None:
        """Have the writer poll now."""
        with suppress(RuntimeError):  # it is already awake
            self._bell.release()

    def pass_over(self) -> None:
        """Count a pushed state that is skipped because the queue is full."""
        with self._errors:
            self.passed_over += 1

    def raise_error(self) -> None:
        """Raise what the caller must know, if anything: a failing disk each time, everything else once."""
        if self.fault is None and not self.notices:
            return
        with self._errors:
            if self.fault is not None:
                # One error object is raised many times: its traceback must not grow.
                raise self.fault.with_traceback(None)
            if self.notices:
                raise self.notices.popleft()

    @property
    def unwritten(self) -> int:
        """How many attempts were accepted, and are not with the operating system yet."""
        queued = sum(isinstance(event, Outcome) for event, _ in self.queue)
        return queued + sum(map(_attempts, self._builder.out))

    def end(self) -> None:
        """Write what is queued and the end of the run, and close the ledger; where the disk fails, try once and raise.

        It can be called again until it succeeds.
        """
        under_way, self.closing = self.round, True
        while self.thread.is_alive():
            self.ring()
            self.thread.join(_LOOK)
            if self.failed_round > under_way:
                self.raise_error()
        self.raise_error()

    def flush(self) -> None:
        """Wait until everything queued so far is written; where the disk fails, try once and raise."""
        flush, under_way = threading.Event(), self.round
        self.queue.append((flush, ""))
        while not flush.is_set():
            self.ring()
            flush.wait(_LOOK)
            if self.failed_round > under_way:
                self.raise_error()
            if not self.thread.is_alive():
                self.raise_error()
                refuse(
                    "the journal's thread has ended", where=str(self._path), expected="a live one", remedy="reopen it"
                )
        self.raise_error()

    # Called by the thread.

    def _run_thread(self) -> None:
        try:
            self._loop()
        except Exception as error:  # noqa: BLE001  a thread has no caller: those of the journal get the error
            self.round += 1  # it concerns whoever waits, since there is no other round
            self._note_failure(_defect(error))
            self._ledger.abandon("the journal cannot continue")

    def _loop(self) -> None:
        while True:
            self.round += 1
            if self.queue or self._builder.out or self.fault is not None:
                self._write_piece()
            elif self.closing and self._finish():
                return
            elif not self.closing:
                self._sync_when_idle()
            self._write_old_refusals()
            if self.fault is not None:
                if self.abandoned:
                    self._ledger.abandon("the disk failed, and the journal will not be closed again")
                    return
                self._bell.acquire(timeout=_AGAIN)
            elif len(self.queue) < _PIECE:
                # Few batches disturb the callers less than many: what arrives meanwhile is written together.
                self._bell.acquire(timeout=_LOOK)
            elif len(self.queue) < self._half:
                # A real pause: who waits for the interpreter gets it now, not after the next batch.
                time.sleep(BREATH)

    def _write_piece(self) -> None:
        """Write a batch of events; records that cannot be written are kept."""
        queue, builder, flush = self.queue, self._builder, None
        if (passed := self.passed_over) != self._noted:
            builder.skip(passed - self._noted)
            self._noted = passed
        for _ in range(0 if self.fault else min(len(queue), max(_PIECE, len(queue) // 64), _LARGEST_PIECE)):
            event, body = queue.popleft()
            if isinstance(event, threading.Event):
                builder.write_refusals()
                flush = event
                break
            try:
                builder.write(event, body)
            except VolitionError as error:
                self.notices.append(error)
        if builder.reward_fault and not self._blamed:
            self._blamed = True
            self.notices.append(_reward_fault(builder.reward_fault))
        try:
            self._append()
        except VolitionError as error:
            self._note_failure(error)
            if flush is not None:
                queue.appendleft((flush, ""))
            return
        self.fault = None
        if flush is not None:
            flush.set()

    def _write_old_refusals(self) -> None:
        """Write the collected refused retries once the interval is over."""
        if not self._builder.refusals:
            self._summing = 0.0
        elif not self._summing:
            self._summing = time.monotonic()
        elif time.monotonic() - self._summing > SUMMED:
            self._summing = 0.0
            self._builder.write_refusals()

    def _sync_when_idle(self) -> None:
        """Sync the end of a burst to disk; while records arrive, the ledger does so itself."""
        if self._unsynced and self._durability == "interval" and time.monotonic() - self._unsynced > _SETTLED:
            self._unsynced = 0.0
            try:
                self._ledger.sync()
            except VolitionError as error:
                self._note_failure(error)

    def _append(self) -> None:
        """Append the pending records, and count those that were written, also where not all of them were."""
        out = self._builder.out
        if not out:
            return
        before = self._ledger.count
        try:
            if self._ledger.closed:
                # It closed itself after an error, and may have written more than it could acknowledge.
                self._ledger = self._open_ledger()
            self._ledger.append_encoded(out[self._ledger.count - before :])
        finally:
            self._unsynced = time.monotonic()
            written = self._ledger.count - before
            self.written += sum(map(_attempts, out[:written]))
            del out[:written]

    def _note_failure(self, error: VolitionError) -> None:
        with self._errors:
            self.fault = error
            self.failed_round = self.round

    def _finish(self) -> bool:
        """Write the end of the run, and close the ledger; whether that succeeded."""
        if not self._ended:
            self._builder.skip(self.passed_over - self._noted)
            self._builder.end()
            self._ended = True
        try:
            self._append()
            if self._ledger.closed:  # it closed itself after an error, so its end is not recorded
                self._ledger = self._open_ledger()
            self._ledger.close()
        except VolitionError as error:
            self._note_failure(error)
            return False
        return True


def end_thread(writer: Writer) -> None:
    """End the thread; what is queued is written first, as far as the disk allows."""
    writer.closing = writer.abandoned = True
    writer.ring()
    # The last reference to a journal may be dropped in any thread, including the writer's own.
    if writer.process == os.getpid() and writer.thread is not threading.current_thread():
        writer.thread.join()


def _attempts(body: bytes) -> int:
    """How many attempts a record counts for."""
    if not body.startswith(ATTEMPT):
        return 0
    return parse(body).count if b'"count":' in body else 1  # type: ignore[union-attr]


def _last_run(path: Path) -> int:
    last = 0
    for record in read(path):
        if record.raw.startswith(b'{"run":'):
            last = record.body["run"]["run"]
    return last


def _defect(error: Exception) -> VolitionError:
    return VolitionError.of(
        f"the journal cannot continue: {type(error).__name__}: {error}",
        where="journal",
        expected="events that can be recorded",
        remedy="what was written is intact: open the journal again; this is a bug in volition",
    )


def _reward_fault(fault: str) -> InvalidInput:
    return InvalidInput.of(
        f"the reward function failed: {fault}",
        where="reward",
        expected="a finite Reward for every outcome, below 0 for a FAILURE",
        remedy="correct the function; the attempt is recorded with the default reward, and its record says so",
    )
