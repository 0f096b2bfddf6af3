"""The status of a worktree, asked for before it is needed: git reads a large worktree while the rest of the guard is still
being imported, so that neither waits for the other. Before a call it is not asked for where nothing can have changed."""

from __future__ import annotations

import os.path

from volition.agents.guard.git import StatusAsked
from volition.agents.guard.lean import TYPE_CHECKING
from volition.agents.guard.setting import GuardFailure

if TYPE_CHECKING:
    from typing import Any, Final

_READS: Final = frozenset(
    {"Read", "Glob", "Grep", "LS", "WebFetch", "read_file", "glob", "list_directory", "read_many_files"}
)
"""Tools around which nothing is looked at; the others are known when the event is read."""
_WRITES: Final = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "replace", "apply_patch"})
"""Tools after which nothing is looked at."""
_BEFORE: Final = ("pre", "before")
"""How the names of events begin that come before a call."""


def ask_early(said: Any, home: str) -> StatusAsked | None:
    """Ask for the status of the worktree in which an event happens, if it will be looked at; the event is not read yet."""
    folder = said.get("cwd") if isinstance(said, dict) else None
    if not isinstance(folder, str) or "\0" in folder or str(said.get("tool_name")) in _READS:
        return None
    is_before = str(said.get("hook_event_name")).lower().startswith(_BEFORE)
    if not is_before and said.get("tool_name") in _WRITES:
        return None
    folder = os.path.realpath(folder)
    while folder != "/" and not os.path.lexists(os.path.join(folder, ".git")):
        folder = os.path.dirname(folder)
    if folder == "/":
        return None
    return StatusAsked(folder, still=is_before and _is_still(home, folder))


def _is_still(home: str, tree: str) -> bool:
    from volition.agents.guard.tree import is_still  # after a call git is at work before this is imported

    try:
        return is_still(tree, os.path.realpath(home))
    except GuardFailure:
        return False  # the look itself says what is wrong
