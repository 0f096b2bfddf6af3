"""The journal: every event of a door on disk, without the door waiting for the disk.

`tell` puts an event into a bounded queue and returns. One thread takes it from there. It polls every few milliseconds, so
that callers need not wake it, writes in small batches, and releases the interpreter between them, so that a round trip of
some ten microseconds is hardly slower.
"""

from __future__ import annotations

import os
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from volition.core.errors import Problem, VolitionError, format_value, refuse
from volition.core.ledger.segment import LOCK
from volition.execution.journal.builder import RecordBuilder
from volition.execution.journal.reward import USUAL, RewardFunction
from volition.execution.journal.writer import BREATH, Writer, end_thread
from volition.execution.wire.frames import StateFrame
from volition.execution.wire.request import OpenRequest, Outcome, to_json_value

if TYPE_CHECKING:
    from os import PathLike

    from volition.core.ledger.writer import Durability
    from volition.execution.door.events import DoorEvent


Durable: TypeAlias = Literal["asked", "outcome"]
"""What is written before the caller continues: each intent before it is sent, or also its outcome before it is returned."""

_PROMISED: Final[dict[Durable | None, frozenset[type]]] = {
    None: frozenset(),
    "asked": frozenset({OpenRequest}),
    "outcome": frozenset({OpenRequest, Outcome}),
}


class Journal:
    """Records the events of a door in a ledger of the kind "journal", in a separate thread.

    `tell` returns at once; where `bound` events are queued it waits, and no attempt is ever dropped. Only pushed states may
    be skipped: all but every `state_every`-th one, and all of them while the queue is more than half full. Their number
    is recorded. A state that an attempt refers to is always recorded.

    `written` attempts are with the operating system: killing the process does not lose them. `flush` waits until all
    are. An existing journal is continued under a new run number; `meta`, such as the version of the policy, is recorded
    at the beginning of the run. `reward` values each attempt; it runs in the writing thread. `durability` is the
    ledger's: what a power failure may lose.

    `durable` is what killing this process may not lose. By default that is only what `written` counts: events of the last
    few milliseconds may be lost without a trace. "asked": an intent is written before it is sent, so that every intent
    that an executor may have seen is known, and `verify_journal` counts those that were never answered. "outcome": each
    outcome too, before it is returned. In both cases `tell` waits for the writing thread.

    Where the disk fails, each `tell` has the writer retry, and raises if that fails too; so does `flush`. What was told is
    kept meanwhile and written once the disk works, including the event of a `tell` that raised: do not tell it again. The
    bound does not hold then, so that the last events of a door reach its journal; stop soon, as a bridge does. Where
    `reward` fails, the attempt gets the default reward, its record says so, and the next `tell` raises, once. A journal
    that is not closed is closed when the interpreter exits.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        bound: int = 4096,
        state_every: int = 1,
        meta: dict[str, Any] | None = None,
        reward: RewardFunction = USUAL,
        durability: Durability = "interval",
        durable: Durable | None = None,
    ) -> None:
        if durable not in _PROMISED:
            refuse(
                f"durable is {format_value(durable)}",
                where="durable",
                expected="'asked', 'outcome' or None",
                remedy="'asked' writes an intent before it is sent, 'outcome' also its outcome before it is returned",
            )
        for what, number in (("bound", bound), ("state_every", state_every)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                refuse(
                    f"{what} is {format_value(number)}",
                    where=what,
                    expected="a whole number from 1",
                    remedy="leave it out",
                )
        checked = _check_meta(meta)
        self.path = Path(path)
        _check_place(self.path)
        self.durable: Final = durable
        self._promised = _PROMISED[durable]
        self._bound = bound
        self._half = (bound + 1) // 2
        self._writer = Writer(self.path, RecordBuilder(reward, state_every=state_every), durability, self._half)
        self._writer.begin(checked)
        self._queue = self._writer.queue
        self._closer = weakref.finalize(self, end_thread, self._writer)
        self._writer.thread.start()

    @property
    def written(self) -> int:
        """How many attempts of this journal are with the operating system."""
        return self._writer.written

    @property
    def waiting(self) -> int:
        """How many events are queued."""
        return len(self._queue)

    def tell(self, event: DoorEvent, body: str = "") -> None:
        """Record an event of a door; `body` names the body where there are several.

        It costs an append to a queue, except for what a durable journal promises: that is written when this returns.
        """
        self._check_open()
        writer, queue = self._writer, self._queue
        filling = len(queue) >= self._half
        if filling and type(event) is StateFrame and event.id is None:
            writer.pass_over()
        else:
            while len(queue) >= self._bound and writer.fault is None:
                time.sleep(BREATH)
            queue.append((event, body))
        promised = type(event) in self._promised and not (type(event) is Outcome and event.label == "refused_retry")
        if promised or writer.fault is not None:
            writer.flush()
        elif filling or writer.notices:
            writer.ring()
            writer.raise_error()

    def flush(self) -> None:
        """Wait until every event so far is with the operating system."""
        self._check_open()
        self._writer.flush()

    def close(self) -> None:
        """Write everything, end the run and release the journal to the next writer; closing twice has no further effect.

        Where the disk fails, this raises, with how much is unwritten, and nothing is lost: free some space and close again.
        """
        if not self._closer.alive:
            return
        try:
            self._writer.end()
        except VolitionError as error:
            if self._writer.thread.is_alive():
                raise _unfinished_journal(self.path, self._writer.unwritten, error) from error
            self._closer.detach()
            raise
        self._closer.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if not self._closer.alive or self._writer.closing:
            refuse("the journal is closed", where=str(self.path), expected="an open one", remedy="open it again")
        if self._writer.process != os.getpid():
            refuse(
                f"the journal was opened by process {self._writer.process}, and this is another",
                where=str(self.path),
                expected="one writing process",
                remedy="open another journal in the forked process",
            )


class BodyJournal:
    """One body's share of a journal that several bridges record in; they share their numbers too."""

    def __init__(self, journal: Journal, body: str) -> None:
        self._journal, self._body = journal, body
        self.durable = journal.durable

    def tell(self, event: DoorEvent) -> None:
        """Record an event of this body's door."""
        self._journal.tell(event, self._body)


def _unfinished_journal(path: Path, unwritten: int, error: VolitionError) -> VolitionError:
    """The error of a disk on which a journal could not be closed, with what is still to be written."""
    count = f"{unwritten} accepted attempts are" if unwritten != 1 else "1 accepted attempt is"
    left = Problem(
        f"the journal is not closed: {count} not written yet",
        str(path),
        "a disk with free space",
        "free some space and close it again; nothing is lost while this process lives",
    )
    return type(error)(*error.problems, left)


def _check_place(path: Path) -> None:
    """A journal is created in a new or empty folder only; a folder with other files stays untouched."""
    if not path.is_dir() or any(path.glob("[0-9]*.jsonl")):
        return
    others = sorted(file.name for file in path.iterdir() if file.name != LOCK and file.suffix != ".new")
    if others:
        refuse(
            f"the folder holds other files: {', '.join(others[:3])}{', ...' if len(others) > 3 else ''}",
            where=str(path),
            expected="a journal, or a folder that is new or empty",
            remedy=f"name another folder, such as {path / 'journal'}",
        )


def _check_meta(meta: dict[str, Any] | None) -> dict[str, Any]:
    try:
        value = to_json_value({} if meta is None else meta)
    except (TypeError, UnicodeEncodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        refuse(
            f"the meta cannot be recorded: {format_value(meta)}",
            where="meta",
            expected="a dict of JSON values",
            remedy='give what a reader should know, as in {"policy": "v3"}',
        )
    return value
