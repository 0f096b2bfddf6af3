"""What a round trip to the Java executor costs, compared with sockets that do no more than they must.

The raw echo is a blocking socket on both sides that gives back a line of the size of an intent. Plain JSON lines are a
window of intents, written with the standard library's `json`, and the results that a JVM answers them with, read with
it; no protocol, no checks. The executor is the arena in a separate JVM: HOLD and RELEASE in turn, which it answers at
once. All bridges but one keep a journal. The bars are for results of some 370 bytes without a state; a state of 450
bytes in each result, which a bridge asks for by default, is measured too, without a bar. All JVMs are warmed up first.
This process has a core for itself where it may choose: an echo between two processes on one core takes half as long as
one between two cores, and which of them it is would be left to chance.

An intent that an executor declares is compared with MOVE, with the same three numbers, in a game in this process: there
nothing hides what checking the declaration costs on both sides. The conformance kit's bar is in seconds, because most of
its time is the protocol's own: it waits for silences of several seconds.

    python benchmarks/bridge.py --quick
"""

from __future__ import annotations

import asyncio
import json
import os
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

from rows import Row, interleaved, options, ratio, show, timed

from volition.core.clock import ManualClock
from volition.execution import (
    About,
    Bridge,
    Custom,
    Declaration,
    Ended,
    Hold,
    IncomingIntent,
    Move,
    Release,
    make_result,
)
from volition.execution.conformance import check
from volition.execution.conformance.reach import reach
from volition.execution.connecting.aio import connect as connect_aio
from volition.execution.connecting.connect import connect
from volition.execution.executor.host import Host
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import ResultFrame, StateSchema
from volition.execution.wire.parameter_schema import object_schema
from volition.execution.worlds.arena.probe import ArenaProbe
from volition.execution.worlds.java import arena_command, find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BLOCKING, ASYNCIO = 4.0, 5.5
"""The bars of one intent at a time, in round trips of the raw echo."""
PIPELINED = 4.0
"""The bar of a window of intents: at least a quarter of the intents that plain JSON lines carry in the same time."""
JOURNAL = 1.5
"""The bar of the journal: a round trip with one, by one without."""
OWN = 1.1
"""The bar of a declared intent, by MOVE."""
KIT = 40.0
"""The bar of the conformance kit on the embedded arena, in seconds."""
WINDOW = 64
WARM_UP = 40_000
"""So many messages to each JVM before anything counts: only then is all of it compiled."""
WARM_TURN = 2_000
"""So many at a time: a loop that stands still for long answers no heartbeat."""
LINE = b'{"v":1,"type":"intent","id":1000,"intent":"RELEASE","ttl_ms":500,"based_on":123456}\n'
RESULT = encode(ResultFrame(id=1000, intent="RELEASE", result=make_result())).decode().strip()
PAIR = (Hold(), Release())
NO_STATES = ("events", "progress", "state_push")
"""What a bridge asks for that does without a state in each result."""
PEN = "name: pen\n#######\n#@#.&.#\n#######\n"
"""A map on which nobody disturbs the actor."""


def separated() -> tuple[set[int], set[int]]:
    """The core of this process, and those of the programs that it launches; none where a process cannot choose."""
    if not hasattr(os, "sched_getaffinity"):
        return set(), set()
    first, *others = sorted(os.sched_getaffinity(0))
    return {first}, set(others)


MINE, THEIRS = separated()


def run_on(cores: set[int]) -> None:
    """Run on these cores from now on, together with what is started meanwhile."""
    if MINE and THEIRS:
        os.sched_setaffinity(0, cores)


@contextmanager
def launched(command: Sequence[str]) -> Iterator[tuple[str, int]]:
    """A program that prints its address as the first line, and ends when its input does."""
    run_on(THEIRS)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    run_on(MINE)
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


