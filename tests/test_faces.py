"""The faces of the package: what users import, on one page for each package, and nothing more."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SNAPSHOT = Path(__file__).with_name("faces.toml")
"""Every face with its public names, as they are meant to be: change it on purpose, with the page."""
FACES: dict[str, list[str]] = tomllib.loads(SNAPSHOT.read_text(encoding="utf-8"))
NAMES = [(face, name) for face, names in FACES.items() for name in names]
ENTRY = re.compile(r"^ {4}(\w+) {2,}\S.*$", re.MULTILINE)


def declared_faces() -> list[str]:
    """Every package whose `__init__` says what is public; commands are for a shell, not for imports."""
    source = ROOT / "src"
    texts = {path.parent: path.read_text(encoding="utf-8") for path in (source / "volition").rglob("__init__.py")}
    return sorted(
        str(folder.relative_to(source)).replace("/", ".")
        for folder, text in texts.items()
        if "cli" not in folder.parts and any(_is_all(node) for node in ast.parse(text).body)
    )


def _is_all(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == "__all__" for to in node.targets)


def shown_words() -> set[str]:
    """Every word of the examples and the pages."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    examples = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").rglob("*.py")]
    texts = [*examples, *(path.read_text(encoding="utf-8") for path in pages if path.name != "conformance.md")]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def value_of(face: str, name: str) -> Any:
    return getattr(import_module(face), name)


def test_the_faces_are_these() -> None:
    """These packages have public names, and no others."""
    assert declared_faces() == sorted(FACES)


@pytest.mark.parametrize("face", FACES)
def test_a_face_has_these_names(face: str) -> None:
    """A face has the names of the snapshot, in the order of its page, and each can be imported."""
    module = import_module(face)
    assert [name for name in module.__all__ if name != "__version__"] == FACES[face]
    assert not [name for name in module.__all__ if not hasattr(module, name)]
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("face", FACES)
def test_a_face_is_a_page(face: str) -> None:
    """The docstring of a package lists every public name with a sentence, so that `help` is a page to read."""
    assert ENTRY.findall(import_module(face).__doc__ or "") == FACES[face]


def test_a_name_means_one_thing() -> None:
    """A name that is on several faces is the same thing on each."""
    meanings: dict[str, set[int]] = {}
    for face, name in NAMES:
        meanings.setdefault(name, set()).add(id(value_of(face, name)))
    assert [name for name, things in meanings.items() if len(things) > 1] == []


def test_what_is_public_is_documented_and_typed() -> None:
    """Every public class and function has a docstring; every parameter and every result of a function has a type."""
    for face, name in NAMES:
        value = value_of(face, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{face}.{name} has no docstring"
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            kinds = {parameter: about.annotation for parameter, about in signature.parameters.items()}
            kinds["return"] = signature.return_annotation
            untyped = [parameter for parameter, kind in kinds.items() if kind is inspect.Signature.empty]
            assert untyped == [], f"{face}.{name}"


def test_what_is_public_is_shown() -> None:
    """Every public name is used in an example or on a page."""
    shown = shown_words()
    assert [f"{face}.{name}" for face, name in NAMES if name not in shown] == []


def test_types_are_shipped() -> None:
    """A user's type checker reads our annotations: the marker file ships with the package."""
    assert resources.files("volition").joinpath("py.typed").is_file()
