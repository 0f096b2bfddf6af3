"""The working tree before and after: which paths changed, however that was done.

A snapshot has the commit, every path that git calls changed or new, with its size, mode and time of change, and the tips
of all branches. Two snapshots show each path that appeared, vanished or changed again, and what the commits between
them changed, unless those commits were on another branch before. Files that the index hides from git status are among
the paths, and so is what arms the guard or tells git what to hide. Ignored files, and files outside, are not seen.
"""

from __future__ import annotations

import os
import re
from typing import Any, Final, NamedTuple

from volition.agents.guard.armed import armed_files, is_arming
from volition.agents.guard.early import StatusAsked
from volition.agents.guard.git import ask_git, end_git, git, git_folder, names_in, start_git
from volition.agents.guard.setting import GuardFailure

NO_COMMIT: Final = ""
_HIDDEN: Final = re.compile(rb"(?:^|\0)(?:[a-z]|S) ([^\0]+)")
"""A line of `git ls-files -v`: a small letter is assume-unchanged, S is skip-worktree."""


class Snapshot(NamedTuple):
    """A worktree at one moment."""

    head: str
    paths: dict[str, str]
    """Path -> how it differs from the commit, and a mark that changes with it."""
    tips: tuple[str, ...] = ()
    index_mark: str = ""
    """A mark that changes whenever the index is written."""
    hidden: tuple[str, ...] = ()
    """The paths that the index hides from git status."""

    def to_data(self) -> dict[str, Any]:
        return {
            "head": self.head, "paths": self.paths, "tips": list(self.tips), "index": self.index_mark,
            "hidden": list(self.hidden),
        }  # fmt: skip


def snapshot_from(data: Any) -> Snapshot:
    """A stored snapshot; GuardFailure if it is broken."""
    try:
        hidden = tuple(data.get("hidden", ()))
        return Snapshot(str(data["head"]), dict(data["paths"]), tuple(data["tips"]), str(data.get("index", "")), hidden)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise GuardFailure("the stored snapshot of the worktree is broken: volition guard reset") from None


def take_snapshot(
    tree: str, last: Snapshot | None = None, home: str = "", asked: StatusAsked | None = None
) -> Snapshot:
    """The worktree as it is now. `last` is an earlier snapshot, of which the hidden paths still hold if the index was not
    written since; with the guard's folder, what arms it is among the paths; `asked` is a status that is being read."""
    index = _mark(os.path.join(git_folder(tree), "index"))
    is_read = last is not None and index == last.index_mark
    listing = None if is_read else start_git(tree, "ls-files", "-v", "-z")
    status, tips = (asked or StatusAsked(tree)).read()
    listed = end_git(listing)[1] if listing else b""
    head, paths = NO_COMMIT, {}
    for line in status.split(b"\0"):
        if line.startswith(b"# branch.oid "):
            oid = line.split(b" ", 2)[2].decode()
            head = NO_COMMIT if oid == "(initial)" else oid
        elif line[:2] in {b"1 ", b"u "}:
            paths.update(_read_status_line(tree, line))
        elif line[:2] == b"? ":
            path = os.fsdecode(line[2:])
            paths[path] = f"?? {_mark(os.path.join(tree, path))}"
    hidden = tuple(map(os.fsdecode, _HIDDEN.findall(listed))) if listing else last.hidden if last else ()
    for path in hidden:
        paths[path] = f"hidden {_mark(os.path.join(tree, path))}"
    if home:
        paths |= armed_files(tree, home)
    return Snapshot(head, paths, tuple(sorted(set(tips.decode().split()))), index, hidden)


def _read_status_line(tree: str, line: bytes) -> dict[str, str]:
    """The path of one line of the status with its mark; for a submodule also the paths that changed in it."""
    kind = line[:1]
    fields = line.split(b" ", {b"1": 8, b"u": 10}[kind])
    path, state = os.fsdecode(fields[-1]), fields[1].decode()
    found = {path: f"{state} {_mark(os.path.join(tree, path))}"}
    if kind == b"1" and fields[2][:1] == b"S" and os.path.exists(os.path.join(tree, path, ".git")):
        inner = take_snapshot(os.path.join(tree, path))
        found[path] = f"{state} {inner.head}"
        found |= {f"{path}/{name}": mark for name, mark in inner.paths.items()}
    return found


def _mark(path: str) -> str:
    try:
        stat = os.lstat(path)
    except OSError:
        return "gone"
    return f"{stat.st_size} {stat.st_mode:o} {stat.st_ctime_ns}"


def find_changes(tree: str, before: Snapshot, after: Snapshot) -> list[str]:
    """Every path that is not what it was, in order."""
    both = before.paths.keys() | after.paths.keys()
    found = {path for path in both if before.paths.get(path) != after.paths.get(path)}
    if not before.index_mark:  # stored before hidden and arming paths were looked at: they begin with this look
        found -= {path for path in found if path in after.hidden or is_arming(path)}
    if before.head != after.head:
        found |= _find_committed_paths(tree, before, after)
    return sorted(found)


def _find_committed_paths(tree: str, before: Snapshot, after: Snapshot) -> set[str]:
    """What the move from one commit to another changed. Commits that other branches had before were not made here; if
    the old commit was left behind, everything that differs counts."""
    parted = ask_git(tree, "merge-base", "--is-ancestor", before.head, after.head) is None
    if not after.head or not before.head or parted:
        return set(_difference(tree, before.head, after.head))
    known = [f"^{tip}" for tip in before.tips if tip != before.head]
    merges = ("--diff-merges=combined", "--name-only", "--no-renames", "--format=", "-z")
    return set(names_in(git(tree, "log", *merges, f"{before.head}..{after.head}", *known, "--")))


def _difference(tree: str, one: str, other: str) -> list[str]:
    """The paths in which two commits differ; no commit has no files."""
    if not one or not other:
        return names_in(git(tree, "ls-tree", "-r", "--name-only", "-z", one or other)) if one or other else []
    return names_in(git(tree, "diff-tree", "-r", "--name-only", "--no-renames", "-z", one, other))
