"""The working tree before and after: which paths changed, however that was done.

A snapshot has the commit, every path that git calls changed or new, with its size, mode and time of change, and the tips
of all branches. Two snapshots show each path that appeared, vanished or changed again, and what the commits between
them changed, unless those commits were on another branch before. Files that the index hides from git status are among
the paths, and so is what arms the guard or tells git what to hide. Ignored files, and files outside, are not seen.
"""

from __future__ import annotations

import os

from volition.agents.guard.git import GitProcess, StatusRequest, ask_git, end_git, git, git_folder, names_in, start_git
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple, digest_of
from volition.agents.guard.marks import (
    armed_files,
    changed_at,
    folders_of,
    is_arming,
    mark_of,
    reference_mark,
    worktree_mark,
)
from volition.agents.guard.setting import GuardFailure, read_object

if TYPE_CHECKING:
    from typing import Any, Final

NO_COMMIT: Final = ""


class Snapshot(LeanTuple):
    """A worktree at one moment."""

    head: str
    paths: dict[str, str]
    """Path -> how it differs from the commit, and a mark that changes with it."""
    tips: tuple[str, ...] = ()
    index_mark: str = ""
    """A mark that changes whenever the index is written."""
    hidden: tuple[str, ...] = ()
    """The paths that the index hides from git status."""
    tips_mark: str = ""
    """A mark that changes whenever a branch moves; empty if that is not known."""
    folders: tuple[str, ...] = ()
    """The folders in which something is tracked."""
    mark: str = ""
    """A mark that changes whenever anything may appear or vanish; empty if that is not known."""

    def to_data(self) -> dict[str, Any]:
        return {
            "head": self.head, "paths": self.paths, "tips": list(self.tips), "index": self.index_mark,
            "hidden": list(self.hidden), "tips_mark": self.tips_mark, "folders": list(self.folders), "mark": self.mark,
        }  # fmt: skip


def snapshot_from(data: Any) -> Snapshot:
    """A stored snapshot; GuardFailure if it is broken."""
    try:
        index, tips_mark, mark = (str(data.get(name, "")) for name in ("index", "tips_mark", "mark"))
        hidden, folders = (tuple(data.get(name, ())) for name in ("hidden", "folders"))
        head, paths, tips = str(data["head"]), dict(data["paths"]), tuple(data["tips"])
        return Snapshot(head, paths, tips, index, hidden, tips_mark, folders, mark)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise GuardFailure("the stored snapshot of the worktree is broken: volition guard reset") from None


def take_snapshot(
    tree: str,
    last: Snapshot | None = None,
    home: str = "",
    status: StatusRequest | None = None,
    tips: tuple[str, ...] | None = None,
) -> Snapshot:
    """The worktree as it is now. `last` is an earlier snapshot, of which still holds what has the same mark; with the guard's
    folder, what arms it is among the paths, and the snapshot is marked; `status` is one that is being read; `tips` are those of
    all branches, if they are known."""
    request = status or StatusRequest(tree)
    index = mark_of(os.path.join(git_folder(tree), "index"))
    tips_mark = reference_mark(os.path.dirname(home)) if home else ""
    if tips is None and last is not None and tips_mark and tips_mark == last.tips_mark:
        tips = last.tips
    knows_index = last is not None and index == last.index_mark and (last.folders or not home)
    branches = None if tips is not None else start_git(tree, "rev-parse", "--branches", "--remotes")
    listing = None if knows_index else start_git(tree, "ls-files", "-v", "-z")
    head, paths = _read_status(tree, request.read())
    new = [path for path, mark in paths.items() if mark.startswith("??")]
    tips = _read_tips(branches) if tips is None else tips
    hidden, folders = (last.hidden, last.folders) if last and not listing else _read_listing(listing)
    for path in hidden:
        paths[path] = f"hidden {mark_of(os.path.join(tree, path))}"
    if not home:
        return Snapshot(head, paths, tips, index, hidden)
    paths |= armed_files(tree, home)
    mark = worktree_mark(tree, home, {*folders, *folders_of(new)}, request.started)
    return Snapshot(head, paths, tips, index, hidden, tips_mark, folders, mark)


