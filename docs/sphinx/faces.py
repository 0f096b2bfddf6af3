"""The pages of the Python interface: every package that users import, and its public names, from their docstrings."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

FACES = (
    "volition", "volition.arbitration", "volition.arbitration.many", "volition.core.ledger", "volition.drama",
    "volition.drama.doctor", "volition.drama.ensemble", "volition.drama.minds", "volition.minds", "volition.governance",
    "volition.workflow", "volition.staging", "volition.execution", "volition.execution.conformance", "volition.execution.worlds.arena",
    "volition.execution.worlds.pilot", "volition.gym",
)  # fmt: skip
"""The packages whose `__all__` users import from, in the order of the navigation."""
_ENTRY = re.compile(r"^ {4}(\w+) {2,}(\S.*)$", re.MULTILINE)
_EXAMPLE = re.compile(r"^>>> .*\n?(?:(?!\s*$).*\n?)*", re.MULTILINE)


class _Bare(str):
    """An annotation that a signature prints without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def faces_page() -> str:
    """The list of packages, each with its first sentence."""
    lines = [f"- [`{face}`]({face}.md): {_first_line(import_module(face))}" for face in FACES]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *FACES, "```"])
    intro = "What programs import, package by package. Other modules are internal, and may change at any time."
    return "\n".join(["# Python", "", intro, "", *lines, "", tree, ""])


def face_page(face: str) -> str:
    """A package: what its docstring says, and every public name with its signature and docstring."""
    module = import_module(face)
    names = [name for name in module.__all__ if name != "__version__"]
    blocks = [described(name, getattr(module, name)) for name in names]
    return "\n".join([f"# {face}", "", _linked(inspect.getdoc(module) or ""), "", *blocks])


def described(name: str, value: Any) -> str:
    """A public name under a heading: signature, docstring, for a class its fields, properties and methods, for a module its names."""
    lines = [f"{'###' if '.' in name else '##'} {name}", ""]
    if inspect.isclass(value) or inspect.isroutine(value):
        kind = "class" if inspect.isclass(value) else "def"
        lines += [f"```python\n{kind} {name.rpartition('.')[2]}{signature(value)}\n```", "", docstring(value), ""]
    elif inspect.ismodule(value):
        lines += [docstring(value), "", *(described(f"{name}.{part}", getattr(value, part)) for part in value.__all__)]
    else:
        lines += [f"A value of type `{type(value).__name__}`.", ""]
    if inspect.isclass(value):
        lines += [*_fields(value), "", *_members(value)]
    return "\n".join(lines)


def signature(value: Any) -> str:
    """The signature of a function or class as it is written in code; nothing where it cannot be told, as of some records."""
    try:
        found = inspect.signature(value)
    except (NameError, TypeError, ValueError):  # a record may name a type that only type checkers import
        return ""
    parameters = [each.replace(annotation=_bare(each.annotation)) for each in found.parameters.values()]
    return re.sub(
        r" at 0x[0-9a-f]+",
        "",
        str(found.replace(parameters=parameters, return_annotation=_bare(found.return_annotation))),
    )


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def docstring(value: Any) -> str:
    """A docstring as Markdown: its examples are blocks of code."""
    text = inspect.getdoc(value) or ""
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


def _first_line(module: ModuleType) -> str:
    return (inspect.getdoc(module) or "").partition("\n\n")[0].replace("\n", " ")


def _linked(page: str) -> str:
    """The docstring of a package, whose names lead to their headings.

    A heading has a number if one before it differs only by case, as `Constraint` after `constraint`.
    """
    headed = re.sub(r"^(\S.*:)\n(?= {4}\w)", r"**\1**\n\n", page, flags=re.MULTILINE)
    met: Counter[str] = Counter()

    def item(found: re.Match[str]) -> str:
        anchor = found[1].lower()
        number = f"-{met[anchor]}" if met[anchor] else ""
        met[anchor] += 1
        return f"- [`{found[1]}`](#{anchor}{number}): {found[2]}"

    return _ENTRY.sub(item, headed)


def _fields(kind: type) -> Iterator[str]:
    """The fields that a class declares, each with the text below it."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    except (OSError, TypeError, ValueError):
        return
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            words = " ".join(inspect.cleandoc(_text_of(after)).split())
            yield f"- `{node.target.id}: {ast.unparse(node.annotation)}`{': ' if words else ''}{words}"


def _text_of(node: ast.stmt | None) -> str:
    """The text that a statement consists of, if it is one."""
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _members(kind: type) -> Iterator[str]:
    """The public properties and methods that a class defines itself and documents."""
    for name, raw in vars(kind).items():
        value = raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw
        if name.startswith("_") or not getattr(value, "__doc__", None):
            continue
        if isinstance(value, property):
            yield f"**`{name}`**: {docstring(value)}\n"
        elif inspect.isfunction(value):
            yield f"**`{name}{signature(value)}`**: {docstring(value)}\n"
