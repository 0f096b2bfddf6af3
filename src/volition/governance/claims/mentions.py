"""Mentions: whether a text names a resource, as a run of whole segments between whatever separates words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from volition.governance.resources import SERVICE, WHOLE_PROJECT, clean_path, lexical

if TYPE_CHECKING:
    from volition.governance.documents.intent import Command

_PUNCTUATION: Final = frozenset("\"'`()[]{}<>,;:#?!=")
_SEPARATORS: Final = rf"\s{re.escape(''.join(sorted(_PUNCTUATION)))}"
_WORD = re.compile(f"[^{_SEPARATORS}]+")
_FILE = re.compile(rf"(?<![^{_SEPARATORS}])([^{_SEPARATORS}]*\.([A-Za-z][A-Za-z0-9]{{0,7}}))\.*(?![^{_SEPARATORS}])")
"""A word with an extension, without the dots that may end a sentence; and its extension."""
EXTENSIONS: Final = frozenset((
    "c", "cfg", "cpp", "cs", "css", "csv", "go", "h", "html", "ini", "java", "json", "jsx", "kt", "lock",
    "md", "php", "proto", "py", "pyi", "rb", "rs", "rst", "scss", "sh", "sql", "tf", "toml", "ts", "tsx",
    "txt", "vue", "xml", "yaml", "yml",
))  # fmt: skip
"""Extensions by which a word without a folder is a file; not `js`, because frameworks are called so."""
_SERVICE = re.compile(r"(?<![A-Za-z0-9_])service:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")


def readable_text(command: Command) -> str:
    """The text and references of a command, with clean paths, so that resources can be found in them."""
    text = "\n".join((command.intent, *command.evidence_refs))
    if is_readable(text):
        return text
    return " ".join(spelling for word in words_of(text) for spelling in spellings(word))


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
    """Whether a readable text contains a name as a run of whole segments; after a module, dotted parts may follow.

    A name in which something separates words is not found, nor is the whole project.

    >>> is_named("src/api", "scan://src/api/a.py", dotted=False), is_named("src/api", "see src/api2", dotted=False)
    (True, False)
    >>> is_named("shop", "in shop.cart", dotted=True), is_named("a.py", "in a.py.", dotted=False)
    (True, True)
    """
    start = text.find(name) if name != WHOLE_PROJECT and _WORD.fullmatch(name) else -1
    while start >= 0:
        end = start + len(name)
        if start == 0 or _ends_a_segment(text[start - 1]):
            after = text[end : end + 1] or "/"
            if after == "." and not dotted:
                # Dots end a sentence, unless they continue the path.
                after = text[end:].lstrip(".")[:1] or " "
                after = "." if after == "/" else after
            if _ends_a_segment(after) or (dotted and after == "."):
                return True
        start = text.find(name, start + 1)
    return False


def _ends_a_segment(letter: str) -> bool:
    return letter == "/" or ends_a_word(letter)


def ends_a_word(letter: str) -> bool:
    """Whether a letter separates words."""
    return letter in _PUNCTUATION or letter.isspace()


def files_in(text: str, root: str) -> list[str]:
    """The files and services that a text names by itself, no matter who claims them: clean paths, and `service:NAME`.

    A word is a file where it has a folder and an extension, or an extension that files have; what follows `//` is a place
    on a network, and what leads out of the project, or is all of it, is not a file.

    >>> files_in("Move src/a.py and .\\\\docs\\\\x.md into README.md (see https://x.org/a.html), and/or Node.js", "")
    ['src/a.py', 'docs/x.md', 'README.md']
    """
    found = []
    for chunk in text.split():
        if "." in chunk:
            for word, extension in _FILE.findall(chunk.replace("\\", "/")):
                is_named = "/" in word or extension.lower() in EXTENSIONS
                if is_named and not word.startswith("//") and word.rpartition("/")[2] != f".{extension}":
                    path = clean_path(word, root)
                    if path != WHOLE_PROJECT and path.partition("/")[0] != "..":
                        found.append(path)
    return found + _SERVICE.findall(text) if SERVICE in text else found
