"""What a session may write without a plan: files that git ignores, what becomes its own file or is gone again, and the
way back from a stray. Git is asked once for all paths of a call, and only where a plan does not permit them."""

from __future__ import annotations

import os

from volition.agents.guard.git import end_git, git, names_in, start_git
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Final

BACKUPS: Final = (".bak", ".orig", ".tmp", ".temp", ".new", ".old", ".swp", ".rej", ".backup", ".save", "~")
"""How tools call the file beside a file that they work on."""


class Stray(LeanTuple):
    """How a path was before it strayed, and the session that it is put down to; empty if that is nobody here."""

    was: str
    session: str


def without_backup_ending(path: str) -> str:
    """The file that a path is a working copy of; empty if it is none.

    >>> without_backup_ending("src/a.py.bak"), without_backup_ending("src/a.py")
    ('src/a.py', '')
    """
    return next((path[: -len(end)] for end in BACKUPS if path.endswith(end) and not path.endswith("/" + end)), "")


def ignored_paths(tree: str, paths: Sequence[str]) -> set[str]:
    """Those of some paths that git ignores, by its own rules: not tracked, and nothing tracked below them."""
    if not paths:
        return set()
    asked = [form for path in paths for form in ((path, f"{path}/") if _may_be_folder(tree, path) else (path,))]
    text = b"\0".join(map(os.fsencode, asked)) + b"\0"
    code, out, _ = end_git(start_git(tree, "check-ignore", "-z", "--stdin", given=text))
    if code not in {0, 1}:
        return set()
    found = {name.rstrip("/") for name in names_in(out)}
    return found - _holders_of(tracked_paths(tree, sorted(found)), found)


def tracked_paths(tree: str, paths: Sequence[str]) -> list[str]:
    """The files that git tracks among some paths, and below them."""
    return names_in(git(tree, "ls-files", "-z", "--", *map(_literal, paths))) if paths else []


def undone_paths(tree: str, path: str) -> list[str]:
    """The tracked files below a path that differ from the commit: what setting it back would change."""
    return names_in(git(tree, "diff", "--name-only", "--no-renames", "-z", "HEAD", "--", _literal(path)))


def cleaned_paths(tree: str, path: str) -> list[str]:
    """The files below a path that git neither tracks nor ignores: what cleaning would remove."""
    return names_in(git(tree, "ls-files", "--others", "--exclude-standard", "-z", "--", _literal(path)))


def is_way_back(stray: Stray | None, session: str) -> bool:
    """Whether setting a path back undoes nothing but what a session did to it: it was as committed before."""
    return stray is not None and stray.session == session and stray.was == ""


def _literal(path: str) -> str:
    return f":(literal){path}" if path != "." else "."


def _may_be_folder(tree: str, path: str) -> bool:
    """A rule such as `build/` is about folders, so a path that is not there is asked for as both."""
    return not os.path.lexists(os.path.join(tree, path))


def _holders_of(tracked: Iterable[str], folders: set[str]) -> set[str]:
    return {folder for name in tracked for folder in folders if name == folder or name.startswith(f"{folder}/")}
