"""Path patterns: which paths a pattern means, and whether two patterns have a path in common.

A pattern is a path from the project's root in which `*` is any run of characters of one name, `?` is one character,
`[a-z]` one of some (`[!a-z]` one of the others), `{a,b}` either alternative, and `**` as a whole name any number of
folders. No wildcard but `**` crosses a `/`; a name that begins with a dot is no exception. Whoever claims a folder claims
what lies in it, so a pattern means every path that it matches and everything below; but nothing lies below a name with a usual
ending of files, or `**/*.md` would meet `src/a.py`. Brackets also mean themselves, because `app/[id]/page.tsx` is the name of
a file in some projects.

Each pattern is a finite automaton over the characters of a path. Two patterns meet if the product of their automata
reaches an end of both, and the way there spells a path; one covers another if no way through the other leaves it. Both
are exact. Most paths have no wildcard, and are compared as texts.
"""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    States = frozenset[int]
    Ranges = frozenset[tuple[str, str]]

WHOLE_PROJECT: Final = "."
ALTERNATIVES: Final = 256
"""How many alternatives the braces of one pattern may spell out."""
SOURCES: Final = frozenset((
    "c", "cc", "cpp", "cs", "go", "h", "hpp", "java", "js", "jsx", "kt", "mjs", "php", "py", "pyi", "rb", "rs", "scala",
    "swift", "ts", "tsx",
))  # fmt: skip
"""The extensions of source files."""
FILES: Final = SOURCES | frozenset((
    "bat", "cfg", "conf", "css", "csv", "dart", "env", "ex", "exs", "gif", "gradle", "graphql", "hs", "html", "ico", "ini",
    "ipynb", "jar", "jpg", "json", "lock", "log", "lua", "m", "md", "ml", "pdf", "pem", "pl", "png", "proto", "ps1", "pyc",
    "r", "rst", "sass", "scss", "sh", "sql", "svelte", "svg", "tf", "tfvars", "toml", "txt", "vue", "xml", "yaml", "yml", "zip",
))  # fmt: skip
"""The usual extensions of files: a name with one of them is taken for a file."""
_MAGIC = re.compile(r"[*?\[{]").search
_BRACKET = re.compile(r"\[([!^]?+)(\]?+[^\]/]*)\]").match
"""A set of characters; one that is never closed is no set. A bracket right after the opening one belongs to the set."""
_LONE_STAR = re.compile(r"(?<!\*)\*(?!\*)").sub
_NICE: Final = "abcdefghijklmnopqrstuvwxyz0123456789_"
"""The characters of which an example is spelled where there is a choice."""


def is_pattern(path: str) -> bool:
    """Whether a path may have a wildcard in it.

    >>> is_pattern("src/*.py"), is_pattern("src/a.py")
    (True, False)
    """
    return _MAGIC(path) is not None


def anchor_of(path: str) -> str:
    """The folder that holds all paths of a pattern and has no wildcard in its name; a plain path is its own anchor.

    >>> anchor_of("src/api/*.py"), anchor_of("src/a.py"), anchor_of("**/*.md"), anchor_of("{src,lib}/a")
    ('src/api', 'src/a.py', '.', '.')
    """
    magic = _MAGIC(path)
    return path if magic is None else path[: magic.start()].rpartition("/")[0] or WHOLE_PROJECT


def is_file_name(name: str) -> bool:
    """Whether a name, or the last one of a path, has a usual ending of files.

    >>> is_file_name("src/a.py"), is_file_name("*.md"), is_file_name("Acme.Web"), is_file_name(".env"), is_file_name("src")
    (True, True, False, False, False)
    """
    stem, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in FILES and bool(stem) and stem[-1] != "/"


