"""A folder of documents that is one record: a manifest names each file with its SHA-256, and itself.

So a byte that is changed, cut or added in any of them is seen. Whoever rewrites the manifest too is not seen: for that,
keep its checksum elsewhere.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from volition.core.canonical import canonical, digest
from volition.core.document import parse_json, write_atomically
from volition.core.errors import BrokenRecord, InvalidInput, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MANIFEST: Final = "manifest.json"
FORMAT: Final = "volition-manifest"
VERSION: Final = 1
_LARGEST: Final = 2**20
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)?")
_LOOK: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder holds: the `kind` of record, what its writer said `about` it, and the hash of each file by name."""

    kind: str
    about: dict[str, Any]
    files: dict[str, str]


def write_manifest(folder: Path, kind: str, files: Mapping[str, bytes], about: dict[str, Any]) -> None:
    """Name the files of a folder, given with the bytes that they have; each stands in it or in one folder below."""
    hashes = {name: sha256(content).hexdigest() for name, content in files.items()}
    assert all(_NAME.fullmatch(name) for name in hashes), "names are the caller's"
    write_atomically(folder / MANIFEST, _written(Manifest(kind, about, hashes)))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder, every file of which is as it was written; BrokenRecord names the first that is not."""
    content = _content(folder, MANIFEST)
    try:
        data = parse_json(content, where=MANIFEST)
        found = Manifest(data["kind"], data["about"], data["files"])
        whole = isinstance(found.files, dict) and content == _written(found)
    except (InvalidInput, KeyError, TypeError):
        whole = False
    if not whole:
        raise _broken(folder, MANIFEST, "the manifest is not as it was written")
    for name, hash in found.files.items():
        if not _NAME.fullmatch(name) or sha256(_content(folder, name)).hexdigest() != hash:
            raise _broken(folder, name, "the file is not as it was written")
    return found


def _written(manifest: Manifest) -> bytes:
    said = {
        "format": FORMAT,
        "version": VERSION,
        "kind": manifest.kind,
        "about": manifest.about,
        "files": manifest.files,
    }
    return canonical(said | {"checksum": digest(said)}) + b"\n"


def _content(folder: Path, name: str) -> bytes:
    try:
        with open(os.open(folder / name, _LOOK), "rb") as file:  # noqa: PTH123  links are not followed
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or (name == MANIFEST and status.st_size > _LARGEST):
                raise _broken(folder, name, "this is not the file that was written")
            return file.read()
    except OSError as error:
        raise _broken(folder, name, f"the file cannot be read: {error.strerror}") from None


def _broken(folder: Path, name: str, what: str) -> BrokenRecord:
    return BrokenRecord(
        Problem(
            what,
            str(folder / name),
            "every file as its manifest names it",
            "restore the folder from a copy, or make it again",
        )
    )
