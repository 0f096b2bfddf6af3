"""Lines of work: every worktree with what is not committed in it, and every branch that nobody has checked out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from volition.agents.guard.git import ask_git, end_git, git, names_in, start_git
from volition.agents.guard.sessions import everybodys_plans
from volition.agents.guard.setting import GuardFailure, GuardSetting

if TYPE_CHECKING:
    from volition.agents.guard.index import TeamIndex
    from volition.agents.repository import Repository

_AUTHOR = ("-c", "user.name=volition", "-c", "user.email=volition@localhost")


class WorkLine(NamedTuple):
    """A worktree or a branch: its commit with everything that is not committed yet, where it parted from the base, which
    paths it changed since, and the plans that are worked on there."""

    name: str
    tree: str
    commit: str
    parted: str
    changed: frozenset[str]
    plans: tuple[str, ...] = ()
    dirty: bool = False


def work_lines(
    repository: Repository, base: str, setting: GuardSetting | None, index: TeamIndex | None
) -> list[WorkLine]:
    """Every line of work that changed something since it branched off from the base, by name."""
    root = str(repository.root)
    found = []
    checked_out = set()
    for tree, branch, head in _worktrees(root):
        checked_out.add(branch)
        if not head:
            continue
        commit = commit_of_tree(tree, head) if Path(tree).is_dir() else head
        plans = everybodys_plans(setting, index, str(Path(tree).resolve())) if setting and index else ()
        name = branch or Path(tree).name
        found.append(_line(root, base, name, tree, commit, plans, dirty=commit != head))
    listed = git(root, "for-each-ref", "--format=%(objectname) %(refname:short)", "refs/heads").decode().splitlines()
    for commit, _, branch in (line.partition(" ") for line in listed):
        if branch not in checked_out:
            found.append(_line(root, base, branch, "", commit, (), dirty=False))
    return sorted((line for line in found if line.changed), key=lambda line: (line.name, line.tree))


def _line(root: str, base: str, name: str, tree: str, commit: str, plans: tuple[str, ...], *, dirty: bool) -> WorkLine:
    parted = ask_git(root, "merge-base", base, commit) or base
    changed = frozenset(names_in(git(root, "diff-tree", "-r", "--name-only", "--no-renames", "-z", parted, commit)))
    return WorkLine(name, tree, commit, parted, changed, plans, dirty)


def _worktrees(root: str) -> list[tuple[str, str, str]]:
    """Every worktree: its folder, its branch or nothing, and its commit or nothing."""
    found: list[list[str]] = []
    for item in names_in(git(root, "worktree", "list", "--porcelain", "-z")):
        key, _, value = item.partition(" ")
        if key == "worktree":
            found.append([value, "", ""])
        elif key == "branch":
            found[-1][1] = value.removeprefix("refs/heads/")
        elif key == "HEAD" and value.strip("0"):
            found[-1][2] = value
        elif key == "bare":
            found.pop()
    return [(tree, branch, head) for tree, branch, head in found]


def commit_of_tree(tree: str, head: str) -> str:
    """A commit of everything in a worktree, committed or not; the worktree, its index and its branch stay as they are.

    It is an object that no branch leads to, which git removes later.
    """
    if not git(tree, "status", "--porcelain", "-z"):
        return head
    with tempfile.TemporaryDirectory() as place:
        index = f"{place}/index"
        git(tree, "read-tree", head, index=index)
        git(tree, "add", "--all", "--ignore-errors", ".", index=index, fine=(0, 1))
        made = git(tree, "write-tree", index=index).decode().strip()
    return git(tree, *_AUTHOR, "commit-tree", made, "-p", head, "-m", "not committed yet").decode().strip()


def merge_conflicts(root: str, one: str, other: str) -> list[str]:
    """The paths in which two commits conflict; empty if they merge. GuardFailure if git cannot say.

    Git's own merge is asked, which touches no worktree. A commit that does not exist ends with the code of a conflict, but without the id of a tree.
    """
    code, out, err = end_git(
        start_git(root, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", one, other)
    )
    if code == 0:
        return []
    first, *paths = names_in(out) or [""]
    if code != 1 or len(first) < 40:
        said = err.splitlines()[0] if err else f"exit code {code}"
        raise GuardFailure(f"git cannot try the merge: {said}")
    return sorted(set(paths))
