"""A manifest shows every change in the files that it names, and in itself."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from volition.core.canonical import canonical, digest
from volition.core.errors import BrokenRecord
from volition.core.manifest import MANIFEST, read_manifest, write_manifest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

FILES = {"a.json": b"{}\n", "in/b.json": b"", "c.toml": b"x = 1\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    write_manifest(tmp_path, "test", FILES, {"now": None})
    return tmp_path


def test_what_was_written_reads_whole_and_is_the_same_whatever_the_order(folder: Path) -> None:
    """A manifest is read back as it was written, and its bytes depend only on the files."""
    found = read_manifest(folder)
    assert (found.kind, found.about, set(found.files)) == ("test", {"now": None}, set(FILES))
    before = (folder / MANIFEST).read_bytes()
    write_manifest(folder, "test", dict(reversed(FILES.items())), {"now": None})
    assert (folder / MANIFEST).read_bytes() == before


@pytest.mark.parametrize("name", [*FILES, MANIFEST])
def test_every_change_is_named(folder: Path, name: str) -> None:
    """A byte changed, added or cut in any file, a missing file, a link or a folder in its place: all are noticed."""
    file = folder / name
    content = file.read_bytes()
    damaged = [content + b" ", content + b"\n", content[:-1]] if content else [b" ", b"\n"]
    damaged += [content[:n] + bytes([content[n] ^ 1]) + content[n + 1 :] for n in range(len(content))]
    for bad in damaged:
        file.write_bytes(bad)
        with pytest.raises(BrokenRecord, match=name):
            read_manifest(folder)
    file.write_bytes(content)
    file.rename(folder / "elsewhere")
    with pytest.raises(BrokenRecord, match=name):
        read_manifest(folder)
    file.symlink_to(folder / "elsewhere")
    with pytest.raises(BrokenRecord, match=name):
        read_manifest(folder)
    file.unlink()
    file.mkdir()
    with pytest.raises(BrokenRecord, match=name):
        read_manifest(folder)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"null", b'{"kind":1,"about":2,"files":3}', b"[" * 99999, b"\xff"]
)
def test_what_is_no_manifest_is_refused(folder: Path, content: bytes) -> None:
    """Whatever the manifest contains, the answer is a broken record and never a crash."""
    (folder / MANIFEST).write_bytes(content)
    with pytest.raises(BrokenRecord):
        read_manifest(folder)


def test_names_that_lead_out_are_refused(folder: Path, told: Told) -> None:
    """A manifest with a valid checksum that somebody wrote by hand cannot name a file outside its folder."""
    outside = folder.parent / "outside"
    outside.write_bytes(b"x")
    said = {"format": "volition-manifest", "version": 1, "kind": "test", "about": {}}
    for name in ("../outside", str(outside), "in/../../outside", ".hidden", ""):
        named = said | {"files": {name: sha256(b"x").hexdigest()}}
        (folder / MANIFEST).write_bytes(canonical(named | {"checksum": digest(named)}) + b"\n")
        with told.raises(BrokenRecord):
            read_manifest(folder)
