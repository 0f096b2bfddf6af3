"""Requests are done once: over connections, over restarts, whatever is sent again; and old tokens are refused.

The conversations of `requests.json` are held here against the host; the Java module's tests hold the same ones.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.client.transports.talker import Toy
from tests.execution.wire.samples import lines
from tests.failing_disk import FailingDisk
from volition.core.errors import BrokenRecord, InvalidInput
from volition.execution import Ended, ExecutorServer, HandshakeFailed, RequestMark, RequestMemory, connect, make_result
from volition.execution.conformance.protocol import VECTORS
from volition.execution.executor.host import Host
from volition.execution.executor.requests import INTERRUPTED, NOT_REMEMBERED
from volition.execution.wire.frames import ResultFrame, Welcome
from volition.execution.wire.marks import REQUESTS
from volition.execution.wire.session.handshake import FEATURES

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution import IncomingIntent, News
    from volition.execution.executor.host import Guest

CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    each["name"]: each["steps"] for each in json.loads((VECTORS / "requests.json").read_text("ascii"))["conversations"]
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "requests"


def mark(request: str = "r1", digest: str = "d1", token: int = 5, resource: str = "arm") -> RequestMark:
    return RequestMark(request=request, digest=digest, token=token, resource=resource)


@dataclass
class Scripted(Toy):
    """A game that ends each attempt as a conversation says, with damage that no other attempt has."""

    script: str | None = None
    attempts: int = 0

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        self.attempts += 1
        assert self.script is not None, "nothing may be attempted"
        status, _, reason = self.script.partition("/")
        if status == "never":
            return []
        return [Ended(attempt, make_result(status, reason, damage_dealt=self.attempts / 7))]  # type: ignore[arg-type]


@dataclass
class Executor:
    """An executor that may be restarted, and the connection to it."""

    file: Path
    stack: ExitStack
    game: Scripted = field(default_factory=Scripted)

    def __post_init__(self) -> None:
        self.memory = self.stack.enter_context(RequestMemory(self.file))
        self.host = Host(self.game, requests=self.memory)
        self.guest: Guest = self.host.open(0.0)

    def greet(self, line: str) -> None:
        self.guest = self.host.open(0.0)
        self.guest.receive(line.encode() + b"\n", 0.0)
        assert isinstance(lines(self.guest.take())[0], Welcome)

    def ask(self, line: str, game: str | None) -> ResultFrame | None:
        self.game.script = game
        before = self.game.attempts
        self.guest.receive(line.encode() + b"\n", 0.0)
        assert self.game.attempts - before == (game is not None)
        return next((frame for frame in lines(self.guest.take()) if isinstance(frame, ResultFrame)), None)


@pytest.mark.req("EX-21")
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_of_the_vectors(file: Path, name: str) -> None:
    """Every answer is the one of the vectors, nothing is attempted that may not be, and a request that is answered
    again has the same result, field by field."""
    known: dict[str, Any] = {}
    with ExitStack() as stack:
        executor = Executor(file, stack)
        for step in CONVERSATIONS[name]:
            if step["do"] == "greet":
                executor.greet(step["line"])
            elif step["do"] == "hang up":
                executor.guest.end(0.0)
            elif step["do"] == "restart":
                stack.close()
                executor = Executor(file, stack)
            else:
                frame = executor.ask(step["line"], step["game"])
                assert (frame is None) == (step["answer"] is None)
                if frame is not None:
                    result = frame.result
                    assert [result["status"], result["failure_reason"], frame.detail] == step["answer"]
                    request = json.loads(step["line"]).get("request")
                    if step["game"]:
                        known[request] = result
                    elif frame.detail is None:
                        assert result == known[request]


@pytest.mark.parametrize("cut", range(1, 30, 3))
def test_a_torn_line_is_cut(file: Path, cut: int) -> None:
    """A line that a crash has torn was never relied on: it is cut, and the file goes on before it."""
    with RequestMemory(file) as memory:
        memory.admit(mark())
        memory.finish(mark(), make_result(), None)
        whole = file.read_bytes()
        memory.admit(mark("r2"))
    file.write_bytes(whole + file.read_bytes()[len(whole) :][:cut])
    with RequestMemory(file) as memory:
        assert file.read_bytes() == whole
        assert memory.admit(mark()) == (make_result(), None)
        assert memory.admit(mark("r2")) is None


class FullDisk:
    """A disk that fills up in the middle of every line while the block runs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch, self._write = patch, os.pwrite

    def __enter__(self) -> None:
        self._patch.setattr(os, "pwrite", self._fill)

    def __exit__(self, *error: object) -> None:
        self._patch.undo()

    def _fill(self, handle: int, data: bytes, place: int) -> int:
        if len(data) > 9:
            return self._write(handle, data[:9], place)
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.req("EX-21")
def test_what_cannot_be_remembered_is_not_attempted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk a new request definitely fails, a result that cannot be written is unknown and stays so, and the
    file is as it was; with room again, it goes on."""
    refused = (make_result("FAILURE", "RESOURCE_EXHAUSTED"), NOT_REMEMBERED)
    unknown = make_result("FAILURE", "UNKNOWN")
    with RequestMemory(file) as memory:
        assert memory.admit(mark("begun")) is None
        before = file.read_bytes()
        with FullDisk(monkeypatch):
            assert memory.admit(mark()) == refused
            assert memory.finish(mark("begun"), make_result(), None) == (unknown, NOT_REMEMBERED)
            assert memory.admit(mark("begun")) == (unknown, INTERRUPTED)
        assert file.read_bytes() == before
        assert memory.admit(mark()) is None
    with RequestMemory(file) as memory:
        assert memory.admit(mark()) == (unknown, INTERRUPTED)


def test_an_executor_with_a_full_disk_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of a game answers that a request cannot be remembered, turns a bridge away whose fences it cannot keep,
    and serves again once there is room."""
    features = (*FEATURES, REQUESTS)
    game = Toy()
    with (
        RequestMemory(tmp_path / "requests") as memory,
        ExecutorServer.listen(f"unix:{tmp_path}/toy.sock", game, requests=memory).running() as address,
    ):
        with connect(address, features=features, fences={"arm": 3}) as bridge, FullDisk(monkeypatch):
            answer = bridge.execute("JUMP", mark=mark())
            assert (answer.status, answer.reason, answer.detail) == ("FAILURE", "RESOURCE_EXHAUSTED", NOT_REMEMBERED)
        with FullDisk(monkeypatch), pytest.raises(HandshakeFailed, match="goodbye"):
            connect(address, features=features, fences={"arm": 4})
        assert "JUMP" not in game.calls
        with connect(address, features=features, fences={"arm": 4}) as bridge:
            assert bridge.execute("JUMP", mark=mark()).status == "SUCCESS"


