"""The house stands: floors, no import circles, file lengths, and a docstring wherever one is required."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.house import ACROSS, ROOMS, between_rooms, circles, misplaced_tests, read_imports, violations
from tests.sources import Source, imports_of, sources

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "volition"
LONGEST = 400


def test_the_house_stands() -> None:
    """No module imports what the architecture forbids."""
    imports = read_imports(SOURCE)
    assert {"volition", "volition.core.errors", "volition.cli.main"} <= set(imports)
    assert violations(imports) == []


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("volition", "volition.arbitration"),
        ("volition", "volition:studio"),
        ("volition.core.ledger", "volition.core.errors:refuse"),
        ("volition.core.ledger", "orjson"),
        ("volition.core.ledger", "volition:__version__"),
        ("volition.arbitration.arbiter", "volition.core.errors:refuse"),
        ("volition.arbitration.arbiter", "collections.abc:Sequence"),
        ("volition.arbitration.many", "numpy"),
        ("volition.arbitration.many_kernel", "numba:njit"),
        ("volition.drama.mind.mind", "volition.arbitration:arbitrate"),
        ("volition.drama.stage.stage", "volition.drama.mind.mind:chosen"),
        ("volition.drama", "volition.drama.playing:play"),
        ("volition.workflow.dispatch", "volition.governance.merge.merging"),
        ("volition.workflow.dispatch", "volition.execution:connect"),
        ("volition.studio.app", "volition.governance:evaluate"),
        ("volition.cli.govern", "volition.governance:evaluate"),
        ("volition.agents.mcp.server", "volition.governance:evaluate"),
        ("volition.agents.mcp.server", "volition.workflow:Team"),
        ("volition.gym.evening_v0", "volition.drama.stage.stage:Stage"),
        ("volition.gym.arena_env", "volition.execution:connect"),
    ],
)
def test_what_is_allowed(module: str, target: str) -> None:
    """A package imports itself, the floors below it and other libraries."""
    assert violations({module: [target]}) == []


@pytest.mark.parametrize(
    ("module", "target", "why"),
    [
        ("volition.core.errors", "volition.arbitration:arbitrate", "upward"),
        ("volition.execution.client.bridge", "volition.cli.exits:DONE", "upward"),
        ("volition.arbitration.arbiter", "volition.drama", "upward"),
        ("volition.governance.merge.merging", "volition.execution", "upward"),
        ("volition.drama.stage.stage", "volition.execution:connect", "a neighbour on the same floor"),
        ("volition.agents.mcp.server", "volition.studio.server", "a neighbour on the same floor"),
        ("volition.execution.connecting.fleet", "volition.gym:ArenaVector", "upward"),
        ("volition.drama.mind.mind", "volition.drama.stage.stage:Stage", "upward"),
        ("volition.drama.mind.mind", "volition.drama:play", "a room does not import its floor's face"),
        ("volition.execution.wire.codec", "volition.execution.door.door:Door", "upward"),
        ("volition.execution.transports.endpoint", "volition.execution.worlds.arena:Arena", "upward"),
        ("volition.execution.journal.writer", "volition.execution:connect", "a room does not import its floor's face"),
        ("volition.workflow.store.rows", "volition.workflow.law.transaction:ProjectTransaction", "upward"),
        ("volition.governance.documents.intent", "volition.governance.claims.algebra", "upward"),
        ("volition.agents.guard.claiming", "volition.agents.mcp.server", "upward"),
        ("volition.drama.attic.trunk", "volition.drama.rules.leaf", "'attic' is no room of drama"),
        ("volition.governance.merge.merging", "volition.arbitration:arbitrate", "a neighbour on the same floor"),
        (
            "volition.drama.mind.mind",
            "volition.governance",
            "only workflow, agents, studio and cli may import governance",
        ),
        (
            "volition.execution.door.guard",
            "volition.governance.risk",
            "only workflow, agents, studio and cli may import governance",
        ),
        (
            "volition.arbitration.arbiter",
            "volition.governance",
            "only workflow, agents, studio and cli may import governance",
        ),
        ("volition", "volition.cli.main:main", "the root names no command"),
        ("volition", "volition:cli", "the root names no command"),
        ("volition.drama.mind.mind", "volition:arbitrate", "from the root comes __version__ alone"),
        ("volition.drama.mind.mind", "volition", "from the root comes __version__ alone"),
        ("volition.cli.tour", "volition:core", "from the root comes __version__ alone"),
        ("volition.arbitration.arbiter", "numpy", "arbitration takes the standard library and core alone"),
        ("volition.arbitration", "orjson:loads", "arbitration takes the standard library and core alone"),
        ("volition.helpers.text", "volition.core.errors", "'helpers' has no floor"),
        ("volition.cli.main", "volition.helpers.text", "'helpers' has no floor"),
    ],
)
def test_what_is_forbidden(module: str, target: str, why: str) -> None:
    """Every kind of forbidden import is found, and the line names both modules and the reason."""
    assert violations({module: [target]}) == [f"{module} imports {target}: {why}"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import a.b, c", {"a.b", "c"}),
        ("import a.b as x", {"a.b"}),
        ("from a.b import c, d", {"a.b:c", "a.b:d"}),
        ("from . import x", {"volition.drama.mind:x"}),
        ("from .terms import x", {"volition.drama.mind.terms:x"}),
        ("from ...core import errors", {"volition.core:errors"}),
        ("from ... import arbitrate", {"volition:arbitrate"}),
        ("def f():\n    from a import b", {"a:b"}),
        ("if TYPE_CHECKING:\n    import a", {"a"}),
        ("try:\n    import a\nexcept ImportError:\n    a = None", {"a"}),
        ("importlib.import_module('a.b')", {"a.b"}),
        ("import_module('...core.errors', __package__)", {"volition.core.errors"}),
        ("class A:\n    b = __import__('c')", {"c"}),
        ("import_module(name)\nwords = 'volition.cli'", set()),
    ],
)
def test_every_way_to_import_is_read(text: str, found: set[str]) -> None:
    """Imports are found at the top, inside functions, relative, conditional, and by a literal name."""
    assert set(imports_of(text, ast.parse(text), "volition.drama.mind.mind")) == found


def test_relative_imports_of_a_package() -> None:
    """In a package's `__init__`, one dot is the package itself."""
    text = "from .errors import refuse"
    assert set(imports_of(text, ast.parse(text), "volition.core", is_package=True)) == {"volition.core.errors:refuse"}


