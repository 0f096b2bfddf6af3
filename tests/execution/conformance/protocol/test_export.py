"""The protocol as files: all of them or none, the same each time, and nothing overwritten."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from volition.core.errors import InvalidInput
from volition.core.folder import write_folder
from volition.execution.conformance.protocol import VECTORS
from volition.execution.conformance.protocol.export import export, export_java, protocol_files
from volition.execution.conformance.protocol.schemas import UNSAYABLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution.wire.codec import FaultCode

NAMES = [
    "README.md", "arena.md", "declared.json", "frames.schema.json", "golden.json", "hostile.json", "protocol.md",
    "requests.json", "session.jsonl",
]  # fmt: skip


def test_everything_is_there_and_the_same_each_time(tmp_path: Path) -> None:
    """The folder has schema, vectors, session and pages, each byte as it was made, and the README names every file."""
    assert export(tmp_path / "a") == NAMES
    made = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert made == protocol_files()
    readme = made["README.md"].decode()
    assert [name for name in NAMES[1:] if f"`{name}`" not in readme] == []
    assert made["golden.json"] == (VECTORS / "golden.json").read_bytes()
    assert json.loads(made["frames.schema.json"])["$defs"]["hello"]
    for line in made["session.jsonl"].splitlines():
        assert list(json.loads(line)) == ["at_ms", "from", "frame"]


def test_what_a_schema_cannot_say_is_said() -> None:
    """The README names every rule that the schema leaves out, and no other."""
    readme = protocol_files()["README.md"].decode()
    codes: list[FaultCode] = [*UNSAYABLE]
    assert [code for code in codes if f"`{code}`" not in readme] == []
    assert "`7.0`" in readme
    assert "`bad_field`" not in readme


def test_the_java_project_has_them_too(tmp_path: Path) -> None:
    """`volition java export` has the same files in its folder `protocol`, where the tests of its modules look for them."""
    export_java(tmp_path / "project")
    found = {path.name: path.read_bytes() for path in (tmp_path / "project" / "protocol").iterdir()}
    assert found == protocol_files()
    for module, names in {"sdk": ("declared", "hostile", "requests"), "arena": ("golden",)}.items():
        sources = (tmp_path / "project" / module / "src/test").rglob("*Test.java")
        tests = "".join(path.read_text("utf-8") for path in sources)
        assert all(f'"../protocol/{name}.json"' in tests for name in names)


@pytest.mark.parametrize("held", ["a file", "a folder", "a link"])
def test_nothing_is_overwritten(tmp_path: Path, held: str, told: Told) -> None:
    """A place that holds something is refused and stays as it is, and no draft is left beside it."""
    target, other = tmp_path / "here", tmp_path / "other"
    if held == "a file":
        target.write_text("mine")
    elif held == "a folder":
        target.mkdir()
        (target / "mine.txt").write_text("mine")
    else:
        target.symlink_to(other)
    before = sorted(map(str, tmp_path.rglob("*")))
    with told.raises(InvalidInput):
        export(target)
    assert sorted(map(str, tmp_path.rglob("*"))) == before


def test_half_a_folder_is_never_left(tmp_path: Path, told: Told) -> None:
    """Where a file cannot be written, nothing is: neither the folder nor a draft of it."""
    with told.raises(InvalidInput):
        write_folder(tmp_path / "new", {"a": b"1", "a/b": b"2"})
    assert list(tmp_path.iterdir()) == []
