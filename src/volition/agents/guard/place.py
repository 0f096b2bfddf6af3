"""Where a path leads: into the session's worktree, another one, what arms the guard, or out of the repository.

Links are followed, because the write is; the link itself is looked at too, because it may be what is replaced.
"""

from __future__ import annotations

import os

from volition.agents.guard.git import ignores_case
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple

if TYPE_CHECKING:
    from typing import Final, Literal, TypeAlias

    from volition.agents.guard.setting import GuardSetting
    from volition.agents.guard.shell.words import WriteKind

Ground: TypeAlias = 'Literal["tree", "another tree", "guarded", "outside", "temporary", "nothing"]'
"""The session's worktree; another worktree; what arms the guard; elsewhere; a folder for temporary files; a device."""
ARMING: Final = (".claude", ".codex", ".gemini", ".cursor", ".mcp.json")
"""What a client reads its hooks from, in a worktree and at home."""
_AT_HOME: Final = (*ARMING, ".gitconfig", ".config/git", ".claude.json")
_STREAMS: Final = ("/dev/std", "/dev/fd/", "/dev/tty", "/proc/self/fd/")
_TEMPORARY: Final = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")  # noqa: S108  where commands put what they forget


class Place(LeanTuple):
    """Where a path leads; in a worktree also the path from its root, and the root; and what happens to it."""

    ground: Ground
    path: str
    tree: str = ""
    kind: WriteKind = "write"


def worktrees_of(setting: GuardSetting) -> list[str]:
    """The roots of all worktrees of the repository, read from git's own files, the longest first."""
    common = setting.common
    trees = [os.path.dirname(common)] if os.path.basename(common) == ".git" else []
    folder = os.path.join(common, "worktrees")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        try:
            with open(os.path.join(folder, name, "gitdir"), encoding="utf-8", errors="surrogateescape") as file:
                trees.append(os.path.realpath(os.path.dirname(file.read().strip())))
        except OSError:
            continue
    return sorted(map(os.path.realpath, trees), key=len, reverse=True)


def tree_around(folder: str, trees: list[str]) -> str:
    """The worktree that a folder is in; empty if it is in none."""
    real = os.path.realpath(folder)
    return next((tree for tree in trees if _is_in(real, tree)), "")


def fold_path(path: str, *, ignore_case: bool) -> str:
    """A path under the one name that all its spellings have: composed, and in lower case where case does not matter.

    >>> fold_path("SRC/E\\u0301.py", ignore_case=True) == "src/\\u00e9.py"
    True
    """
    if not path.isascii():
        from unicodedata import normalize  # few paths need it

        path = normalize("NFC", path)
    return path.lower() if ignore_case else path


def places_of(
    setting: GuardSetting, trees: list[str], own: str, folder: str, path: str, kind: WriteKind = "write"
) -> list[Place]:
    """Where a path, relative to a folder, leads: once, or twice if it is a link."""
    if kind == "history":
        return [Place("tree", path, own, kind)]
    if kind == "people":
        return [Place("guarded", path, own, kind)]
    whole = os.path.join(folder, os.path.expanduser(path))
    link = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    both = dict.fromkeys((os.path.normpath(link), os.path.realpath(whole)))
    if os.path.normpath(whole).startswith(_STREAMS):  # a link to whatever the command was given
        return [Place("nothing", os.path.normpath(whole))]
    return [_place(setting, trees, own, place)._replace(kind=kind) for place in both]


def _place(setting: GuardSetting, trees: list[str], own: str, path: str) -> Place:
    if path.startswith(("/dev/", "/proc/self/fd/")) and not path.startswith("/dev/shm/"):  # noqa: S108
        return Place("nothing", path)
    ignore_case = ignores_case(setting.common)
    guarded = [setting.common, *(setting.registry + end for end in ("", "-wal", "-shm")), setting.index_file]
    if any(_is_in(path, os.path.realpath(file), ignore_case) for file in guarded if "://" not in file):
        return Place("guarded", path)
    tree = next((tree for tree in trees if _is_in(path, tree, ignore_case)), "")
    if tree:
        inside = "/".join(path.split("/")[tree.count("/") + 1 :]) or "."
        if fold_path(inside.partition("/")[0], ignore_case=ignore_case) in {*ARMING, ".git"}:
            return Place("guarded", inside, tree)
        return Place("tree" if tree == own else "another tree", inside, tree)
    home = os.path.expanduser("~")
    if any(_is_in(path, os.path.join(home, name), ignore_case) for name in _AT_HOME):
        return Place("guarded", path)
    chosen = os.path.realpath(os.environ.get("TMPDIR") or _TEMPORARY[0])
    return Place("temporary" if is_temporary(path) or _is_in(path, chosen) else "outside", path)


def is_temporary(path: str) -> bool:
    """Whether a path, with links followed, is in a folder of the system for temporary files."""
    return any(_is_in(path, folder) for folder in _TEMPORARY)


def _is_in(path: str, folder: str, ignore_case: bool = False) -> bool:
    path, folder = (fold_path(part, ignore_case=ignore_case) for part in (path, folder))
    return path == folder or path.startswith(folder.rstrip("/") + "/")
