"""Path patterns without automata: compared name by name and character by character, and paths tried one by one.

`is_meant` decides whether a pattern means one path. Whether two patterns meet is found by trying every way in which their
wildcards could stand for the same names. One covers another if it means each of the other's samples: paths in which every
wildcard stands for what the first pattern is least likely to mean.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import Final

from volition.governance.paths.patterns import FILES

STRANGER: Final = "\u00fe"
"""A character that no pattern of the tests spells out."""
LENGTHS: Final = (0, 1, 2, 4)
"""How many unknown characters stand for `*` in samples."""
_MAGIC = re.compile(r"[*?\[{]")
_BRACKET = re.compile(r"\[([!^]?)(\]?[^\]/]*)\]").match


def alternatives(pattern: str) -> list[str]:
    """The braces of a pattern spelled out, the innermost first.

    >>> alternatives("{src,lib}/a{,b}.py")
    ['src/a.py', 'src/ab.py', 'lib/a.py', 'lib/ab.py']
    """
    inner = re.search(r"\{([^{},]*(?:,[^{},]*)+)\}", pattern)
    if not inner:
        return [pattern]
    return [
        text
        for one in inner[1].split(",")
        for text in alternatives(pattern[: inner.start()] + one + pattern[inner.end() :])
    ]


@lru_cache(maxsize=2**16)
def name_matches(pattern: str, name: str) -> bool:
    """Whether one name matches a pattern without a slash, tried character by character.

    >>> name_matches("a*[!b].py", "axc.py"), name_matches("[id]", "[id]"), name_matches("?", "ab")
    (True, True, False)
    """
    if not pattern:
        return not name
    bracket = _BRACKET(pattern)
    if bracket and bracket[2]:
        rest = pattern[bracket.end() :]
        if name.startswith(bracket[0]) and name_matches(rest, name[len(bracket[0]) :]):
            return True
        return bool(name) and is_one_of(name[0], bracket[2]) is not bool(bracket[1]) and name_matches(rest, name[1:])
    if pattern[0] == "*":
        return name_matches(pattern[1:], name) or (bool(name) and name_matches(pattern, name[1:]))
    return bool(name) and pattern[0] in {"?", name[0]} and name_matches(pattern[1:], name[1:])


def is_one_of(letter: str, listed: str) -> bool:
    """Whether a character is listed between brackets, by itself or in a range such as `a-z`."""
    while listed:
        if listed[1:2] == "-" and len(listed) > 2:
            if listed[0] <= letter <= listed[2]:
                return True
            listed = listed[3:]
        else:
            if letter == listed[0]:
                return True
            listed = listed[1:]
    return False


@lru_cache(maxsize=2**12)
def is_file(name: str) -> bool:
    """Whether a name has a usual ending of files, so that nothing lies below it."""
    before, dot, ending = name.rpartition(".")
    return bool(dot and before) and ending.lower() in FILES


def names_match(patterns: list[str], names: list[str], *, below: bool = True) -> bool:
    """Whether the names of a path match those of a pattern; what lies below a match is matched, unless that is a file."""
    if not patterns:
        return below or not names
    if patterns[0] == "**" and len(patterns) > 1:
        return names_match(patterns[1:], names) or (bool(names) and names_match(patterns, names[1:]))
    return (
        bool(names)
        and name_matches(patterns[0], names[0])
        and names_match(patterns[1:], names[1:], below=not is_file(patterns[0]))
    )


def names_inside(one: str, other: str) -> bool:
    """Whether one names something in the other, before its first wildcard: then that is a folder, whatever it is called."""
    plain = _MAGIC.split(one, 1)[0]
    folder = plain if plain == one else plain.rpartition("/")[0]
    return f"{folder}/".startswith(f"{other}/") and not _MAGIC.search(other)


@lru_cache(maxsize=2**18)
def is_meant(pattern: str, path: str) -> bool:
    """Whether a pattern means a path, or something above it; the whole project is above all of them.

    >>> is_meant("src/*.py", "src/a.py"), is_meant("src", "src/x/a.py"), is_meant("*.md", "docs/a.md")
    (True, True, False)
    """
    return any(names_match(text.split("/"), path.split("/")) for text in spelled_out(pattern))


@lru_cache(maxsize=2**12)
def spelled_out(pattern: str) -> tuple[str, ...]:
    """The alternatives of a pattern; the whole project is everything in it."""
    return tuple("**" if text == "." else text for text in alternatives(pattern))


@lru_cache(maxsize=2**16)
def patterns_meet(one: str, other: str) -> bool:
    """Whether two patterns have a path in common.

    >>> patterns_meet("src/*.py", "src/a*"), patterns_meet("src/*.py", "src/*.md"), patterns_meet("src", "src/*/b.py")
    (True, False, True)
    """
    if "." in {one, other} or names_inside(one, other) or names_inside(other, one):
        return True
    return any(runs_meet(a.split("/"), b.split("/")) for a, b in product(spelled_out(one), spelled_out(other)))


def runs_meet(mine: list[str], yours: list[str], *, my_file: bool = False, your_file: bool = False) -> bool:
    """Whether some names match two runs of patterns; where one run ends, whatever is left of the other lies below it,
    unless it ended with a file."""
    if not mine or not yours:
        return not (mine and your_file) and not (yours and my_file)
    if mine[0] == "**" and len(mine) > 1:
        return runs_meet(mine[1:], yours, your_file=your_file) or runs_meet(
            mine, yours[1:], your_file=is_file(yours[0])
        )
    if yours[0] == "**" and len(yours) > 1:
        return runs_meet(yours, mine, my_file=your_file, your_file=my_file)
    return names_meet(mine[0], yours[0]) and runs_meet(
        mine[1:], yours[1:], my_file=is_file(mine[0]), your_file=is_file(yours[0])
    )


@lru_cache(maxsize=2**16)
def names_meet(one: str, other: str) -> bool:
    """Whether some name matches two patterns; of a name that is `*` there is at least one character."""
    ways = product(readings("?*" if not one.strip("*") else one), readings("?*" if not other.strip("*") else other))
    return any(pieces_meet(mine, yours) for mine, yours in ways)


def readings(name: str) -> list[tuple[str, ...]]:
    """The pieces of a name: `*`, sets in brackets, and single characters; brackets may also be plain text.

    >>> readings("a[bc]*")
    [('a', '[bc]', '*'), ('a', '\\\\[', '\\\\b', '\\\\c', '\\\\]', '*')]
    """
    if not name:
        return [()]
    bracket = _BRACKET(name)
    if bracket and bracket[2]:
        rest = readings(name[bracket.end() :])
        firsts: list[tuple[str, ...]] = [(bracket[0],), tuple(f"\\{letter}" for letter in bracket[0])]
        return [(*first, *more) for first in firsts for more in rest]
    return [(name[0], *more) for more in readings(name[1:])]


def pieces_meet(mine: tuple[str, ...], yours: tuple[str, ...]) -> bool:
    """Whether some characters match two rows of pieces; `*` stands for any number of them."""
    if not mine and not yours:
        return True
    if mine and mine[0] == "*":
        return pieces_meet(mine[1:], yours) or (bool(yours) and pieces_meet(mine, yours[1:]))
    if yours and yours[0] == "*":
        return pieces_meet(yours, mine)
    if not mine or not yours:
        return False
    letters = {STRANGER, *"".join((*listed(mine[0]), *listed(yours[0])))}
    common = any(name_matches_piece(mine[0], one) and name_matches_piece(yours[0], one) for one in letters)
    return common and pieces_meet(mine[1:], yours[1:])


def listed(piece: str) -> set[str]:
    """The characters that a piece lists, with all of its ranges."""
    bracket = _BRACKET(piece) if len(piece) > 2 else None
    if not bracket:
        return {piece[-1]} - {"*", "?"}
    return {chr(code) for code in range(0x20, 0x7F) if is_one_of(chr(code), bracket[2])}


def name_matches_piece(piece: str, letter: str) -> bool:
    """Whether a character matches one piece: itself, `?`, or a set."""
    return piece[1] == letter if piece[0] == "\\" and len(piece) == 2 else name_matches(piece, letter)


@lru_cache(maxsize=2**16)
def pattern_covers(one: str, other: str) -> bool:
    """Whether a pattern means every path that another means.

    >>> pattern_covers("src/*", "src/**/*.py"), pattern_covers("src/*.py", "src/*"), pattern_covers("src/a.py", "src")
    (True, False, False)
    """
    if one == "." or names_inside(other, one):
        return True
    letters = {letter for piece in re.findall(r"\[[^\]]+\]", one) for letter in listed(piece)}
    return all(is_meant(one, path) for path in samples(other, "".join(sorted(letters))))


@lru_cache(maxsize=2**14)
def samples(pattern: str, letters: str) -> frozenset[str]:
    """Paths that a pattern means, made of what it spells out, of unknown characters, and of these letters."""
    return frozenset("/".join(path) for text in spelled_out(pattern) for path in filled(text.split("/"), letters))


def filled(patterns: list[str], letters: str) -> set[tuple[str, ...]]:
    """The names of a pattern with their wildcards filled; where the pattern ends without a file, also a path below it."""
    if not patterns:
        return {(), (STRANGER,)}
    if len(patterns) == 1 and is_file(patterns[0]):
        return {(name,) for name in filled_names(patterns[0], letters)}
    names: set[tuple[str, ...]] = {(name,) for name in filled_names(patterns[0], letters)}
    if patterns[0] == "**":
        names |= {(), (STRANGER, STRANGER)} if len(patterns) > 1 else set()
    return {(*some, *rest) for some in names for rest in filled(patterns[1:], letters)}


@lru_cache(maxsize=2**14)
def filled_names(pattern: str, letters: str) -> frozenset[str]:
    """A name with its wildcards filled."""
    found = {""}
    for reading in readings(pattern):
        some = {""}
        for piece in reading:
            ends = {STRANGER, *letters, *listed(piece)}
            fills = {STRANGER * size for size in LENGTHS} | {*letters} if piece == "*" else ends
            some = {before + one for before in some for one in fills if piece == "*" or name_matches_piece(piece, one)}
        found |= some
    return frozenset(found - {""})
