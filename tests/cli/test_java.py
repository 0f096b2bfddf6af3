"""`volition java`: the exported module, the path of the jar, and the answer without a JDK."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.cli.lines import run
from volition.cli.exits import DONE, INVALID_INPUT, MISSING_PART

if TYPE_CHECKING:
    import pytest


def test_the_module_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes a module and names its README, and refuses a folder that is not empty."""
    target = tmp_path / "executor"
    done = run(capsys, "java", "export", target)
    assert done.code == DONE
    assert str(target / "README.md") in done.out
    assert (target / "pom.xml").exists()
    assert run(capsys, "java", "export", target).code == INVALID_INPUT


def test_the_jar_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints where the jar is; without a JDK it says what is missing."""
    assert Path(run(capsys, "java", "jar").out.strip()).exists()
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert run(capsys, "java", "jar").code == MISSING_PART
