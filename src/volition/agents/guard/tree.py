"""The working tree before and after: which paths changed, however that was done.

A snapshot has the commit, every path that git calls changed or new, with its size, mode and time of change, and the tips
of all branches. Two snapshots show each path that appeared, vanished or changed again, and what the commits between
them changed, unless those commits were on another branch before. Ignored files, and files outside, are not seen.
"""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

from volition.agents.guard.git import ask_git, end_git, git, names_in, start_git
from volition.agents.guard.setting import GuardFailure

NO_COMMIT: Final = ""
_STATUS: Final = (
    "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none",
)  # fmt: skip


class Snapshot(NamedTuple):
    """A worktree at one moment."""

    head: str
    paths: dict[str, str]
    """Path -> how it differs from the commit, and a mark that changes with it."""
    tips: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        return {"head": self.head, "paths": self.paths, "tips": list(self.tips)}


def snapshot_from(data: Any) -> Snapshot:
    """A stored snapshot; GuardFailure if it is broken."""
    try:
        return Snapshot(str(data["head"]), dict(data["paths"]), tuple(data["tips"]))
    except (KeyError, TypeError, ValueError):
        raise GuardFailure("the stored snapshot of the worktree is broken: volition guard reset") from None


def take_snapshot(tree: str) -> Snapshot:
    """The worktree as it is now."""
    asked = start_git(tree, *_STATUS), start_git(tree, "rev-parse", "--branches", "--remotes")
    (code, out, err), (_, tips, _) = (end_git(process) for process in asked)
    if code:
        raise GuardFailure(f"git status failed in {tree}: {err.splitlines()[0] if err else code}")
    head, paths = NO_COMMIT, {}
    for line in out.split(b"\0"):
        if line.startswith(b"# branch.oid "):
            oid = line.split(b" ", 2)[2].decode()
            head = NO_COMMIT if oid == "(initial)" else oid
        elif line[:2] in {b"1 ", b"u ", b"? "}:
            paths.update(_read_status_line(tree, line))
    return Snapshot(head, paths, tuple(sorted(set(tips.decode().split()))))


def _read_status_line(tree: str, line: bytes) -> dict[str, str]:
    """The path of one line of the status with its mark; for a submodule also the paths that changed in it."""
    kind = line[:1]
    fields = line.split(b" ", {b"1": 8, b"u": 10, b"?": 1}[kind])
    path = os.fsdecode(fields[-1])
    state = fields[1].decode() if kind != b"?" else "??"
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
