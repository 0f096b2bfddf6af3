"""The tour: the four systems in a terminal, and what to type next."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import Ended, parsed, run, run_in, words
from volition.cli.printing import program_name

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the tour is taken."""
    return tmp_path_factory.mktemp("tour")


@pytest.fixture(scope="module")
def tour(place: Path) -> Ended:
    """The tour as it is taken there."""
    return run_in(place, "tour")


def test_the_tour_shows_the_four_systems(place: Path, tour: Ended) -> None:
    """The tour decides, plays, governs and drives, numbers its steps, and leaves nothing behind."""
    code, out, err = tour
    assert (code, err, list(place.iterdir())) == (0, "", [])
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", out, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    assert out.startswith(f"Volition in {len(steps)} steps.")
    assert all(said in out for said in ("arbitrate([", "play(scenario(", "evaluate(", "connect("))


def test_what_the_tour_suggests_can_be_typed(tour: Ended, capsys: pytest.CaptureFixture[str]) -> None:
    """Each line under `From here` is a valid command."""
    lines = re.findall(r"^  (volition .+?)  +\S", tour.out.partition("From here")[2], re.MULTILINE)
    assert len(lines) >= 5
    for line in lines:
        if line.endswith(" --help"):
            assert run(capsys, *words(line))[0] == 0
        else:
            parsed(line)


@pytest.mark.parametrize("found", [True, False])
def test_next_steps_name_the_program_as_it_can_be_called(
    found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the shell does not find `volition`, next steps use the path that it was started by."""
    program = tmp_path / ".venv" / "bin" / "volition"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [".venv/bin/volition", "runs"])
    monkeypatch.setenv("PATH", str(program.parent) if found else str(tmp_path))
    name = "volition" if found else ".venv/bin/volition"
    assert program_name() == name
    assert run(capsys, "runs")[1] == f"there are no runs in volition-runs; {name} play records one\n"


def test_another_volition_on_the_path_is_not_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of the same name elsewhere is not recommended."""
    for folder in ("mine", "theirs"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "volition").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "theirs"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "mine" / "volition")])
    assert shutil.which("volition") is not None
    assert program_name() == str(tmp_path / "mine" / "volition")


def test_no_path_is_told_that_is_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Called as a module or from a test, the program is `volition`."""
    monkeypatch.setattr(sys, "argv", ["/nowhere/__main__.py"])
    assert program_name() == "volition"
