"""What git commands write: the files they name, a doubt, or an attempt to go around the checks at a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.agents.guard.shell_words import sort_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.guard.shell_commands import Found

CONFIG: Final = ".git/config"
"""The path that represents an attempt to disarm: no session may write it."""
_HARMLESS: Final = frozenset(
    """
    add annotate blame cat-file check-ignore commit count-objects describe diff diff-files diff-index diff-tree
    fetch for-each-ref fsck gc grep help log ls-files ls-remote ls-tree merge-base merge-tree
    name-rev notes push range-diff reflog remote rev-list rev-parse shortlog show show-branch show-ref status
    tag var verify-commit version whatchanged
    """.split()  # noqa: SIM905  a list of words reads best as words
)
"""Commands that change no file of the worktree; what a commit contains is checked separately."""
_LOOKS: Final = ("get", "get-all", "get-regexp", "list", "l", "get-urlmatch", "get-color", "get-colorbool")
_GLOBAL: Final = "C c git-dir work-tree namespace config-env exec-path super-prefix"


def git_writes(words: Sequence[str | None]) -> tuple[str, Found]:
    """The folder that git is sent to, or nothing, and what it writes there."""
    folder, rest, settings = "", list(words), []
    while rest and (word := rest[0]) is not None and word.startswith("-"):
        rest.pop(0)
        name, equals, value = word.lstrip("-").partition("=")
        if not equals and (word in {"-C", "-c"} or name in _GLOBAL.split()[2:]):
            value = (rest.pop(0) if rest else "") or ""
        if word == "-C":
            folder = value
        elif name in {"c", "config-env"}:
            settings.append(value.lower())
        elif name in {"git-dir", "work-tree"}:
            return folder, ([], [f"git {word}"])
    if any(value.startswith(("core.hookspath", "hook.", "alias.", "include")) for value in settings):
        return folder, ([CONFIG], [])
    if not rest or rest[0] is None:
        return folder, ([], [] if not rest else ["a git command that the shell will name"])
    return folder, _of_command(rest[0], rest[1:])


def _of_command(name: str, words: list[str | None]) -> Found:
    given = sort_words(words, "m F C c message file source s author date b B orphan pathspec-from-file output")
    if output := given.value("output"):
        return [path for path in output if path is not None], [] if None not in output else [f"git {name} --output"]
    if name in {"commit", "push", "merge", "am", "rebase"} and (
        given.has("no-verify") or (name == "commit" and "n" in given.flags)
    ):
        return [CONFIG], []
    if name == "config":
        looks = given.has(*_LOOKS) or given.operands[:1] in (["get"], ["list"]) or len(given.operands) == 1
        return ([] if looks and not given.has("unset", "unset-all", "e", "edit") else [CONFIG]), []
    if name == "restore":
        if given.has("staged", "S") and not given.has("worktree", "W"):
            return [], []
        return _paths(given.operands, name)
    if name in {"checkout", "rm", "mv"}:
        if name == "checkout":
            if "--" not in words:
                quiet = given.has("b", "B", "orphan") and len(given.operands) == 0
                return [], [] if quiet else ["git checkout"]
            return _paths(words[words.index("--") + 1 :], name)
        return ([], []) if name == "rm" and given.has("cached") else _paths(given.operands, name)
    if name == "stash" and given.operands[:1] in (["list"], ["show"]):
        return [], []
    if name in {"branch", "worktree", "switch"}:
        quiet = name == "branch" or given.operands[:1] == ["list"] or given.has("c", "create")
        return [], [] if quiet else [f"git {name}"]
    return [], [] if name in _HARMLESS else [f"git {name}"]


def _paths(operands: Sequence[str | None], name: str) -> Found:
    found = [path for path in operands if path is not None and not path.startswith(":")]
    return found, [] if len(found) == len(operands) else [f"git {name} of files that are not named"]