def is_still(tree: str, home: str) -> bool:
    """Whether nothing can have appeared in a worktree or vanished from it since the last look. Submodules are not seen from
    here: where there are some, the answer is no."""
    if os.path.lexists(os.path.join(tree, ".gitmodules")):
        return False
    data = read_object(look_file(home, tree))
    last = snapshot_from(data.get("snapshot")) if data else None
    if last is None or not last.mark:
        return False
    new = (path for path, mark in last.paths.items() if mark.startswith("??"))
    return worktree_mark(tree, home, {*last.folders, *folders_of(new)}) == last.mark


def known_tips(tree: str, home: str) -> tuple[str, ...] | None:
    """The tips of all branches by the last look at a worktree; None if there is none, or a branch may have moved since."""
    try:
        last = snapshot_from((read_object(look_file(home, tree)) or {}).get("snapshot"))
    except GuardFailure:
        return None
    return last.tips if last.tips_mark and last.tips_mark == reference_mark(os.path.dirname(home)) else None


def look_file(home: str, tree: str) -> str:
    """Where the last look at a worktree is stored."""
    return os.path.join(home, "trees", f"{digest_of(tree)}.json")


def _read_status(tree: str, status: bytes) -> tuple[str, dict[str, str]]:
    """The commit, and every path that differs from it with its mark."""
    head, paths = NO_COMMIT, {}
    for line in status.split(b"\0"):
        if line.startswith(b"# branch.oid "):
            oid = line.split(b" ", 2)[2].decode()
            head = NO_COMMIT if oid == "(initial)" else oid
        elif line[:2] in {b"1 ", b"u "}:
            paths.update(_read_status_line(tree, line))
        elif line[:2] == b"? ":
            path = os.fsdecode(line[2:])
            paths[path] = f"?? {mark_of(os.path.join(tree, path))}"
    return head, paths


def _read_tips(process: GitProcess | None) -> tuple[str, ...]:
    return tuple(sorted(set(end_git(process)[1].decode().split()))) if process else ()


def _read_listing(process: GitProcess | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths that the index hides, and the folders that it knows. In front of each path there is a letter: a small one is
    assume-unchanged, S is skip-worktree."""
    lines = names_in(end_git(process)[1]) if process else []
    hidden = tuple(line[2:] for line in lines if line[0] == "S" or line[0].islower())
    return hidden, tuple(sorted(folders_of(line[2:] for line in lines)))


def _read_status_line(tree: str, line: bytes) -> dict[str, str]:
    """The path of one line of the status with its mark; for a submodule also the paths that changed in it."""
    kind = line[:1]
    fields = line.split(b" ", {b"1": 8, b"u": 10}[kind])
    path, state = os.fsdecode(fields[-1]), fields[1].decode()
    marks = {path: f"{state} {mark_of(os.path.join(tree, path))}"}
    if kind == b"1" and fields[2][:1] == b"S" and os.path.exists(os.path.join(tree, path, ".git")):
        inner = take_snapshot(os.path.join(tree, path))
        marks[path] = f"{state} {inner.head}"
        marks |= {f"{path}/{name}": mark for name, mark in inner.paths.items()}
    return marks


def find_changes(tree: str, before: Snapshot, after: Snapshot) -> list[str]:
    """Every path that is not what it was, in order."""
    both = before.paths.keys() | after.paths.keys()
    changed = {path for path in both if before.paths.get(path) != after.paths.get(path)}
    if not before.index_mark:  # stored before hidden and arming paths were looked at: they begin with this look
        changed -= {path for path in changed if path in after.hidden or is_arming(path)}
    if before.head != after.head:
        changed |= _find_committed_paths(tree, before, after)
    return sorted(changed)


def find_older(tree: str, before: Snapshot, after: Snapshot, begun: int) -> set[str]:
    """Those of the changed paths whose files were written in place before a moment (in nanoseconds), and not since. What is
    hidden, staged or committed was done later, whenever the file was written."""
    older = set()
    for path, mark in after.paths.items():
        was, at = before.paths.get(path, ""), changed_at(mark)
        is_in_place = mark.startswith(".M ") or (mark.startswith("?? ") and was.startswith("?? "))
        if is_in_place and at is not None and at < begun and at != changed_at(was):
            older.add(path)
    return older - _find_committed_paths(tree, before, after) if older and before.head != after.head else older


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
