"""`volition java`: the module written out, the jar's place, and an answer where there is no JDK."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from volition.cli.java import java
from volition.core.errors import InvalidInput, MissingPart

if TYPE_CHECKING:
    import pytest


def test_the_module_is_written(tmp_path: Path) -> None:
    """The command writes a module that begins with its README, and refuses a folder that holds something."""
    target = tmp_path / "executor"
    done = CliRunner().invoke(java, ["export", str(target)])
    assert done.exit_code == 0
    assert str(target / "README.md") in done.output
    assert (target / "pom.xml").exists()
    again = CliRunner().invoke(java, ["export", str(target)])
    assert isinstance(again.exception, InvalidInput)


def test_the_jar_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints where the jar is; without a JDK it says what is missing."""
    done = CliRunner().invoke(java, ["jar"])
    assert Path(done.output.strip()).exists()
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    missing = CliRunner().invoke(java, ["jar"])
    assert isinstance(missing.exception, MissingPart)
