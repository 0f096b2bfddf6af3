"""`volition serve-arena` as a process: it says where it listens, can be driven, and ends as it should."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

import pytest

from tests.cli.lines import run_in
from tests.execution.transports.stream_bridge import StreamBridge
from tests.processes import PATIENCE
from volition.execution import Hold, Move, RequestMark, connect
from volition.execution.transports.address import parse_address
from volition.execution.transports.child import StdioStream
from volition.execution.transports.endpoint import dial
from volition.execution.wire.session.handshake import BadToken, Offer

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = [sys.executable, "-m", "volition.cli", "serve-arena"]


def first_line(output: IO[str] | None) -> str:
    assert output is not None
    return output.readline().rstrip("\n")


@contextmanager
def arena(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A served arena, and the address that it printed."""
    with subprocess.Popen([*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process, first_line(process.stdout)
        finally:
            process.kill()


def ended(process: subprocess.Popen[str], number: int) -> tuple[int, str]:
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, errors


def test_the_first_line_says_where_and_it_can_be_driven() -> None:
    """Port 0 becomes a real one; a bridge plays; SIGTERM is a clean end."""
    with arena("--port", "0", "--map", "foundry", "--seed", "7") as (process, printed):
        address = parse_address(printed)
        assert (address.kind, address.host) == ("tcp", "127.0.0.1")
        bridge = StreamBridge(dial(address))
        assert bridge.ready().data["map"]["name"] == "foundry"
        assert bridge.execute(Hold()).result.status == "SUCCESS"
        assert ended(process, signal.SIGTERM) == (0, "")
        assert bridge.closed().reason == "goodbye"
        bridge.stream.close()


def test_ctrl_c_is_an_interruption() -> None:
    """SIGINT ends with 130, one word and no traceback."""
    with arena() as (process, _):
        code, errors = ended(process, signal.SIGINT)
        assert (code, errors.split()) == (130, ["interrupted"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_socket_file_goes_with_it(number: int) -> None:
    """However it ends, the arena leaves no socket file; killed, it leaves one that the next arena replaces."""
    with TemporaryDirectory(prefix="volition-") as folder:
        path = f"{folder}/a.sock"
        with arena("--unix", path) as (process, printed):
            assert printed == f"unix:{path}"
            ended(process, signal.SIGKILL)
        assert Path(path).exists()
        with arena("--unix", path) as (process, _):
            dial(f"unix:{path}").close()
            ended(process, number)
        assert not Path(path).exists()


def test_a_token_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a token from the environment, only a bridge that knows it is accepted."""
    monkeypatch.setenv("VOLITION_TOKEN", "sesame")
    with arena() as (_, printed):
        stranger = StreamBridge(dial(printed))
        assert isinstance(stranger.closed().error, BadToken)
        friend = StreamBridge(dial(printed), offer=Offer(token="sesame"))
        friend.ready()
        friend.stream.close()
        stranger.stream.close()


def test_a_killed_arena_does_no_request_twice(tmp_path: Path) -> None:
    """With --requests, an arena that was killed and started again answers a request with the result that it had."""
    mark = RequestMark(request="r1", digest="d1", token=1, resource="actor")
    answers = []
    for _ in range(2):
        with arena("--requests", str(tmp_path / "requests")) as (process, printed):
            with connect(printed) as bridge:
                answers.append(bridge.execute("JUMP", deadline=5.0, mark=mark))
            ended(process, signal.SIGKILL)
    first, second = answers
    assert first.result == second.result
    assert first.answered
    assert second.answered


def test_over_pipes_it_ends_with_its_bridge() -> None:
    """Launched by a bridge, it is driven over its pipes, and ends by itself when they are closed."""
    stream = StdioStream([*COMMAND, "--stdio", "--hz", "200"])
    bridge = StreamBridge(stream)
    bridge.ready()
    assert bridge.execute(Move((0.2, 0.0, 0.0))).result.status == "SUCCESS"
    stream.close()
    assert stream.child.returncode == 0


def test_what_cannot_be_served(tmp_path: Path) -> None:
    """Two addresses at once, a taken port, an unknown map: each ends with 2 and says why, and nothing is printed."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for options, hint in [
            (("--port", "0", "--stdio"), "exclude each other"),
            (("--port", port), "choose another port"),
            (("--map", "fondry"), "foundry"),
            (("--hz", "0"), "--hz"),
        ]:
            code, out, errors = run_in(tmp_path, "serve-arena", *options)
            assert (code, out) == (2, "")
            assert hint in errors