def expand_braces(pattern: str) -> list[str]:
    """The patterns that the braces of a pattern spell out, without duplicates; braces without a comma mean themselves.

    At most one more than `ALTERNATIVES` are returned.

    >>> expand_braces("{src,tests}/a.{py,md}")
    ['src/a.py', 'src/a.md', 'tests/a.py', 'tests/a.md']
    >>> expand_braces("api/{id}.ts"), expand_braces("a{,b{c,d}}")
    (['api/{id}.ts'], ['a', 'abc', 'abd'])
    """
    done: dict[str, None] = {}
    ahead = [pattern]
    while ahead and len(done) <= ALTERNATIVES:
        text = ahead.pop()
        cuts = _outermost_group(text)
        if cuts:
            before, after = text[: cuts[0]], text[cuts[-1] + 1 :]
            ahead += [before + text[one + 1 : other] + after for one, other in reversed([*pairwise(cuts)])]
        else:
            done[text] = None
    return list(done)


def _outermost_group(text: str) -> list[int]:
    """The places of the brace, the commas and the closing brace of the first group that no other group is around."""
    unclosed: list[list[int]] = []
    groups = []
    for at, letter in enumerate(text):
        if letter == "{":
            unclosed.append([at])
        elif letter == "," and unclosed:
            unclosed[-1].append(at)
        elif letter == "}" and unclosed:
            cuts = [*unclosed.pop(), at]
            if len(cuts) > 2:
                groups.append(cuts)
    return min(groups, default=[])


class _Letters(NamedTuple):
    """Some characters of a name: those in some ranges, or all others. A `/` is in none but `_SLASH`."""

    ranges: tuple[tuple[str, str], ...]
    others: bool = False

    def has(self, letter: str) -> bool:
        if letter == "/":
            return self is _SLASH
        for low, high in self.ranges:
            if low <= letter <= high:
                return not self.others
        return self.others


_ANY: Final = _Letters((), others=True)
_SLASH: Final = _Letters((("/", "/"),))


class Automaton:
    """A pattern as states with steps between them. Every state lies on a way to an end, so whoever is in one may get there."""

    def __init__(self, pattern: str) -> None:
        self.steps: list[list[tuple[_Letters, int]]] = []
        self.starts: set[int] = set()
        self.ends: set[int] = set()
        self._moves: dict[tuple[States, str], States] = {}
        for path in expand_braces(pattern):
            self._add([name for name in path.split("/") if name not in {"", WHOLE_PROJECT}] or ["**"])

    def move(self, states: States, letter: str) -> States:
        """The states after one more character."""
        return frozenset([after for state in states for some, after in self.steps[state] if some.has(letter)])

    def ranges(self, states: States) -> Ranges:
        """The ranges of characters that steps from some states tell apart."""
        return frozenset([one for state in states for some, _ in self.steps[state] for one in some.ranges])

    def follow(self, path: str) -> States:
        """The states after a plain path; moves are remembered, because many paths are followed through one pattern."""
        states: States = frozenset(self.starts)
        moves = self._moves
        for letter in path:
            after = moves.get((states, letter))
            if after is None:
                after = moves[states, letter] = self.move(states, letter)
            states = after
            if not states:
                break
        return states

    def _add(self, names: list[str]) -> None:
        """Add one alternative: its names in turn, and everything below the last unless that is a file. Alternatives share no
        state."""
        here = self._new()
        self.starts.add(here)
        for place, name in enumerate(names):
            if place + 1 == len(names):
                # Everything below is added, so a last `**` is one name of any kind.
                here = self._add_name(here, name)
            elif name == "**":
                folder = self._new()
                self.steps[here].append((_ANY, folder))
                self.steps[folder] += [(_ANY, folder), (_SLASH, here)]
            else:
                here = self._add_step(self._add_name(here, name), _SLASH)
        self.ends.add(here)
        if not is_file_name(names[-1]):
            below = self._add_step(here, _SLASH)
            inside = self._add_step(below, _ANY)
            self.steps[inside] += [(_ANY, inside), (_SLASH, below)]
            self.ends.add(inside)

    def _add_name(self, here: int, name: str) -> int:
        """Add the characters of one name after a state; returns the state after them."""
        at = 0
        while at < len(name):
            letter, bracket = name[at], _BRACKET(name, at)
            if bracket:
                after = self._add_step(here, _read_bracket(bracket[2], others=bool(bracket[1])))
                spelled = here
                for character in bracket[0][:-1]:
                    spelled = self._add_step(spelled, _Letters(((character, character),)))
                self.steps[spelled].append((_Letters((("]", "]"),)), after))
                here, at = after, bracket.end()
                continue
            if letter == "*":
                if not name.strip("*"):
                    here = self._add_step(here, _ANY)  # a name is not empty
                self.steps[here].append((_ANY, here))
                at = len(name) - len(name[at:].lstrip("*"))
                continue
            here = self._add_step(here, _ANY if letter == "?" else _Letters(((letter, letter),)))
            at += 1
        return here

    def _add_step(self, here: int, some: _Letters) -> int:
        after = self._new()
        self.steps[here].append((some, after))
        return after

    def _new(self) -> int:
        self.steps.append([])
        return len(self.steps) - 1


