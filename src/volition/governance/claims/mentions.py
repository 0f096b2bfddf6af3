"""Mentions: whether a text names a resource, as a run of whole segments between whatever separates words."""

from __future__ import annotations

import re
from typing import Final

from volition.governance.paths.names import SERVICE, clean_path, is_absolute, lexical
from volition.governance.paths.patterns import FILES, WHOLE_PROJECT, is_pattern

EXTENSIONS: Final = FILES - {"js"}
"""Extensions by which a word without a folder is a file."""
_PUNCTUATION: Final = frozenset("\"'`()[]{}<>,;:#?!=")
_SEPARATORS: Final = rf"\s{re.escape(''.join(sorted(_PUNCTUATION)))}"
_WORD = re.compile(f"[^{_SEPARATORS}]+")
_FILE_WORD: Final = rf"(?<![^{_SEPARATORS}])[^{_SEPARATORS}]*\.[A-Za-z][A-Za-z0-9]{{0,7}}(?=\.*(?:[{_SEPARATORS}]|\Z))"
_PART: Final = r"(?:#[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|-)[A-Za-z0-9_]+)*)?"
_FILE = re.compile(rf"({_FILE_WORD})({_PART})\.*(?![^{_SEPARATORS}])")
"""A word with an extension, without the dots that may end a sentence; and the part of the file that follows it."""
_SOURCE = re.compile(
    rf"(?<![a-z])(from|out of|using|based on|according to)\s+(?:(?:the|a|an|file)\s+)*"
    rf"({_FILE_WORD}{_PART}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){_FILE_WORD}{_PART})*)",
    re.IGNORECASE,
)
"""What is read to make something else, after the words that say so."""
_SOURCE_WORD = re.compile(r"(?i:from|out of|using|based on|according to)\s").search
"""Whether a text has such a word at all; most have none."""
_TAKES = re.compile(
    r"(?<![a-z])(?:clean|clear|cut|delete|deleting|drop|exclud|extract|mov|pull|prun|remov|strip|subtract|tak|trim)",
    re.IGNORECASE,
)
"""Verbs that change what stands after `from`."""
_SERVICE = re.compile(r"(?<![A-Za-z0-9_])service:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")


def readable_text(text: str) -> str:
    """A text with clean paths, so that resources can be found in it."""
    if is_readable(text):
        return text
    return " ".join(spelling for word in words_of(text) for spelling in spellings(word))


def split_sources(text: str) -> tuple[str, str]:
    """What a text speaks of, and what it reads to make that: the files after `from`, `using` and `based on`.

    After a verb that takes something away, `from` names what is changed.

    >>> split_sources("generate client.ts from openapi.yaml and a.json")
    ('generate client.ts from  ', 'openapi.yaml and a.json')
    >>> split_sources("remove unused imports from a.py")
    ('remove unused imports from a.py', '')
    """
    sources: list[str] = []

    def take(match: re.Match[str]) -> str:
        clause = re.split(r"[.;!?]\s|\n", text[: match.start()])[-1]
        if match[1].lower() in {"from", "out of"} and _TAKES.search(clause):
            return match[0]
        sources.append(match[2])
        return f"{match[1]}  "

    if not _SOURCE_WORD(text):
        return text, ""
    return _SOURCE.sub(take, text), " ".join(sources)


def is_readable(text: str) -> bool:
    """Whether a text can be searched as it is because every path in it is clean.

    >>> is_readable("see a://src/a.py"), is_readable("see src//a.py"), is_readable("see ./src")
    (True, False, False)
    """
    return "./" not in text and "\\" not in text and "//" not in text.replace("://", " ")


def spellings(word: str) -> list[str]:
    """A word as a clean path, as it is and without the dots that may end a sentence.

    >>> spellings("//src/a.py"), spellings("./a.py.")
    (['src/a.py'], ['a.py.', 'a.py'])
    """
    path = word.strip("/")
    if is_readable(path) and not path.endswith("."):
        return [path]
    return [lexical(word), lexical(word.rstrip(".")).rstrip(".")]


