"""A server for a game: connections on one side, the host on the other, and a loop that never blocks the game.

A game with its own loop calls `tick()` in it. A game without one calls `serve()`, which sleeps until data arrives or the
next tick of the world is due. Either way an intent is attempted as soon as its bytes are read.
"""

from __future__ import annotations

import os
import selectors
import signal
import threading
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Self

from volition.core.clock import SystemClock
from volition.core.errors import refuse
from volition.execution.executor.host import Host
from volition.execution.transports.address import Address, parse_address
from volition.execution.transports.sockets import listen_tcp, listen_unix, prepare
from volition.execution.transports.stream import LooseEnd, PipeEnd, SocketEnd

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from ssl import SSLContext
    from types import FrameType

    from volition.core.clock import Clock
    from volition.execution.executor.contract import Executor, News
    from volition.execution.executor.host import Guest
    from volition.execution.executor.requests import RequestMemory
    from volition.execution.wire.session.link import Timing

LONGEST_NAP: Final = 0.05
"""Seconds after which `serve` checks whether it should stop."""

MOST_CONNECTIONS: Final = 64
"""Connections at once; for another one, the oldest that does not drive is closed."""

LINGER: Final = 1.0
"""Seconds that the other side has to read the last frames before the connection is closed."""

_Selector: Final = getattr(selectors, "PollSelector", selectors.DefaultSelector)


class ServedConnection:
    """One connection: what is read goes to the guest, and what the guest says is written as far as the other side reads.

    While something is waiting to be written nothing is read: a peer that does not read is not read from.
    """

    def __init__(self, end: LooseEnd, guest: Guest) -> None:
        self.end = end
        self.guest = guest
        self.gone = False
        self.hang_up_at: float | None = None
        self._rest = b""

    @property
    def interests(self) -> dict[int, int]:
        """The descriptors to wait on, and for what."""
        if self._rest:
            return {self.end.writer: selectors.EVENT_WRITE}
        return {self.end.reader: selectors.EVENT_READ}

    def read(self, now: float) -> None:
        try:
            data = self.end.read()
        except ConnectionResetError:
            self._break(now)
            return
        if data:
            if not self.guest.over:
                self.guest.receive(data, now)
        elif data == b"":
            self.guest.end(now)
            self.write(now)
            self.gone = True

    def write(self, now: float) -> None:
        """Write what can be written; once the session is over and everything is written, wait for the peer to hang up."""
        try:
            while not self.gone:
                self._rest = self._rest or self.guest.take()
                if not self._rest:
                    break
                taken = self.end.write(self._rest)
                self._rest = self._rest[taken:]
                if not taken:
                    break
        except ConnectionResetError:
            self._break(now)
        if self.guest.over and self.hang_up_at is None:
            self.hang_up_at = now + LINGER
        if self.guest.over and not self._rest:
            self.end.finish()

    def _break(self, now: float) -> None:
        self.guest.end(now, "reset")
        self.gone = True


