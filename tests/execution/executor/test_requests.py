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
from msgspec.structs import replace

from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import lines
from tests.failing_disk import FailingDisk
from volition.core.errors import BrokenRecord, InvalidInput
from volition.execution import Ended, ExecutorServer, HandshakeFailed, RequestMark, RequestMemory, connect, make_result
from volition.execution.conformance.protocol import VECTORS
from volition.execution.executor.host import Host
from volition.execution.executor.requests import INTERRUPTED, NOT_REMEMBERED, UNDER_WAY
from volition.execution.wire.frames import Progress, ResultFrame, StateFrame, Welcome

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
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
    begun: list[IncomingIntent] = field(default_factory=list)
    given_up: list[int] = field(default_factory=list)

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        self.attempts += 1
        assert self.script is not None, "nothing may be attempted"
        self.begun.append(attempt)
        return [] if self.script == "never" else [self.ended(self.script, self.begun.pop())]

    def ended(self, script: str, attempt: IncomingIntent) -> News:
        status, _, reason = script.partition("/")
        return Ended(attempt, make_result(status, reason, damage_dealt=self.attempts / 7))  # type: ignore[arg-type]

    def cancel(self, attempt: IncomingIntent) -> list[News]:
        self.given_up.append(attempt.id)
        return []


@dataclass
class Executor:
    """An executor that may be restarted, and the connection to it."""

    file: Path
    stack: ExitStack
    game: Scripted = field(default_factory=Scripted)
    now: float = 0.0

    def __post_init__(self) -> None:
        self.memory = self.stack.enter_context(RequestMemory(self.file))
        self.host = Host(self.game, requests=self.memory)
        self.guest: Guest = self.host.open(self.now)

    def greet(self, line: str) -> None:
        self.guest = self.host.open(self.now)
        self.guest.receive(line.encode() + b"\n", self.now)
        assert isinstance(lines(self.guest.take())[0], Welcome)

    def do(self, step: dict[str, Any]) -> list[ResultFrame]:
        """Carry out a step, and return the results that it brought."""
        before, given_up = self.game.attempts, [*self.game.given_up]
        if step["do"] == "ask":
            self.game.script = step["game"]
            self.guest.receive(step["line"].encode() + b"\n", self.now)
        elif step["do"] == "cancel":
            self.guest.receive(step["line"].encode() + b"\n", self.now)
            given_up.append(step["gives up"])
        elif step["do"] == "end":
            self.host.report([self.game.ended(step["game"], self.game.begun.pop(0))])
        else:
            self.now += step["ms"] / 1000
            self.host.step(self.now)
        assert self.game.attempts - before == (step["do"] == "ask" and step["game"] is not None)
        assert self.game.given_up == given_up
        frames = lines(self.guest.take())
        assert step["do"] != "cancel" or any(isinstance(frame, Progress) for frame in frames)
        return [frame for frame in frames if isinstance(frame, ResultFrame)]


def expected_answers(step: dict[str, Any]) -> list[list[Any]]:
    """The results that a step brings: id, status, reason, detail."""
    own = [[json.loads(step["line"])["id"], *step["answer"]]] if step.get("answer") else []
    return sorted([*own, *step.get("answers", [])])


@pytest.mark.req("EX-21", "EX-23")
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_of_the_vectors(file: Path, name: str) -> None:
    """Every answer is the one of the vectors, nothing is attempted that may not be, and a request that is answered
    again has the same result, field by field."""
    known: dict[str, Any] = {}
    requests: dict[int, str] = {}
    with ExitStack() as stack:
        executor = Executor(file, stack)
        for step in CONVERSATIONS[name]:
            if step["do"] == "greet":
                executor.greet(step["line"])
                continue
            if step["do"] == "hang up":
                executor.guest.end(executor.now)
                continue
            if step["do"] == "restart":
                stack.close()
                executor = Executor(file, stack)
                continue
            if step["do"] == "ask":
                asked = json.loads(step["line"])
                requests[asked["id"]] = "STOP" if asked["intent"] == "STOP" else asked.get("request")
            frames = executor.do(step)
            found = [
                [frame.id, frame.result["status"], frame.result["failure_reason"], frame.detail] for frame in frames
            ]
            assert sorted(found) == expected_answers(step)
            for frame in frames:
                request = requests[frame.id]
                if step.get("game") and step["do"] == "ask":
                    known[request] = frame.result
                elif frame.detail in {None, "STOPPED"}:
                    assert frame.result == known.setdefault(request, frame.result)


HELLO = next(step["line"] for step in CONVERSATIONS["repeated while it is under way"])


def asked(id: int, **more: Any) -> dict[str, Any]:
    """A step that asks for r1 under an id; the game never ends it by itself."""
    mark = {"request": "r1", "digest": "d1", "token": 5, "resource": "arm"}
    intent = {"v": 1, "type": "intent", "id": id, "intent": "JUMP", "ttl_ms": 60_000, **mark, **more}
    return {"do": "ask", "line": json.dumps(intent), "game": "never" if id == 1 else None}