def words_of(text: str) -> list[str]:
    """The words of a text; white space, brackets, quotes and most punctuation separate words."""
    return _WORD.findall(text)


def is_named(name: str, text: str, *, dotted: bool) -> bool:
    """Whether a word of a readable text begins with a name, by whole segments; after a module, dotted parts may follow.

    A name in which something separates words is not found, nor is the whole project.

    >>> is_named("src/api", "scan://src/api/a.py", dotted=False), is_named("src/api", "see src/api2", dotted=False)
    (True, False)
    >>> is_named("README.md", "in cart/README.md", dotted=False)
    False
    >>> is_named("shop", "in shop.cart", dotted=True), is_named("a.py", "in a.py.", dotted=False)
    (True, True)
    """
    start = text.find(name) if name != WHOLE_PROJECT and _WORD.fullmatch(name) else -1
    while start >= 0:
        end = start + len(name)
        if _begins_a_word(text, start):
            after = text[end : end + 1] or "/"
            if after == "." and not dotted:
                # Dots end a sentence, unless they continue the path.
                after = text[end:].lstrip(".")[:1] or " "
                after = "." if after == "/" else after
            if _ends_a_segment(after) or (dotted and after == "."):
                return True
        start = text.find(name, start + 1)
    return False


def _begins_a_word(text: str, start: int) -> bool:
    """Whether a word begins here, or did before the slashes that stand here."""
    while start and text[start - 1] == "/":
        start -= 1
    return start == 0 or ends_a_word(text[start - 1])


def _ends_a_segment(letter: str) -> bool:
    return letter == "/" or ends_a_word(letter)


def ends_a_word(letter: str) -> bool:
    """Whether a letter separates words."""
    return letter in _PUNCTUATION or letter.isspace()


def files_in(text: str, root: str) -> list[str]:
    """The files and services that a text names by itself, no matter who claims them: clean paths, and `service:NAME`.

    A word is a file where it has a folder and an extension, or an extension that files have and no wildcard (not `js`,
    because frameworks are called so); what follows `//` is a place
    on a network, and what leads out of the project, or is all of it, is not a file.

    >>> files_in("Move src/a.py and .\\\\docs\\\\x.md into README.md (see https://x.org/a.html), and/or Node.js", ".")
    ['src/a.py', 'docs/x.md', 'README.md']
    >>> files_in("change src/cart.py#Cart.add.", ".")
    ['src/cart.py#Cart.add']
    """
    return [name for name, _ in names_in(text, root)]


def names_in(text: str, root: str) -> list[tuple[str, bool]]:
    """The files and services that a text names by itself, and whether each is named without a folder.

    >>> names_in("change a.py and services/x/b.py", "services/x")
    [('services/x/a.py', True), ('services/x/b.py', False)]
    """
    names = []
    for chunk in text.split():
        if "." in chunk:
            for word, part in _FILE.findall(chunk.replace("\\", "/")):
                extension = word.rpartition(".")[2]
                is_named = "/" in word or (extension.lower() in EXTENSIONS and not is_pattern(word))
                if is_named and not word.startswith("//") and word.rpartition("/")[2] != f".{extension}":
                    path = _path_of_word(word, part, root)
                    if path != WHOLE_PROJECT and path.partition("/")[0] != "..":
                        names.append((path, "/" not in lexical(word)))
    return names + [(name, False) for name in _SERVICE.findall(text)] if SERVICE in text else names


def _path_of_word(word: str, part: str, root: str) -> str:
    """The path that a word means: from the plan's root or, if it begins with that root, from the project's."""
    is_whole = root != WHOLE_PROJECT and not is_absolute(root) and lexical(word).startswith(f"{lexical(root)}/")
    return clean_path(word + part, WHOLE_PROJECT if is_whole else root)
