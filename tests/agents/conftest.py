"""A guarded repository for the tests of the guard; making one takes a tenth of a second, copying it a hundredth.

Folders are in memory where there is room: a guard replaces a file at every event and a registry waits for the disk at every
turn, which on a busy disk takes longer than everything else, and no law here is about what a disk keeps.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import Desk, lay_out_desk, write_setting
from tests.in_memory import place_in_memory
from volition.agents.guard.sessions import Identity, bind_session

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def folder_in_memory() -> Iterator[Path]:
    """A folder for the whole session."""
    with tempfile.TemporaryDirectory(prefix="volition-", dir=place_in_memory(), ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@pytest.fixture(scope="session")
def folder_of_python(folder_in_memory: Path) -> Path:
    """A folder with a `python3` that starts this interpreter."""
    folder = folder_in_memory / "this-python"
    folder.mkdir()
    (folder / "python3").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    (folder / "python3").chmod(0o700)
    return folder


@pytest.fixture(autouse=True)
def this_python(folder_of_python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `python3` in a command be this one, and pytest in a command load no plugins: a launcher that looks for a version
    takes six times as long to start."""
    monkeypatch.setenv("PATH", str(folder_of_python), prepend=os.pathsep)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def tmp_path(folder_in_memory: Path) -> Iterator[Path]:
    """An empty folder for one test, which is removed after it."""
    folder = Path(tempfile.mkdtemp(dir=folder_in_memory))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def laid_out(folder_in_memory: Path) -> Desk:
    """One desk, which nobody changes."""
    (folder_in_memory / "laid-out").mkdir()
    return lay_out_desk(folder_in_memory / "laid-out")


@pytest.fixture
def desk(laid_out: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A copy of it to work at; no plan is named in the environment."""
    monkeypatch.delenv("VOLITION_PLAN", raising=False)
    shutil.copytree(laid_out.repo.parent, tmp_path / "desk")
    repo = tmp_path / "desk" / "repo"
    setting = laid_out.setting._replace(
        home=str(repo / ".git" / "volition"),
        registry=str(tmp_path / "desk" / "team.db"),
        index_file=str(tmp_path / "desk" / "team.db.guard.json"),
    )
    write_setting(setting)
    bind_session(setting, Identity("session-1"), ["intent_mine_01"], str(repo))
    return Desk(repo, setting, tmp_path / "desk" / "team.db")
