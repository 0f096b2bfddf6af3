"""The words of a command line: which are known from their text, from variables and from the files that there are, and
which only the shell will know."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

_GLOB: Final = re.compile(r"(?<!\\)[*?\[{]")
_ENDS: Final = ("-", "--")
_BARE: Final = re.compile(r"\\(.)", re.DOTALL)
"""Without quotes, a backslash means the character after it."""
_IN_QUOTES: Final = re.compile(r"""\\([$`"\\])""")
"""In double quotes, a backslash is kept unless it precedes one of four characters."""
_LITERAL: Final = frozenset(
    {"word", "number", "raw_string", "string", "ansi_c_string", "simple_expansion", "expansion"}
)
WriteKind: TypeAlias = Literal["write", "remove", "undo", "clean", "sweep", "visit", "history", "people"]
"""What happens to a path: it is written; removed; set back to what git has; removed with all below it that git does not
know; gone through by a program that changes only what it finds; a worktree whose index and branches change; or no path,
but a git command that rewrites history, or in words what only people may do."""


class Aimed(NamedTuple):
    """A path with what happens to it, as a command names it."""

    path: str
    kind: WriteKind


class Into(NamedTuple):
    """A target that is written itself or, if it is a folder, a file of this name in it."""

    target: str
    name: str


GivenWords: TypeAlias = "Sequence[str | None]"
"""The arguments of a command; None is one that is not known."""
Found: TypeAlias = "tuple[Sequence[str | Into | Aimed], list[str]]"
"""The files that are written, and what cannot be known."""


class ShellWrite(NamedTuple):
    """A path that a command is seen to write, the folder that it is relative to, and what happens to it."""

    folder: str
    path: str
    kind: WriteKind = "write"


def word_of(node: Node, known: Mapping[str, str] | None = None) -> str | None:
    """The text that a word means, given the values of variables; None if it depends on anything else.

    Wildcards and braces depend on the files that there are: `words_of` looks at them.
    """
    kind = node.type
    text = (node.text or b"").decode(errors="surrogateescape")
    if kind == "process_substitution":
        return "/dev/fd/63"  # a pipe; its other end is read separately
    if kind == "raw_string":
        return text[1:-1]
    if kind == "ansi_c_string":
        return None if "\\" in text else text[2:-1]
    if kind in {"simple_expansion", "expansion"}:
        value = _variable(text, known or {})
        return None if value is None or re.search(r"[\s*?\[]", value) else value  # the shell would split or match it
    if kind == "command_substitution":
        return temporary_name(text)
    if kind == "string":
        return _read_quoted(node, known)
    if kind in {"word", "number", "command_name"}:
        if node.named_child_count:
            return _join(node.named_children, known)
        return None if _GLOB.search(text) else _BARE.sub(r"\1", text)
    if kind == "concatenation" and all(child.type in _LITERAL for child in node.children):
        return _join(node.children, known)
    return None


def words_of(node: Node, folder: str | None, known: Mapping[str, str]) -> list[str | None]:
    """The words that one word of a command line becomes: itself, or the files that its wildcard matches."""
    word = word_of(node, known)
    text = (node.text or b"").decode(errors="surrogateescape")
    if word is not None or folder is None or not _GLOB.search(text) or re.search(r"[$`'\"{\\]", text):
        return [word]
    return list(_matches(folder, text)) or [text]


def temporary_name(text: str) -> str | None:
    """A name as `mktemp` would make it, if that is the substitution; it stands for whatever mktemp prints."""
    if not re.fullmatch(r"[$(`]+\s*mktemp(\s+-[dqu]+)*\s*[)`]", text):
        return None
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", "tmp.mktemp")  # noqa: S108  what mktemp does


def _matches(folder: str, pattern: str) -> list[str]:
    """The files that a pattern matches, in order; hidden ones only if it says so."""
    from fnmatch import fnmatchcase  # only a wildcard needs it

    paths = ["/" if pattern.startswith("/") else ""]
    for part in filter(None, pattern.split("/")):
        if not _GLOB.search(part):
            paths = [os.path.join(path, part) for path in paths if os.path.lexists(os.path.join(folder, path, part))]
            continue
        deeper = []
        for path in paths:
            try:
                names = sorted(os.listdir(os.path.join(folder, path) or "."))
            except OSError:
                continue
            seen = (name for name in names if part.startswith(".") or not name.startswith("."))
            deeper += [os.path.join(path, name) for name in seen if fnmatchcase(name, part)]
        paths = deeper
    return paths


def _variable(text: str, known: Mapping[str, str]) -> str | None:
    """The value of `$NAME` or `${NAME}`; more than a name in the braces is not read."""
    return known.get(text[2:-1] if text.startswith("${") else text.removeprefix("$"))


def _read_quoted(node: Node, known: Mapping[str, str] | None) -> str | None:
    """The text in double quotes. It is put together from the bytes, because the parser leaves out spaces between parts."""
    whole, start = node.text or b"", node.start_byte
    parts: list[str] = []
    at = 1
    for child in node.children:
        if child.type in {'"', "string_content"}:
            continue
        inner = (child.text or b"").decode(errors="surrogateescape")
        value = temporary_name(inner) if child.type == "command_substitution" else _variable(inner, known or {})
        if value is None:
            return None
        parts += [_unescape(whole[at : child.start_byte - start]), value]
        at = child.end_byte - start
    return "".join([*parts, _unescape(whole[at:-1])])


def _unescape(text: bytes) -> str:
    return _IN_QUOTES.sub(r"\1", text.decode(errors="surrogateescape"))


def _join(nodes: Sequence[Node], known: Mapping[str, str] | None) -> str | None:
    parts = [word_of(child, known) for child in nodes]
    return None if any(part is None for part in parts) else "".join(part or "" for part in parts)


class Words(NamedTuple):
    """The arguments of a command, sorted: options that are set, values of options, and everything else."""

    flags: frozenset[str]
    values: dict[str, list[str | None]]
    operands: list[str | None]

    def value(self, *names: str) -> list[str | None]:
        """All values that were given to an option, under any of its names."""
        return [value for name in names for value in self.values.get(name, [])]

    def has(self, *names: str) -> bool:
        """Whether an option was given, with or without a value."""
        return any(name in self.flags or name in self.values for name in names)

    def begins(self, name: str, shortest: int) -> bool:
        """Whether a long option was given, whole or cut short as getopt allows, with at least so many letters."""
        options = (*self.flags, *self.values)
        return any(len(option) >= shortest and name.startswith(option) for option in options if len(option) > 1)


def sort_words(words: Sequence[str | None], with_value: str = "") -> Words:
    """Sort arguments as getopt does. `with_value` lists the options that take one: `t` or `target-directory`.

    >>> sort_words(["-at", "dir", "--size=3", "x"], "t size").values
    {'t': ['dir'], 'size': ['3']}
    """
    takes = set(with_value.split())
    flags: set[str] = set()
    values: dict[str, list[str | None]] = {}
    operands: list[str | None] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if word is None or not word.startswith("-") or word in _ENDS:
            operands.append(word)
        elif word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if equals:
                values.setdefault(name, []).append(value)
            elif name in takes:
                values.setdefault(name, []).append(rest.pop(0) if rest else None)
            else:
                flags.add(name)
        else:
            _sort_letters(word[1:], takes, flags, values, rest)
    return Words(frozenset(flags), values, operands)


def _sort_letters(
    letters: str, takes: set[str], flags: set[str], values: dict[str, list[str | None]], rest: list[str | None]
) -> None:
    for at, letter in enumerate(letters):
        if letter in takes:
            value = letters[at + 1 :] or (rest.pop(0) if rest else None)
            values.setdefault(letter, []).append(value)
            return
        flags.add(letter)
