"""`volition stage-in-world`: on paper every cue is a line, and an executor that is no stage is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import run_in
from volition.drama import Evening, play, scenario
from volition.execution import ExecutorServer
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ArenaExecutor, find_map

if TYPE_CHECKING:
    from pathlib import Path


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


def test_what_is_no_stage_is_refused(folder: Path) -> None:
    """An arena cannot be a stage: the refusal names what it lacks and what to do."""
    with ExecutorServer.listen(
        "tcp://127.0.0.1:0", ArenaExecutor(Arena(find_map("courtyard"), seed=1))
    ).running() as address:
        done = run_in(folder, "stage-in-world", "short", "--executor", address)
    assert done.code == 2
    assert "cannot do SET, ENTER" in done.err
    assert "volition body minestom" in done.err
