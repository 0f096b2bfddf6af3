"""The journal's own thread: takes events from a queue, has them written down, and hands them to the ledger."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from volition.core.errors import InvalidInput, Problem, VolitionError, refuse
from volition.core.ledger import Durability, Ledger, read
from volition.execution.journal.records import ATTEMPT, parse

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution.door.told import DoorEvent
    from volition.execution.journal.scribe import Scribe

KIND: Final = "journal"
LAYOUT: Final = 1
"""The version of the records' layout; it stands in the ledger's header."""

_LOOK: Final = 0.005
"""How often, in seconds, the writer looks whether something came."""
BREATH: Final = 0.0002
"""How long it lets go of the interpreter between two pieces of work."""
_PIECE: Final = 16
"""How many events make a piece; the fuller the queue, the larger the pieces."""
_LARGEST_PIECE: Final = 128
_SETTLED: Final = 1.0
"""After how long without a record the last ones are put on disk."""
SUMMED: Final = 1.0
"""For how many seconds refused retries that are alike are put into one record."""
_AGAIN: Final = 1.0
"""How long it waits before it tries a failing disk again, unless it is asked to."""


class Flush:
    """Put into the queue to be told when everything before it is written."""

    def __init__(self) -> None:
        self.done = threading.Event()


class NextRun:
    """Put into the queue where a new run begins."""

    def __init__(self, meta: dict[str, Any]) -> None:
        self.meta = meta


class OfBody:
    """An event of one body among several."""

    __slots__ = ("body", "event")

    def __init__(self, body: str, event: DoorEvent) -> None:
        self.body, self.event = body, event


Queued: TypeAlias = "DoorEvent | Flush | NextRun | OfBody"


class Writer:
    """The thread's side: it alone touches scribe and ledger. It does not know the journal, which may be forgotten."""

    def __init__(self, path: Path, scribe: Scribe, durability: Durability, half: int) -> None:
        self.queue: deque[Queued] = deque()
        self.mark = half
        self.passed_over = 0
        self.written = 0
        self.tries = 0
        self.fault: VolitionError | None = None
        self.closing = False
        self.process = os.getpid()
        self.thread = threading.Thread(target=self._work, name=f"journal {path.name}", daemon=True)
        self._path, self._scribe, self._durability, self._half = path, scribe, durability, half
        self._ledger = self._opened()
        self._run = 0
        self._notices: deque[VolitionError] = deque()
        self._blamed = False
        self._noted = 0
        self._unsynced = 0.0
        self._summing = 0.0
        self._errors = threading.Lock()
        self._bell = threading.Lock()
        self._bell.acquire()

    def _opened(self) -> Ledger:
        return Ledger(self._path, kind=KIND, meta={"layout": LAYOUT}, durability=self._durability)

    def begin(self, meta: dict[str, Any]) -> None:
        """Write the beginning of a run; an error here is the caller's."""
        try:
            self._run = _last_run(self._path) + 1
            self._scribe.begin(self._run, meta)
            self._append()
        except BaseException:
            self._ledger.close()
            raise

    # What the callers' threads do.

    def ring(self) -> None:
        """Have the writer look now."""
        with suppress(RuntimeError):  # rung already
            self._bell.release()

    def pass_over(self) -> None:
        """A pushed state makes way for what cannot."""
        with self._errors:
            self.passed_over += 1

    def raise_error(self) -> None:
        """Raise what the caller has to know, if anything: a failing disk again and again, all else once."""
        with self._errors:
            if self.fault is not None:
                # One error, raised many times: it must not collect the places where it was.
                raise self.fault.with_traceback(None)
            error = self._notices.popleft() if self._notices else None
            self._level()
        if error is not None:
            raise error

    def flush(self) -> None:
        """Wait until the queue is written as it is now; where the disk fails, try once and raise."""
        flush, tries = Flush(), self.tries
        self.queue.append(flush)
        while not flush.done.is_set():
            self.ring()
            flush.done.wait(_LOOK)
            if self.tries > tries:
                self.raise_error()
            if not self.thread.is_alive():
                refuse("the journal's writer is gone", where=str(self._path), expected="a live one", remedy="reopen it")
        self.raise_error()

    # What the thread does.

    def _work(self) -> None:
        try:
            self._watch()
        except Exception as error:  # noqa: BLE001  a thread has nobody to raise to: the callers are told
            self._failed(_defect(error))

    def _watch(self) -> None:
        while True:
            if self.queue or self._scribe.out or self.fault is not None:
                self._piece()
            elif self.closing:
                self._finish()
                return
            else:
                self._settle()
            self._sum_up()
            if self.fault is not None:
                if self.closing:
                    return
                self._bell.acquire(timeout=_AGAIN)
            elif len(self.queue) < _PIECE:
                # Few pieces disturb less than many: what comes meanwhile is written together.
                self._bell.acquire(timeout=_LOOK)
            elif len(self.queue) < self._half:
                # A true pause: whoever waits for the interpreter gets it now, not after the next piece.
                time.sleep(BREATH)

    def _piece(self) -> None:
        """Write some events; the records of what could not be written stay where they are."""
        queue, scribe, flush = self.queue, self._scribe, None
        if (passed := self.passed_over) != self._noted:
            scribe.skip(passed - self._noted)
            self._noted = passed
        for _ in range(0 if self.fault else min(len(queue), max(_PIECE, len(queue) // 64), _LARGEST_PIECE)):
            event = queue.popleft()
            if type(event) is Flush:
                scribe.write_refusals()
                flush = event
                break
            if type(event) is NextRun:
                self._run += 1
                scribe.end()
                scribe.begin(self._run, event.meta)
                continue
            try:
                if type(event) is OfBody:
                    scribe.write(event.event, event.body)
                else:
                    scribe.write(event)  # type: ignore[arg-type]
            except VolitionError as error:
                self._notice(error)
        if scribe.reward_fault and not self._blamed:
            self._blamed = True
            self._notice(_reward_fault(scribe.reward_fault))
        try:
            self._append()
        except VolitionError as error:
            self._failed(error)
            if flush is not None:
                queue.appendleft(flush)
            return
        if self.fault is not None:
            self._mended()
        if flush is not None:
            flush.done.set()

    def _sum_up(self) -> None:
        """Write refused retries once they have waited long enough for more of their kind."""
        if not self._scribe.refusals:
            self._summing = 0.0
        elif not self._summing:
            self._summing = time.monotonic()
        elif time.monotonic() - self._summing > SUMMED:
            self._summing = 0.0
            self._scribe.write_refusals()

    def _settle(self) -> None:
        """Put on disk what a burst left behind; while records come, the ledger does so by itself."""
        if self._unsynced and self._durability == "interval" and time.monotonic() - self._unsynced > _SETTLED:
            self._unsynced = 0.0
            try:
                self._ledger.sync()
            except VolitionError as error:
                self._failed(error)

    def _append(self) -> None:
        """Hand the scribe's records to the system, and count what is there, even where not all of it is."""
        out = self._scribe.out
        if not out:
            return
        before = self._ledger.count
        try:
            try:
                self._ledger.append_encoded(out)
            except InvalidInput:
                # The ledger closed itself after an error: what it acknowledged is there, and the rest is still here.
                self._ledger = self._opened()
                before = self._ledger.count
                self._ledger.append_encoded(out)
        finally:
            self._unsynced = time.monotonic()
            done = self._ledger.count - before
            self.written += sum(map(_attempts, out[:done]))
            del out[:done]

    def _failed(self, error: VolitionError) -> None:
        with self._errors:
            self.fault = error
            self.tries += 1
            self._level()

    def _mended(self) -> None:
        with self._errors:
            self.fault = None
            self._level()

    def _notice(self, error: VolitionError) -> None:
        with self._errors:
            self._notices.append(error)
            self._level()

    def _level(self) -> None:
        """From how many waiting events on a tell has to look closer: from 0 on where something is to be said."""
        self.mark = 0 if self.closing or self.fault or self._notices else self._half

    def _finish(self) -> None:
        try:
            self._scribe.skip(self.passed_over - self._noted)
            self._scribe.end()
            self._append()
            self._ledger.close()
        except VolitionError as error:
            self._failed(error)


def end_thread(writer: Writer) -> None:
    """End the writing thread; what is in the queue is written before, as far as the disk allows."""
    writer.closing, writer.mark = True, 0
    writer.ring()
    # The last reference to a journal may go in any thread, the writer's own among them.
    if writer.process == os.getpid() and writer.thread is not threading.current_thread():
        writer.thread.join()


def _attempts(body: bytes) -> int:
    """How many attempts a record stands for."""
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
    return VolitionError(
        Problem(
            f"the journal cannot go on: {type(error).__name__}: {error}",
            "journal",
            "events that can be recorded",
            "what was written is good: open the journal again; this is a defect in volition",
        )
    )


def _reward_fault(fault: str) -> InvalidInput:
    return InvalidInput(
        Problem(
            f"the reward function failed: {fault}",
            "reward",
            "a finite Reward for every outcome, below 0 for a FAILURE",
            "correct the function; the attempt is recorded with the usual reward, and its record says so",
        )
    )
