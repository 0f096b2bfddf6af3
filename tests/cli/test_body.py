"""`volition body`: bodies are copied whole, and the copy drives."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import run
from tests.processes import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path


def test_a_copy_drives_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The copy of a body is a package that runs by itself: it names a veto of the zone, and arrives."""
    pytest.importorskip("mujoco", reason="mujoco-core is not installed: the rover is NOT TESTED")
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "body", "copy", "mujoco", "my_robot")
    assert code == 0
    assert "rover.xml" in out
    done = subprocess.run(
        [sys.executable, "-m", "my_robot.drive"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert "move:0 was vetoed by forbidden (the way meets the zone)" in done.stdout
    assert done.stdout.splitlines()[-1].endswith(": there")


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with something in it is refused, and stays as it is."""
    (tmp_path / "notes").write_text("mine")
    code, _, error = run(capsys, "body", "copy", "mujoco", str(tmp_path))
    assert code == 2
    assert str(tmp_path) in error
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_an_unknown_body_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is no body is refused with the names that there are, and no folder is made."""
    code, _, error = run(capsys, "body", "copy", "mujoko", str(tmp_path / "new"))
    assert code == 2
    assert "mujoco" in error
    assert not (tmp_path / "new").exists()
