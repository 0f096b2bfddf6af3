"""The status of a worktree, asked for before it is needed: git reads a large worktree while the rest of the guard is still
being imported, so that neither waits for the other."""

from __future__ import annotations

import os.path
from typing import Any, Final

from volition.agents.guard.git import GitProcess, drop_git, end_git, start_git
from volition.agents.guard.setting import GuardFailure

_STATUS: Final = (
    "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none",
)  # fmt: skip
_TIPS: Final = ("rev-parse", "--branches", "--remotes")
_READS: Final = frozenset(
    {"Read", "Glob", "Grep", "LS", "WebFetch", "read_file", "glob", "list_directory", "read_many_files"}
)
"""Tools after which nothing is looked at; the others are known when the event is read."""


class StatusAsked:
    """A worktree, with a git that reads its status and one that reads the tips of all branches."""

    def __init__(self, tree: str) -> None:
        self.tree = tree
        self._running: list[GitProcess] = [start_git(tree, *line) for line in (_STATUS, _TIPS)]

    def read(self) -> tuple[bytes, bytes]:
        """The status and the tips; once. GuardFailure if git fails."""
        (code, status, err), (_, tips, _) = [end_git(process) for process in self._take()]
        if code:
            raise GuardFailure(f"git status failed in {self.tree}: {err.splitlines()[0] if err else code}")
        return status, tips

    def drop(self) -> None:
        """Do without an answer that was not read."""
        for process in self._take():
            drop_git(process)

    def _take(self) -> list[GitProcess]:
        taken, self._running = self._running, []
        return taken


def ask_early(said: Any) -> StatusAsked | None:
    """Ask for the status of the worktree in which an event happens, if it will be looked at; the event is not read yet."""
    folder = said.get("cwd") if isinstance(said, dict) else None
    if not isinstance(folder, str) or "\0" in folder or str(said.get("tool_name")) in _READS:
        return None
    folder = os.path.realpath(folder)
    while folder != "/" and not os.path.lexists(os.path.join(folder, ".git")):
        folder = os.path.dirname(folder)
    return StatusAsked(folder) if folder != "/" else None
