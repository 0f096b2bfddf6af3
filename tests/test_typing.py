"""The package as a user's type checker sees it: installed, typed, and without a name whose type is unknown.

One process of mypy reads every example and a file for each face, outside the project. What `make lint` has learned of the
libraries and of the package is in the cache: without it this takes twenty seconds of a core, with it three.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.processes import PATIENCE, ROOT
from tests.test_examples import examples
from tests.test_faces import FACES

if TYPE_CHECKING:
    from pathlib import Path

MISTAKE: Final = 'from volition import arbitrate\n\narbitrate(candidates=["north", "south"])\n'
UNTYPED: Final = "from typing import Any\n\nsomething: Any = 1\nreveal_type(something)\n"
REVEALED: Final = re.compile(r'^(\w+)\.py:\d+: note: Revealed type is "(.*)"$', re.MULTILINE)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What mypy prints about a user's folder: examples, every public name, a call that is wrong, and a name without a type."""
    folder = tmp_path_factory.mktemp("user")
    for example in examples():
        shutil.copy(example, folder)
    for face, names in FACES.items():
        (folder / file_of(face)).write_text(uses_of(face, names), encoding="utf-8")
    (folder / "mistake.py").write_text(MISTAKE, encoding="utf-8")
    (folder / "untyped.py").write_text(UNTYPED, encoding="utf-8")
    return type_check(folder)


def type_check(folder: Path) -> str:
    """What `mypy --strict` prints about the files of a folder, which is no project and has no settings."""
    cache = ROOT / ".mypy_cache"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            f"--cache-dir={cache}",
            "--hide-error-context",
            ".",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert not done.stderr
    return done.stdout


def file_of(face: str) -> str:
    return f"face_{face.replace('.', '_')}.py"


def uses_of(face: str, names: list[str]) -> str:
    """A user's file that imports each public name of a face and asks for its type, a line for each."""
    return f"from {face} import {', '.join(names)}\n" + "".join(f"reveal_type({name})\n" for name in names)


def test_examples_pass_a_strict_type_check(checked: str) -> None:
    """Every example, and every import of a public name, passes `mypy --strict` as a user's file; a wrong call does not."""
    errors = [line for line in checked.splitlines() if ": error: " in line]
    assert [line.partition(":")[0] for line in errors] == ["mistake.py"]


def test_every_public_name_has_a_type(checked: str) -> None:
    """A type checker knows what each public name is."""
    revealed: dict[str, list[str]] = {}
    for file, kind in REVEALED.findall(checked):
        revealed.setdefault(f"{file}.py", []).append(kind)
    assert revealed.pop("untyped.py") == ["Any"]
    found = {face: dict(zip(names, revealed[file_of(face)], strict=True)) for face, names in FACES.items()}
    unknown = [f"{face}.{name}" for face, kinds in found.items() for name, kind in kinds.items() if kind == "Any"]
    assert unknown == []
