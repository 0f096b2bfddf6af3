"""The journal: everything a door tells, on disk, without the door ever waiting for the disk.

`tell` puts an object into a bounded queue and returns. One thread takes it from there: it looks every few milliseconds,
so that nobody pays for waking it, writes in small pieces, and lets go of the interpreter between them, so that a round
trip of some ten microseconds hardly notices it.
"""

from __future__ import annotations

import os
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from volition.core.errors import refuse, shown
from volition.core.ledger.lock import LOCK
from volition.execution.door.outcome import Outcome
from volition.execution.door.told import Asking, StateSeen
from volition.execution.journal.records import plain
from volition.execution.journal.scribe import Scribe
from volition.execution.journal.writer import BREATH, NextRun, OfBody, Queued, Writer, end_thread
from volition.execution.reward import USUAL, RewardFunction

if TYPE_CHECKING:
    from os import PathLike

    from volition.core.ledger import Durability
    from volition.execution.door.told import DoorEvent


Durable: TypeAlias = Literal["asked", "outcome"]
"""What is written before the caller goes on: each intent before it leaves, and its outcome before it is returned."""

_PROMISED: Final[dict[Durable | None, frozenset[type]]] = {
    None: frozenset(),
    "asked": frozenset({Asking}),
    "outcome": frozenset({Asking, Outcome}),
}


class Journal:
    """Records all that a door tells in a ledger of the kind "journal", off the caller's path.

    `tell` returns at once; where `bound` events wait it waits too, and no attempt is ever dropped. Pushed states alone
    may be passed over: all but every `state_every`-th one, and all of them while the queue is more than half full. Their
    number is recorded. A state that an attempt names is always kept.

    `written` attempts are with the operating system: killing the process does not lose them. `flush` waits until all
    are. A journal that is there already is taken up under a new run number; `meta`, such as the version of the policy,
    stands at the beginning of the run. `reward` values each attempt; it runs in the writing thread. `durability` is the
    ledger's: what a loss of power may take.

    `durable` is what a kill of this process may not take. By default that is what `written` counts and no more: what was
    told in the last few milliseconds may be lost, and nobody can tell. "asked": an intent is written before it leaves,
    so that every intent that an executor may have seen is known, and `verify_journal` counts those that were never
    answered. "outcome": also each outcome before it is returned. Then `tell` waits for the writing thread.

    A `tell` that raises has not taken its event: it is to be told again. Where the disk fails, each one raises and has
    the writer try again, until the disk is mended; so does `flush`. What was taken before is kept meanwhile. Where
    `reward` fails, the attempt gets the usual reward, its record says so, and the next `tell` raises, once. A journal that
    is not closed is closed when the interpreter ends.
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
                f"durable is {shown(durable)}",
                where="durable",
                expected="'asked', 'outcome' or None",
                remedy="'asked' writes an intent before it leaves, 'outcome' also its outcome before it is returned",
            )
        for what, number in (("bound", bound), ("state_every", state_every)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                refuse(
                    f"{what} is {shown(number)}", where=what, expected="a whole number from 1", remedy="leave it out"
                )
        checked = _checked(meta)
        self.path = Path(path)
        _check_place(self.path)
        self.durable: Final = durable
        self._promised = _PROMISED[durable]
        self._bound = bound
        self._half = (bound + 1) // 2
        self._writer = Writer(self.path, Scribe(reward, state_every=state_every), durability, self._half)
        self._writer.begin(checked)
        self._queue = self._writer.queue
        self._closer = weakref.finalize(self, end_thread, self._writer)
        self._writer.thread.start()

    @property
    def written(self) -> int:
        """How many attempts of this journal's own are with the operating system."""
        return self._writer.written

    @property
    def waiting(self) -> int:
        """How many events wait to be written."""
        return len(self._queue)

    def tell(self, event: DoorEvent, body: str = "") -> None:
        """Record an event of a door, of the body of that name where there are several.

        It costs an append to a queue, but for what a durable journal has promised: that is written when this returns.
        """
        queued = OfBody(body, event) if body else event
        if len(self._queue) >= self._writer.mark:
            self._pressed(event, queued)
        else:
            self._queue.append(queued)
        if type(event) in self._promised and not (type(event) is Outcome and event.label == "refused_retry"):
            self._writer.flush()

    def next_run(self, meta: dict[str, Any] | None = None) -> None:
        """Begin a new run: what is told from here on belongs to another policy or another door."""
        self._open()
        self._queue.append(NextRun(_checked(meta)))

    def flush(self) -> None:
        """Wait until everything that was told is with the operating system."""
        self._open()
        self._writer.flush()

    def close(self) -> None:
        """Flush, end the run and let the next writer in; closing twice is closing once."""
        if self._closer.alive:
            self._writer.flush()
            self._closer()
            self._writer.raise_error()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pressed(self, event: DoorEvent, queued: Queued) -> None:
        """The queue is half full, something went wrong, or the journal is closed."""
        self._open()
        writer, queue = self._writer, self._queue
        try:
            writer.raise_error()
        finally:
            writer.ring()
        if type(event) is StateSeen and not event.asked and len(queue) >= self._half:
            writer.pass_over()
            return
        while len(queue) >= self._bound:
            time.sleep(BREATH)
            writer.raise_error()
        queue.append(queued)

    def _open(self) -> None:
        if not self._closer.alive:
            refuse("the journal is closed", where=str(self.path), expected="an open one", remedy="open it again")
        if self._writer.process != os.getpid():
            refuse(
                f"the journal was opened by process {self._writer.process}, and this is another",
                where=str(self.path),
                expected="one writing process",
                remedy="a forked process opens a journal of its own",
            )


def _check_place(path: Path) -> None:
    """A journal is begun in a folder that is new or empty; one that holds other things stays untouched."""
    if not path.is_dir() or any(path.glob("[0-9]*.jsonl")):
        return
    others = sorted(file.name for file in path.iterdir() if file.name != LOCK and file.suffix != ".new")
    if others:
        refuse(
            f"the folder holds other things: {', '.join(others[:3])}{', ...' if len(others) > 3 else ''}",
            where=str(path),
            expected="a journal, or a folder that is new or empty",
            remedy=f"name another folder, such as {path / 'journal'}",
        )


def _checked(meta: dict[str, Any] | None) -> dict[str, Any]:
    try:
        found = plain({} if meta is None else meta)
    except (TypeError, UnicodeEncodeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        refuse(
            f"the meta cannot be recorded: {shown(meta)}",
            where="meta",
            expected="a dict of JSON values",
            remedy='say what a reader should know, as in {"policy": "v3"}',
        )
    return found
