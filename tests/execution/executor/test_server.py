"""A game that listens on a real socket: prompt, patient, never spinning, and safe when its bridge is gone."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from tests.execution.hostile import HOSTILE
from tests.execution.transports.stream_bridge import StreamBridge, Toy
from tests.execution.wire.samples import lines, of
from tests.processes import PATIENCE
from volition.core.errors import InvalidInput
from volition.execution import Jump, Move
from volition.execution.executor.contract import Occurred
from volition.execution.executor.server import LONGEST_NAP, MOST_CONNECTIONS, ExecutorServer
from volition.execution.transports.endpoint import dial
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import (
    ErrorFrame,
    GameEvent,
    Goodbye,
    IntentFrame,
    Reject,
    ResultFrame,
    StateSchema,
    Welcome,
)
from volition.execution.wire.session.handshake import BadToken, NotReady, Offer, SchemaMismatch
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.transports.address import Address

ANYWHERE = "tcp://127.0.0.1:0"
EAST = Move((1.0, 0.0, 0.0))
HELLO = encode(Offer().hello())


@contextmanager
def served(game: Toy, *, address: str = ANYWHERE, token: str | None = None) -> Iterator[Address]:
    with ExecutorServer.listen(address, game, token=token).running() as at:
        yield at


def plain(address: Address) -> socket.socket:
    return socket.create_connection((address.host, address.port), timeout=PATIENCE)


def read_to_end(connected: socket.socket) -> bytes:
    data = b""
    while piece := connected.recv(65536):
        data += piece
    return data


def wait_for(game: Toy, call: str, patience: float = PATIENCE) -> None:
    ends = time.monotonic() + patience
    while call not in game.calls:
        assert time.monotonic() < ends, f"no {call!r}: {game.calls}"
        time.sleep(0.005)


@pytest.fixture(params=["tcp", "unix"])
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    with TemporaryDirectory(prefix="volition-") as folder:
        yield ANYWHERE if request.param == "tcp" else f"unix:{folder}/a.sock"


def test_a_game_is_driven_over_a_socket(place: str) -> None:
    """Instant intents, longer ones and states go through a real connection; the next bridge finds the same game."""
    game = Toy()
    with served(game, address=place) as address:
        for _ in range(2):
            bridge = StreamBridge(dial(address))
            bridge.ready()
            assert bridge.execute(Jump()).result.status == "SUCCESS"
            assert bridge.execute(EAST).result.status == "SUCCESS"
            bridge.stream.close()
            wait_for(game, "stopped")
            game.calls.clear()
    if address.kind == "unix":
        assert not Path(address.path).exists()


def test_an_instant_intent_does_not_wait_for_the_tick() -> None:
    """In a world whose first tick is an hour away, a JUMP is answered."""
    game = Toy(hz=1 / 3600)
    with served(game) as address:
        bridge = StreamBridge(dial(address))
        bridge.ready()
        assert bridge.execute(Jump()).result.status == "SUCCESS"
        bridge.stream.close()
    assert game.tick == 0


def test_tick_never_waits() -> None:
    """In a game's own loop a turn waits for nothing, with nobody there, a silent bridge, and one that stopped reading:
    it asks what there is without a time to wait, and no connection blocks."""
    with ExecutorServer.listen(ANYWHERE, Toy()) as server:
        asked = watched(server)
        connected = plain(server.address)
        for turn in range(50):
            if turn == 20:
                connected.sendall(HELLO)
            server.tick()
        assert {*asked} == {0.0}
        assert [os.get_blocking(line.end.reader) for line in server._connections] == [False]
        connected.close()


def watched(server: ExecutorServer) -> list[float | None]:
    """How long the server was ready to wait, each time that it asked what there is."""
    asked: list[float | None] = []
    select = server._selector.select

    def noted(timeout: float | None = None) -> object:
        asked.append(timeout)
        return select(timeout)

    server._selector.select = noted  # type: ignore[method-assign, assignment]
    return asked


def test_small_frames_leave_at_once() -> None:
    """Both ends of a TCP connection send small writes without waiting."""
    with ExecutorServer.listen(ANYWHERE, Toy()) as server:
        connected = plain(server.address)
        while not server._connections:
            server.tick()
        with socket.socket(fileno=os.dup(server._connections[0].end.reader)) as theirs:
            assert theirs.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        connected.close()
        stream = dial(server.address)
        with socket.socket(fileno=os.dup(stream.end.reader)) as ours:
            assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        stream.close()


# Who is let in.


@pytest.mark.req("EX-13")
@pytest.mark.parametrize(
    ("offer", "error"),
    [
        (Offer(token="wrong"), BadToken),
        (Offer(token="open", state_schema=StateSchema(name="x", version="1", hash="x")), SchemaMismatch),
    ],
)
def test_who_is_refused_reads_why(offer: Offer, error: type[Exception]) -> None:
    """The reason arrives before the connection ends, also where more was sent than was read; it ends softly, because a
    reset could take the reason away before it is read."""
    with served(Toy(), token="open") as address:
        stream = dial(address)
        bridge = StreamBridge(stream, offer=offer)
        assert isinstance(bridge.closed().error, error)
        stream.close()
        rude = plain(address)
        rude.sendall(encode(offer.hello()) + b'{"v":1,"type":"ping","n":1}\n' * 5000)
        assert len(of(Reject, lines(read_to_end(rude)))) == 1
        for _ in range(3):
            rude.sendall(b"what a pity\n")
            time.sleep(0.02)
        rude.close()


@pytest.mark.req("EX-13")
def test_a_second_bridge_is_told_not_ready() -> None:
    """While one bridge drives, another reads `not_ready`; the first one does not notice."""
    with served(Toy()) as address:
        first, second = StreamBridge(dial(address)), StreamBridge(dial(address))
        first.ready()
        assert isinstance(second.closed().error, NotReady)
        assert first.execute(Jump()).result.status == "SUCCESS"
        first.stream.close()
        second.stream.close()


def test_there_is_no_end_of_connections_to_be_had() -> None:
    """Beyond the limit the oldest connection that does not drive is told goodbye; the driver lives on."""
    with served(Toy()) as address:
        driver = StreamBridge(dial(address))
        driver.ready()
        crowd = [plain(address) for _ in range(MOST_CONNECTIONS + 3)]
        (told,) = lines(crowd[0].recv(1000))
        assert isinstance(told, Goodbye)
        assert crowd[0].recv(1) == b""
        assert driver.execute(Jump()).result.status == "SUCCESS"
        for connected in crowd:
            connected.close()
        driver.stream.close()


def test_silent_connections_shut_nobody_out() -> None:
    """However many connect and never greet, the next bridge is welcomed at once."""
    with served(Toy()) as address:
        crowd = [plain(address) for _ in range(2 * MOST_CONNECTIONS)]
        driver = StreamBridge(dial(address))
        driver.ready()
        assert driver.execute(Jump()).result.status == "SUCCESS"
        driver.stream.close()
        for connected in crowd:
            connected.close()


# However the bridge leaves.


@pytest.mark.req("EX-16")
@pytest.mark.parametrize("how", ["close", "reset", "goodbye", "half a line", "server"])
def test_however_a_bridge_goes_the_actor_stops(how: str) -> None:
    """Each way of going stops the actor in the middle of a move."""
    game = Toy(hz=1 / 3600)
    with served(game) as address:
        connected = plain(address)
        move = IntentFrame(id=1, intent="MOVE", ttl_ms=3_600_000, parameters={"vector": [1.0, 0.0, 0.0]})
        connected.sendall(HELLO + encode(move))
        wait_for(game, "MOVE")
        if how == "reset":
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if how == "goodbye":
            connected.sendall(encode(Goodbye()))
        if how == "half a line":
            connected.sendall(b'{"v":1,"type":"int')
        if how not in {"goodbye", "server"}:
            connected.close()
        if how != "server":
            wait_for(game, "stopped")
    assert "stopped" in game.calls
    assert not game.moving
    connected.close()


@pytest.mark.req("EX-16")
def test_a_silent_bridge_is_given_up() -> None:
    """A bridge that is connected but silent is given up in time, and the actor stops."""
    game = Toy()
    server = ExecutorServer.listen(ANYWHERE, game, timing=Timing(idle=0.1, dead=0.3))
    with server.running() as address:
        connected = plain(address)
        began = time.monotonic()
        connected.sendall(HELLO)
        wait_for(game, "stopped")
        assert time.monotonic() - began > 0.2
        heard = lines(read_to_end(connected))
        assert isinstance(heard[0], Welcome)
        assert isinstance(heard[-1], Goodbye)
        connected.close()


def test_the_end_of_a_bridge_costs_no_work() -> None:
    """After bridges have closed, half-closed or reset their connections, the server sleeps: it does not spin."""
    game = Toy(hz=1.0)
    server = ExecutorServer.listen(ANYWHERE, game)
    asked = watched(server)
    with server.running() as address:
        left = [plain(address) for _ in range(3)]
        for way, connected in zip(("close", "half", "reset"), left, strict=True):
            connected.sendall(HELLO)
            if way == "half":
                connected.shutdown(socket.SHUT_WR)
            if way == "reset":
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if way != "half":
                connected.close()
            wait_for(game, "stopped")
            game.calls.clear()
        before, began = len(asked), time.monotonic()
        time.sleep(0.3)
        turns, naps = len(asked) - before, (time.monotonic() - began) / LONGEST_NAP
        for connected in left:
            connected.close()
    assert turns <= 3 * naps + 10


def test_who_does_not_read_is_not_read() -> None:
    """A bridge that floods and never reads is soon stuck itself, and is given up by its silence."""
    game = Toy(hz=0.0)
    flood = b'{"v":1,"type":"ping","n":1}\n' * 1000
    with ExecutorServer.listen(ANYWHERE, game, timing=Timing(idle=0.2, dead=0.6)) as server:
        assert server._listener is not None
        server._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        connected = socket.socket()
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connected.connect((server.address.host, server.address.port))
        connected.sendall(HELLO)
        connected.setblocking(False)
        rest, ends = b"", time.monotonic() + PATIENCE
        while "stopped" not in game.calls and time.monotonic() < ends:
            rest = rest or flood
            with suppress(BlockingIOError):
                rest = rest[connected.send(rest) :]
            server.tick()
        connected.close()
        assert "stopped" in game.calls


def test_hostile_lines_end_nothing_but_themselves() -> None:
    """Each bad line in the middle of a session is answered with its error, and the next intent with its result."""
    noise = [(line, code) for _, line, code in HOSTILE if code != "too_long"]
    with served(Toy(hz=0.0)) as address:
        connected = plain(address)
        jump = encode(IntentFrame(id=1, intent="JUMP", ttl_ms=500))
        connected.sendall(HELLO + b"".join(line + b"\n" for line, _ in noise) + jump)
        heard = b""
        while b'"type":"result"' not in heard:
            heard += connected.recv(65536)
        connected.close()
    assert [frame.code for frame in of(ErrorFrame, lines(heard))] == [code for _, code in noise]
    assert [frame.id for frame in of(ResultFrame, lines(heard))] == [1]


# Where to listen, pipes, signals.


@pytest.mark.parametrize("address", ["embedded", "java", "stdio:x", "tcp://0.0.0.0:0"])
def test_where_nobody_can_listen(address: str) -> None:
    """An address that is not on this computer is refused."""
    with pytest.raises(InvalidInput):
        ExecutorServer.listen(address, Toy())


@pytest.mark.req("EX-16")
def test_a_bridge_over_pipes_ends_the_server_with_itself() -> None:
    """Over pipes there is one bridge: when it goes the actor stops and `serve` returns."""
    game = Toy()
    (their_out, our_in), (our_out, their_in) = os.pipe(), os.pipe()
    server = ExecutorServer.over_pipes(game, reader=our_out, writer=our_in)
    thread = threading.Thread(target=server.serve)
    thread.start()
    os.write(their_in, HELLO + encode(IntentFrame(id=1, intent="JUMP", ttl_ms=500)))
    wait_for(game, "JUMP")
    os.close(their_in)
    thread.join()
    server.close()
    said = b""
    while piece := os.read(their_out, 65536):
        said += piece
    os.close(their_out)
    assert isinstance(lines(said)[0], Welcome)
    assert game.calls[:2] == ["JUMP", "stopped"]


def test_a_reader_that_closes_its_pipe_is_a_lost_bridge() -> None:
    """When nobody reads what is written, that is the end too, although the other pipe is open."""
    game = Toy()
    (their_out, our_in), (our_out, their_in) = os.pipe(), os.pipe()
    with ExecutorServer.over_pipes(game, reader=our_out, writer=our_in) as server:
        os.write(their_in, HELLO)
        server.tick()
        os.close(their_out)
        os.write(their_in, encode(IntentFrame(id=1, intent="JUMP", ttl_ms=500)))
        server.serve()
        assert game.calls[:2] == ["JUMP", "stopped"]
    os.close(their_in)


def test_a_long_answer_goes_through_a_pipe_in_pieces() -> None:
    """A state larger than a pipe holds is written as it is read, without ever waiting."""

    class Wide(Toy):
        def state(self, *, full: bool) -> object:
            return "é" * 100_000

    (their_out, our_in), (our_out, their_in) = os.pipe(), os.pipe()
    with ExecutorServer.over_pipes(Wide(hz=0.0), reader=our_out, writer=our_in) as server:
        os.write(their_in, HELLO + b'{"v":1,"type":"state_request","id":1,"full":true}\n')
        os.set_blocking(their_out, False)
        said = b""
        while said.count(b"\n") < 2:
            server.tick()
            with suppress(BlockingIOError):
                said += os.read(their_out, 10_000)
        assert len(lines(said)) == 2
        os.close(their_in)
    os.close(their_out)


CHATTY = """
from tests.execution.transports.stream_bridge import Toy
from volition.execution.executor.server import ExecutorServer, standard_pipes

