"""`volition drive`, as a person uses it: lines, JSON, a terminal, and what goes wrong."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import run
from tests.processes import PATIENCE, under_hash_seeds
from tests.sentences import lines_about
from volition.cli.show.live import LAST_RESULTS
from volition.core.errors import InvalidInput
from volition.execution.worlds.pilot import DefeatOpponent, Spot
from volition.execution.worlds.pilot.judge import parse_goal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

PROGRAM = "from volition.cli.drive import drive; drive.main({arguments!r}, standalone_mode=False)"


def test_a_line_for_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Piped, each step is a line with the choice, its result and its reason; then a summary, without times."""
    code, out, _ = run(capsys, "drive")
    lines = out.splitlines()
    assert code == 0
    assert lines[-3].startswith("goal opponent: met, the opponent is down")
    assert lines[-2].startswith(f"{len(lines) - 3} steps, ")
    assert "deaths 0" in lines[-1]
    assert [int(line.split()[0]) for line in lines[:-3]] == list(range(1, len(lines) - 2))
    assert any("attack" in line and "FAILURE COOLDOWN" in line for line in lines)
    assert all(" leads " in line or " tied " in line or "only candidate" in line for line in lines[:-3])
    assert "latency" not in out


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json there is one document with all steps and the summary."""
    code, out, _ = run(capsys, "drive", "--json", "--map", "foundry", "--seed", "3")
    told: dict[str, Any] = json.loads(out)
    assert code == 0
    assert told["summary"]["verdict"] == "met"
    assert told["summary"]["steps"] == len(told["steps"])
    assert {"chosen", "why", "rival", "outcome", "health", "verdict"} <= told["steps"][0].keys()
    assert any(step["chosen"] == "move:leap" for step in told["steps"])
    assert "latency_ms" not in told


def test_latency_is_told_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    """Measured times are printed only on request."""
    assert "latency p50" in run(capsys, "drive", "--latency")[1]
    assert {"p50", "p99"} == json.loads(run(capsys, "drive", "--latency", "--json")[1])["latency_ms"].keys()


def test_a_place_is_gone_to(capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A goal may be a place; the drive ends when a later state shows that it is reached."""
    _, out, _ = run(capsys, "drive", "--goal", "13.5,1.5")
    told(*lines_about(out, "goal"))
    _, out, _ = run(capsys, "drive", "--goal", "13.5,1.5", "--steps", "2")
    told(*lines_about(out, "goal"))


def test_the_same_seed_prints_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    """This process and another, whose hash seed is its own, print the same lines and the same JSON."""
    lines = (["--map", "foundry", "--seed", "7"], ["--json", "--steps", "30"])
    here = "".join(run(capsys, "drive", *arguments).out for arguments in lines)
    another = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
    there = under_hash_seeds("\n".join(PROGRAM.format(arguments=arguments) for arguments in lines), another)
    assert here
    assert there == {here.encode()}


def test_a_custom_map(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--map takes a file; one with mistakes is refused with all of them."""
    good = tmp_path / "ring.txt"
    good.write_text("name: ring\n######\n#@.&.#\n#....#\n######\n")
    assert run(capsys, "drive", "--map", str(good))[0] == 0
    bad = tmp_path / "bad.txt"
    bad.write_text("name: ring\n######\n#@.?.#\n######\n")
    code, _, err = run(capsys, "drive", "--map", str(bad))
    assert code == 2
    assert "legend" in err


def test_attempts_are_recorded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--journal writes a record of the drive into a folder."""
    folder = tmp_path / "journal"
    code, _, err = run(capsys, "drive", "--steps", "5", "--journal", str(folder))
    assert (code, err) == (0, "")
    assert any(folder.rglob("*"))


def test_another_process_is_driven(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--launch starts an executor, drives it over its own address, and the drive ends there."""
    program = tmp_path / "executor.py"
    program.write_text("from volition.cli.serve_arena import serve_arena\nserve_arena.main(['--hz', '100'])\n")
    code, out, _ = run(capsys, "drive", "--launch", f"{sys.executable} {program}", "--goal", "4.5,2.5", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["executor"], told["summary"]["verdict"], told["summary"]["violations"]) == ("arena", "met", 0)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--goal", "somewhere"], 2),
        (["--goal", "1,nan"], 2),
        (["--map", "atlantis"], 2),
        (["--steps", "0"], 2),
        (["--executor", "carrier-pigeon"], 2),
        (["--executor", "tcp://127.0.0.1:1"], 4),
    ],
)
def test_what_goes_wrong(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int) -> None:
    """Bad input is 2, a missing executor is 4, and both say what to do."""
    given, out, err = run(capsys, "drive", *arguments)
    assert given == code
    assert out == ""
    assert err


def test_goals_are_read() -> None:
    """A goal is the opponent or a place; anything else is refused with an example."""
    assert (parse_goal("opponent"), parse_goal("2.5, 1")) == (DefeatOpponent(), Spot(2.5, 1.0))
    with pytest.raises(InvalidInput, match=r"20\.5,8\.5"):
        parse_goal("2.5")


def test_it_can_be_watched(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """On a terminal the arena, the choice with its closest rival, the last results and the counts are shown to the end.

    How many pages the terminal gets to see before the last one depends on the machine; the last one is always drawn.
    """
    arguments = ["--map", "foundry", "--pace", "fast"]
    _, plain, _ = run(capsys, "drive", *arguments)
    last = [line.split()[3].encode() for line in plain.splitlines()[-3 - LAST_RESULTS : -3]]
    leader, follower = pty.openpty()
    command = [sys.executable, "-c", PROGRAM.format(arguments=arguments)]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "50"}
    with subprocess.Popen(command, cwd=tmp_path, stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while chunk := _read(leader):
            shown += chunk
        assert process.wait(timeout=PATIENCE) == 0
    os.close(leader)
    assert len(last) == LAST_RESULTS
    for part in (b"####---#", b"closest rival", b"last results", b"retries refused", b"latency p50", *last):
        assert part in shown, part


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""


def test_a_journal_is_not_begun_among_other_things(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """A folder with other files is refused and stays as it is; an empty one and a journal are accepted."""
    (tmp_path / "mine.txt").write_text("mine")
    code, _, err = run(capsys, "drive", "--steps", "1", "--journal", str(tmp_path))
    assert code == 2, err
    told(err)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "empty").mkdir()
    for _ in range(2):
        assert run(capsys, "drive", "--steps", "1", "--journal", str(tmp_path / "empty"))[0] == 0