class Socket:
    """The floor: one socket, and lines there and back."""

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

    def windows(self, count: int) -> list[float]:
        """Seconds per intent where a window of them is written as JSON, and the results are read."""
        send, receive, taken = self._socket.sendall, self._socket.recv, []
        intent: dict[str, Any] = json.loads(LINE)
        for _ in range(max(1, count // WINDOW)):
            start = perf_counter()
            send(b"".join(json.dumps(intent | {"id": id}).encode() + b"\n" for id in range(WINDOW)))
            results: list[Any] = []
            rest = b""
            while len(results) < WINDOW:
                *lines, rest = (rest + receive(65536)).split(b"\n")
                results += [json.loads(line) for line in lines]
            taken.append((perf_counter() - start) / WINDOW)
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
    """Round trips of the asyncio bridge. Its loop stood still while others were measured, so it may have to reconnect."""
    await body.refresh(60.0)
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
        (folder / "pen.txt").write_text(PEN, encoding="utf-8")
        command = arena_command(map=folder / "pen.txt", window=WINDOW, leash=True)
        java = [str(find_tool("java")), str(Path(__file__).parent / "java" / "Echo.java")]
        echo = Socket(stack.enter_context(launched(java)))
        stack.callback(echo.close)
        json_lines = Socket(stack.enter_context(launched([*java, RESULT])))
        stack.callback(json_lines.close)

        def address() -> str:
            host, port = stack.enter_context(launched(command))
            return f"tcp://{host}:{port}"

        def body(name: str, **more: Any) -> Bridge:
            return stack.enter_context(connect(address(), journal=folder / name, **more))

        there = address()
        start = perf_counter()
        first = stack.enter_context(connect(there, journal=folder / "blocking", features=NO_STATES))
        connecting = perf_counter() - start
        warm_up = blocking(first, 1)
        runner = stack.enter_context(asyncio.Runner())
        other = runner.run(connect_aio(address(), journal=folder / "asyncio", features=NO_STATES))
        stack.callback(lambda: runner.run(other.close()))
        cases: dict[str, Callable[[int], list[float]]] = {
            "raw echo": echo.trips,
            "blocking": partial(blocking, first),
            "asyncio": lambda count: runner.run(waiting(other, count)),
            "blocking, no journal": partial(blocking, stack.enter_context(connect(address(), features=NO_STATES))),
            "plain JSON lines": json_lines.windows,
            "pipelined": partial(pipelined, body("pipelined", features=NO_STATES)),
            "blocking, a state in each result": partial(blocking, body("states")),
        }
        for _ in range(WARM_UP // WARM_TURN):
            for case in cases.values():
                case(WARM_TURN)
        taken: dict[str, list[float]] = {name: [] for name in cases}
        late: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(rounds):
            for name, case in cases.items():
                seconds = case(count)
                taken[name].append(median(seconds))
                late[name].append(percentile(seconds, 0.99))
    echoed, states = taken["raw echo"], "blocking, a state in each result"
    return [
        timed("connecting: handshake, state, STOP", [connecting]),
        timed("the first intent of a JVM", warm_up),
        *(timed(f"{name}, p50", seconds) for name, seconds in taken.items()),
        *(timed(f"{name}, p99", seconds) for name, seconds in late.items()),
        ratio("blocking / raw echo", taken["blocking"], echoed, at_most=BLOCKING),
        ratio("asyncio / raw echo", taken["asyncio"], echoed, at_most=ASYNCIO),
        ratio(
            f"pipelined x {WINDOW} / plain JSON lines", taken["pipelined"], taken["plain JSON lines"], at_most=PIPELINED
        ),
        ratio("with a journal / without", taken["blocking"], taken["blocking, no journal"], at_most=JOURNAL),
        ratio(f"{states} / raw echo", taken[states], echoed),
    ]


class Anvil:
    """A game that answers everything at once, and declares one intent."""

    tick, episode, alive = 0, 1, True

    @property
    def about(self) -> About:
        vector = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}
        dig = Declaration(name="DIG", parameters=object_schema(vector=vector))
        schema = StateSchema(name="anvil", version="1", hash="anvil")
        return About(name="anvil", version="1", state_schema=schema, tick_hz=0.0, declares=(dig,))

    def attempt(self, attempt: IncomingIntent) -> list[Ended]:
        return [Ended(attempt, make_result())]

    def cancel(self, attempt: IncomingIntent) -> list[Ended]:
        return []

    def step(self) -> list[Ended]:
        return []

    def state(self, *, full: bool) -> Any:
        return {}

    def stop(self) -> None:
        pass


def own_intents(rounds: int, count: int) -> list[Row]:
    """What a declared intent costs beside one of the seven."""
    clock, place = ManualClock(), (1.0, 2.0, 3.0)
    host = Host(Anvil())
    with Bridge(lambda timeout: host.connect(clock), clock=clock, keep=False) as body:

        def move() -> None:
            assert body.execute(Move(place)).status == "SUCCESS"

        def dig() -> None:
            assert body.execute(Custom("DIG", {"vector": place})).status == "SUCCESS"

        taken = interleaved({"MOVE": move, "DIG": dig}, rounds, count)
    return [
        *(timed(f"{name}, in one process", seconds) for name, seconds in taken.items()),
        ratio("a declared intent / MOVE", taken["DIG"], taken["MOVE"], at_most=OWN),
    ]


def kit(*, quick: bool) -> list[Row]:
    """How long the conformance kit takes: on the embedded arena, whose clock is not real, and on one that is served."""
    rows: list[Row] = []
    with ExitStack() as stack:
        addresses = {"embedded": "embedded"}
        if not quick:
            host, port = stack.enter_context(launched(arena_command(leash=True, probe=True)))
            addresses["in a JVM, in real time"] = f"tcp://{host}:{port}"
        for name, address in addresses.items():
            start = perf_counter()
            with reach(address) as way:
                report = check(way.dial, clock=way.clock, shared=way.shared, known_probes=[ArenaProbe()])
            assert report.holds, report
            seconds = round(perf_counter() - start, 1)
            bar = (f"<= {KIT:g}", seconds <= KIT) if name == "embedded" else (None, None)
            rows.append(Row(f"conformance kit, arena {name}", seconds, "s", *bar))
    return rows


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
    rounds, count = (9, 500) if given.quick else (15, 4_000)
    rows = [
        *compare(rounds, count),
        *own_intents(rounds, count),
        *kit(quick=given.quick),
        *grpc_beside(rounds, count),
    ]
    return show("Bridge", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
