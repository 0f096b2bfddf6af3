"""The outline of a Python file is what `ast` says, and a file with an error has none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.governance.outline.modules import Piece, modules, text_of
from tests.processes import under_hash_seeds
from volition.core.errors import InvalidInput
from volition.governance.outline.languages import language_of, outline_of
from volition.governance.outline.parts import split_lines

if TYPE_CHECKING:
    from tests.sentences import Told

CART = b'''"""A shop."""
import os

SIZE: int = 3
A, (B, *C) = D = 1, (2, 3)
SIZE += 1

@register(
    "cart",
)
class Cart:
    """What is bought."""

    limit = 3

    @property
    def total(self):
        return 1

    @total.setter
    def total(self, value):
        def check(x):
            return x
        self.x = check(value)

if os.name == "nt":
    def path(): return 1
else:
    async def path():
        return 2
try:
    NICE = 1
except ImportError:
    NICE = 2
'''


def shown(content: bytes, path: str = "a.py") -> list[tuple[str, str, int, int]]:
    return [(part.name, part.kind, part.first, part.last) for part in outline_of(path, content).parts]


@pytest.mark.req("GV-26")
def test_every_definition_is_a_part() -> None:
    """Classes, functions, methods and variables of the module are parts with their decorators, in the order of the file;
    a name that is defined several times belongs to several parts."""
    assert shown(CART) == [
        ("SIZE", "constant", 4, 4), ("A", "constant", 5, 5), ("B", "constant", 5, 5), ("C", "constant", 5, 5),
        ("D", "constant", 5, 5), ("SIZE", "constant", 6, 6), ("Cart", "class", 8, 24), ("Cart.total", "method", 16, 18),
        ("Cart.total", "method", 20, 24), ("Cart.total.check", "function", 22, 23), ("path", "function", 27, 27),
        ("path", "function", 29, 30), ("NICE", "constant", 32, 32), ("NICE", "constant", 34, 34),
    ]  # fmt: skip


def innermost(content: bytes) -> list[str]:
    """For each line, the qualified name of the innermost definition around it, found by trying every node."""
    found = [""] * content.count(b"\n")
    waiting: list[tuple[ast.AST, str]] = [(ast.parse(content), "")]
    for node, name in waiting:
        inner = name
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{name}.{node.name}".strip(".")
            first = min([node.lineno] + [one.lineno for one in node.decorator_list])
            for line in range(first, (node.end_lineno or 0) + 1):
                found[line - 1] = inner
        waiting += [(child, inner) for child in ast.iter_child_nodes(node)]
    return found


@pytest.mark.req("GV-26")
@given(modules())
def test_every_line_is_in_the_part_that_ast_says(module: list[Piece]) -> None:
    """Each line of a definition belongs to the innermost one around it, and each other line to none, with both kinds of
    line ends."""
    for end in ("\n", "\r\n"):
        content = text_of(module, end)
        owners = outline_of("a.py", content).owners(len(split_lines(content)))
        assert [".".join(names) for names in owners] == innermost(content)


def test_a_line_of_several_parts_belongs_to_all_of_them() -> None:
    """Two statements on one line are both there."""
    content = b"x = 1; y = (\n 2)\n"
    assert outline_of("a.py", content).owners(2) == [("x", "y"), ("y",)]


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"x = 1\ndef f(:\n", 2), (b"x = 1\n  y = 2\n", 2), (b"\xff = 1\n", 1), (b"x = 1\ry = 2\n", 1), (b"x = 1\n'''\n", 2),
     (b"x\0", 1), (b"# coding: nothing\n", 1), (b"-" * 200_000 + b"1", 1)],
    ids=["syntax", "indent", "encoding", "lone return", "open text", "zero", "coding", "deep"],
)  # fmt: skip
def test_what_does_not_parse_has_no_outline(content: bytes, line: int) -> None:
    """The error names the file and the line, and nothing is guessed."""
    with pytest.raises(InvalidInput, match="does not parse") as caught:
        outline_of("src/a b.py", content)
    assert caught.value.problems[0].where == f"src/a b.py, line {line}"


def test_remarks_of_the_parser_are_not_errors() -> None:
    """A doubtful escape, a byte order mark and a declared encoding are fine."""
    assert [name for name, *_ in shown(b"\xef\xbb\xbfx = '\\d'\n")] == ["x"]
    assert [name for name, *_ in shown("# coding: latin-1\n# ä\ndef ä(): pass\n".encode("latin-1"))] == ["ä"]
    assert shown(b"") == []


def test_other_files_have_no_known_parts(told: Told) -> None:
    """A file in no known language is refused with the endings that are known."""
    assert language_of("Makefile") is None
    with told.raises(InvalidInput) as caught:
        outline_of("notes.md", b"# Notes")
    assert ".java" in caught.value.problems[0].expected


@pytest.mark.parametrize(
    ("content", "lines"),
    [(b"", []), (b"a", [b"a"]), (b"a\n", [b"a\n"]), (b"a\n\nb", [b"a\n", b"\n", b"b"]), (b"a\rb\x0c\r\n", [b"a\rb\x0c\r\n"])],
)  # fmt: skip
def test_lines_are_those_of_git(content: bytes, lines: list[bytes]) -> None:
    """A line ends with a line feed and with nothing else, and all lines together are the text."""
    assert split_lines(content) == lines
    assert b"".join(lines) == content


def test_an_outline_is_the_same_under_every_hash_seed() -> None:
    """Same input, same bytes."""
    code = (
        f"from volition.governance.outline.languages import outline_of; print(outline_of('a.py', {CART!r}).owners(34))"
    )
    assert len(under_hash_seeds(code, "0", "4242")) == 1
