"""What tests ask of source code: each Python file is read and parsed once, whatever they ask."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOT: Final = "volition"
_PARTS: Final = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where a statement has others."""


class Source(NamedTuple):
    """A file of Python: its path below the folder of the root package, and what tests ask of it. Its tree is not kept: a million
    nodes would slow down every later collection of garbage."""

    path: Path
    module: str
    length: int
    """How many lines it has."""
    introduced: bool
    """Whether it begins with a docstring that says something."""
    imports: frozenset[str]
    classes: tuple[str, ...]


@cache
def sources(folder: Path) -> tuple[Source, ...]:
    """The Python files below the folder of the root package, in the order of their paths."""
    return tuple(_read(path, folder) for path in sorted(folder.rglob("*.py")))


def _read(path: Path, folder: Path) -> Source:
    text, inside = path.read_text(encoding="utf-8"), path.relative_to(folder)
    tree = ast.parse(text)
    parts = (ROOT, *inside.with_suffix("").parts)
    is_package = parts[-1] == "__init__"
    module = ".".join(parts[:-1] if is_package else parts)
    return Source(
        inside,
        module,
        len(text.splitlines()),
        bool(ast.get_docstring(tree)),
        frozenset(imports_of(text, tree, module, is_package=is_package)),
        tuple(public_classes(tree)),
    )


def imports_of(text: str, tree: ast.Module, module: str, *, is_package: bool = False) -> Iterator[str]:
    """Every import in a module, wherever it is, with relative ones made absolute.

    A literal text given to `import_module` or `__import__` counts; so does, in the root, any text that names a
    module of the house, because a lazy façade is a table of such texts.
    """
    package = module if is_package else module.rpartition(".")[0]
    by_text = module == ROOT or "import_module" in text or "__import__" in text
    for node in ast.walk(tree) if by_text else statements(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=origin, names=names, level=level):
                base = _absolute("." * level + (origin or ""), package)
                yield from (f"{base}:{alias.name}" for alias in names)
            case ast.Call(func=called, args=[ast.Constant(value=str(name)), *_]) if _imports(called):
                yield _absolute(name, package)
            case ast.Constant(value=str(name)) if module == ROOT and name.startswith((f"{ROOT}.", ".")):
                if all(part.isidentifier() for part in name.lstrip(".").split(".")):
                    yield _absolute(name, package)


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Every statement of a module, wherever it is, without the expressions, which are most of a tree and hold none."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        for part in _PARTS:
            todo += getattr(node, part, ())


def _imports(called: ast.expr) -> bool:
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name in {"import_module", "__import__"}


def _absolute(name: str, package: str) -> str:
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    above = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*above, *filter(None, [name.lstrip(".")])])


def public_classes(tree: ast.Module) -> Iterator[str]:
    """The names of the public classes of a module, nested ones too; a class inside a function is not public."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in _PARTS:
                todo += getattr(node, part, ())
