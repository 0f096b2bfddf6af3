"""Whether two lines of work merge, asked of git's own merge, which touches no worktree."""

from __future__ import annotations

from volition.agents.guard.git import end_git, names_in, start_git
from volition.agents.guard.setting import GuardFailure


def merge_conflicts(root: str, one: str, other: str) -> list[str]:
    """The paths in which two commits conflict; empty if they merge. GuardFailure if git cannot say.

    A commit that does not exist ends with the code of a conflict, but without the id of a tree.
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
