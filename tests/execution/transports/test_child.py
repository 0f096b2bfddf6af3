"""A launched executor: it is spoken to over its pipes and ends with the stream, whatever it does."""

from __future__ import annotations

import os
import sys
import time

import pytest

from volition.execution.transports.child import StdioStream
from volition.execution.transports.endpoint import dial
from volition.execution.wire.session.handshake import NothingListening

ECHO = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stdout.buffer.flush()"
DEAF = "import os, time\nos.write(1, b'on')\ntime.sleep(60)"
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + DEAF


def launch(program: str) -> StdioStream:
    return StdioStream([sys.executable, "-c", program])


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_bytes_go_through_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent comes to the child's input, and what it prints is received; silence is None. It ends with its input."""
    monkeypatch.setattr("volition.execution.transports.child.FAREWELL", 60.0)
    child = launch(ECHO)
    assert child.receive(0.0) is None
    child.send("zażółć 🎭\n".encode())
    assert child.receive(None) == "zażółć 🎭\n".encode()
    child.close()
    child.close()
    assert child.child.returncode == 0
    assert child.receive(1.0) == b""
    with pytest.raises(ConnectionResetError):
        child.send(b"x")


def test_a_child_that_ends_is_an_end() -> None:
    """When the child is gone the stream is at its end, once what it said is read; sending breaks."""
    child = launch("import os; os.write(1, b'bye')")
    assert [child.receive(None), child.receive(None), child.receive(None)] == [b"bye", b"", b""]
    while child.child.poll() is None:
        time.sleep(0.01)
    with pytest.raises(ConnectionResetError):
        child.send(b"x")
    child.close()


@pytest.mark.req("EX-13")
def test_a_program_that_is_not_there_is_nobody() -> None:
    """A command that cannot be started is NothingListening, and the error names it."""
    with pytest.raises(NothingListening, match="no-such-program"):
        dial("stdio:no-such-program --fast")


@pytest.mark.parametrize("program", [DEAF, STUBBORN])
def test_a_child_that_does_not_end_is_ended(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that ignores the end of its input is asked, and one that ignores that is killed."""
    monkeypatch.setattr("volition.execution.transports.child.FAREWELL", 0.3)
    child = launch(program)
    assert child.receive(None) == b"on"
    child.close()
    assert gone(child.child.pid)


def test_a_childs_child_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrapper that started the real program takes it along."""
    monkeypatch.setattr("volition.execution.transports.child.FAREWELL", 0.3)
    inner = f"subprocess.Popen([sys.executable, '-c', {DEAF!r}], stdin=subprocess.DEVNULL)"
    child = launch(f"import os, subprocess, sys\ninner = {inner}\nos.write(1, b'%d' % inner.pid)\ninner.wait()")
    said = b""
    while b"on" not in said or said == b"on":
        said += child.receive(None) or b""
    pid = int(said.replace(b"on", b""))
    child.close()
    while not gone(pid):
        time.sleep(0.02)


def test_a_child_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending more than the pipe holds to a child that reads nothing ends as a broken connection."""
    monkeypatch.setattr("volition.execution.transports.stream.PATIENCE", 0.2)
    monkeypatch.setattr("volition.execution.transports.child.FAREWELL", 0.3)
    child = launch(DEAF)
    with pytest.raises(ConnectionResetError, match="read nothing"):
        child.send(bytes(2**20))
    child.close()
