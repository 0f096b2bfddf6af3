"""The outline of a source file: its parts, and which of them each line belongs to."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.core.errors import refuse
from volition.governance.outline.grammars import BY_EXTENSION, grammar_parts
from volition.governance.outline.source_part import python_parts

if TYPE_CHECKING:
    from volition.governance.outline.source_part import SourcePart

PYTHON: Final = "Python"
_PYTHON_ENDINGS: Final = frozenset({".py", ".pyi", ".pyw"})


class Outline(NamedTuple):
    """The parts of one source file, in the order of the file."""

    language: str
    parts: tuple[SourcePart, ...]

    def owners(self, lines: int) -> list[tuple[str, ...]]:
        """For each of the lines of the file, the names of the innermost parts that it belongs to; none outside of all.

        >>> outline_of("cart.py", b"class Cart:\\n    size = 1\\n    def add(self): ...\\nx = 1; y = 2\\n").owners(4)
        [('Cart',), ('Cart',), ('Cart.add',), ('x', 'y')]
        """
        found: list[list[int]] = [[] for _ in range(lines)]
        for place, part in enumerate(self.parts):
            if part.joined:
                continue
            around = self._around(place)
            for line in range(part.first - 1, min(part.last, lines)):
                found[line] = [*(one for one in found[line] if one not in around), place]
        return [tuple(dict.fromkeys(self.parts[place].name for place in places)) for places in found]

    def _around(self, place: int) -> set[int]:
        found = set[int]()
        while (place := self.parts[place].within) >= 0:
            found.add(place)
        return found


def language_of(path: str) -> str | None:
    """The language of a source file, by the ending of its name; None if its parts cannot be read.

    >>> language_of("src/cart.py"), language_of("src/Cart.java"), language_of("README.md")
    ('Python', 'Java', None)
    """
    ending = PurePosixPath(path).suffix
    if ending in _PYTHON_ENDINGS:
        return PYTHON
    return BY_EXTENSION[ending].language if ending in BY_EXTENSION else None


def outline_of(path: str, content: bytes) -> Outline:
    """The outline of a source file.

    InvalidInput if it is in no known language, or does not parse, with the line; MissingPart if the grammar of its
    language is not installed. Nothing is guessed of a file with an error.

    >>> [part.name for part in outline_of("cart.py", b"class Cart:\\n    def add(self): ...\\n").parts]
    ['Cart', 'Cart.add']
    """
    language = language_of(path)
    if language is None:
        refuse(
            "files like this have no known parts",
            where=path,
            expected=f"a name that ends in one of {', '.join(sorted({*_PYTHON_ENDINGS, *BY_EXTENSION}))}",
            remedy="claim the whole file",
        )
    if language == PYTHON:
        return Outline(language, tuple(python_parts(content, path)))
    return Outline(language, tuple(grammar_parts(BY_EXTENSION[PurePosixPath(path).suffix], content, path)))


def split_lines(content: bytes) -> list[bytes]:
    """The lines of a text as git counts them, each with its end."""
    return [line + b"\n" for line in content.split(b"\n")[:-1]] + [
        last for last in [content.rpartition(b"\n")[2]] if last
    ]
