"""Machines without a core for the kit, deterministically: it is late for every write, or stands still with its executor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.execution.transports.memory import MemoryStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.core.clock import Clock
    from volition.execution.transports.stream import Stream


class Starved:
    """A stream of a kit that is `late` for every write; what arrives meanwhile waits to be read.

    While `together`, the executor has no core either: its world stands still, and loses what it cannot catch up.
    """

    def __init__(self, inner: Stream, clock: Clock, late: float, *, together: bool = False) -> None:
        self._inner, self._clock = inner, clock
        self._late, self._together = late, together
        self._waiting: list[bytes] = []

    def send(self, data: bytes) -> None:
        until = self._clock.monotonic() + self._late
        if self._together and isinstance(self._inner, MemoryStream):
            self._clock.sleep(self._late)
            self._inner.peer.step(self._clock.monotonic())
        while (left := until - self._clock.monotonic()) > 0 and (came := self._inner.receive(left)) != b"":
            self._waiting += [came] if came else []
        self._inner.send(data)

    def receive(self, timeout: float | None) -> bytes | None:
        return self._waiting.pop(0) if self._waiting else self._inner.receive(timeout)

    def close(self) -> None:
        self._inner.close()


class Suspended:
    """A stream on whose machine everything stands still after a MOVE is sent: the clock alone goes on.

    `pauses` says for how many seconds, MOVE after MOVE; `lose` makes the executor's world lose that time.
    """

    def __init__(self, inner: Stream, clock: Clock, pauses: Iterator[float], lose: Callable[[float], None]) -> None:
        self._inner, self._clock = inner, clock
        self._pauses, self._lose = pauses, lose

    def send(self, data: bytes) -> None:
        self._inner.send(data)
        if b'"MOVE"' in data and (pause := next(self._pauses, 0.0)):
            self._clock.sleep(pause)
            self._lose(pause)

    def receive(self, timeout: float | None) -> bytes | None:
        return self._inner.receive(timeout)

    def close(self) -> None:
        self._inner.close()
