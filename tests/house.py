"""The house's floors, who may import whom, and where tests stand: read from the source, judged by pure functions."""

from __future__ import annotations

import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, TypeAlias

from tests.sources import ROOT, sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

FLOORS: Final = {
    "core": 1,
    "arbitration": 2,
    "governance": 2,
    "minds": 3,
    "drama": 4,
    "execution": 4,
    "workflow": 5,
    "staging": 5,
    "agents": 6,
    "gym": 6,
    "studio": 6,
    "cli": 7,
}
ROOMS: Final = {
    "drama": (
        "rules", "words", "world", "evening", "mind", "stage", "audience", "comparison", "minds", "playing", "batch", "doctor", "ensemble",
    ),
    "execution": (
        "wire", "door", "transports", "journal", "executor", "client", "worlds", "connecting", "conformance",
    ),
    "governance": (
        "paths", "outline", "documents", "claims", "drafts", "conflicts", "settlement", "merge", "gates", "live",
    ),
    "workflow": ("store", "law", "team", "flow", "verification"),
    "agents": ("guard", "corpus", "mcp", "check", "install", "worktrees"),
    "cli": ("show", "govern", "team"),
}  # fmt: skip
"""The rooms of a package, from the ground up: each imports those before it."""
BESIDE: Final = frozenset({"governance", "agents", "cli"})
"""Packages with modules beside their rooms; that no circle leads through these is tested for all packages."""
ACROSS: Final = {
    "bodies/mujoco": "a body that comes as an example, beside the package",
    "execution/processes": "bridges and executors as processes that are killed",
    "execution/simulation": "a network and a game that never were, with every room between them",
    "studio/browser": "the pages as a browser shows them",
    "studio/scripts": "the scripts of the pages as a type checker and a linter read them",
}
"""Folders of tests that have no counterpart in the source, because they try a package as a whole."""
MAY_GOVERN: Final = frozenset({"governance", "workflow", "agents", "studio", "cli"})

Imports: TypeAlias = "Mapping[str, AbstractSet[str]]"
"""Module -> what it imports: `a.b` for `import a.b`, `a.b:c` for `from a.b import c`."""


def read_imports(source: Path) -> Imports:
    """The imports of every module under `source`, the folder of the root package."""
    return {file.module: file.imports for file in sources(source)}


def violations(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """What the architecture forbids in these imports, one line each; an empty list means that all are allowed."""
    return [
        f"{module} imports {target}: {why}"
        for module, targets in sorted(imports.items())
        for target in sorted(targets)
        if (why := _forbidden(module, target))
    ]


def circles(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of modules that import each other, directly or through others; an empty list means that there are none.

    Every explicit import counts, inside functions and for type checking too: whoever reads one module of a circle has to
    read them all. What a module gets by being in a package does not count, and neither does the root: it names its
    parts as text, imports none by itself, and only `__version__` is imported from it.
    """
    modules = imports.keys() - {ROOT}
    graph = {
        module: {_imported(target, modules) for target in imports[module]} & modules - {module} for module in modules
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:  # which are the modules of each circle takes much longer to find out
        pass
    else:
        return []
    reached = {module: _reachable(module, graph) for module in modules}
    groups = {frozenset(other for other in reached[module] if module in reached[other]) for module in modules}
    return sorted(sorted(group) for group in groups if group)


def between_rooms(imports: Mapping[str, Iterable[str]]) -> Imports:
    """The imports between the rooms of each package: folders, and modules that stand beside them."""
    modules = imports.keys() - {ROOT}
    found: dict[str, set[str]] = {}
    for module in modules:
        room = _room(module)
        if room:
            others = {_room(_imported(target, modules)) for target in imports[module]}
            found.setdefault(room, set()).update(
                other for other in others if other != room and _package(other) == _package(room)
            )
    return found


def _room(module: str) -> str:
    """The package and the room of a module, as in `volition.drama.mind`; nothing for the face of a package."""
    parts = module.split(".")
    return ".".join(parts[:3]) if len(parts) > 2 and parts[0] == ROOT else ""


def _imported(target: str, modules: AbstractSet[str]) -> str:
    """The module that an import names: `a.b:c` is the module a.b.c if there is one, and a.b otherwise."""
    origin, _, name = target.partition(":")
    return f"{origin}.{name}" if f"{origin}.{name}" in modules else origin


def _reachable(module: str, graph: Mapping[str, Iterable[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        new = set(graph[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return reached


def _forbidden(module: str, target: str) -> str:
    """Why this import is forbidden, or nothing."""
    importer = _package(module)
    origin, _, name = target.partition(":")
    if origin.partition(".")[0] != ROOT:
        return _outside(module, origin)
    imported = _package(origin)
    if module == ROOT:
        imported = imported or name
        return "the root names no command" if imported == "cli" else ""
    if not imported:
        return "" if name == "__version__" else "from the root comes __version__ alone"
    if importer not in FLOORS or imported not in FLOORS:
        return f"'{imported if importer in FLOORS else importer}' has no floor"
    if importer == imported:
        return _indoors(module, origin, importer) if importer in ROOMS else ""
    if imported == "governance" and importer not in MAY_GOVERN:
        return "only workflow, agents, studio and cli may import governance"
    if FLOORS[imported] > FLOORS[importer]:
        return "upward"
    if FLOORS[imported] == FLOORS[importer]:
        return "a neighbour on the same floor"
    return ""


def _indoors(module: str, origin: str, package: str) -> str:
    rooms = [name.split(".")[2] if name.count(".") > 1 else "" for name in (module, origin)]
    if package in BESIDE and not set(rooms) <= set(ROOMS[package]):
        return ""
    if "" in rooms:
        return "" if not rooms[0] else "a room does not import its floor's face"
    if unknown := [room for room in rooms if room not in ROOMS[package]]:
        return f"'{unknown[0]}' is no room of {package}"
    order = ROOMS[package].index
    return "upward" if order(rooms[1]) > order(rooms[0]) else ""


def _outside(module: str, origin: str) -> str:
    many = module.startswith(f"{ROOT}.arbitration.many")
    if _package(module) == "arbitration" and not many and origin.partition(".")[0] not in sys.stdlib_module_names:
        return "arbitration takes the standard library and core alone"
    return ""


def _package(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def misplaced_tests(tests: Iterable[str], modules: AbstractSet[str]) -> list[str]:
    """The files of tests that stand in no folder of the source, then the folders of the source that no test stands in.

    Both are named by their paths, from the folder of the tests and from that of the root package. A folder of tests may be
    about a package or about a single module; at the top stand the tests of the whole house and what all of them share.
    """
    files = set(tests)
    packages = {str(PurePosixPath(path).parent) for path in modules if path.endswith("__init__.py")}
    rooms = packages | {path.removesuffix(".py") for path in modules} | ACROSS.keys()
    astray = [file for file in files if str(PurePosixPath(file).parent) not in rooms]
    tried = {
        str(above)
        for file in files
        if PurePosixPath(file).name.startswith("test_")
        for above in PurePosixPath(file).parents
    }
    return [*sorted(astray), *sorted(packages - tried)]
