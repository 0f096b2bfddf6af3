"""`volition conformance`: what a person sees, and how it ends."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from tests.cli.lines import run, run_json
from tests.execution.conformance.laws.defects_results import TimeNotMeasured
from tests.execution.conformance.subject import Modest
from tests.sentences import lines_about
from volition.cli.show.live import progress, show_report
from volition.core.errors import MissingPart
from volition.execution.conformance.laws import CHECKS
from volition.execution.conformance.reach import run_restart

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

LAW_BREAKER = """
import sys
from volition.execution import make_result
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor
from volition.execution.executor.contract import Ended
from volition.execution.executor.server import ExecutorServer, standard_pipes

class Boaster(ArenaExecutor):
    def attempt(self, attempt):
        if attempt.intent.name != "MOVE":
            return super().attempt(attempt)
        return [Ended(attempt, make_result(engine_timestamp=self.tick))]

game = Boaster(Arena(shipped_map("courtyard")))
if "--stdio" in sys.argv:
    with standard_pipes() as (reader, writer), ExecutorServer.over_pipes(game, reader=reader, writer=writer) as server:
        server.serve()
else:
    with ExecutorServer.listen("tcp://127.0.0.1:0", game) as server:
        print(server.address, flush=True)
        server.serve()
"""


@pytest.mark.req("EX-18")
def test_the_embedded_executor(capsys: pytest.CaptureFixture[str]) -> None:
    """The embedded executor conforms: a line for each law, a summary, exit code 0."""
    code, out, _ = run(capsys, "conformance", "embedded", "--token", "t")
    lines = out.splitlines()
    assert code == 0
    assert len(lines) == len(CHECKS) + 1
    assert lines[0].split() == ["holds", "handshake.welcome"]
    assert "conforms:" in lines[-1]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the report is one object, and --only chooses."""
    code, out, _ = run(capsys, "conformance", "embedded", "--only", "ids", "--only", "goodbye.ends", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["holds"] is True
    assert [row["check"] for row in report["rows"]][-1] == "goodbye.ends"
    assert {row["verdict"] for row in report["rows"]} == {"holds"}


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("how", ["", " --stdio"])
def test_a_launched_executor_that_breaks_a_law(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, how: str, told: Told
) -> None:
    """A program that prints its address, or talks over its pipes, is launched; a broken law is shown, exit code 3."""
    program = tmp_path / "game.py"
    program.write_text(LAW_BREAKER)
    command = shlex.join([sys.executable, str(program)]) + how
    code, out, _ = run(capsys, "conformance", "--launch", command, "--only", "truth.move", "--only", "heartbeat.pong")
    assert code == 3
    assert out.splitlines()[0].split() == ["holds", "heartbeat.pong"]
    assert "breaks         truth.move" in out
    told(*lines_about(out, "expected:"))
    sent = [json.loads(line.partition("-> ")[2]) for line in out.splitlines() if "-> {" in line]
    assert "intent" in {frame["type"] for frame in sent}


RESTARTER = 'test -e "$1" && kill -9 "$(cat "$1")"; pid=$1; shift; "$@" & echo $! > "$pid"'


@pytest.mark.req("EX-23", "EX-26")
def test_a_restart_by_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--restart runs a command that ends the executor and starts it again; what must outlive that is judged."""
    pid, socket = tmp_path / "pid", tmp_path / "arena.sock"
    serve = ["serve-arena", "--unix", str(socket), "--hz", "10", "--requests", str(tmp_path / "requests")]
    words = ["sh", "-c", RESTARTER, "sh", str(pid), sys.executable, "-m", "volition.cli", *serve]
    run_restart(words)
    try:
        while not socket.exists():
            time.sleep(0.01)
        code, out, _ = run(capsys, "conformance", f"unix:{socket}", "--only", "restart", "--restart", shlex.join(words))
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)
    assert code == 0, out
    assert out.count("holds ") == 3


def test_without_a_restart_the_kit_says_how(capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Where nothing restarts the executor its laws are not applicable, and say what would help; a failing command is told."""
    _, out, _ = run(capsys, "conformance", "embedded", "--only", "restart")
    assert out.count("--restart COMMAND") == 3
    failing = shlex.join([sys.executable, "-c", "raise SystemExit(7)"])
    with pytest.raises(MissingPart, match="ended with the code 7"):
        run_restart(shlex.split(failing))
    with told.raises(MissingPart):
        run_restart(["no-such-program-here"])


@pytest.mark.req("EX-26")
def test_a_limit_and_a_first_failure(capsys: pytest.CaptureFixture[str], tmp_path: Path, told: Told) -> None:
    """What is not reached within --limit ends with 4, after a broken law with 3; --fail-fast ends there."""
    code, out, _ = run(capsys, "conformance", "embedded", "--limit", "1")
    assert code == 4
    assert "the time limit of the run, 1 s," in out
    program = tmp_path / "game.py"
    program.write_text(LAW_BREAKER)
    command = shlex.join([sys.executable, str(program)])
    only = ["--only", "truth.move", "--only", "truth.jump"]
    code, out, _ = run(capsys, "conformance", "--launch", command, *only, "--fail-fast")
    assert code == 3
    told(*lines_about(out, "truth.jump"))
    assert run(capsys, "conformance", "embedded", "--limit", "0")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["tcp://127.0.0.1:1"], 4, "nothing listens"),
        (["--launch", "no-such-program-here"], 4, "cannot be started"),
        (["--launch", f"{shlex.quote(sys.executable)} -c 'print(1)'"], 4, "says '1'"),
        (["--launch", f"{shlex.quote(sys.executable)} -c 'pass'"], 4, "says nothing"),
        (["tcp://192.0.2.1:5001"], 2, "not this computer"),
        (["5001"], 2, "tcp://127.0.0.1:5001"),
        ([], 2, "either an ADDRESS or a program"),
        (["embedded", "--launch", "x"], 2, "either an ADDRESS or a program"),
        (["embedded", "--only", "framing.deepth"], 2, "framing.depth"),
    ],
)
def test_nothing_to_try(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str) -> None:
    """Without an executor the exit code is 4, with an invalid line 2; both say what to do."""
    got, _, err = run(capsys, "conformance", *arguments)
    assert got == code
    assert words in err


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    """--list prints the laws and runs no check."""
    code, out, _ = run(capsys, "conformance", "--list")
    assert code == 0
    assert len(out.splitlines()) == len(CHECKS)
    assert "framing.duplicate_keys" in out
    assert run_json(capsys, "conformance", "--list")[1][0]["check"] == "handshake.welcome"


