"""What carries the orders out in the matrix of faults: an executor, an HTTP service and a function, behind a relay that
can lose connections. Every effect is a line that is forced to the disk."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any

from tests.workflow.fault_cases import DEADLINE, NODES
from tests.workflow.http_door import KeyMemory, make_server
from volition.execution import About, Ended, ExecutorServer, RequestMemory, make_result
from volition.execution.wire.frames import StateSchema
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.workflow.fault_cases import FaultCase
    from volition.workflow import WorkOrder

BINDING_OF = {intent: name for name, intent in NODES.items()}


@dataclass(frozen=True, slots=True)
class LogLine:
    """Something that happened outside the registry: when (milliseconds since 1970), who, what, and about which node."""

    at: int
    who: str
    what: str
    node: str
    detail: str


class FaultLog:
    """One file to which every process of a case appends a line for what it does; lines are never torn or lost."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(self, who: str, what: str, node: str = "", detail: str = "") -> None:
        fields = (str(time.time_ns() // 1_000_000), who, what, node, " ".join(detail.split()))
        os.write(self._handle, ("\t".join(fields) + "\n").encode())
        if what == "effect":
            os.fsync(self._handle)

    def lines(self) -> list[LogLine]:
        rows = (line.split("\t") for line in self.file.read_text().splitlines())
        return [LogLine(int(at), who, what, node, detail) for at, who, what, node, detail in rows]

    def count(self, what: str) -> int:
        return sum(line.what == what for line in self.lines())

    def effects(self) -> list[str]:
        """The node of every effect, in order."""
        return [line.node for line in self.lines() if line.what == "effect"]

    def is_idle(self) -> bool:
        """Whether nothing that has begun since the last start of the target could still have an effect."""
        lines = self.lines()
        starts = [place for place, line in enumerate(lines) if line.what == "up"]
        recent = [line.what for line in lines[starts[-1] if starts else 0 :]]
        return recent.count("begin") <= recent.count("end")


class Work:
    """Does the orders of one case, with its slow effect or its lost connection: once, however often it is started."""

    def __init__(self, case: FaultCase, folder: Path, log: FaultLog, who: str = "target") -> None:
        self.case, self.log, self.who = case, log, who
        self._folder = folder
        self.lose_connection: Callable[[], None] = lambda: None

    def do(self, node: str, request: str) -> None:
        """One effect, with all that surrounds it."""
        case, before, after = self.case, self.case.before, self.case.after
        self.log.note(self.who, "begin", node, request)
        if case.slow and node == case.node and self.is_first("slow"):
            whole = case.slowness * DEADLINE
            before, after = whole * case.share, whole * (1 - case.share)
        try:
            time.sleep(before)
            self.lose(node, "before the effect")
            self.log.note(self.who, "effect", node, request)
            self.lose(node, "after the effect")
            time.sleep(after)
        finally:
            self.log.note(self.who, "end", node, request)

    def lose(self, node: str, moment: str) -> bool:
        """Lose the connection if this is the node and the moment; whether it was lost."""
        wanted = self.case.fault == "lost connection" and (node, moment) == (self.case.node, self.case.loss)
        if not wanted or not self.is_first("lost"):
            return False
        self.log.note(self.who, "loses the connection", node, moment)
        self.lose_connection()
        return True

    def is_first(self, name: str) -> bool:
        """Whether this is the first call with this name in the whole case, over all processes."""
        try:
            os.close(os.open(self._folder / name, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True


class Body:
    """An executor that does everything at once, in the only thread it has."""

    about = About(name="worker", version="1", state_schema=StateSchema(name="w", version="1", hash="w-1"), tick_hz=0)
    tick, episode, alive = 0, 1, True

    def __init__(self, work: Work) -> None:
        self._work = work

    def attempt(self, attempt: Any) -> list[Any]:
        if attempt.intent.name in BINDING_OF:
            self._work.do(BINDING_OF[attempt.intent.name], attempt.mark.request if attempt.mark else "")
        return [Ended(attempt, make_result())]

    def cancel(self, attempt: Any) -> list[Any]:
        return [Ended(attempt, make_result("PARTIAL"))]

    def step(self) -> list[Any]:
        return []

    def state(self, *, full: bool) -> Any:
        return {}

    def stop(self) -> None:
        """Nothing lasts."""


class Relay:
    """Passes bytes between drivers and a target, and can break every connection, or lose an order on its way."""

    def __init__(self, port: int, target: int, work: Work) -> None:
        self._target, self._work = target, work
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", port))

    def start(self) -> None:
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections."""
        ends, self._open = self._open, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            near, _ = self._listener.accept()
            far = socket.create_connection(("127.0.0.1", self._target))
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open += [near, far]
            Thread(target=self._pass_on, args=(near, far, True), daemon=True).start()
            Thread(target=self._pass_on, args=(far, near, False), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, is_order: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if is_order and self._is_lost(data):
                    self.cut()
                    return
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def _is_lost(self, data: bytes) -> bool:
        """Whether these bytes hold the order that is to be lost."""
        node = self._work.case.node
        return f'"{NODES[node]}"'.encode() in data and self._work.lose(node, "on the way")


def serve_target(case: FaultCase, folder: Path, port: int, *, forgets: bool = False) -> None:
    """Be the target behind a relay at a port, until killed; `forgets`: an HTTP service that keeps no keys, the control."""
    log = FaultLog(folder / "log")
    work = Work(case, folder, log)
    serve: Callable[[], None]
    if case.target == "http":
        server = make_server(KeyMemory(folder / "keys", forgets=forgets), lambda it, key: work.do(BINDING_OF[it], key))
        inner, serve = server.server_address[1], server.serve_forever
    else:
        memory = RequestMemory(folder / "requests") if case.target == "bridge" else None
        # A driver that was stopped must not keep the next one away for seconds.
        timing = Timing(idle=0.1, dead=0.3)
        executor = ExecutorServer.listen("tcp://127.0.0.1:0", Body(work), requests=memory, timing=timing)
        inner, serve = executor.address.port, executor.serve
    relay = Relay(port, inner, work)
    work.lose_connection = relay.cut
    relay.start()
    log.note("target", "up")
    serve()


def function_of(work: Work) -> Callable[[WorkOrder], None]:
    """The function that a binding calls. What it works with may be lost; then it raises, and nobody knows how far it came."""

    def fail() -> None:
        raise ConnectionError("lost")

    def act(order: WorkOrder) -> None:
        work.lose(order.parameters["node"], "on the way")
        work.do(order.parameters["node"], order.request)

    work.lose_connection = fail
    return act