def _read_bracket(body: str, *, others: bool) -> _Letters:
    """The characters of a set: single ones, and ranges such as `a-z`."""
    ranges = []
    at = 0
    while at < len(body):
        last = body[at + 2] if body[at + 1 : at + 2] == "-" and at + 2 < len(body) else body[at]
        ranges.append((body[at], last))
        at += 3 if body[at + 1 : at + 2] == "-" and at + 2 < len(body) else 1
    return _Letters(tuple(ranges), others)


@lru_cache(maxsize=2**14)
def _automaton(pattern: str) -> Automaton:
    return Automaton(pattern)


def common_path(one: str, other: str) -> str | None:
    """A short path that two patterns both mean, as an example; None if they have none in common.

    >>> common_path("src/*.py", "src/api*"), common_path("*.md", "src/a.py"), common_path("src", "src/*/b.py")
    ('src/api.py', None, 'src/a/b.py')
    """
    if not paths_meet(one, other):
        return None
    if not is_pattern(one) and not is_pattern(other):
        return max(one, other, key=len)
    if any(not is_pattern(path) and _holds(path, anchor_of(deeper)) for path, deeper in ((one, other), (other, one))):
        # What is named inside a path lies in it, also where its name is that of a file.
        one, other = WHOLE_PROJECT, one if is_pattern(one) else other
    # An example reads better where no run of characters is empty.
    nicer = _find_common(*(_LONE_STAR("?*", path) for path in (one, other)))
    return nicer if nicer is not None else _find_common(one, other)


@lru_cache(maxsize=2**16)
def paths_meet(one: str, other: str) -> bool:
    """Whether two patterns have a path in common; one that names something in the other says that this is a folder.

    >>> paths_meet("src/*.py", "src/api*"), paths_meet("**/*.md", "src/a.py"), paths_meet("src", "src/*/b.py")
    (True, False, True)
    """
    if not is_pattern(one):
        one, other = other, one
    if not is_pattern(one):
        return _holds(one, other) or _holds(other, one)
    if is_pattern(other):
        return _may_begin_alike(one, other) and _find_common(*_without_shared_folder(one, other)) is not None
    if _holds(other, anchor_of(one)):
        return True
    one, other = _without_shared_folder(one, other)
    if not _may_begin(one, other):
        return False
    pattern = _automaton(one)
    states = pattern.follow(other)
    # Every state lies on a way to an end, so what lies below a folder may be meant as soon as there is one.
    return bool(states & pattern.ends or (not is_file_name(other) and pattern.move(states, "/")))


@lru_cache(maxsize=2**16)
def covers_path(one: str, other: str) -> bool:
    """Whether a pattern means every path that another means.

    >>> covers_path("src", "src/*.py"), covers_path("src/*", "src/**/*.py"), covers_path("src/*.py", "src/a*")
    (True, True, False)
    """
    if one == other or (not is_pattern(one) and _holds(one, anchor_of(other))):
        return True
    if not is_pattern(one) and not is_pattern(other):
        return False
    if not is_pattern(other) and other != WHOLE_PROJECT and (is_file_name(other) or not matches_path(one, other)):
        return matches_path(one, other)
    if other != WHOLE_PROJECT and not _may_begin_alike(one, other):
        return False
    mine, yours = map(_automaton, _without_shared_folder(one, other))
    # Every state leads to an end: once only `other` has states left, it means a path that `one` does not.
    return all(left and (left & mine.ends or not right & yours.ends) for left, right, _ in _walk(mine, yours))