class ExecutorServer:
    """Serves one game; created by `listen` or `over_pipes`, and closed at the end of its `with` block.

    >>> from volition.execution.worlds.arena import Arena, shipped_map
    >>> from volition.execution.worlds.arena.executor import ArenaExecutor
    >>> with ExecutorServer.listen("tcp://127.0.0.1:0", ArenaExecutor(Arena(shipped_map("courtyard")))) as server:
    ...     server.tick()
    ...     server.address.host
    '127.0.0.1'
    """

    def __init__(
        self,
        host: Host,
        clock: Clock,
        address: Address,
        listener: socket.socket | None = None,
        remove: Callable[[], None] | None = None,
        tls: SSLContext | None = None,
    ) -> None:
        self.host = host
        self.address = address
        self._clock = clock
        self._listener, self._remove, self._tls = listener, remove, tls
        self._connections: list[ServedConnection] = []
        self._selector: selectors.BaseSelector = _Selector()
        self._closed = False
        self._posted: deque[tuple[News, ...]] = deque()
        if listener is not None:
            listener.setblocking(False)
            self._selector.register(listener, selectors.EVENT_READ)

    @classmethod
    def listen(
        cls,
        address: str | Address,
        executor: Executor,
        *,
        token: str | None = None,
        timing: Timing | None = None,
        allow_remote: bool = False,
        clock: Clock | None = None,
        requests: RequestMemory | None = None,
        tls: SSLContext | None = None,
    ) -> ExecutorServer:
        """Listen at `tcp://HOST:PORT` (port 0: any free one; `address` says which), `tls://HOST:PORT` or `unix:PATH`.

        `tls` is the context of a tls:// address; `make_server_context` of `transports.tls` makes one from a certificate.

        With `requests`, what was done for a request is remembered, and no request is done twice; the caller closes it.
        """
        address = parse_address(address)
        clock = clock or SystemClock()
        remove = None
        if (address.kind == "tls") != (tls is not None):
            refuse(
                f"{address} {'without' if tls is None else 'with'} a TLS context",
                where="tls",
                expected="a context for tls://HOST:PORT, and for no other address",
                remedy="make one with make_server_context(CERTIFICATE, KEY)",
            )
        if address.kind in {"tcp", "tls"}:
            listener, address = listen_tcp(address, allow_remote=allow_remote)
        elif address.kind == "unix":
            listener, remove = listen_unix(address)
        else:
            refuse(
                f"{address} is not an address to listen at",
                where="address",
                expected="tcp://HOST:PORT, tls://HOST:PORT or unix:PATH",
                remedy="a program that is launched by its bridge uses over_pipes",
            )
        host = Host(executor, now=clock.monotonic(), token=token, timing=timing, requests=requests)
        return cls(host, clock, address, listener, remove, tls)

    @classmethod
    def over_pipes(
        cls,
        executor: Executor,
        *,
        reader: int,
        writer: int,
        token: str | None = None,
        timing: Timing | None = None,
        clock: Clock | None = None,
        requests: RequestMemory | None = None,
    ) -> ExecutorServer:
        """Serve one bridge over two descriptors, which the server closes; it is over when the bridge leaves."""
        clock = clock or SystemClock()
        host = Host(executor, now=clock.monotonic(), token=token, timing=timing, requests=requests)
        server = cls(host, clock, Address("stdio", command=("-",)))
        server._add(PipeEnd(reader, writer))
        return server

    @property
    def over(self) -> bool:
        """Whether no bridge can connect any more."""
        return self._closed or (self._listener is None and not self._connections)

    def tick(self) -> None:
        """Do everything that is due, and return at once."""
        self._turn(0.0)

    def serve(self, stop: threading.Event | None = None) -> None:
        """Run until `stop` is set, or until no bridge can connect any more."""
        while not self.over and not (stop and stop.is_set()):
            self._turn(self._nap())

    @contextmanager
    def running(self) -> Iterator[Address]:
        """Serve in a separate thread while the block runs, then close; yields the address."""
        stop = threading.Event()
        thread = threading.Thread(target=self.serve, args=(stop,), name=f"executor at {self.address}")
        thread.start()
        try:
            yield self.address
        finally:
            stop.set()
            thread.join()
            self.close()

    def post(self, *news: News) -> None:
        """Report news from any thread, such as an event that the game's own threads saw.

        The driver and the observers are told in the server's next turn, in the order of the calls, with a new state; `serve`
        takes its turns at least every `LONGEST_NAP`. Once the server is closed, nothing is told any more.
        """
        self._posted.append(news)

    def close(self) -> None:
        """Say goodbye, stop the actor, hang up, remove the socket's file; closing twice has no further effect."""
        if self._closed:
            return
        self._closed = True
        now = self._clock.monotonic()
        self.host.close(now)
        for connection in [*self._connections]:
            connection.write(now)
            self._drop(connection)
        if self._listener is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
        if self._remove is not None:
            self._remove()
        self._selector.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _nap(self) -> float:
        now = self._clock.monotonic()
        moments = [connection.hang_up_at for connection in self._connections if connection.hang_up_at is not None]
        wake = self.host.wake_at
        due = min([now + LONGEST_NAP, *moments, *([] if wake is None else [wake])])
        return max(0.0, due - now)

    def _turn(self, timeout: float) -> None:
        ready = self._selector.select(timeout)
        now = self._clock.monotonic()
        for key, events in ready:
            if key.data is None:
                self._accept()
            elif events & selectors.EVENT_READ:
                key.data.read(now)
        for _ in range(len(self._posted)):
            self.host.tell(self._posted.popleft())
        self.host.step(now)
        for connection in [*self._connections]:
            connection.write(now)
            if connection.gone or (connection.hang_up_at is not None and now >= connection.hang_up_at):
                self._drop(connection)
            else:
                self._watch(connection)

    def _accept(self) -> None:
        assert self._listener is not None
        try:
            connected, _ = self._listener.accept()
        except OSError:
            return  # the peer is gone again
        if len(self._connections) >= MOST_CONNECTIONS:
            self._make_room()
        if self.address.kind in {"tcp", "tls"}:
            prepare(connected)
        if self._tls is None:
            self._add(SocketEnd(connected))
            return
        from volition.execution.transports.tls import accept_tls  # noqa: PLC0415  only who uses it pays for it

        self._add(accept_tls(connected, self._tls))

    def _make_room(self) -> None:
        """Close the oldest connection that does not drive, so that connections without a greeting lock no bridge out."""
        now = self._clock.monotonic()
        idle = next(connection for connection in self._connections if connection.guest is not self.host.driver)
        idle.guest.close(now, "too many connections")
        idle.write(now)
        self._drop(idle)

    def _add(self, end: LooseEnd) -> None:
        connection = ServedConnection(end, self.host.open(self._clock.monotonic()))
        self._connections.append(connection)
        self._watch(connection)

    def _watch(self, connection: ServedConnection) -> None:
        """Select only for what the connection can use now: a descriptor that is not read would wake us forever."""
        wanted = connection.interests
        for descriptor in {connection.end.reader, connection.end.writer}:
            known = self._selector.get_map().get(descriptor)
            if descriptor not in wanted:
                if known:
                    self._selector.unregister(descriptor)
            elif known is None:
                self._selector.register(descriptor, wanted[descriptor], connection)
            elif known.events != wanted[descriptor]:
                self._selector.modify(descriptor, wanted[descriptor], connection)

    def _drop(self, connection: ServedConnection) -> None:
        for descriptor in {connection.end.reader, connection.end.writer}:
            with suppress(KeyError):
                self._selector.unregister(descriptor)
        connection.guest.end(self._clock.monotonic())
        connection.end.close()
        self._connections.remove(connection)


@contextmanager
def standard_pipes() -> Iterator[tuple[int, int]]:
    """Descriptors of standard input and output for the wire only: what is printed meanwhile goes to standard error."""
    reader, writer, kept = os.dup(0), os.dup(1), os.dup(1)
    os.dup2(2, 1)
    try:
        yield reader, writer
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def until_signalled() -> Iterator[threading.Event]:
    """An event that SIGINT or SIGTERM sets. After the block a SIGINT is raised as KeyboardInterrupt."""
    stop = threading.Event()
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        stop.set()

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if signal.SIGINT in came:
        raise KeyboardInterrupt
