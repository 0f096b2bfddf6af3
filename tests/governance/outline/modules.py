"""Python modules to outline and to change: generated as lists of parts, and written out as text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = st.sampled_from(["a", "b", "c", "größe", "_d", "e1"])
HEADS = ("def {}():", "async def {}(x=(1,\n        2)):", "class {}(object):")


@dataclass(frozen=True)
class Piece:
    """A statement of a generated module: a definition with what is in it, or lines that define nothing."""

    head: str
    name: str = ""
    decorated: bool = False
    inner: tuple[Piece, ...] = ()

    def lines(self, indent: str = "") -> Iterator[str]:
        if not self.name:
            yield from (indent + self.head).split("\n")
            return
        if self.decorated:
            yield f"{indent}@deco(1)"
        yield from (indent + line for line in self.head.format(self.name).split("\n"))
        for piece in self.inner:
            yield from piece.lines(f"{indent}    ")


PLAIN = st.sampled_from(["print(1)", "if x: y()", "import os", "# a remark", "print('''a\n\ndef b''')"]).map(Piece)


def definitions(inner: st.SearchStrategy[Piece]) -> st.SearchStrategy[Piece]:
    body = st.lists(st.one_of(PLAIN, inner), max_size=3).map(lambda some: (Piece("pass"), *some))
    return st.builds(Piece, st.sampled_from(HEADS), NAMES, st.booleans(), body)


PIECES = st.recursive(PLAIN, lambda inner: st.one_of(definitions(inner), definitions(inner), PLAIN), max_leaves=12)


@st.composite
def modules(draw: st.DrawFn) -> list[Piece]:
    """A module: statements at the top level."""
    return draw(st.lists(PIECES, max_size=5))


def unique(pieces: list[Piece]) -> list[Piece]:
    """The same pieces with names that are defined once each, so that a name is one part."""
    return [
        replace(piece, name=f"{piece.name}{n}", inner=tuple(unique(list(piece.inner)))) if piece.name else piece
        for n, piece in enumerate(pieces)
    ]


def text_of(pieces: list[Piece], end: str = "\n") -> bytes:
    """The module as it is written, with blank lines between its statements."""
    return "".join(line + end for piece in pieces for line in (*piece.lines(), "")).encode()
