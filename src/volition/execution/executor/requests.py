"""Requests that are done once: those under way, and what is remembered of each in a file.

    new --written down--> under way --> ended: its result is written down, and answered to every id that waits
                                    \\-> interrupted: its bridge or the executor is gone, and its result is not known

The same request under another id begins nothing: it waits. One bridge drives at a time, so everything that is under way is
of one connection, and all of it is interrupted when that ends. An interrupted request never ends later.

The file is written before anything is done and before anything is answered, and forced to the disk, so that it knows no
less than the world after a crash. A request that began and has no result was interrupted: it may have happened, so it
is never attempted again. The last line of a file that was torn by a crash was never relied on, and is cut.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec
import orjson

from volition.core.errors import BrokenRecord, refuse
from volition.core.folder import sync_folder
from volition.core.typed import convert
from volition.execution.executor.contract import Ended
from volition.execution.wire.results import Result, make_result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from volition.execution.wire.request import RequestMark
    from volition.execution.wire.session.incoming import IncomingIntent

_HEADER: Final = {"volition": "requests", "version": 1}
STALE_TOKEN: Final = "STALE_TOKEN"  # noqa: S105  a number that is too low, not a password
"""Refused: a higher token was seen for this resource. Nothing was done."""
OTHER_DIGEST: Final = "OTHER_DIGEST"
"""Refused: this request id was used for something else. Nothing was done."""
INTERRUPTED: Final = "INTERRUPTED"
"""The request began, and its end is not known. It is not attempted again."""
NOT_REMEMBERED: Final = "NOT_REMEMBERED"
"""The file cannot be written: a new request is not attempted, and the outcome of one that was is not known any more."""
UNDER_WAY: Final = "UNDER_WAY"
"""The time of a repeated intent is over, and the request that it repeats has no result yet. That one goes on."""
_LOG: Final = logging.getLogger("volition.execution")


class RequestMemory:
    """Remembers requests and tokens in a file, over connections and restarts. One process at a time may have it open.

    >>> from volition.execution.wire.request import RequestMark
    >>> from tempfile import TemporaryDirectory
    >>> mark = RequestMark(request="r1", digest="d", token=7, resource="arm")
    >>> with TemporaryDirectory() as folder:
    ...     with RequestMemory(Path(folder) / "requests") as memory:
    ...         first = memory.admit(mark)
    ...         kept = memory.finish(mark, make_result(), None)
    ...     with RequestMemory(Path(folder) / "requests") as memory:
    ...         again = memory.admit(mark)
    >>> first, again[0].status
    (None, 'SUCCESS')
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._file = Path(file)
        self._digests: dict[str, str] = {}
        self._results: dict[str, tuple[Result, str | None]] = {}
        self._fences: dict[str, int] = {}
        self._end = 0
        """Where the last whole line ends."""
        self._torn = False
        """Whether something may follow it."""
        try:
            self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                self._lock()
                self._read()
            except BaseException:
                os.close(self._handle)
                raise
        except OSError as error:
            refuse(
                f"requests cannot be remembered here: {error.strerror or error}",
                where=str(self._file),
                expected="a file that this process alone may write",
                remedy="name another one, or end the other process",
            )

    def admit(self, mark: RequestMark) -> tuple[Result, str | None] | None:
        """None if the request may be attempted, which is remembered first; otherwise its result, or why it is refused.

        A file that cannot be written, on a full disk say, is a reason to refuse: nothing is attempted.
        """
        if mark.request in self._digests:
            if self._digests[mark.request] != mark.digest:
                return make_result("FAILURE", "INVALID_STATE"), OTHER_DIGEST
            return self._results.get(mark.request) or (make_result("FAILURE", "UNKNOWN"), INTERRUPTED)
        if mark.token < self._fences.get(mark.resource, 0):
            return make_result("FAILURE", "INVALID_STATE"), STALE_TOKEN
        try:
            self.fence({mark.resource: mark.token})
            self._append({"begin": mark.request, "digest": mark.digest})
        except OSError:
            return make_result("FAILURE", "RESOURCE_EXHAUSTED"), NOT_REMEMBERED
        self._digests[mark.request] = mark.digest
        return None

    def finish(self, mark: RequestMark, result: Result, detail: str | None) -> tuple[Result, str | None]:
        """Remember the result of a request that was admitted, and return what may be answered; the first one counts.

        A result that cannot be written is not answered: after a restart it would not be known.
        """
        if mark.request in self._digests and mark.request not in self._results:
            try:
                self._append({"end": mark.request, "result": result.to_data(), "detail": detail})
            except OSError:
                return make_result("FAILURE", "UNKNOWN"), NOT_REMEMBERED
            self._results[mark.request] = result, detail
        return result, detail

    def fence(self, fences: Mapping[str, int]) -> None:
        """Raise the lowest token that is accepted, for each resource; it never falls. OSError if it cannot be written."""
        higher = {name: token for name, token in fences.items() if token > self._fences.get(name, 0)}
        if higher:
            self._append({"fence": higher})
            self._fences |= higher

    def close(self) -> None:
        """Let another process have the file; closing twice has no further effect."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _append(self, entry: dict[str, Any]) -> None:
        """Write a line and wait until it is on the disk. A line that cannot be written is cut off at once or, where that fails
        too, before the next one; a crash in between leaves a line that was never relied on."""
        line = orjson.dumps(entry) + b"\n"
        try:
            if self._torn:
                self._cut()
            written = 0
            while written < len(line):
                written += os.pwrite(self._handle, line[written:], self._end + written)
            os.fsync(self._handle)
        except OSError as error:
            _LOG.error("requests cannot be remembered in %s: %s", self._file, error.strerror or error)
            self._torn = True
            with suppress(OSError):
                self._cut()
            raise
        self._end += len(line)

    def _cut(self) -> None:
        os.ftruncate(self._handle, self._end)
        self._torn = False

    def _lock(self) -> None:
        if os.name == "posix":
            import fcntl  # noqa: PLC0415  not on every system

            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _read(self) -> None:
        """Read the file to its end, and cut a line that a crash has torn."""
        with open(os.dup(self._handle), "rb") as stream:  # noqa: PTH123  the handle is locked
            content = stream.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._end, self._torn = len(whole), len(whole) < len(content)
        if self._torn:
            self._cut()
        if not whole:
            self._append(_HEADER)
            sync_folder(self._file.absolute().parent)
            return
        header, *lines = whole.splitlines()
        try:
            if orjson.loads(header) != _HEADER:
                raise ValueError("the first line is not that of a memory of requests")  # noqa: TRY301
            for line in lines:
                self._take(orjson.loads(line))
        except (ValueError, KeyError, TypeError, msgspec.ValidationError) as error:
            raise BrokenRecord.of(
                f"this is not a memory of requests: {error}",
                where=str(self._file),
                expected="the file as an executor wrote it",
                remedy="restore it from a copy, or name a new file once nothing is under way",
            ) from None

    def _take(self, entry: dict[str, Any]) -> None:
        if "begin" in entry:
            self._digests[entry["begin"]] = entry["digest"]
        elif "end" in entry:
            self._results[entry["end"]] = convert(entry["result"], Result), entry["detail"]
        else:
            self._fences |= entry["fence"]


class RequestsUnderWay:
    """What stands between a host and its memory of requests; without a memory, no intent has a mark."""

    def __init__(self, memory: RequestMemory | None) -> None:
        self._memory = memory
        self._first: dict[str, IncomingIntent] = {}
        """Request -> the attempt that was begun for it."""
        self._repeated: dict[str, list[IncomingIntent]] = {}
        """Request -> the intents that wait for the result of that attempt."""

    @property
    def remembers(self) -> bool:
        return self._memory is not None

    def fence(self, fences: Mapping[str, int]) -> None:
        """As `RequestMemory.fence`."""
        if self._memory is not None:
            self._memory.fence(fences)

    def begin(self, attempt: IncomingIntent) -> list[Ended] | None:
        """None if the game may attempt it; otherwise what to answer instead, which is nothing yet while it waits."""
        mark = attempt.mark
        if mark is None or self._memory is None:
            return None
        first = self._first.get(mark.request)
        if first is not None and first.mark is not None and first.mark.digest == mark.digest:
            self._repeated.setdefault(mark.request, []).append(attempt)
            return []
        known = self._memory.admit(mark)
        if known is not None:
            return [Ended(attempt, *known)]
        self._first[mark.request] = attempt
        return None

    def first_of(self, attempt: IncomingIntent) -> IncomingIntent:
        """The attempt whose result an intent will get: itself, unless it repeats a request that is under way."""
        return attempt if attempt.mark is None else self._first.get(attempt.mark.request, attempt)

    def settle(self, ended: Ended) -> list[Ended]:
        """Write down the result of a request, and give it to every intent that waits for it.

        Nothing is said of a request that is not under way any more: it was answered, or counts as interrupted, and must not
        have another result later.
        """
        mark = ended.attempt.mark
        if mark is None or self._memory is None:
            return [ended]
        if self._first.get(mark.request) is not ended.attempt:
            return []
        result, detail = self._memory.finish(mark, ended.result, ended.detail)
        attempts = [self._first.pop(mark.request), *self._repeated.pop(mark.request, [])]
        return [Ended(attempt, result, detail) for attempt in attempts]

    def stop(self, stop: IncomingIntent, *, is_alive: Callable[[str | None], bool]) -> list[Ended]:
        """Settle what a finished STOP ends and the game has not ended itself; `is_alive` says so of an agent."""
        stopped = [first for first in self._first.values() if first.id < stop.id and stop.stops(first)]
        return [
            ended
            for first in stopped
            for ended in self.settle(Ended(first, make_result("PARTIAL", is_alive=is_alive(first.agent)), "STOPPED"))
        ]

    def give_up(self, repeated: IncomingIntent, *, is_alive: bool) -> Ended:
        """The answer to a repeated intent whose time is over; the request goes on."""
        assert repeated.mark is not None
        self._repeated[repeated.mark.request].remove(repeated)
        return Ended(repeated, make_result("FAILURE", "UNKNOWN", is_alive=is_alive), UNDER_WAY)

    def interrupt(self) -> None:
        """The bridge is gone: no intent waits any more, and what was under way has no result."""
        self._first.clear()
        self._repeated.clear()
