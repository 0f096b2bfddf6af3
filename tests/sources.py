"""Python files, read and parsed for the tests that look at source code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Source(NamedTuple):
    """A file of Python: its path, its text, and what it is parsed to."""

    path: Path
    text: str
    tree: ast.Module


def sources(folder: Path) -> Iterator[Source]:
    """The Python files below a folder, in the order of their paths. Trees are not kept: a million nodes would slow down
    every later collection of garbage."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield Source(path, text, ast.parse(text))
