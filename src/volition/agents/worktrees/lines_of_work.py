"""Lines of work: every worktree with what is not committed in it, and every branch that nobody has checked out."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from volition.agents.guard.git import ask_git, git, names_in
from volition.agents.guard.sessions import everybodys_plans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.guard.index import TeamIndex
    from volition.agents.guard.setting import GuardSetting
    from volition.agents.repository import Repository

_STATUS = ("--name-status", "--no-renames", "--ignore-submodules=none", "-z")
_AUTHOR = ("-c", "user.name=volition", "-c", "user.email=volition@localhost")


class WorkLine(msgspec.Struct, frozen=True):
    """A worktree, or a branch that nobody has checked out."""

    name: str
    tree: str
    """The folder of the worktree; empty for a branch."""
    commit: str
    """Everything in it, committed or not."""
    parted: str
    """The commit at which it parted from the base."""
    changed: frozenset[str]
    """The paths that it changed since then."""
    removed: frozenset[str]
    """Those of the changed paths that are gone."""
    plans: tuple[str, ...] = ()
    """The plans that are worked on there."""
    dirty: bool = False
    """Whether something is not committed yet."""


def work_lines(
    repository: Repository, base: str, setting: GuardSetting | None, index: TeamIndex | None
) -> tuple[list[WorkLine], list[str]]:
    """Every line of work that changed something since it parted from the base, by name; and the names of those that have no
    commit in common with the base, which cannot be compared."""
    root = str(repository.root)
    named: list[tuple[str, WorkLine | None]] = []
    checked_out = set()
    trees = _worktrees(root)
    for tree, branch, head in trees:
        checked_out.add(branch)
        if not head:
            continue
        inner = [other for other, _, _ in trees if other.startswith(f"{tree}/")]
        commit = commit_of_tree(tree, head, inner) if Path(tree).is_dir() else head
        plans = everybodys_plans(setting, index, str(Path(tree).resolve())) if setting and index else ()
        name = branch or Path(tree).name
        named.append((name, _line(root, base, name, tree, commit, plans, dirty=commit != head)))
    listed = git(root, "for-each-ref", "--format=%(objectname) %(refname:short)", "refs/heads").decode().splitlines()
    for commit, _, branch in (line.partition(" ") for line in listed):
        if branch not in checked_out:
            named.append((branch, _line(root, base, branch, "", commit, (), dirty=False)))
    lines = sorted((line for _, line in named if line and line.changed), key=lambda line: (line.name, line.tree))
    return lines, sorted(name for name, line in named if line is None)


def _line(
    root: str, base: str, name: str, tree: str, commit: str, plans: tuple[str, ...], *, dirty: bool
) -> WorkLine | None:
    """A line of work; None if it has no commit in common with the base."""
    known = _since(root, base, commit)
    return known and WorkLine(name, tree, commit, *known, plans, dirty)


@lru_cache(maxsize=4096)
def _since(root: str, base: str, commit: str) -> tuple[str, frozenset[str], frozenset[str]] | None:
    """Where a commit parted from the base, and the paths that are changed and gone since; remembered, because a radar asks
    every few seconds and commits do not change."""
    parted = ask_git(root, "merge-base", base, commit)
    if not parted:
        return None
    printed = names_in(git(root, "diff-tree", "-r", *_STATUS, parted, commit))
    states, paths = printed[::2], printed[1::2]
    gone = frozenset(path for state, path in zip(states, paths, strict=True) if state == "D")
    return parted, frozenset(paths), gone


def _worktrees(root: str) -> list[tuple[str, str, str]]:
    """Every worktree: its folder, its branch or nothing, and its commit or nothing."""
    worktrees: list[list[str]] = []
    for item in names_in(git(root, "worktree", "list", "--porcelain", "-z")):
        key, _, value = item.partition(" ")
        if key == "worktree":
            worktrees.append([value, "", ""])
        elif key == "branch":
            worktrees[-1][1] = value.removeprefix("refs/heads/")
        elif key == "HEAD" and value.strip("0"):
            worktrees[-1][2] = value
        elif key == "bare":
            worktrees.pop()
    return [(tree, branch, head) for tree, branch, head in worktrees]


def commit_of_tree(tree: str, head: str, inner: Sequence[str] = ()) -> str:
    """A commit of everything in a worktree, committed or not; the worktree, its index and its branch stay as they are.

    It is an object that no branch leads to, which git removes later. `inner` are worktrees in folders of this one: what
    is in them is theirs.
    """
    if not git(tree, "status", "--porcelain", "-z"):
        return head
    others = [f":(exclude,top,literal){os.path.relpath(other, tree)}" for other in inner]
    with tempfile.TemporaryDirectory() as place:
        index = f"{place}/index"
        git(tree, "read-tree", head, index=index)
        git(tree, "add", "--all", "--ignore-errors", "--", ".", *others, index=index, fine=(0, 1))
        tree_id = git(tree, "write-tree", index=index).decode().strip()
    return (
        _commit(tree, tree_id, head) if tree_id != git(tree, "rev-parse", f"{head}^{{tree}}").decode().strip() else head
    )


@lru_cache(maxsize=256)
def _commit(tree: str, made: str, head: str) -> str:
    """The commit of a tree after another; the same for as long as both stay the same, though its time would differ."""
    return git(tree, *_AUTHOR, "commit-tree", made, "-p", head, "-m", "not committed yet").decode().strip()