def test_on_a_terminal(told: Told) -> None:
    """On a terminal there is a table, then each broken law with its frames, then the summary."""
    out = StringIO()
    show_report(TimeNotMeasured().tested("conduct", "intents"), Console(file=out, width=120))
    text = out.getvalue()
    assert "conduct.time_measured" in text
    assert "docs/protocol.md, Results" in text
    told(*lines_about(text, "found:"), text.splitlines()[-1].rpartition(" (")[0])
    show_report(Modest().tested("opening"), Console(file=out, width=120))
    assert "conforms" in out.getvalue().splitlines()[-1]


class Terminal(StringIO):
    """An output that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_for_those_who_look_on(capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal a bar names the running check; on a pipe there is none, and each row is printed as soon as it is known."""
    on, row = Terminal(), Modest().tested("goodbye.ends").rows[0]
    with progress(1, on=on, lines=False) as listeners:
        assert listeners.trying is not None
        assert listeners.tell is not None
        listeners.trying(CHECKS[-1])
        listeners.tell(row)
    assert CHECKS[-1].name in on.getvalue()
    assert capsys.readouterr().out == ""
    pipe = StringIO()
    with progress(1, on=pipe, lines=True) as listeners:
        assert listeners.trying is None
        assert listeners.tell is not None
        listeners.tell(row)
        assert capsys.readouterr().out.split() == ["holds", "goodbye.ends"]
    assert pipe.getvalue() == ""


PROBE = """
from volition.execution.worlds.arena.probe import ArenaProbe

class Mine(ArenaProbe):
    def fits(self, schema):
        print("asked:", schema["name"])
        return schema["name"] == "arena"

class Other(Mine):
    def fits(self, schema):
        return False

class Half:
    def see(self, data):
        return None
"""


@pytest.mark.req("EX-18")
def test_a_probe_by_name(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--probe takes a class from a module of the current folder; one that lacks a method or does not fit is refused."""
    (tmp_path / "my_probe.py").write_text(PROBE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    code, out, _ = run(capsys, "conformance", "embedded", "--probe", "my_probe:Mine", "--only", "truth.move")
    assert (code, out.splitlines()[0]) == (0, "asked: arena")
    for name, words in (("Other", "does not read the states"), ("Half", "lacks fits"), ("Nobody", "has no 'Nobody'")):
        code, _, err = run(capsys, "conformance", "embedded", "--probe", f"my_probe:{name}", "--only", "truth.move")
        assert code == 2
        assert words in err
