"""A folder of documents as one record: a manifest lists each file with its SHA-256, and carries its own checksum.

So any byte that is changed, cut or added is noticed. Somebody who rewrites the manifest too is not: keep its checksum
elsewhere to notice that.
"""

from __future__ import annotations

import os
import re
import stat
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from volition.core.canonical import canonical, digest
from volition.core.document import parse_json, write_atomically
from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.folder import OPEN_UNTRUSTED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MANIFEST: Final = "manifest.json"
FORMAT: Final = "volition-manifest"
VERSION: Final = 1
_LARGEST: Final = 2**20
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)?")


class Manifest(Struct, frozen=True):
    """What a folder contains: the `kind` of record, what its writer said `about` it, and the hash of each file."""

    kind: str
    about: dict[str, Any]
    files: dict[str, str]


def write_manifest(folder: Path, kind: str, files: Mapping[str, bytes], about: dict[str, Any]) -> None:
    """Write the manifest of files, given with their bytes; each is in the folder or one level below it."""
    hashes = {name: sha256(content).hexdigest() for name, content in files.items()}
    assert all(_NAME.fullmatch(name) for name in hashes), "the caller chooses valid names"
    write_atomically(folder / MANIFEST, _encode(Manifest(kind, about, hashes)))


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest and check every file against it; BrokenRecord names the first that was changed."""
    content = _read_file(folder, MANIFEST)
    try:
        data = parse_json(content, where=MANIFEST)
        manifest = Manifest(data["kind"], data["about"], data["files"])
        whole = isinstance(manifest.files, dict) and content == _encode(manifest)
    except (InvalidInput, KeyError, TypeError):
        whole = False
    if not whole:
        raise _broken_record(folder, MANIFEST, "the manifest is not as it was written")
    for name, hash in manifest.files.items():
        if not _NAME.fullmatch(name) or sha256(_read_file(folder, name)).hexdigest() != hash:
            raise _broken_record(folder, name, "the file is not as it was written")
    return manifest


def _encode(manifest: Manifest) -> bytes:
    data = {"format": FORMAT, "version": VERSION, **asdict(manifest)}
    return canonical(data | {"checksum": digest(data)}) + b"\n"


def _read_file(folder: Path, name: str) -> bytes:
    try:
        with open(os.open(folder / name, OPEN_UNTRUSTED), "rb") as file:  # noqa: PTH123  Path.open takes no flags
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or (name == MANIFEST and status.st_size > _LARGEST):
                raise _broken_record(folder, name, "this is not the file that was written")
            return file.read()
    except OSError as error:
        raise _broken_record(folder, name, f"the file cannot be read: {error.strerror}") from None


def _broken_record(folder: Path, name: str, what: str) -> BrokenRecord:
    return BrokenRecord.of(
        what,
        where=str(folder / name),
        expected="every file as the manifest lists it",
        remedy="restore the folder from a copy, or create it again",
    )
