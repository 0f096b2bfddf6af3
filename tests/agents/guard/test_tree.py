"""Two looks at a worktree show every path that changed, in whatever way it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import git
from volition.agents.guard.setting import GuardFailure
from volition.agents.guard.tree import find_changes, snapshot_from, take_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sentences import Told

    Work = Callable[[Path], object]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with two commits, a branch `other` that changes b.py, and a dirty c.py."""
    git(tmp_path, "init", "-q")
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("one\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    git(tmp_path, "checkout", "-qb", "other")
    (tmp_path / "b.py").write_text("other\n")
    git(tmp_path, "commit", "-qam", "other")
    git(tmp_path, "checkout", "-q", "main")
    (tmp_path / "a.py").write_text("two\n")
    git(tmp_path, "commit", "-qam", "two")
    (tmp_path / "c.py").write_text("dirty\n")
    return tmp_path


def _write(name: str, text: str = "x\n") -> Work:
    return lambda repo: (repo / name).write_text(text)


def _git(*words: str) -> Work:
    return lambda repo: git(repo, *words)


@pytest.mark.req("AG-03")
@pytest.mark.parametrize(
    ("works", "changed"),
    [
        ([], []),
        ([_write("new.py")], ["new.py"]),
        ([_write("c.py", "dirtier\n")], ["c.py"]),
        ([_write("b.py"), _git("add", "-A"), _git("commit", "-qm", "x")], ["b.py", "c.py"]),
        ([_git("commit", "-qam", "c")], ["c.py"]),
        ([_git("checkout", "--", "c.py")], ["c.py"]),
        ([_git("stash", "-q")], ["c.py"]),
        ([_git("reset", "-q", "--hard", "HEAD~1")], ["a.py", "c.py"]),
        ([_git("checkout", "-q", "other")], ["a.py", "b.py"]),
        ([_git("merge", "-q", "--no-edit", "other")], []),
        ([_git("checkout", "-qb", "mine"), _write("b.py"), _git("commit", "-qam", "b")], ["b.py", "c.py"]),
        ([_write("b.py"), _git("commit", "-qam", "b"), _git("branch", "decoy")], ["b.py", "c.py"]),
        ([lambda repo: (repo / "a.py").unlink()], ["a.py"]),
        ([lambda repo: (repo / "a.py").chmod(0o755)], ["a.py"]),
        ([lambda repo: (repo / "a.py").rename(repo / "z.py")], ["a.py", "z.py"]),
    ],
)
def test_every_change_is_seen(repo: Path, works: list[Work], changed: list[str]) -> None:
    """Writing, committing, resetting, stashing, switching and renaming are seen; what another branch had before and is
    merged is not a change of this worktree."""
    before = take_snapshot(str(repo))
    for work in works:
        work(repo)
    assert find_changes(str(repo), snapshot_from(before.to_data()), take_snapshot(str(repo))) == changed


def test_a_repository_without_commits(tmp_path: Path) -> None:
    """Before the first commit every file is new; the first commit shows what it holds."""
    git(tmp_path, "init", "-q")
    nothing = take_snapshot(str(tmp_path))
    (tmp_path / "a.py").write_text("x")
    dirty = take_snapshot(str(tmp_path))
    assert find_changes(str(tmp_path), nothing, dirty) == ["a.py"]
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    assert find_changes(str(tmp_path), nothing, take_snapshot(str(tmp_path))) == ["a.py"]


def test_a_submodule(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file that changes in a submodule is seen, the second time too."""
    inner = tmp_path_factory.mktemp("inner")
    git(inner, "init", "-q")
    (inner / "x.py").write_text("x")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "x")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    git(repo, "commit", "-qm", "lib")
    looks = [take_snapshot(str(repo))]
    for text in ("1", "22"):
        (repo / "lib" / "x.py").write_text(text)
        looks.append(take_snapshot(str(repo)))
    assert "lib/x.py" in find_changes(str(repo), looks[0], looks[1])
    assert "lib/x.py" in find_changes(str(repo), looks[1], looks[2])


def test_no_repository_and_a_broken_snapshot(tmp_path: Path, told: Told) -> None:
    """Where git cannot answer, or the last look is broken, nothing is called unchanged."""
    with pytest.raises(GuardFailure, match="git status failed"):
        take_snapshot(str(tmp_path))
    with told.raises(GuardFailure):
        snapshot_from({"head": 1})
