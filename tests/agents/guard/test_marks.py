"""Before a call, a worktree is not read where nothing can have appeared or vanished; who changed what is told all the same."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.desks import SESSION, git
from volition.agents.guard import git as git_module
from volition.agents.guard.git import GitProcess, start_git
from volition.agents.guard.marks import MARGIN
from volition.agents.guard.tree import is_still

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.agents.desks import Desk
    from volition.agents.guard.clients import HookAnswer

    Work = Callable[[Path], object]


def let_the_clock_step() -> None:
    """Wait until a change has another time than the ones before it."""
    time.sleep(MARGIN / 1e9 + 0.005)


def ask(desk: Desk, moment: str = "before", **about: Any) -> HookAnswer:
    """An event of a command line of which nothing is known."""
    return desk.hook("claude", moment, way="shell", command="python3 work.py", **about)


@pytest.fixture
def looked(desk: Desk) -> Desk:
    """A worktree with an untracked file and a linked worktree, that was looked at."""
    (desk.repo / "notes").mkdir()
    (desk.repo / "notes" / "a.txt").write_text("x\n")
    git(desk.repo, "branch", "other")
    let_the_clock_step()
    desk.hook("claude", "start")
    assert is_still(str(desk.repo), desk.setting.home)
    return desk


@pytest.mark.req("AG-03")
@pytest.mark.parametrize(
    "work",
    [
        lambda repo: (repo / "src" / "new.py").touch(),
        lambda repo: (repo / "src" / "free.py").unlink(),
        lambda repo: (repo / "src" / "free.py").rename(repo / "src" / "free2.py"),
        lambda repo: _draft(repo).replace(repo / "src" / "free.py"),
        lambda repo: (repo / "notes" / "a.txt").unlink(),
        lambda repo: (repo / "notes" / "b.txt").touch(),
        lambda repo: git(repo, "add", "notes"),
        lambda repo: git(repo, "update-index", "--skip-worktree", "src/free.py"),
        lambda repo: git(repo, "commit", "-q", "--allow-empty", "-m", "x"),
        lambda repo: git(repo, "checkout", "-q", "other"),
        lambda repo: git(repo, "branch", "topic/deep"),
        lambda repo: (repo / ".git" / "refs" / "heads" / "other").write_text("0" * 40),
        lambda repo: (repo / ".git" / "info" / "exclude").write_text("*.py"),
        lambda repo: git(repo, "config", "core.hooksPath", "/dev/null"),
        lambda repo: (repo / ".mcp.json").write_text("{}"),
        lambda repo: (repo / ".gitmodules").touch(),
    ],
)
def test_what_appears_vanishes_or_moves_is_looked_at(looked: Desk, work: Work) -> None:
    """A file that is made, removed, renamed or replaced, an index, a commit, a branch, a setting: with any of them the
    worktree is read before the next call, even if the times that a program can set are set back."""
    before = {place: place.stat() for place in (looked.repo, looked.repo / "src", looked.repo / "notes")}
    work(looked.repo)
    for place, stat in before.items():
        os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    let_the_clock_step()
    assert not is_still(str(looked.repo), looked.setting.home)


def _draft(repo: Path) -> Path:
    place = repo / ".git" / "draft"
    place.write_text("x")
    return place


def test_git_is_not_asked_before_a_call_without_need(looked: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """If nothing appeared or vanished since the last look, git does not run before a call in a worktree; after one it does."""
    lines: list[str] = []

    def start(tree: str, *words: str) -> GitProcess:
        lines.append(words[0])
        return start_git(tree, *words)

    monkeypatch.setattr(git_module, "start_git", start)
    (looked.repo / "src" / "free.py").write_text("in place\n")
    let_the_clock_step()
    assert ask(looked).code == 0
    assert lines == []
    ask(looked, "after")
    assert lines == ["status"]


@pytest.mark.req("AG-06")
def test_the_time_tells_who_changed_a_file_in_place(looked: Desk) -> None:
    """A file that somebody wrote in place before a call is not put down to the session, whatever the call does besides; one
    that it writes itself is, and one that it commits or hides is."""
    free, theirs = looked.repo / "src" / "free.py", looked.repo / "src" / "theirs.py"
    free.write_text("by a person\n")
    (looked.repo / "notes" / "a.txt").write_text("by a person\n")
    let_the_clock_step()
    assert ask(looked).code == 0
    (looked.repo / "src" / "junk.py").touch()
    let_the_clock_step()
    said = ask(looked, "after").err
    assert "src/junk.py changed" in said
    assert "free.py" not in said
    assert "a.txt" not in said
    recorded = {
        path: entry["by"] for entry in looked.entries() if entry["what"] == "stray" for path in entry["targets"]
    }
    assert recorded == {"src/junk.py": SESSION, "src/free.py": "", "notes/a.txt": ""}
    theirs.write_text("by bob\n")
    let_the_clock_step()
    assert ask(looked).code == 0
    git(looked.repo, "commit", "-qam", "the session commits it")
    assert "src/theirs.py changed" in ask(looked, "after").err


def test_two_calls_of_one_session_at_once(looked: Desk) -> None:
    """What the first of two calls changed before the second began is put down to the session."""
    assert ask(looked).code == 0
    let_the_clock_step()
    (looked.repo / "src" / "free.py").write_text("by the first\n")
    let_the_clock_step()
    assert ask(looked).code == 0
    assert "src/free.py changed" in ask(looked, "after").err


def test_a_change_at_the_moment_of_a_look_is_not_lost(looked: Desk) -> None:
    """A folder that changed right before or during a look is not trusted: the next look reads it."""
    (looked.repo / "src" / "one.py").touch()
    subprocess.run(["sleep", "0"], check=True)
    ask(looked, "after")
    (looked.repo / "src" / "one.py").unlink()
    (looked.repo / "src" / "two.py").touch()
    assert not is_still(str(looked.repo), looked.setting.home)
