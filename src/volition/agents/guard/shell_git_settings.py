"""Settings of git: those that say who somebody is and how git looks, and those by which it runs programs or is blind."""

from __future__ import annotations

from volition.agents.guard.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final

    from volition.agents.guard.shell_words import Found, Words

_CONFIG: Final = ".git/config"
_SECTIONS: Final = frozenset(
    """
    advice author blame branch clean color column commit committer fetch format gc grep help i18n init log merge mergetool
    notes pack pull push rebase remote rerere safe sendemail stash status submodule tag user versionsort
    """.split()  # noqa: SIM905  a list of words reads best as words
)
"""Sections in which nothing names a program or a file that git would obey, but for the keys below."""
_CORE: Final = frozenset(
    {"core.autocrlf", "core.eol", "core.quotepath", "core.abbrev", "core.whitespace", "core.filemode"}
)
_RUNS: Final = ("cmd", "driver", "command", "program", "receivepack", "uploadpack", "vcs", "proxy", "update", "path")
"""The last words of keys that name a program, in whichever section."""
_LOOKS: Final = ("get", "get-all", "get-regexp", "list", "l", "get-urlmatch", "get-color", "get-colorbool")
_VERBS: Final = frozenset({"set", "unset"})


def is_plain_setting(key: str) -> bool:
    """Whether a key of git's configuration leaves the checks as they are.

    >>> is_plain_setting("user.email"), is_plain_setting("core.hooksPath"), is_plain_setting("merge.x.driver")
    (True, False, False)
    """
    low = key.lower()
    section, _, last = low.partition(".")[0], "", low.rpartition(".")[2]
    return low in _CORE or (section in _SECTIONS and last not in _RUNS)


def setting_writes(given: Words) -> Found:
    """What `git config` writes: nothing where it only looks or sets a plain key, else what arms the guard."""
    operands = list(given.operands)
    if given.has("f", "file", "blob", "e", "edit", "remove-section", "rename-section"):
        return ([] if given.has("blob") or _only_looks(given, operands) else [_CONFIG]), []
    if _only_looks(given, operands):
        return [], []
    if operands[:1] and operands[0] in _VERBS:
        operands.pop(0)
    key = operands[0] if operands else None
    return ([] if key is not None and is_plain_setting(key) else [_CONFIG]), []


def _only_looks(given: Words, operands: list[str | None]) -> bool:
    if given.has("unset", "unset-all", "e", "edit", "remove-section", "rename-section", "add", "replace-all"):
        return False
    return (
        given.has(*_LOOKS) or operands[:1] in (["get"], ["list"]) or (len(operands) == 1 and operands[0] not in _VERBS)
    )
