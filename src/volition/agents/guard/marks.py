"""Marks: what shows that something is as it was, without reading it; and which files hold a session.

A worktree in which no folder was written since the last look has the same files as then, and so has git where its index,
its HEAD and its references were not written. What was changed in place meanwhile is told from a later change by its time:
nothing but the clock sets the time of change (`ctime`) of a file. So a look that finds all marks as they were may be left to
the look after the call.

A session is held by the guard's files, the hooks that git and clients run, and what git is told to hide. A program can write
them past the hook, so they are among the paths of a snapshot. They are compared by content: setting one back ends it.
"""

from __future__ import annotations

import os
import time

from volition.agents.guard.git import git_folder, is_plain_setting, settings_in, text_of
from volition.agents.guard.lean import TYPE_CHECKING, digest_of
from volition.agents.guard.place import ARMING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final


_IN_TREE: Final = (
    ".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json", ".codex/config.toml",
    ".gemini/settings.json", ".cursor/hooks.json", ".cursor/mcp.json", ".mcp.json",
)  # fmt: skip
_OF_MAIN: Final = (".codex/hooks.json",)
"""What a client reads from the main worktree, whichever one it works in."""
_AT_HOME: Final = (".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json", ".cursor/hooks.json")
_IN_COMMON: Final = ("info/exclude", "info/attributes", "hooks/pre-commit", "hooks/pre-push")
_IN_HOME: Final = ("guard.json", "hooks.json", "hooks/pre-commit", "hooks/pre-push", "hooks/reference-transaction")
_CONFIG: Final = ".git/config"
_CONFIG_OF_TREE: Final = ".git/config.worktree"
_CONFIG_AT_HOME: Final = "~/.gitconfig"


MARGIN: Final = 10_000_000
"""Nanoseconds after which a change has another time than the one before: systems keep the time of files in steps of 1, 4
or 10 ms."""
MARGIN_OF_SECONDS: Final = 2_000_000_000
"""The same for file systems that keep whole seconds."""
_SECOND: Final = 1_000_000_000
_REFERENCES: Final = ("packed-refs", "reftable/tables.list")


def is_arming(path: str) -> bool:
    """Whether a path of a worktree belongs to what holds a session, or to git."""
    return path.partition("/")[0] in {*ARMING, ".git", "~"}


def armed_places(tree: str, home: str) -> dict[str, str]:
    """Name -> where it is, for every file that holds a session; names in git's common folder begin with `.git`, those of the
    main worktree, seen from a linked one, with `.git/..`, and those in the user's home with `~`."""
    common, user = os.path.dirname(home), os.path.expanduser("~")
    places = {name: os.path.join(tree, name) for name in _IN_TREE}
    main = os.path.dirname(common)
    if os.path.basename(common) == ".git" and os.path.realpath(tree) != os.path.realpath(main):
        places |= {f".git/../{name}": os.path.join(main, name) for name in _OF_MAIN}
    places |= {f".git/{name}": os.path.join(common, name) for name in _IN_COMMON}
    places |= {f".git/{os.path.basename(home)}/{name}": os.path.join(home, name) for name in _IN_HOME}
    places |= {f"~/{name}": os.path.join(user, name) for name in _AT_HOME}
    places |= {_CONFIG: os.path.join(common, "config"), _CONFIG_AT_HOME: os.path.join(user, ".gitconfig")}
    return places | {_CONFIG_OF_TREE: os.path.join(git_folder(tree), "config.worktree")}


def armed_files(tree: str, home: str) -> dict[str, str]:
    """Name -> a mark of its content, for every file that is there. Of git's settings only those count that bind."""
    texts = {name: text_of(place) for name, place in armed_places(tree, home).items()}
    shared, own, at_home = (binding_settings(texts.pop(name)) for name in (_CONFIG, _CONFIG_OF_TREE, _CONFIG_AT_HOME))
    digests = {name: digest_of(text) for name, text in texts.items() if text}
    return digests | {_CONFIG: digest_of("\n".join([*shared, *own])), _CONFIG_AT_HOME: digest_of("\n".join(at_home))}


def binding_settings(text: str) -> list[str]:
    """The settings of a git configuration that are not plain: a change of them may disarm or blind.

    >>> binding_settings("[user]\\n\\tname = Ann\\n[core]\\n\\thooksPath = /x\\n")
    ['core.hookspath = /x']
    """
    return [f"{name} = {value}" for name, value in settings_in(text) if not is_plain_setting(name)]


def mark_of(path: str) -> str:
    """A mark that changes with a file: its size, its mode and when it was changed."""
    try:
        stat = os.lstat(path)
    except OSError:
        return "gone"
    return f"{stat.st_size} {stat.st_mode:o} {stat.st_ctime_ns}"


def changed_at(mark: str) -> int | None:
    """When a file with this mark was changed, in nanoseconds; None if it is not there.

    >>> changed_at("?? 12 100644 1700000000000000000"), changed_at(".D gone")
    (1700000000000000000, None)
    """
    last = mark.rpartition(" ")[2]
    return int(last) if last.isdecimal() else None


def shared_mark(places: Iterable[str], start: int = 0) -> str:
    """One mark for many places; empty if one of them was changed after `start` (in nanoseconds, now if it is not given), or so
    shortly before that a change after it may have the same time."""
    start, newest, marks = start or time.time_ns(), 0, []
    for place in places:
        try:
            stat = os.lstat(place)
        except OSError:
            marks.append("gone")
            continue
        marks.append(f"{stat.st_ino} {stat.st_size} {stat.st_mode:o} {stat.st_ctime_ns}")
        newest = max(newest, stat.st_ctime_ns)
    margin = MARGIN if newest % _SECOND else MARGIN_OF_SECONDS
    return digest_of("\n".join(marks)) if newest + margin < start else ""


def reference_mark(common: str) -> str:
    """A mark of all branches, here and remote."""
    return shared_mark(_references(common))


def worktree_mark(tree: str, home: str, folders: Iterable[str], start: int = 0) -> str:
    """A mark of everything that may appear in a worktree, vanish from it or move its commit, and of what arms the guard; empty
    if it cannot be known that all of it is as it was at `start`."""
    own = git_folder(tree)
    inside = (os.path.join(tree, folder) for folder in sorted(folders))
    of_git = (os.path.join(own, "index"), os.path.join(own, "HEAD"))
    common = os.path.dirname(home)
    return shared_mark([*inside, *of_git, *_references(common), *armed_places(tree, home).values()], start)


def folders_of(paths: Iterable[str]) -> set[str]:
    """The folders that hold some paths, and those that hold these, with the root as an empty text.

    >>> sorted(folders_of(["src/api/a.py", "b.py"]))
    ['', 'src', 'src/api']
    """
    folders = {""}
    for folder in {path.rpartition("/")[0] for path in paths}:
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]  # noqa: PLW2901  one folder up
    return folders


def _references(common: str) -> Iterator[str]:
    yield from (os.path.join(common, name) for name in _REFERENCES)
    left = [os.path.join(common, "refs", name) for name in ("heads", "remotes")]
    while left:
        folder = left.pop()
        yield folder
        try:
            inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        yield from (entry.path for entry in inside if not entry.is_dir(follow_symlinks=False))
        left += [entry.path for entry in inside if entry.is_dir(follow_symlinks=False)]
