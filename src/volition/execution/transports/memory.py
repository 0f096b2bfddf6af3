"""No connection at all: the executor lives in this process, and whoever waits for it makes it run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from volition.core.clock import Clock


class Peer(Protocol):
    """The other side of a memory stream: bytes and the time in, bytes out."""

    @property
    def wake_at(self) -> float | None:
        """When `step` has something to do; None where only bytes can bring anything about."""
        ...

    @property
    def over(self) -> bool:
        """Whether nothing will come any more once `take` is empty."""
        ...

    def receive(self, data: bytes, now: float) -> None: ...

    def step(self, now: float) -> None: ...

    def take(self) -> bytes: ...

    def end(self, now: float) -> None: ...


class MemoryStream:
    """A Stream to a peer that runs while somebody waits.

    The clock is both sides' clock. Where it is moved by hand, waiting costs no time: `receive` jumps from one wake-up
    of the peer to the next until there are bytes or the time is over.
    """

    def __init__(self, peer: Peer, clock: Clock) -> None:
        self._peer = peer
        self._clock = clock
        self._closed = False

    def send(self, data: bytes) -> None:
        if self._closed or self._peer.over:
            raise ConnectionResetError("the executor has hung up")
        self._peer.receive(data, self._clock.monotonic())

    def receive(self, timeout: float | None) -> bytes | None:
        peer, clock = self._peer, self._clock
        if self._closed:
            return b""
        now = clock.monotonic()
        ends = None if timeout is None else now + timeout
        while True:
            if data := peer.take():
                return data
            if peer.over:
                return b""
            wake = peer.wake_at
            if wake is None or (ends is not None and wake > ends):
                if ends is None:
                    return None
                clock.sleep(max(0.0, ends - now))
                return None
            clock.sleep(max(0.0, wake - now))
            # A clock that is moved by adding may stop a hair short of the moment that was meant.
            now = max(wake, clock.monotonic())
            peer.step(now)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._peer.end(self._clock.monotonic())

    def fileno(self) -> int:
        return -1
