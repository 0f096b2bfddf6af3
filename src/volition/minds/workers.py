"""Where minds run: each plain function in a thread, all coroutines in one event loop, and none where the caller waits.

Threads are daemons that nobody joins: a mind that never returns keeps its thread, and the program can still end. There are
at most `MOST_THREADS` of them. A coroutine that blocks the event loop delays the others of its tick; the loop is then
left behind, and the next question starts another.
"""

from __future__ import annotations

import asyncio
import inspect
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from volition.minds.answers import JudgedAnswer, judge_answer, judge_failure
from volition.minds.contract import copy_situation

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.core.clock import Clock
    from volition.minds.contract import MindSituation

MOST_THREADS: Final = 64
_FULL: Final = f"{MOST_THREADS} minds have not returned yet"
_PATIENCE_S: Final = 0.1
"""How long a loop in which a mind was late may take to show that it still turns."""
_slots: Final = BoundedSemaphore(MOST_THREADS)
_due: ContextVar[tuple[Clock, float] | None] = ContextVar("due", default=None)


def seconds_left() -> float | None:
    """How long the mind that is being asked here may still take; None where nobody waits for it.

    >>> seconds_left() is None
    True
    """
    due = _due.get()
    return None if due is None else max(0.0, due[1] - due[0].monotonic())


@dataclass(frozen=True, slots=True)
class Errand:
    """One question on its way to a mind.

    `deliver` gets what came of it, in the thread of the mind; `returned` is set when the mind is no longer at work on it.
    """

    propose: Callable[[MindSituation], Any]
    situation: MindSituation
    content: bytes
    clock: Clock
    due: float
    deliver: Callable[[JudgedAnswer], None]
    returned: Event = field(default_factory=Event)

    def perform(self) -> None:
        """Ask a plain function, and wait for it; what it returns to be awaited is awaited here."""
        try:
            _due.set((self.clock, self.due))
            answer = self.propose(copy_situation(self.content))
            if inspect.isawaitable(answer):
                answer = asyncio.run(_await(answer))
            judged = judge_answer(answer, self.situation)
        except BaseException as error:  # noqa: BLE001  SystemExit too is only an answer that did not come
            judged = judge_failure(error)
        self._finish(judged)

    async def perform_async(self) -> None:
        """Ask a coroutine."""
        try:
            _due.set((self.clock, self.due))
            judged = judge_answer(await self.propose(copy_situation(self.content)), self.situation)
        except BaseException as error:  # noqa: BLE001  an event loop ends with a SystemExit, and others use it
            judged = judge_failure(error)
        self._finish(judged)

    def _finish(self, judged: JudgedAnswer) -> None:
        self.returned.set()  # first, because who gets the answer may ask again at once
        self.deliver(judged)


async def _await(answer: Any) -> Any:
    return await answer


def send_errand(errand: Errand) -> Callable[[], None] | str:
    """Start asking. What is returned stops it as far as it can be stopped; a text says why it could not be started."""
    if _is_coroutine(errand.propose):
        loop = _LOOPS.current()
        return _FULL if loop is None else loop.start(errand)
    if not _slots.acquire(blocking=False):
        return _FULL
    try:
        Thread(target=_run_thread, args=(errand.perform,), name="volition-mind", daemon=True).start()
    except RuntimeError as error:  # the system has no more threads
        _slots.release()
        return str(error)
    return _leave


def _is_coroutine(propose: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(propose) or inspect.iscoroutinefunction(getattr(propose, "__call__", None))  # noqa: B004


def _leave() -> None:
    """A thread cannot be stopped: it is left alone, and what it answers later is dropped."""


def _run_thread(work: Callable[[], None]) -> None:
    try:
        work()
    finally:
        _slots.release()


class _Turn:
    """An errand in an event loop; it is either begun by the loop or withdrawn by the caller, whichever is first."""

    def __init__(self, errand: Errand) -> None:
        self._errand = errand
        self._task: asyncio.Task[None] | None = None
        self._settled = Lock()

    def begin(self) -> None:
        """Called in the loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        _turns.add(self)  # a loop itself holds its tasks by weak references only
        self._task.add_done_callback(lambda task: _turns.discard(self))

    async def _run(self) -> None:
        if self._settled.acquire(blocking=False):
            await self._errand.perform_async()

    def withdraw(self) -> None:
        """Take the errand back if it has not begun, because another mind blocks the loop. Called by the caller."""
        if self._settled.acquire(blocking=False):
            self._errand.returned.set()

    def stop(self) -> None:
        """Called in the loop."""
        if self._task is not None:
            self._task.cancel()


_turns: Final[set[_Turn]] = set()


class _LoopThread:
    """An event loop and its thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._turned: Event | None = None
        """Is set once the loop has run what was put into it when a mind was last late."""
        self._thread = Thread(target=_run_thread, args=(self._run,), name="volition-minds", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def start(self, errand: Errand) -> Callable[[], None] | str:
        """Run an errand; the result stops it, or says why it could not be started."""
        turn = _Turn(errand)
        return partial(self._stop, turn) if self._call(turn.begin) else "the event loop has ended"

    def _stop(self, turn: _Turn) -> None:
        turn.withdraw()
        self._turned = Event()
        self._call(turn.stop)
        self._call(self._turned.set)

    def is_turning(self) -> bool:
        """Whether callbacks are still run here."""
        return self._thread.is_alive() and (self._turned is None or self._turned.wait(_PATIENCE_S))

    def leave(self) -> None:
        """End the thread as soon as the mind that blocks it lets it."""
        self._call(lambda: self._loop.create_task(_wind_down()))

    def _call(self, callback: Callable[[], Any]) -> bool:
        """Let the loop call a function; False where it has ended."""
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:
            return False
        return True


async def _wind_down() -> None:
    """Stop the loop when nothing runs there any more: whoever waits for an answer cancels it at the deadline."""
    await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)
    asyncio.get_running_loop().stop()


class _Loops:
    """The event loop for all coroutines: made when it is first needed, and replaced when it no longer turns."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._current: _LoopThread | None = None

    def current(self) -> _LoopThread | None:
        """The loop; None where there is no thread left for one."""
        with self._lock:
            if self._current is not None and not self._current.is_turning():
                self._current.leave()
                self._current = None
            if self._current is None and _slots.acquire(blocking=False):
                self._current = _LoopThread()
            return self._current


_LOOPS: Final = _Loops()
