"""An executor in this process, without a real connection; it runs while a caller waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from volition.core.clock import Clock


class Peer(Protocol):
    """The other side of a memory stream: bytes and the time go in, bytes come out."""

    @property
    def wake_at(self) -> float | None:
        """When `step` must be called; None if nothing happens before the next bytes."""
        ...

    @property
    def over(self) -> bool:
        """Whether the peer has hung up: after `take` is empty nothing follows."""
        ...

    def receive(self, data: bytes, now: float) -> None: ...

    def step(self, now: float) -> None: ...

    def take(self) -> bytes: ...

    def end(self, now: float) -> None: ...


class MemoryStream:
    """A Stream to a peer that runs while a caller waits.

    Both sides use the same clock. With a manual clock waiting takes no time: `receive` jumps from one wake-up of the
    peer to the next until there are bytes or the time is over.
    """

    def __init__(self, peer: Peer, clock: Clock) -> None:
        self.peer = peer
        self._clock = clock
        self._closed = False

    def send(self, data: bytes) -> None:
        if self._closed or self.peer.over:
            raise ConnectionResetError("the executor has hung up")
        self.peer.receive(data, self._clock.monotonic())

    def receive(self, timeout: float | None) -> bytes | None:
        peer, clock = self.peer, self._clock
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
            # Because of rounding, a manual clock may stop slightly before the intended moment.
            now = max(wake, clock.monotonic())
            peer.step(now)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.peer.end(self._clock.monotonic())
