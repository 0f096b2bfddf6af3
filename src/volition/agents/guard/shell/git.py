"""What git commands write: the files they name, a doubt, or an attempt to go around the checks or to rewrite history."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING, Final

from volition.agents.guard.git import is_plain_setting
from volition.agents.guard.shell.words import Aimed, Words, sort_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.guard.shell.words import Found, Words


CONFIG: Final = ".git/config"
"""The path that represents an attempt to disarm: no session may write it."""
_READS: Final = frozenset(
    """
    annotate blame cat-file check-ignore check-attr check-ref-format cherry count-objects describe diff diff-files
    diff-index diff-tree for-each-ref fsck grep help hook log ls-files ls-remote ls-tree merge-base merge-tree name-rev
    range-diff rev-list rev-parse shortlog show show-branch show-ref status var verify-commit verify-tag version
    whatchanged
    """.split()  # noqa: SIM905  a list of words reads best as words
)
_HARMLESS: Final = frozenset({"add", "commit", "fetch", "gc", "notes", "push", "remote", "tag", "stage"})
"""Commands that change no file of the worktree; what a commit contains is checked separately."""
_PLUMBING: Final = frozenset(
    """
    commit-tree fast-import filter-branch filter-repo hash-object mktag mktree replace sparse-checkout symbolic-ref
    unpack-objects update-ref write-tree
    """.split()  # noqa: SIM905
)
"""Commands that make commits or move branches past the checks, or hide files from git status."""
_ENDS: Final = ("abort", "quit")
_GLOBAL: Final = frozenset(
    {"git-dir", "work-tree", "namespace", "config-env", "exec-path", "super-prefix", "attr-source"}
)
_VALUES: Final = (
    "m F C c message file source s author date b B orphan pathspec-from-file output fixup squash template cleanup o "
    "push-option receive-pack repo"
)
_LOOKS: Final = ("get", "get-all", "get-regexp", "list", "l", "get-urlmatch", "get-color", "get-colorbool")
_VERBS: Final = frozenset({"set", "unset"})
_OWN: Final = frozenset({"HEAD", "@"})


def git_writes(words: Sequence[str | None], start: str | None) -> tuple[str, Found]:
    """The folder that git is sent to, or nothing, and what it writes there; `start` is where it runs, if that is known."""
    folder, rest, settings, elsewhere = "", list(words), [], False
    while rest and (word := rest[0]) is not None and word.startswith("-"):
        rest.pop(0)
        name, equals, value = word.lstrip("-").partition("=")
        if not equals and (word in {"-C", "-c"} or name in _GLOBAL):
            value = (rest.pop(0) if rest else "") or ""
        if word == "-C":
            folder = os.path.join(folder, value)
        elif name in {"c", "config-env"}:
            settings.append(value.partition("=")[0])
        elif name in {"git-dir", "work-tree", "exec-path"} and value:
            elsewhere = True
    if not all(map(is_plain_setting, settings)):
        return folder, ([CONFIG], [])
    if not rest or rest[0] is None:
        return folder, ([], [] if not rest else ["a git command that the shell will name"])
    name = rest[0]
    if elsewhere and name not in _READS:
        return folder, ([CONFIG], [])
    there = os.path.join(start, os.path.expanduser(folder)) if start is not None else None
    writes, doubts = _of_command(name, rest[1:], there)
    if name not in _READS and name != "config":
        writes = [*writes, Aimed(".", "visit")]
    return folder, (writes, doubts)


def _of_command(name: str, words: list[str | None], there: str | None) -> Found:
    arguments = sort_words(words, _VALUES)
    if output := arguments.value("output") or (arguments.value("o") if name in {"archive", "format-patch"} else []):
        return [path for path in output if path is not None], [] if None not in output else [f"git {name} --output"]
    if name in _READS:
        return [], []
    if arguments.begins("no-verify", 4) or (name == "commit" and "n" in arguments.flags):
        return [CONFIG], []
    if name in _PLUMBING:
        return _plumbing(name, arguments)
    special = {
        "config": setting_writes, "push": _push, "reset": _reset, "restore": _restore, "stash": _stash,
        "branch": _branch, "clean": _clean, "update-index": _update_index, "worktree": _worktree,
    }  # fmt: skip
    if name in special:
        return special[name](arguments)
    if name == "checkout":
        return _checkout(words, arguments, there)
    if name in {"rm", "mv"}:
        return _paths(arguments.operands, name, "remove" if name == "rm" else "write")
    if name == "switch":
        return [], [] if arguments.has("c", "create") and not arguments.operands else ["git switch"]
    if name in {"merge", "rebase", "cherry-pick", "revert", "am"} and arguments.has(*_ENDS):
        return [], []
    if name == "apply" and arguments.has("check", "stat", "numstat", "summary"):
        return [], []
    if name == "init" and arguments.has("template"):
        return [CONFIG], []
    if name == "submodule" and arguments.operands[:1] in (["status"], ["summary"], []):
        return [], []
    if name == "submodule" and arguments.operands[:1] == ["add"]:
        return [".gitmodules"], []
    if name == "reflog":
        gone = arguments.operands[:1] in (["expire"], ["delete"], ["drop"])
        return ([Aimed("git reflog that forgets commits", "history")] if gone else []), []
    if name == "archive" or (name == "bisect" and arguments.operands[:1] in (["log"], ["view"], ["visualize"])):
        return [], []
    return [], [] if name in _HARMLESS else [f"git {name}"]


def _plumbing(name: str, arguments: Words) -> Found:
    looks = {
        "symbolic-ref": len(arguments.operands) < 2 and not arguments.has("d", "delete"),
        "replace": not arguments.operands or arguments.has("l", "list"),
        "sparse-checkout": arguments.operands[:1] == ["list"],
        "hash-object": not arguments.has("w"),
    }
    return ([] if looks.get(name) else [CONFIG]), []


def _push(arguments: Words) -> Found:
    if arguments.has("n", "dry-run") or arguments.begins("dry-run", 2):
        return [], []
    forced = arguments.has("f", "d", "mirror", "delete", "prune") or any(
        flag.startswith("forc") for flag in (*arguments.flags, *arguments.values)
    )
    moved = any(word is not None and word.startswith(("+", ":")) for word in arguments.operands)
    cut = any(arguments.begins(name, 3) for name in ("force", "mirror", "delete", "prune"))
    if forced or moved or cut:
        return [Aimed("git push that replaces or deletes a branch", "history")], []
    return [], ["a branch that the shell will name"] if None in arguments.operands else []


def _reset(arguments: Words) -> Found:
    hard = next((name for name in ("hard", "merge", "keep") if arguments.begins(name, 3)), "")
    return ([Aimed(f"git reset --{hard}", "history")] if hard else []), []


def _restore(arguments: Words) -> Found:
    if arguments.has("staged", "S") and not arguments.has("worktree", "W"):
        return [], []
    source = arguments.value("source", "s")
    return _paths(arguments.operands, "restore", "undo" if set(source) <= _OWN else "write")


def _checkout(words: list[str | None], arguments: Words, there: str | None) -> Found:
    if "--" in words:
        at = words.index("--")
        commits = sort_words(words[:at], "b B orphan").operands
        return _paths(words[at + 1 :], "checkout", "undo" if set(commits) <= _OWN else "write")
    operands = arguments.operands
    if arguments.has("b", "orphan") and not operands:
        return [], []
    first = operands[0] if operands else None
    if first is not None and there is not None and first not in _OWN and os.path.lexists(os.path.join(there, first)):
        return _paths(operands, "checkout", "undo")
    if len(operands) > 1:
        return _paths(operands[1:], "checkout", "undo" if first in _OWN else "write")
    return [], ["git checkout"]


def _stash(arguments: Words) -> Found:
    verb = arguments.operands[0] if arguments.operands else "push"
    if verb in {"list", "show", "create"}:
        return [], []
    if verb in {"drop", "clear"}:
        return [Aimed(f"git stash {verb}", "history")], []
    if verb == "push" and len(arguments.operands) > 1:
        return _paths(arguments.operands[1:], "stash", "write")
    return [], ["git stash"]


def _branch(arguments: Words) -> Found:
    moved = arguments.has("D", "f", "M", "C", "force") or arguments.begins("force", 3)
    return ([Aimed("git branch that moves or deletes a branch", "history")] if moved else []), []


def _clean(arguments: Words) -> Found:
    if arguments.has("n", "dry-run", "X") or arguments.begins("dry-run", 3):
        return [], []
    paths, doubts = _paths(arguments.operands, "clean", "clean")
    return (paths or ([Aimed(".", "clean")] if not doubts else [])), doubts


def _update_index(arguments: Words) -> Found:
    quiet = {"refresh", "really-refresh", "q", "no-assume-unchanged", "no-skip-worktree", "again", "g", "unmerged"}
    return ([] if arguments.flags <= quiet and not arguments.values else [CONFIG]), []


def _worktree(arguments: Words) -> Found:
    verb = arguments.operands[0] if arguments.operands else "list"
    if verb in {"remove", "move", "lock", "unlock"}:
        return _paths(arguments.operands[1:], "worktree", "remove")
    return [], [] if verb in {"list", "prune"} else ["git worktree"]


def _paths(operands: Sequence[str | None], name: str, kind: str) -> Found:
    paths = [path for path in operands if path is not None and not path.startswith(":")]
    doubts = [] if len(paths) == len(operands) else [f"git {name} of files that are not named"]
    return [Aimed(path, kind) for path in paths], doubts  # type: ignore[arg-type]


def setting_writes(arguments: Words) -> Found:
    """What `git config` writes: nothing where it only looks or sets a plain key, else what arms the guard."""
    operands = list(arguments.operands)
    if arguments.has("f", "file", "blob", "e", "edit", "remove-section", "rename-section"):
        return ([] if arguments.has("blob") or _only_looks(arguments, operands) else [CONFIG]), []
    if _only_looks(arguments, operands):
        return [], []
    if operands[:1] and operands[0] in _VERBS:
        operands.pop(0)
    key = operands[0] if operands else None
    return ([] if key is not None and is_plain_setting(key) else [CONFIG]), []


def _only_looks(arguments: Words, operands: list[str | None]) -> bool:
    if arguments.has("unset", "unset-all", "e", "edit", "remove-section", "rename-section", "add", "replace-all"):
        return False
    return (
        arguments.has(*_LOOKS)
        or operands[:1] in (["get"], ["list"])
        or (len(operands) == 1 and operands[0] not in _VERBS)
    )