@lru_cache(maxsize=2**15)
def matches_path(pattern: str, path: str) -> bool:
    """Whether a pattern means a path as it is written, wildcards and all.

    >>> matches_path("src/*.py", "src/a.py"), matches_path("app/[id]", "app/[id]/page.tsx"), matches_path("src", "src2")
    (True, True, False)
    """
    if not is_pattern(pattern):
        return _holds(pattern, path)
    pattern, path = _without_shared_folder(pattern, path)
    if path in {"", WHOLE_PROJECT} or not _may_begin(pattern, path):
        return False
    automaton = _automaton(pattern)
    return bool(automaton.follow(path) & automaton.ends)


def _without_shared_folder(one: str, other: str) -> tuple[str, str]:
    """A pattern, and another one or a plain path, without the folder that both begin with: what they mean differs only
    behind it. A plain path that is this folder is empty then."""
    anchor = anchor_of(one)
    while anchor != WHOLE_PROJECT and not _holds(anchor, other):
        anchor = anchor.rpartition("/")[0] or WHOLE_PROJECT
    start = len(anchor) + 1 if anchor != WHOLE_PROJECT else 0
    return one[start:], other[start:]


def _find_common(one: str, other: str) -> str | None:
    mine, yours = _automaton(one), _automaton(other)
    for left, right, spelled in _walk(mine, yours):
        if left & mine.ends and right & yours.ends:
            return spelled
    return None


def _walk(mine: Automaton, yours: Automaton) -> Iterator[tuple[States, States, str]]:
    """The pairs of states that two automata can reach by the same characters, with the shortest spelling of each, shortest
    first. Pairs in which `yours` has no state left are skipped; one in which only `mine` has none is not followed further."""
    first = frozenset(mine.starts), frozenset(yours.starts)
    ahead, seen = deque([(first, "")]), {first}
    while ahead:
        (left, right), spelled = ahead.popleft()
        yield left, right, spelled
        if not left:
            continue
        for letter in _alphabet(mine.ranges(left) | yours.ranges(right)):
            if next_right := yours.move(right, letter):
                after = mine.move(left, letter), next_right
                if after not in seen:
                    seen.add(after)
                    ahead.append((after, spelled + letter))


@lru_cache(maxsize=2**12)
def _alphabet(ranges: Ranges) -> tuple[str, ...]:
    """One character of each kind that some ranges tell apart, plain letters first so that examples read well."""
    alphabet = {low for low, _ in ranges} | {chr(min(ord(high) + 1, 0x10FFFF)) for _, high in ranges} | {"/"}
    other = next((letter for letter in _NICE if not any(low <= letter <= high for low, high in ranges)), None)
    alphabet |= {other} if other else set()
    return tuple(sorted(alphabet, key=lambda letter: (letter not in _NICE, letter == "/", letter)))


def _may_begin(pattern: str, path: str) -> bool:
    """Whether a path begins like a pattern as far as that has no wildcard; most paths beside a pattern do not."""
    head = _head_of(pattern)
    return path.startswith(head) or head.startswith(path)


def _may_begin_alike(one: str, other: str) -> bool:
    """Whether some path may begin like both of two patterns, as far as they have no wildcard."""
    head, start = _head_of(one), _head_of(other)
    return head.startswith(start) or start.startswith(head)


def _head_of(pattern: str) -> str:
    """What every path that a pattern means begins with: all before the first wildcard."""
    magic = _MAGIC(pattern)
    return pattern[: magic.start()] if magic else pattern


def _holds(folder: str, path: str) -> bool:
    """Whether a plain path is, or lies in, another plain one."""
    return folder in {path, WHOLE_PROJECT} or path.startswith(f"{folder}/")
