"""The faces of the package: what users import, on one page for each package, and nothing more."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from importlib import import_module, resources
from inspect import ismodule
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SNAPSHOT = Path(__file__).with_name("faces.toml")
"""Every face with its public names, as they are meant to be: change it on purpose, with the page."""
_TABLES = tomllib.loads(SNAPSHOT.read_text(encoding="utf-8"))
FACES: dict[str, list[str]] = _TABLES["faces"]
MODULES: dict[str, list[str]] = _TABLES["modules"]
"""The modules that are names of a face, and what is public in them."""
NAMES = [(face, name) for face, names in FACES.items() for name in names]
PARTS = [(module, name) for module, names in MODULES.items() for name in names]
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


def shown_texts() -> dict[str, str]:
    """The examples and the pages, by where they are."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.py")]
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages if path.name != "conformance.md"
    }


def imports_of(text: str) -> list[tuple[str, str]]:
    """Every `from volition... import ...` of an example or a page, as module and name."""
    return [
        (module, name)
        for module, names in re.findall(r"^ *from (volition[\w.]*) import (\([^)]*\)|.*)$", text, re.MULTILINE)
        for name in re.findall(r"\w+", re.sub("#.*| as \\w+", "", names))
    ]


def value_of(face: str, name: str) -> Any:
    return getattr(module_of(face), name)


def module_of(path: str) -> Any:
    """A module; one that is a name of a face may lie elsewhere than its name says."""
    return value_of(*path.rsplit(".", 1)) if path in MODULES else import_module(path)


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


def test_a_module_on_a_face_has_these_names() -> None:
    """A module that is a name of a face says in `__all__` what is public in it, as the snapshot does."""
    found = {f"{face}.{name}": value_of(face, name) for face, name in NAMES}
    assert {path: sorted(value.__all__) for path, value in found.items() if ismodule(value)} == MODULES


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
    for face, name in [*NAMES, *PARTS]:
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
    shown = {word for text in shown_texts().values() for word in re.findall(r"\w+", text)}
    assert [f"{face}.{name}" for face, name in [*NAMES, *PARTS] if name not in shown] == []


def test_what_is_public_is_imported_from_its_face() -> None:
    """Examples and pages import what is public from a face, or from a module that is on one: readers copy their imports."""
    public = {id(value_of(face, name)): f"{face}.{name}" for face, name in NAMES}
    at_home = {*FACES, *MODULES}
    strayed = {
        f"{where}: {module}.{name} is {public[id(value)]}"
        for where, text in shown_texts().items()
        for module, name in imports_of(text)
        if module not in at_home and id(value := value_of(module, name)) in public
    }
    assert strayed == set()


def test_types_are_shipped() -> None:
    """A user's type checker reads our annotations: the marker file ships with the package."""
    assert resources.files("volition").joinpath("py.typed").is_file()