def test_a_file_of_others_is_refused(file: Path) -> None:
    """What is no memory of requests is not taken for one, and not changed."""
    for content in (b"hello\n", b'{"volition":"requests","version":2}\n', b'{"volition":"requests","version":1}\n{}\n'):
        file.write_bytes(content)
        with pytest.raises(BrokenRecord):
            RequestMemory(file)
        assert file.read_bytes() == content


def test_one_process_at_a_time(file: Path) -> None:
    """A second executor with the same file is refused: it would not know what the first one does."""
    with RequestMemory(file) as memory:
        assert memory.admit(mark()) is None
        with pytest.raises(InvalidInput, match="cannot be remembered"):
            RequestMemory(file)


def test_a_mark_is_checked_before_it_is_sent() -> None:
    """Texts have 1 to 200 characters, and a token is not negative."""
    for values in ({"request": ""}, {"digest": "x" * 201}, {"token": -1}):
        with pytest.raises(InvalidInput):
            mark(**values)


@pytest.mark.req("EX-23")
@pytest.mark.skipif(sys.platform != "linux", reason="open files are told apart by /proc")
@pytest.mark.parametrize("lasting", [False, True])
def test_a_fault_at_any_call_makes_no_request_happen_twice(
    lasting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whichever call the disk begins to fail, for once or until there is room, and wherever the process dies after it: a
    request is attempted at most once, and a result that was answered is answered again."""
    at, calls = 1, 1
    while at <= calls:
        file = tmp_path / f"requests{at}"
        disk = FailingDisk(tmp_path, at, lasting=lasting)
        attempts: Counter[str] = Counter()
        answers: dict[str, list[str]] = {}
        with disk.in_force(monkeypatch):
            for life in range(3):
                try:
                    memory = RequestMemory(file)
                except InvalidInput:  # not opened: nothing is attempted
                    disk.repair()
                    continue
                for name in ("r1", "r2"):
                    mark = RequestMark(request=name, digest="d", token=life + 1, resource="arm")
                    found = memory.admit(mark)
                    if found is None:
                        attempts[name] += 1
                        found = memory.finish(mark, make_result(damage_dealt=1.0), None)
                    answers.setdefault(name, []).append(found[1] or found[0].status)
                memory.close()
                disk.repair()
        assert all(count == 1 for count in attempts.values()), at
        for said in answers.values():
            after = said[said.index("SUCCESS") :] if "SUCCESS" in said else said
            assert "SUCCESS" not in said or set(after) == {"SUCCESS"}, (at, said)
            assert set(said) <= {"SUCCESS", NOT_REMEMBERED, INTERRUPTED}, (at, said)
        at, calls = at + 1, max(calls, disk.calls)
    assert at > 8
