"""The folder that the studio shows: runs, journals, evaluations, ensembles and other ledgers, each reached only by its id.

An id is looked up among the records found and never becomes part of a path. Links are not followed.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from volition.core.ledger.segment import CLOSED
from volition.core.ledger.signature import SIGNED
from volition.drama.stage.library import FOLDER
from volition.governance.evaluation_folder import INPUTS
from volition.studio.errors import NoSuch

if TYPE_CHECKING:
    from collections.abc import Iterator

JOURNALS: Final = "volition-journals"
EVALUATIONS: Final = "volition-evaluations"
ENSEMBLES: Final = "volition-ensembles"
HOMES: Final = (FOLDER, JOURNALS, EVALUATIONS, ENSEMBLES)
"""Where the studio and the commands write records; a name there is the id itself."""
DEEPEST: Final = 4
"""How many folders deep records are searched for."""
MOST_FOLDERS: Final = 5000
"""How many folders are searched."""
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_SEGMENT: Final = re.compile(r"[0-9]{6,}\.jsonl")
_FIRST, _RESULT = "000001.jsonl", "result.json"
_MANIFEST, _DONE, _PARTS = "manifest.json", "done.json", "parts"
_EVENINGS = ("evenings.rows", "evenings.jsonl")

What = Literal["ledger", "evaluation", "ensemble"]
Fingerprint = tuple[int, int, int]


class StoredRecord(Struct, frozen=True):
    """A folder that holds a record: a ledger, the documents of an evaluation, or an ensemble.

    `fingerprint` changes whenever its files do: a hash of all names, sizes and times, the total size, and the time of the
    last write. The times include those of the last change of each file, which no program can set back.
    """

    id: str
    path: Path
    place: str
    what: What
    fingerprint: Fingerprint

    @property
    def home(self) -> Path:
        """The folder that `place` is relative to."""
        return self.path.parents[len(Path(self.place).parts) - 1]

    @property
    def in_home(self) -> bool:
        """Whether it lies where the studio and the commands write records."""
        parts = Path(self.place).parts
        return len(parts) == 2 and parts[0] in HOMES

    @property
    def bytes(self) -> int:
        return self.fingerprint[1]

    @property
    def modified(self) -> float:
        return self.fingerprint[2] / 1e9


class RecordStore:
    """Everything in a folder, by id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def all(self) -> list[StoredRecord]:
        """Every record that exists now, ordered by place."""
        by_id: dict[str, StoredRecord] = {}
        for stored in sorted(self._walk(), key=lambda stored: stored.place):
            by_id.setdefault(stored.id, stored)
        return list(by_id.values())

    def find(self, id: str) -> StoredRecord:
        """The record of this id."""
        for stored in self._homes(id):
            return stored
        records = {stored.id: stored for stored in self.all()}
        if id not in records:
            raise NoSuch.id("record", id, records)
        return records[id]

    def has(self, id: str) -> bool:
        """Whether a home has a record of this id."""
        return any(True for _ in self._homes(id))

    def new(self, home: str, name: str) -> Path:
        """A new, empty folder of this name in one of the homes, numbered where the name is taken."""
        return make_new(self.folder / home, _UNSAFE.sub("-", name)[:80].lstrip(".-") or "record")

    def id_of(self, path: Path) -> str:
        """The id of the record in a folder."""
        return _id(path.relative_to(self.folder))

    def _homes(self, id: str) -> Iterator[StoredRecord]:
        """A record in a home, found without reading the others: by listing names, never by building a path."""
        for home in HOMES:
            try:
                with os.scandir(self.folder / home) as entries:
                    named = [entry for entry in entries if entry.name == id and entry.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            for entry in named:
                place = Path(home, entry.name)
                if _id(place) == id and (stored := look_at(Path(entry.path), place)) is not None:
                    yield stored

    def _walk(self) -> Iterator[StoredRecord]:
        waiting, seen = [(self.folder, Path(), 0)], 0
        while waiting and seen < MOST_FOLDERS:
            folder, place, depth = waiting.pop()
            seen += 1
            if depth and (stored := look_at(folder, place)) is not None:
                yield stored
                if stored.what != "evaluation":
                    continue
            if depth < DEEPEST:
                waiting += [(folder / name, place / name, depth + 1) for name in list_folders(folder)]


def make_new(folder: Path, name: str) -> Path:
    """A new, empty folder of this name in another one, numbered where the name is taken."""
    for number in range(1, 100_000):
        path = folder / (name if number == 1 else f"{name}.{number}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path
    raise AssertionError("no name is free")


def list_folders(folder: Path) -> list[str]:
    """The names of the folders in a folder, without links and hidden ones."""
    try:
        with os.scandir(folder) as entries:
            inside = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(
        (name for name in inside if not name.startswith(".") and name not in {"node_modules", "__pycache__"}),
        reverse=True,
    )


def look_at(folder: Path, place: Path) -> StoredRecord | None:
    """The record in a folder, None where there is none."""
    files = _files(folder)
    if files is None:
        return None
    what: What
    if _FIRST in files:
        what, mine = "ledger", [name for name in files if _SEGMENT.fullmatch(name) or name in {CLOSED, SIGNED}]
    elif _RESULT in files:
        files |= {f"{INPUTS}/{name}": status for name, status in (_files(folder / INPUTS) or {}).items()}
        what, mine = "evaluation", [name for name in files if name.endswith((".json", ".toml"))]
    elif _MANIFEST in files and (any(name in files for name in _EVENINGS) or _PARTS in list_folders(folder)):
        files |= {f"{_PARTS}/{name}": status for name, status in (_files(folder / _PARTS) or {}).items()}
        what, mine = "ensemble", [name for name in files if name.startswith(f"{_PARTS}/")]
        mine += [name for name in (_MANIFEST, *_EVENINGS, _DONE) if name in files]
    else:
        return None
    stats = [(name, files[name]) for name in sorted(mine)]
    each = hash(
        tuple((name, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino) for name, status in stats)
    )
    fingerprint = (each, sum(status.st_size for _, status in stats), max(status.st_mtime_ns for _, status in stats))
    return StoredRecord(_id(place), folder, place.as_posix(), what, fingerprint)


def _files(folder: Path) -> dict[str, os.stat_result] | None:
    """The files of a folder without links; None where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return {
                entry.name: entry.stat(follow_symlinks=False)
                for entry in entries
                if entry.is_file(follow_symlinks=False)
            }
    except OSError:
        return None


def _id(place: Path) -> str:
    """The id of a place: just its name where that is simple and in a home, else the name and a hash of the whole place."""
    name = place.name
    if len(place.parts) == 2 and place.parts[0] in HOMES and _SIMPLE.fullmatch(name):
        return name
    stem = _UNSAFE.sub("-", name)[:80].lstrip(".-") or "record"
    return f"{stem}-{sha256(os.fsencode(place.as_posix())).hexdigest()[:8]}"
