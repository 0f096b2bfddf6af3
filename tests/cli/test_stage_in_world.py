"""`volition stage-in-world`: on paper every cue is a line, and an executor that is no stage is refused."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import run_in
from tests.processes import PATIENCE
from volition.cli.exits import INTERRUPTED
from volition.cli.stage_in_world import follow_record
from volition.core.errors import MissingPart
from volition.drama import Evening, play, scenario
from volition.drama.stage.archive import Recorder
from volition.execution import ExecutorServer
from volition.execution.worlds import minestom
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ArenaExecutor, find_map

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("staged")
    play(scenario("dinner-party"), 8, ticks=12).save(folder / "volition-runs" / "short")
    return folder


def test_on_paper_every_cue_is_a_line(folder: Path) -> None:
    """The set, everybody's entrance, what is said, and a line at the end; the record is what it was."""
    before = Evening.load(folder / "volition-runs" / "short").run
    done = run_in(folder, "stage-in-world", "short")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("SET")
    assert [line.split()[1] for line in lines if line.startswith("ENTER")][:3] == ["diana", "elena", "lydia"]
    assert any(line.startswith("SAY ") and line.endswith('"') for line in lines)
    assert lines[-1].startswith("12 ticks, ")
    assert Evening.load(folder / "volition-runs" / "short").run.ticks == before.ticks


def test_as_json(folder: Path) -> None:
    """With --json one document says what was shown."""
    done = run_in(folder, "stage-in-world", "short", "--at", 8, "--json")
    assert json.loads(done.out)["ticks"] == 4


def test_what_is_no_stage_is_refused(folder: Path, told: Told) -> None:
    """An arena cannot be a stage: the refusal names what it lacks and what to do."""
    with ExecutorServer.listen(
        "tcp://127.0.0.1:0", ArenaExecutor(Arena(find_map("courtyard"), seed=1))
    ).running() as address:
        done = run_in(folder, "stage-in-world", "short", "--executor", address)
    assert done.code == 2
    told(done.err)


@pytest.mark.parametrize("options", [["--stay"], ["--port", "0"], ["--game-port", "0"]])
def test_what_is_for_the_world_alone_is_refused_elsewhere(folder: Path, options: list[str]) -> None:
    """Paper cannot be joined and does not stay open: the refusal says which executor these options need."""
    done = run_in(folder, "stage-in-world", "short", *options)
    assert done.code == 2
    assert "--executor minestom" in done.err


def test_minestom_is_not_launched_twice(folder: Path, told: Told) -> None:
    """The world is started by the command: a program to launch beside it is a mistake."""
    done = run_in(folder, "stage-in-world", "short", "--executor", "minestom", "--launch", "true")
    assert done.code == 2
    told(done.err)


def test_a_record_that_nobody_writes_any_more_is_not_waited_for(folder: Path, told: Told) -> None:
    """With --follow the show of an evening that was broken off, and whose writer is gone, ends where the record does, and
    says so."""
    done = run_in(folder, "stage-in-world", "short", "--follow")
    assert done.code == 0
    told(done.err)
    assert done.out.splitlines()[-1] == run_in(folder, "stage-in-world", "short").out.splitlines()[-1]


def test_a_record_is_followed_as_long_as_its_writer_lives(tmp_path: Path) -> None:
    """While somebody holds the record there is more to come, also where nothing has come; what was written last is shown even
    if its writer is gone by then; and a writer that dies, however it dies, ends the wait."""
    path, warnings = tmp_path / "evening", list[str]()
    more = follow_record(path, warnings.append)
    whole = play(scenario("dinner-party"), 8, ticks=12)
    with Recorder(path) as recorder:
        recorder.begin(whole.run)
        for tick in whole.run.ticks[:5]:
            recorder.tick(tick)
        shown = more(Evening.load(path))
        assert shown is not None
        assert more(shown) is not None, "it may go on"
        for tick in whole.run.ticks[5:8]:
            recorder.tick(tick)
    further = more(shown)
    assert further is not None
    assert (len(shown.run.ticks), len(further.run.ticks), warnings) == (5, 8, [])
    assert more(further) is None
    assert warnings == ["nobody plays evening any more: the show ends where its record does"]


def test_in_the_world_it_is_shown_and_the_world_stays_until_interrupted(folder: Path) -> None:
    """The server is started with the show and says where to join; with --stay it ends with Ctrl-C, and leaves no process."""
    try:
        minestom.find_java()
    except MissingPart:
        pytest.skip("NO JAVA 25: no evening is shown in the Minestom world here; make minestom gets it")
    if minestom.find_built() is None:
        pytest.skip("NOT BUILT: no evening is shown in the Minestom world here; make minestom builds it")
    command = [sys.executable, "-m", "volition.cli", "stage-in-world", "short", "--executor", "minestom"]
    options = ["--game-port", "0", "--pace", "0", "--at", "10", "--stay", "--token", "sesame"]
    with subprocess.Popen([*command, *options], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            join, report = process.stdout.readline(), process.stdout.readline()
            assert join.startswith("join it with Minecraft 26.1.2 at 127.0.0.1:")
            port = int(join.partition(";")[0].rpartition(":")[2])
            assert report.startswith("2 ticks, ")
            assert process.stdout.readline().startswith("the world stays open")
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE) == INTERRUPTED
        finally:
            process.kill()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
