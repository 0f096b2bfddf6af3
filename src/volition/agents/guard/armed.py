"""What holds a session, as content: the guard's files, the hooks that git and clients run, and what git is told to hide.

A program can write them past the hook; the comparison of two looks shows it, because they are among the paths of a
snapshot. They are compared by content, so that setting one back ends it.
"""

from __future__ import annotations

import os

from volition.agents.guard.digest import digest_of
from volition.agents.guard.git import git_folder, settings_in, text_of
from volition.agents.guard.lean import TYPE_CHECKING
from volition.agents.guard.place import ARMING
from volition.agents.guard.shell_git_settings import is_plain_setting

if TYPE_CHECKING:
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
    found = {name: digest_of(text) for name, text in texts.items() if text}
    return found | {_CONFIG: digest_of("\n".join([*shared, *own])), _CONFIG_AT_HOME: digest_of("\n".join(at_home))}


def binding_settings(text: str) -> list[str]:
    """The settings of a git configuration that are not plain: a change of them may disarm or blind.

    >>> binding_settings("[user]\\n\\tname = Ann\\n[core]\\n\\thooksPath = /x\\n")
    ['core.hookspath = /x']
    """
    return [f"{name} = {value}" for name, value in settings_in(text) if not is_plain_setting(name)]