@pytest.mark.parametrize("named", ["volition.cli.main", ".cli", ".cli.main"])
def test_the_lazy_table_of_the_root_is_read(named: str) -> None:
    """A façade that names a module as text imports it."""
    text = f"TABLE = {{'main': {named!r}}}"
    imports = {"volition": set(imports_of(text, ast.parse(text), "volition", is_package=True))}
    assert len(violations(imports)) == 1


def test_no_modules_import_each_other() -> None:
    """No module imports, directly or through others, a module that imports it."""
    assert circles(read_imports(SOURCE)) == []


@pytest.mark.parametrize(
    ("imports", "found"),
    [
        ({"volition.a": ["volition.b:x"], "volition.b": ["volition.c"], "volition.c": []}, []),
        ({"volition.a": ["volition.b:x"], "volition.b": ["volition.a"]}, [["volition.a", "volition.b"]]),
        (
            {"volition.a": ["volition.b"], "volition.b": ["volition.c"], "volition.c": ["volition.a:x"]},
            [["volition.a", "volition.b", "volition.c"]],
        ),
        (
            {"volition.p": ["volition.p.a:x"], "volition.p.a": ["volition.p:b"], "volition.p.b": ["volition.p.a"]},
            [["volition.p.a", "volition.p.b"]],
        ),
        ({"volition.p": ["volition.p.a:x"], "volition.p.a": ["volition.p:x"]}, [["volition.p", "volition.p.a"]]),
        ({"volition": ["volition.a"], "volition.a": ["volition:__version__"]}, []),
    ],
)
def test_a_planted_circle_is_found(imports: dict[str, list[str]], found: list[list[str]]) -> None:
    """Circles of any length are found, also where a package's name stands for one of its modules."""
    assert circles(imports) == found


def test_no_rooms_import_each_other() -> None:
    """The folders of a package, and the modules beside them, import one way, in every package."""
    assert circles(between_rooms(read_imports(SOURCE))) == []


def test_every_folder_of_an_ordered_package_has_its_place() -> None:
    """The order of a package's rooms names each folder, and nothing that is not there; packages of one folder need none."""
    folders = {
        package.name: {folder.name for folder in package.iterdir() if (folder / "__init__.py").exists()}
        for package in SOURCE.iterdir()
        if package.is_dir()
    }
    assert {name for name, rooms in folders.items() if len(rooms) > 1} == set(ROOMS)
    for name, rooms in ROOMS.items():
        assert folders[name] <= set(rooms)
        assert all((SOURCE / name / room).is_dir() or (SOURCE / name / f"{room}.py").exists() for room in rooms)