class Chatty(Toy):
    def attempt(self, attempt):
        print("hm", flush=True)
        return super().attempt(attempt)

with standard_pipes() as (reader, writer), ExecutorServer.over_pipes(Chatty(), reader=reader, writer=writer) as server:
    server.serve()
print("over", flush=True)
"""


def test_a_game_that_prints_does_not_break_the_wire() -> None:
    """While standard output is the wire, what is printed goes to standard error; afterwards it is as it was."""
    jump = encode(IntentFrame(id=1, intent="JUMP", ttl_ms=500))
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", CHATTY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(HELLO + jump)
        child.stdin.flush()
        heard = child.stdout.readline() + child.stdout.readline()
        rest, errors = child.communicate(timeout=PATIENCE)
    assert of(ResultFrame, lines(heard)) or of(ResultFrame, lines(rest.rpartition(b"over")[0]))
    assert errors == b"hm\n"
    assert rest.endswith(b"over\n")


def test_closing_says_goodbye_and_may_be_repeated() -> None:
    """A bridge learns that the game ends on purpose; closing again changes nothing."""
    game = Toy()
    server = ExecutorServer.listen(ANYWHERE, game)
    with server.running() as address:
        bridge = StreamBridge(dial(address))
        bridge.ready()
    server.close()
    assert bridge.closed().reason == "goodbye"
    bridge.stream.close()
    assert game.calls.count("stopped") >= 1


def test_news_come_from_any_thread_in_their_order() -> None:
    """What another thread posts is told in the server's next turn, in order and with a state; then nothing is left of it."""
    with ExecutorServer.listen(ANYWHERE, Toy(hz=0.0)) as server, plain(server.address) as bridge:
        bridge.sendall(HELLO)
        while server.host.driver is None:
            server.tick()
        news = (Occurred("one"), Occurred("two", agent="ann"))
        poster = threading.Thread(target=lambda: server.post(*news))
        poster.start()
        poster.join()
        server.tick()
        data = b""
        while b'"type":"state"' not in data:
            data += bridge.recv(65536)
        assert [(event.name, event.agent) for event in of(GameEvent, lines(data))] == [("one", None), ("two", "ann")]
        server.tick()
    server.post(Occurred("too late"))
