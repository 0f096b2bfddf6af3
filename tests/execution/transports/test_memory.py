"""The memory stream: waiting makes the other side run, on one clock."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.clock import ManualClock, SystemClock
from volition.execution.transports.memory import MemoryStream


@dataclass
class Scripted:
    """A peer that wakes at given moments and says its time at some of them; it also answers what it gets."""

    wakes: list[float] = field(default_factory=list)
    speaks: frozenset[float] = frozenset()
    over: bool = False
    out: bytes = b""
    steps: list[float] = field(default_factory=list)
    ended: int = 0

    @property
    def wake_at(self) -> float | None:
        return self.wakes[0] if self.wakes else None

    def receive(self, data: bytes, now: float) -> None:
        self.out += data.upper()

    def step(self, now: float) -> None:
        while self.wakes and self.wakes[0] <= now:
            moment = self.wakes.pop(0)
            self.steps.append(moment)
            if moment in self.speaks:
                self.out += f"{moment};".encode()

    def take(self) -> bytes:
        out, self.out = self.out, b""
        return out

    def end(self, now: float) -> None:
        self.ended += 1


def test_an_answer_is_there_at_once() -> None:
    """What the peer answers by itself is received without any time passing."""
    clock = ManualClock()
    stream = MemoryStream(Scripted([0.05]), clock)
    stream.send(b"hello")
    assert stream.receive(1.0) == b"HELLO"
    assert clock.monotonic() == 0.0


moments = st.lists(st.integers(1, 60).map(lambda n: n / 20), unique=True).map(sorted)


@given(moments, st.sets(st.integers(1, 60).map(lambda n: n / 20)), st.floats(0, 4))
def test_waiting_steps_the_peer_until_it_speaks_or_the_time_is_over(
    wakes: list[float], speaks: set[float], timeout: float
) -> None:
    """The peer is stepped at each of its moments, in order, and the clock ends where it spoke, or at the limit."""
    clock = ManualClock()
    peer = Scripted(list(wakes), frozenset(speaks))
    got = MemoryStream(peer, clock).receive(timeout)
    logged = [moment for moment in wakes if moment in speaks and moment <= timeout]
    assert got == (f"{logged[0]};".encode() if logged else None)
    ends = logged[0] if logged else timeout
    assert clock.monotonic() == pytest.approx(ends)
    assert peer.steps == [moment for moment in wakes if moment <= ends]


def test_on_a_real_clock_waiting_is_real() -> None:
    """The same stream on the system's clock takes the time that it says, at least."""
    clock = SystemClock()
    began = time.monotonic()
    due = clock.monotonic() + 0.05
    assert MemoryStream(Scripted([due], frozenset([due])), clock).receive(60.0) == f"{due};".encode()
    assert time.monotonic() - began >= 0.05


def test_nothing_can_come_so_nobody_waits_for_ever() -> None:
    """Without a limit, where only bytes could bring anything about, receive returns."""
    assert MemoryStream(Scripted(), ManualClock()).receive(None) is None


def test_the_last_words_come_before_the_end() -> None:
    """A peer that is over is read to its end, then b"" stays; sending to it breaks."""
    stream = MemoryStream(Scripted(over=True, out=b"bye"), ManualClock())
    assert [stream.receive(1.0) for _ in range(3)] == [b"bye", b"", b""]
    with pytest.raises(ConnectionResetError):
        stream.send(b"x")


def test_closing_is_told_once() -> None:
    """The peer learns of the end once; then there is nothing to receive and nowhere to send."""
    peer = Scripted([1.0])
    stream = MemoryStream(peer, ManualClock())
    stream.close()
    stream.close()
    assert (peer.ended, stream.receive(1.0)) == (1, b"")
    with pytest.raises(ConnectionResetError):
        stream.send(b"x")
