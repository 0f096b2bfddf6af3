"""The outline of a source file: its parts, which of them each line belongs to, and those of a Python file as `ast` sees them.

A part is a class, a function, a method, or an assignment at the top level of a module. Its name is qualified by the parts
that it lies in, as in `Cart.add`. A name that is defined several times, by overloads, a property with its setter, or the
branches of a condition, belongs to several parts, and means all of them.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING, Literal, NoReturn

from msgspec import Struct

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["class", "function", "method", "constant"]


class SourcePart(Struct, frozen=True):
    """One part of a source file, with its decorators."""

    name: str
    """Its qualified name, such as `Cart.add`."""
    kind: Kind
    first: int
    """Its first line, counted from 1."""
    last: int
    """Its last line."""
    within: int = -1
    """The place in the outline of the part that it lies in; -1 at the top level."""
    joined: bool = False
    """Whether it begins or ends on a line that has other text of what it lies in. Its lines then count for that."""


class Outline(Struct, frozen=True):
    """The parts of one source file, in the order of the file."""

    language: str
    parts: tuple[SourcePart, ...]

    def owners(self, lines: int) -> list[tuple[str, ...]]:
        """For each of the lines of the file, the names of the innermost parts that it belongs to; none outside of all.

        >>> text = b"class Cart:\\n    size = 1\\n    def add(self): ...\\nx = 1; y = 2\\n"
        >>> Outline("Python", tuple(python_parts(text, "cart.py"))).owners(4)
        [('Cart',), ('Cart',), ('Cart.add',), ('x', 'y')]
        """
        places_of: list[list[int]] = [[] for _ in range(lines)]
        for place, part in enumerate(self.parts):
            if part.joined:
                continue
            around = self._around(place)
            for line in range(part.first - 1, min(part.last, lines)):
                places_of[line] = [*(owner for owner in places_of[line] if owner not in around), place]
        return [tuple(dict.fromkeys(self.parts[place].name for place in places)) for places in places_of]

    def _around(self, place: int) -> set[int]:
        lines = set[int]()
        while (place := self.parts[place].within) >= 0:
            lines.add(place)
        return lines


def split_lines(content: bytes) -> list[bytes]:
    """The lines of a text as git counts them, each with its end."""
    return [line + b"\n" for line in content.split(b"\n")[:-1]] + [
        last for last in [content.rpartition(b"\n")[2]] if last
    ]


def python_parts(content: bytes, where: str) -> list[SourcePart]:
    r"""The parts of a Python file, in the order of the file; InvalidInput with the line where it does not parse.

    >>> for part in python_parts(b"SIZE = 3\n\nclass Cart:\n    @property\n    def total(self):\n        return 1\n", "a.py"):
    ...     print(part.name, part.kind, part.first, part.last)
    SIZE constant 1 1
    Cart class 3 6
    Cart.total method 4 6
    """
    parts: list[SourcePart] = []
    waiting: list[tuple[ast.AST, int]] = [(_parse(content, where), -1)]
    while waiting:
        node, within = waiting.pop()
        for name in _names(node, top=within < 0):
            qualified = f"{parts[within].name}.{name}" if within >= 0 else name
            around = parts[within].kind if within >= 0 else None
            parts.append(SourcePart(qualified, _kind(node, around), *_lines(node), within))
        if isinstance(node, _NAMED):
            within = len(parts) - 1
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, _WITH_STATEMENTS)]
        waiting += [(child, within) for child in reversed(inner)]
    return parts


_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WITH_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)


def _parse(content: bytes, where: str) -> ast.Module:
    lone = content.replace(b"\r\n", b"\n").partition(b"\r")
    if lone[1]:
        refuse_text("a lone carriage return ends a line in Python, and none in git", where, lone[0].count(b"\n") + 1)
    try:
        with warnings.catch_warnings():  # remarks on escapes in texts are nothing that an outline could say
            warnings.simplefilter("ignore")
            return ast.parse(content)
    except SyntaxError as error:
        refuse_text(error.msg, where, error.lineno or 1)
    except (ValueError, RecursionError, MemoryError) as error:
        refuse_text(str(error) or "it is nested too deeply", where, 1)


def refuse_text(what: str, where: str, line: int) -> NoReturn:
    """Raise InvalidInput for a file that does not parse."""
    refuse(
        f"it does not parse: {what}",
        where=f"{where}, line {line}",
        expected="a source file without errors",
        remedy="correct it, or claim the whole file",
    )


def _names(node: ast.AST, *, top: bool) -> Iterator[str]:
    """What a statement defines: a class or function anywhere, a variable at the top level of the module."""
    if isinstance(node, _NAMED):
        yield node.name
    elif top:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            yield from dict.fromkeys(name for target in targets for name in _bound(target))
        elif type(node).__name__ == "TypeAlias":  # since Python 3.12
            yield from _bound(getattr(node, "name", None))


def _bound(target: ast.AST | None) -> Iterator[str]:
    """The variables that the target of an assignment binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _bound(element)
    elif isinstance(target, ast.Starred):
        yield from _bound(target.value)


def _kind(node: ast.AST, around: Kind | None) -> Kind:
    if isinstance(node, ast.ClassDef):
        return "class"
    if isinstance(node, _NAMED):
        return "method" if around == "class" else "function"
    return "constant"


def _lines(node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.stmt)
    decorators = node.decorator_list if isinstance(node, _NAMED) else []
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first, node.end_lineno or node.lineno
