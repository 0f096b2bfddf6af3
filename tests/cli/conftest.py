"""A desk at which a team works: two plans that collide, and a registry that need not be named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import Ended, run
from tests.workflow.plans import document

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two plans that collide, and a registry named in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOLITION_REGISTRY", "team.db")
    monkeypatch.setenv("VOLITION_HOLDER", "ann")
    for name in ("aaaaaa", "bbbbbb"):
        (tmp_path / f"{name}.json").write_bytes(document(name, "a.py"))
    return tmp_path


@pytest.fixture
def team(capsys: pytest.CaptureFixture[str]) -> Any:
    """Types `volition team`."""

    def call(*words: str) -> Ended:
        return run(capsys, "team", *words)

    return call