ENDED = {"do": "end", "game": "SUCCESS/NONE"}


def details(frames: list[ResultFrame]) -> dict[int, str | None]:
    return {frame.id: frame.detail or frame.result["status"] for frame in frames}


@pytest.mark.req("EX-23")
def test_a_refused_repetition_does_not_end_the_request(file: Path) -> None:
    """A repeated request that is based on a former episode is refused; the request goes on, and keeps its own result."""
    with ExitStack() as stack:
        executor = Executor(file, stack)
        executor.greet(HELLO)
        assert executor.do(asked(1)) == []
        executor.guest.receive(b'{"v":1,"type":"state_request","id":2,"full":true}\n', executor.now)
        (state,) = lines(executor.guest.take())
        assert isinstance(state, StateFrame)
        executor.game.episode += 1
        assert details(executor.do(asked(3, based_on=state.seq))) == {3: "FORMER_EPISODE"}
        assert details(executor.do(ENDED)) == {1: "SUCCESS"}
        assert details(executor.do(asked(4))) == {4: "SUCCESS"}


@pytest.mark.req("EX-23")
def test_what_cannot_be_remembered_is_said_to_all_who_wait(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that cannot be written is unknown to every id that waits for it, and afterwards."""
    with ExitStack() as stack:
        executor = Executor(file, stack)
        executor.greet(HELLO)
        assert executor.do(asked(1)) + executor.do(asked(2)) == []
        with FullDisk(monkeypatch):
            assert details(executor.do(ENDED)) == {1: NOT_REMEMBERED, 2: NOT_REMEMBERED}
        assert details(executor.do(asked(3))) == {3: INTERRUPTED}


@pytest.mark.req("EX-23")
def test_a_game_that_ends_what_is_overdue_is_not_told_of_repetitions(file: Path) -> None:
    """Where the game itself watches the time, the host still does so for repeated ids, and is woken for it."""
    with ExitStack() as stack:
        game = Scripted()
        about = replace(game.about, ends_overdue=True, tick_hz=0)
        monkey = stack.enter_context(pytest.MonkeyPatch.context())
        monkey.setattr(Scripted, "about", about)
        executor = Executor(file, stack, game)
        executor.greet(HELLO)
        assert executor.do(asked(1, ttl_ms=100)) + executor.do(asked(2, ttl_ms=300)) == []
        assert executor.host.wake_at == pytest.approx(0.3)
        assert details(executor.do({"do": "wait", "ms": 400})) == {2: UNDER_WAY}
        assert details(executor.do(ENDED)) == {1: "SUCCESS"}


@pytest.mark.req("EX-23")
def test_a_late_stop_ends_nothing_of_the_next_bridge(file: Path) -> None:
    """The end of a STOP whose bridge is gone says nothing about requests that came later."""
    with ExitStack() as stack:
        executor = Executor(file, stack)
        executor.greet(HELLO)
        executor.do(asked(9, intent="STOP") | {"game": "never"})
        executor.guest.end(executor.now)
        executor.greet(HELLO)
        assert executor.do(asked(1)) == []
        assert executor.do(ENDED) == []
        assert details(executor.do(ENDED)) == {1: "SUCCESS"}


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
    game = Toy()
    with (
        RequestMemory(tmp_path / "requests") as memory,
        ExecutorServer.listen(f"unix:{tmp_path}/toy.sock", game, requests=memory).running() as address,
    ):
        with connect(address, fences={"arm": 3}) as bridge, FullDisk(monkeypatch):
            answer = bridge.execute("JUMP", mark=mark())
            assert (answer.status, answer.reason, answer.detail) == ("FAILURE", "RESOURCE_EXHAUSTED", NOT_REMEMBERED)
        with FullDisk(monkeypatch), pytest.raises(HandshakeFailed, match="goodbye"):
            connect(address, fences={"arm": 4})
        assert "JUMP" not in game.calls
        with connect(address, fences={"arm": 4}) as bridge:
            assert bridge.execute("JUMP", mark=mark()).status == "SUCCESS"


def test_a_file_of_others_is_refused(file: Path) -> None:
    """What is no memory of requests is not taken for one, and not changed."""
    for content in (b"hello\n", b'{"volition":"requests","version":2}\n', b'{"volition":"requests","version":1}\n{}\n'):
        file.write_bytes(content)
        with pytest.raises(BrokenRecord):
            RequestMemory(file)
        assert file.read_bytes() == content


def test_one_process_at_a_time(file: Path, told: Told) -> None:
    """A second executor with the same file is refused: it would not know what the first one does."""
    with RequestMemory(file) as memory:
        assert memory.admit(mark()) is None
        with told.raises(InvalidInput):
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
