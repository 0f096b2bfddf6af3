"""The words of a command line: which are known from their text, and which only the shell will know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

_GLOB: Final = frozenset("*?[{")
_ENDS: Final = ("-", "--")
_BARE: Final = re.compile(r"\\(.)", re.DOTALL)
"""Without quotes, a backslash means the character after it."""
_IN_QUOTES: Final = re.compile(r"""\\([$`"\\])""")
"""In double quotes, a backslash is kept unless it precedes one of four characters."""


class ShellWrite(NamedTuple):
    """A path that a command is seen to write, and the folder that it is relative to."""

    folder: str
    path: str


def word_of(node: Node) -> str | None:
    """The text that a word means; None if it depends on anything but the word itself.

    Wildcards and braces depend on the files that there are.
    """
    kind = node.type
    text = (node.text or b"").decode(errors="surrogateescape")
    if kind == "process_substitution":
        return "/dev/fd/63"  # a pipe; its other end is read separately
    if kind == "raw_string":
        return text[1:-1]
    if kind == "ansi_c_string":
        return None if "\\" in text else text[2:-1]
    if kind == "string":
        inner = [child for child in node.children if child.type != '"']
        return _IN_QUOTES.sub(r"\1", text[1:-1]) if all(child.type == "string_content" for child in inner) else None
    if kind in {"word", "number", "command_name"}:
        if node.named_child_count:
            parts = [word_of(child) for child in node.named_children]
            return "".join(part for part in parts if part is not None) if all(p is not None for p in parts) else None
        return (
            None
            if _GLOB & set(text.replace("\\*", "").replace("\\?", "").replace("\\[", ""))
            else _BARE.sub(r"\1", text)
        )
    if kind == "concatenation":
        if any(
            child.type not in {"word", "number", "raw_string", "string", "ansi_c_string"} for child in node.children
        ):
            return None
        parts = [word_of(child) for child in node.children]
        return None if any(part is None for part in parts) else "".join(part or "" for part in parts)
    return None


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
