"""What all lines of work are compared with."""

from __future__ import annotations

from typing import Final

from volition.agents.check.changes import commit_of
from volition.agents.guard.git import end_git, start_git
from volition.core.errors import refuse

_USUAL: Final = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


def base_commit(root: str, given: str) -> str:
    """The commit of the base that is given, or else of the first usual one; InvalidInput if there is none."""
    if given:
        return commit_of(root, given)
    for name in _USUAL:
        code, out, _ = end_git(start_git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"))
        if code == 0:
            return out.decode().strip()
    return refuse("no base was found", where=root, expected=f"one of {', '.join(_USUAL)}", remedy="name it with --base")