def test_a_planted_circle_of_rooms_is_found() -> None:
    """Two rooms that import each other are found, though no two modules do."""
    planted = {
        "volition.workflow.store.rows": ["volition.workflow.law.plans:Plan"],
        "volition.workflow.law.plans": [],
        "volition.workflow.law.transaction": ["volition.workflow.store.tables:EVENT"],
        "volition.workflow.store.tables": [],
    }
    assert circles(planted) == []
    assert circles(between_rooms(planted)) == [["volition.workflow.law", "volition.workflow.store"]]


def test_a_circle_in_the_source_is_found(tmp_path: Path) -> None:
    """An import for type checking and one inside a function close a circle like any other."""
    (tmp_path / "a.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from volition.b import B")
    (tmp_path / "b.py").write_text("def f():\n    from volition import a")
    assert circles(read_imports(tmp_path)) == [["volition.a", "volition.b"]]


def unfit(file: Source) -> list[str]:
    """What a source file lacks."""
    faults = []
    if not file.introduced:
        faults.append("a docstring that says what the file is for")
    if file.length > LONGEST:
        faults.append(f"at most {LONGEST} lines")
    return faults


def test_source_files_are_short_and_introduced() -> None:
    """Every source file says what it is for, and is at most 400 lines long."""
    found = {str(file.path): unfit(file) for file in sources(SOURCE)}
    assert len(found) > 500
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_a_long_file_and_one_without_introduction_are_noticed(tmp_path: Path) -> None:
    """Both faults are found, each by itself; an empty docstring introduces nothing, and 400 lines are allowed."""
    for name, text in (("a", "''\n"), ("b", "'A law.'\n" * 401), ("c", "'A law.'\n" * 400)):
        (tmp_path / f"{name}.py").write_text(text)
    assert [len(unfit(file)) for file in sources(tmp_path)] == [1, 1, 0]


def python_files(folder: Path) -> set[str]:
    """The Python files below a folder, without those of packages that npm installs."""
    found = (path.relative_to(folder) for path in folder.rglob("*.py"))
    return {path.as_posix() for path in found if "node_modules" not in path.parts}


def test_tests_stand_where_their_subject_stands() -> None:
    """Every file of tests is in the folder of the package that it is about, and no package is without tests."""
    assert misplaced_tests(python_files(ROOT / "tests"), python_files(SOURCE)) == []
    assert all((ROOT / "tests" / folder).is_dir() and not (SOURCE / folder).exists() for folder in ACROSS)


def test_misplaced_tests_are_found() -> None:
    """A folder that the source does not have, and a package that only helpers stand beside, are named."""
    source = {"__init__.py", "core/__init__.py", "core/clock.py", "drama/__init__.py", "drama/mind/__init__.py"}
    tests = {"test_house.py", "core/test_clock.py", "core/clock/test_zones.py", "drama/mind/test_mind.py"}
    assert misplaced_tests(tests, source) == []
    assert misplaced_tests(tests | {"core/attic/trunk.py"}, source) == ["core/attic/trunk.py"]
    assert misplaced_tests(tests - {"drama/mind/test_mind.py"} | {"drama/mind/plans.py"}, source) == [
        "drama",
        "drama/mind",
    ]


STATED = re.compile(r"^ *(?:async )?def test\w*\([^()]*\)[^():]*:\n? +['\"]", re.MULTILINE)
"""A test that plainly states its law."""


def undocumented(text: str) -> list[str]:
    """The tests in a file that state no law; the file is parsed only where some do not plainly do."""
    if len(STATED.findall(text)) == len(re.findall(r"^ *(?:async )?def test", text, re.MULTILINE)):
        return []
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [node.name for node in functions if node.name.startswith("test") and not ast.get_docstring(node)]


def test_every_test_states_its_law() -> None:
    """Every test function has a docstring."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    assert {
        str(path.relative_to(ROOT)): names for path in files if (names := undocumented(path.read_text("utf-8")))
    } == {}


def test_a_test_without_a_law_is_noticed() -> None:
    """A test without a docstring is found, in a class and as a coroutine too."""
    text = "class TestA:\n    def test_b(self): pass\nasync def test_c(): pass\ndef test_d():\n    'Law.'\ndef helper(): pass"
    assert undocumented(text) == ["test_c", "test_b"]
