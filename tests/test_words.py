"""One word, one meaning, in plain English: class names, function names, the glossary, and the pages."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.sources import public_classes
from tests.words import (
    class_files,
    class_names_in,
    defined_twice,
    idioms,
    may_have_vague_functions,
    unexplained,
    vague_functions,
)

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "volition"
GLOSSARY = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
FACES = ("", ".core.ledger", ".arbitration", ".minds", ".drama", ".governance", ".execution", ".workflow", ".gym")
"""The packages whose `__all__` a reader meets first."""
GENERATED = {ROOT / "docs" / "conformance.md"}


def prose() -> list[Path]:
    """Every file with words for readers; data is left out, and with it the lines that people in a story say."""
    folders = [ROOT / name for name in ("src", "docs", "examples", "benchmarks", "java")]
    found = (path for folder in folders for path in folder.rglob("*") if "target" not in path.parts)
    return sorted(
        {ROOT / "README.md", *(path for path in found if path.suffix in {".py", ".md", ".js", ".html", ".java"})}
    )


def test_public_class_names_are_unique() -> None:
    """No two public classes of the package have the same name."""
    assert {name: files for name, files in class_files(SOURCE).items() if len(files) > 1} == {}


def test_a_repeated_class_name_is_found(tmp_path: Path) -> None:
    """Classes with one name are found in different files, in one file, and inside a class; private and local ones do not
    count."""
    (tmp_path / "a.py").write_text("class Move: ...\nclass Outer:\n    class Inner: ...\nclass _Hidden: ...")
    (tmp_path / "b.py").write_text("if True:\n    class Move: ...\nclass Inner: ...\ndef f():\n    class Outer: ...")
    assert class_files(tmp_path) == {"Move": ["a.py", "b.py"], "Outer": ["a.py"], "Inner": ["a.py", "b.py"]}
    assert list(public_classes(ast.parse("class A: ...\nclass A: ..."))) == ["A", "A"]


def test_function_names_say_what_they_do() -> None:
    """No function or method is called by a bare participle or adjective."""
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    found = {path: vague_functions(ast.parse(text)) for path, text in texts.items() if may_have_vague_functions(text)}
    assert {str(path.relative_to(SOURCE)): names for path, names in found.items() if names} == {}


def test_a_vague_function_name_is_found() -> None:
    """A vague name is found with underscores, as a method and as a coroutine; a longer name, a verb, a property and the
    name of a law are not vague."""
    text = "def plain(): ...\nclass A:\n    def _told(self): ...\nasync def __kept(): ...\ndef plain_text(): ..."
    text += "\ndef _sorted(): ...\ndef read(): ...\ndef proceed(): ...\ndef changed_files(): ..."
    text += "\n@property\ndef closed(self): ...\n@GROUP.law('x')\ndef remembered(bench): ..."
    assert sorted(vague_functions(ast.parse(text))) == ["__kept", "_sorted", "_told", "plain"]
    assert may_have_vague_functions(text)
    assert not may_have_vague_functions("def plain_text(): ...\nclass A:\n    async def read(self): ...")


def test_readers_meet_plain_words() -> None:
    """No file uses an idiom that has a plainer form."""
    found = {path: idioms(path.read_text(encoding="utf-8")) for path in prose() if path not in GENERATED}
    assert {str(path.relative_to(ROOT)): phrases for path, phrases in found.items() if phrases} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A key stands twice.", ["stands twice"]),
        ("an executor of your\n  own", ["of your own"]),
        ("Anew, of late!", ["Anew", "of late"]),
        ("a stranger estranged from the lateness of later anewness", []),
    ],
)
def test_an_idiom_is_found(text: str, found: list[str]) -> None:
    """Idioms are found in any case and across line ends, as whole words only."""
    assert idioms(text) == found


UNPUBLISHED = re.compile(
    r"\b(?:pip|pipx|uv)\b[^\n]*?\binstall +(?:-\S+ +)*['\"]?volition(?![-\w./*'])|\binstall volition\["
)


def test_nothing_is_installed_from_an_index() -> None:
    """No page, message, example or test advises to install volition by its name: no package index has it."""
    files = [*prose(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "examples").rglob("*.yml"), ROOT / "CHANGELOG.md"]
    found = [path for path in files if path != Path(__file__) and UNPUBLISHED.search(path.read_text(encoding="utf-8"))]
    assert [str(path.relative_to(ROOT)) for path in found] == []
    assert UNPUBLISHED.search("pip install 'volition[agents]'")
    assert UNPUBLISHED.search("pip install volition")
    assert not UNPUBLISHED.search('pip install "$(echo tools/volition-*.whl)[agents]"')


def test_the_glossary_defines_every_term_once() -> None:
    """No term is defined twice."""
    assert defined_twice(GLOSSARY) == []
    assert defined_twice("- **Way**: a. - **Way out**: b. - **way**: c.") == ["way"]


def test_the_glossary_names_classes_that_exist() -> None:
    """Whatever the glossary writes like a class of the package is one."""
    known = set(class_files(SOURCE))
    assert [name for name in class_names_in(GLOSSARY) if name not in known] == []
    assert class_names_in("`Move` and `Reward.of`, `MOVE`, `None`, `Plan(...)`") == ["Move", "Plan"]


@pytest.mark.parametrize("face", FACES)
def test_the_glossary_explains_the_public_classes(face: str) -> None:
    """A class that a package exports is named in the glossary, or every word of its name is defined there."""
    module = import_module(f"volition{face}")
    exported = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    assert exported
    assert unexplained(exported, GLOSSARY) == []


def test_an_unexplained_class_is_found() -> None:
    """A name of which one word is not defined is found, unless the glossary names the class itself."""
    glossary = "- **Tile**: one place. - **Answer pack**: what was chosen; in code `IntentSet`."
    assert unexplained(["Tile", "TileMap", "AnswerPack", "IntentSet", "URLTile"], glossary) == ["TileMap", "URLTile"]
