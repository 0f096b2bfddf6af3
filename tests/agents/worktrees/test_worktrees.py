"""Lines of work: what git would not merge is found, committed or not, and is checked against what the plans declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import MINE, THEIRS, git
from tests.cli.lines import run, run_json
from volition.agents.guard.sessions import bind_tree
from volition.agents.guard.setting import GuardFailure
from volition.agents.worktrees.merging import conflicts_of_pairs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.sentences import Told


@pytest.fixture
def two(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two worktrees with a plan each: `ann` has src/mine.py and src/new, `bob` src/theirs.py."""
    monkeypatch.chdir(desk.repo)
    trees = (desk.repo.parent / "ann", desk.repo.parent / "bob")
    for tree, plan in zip(trees, (MINE, THEIRS), strict=True):
        git(desk.repo, "worktree", "add", "-q", str(tree))
        bind_tree(desk.setting, str(tree), [plan])
    return trees


def test_apart(two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Lines that keep to their plans are listed, and nothing is to be settled; a line that changed nothing is left out."""
    ann, bob = two
    (ann / "src" / "mine.py").write_text("ann\n")
    (bob / "src" / "theirs.py").write_text("bob\n")
    code, seen = run_json(capsys, "worktrees")
    assert (code, [line["name"] for line in seen["lines"]], seen["pairs"]) == (0, ["ann", "bob"], [])
    assert [(line["plans"], line["changed"], line["dirty"]) for line in seen["lines"]] == [
        ([MINE], ["src/mine.py"], True),
        ([THEIRS], ["src/theirs.py"], True),
    ]
    assert git(ann, "status", "--porcelain") == " M src/mine.py\n"


def test_conflicts_unplanned_changes_and_complements(
    two: tuple[Path, Path], capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """A conflict in a file of nobody is undeclared, one in a file of a plan is declared, and a file that both changed and
    that merges is evidence that they complement each other; whoever left the plan is named."""
    ann, bob = two
    for tree in two:
        (tree / "src" / "free.py").write_text(f"{tree.name}\n")
    code, seen = run_json(capsys, "worktrees")
    assert (code, seen["pairs"][0]["state"], seen["pairs"][0]["conflicts"]) == (
        3,
        "undeclared conflict",
        ["src/free.py"],
    )
    assert [line["strays"] for line in seen["lines"]] == [["src/free.py"], ["src/free.py"]]
    git(bob, "checkout", "-q", "--", ".")
    git(ann, "checkout", "-q", "--", ".")
    for tree in two:
        (tree / "src" / "mine.py").write_text(f"{tree.name}\n")
        git(tree, "commit", "-qam", "x")
    code, seen = run_json(capsys, "worktrees")
    assert seen["pairs"][0]["state"] == "declared conflict"
    told(run(capsys, "radar", "--once").out)
    for tree in two:
        git(tree, "reset", "-q", "--hard", "main")
    long = "".join(f"{number}\n" for number in range(20))
    (ann / "src" / "new").mkdir()
    (ann / "src" / "mine.py").write_text(long + "ann\n")
    (bob / "src" / "mine.py").write_text(long + "ann\n")
    code, seen = run_json(capsys, "worktrees")
    assert seen["pairs"][0]["state"] == "complementary"


def test_branches_and_a_detached_head(two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """A branch that nobody has checked out counts, and so does a worktree without a branch."""
    ann, bob = two
    (ann / "src" / "free.py").write_text("ann\n")
    git(ann, "commit", "-qam", "x")
    git(ann, "checkout", "-q", "--detach")
    (bob / "src" / "free.py").write_text("bob\n")
    git(bob, "commit", "-qam", "x")
    git(bob, "checkout", "-qb", "second", "main")
    _, seen = run_json(capsys, "worktrees", "--base", "main")
    assert [line["name"] for line in seen["lines"]] == ["ann", "ann", "bob"]
    states = {(pair["one"], pair["other"]): pair["state"] for pair in seen["pairs"]}
    assert states["ann", "bob"] == "undeclared conflict"


def test_without_a_guard_and_without_commits(tmp_path: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A repository without a guard is compared without plans; one without a base says what it needs."""
    git(tmp_path, "init", "-q")
    done = run(capsys, "worktrees", "--repository", str(tmp_path))
    assert done.code == 2
    told(done.err)
    (tmp_path / "a").write_text("a")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "a")
    assert run(capsys, "worktrees", "--repository", str(tmp_path)).out == "no line of work\n"


def test_a_commit_that_does_not_exist_is_no_conflict(desk: Desk) -> None:
    """Git ends with the code of a conflict for a bad name; that is an error, not an answer."""
    with pytest.raises(GuardFailure, match="cannot try the merge"):
        conflicts_of_pairs(str(desk.repo), [("HEAD", "nowhere")])
