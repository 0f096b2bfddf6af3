"""What a round trip to the Java executor costs, beside a raw TCP echo in a JVM, measured in the same run.

The echo is a blocking socket on both sides that gives back a line of the size of an intent. The executor is the arena
in its own JVM: HOLD and RELEASE in turn, which it answers at once. All bridges keep a journal. Both JVMs are warmed up
first, which is told apart.

    python benchmarks/bridge.py --quick
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rows import Row, options, ratio, show, timed

from volition.execution import Hold, Release
from volition.execution.aio import connect as connect_aio
from volition.execution.connect import connect
from volition.execution.java import arena_command, find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from volition.execution.bridge import Bridge

BLOCKING, ASYNCIO, PIPELINED = 2.3, 5.0, 1.0
"""The bars, in round trips of the raw echo."""
WINDOW = 64
LINE = b'{"v":1,"type":"intent","id":1000,"intent":"RELEASE","ttl_ms":500,"based_on":123456}\n'
PAIR = (Hold(), Release())
PEN = "name: pen\n#######\n#@#.&.#\n#######\n"
"""A map on which nobody disturbs the actor."""


@contextmanager
def launched(command: Sequence[str]) -> Iterator[tuple[str, int]]:
    """A program that prints its address as the first line, and ends when its input does."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        host, _, port = process.stdout.readline().decode().strip().removeprefix("tcp://").rpartition(":")
        yield host, int(port)
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Echo:
    """The floor: one socket, one line there and back."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def trips(self, count: int) -> list[float]:
        send, receive, taken = self._socket.sendall, self._socket.recv, []
        for _ in range(count):
            start = perf_counter()
            send(LINE)
            got = receive(65536)
            while not got.endswith(b"\n"):
                got += receive(65536)
            taken.append(perf_counter() - start)
        return taken

    def close(self) -> None:
        self._socket.close()


def blocking(body: Bridge, count: int) -> list[float]:
    """Round trips of the blocking bridge."""
    execute, taken = body.execute, []
    for number in range(count):
        intent = PAIR[number & 1]
        start = perf_counter()
        outcome = execute(intent)
        taken.append(perf_counter() - start)
        assert outcome.status == "SUCCESS", outcome
    return taken


async def waiting(body: Any, count: int) -> list[float]:
    """Round trips of the asyncio bridge."""
    execute, taken = body.execute, []
    for number in range(count):
        intent = PAIR[number & 1]
        start = perf_counter()
        outcome = await execute(intent)
        taken.append(perf_counter() - start)
        assert outcome.status == "SUCCESS", outcome
    return taken


def pipelined(body: Bridge, count: int) -> list[float]:
    """Seconds per intent where a window of them is on its way."""
    intents, taken = PAIR * (WINDOW // 2), []
    for _ in range(max(1, count // WINDOW)):
        start = perf_counter()
        outcomes = body.execute_many(intents)
        taken.append((perf_counter() - start) / WINDOW)
        assert all(outcome.status == "SUCCESS" for outcome in outcomes), outcomes
    return taken


def percentile(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))]


def compare(rounds: int, count: int) -> list[Row]:
    """Interleaved rounds of all cases, and how many raw echoes each round trip is worth."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        echo_java = Path(__file__).parent / "java" / "Echo.java"
        echo = Echo(stack.enter_context(launched([str(find_tool("java")), str(echo_java)])))
        stack.callback(echo.close)
        bodies = []
        (folder / "pen.txt").write_text(PEN, encoding="utf-8")
        command = arena_command(map=folder / "pen.txt", window=WINDOW, leash=True)
        for name in ("blocking", "pipelined", "asyncio"):
            host, port = stack.enter_context(launched(command))
            bodies.append((f"tcp://{host}:{port}", folder / name))
        start = perf_counter()
        body = stack.enter_context(connect(bodies[0][0], journal=bodies[0][1]))
        first = perf_counter() - start
        warm_up = blocking(body, 1)
        pipe = stack.enter_context(connect(bodies[1][0], journal=bodies[1][1]))
        runner = stack.enter_context(asyncio.Runner())
        other = runner.run(connect_aio(bodies[2][0], journal=bodies[2][1]))
        stack.callback(lambda: runner.run(other.close()))
        cases: dict[str, Callable[[int], list[float]]] = {
            "raw echo": echo.trips,
            "blocking": partial(blocking, body),
            "asyncio": lambda count: runner.run(waiting(other, count)),
            "pipelined": partial(pipelined, pipe),
        }
        for _ in range(10):
            for case in cases.values():
                case(count)
        taken: dict[str, list[float]] = {name: [] for name in cases}
        late: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(rounds):
            for name, case in cases.items():
                seconds = case(count)
                taken[name].append(median(seconds))
                late[name].append(percentile(seconds, 0.99))
    return [
        timed("connecting: handshake, state, STOP", [first]),
        timed("the first intent of a JVM", warm_up),
        *(timed(f"{name}, p50", seconds) for name, seconds in taken.items()),
        *(timed(f"{name}, p99", seconds) for name, seconds in late.items()),
        ratio("blocking / raw echo", taken["blocking"], taken["raw echo"], at_most=BLOCKING),
        ratio("asyncio / raw echo", taken["asyncio"], taken["raw echo"], at_most=ASYNCIO),
        ratio(f"pipelined x {WINDOW}, per intent / raw echo", taken["pipelined"], taken["raw echo"], at_most=PIPELINED),
    ]


def grpc_beside(rounds: int, count: int) -> list[Row]:
    """A unary call of gRPC with bytes of the same sizes, Python to Python in one process; only where it is installed."""
    if find_spec("grpc") is None:
        return []
    from concurrent.futures import ThreadPoolExecutor

    import grpc

    answer = LINE * 4
    handler = grpc.method_handlers_generic_handler(
        "Executor", {"Attempt": grpc.unary_unary_rpc_method_handler(lambda request, context: answer)}
    )
    server = grpc.server(ThreadPoolExecutor(max_workers=1))
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = channel.unary_unary("/Executor/Attempt")
            seconds = []
            for _ in range(rounds * count // 10):
                start = perf_counter()
                call(LINE)
                seconds.append(perf_counter() - start)
    finally:
        server.stop(None)
    return [timed("gRPC unary, Python to Python, p50", seconds[len(seconds) // 4 :])]


def main() -> int:
    given = options(__doc__)
    rounds, count = (7, 500) if given.quick else (15, 4_000)
    return show("Bridge", [*compare(rounds, count), *grpc_beside(rounds, count)], as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
