"""A guarded repository for the tests of the guard; making one takes a tenth of a second, copying it a hundredth."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import Desk, lay_out_desk, write_setting
from volition.agents.guard.sessions import Identity, bind_session

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One desk, which nobody changes."""
    return lay_out_desk(tmp_path_factory.mktemp("desk"))


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
