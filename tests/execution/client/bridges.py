"""Shared by the tests of both bridges: one interface to the blocking and the asyncio bridge, and good and bad
executors."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, cast

from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import lines
from tests.processes import PATIENCE
from volition.execution import Evade, Jump, Move, make_result
from volition.execution.connecting.aio import connect as connect_async
from volition.execution.connecting.connect import connect
from volition.execution.executor.contract import Ended
from volition.execution.executor.server import ExecutorServer
from volition.execution.transports.address import parse_address
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.execution import HandshakeFailed, IncomingIntent
    from volition.execution.connecting.aio import AsyncBridge
    from volition.execution.executor.contract import News
    from volition.execution.transports.address import Address
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.frames import Frame, StateFrame
    from volition.execution.wire.intents import CanonicalIntent
    from volition.execution.wire.request import Outcome

PATIENT: Final = Timing(handshake=60.0, idle=1.0, dead=60.0, grace=0.05, stop=60.0, opening=60.0)
"""For tests that are not about these times: nothing is given up because the machine is busy."""
Flavour: TypeAlias = Literal["blocking", "asyncio"]
FLAVOURS: tuple[Flavour, ...] = ("blocking", "asyncio")
ANYWHERE = "tcp://127.0.0.1:0"
EAST = Move((1.0, 0.0, 0.0))
QUICK: tuple[CanonicalIntent, ...] = (Jump(), Evade())


class Verbs(Protocol):
    """The methods of both bridges, as tests call them."""

    @property
    def state(self) -> StateFrame | None: ...

    @property
    def error(self) -> HandshakeFailed | None: ...

    @property
    def welcome(self) -> Any: ...

    @property
    def closed(self) -> bool: ...

    def execute(self, intent: Any, parameters: Any = None, **more: Any) -> Outcome: ...

    def submit(self, intent: Any, parameters: Any = None, **more: Any) -> int: ...

    def wait(self, ticket: int) -> Outcome: ...

    def execute_many(self, intents: Any, **more: Any) -> list[Outcome]: ...

    def cancel(self, ticket: int) -> None: ...

    def refresh(self, timeout: float = 1.0) -> StateFrame: ...

    def next_state(self, timeout: float = 1.0) -> StateFrame | None: ...

    def events(self) -> list[Any]: ...

    def close(self) -> None: ...


class Awaited:
    """An AsyncBridge whose coroutines are run to their end, one after the other."""

    def __init__(self, runner: asyncio.Runner, bridge: AsyncBridge) -> None:
        self._runner, self._bridge = runner, bridge

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._bridge, name)
        if not asyncio.iscoroutinefunction(member):
            return member
        return lambda *given, **more: self._runner.run(member(*given, **more))


@contextmanager
def driving(flavour: Flavour, address: str | Address, **options: Any) -> Iterator[Verbs]:
    """A connected bridge of either kind, closed at the end."""
    options.setdefault("timing", PATIENT)
    if flavour == "blocking":
        with connect(address, **options) as bridge:
            yield cast("Verbs", bridge)
        return
    with asyncio.Runner() as runner:
        awaited = Awaited(runner, runner.run(connect_async(address, **options)))
        try:
            yield awaited
        finally:
            awaited.close()


class Stamping(Toy):
    """A game that writes the id of the intent into every result, so that a wrong match is noticed."""

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        return [_stamped(each) for each in super().attempt(attempt)]

    def step(self) -> list[News]:
        return [_stamped(each) for each in super().step()]


class Endless(Stamping):
    """A game whose MOVE lasts until it may end."""

    def __init__(self) -> None:
        super().__init__(hz=100)
        self.may_end = threading.Event()

    def step(self) -> list[News]:
        return super().step() if self.may_end.is_set() else []


def _stamped(news: News) -> News:
    if not isinstance(news, Ended):
        return news
    result = news.result
    stamped = make_result(result.status, result.failure_reason, engine_timestamp=news.attempt.id)
    return Ended(news.attempt, stamped, news.detail)


@contextmanager
def served(
    game: Toy, *, address: str = ANYWHERE, token: str | None = None, timing: Timing | None = None
) -> Iterator[str]:
    """A game in a separate thread, and its address."""
    with ExecutorServer.listen(address, game, token=token, timing=timing or PATIENT).running() as at:
        yield str(at)


@dataclass
class Puppet:
    """A listener that runs a script on each connection, for executors that misbehave."""

    play: Callable[[socket.socket], None]
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    connections: list[socket.socket] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"

    @contextmanager
    def running(self) -> Iterator[str]:
        threads: list[threading.Thread] = []

        def accept() -> None:
            while True:
                try:
                    connected, _ = self.listener.accept()
                except OSError:
                    return
                self.connections.append(connected)
                threads.append(threading.Thread(target=self._play, args=(connected,)))
                threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield self.address
        finally:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            accepting.join()
            for connected in self.connections:
                try:
                    connected.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue
            for thread in threads:
                thread.join()
            for connected in self.connections:
                connected.close()

    def _play(self, connected: socket.socket) -> None:
        try:
            self.play(connected)
        except OSError:
            return


class Relay:
    """Relays bytes between a bridge and an executor until `silent` is set; then it closes the connection. With `hold`
    the connection stays open, silent, until `let_go` is set.
    """

    def __init__(self, address: str, *, hold: bool = False) -> None:
        self.place = parse_address(address)
        self.silent, self.let_go = threading.Event(), threading.Event()
        self.asked = bytearray()
        """What the bridge has sent."""
        if not hold:
            self.let_go.set()

    def __call__(self, connected: socket.socket) -> None:
        with socket.create_connection((self.place.host, self.place.port)) as inner:
            connected.settimeout(0.01)
            inner.settimeout(0.01)
            while not self.silent.is_set():
                for one, other in ((connected, inner), (inner, connected)):
                    try:
                        data = one.recv(65536)
                    except TimeoutError:
                        continue
                    if not data:
                        return
                    other.sendall(data)
                    self.asked += data if one is connected else b""
        self.let_go.wait()
        connected.close()


@dataclass
class Listening:
    """A stream that notes what is sent, how often it is read, and whether somebody reads it now."""

    inner: Stream
    sent: list[bytes] = field(default_factory=list)
    receives: int = 0
    receiving: bool = False

    def send(self, data: bytes) -> None:
        self.sent.append(data)
        self.inner.send(data)

    def receive(self, timeout: float | None) -> bytes | None:
        self.receives += 1
        self.receiving = True
        try:
            return self.inner.receive(timeout)
        finally:
            self.receiving = False

    def close(self) -> None:
        self.inner.close()

    @property
    def frames(self) -> list[Frame]:
        return lines(b"".join(self.sent))


def eventually(what: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait until a condition holds; fail after a minute."""
    ends = time.monotonic() + patience
    while not what():
        assert time.monotonic() < ends, "it did not happen in time"
        time.sleep(0.005)
