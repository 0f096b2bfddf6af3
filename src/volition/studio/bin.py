"""The bin of the studio's folder: records that a person removed, until somebody restores or erases them.

A record is moved in one step of the file system, with everything in its folder, to a hidden folder that no list looks into;
its files stay as they were, so what was checked before is still checked when it comes back. Only records in the folders that
studio and commands write to are removed: whatever else the studio found belongs to somebody who keeps it there.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.errors import NotPossible
from volition.studio.errors import NoSuch
from volition.studio.store import HOMES, What, list_folders, look_at, make_new

if TYPE_CHECKING:
    from volition.studio.store import RecordStore, StoredRecord

FOLDER: Final = ".volition-removed"
"""The hidden folder in the studio's folder; in it the names of the homes, and in these the removed records."""


class RemovedRecord(Struct, frozen=True):
    """A record that was removed, and can be restored."""

    id: str
    """Its id in the bin."""
    name: str
    """The name of its folder."""
    place: str
    """Where it goes when it is restored, unless that name is taken by then; relative to the studio's folder."""
    what: What
    """What it is: a ledger (a run or a journal), an evaluation, or an ensemble."""
    bytes: int
    """Its size."""
    removed: float
    """When it was removed, in seconds since 1970."""


class RemovedList(Struct, frozen=True):
    """What is in the bin."""

    removed: list[RemovedRecord]
    """The removed records, the last one first."""


class RecordBin:
    """Removes records of a store, restores and erases them."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._folder = store.folder / FOLDER
        self._lock = Lock()

    def all(self) -> list[RemovedRecord]:
        """Everything that can be restored, the last removed first."""
        return sorted(self._list(), key=lambda one: (-one.removed, one.id))

    def remove(self, stored: StoredRecord) -> RemovedRecord:
        """Move a record to the bin."""
        if not stored.in_home:
            raise NotPossible.of(
                f"{stored.place} was not recorded by a studio or a command",
                where="the address",
                expected=f"a record in one of {', '.join(HOMES)}",
                remedy="remove its folder by hand, if nobody needs it",
            )
        home = Path(stored.place).parent.name
        for folder in (self._folder, self._folder / home):
            if folder.is_symlink():
                raise NotPossible.of(
                    f"{folder.name} is a link", where=FOLDER, expected="a folder", remedy="remove the link"
                )
        with self._lock:
            target = _move(stored.path, self._folder / home)
            os.utime(target)
            return self._find(self._store.id_of(target))

    def restore(self, id: str) -> str:
        """Move a record back to where it was; its id, which is another one where the name is taken by now."""
        with self._lock:
            path = self._folder / self._find(id).place
            target = _move(path, self._store.folder / path.parent.name)
        return self._store.id_of(target)

    def erase(self, id: str) -> RemovedRecord:
        """Delete a record for good."""
        with self._lock:
            removed = self._find(id)
            try:
                shutil.rmtree(self._folder / removed.place)
            except OSError as error:
                raise _stuck(removed.place, error) from None
        return removed

    def _find(self, id: str) -> RemovedRecord:
        known = {removed.id: removed for removed in self._list()}
        if id not in known:
            raise NoSuch.id("removed record", id, known)
        return known[id]

    def _list(self) -> list[RemovedRecord]:
        """What is in the bin now; links are not followed."""
        if self._folder.is_symlink():
            return []
        homes = [home for home in list_folders(self._folder) if home in HOMES]
        places = [Path(home, name) for home in homes for name in list_folders(self._folder / home)]
        removed = [(place, look_at(self._folder / place, Path(FOLDER, place))) for place in places]
        return [
            RemovedRecord(
                stored.id, place.name, place.as_posix(), stored.what, stored.bytes, _time_of_move(stored.path)
            )
            for place, stored in removed
            if stored is not None
        ]


def _time_of_move(path: Path) -> float:
    """When a folder was moved to the bin; 0 if another process has taken it out again meanwhile."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _move(path: Path, folder: Path) -> Path:
    """Move a record into a folder, under its name if that is free: first an empty folder takes the name, and the record then takes
    the place of that folder."""
    target = None
    try:
        target = make_new(folder, path.name)
        path.rename(target)
    except OSError as error:
        if target is not None:
            target.rmdir()
        raise _stuck(path.name, error) from None
    return target


def _stuck(name: str, error: OSError) -> NotPossible:
    return NotPossible.of(
        f"{name} cannot be moved or deleted: {error.strerror}",
        where="the studio's folder",
        expected="a folder that may be written, on one disk",
        remedy="see who owns it, and what is in the way; then try again",
    )
