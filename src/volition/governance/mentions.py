"""Mentions: whether a text names a resource, as a run of whole segments between whatever parts words.

A text is searched as it stands. Where its paths are spelt oddly it is searched as its words with clean paths; whether
that is so, and whether names are such as can stand in a text at all, is looked for in many plans at once, because one
look at many is much faster than many looks.
"""

from __future__ import annotations

import re
from itertools import chain
from operator import attrgetter
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Final

from volition.governance.resources import SERVICE, WHOLE_PROJECT, clean_path, lexical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.governance.documents import Intent

TOGETHER: Final = 64
"""So many intents are looked at together; where one of them has an odd name, each of them is looked at closely."""
_FILES, _MODULES = attrgetter("scope.targets.files"), attrgetter("scope.targets.modules")
_LOCKS = attrgetter("constraints.lock_scope.paths")
_PARTING = re.compile(r"[\s\"'`()\[\]{}<>,;:#?!=]")
_EDGES: Final = frozenset("/ \n\"'`()[]{}<>,;:#?!=")
_FILE = re.compile(
    r"(?<![^\s\"'`()\[\]{}<>,;:#?!=])[^\s\"'`()\[\]{}<>,;:#?!=]+\.[A-Za-z][A-Za-z0-9]{0,7}"
    r"(?=\.*(?:[\s\"'`()\[\]{}<>,;:#?!=]|\Z))"
).findall
"""Words that have an ending, without the dots that may end a sentence."""
EXTENSIONS: Final = frozenset((
    "c", "cfg", "cpp", "cs", "css", "csv", "go", "h", "html", "ini", "java", "json", "jsx", "kt", "lock",
    "md", "php", "proto", "py", "pyi", "rb", "rs", "rst", "scss", "sh", "sql", "tf", "toml", "ts", "tsx",
    "txt", "vue", "xml", "yaml", "yml",
))  # fmt: skip
"""Endings by which a word without a folder is a file; `js` is none of them, because frameworks are called so."""
_SERVICE = re.compile(r"(?<![A-Za-z0-9_])service:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
PLAIN: Final = f"{ascii_letters}{digits}_-./".encode()
"""The letters of names that need no closer look."""


def texts_of(intent: Intent) -> list[str]:
    """All in which each of an intent's commands can name a resource, line by line.

    Each line is ended, so that a name at the end of one, where most stand, is found at once.
    """
    return ["\n".join((command.intent, *command.evidence_refs, "")) for command in intent.planned_commands]


def are_plain(paths: Iterable[str], modules: Iterable[str]) -> bool:
    """Whether all these are clean as they stand, name no service, and nothing in them parts words.

    >>> [are_plain([path], []) for path in ("src/a.py", ".github/x", "a//b", "./a", "a/", ".", "a b", "src/*")]
    [True, True, False, False, False, False, False, False]
    >>> [are_plain([], [module]) for module in ("shop.cart", "shop..cart", ".shop", "shop.", "service:api")]
    [True, False, False, False, False]
    """
    files, dotted = "/".join(("", *paths, "")), "/".join(("", *modules, ""))
    names = files + dotted
    return not ("./" in names or "//" in files or ".." in dotted or "/." in dotted) and (
        names.isascii() and not names.encode().translate(None, PLAIN)
    )


def are_plain_texts(text: str) -> bool:
    """Whether a text, or many in one, can be searched as it stands: no path in it is spelt oddly.

    >>> are_plain_texts("see a://src/a.py"), are_plain_texts("see src//a.py"), are_plain_texts("see ./src")
    (True, False, False)
    """
    return "./" not in text and "\\" not in text and text.count("//") == text.count("://")


def in_batches(intents: Sequence[Intent]) -> Iterator[tuple[Sequence[Intent], bool]]:
    """Some intents at a time, and whether the names of all their targets and locks are plain."""
    for start in range(0, len(intents), TOGETHER):
        some = intents[start : start + TOGETHER]
        yield some, are_plainly_named(some)


def are_plainly_named(intents: Sequence[Intent]) -> bool:
    """Whether the names of all targets and locks of some intents are plain."""
    paths = chain.from_iterable((*map(_FILES, intents), *map(_LOCKS, intents)))
    return are_plain(paths, chain.from_iterable(map(_MODULES, intents)))


def readable(text: str) -> str:
    """A text whose paths are spelt oddly, as its words with clean paths, so that resources can be found in it."""
    return " ".join(spelling for word in words_of(text) for spelling in spellings(word))


def spellings(word: str) -> tuple[str, str]:
    """A word as a clean path, as it stands and without the dots that may end a sentence."""
    return lexical(word), lexical(word.rstrip(".")).rstrip(".")


def words_of(text: str) -> Iterable[str]:
    """The words of a text; white space, brackets, quotes and most punctuation part words."""
    return filter(None, _PARTING.split(text))


def stands(text: str, name: str, dotted: bool) -> bool:
    """Whether a name stands in a text as a run of whole segments; a module may go on after it, dotted."""
    size, length = len(name), len(text)
    start = text.find(name)
    while start >= 0:
        end = start + size
        before = text[start - 1] if start else "/"
        if before in _EDGES or before.isspace():
            after = text[end] if end < length else "/"
            if after == "." and not dotted:
                while end < length and text[end] == ".":
                    end += 1
                after = text[end] if end < length else " "
                after = after if after != "/" else "."
            if after in _EDGES or after.isspace() or (dotted and after == "."):
                return True
        start = text.find(name, start + 1)
    return False


def files_in(text: str, root: str) -> list[str]:
    """The files and services that a text names by itself, whoever claims them: clean paths, and `service:NAME`.

    A word is a file where it has a folder and an ending, or an ending that files have; what follows `//` is a place on
    a network, and what leads out of the project, or is all of it, is nobody's file.

    >>> files_in("Move src/a.py and .\\\\docs\\\\x.md into README.md (see https://x.org/a.html), and/or Node.js", "")
    ['src/a.py', 'docs/x.md', 'README.md']
    """
    found: list[str] = []
    if "." in text:
        for word in _FILE(text.replace("\\", "/")):
            folder, _, name = word.rpartition("/")
            stem, _, ending = name.rpartition(".")
            if stem and word[:2] != "//" and (folder or word[0] == "/" or ending.lower() in EXTENSIONS):
                path = clean_path(word, root)
                if path != WHOLE_PROJECT and path.partition("/")[0] != "..":
                    found.append(path)
    if SERVICE in text:
        found += _SERVICE.findall(text)
    return found


def names_one_of(text: str, targets: Sequence[str]) -> bool:
    """Whether a text ends with one of the targets and names nothing else; most texts do, and need no closer look.

    >>> names_one_of("Change src/a.py", ["src/a.py"]), names_one_of("Move b.py to src/a.py", ["src/a.py"])
    (True, False)
    """
    head, _, last = text.rpartition(" ")
    return last in targets and "." not in head and ":" not in head


def is_word(name: str) -> bool:
    """Whether a name can stand in a text at all: it is not the whole project, and nothing in it parts words."""
    return not (name in {"", WHOLE_PROJECT} or _PARTING.search(name))
