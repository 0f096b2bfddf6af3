"""The studio itself: one folder, what lies in it, what is being played and driven, and what was asked lately."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.drama.evening import Evening
from volition.studio.drives import Drive
from volition.studio.ensembles import Opened
from volition.studio.evenings import Shown
from volition.studio.memory import Memory
from volition.studio.plays import Play, fork
from volition.studio.records import Catalogue
from volition.studio.shapes.records import Records
from volition.studio.shelf import Shelf
from volition.studio.work import Jobs, Limit

if TYPE_CHECKING:
    from pathlib import Path

    from volition.studio.shapes.drives import DriveAsked
    from volition.studio.shapes.plays import ForkAsked, Forked, PlayAsked
    from volition.studio.shapes.records import Kind, Record

EVENINGS_KEPT: Final = 8
"""How many evenings are kept in memory."""
ENSEMBLES_KEPT: Final = 4
LISTED: Final = 500
"""How many records a list shows, the newest first."""


class Studio:
    """Everything that the routes ask."""

    def __init__(self, folder: Path) -> None:
        self.shelf = Shelf(folder)
        self.catalogue = Catalogue(self.shelf)
        limit = Limit()
        self.plays: Jobs[Play] = Jobs("run", limit)
        self.drives: Jobs[Drive] = Jobs("drive", limit)
        self._evenings = Memory[Shown](EVENINGS_KEPT)
        self._ensembles = Memory[Opened](ENSEMBLES_KEPT)

    # What lies in the folder.

    def records(self, kind: Kind | None) -> Records:
        """Everything that was found, the newest first."""
        found = sorted(self.shelf.all(), key=lambda one: (-one.modified, one.id))
        entries = [self._entry(one.id, self.catalogue.entry(one, live=self._is_live(one.id))) for one in found[:LISTED]]
        listed = [one for one in entries if kind is None or one.kind == kind]
        return Records(str(self.shelf.folder), listed, max(0, len(found) - LISTED))

    def record(self, id: str) -> Record:
        """One record."""
        return self._entry(id, self.catalogue.entry(self.shelf.find(id), live=self._is_live(id)))

    def check(self, id: str) -> Record:
        """One record, checked as far as it can be; what is being written is not checked."""
        return self.record(id) if self._is_live(id) else self.catalogue.check(self.shelf.find(id))

    def _is_live(self, id: str) -> bool:
        job = self.plays.get(id)
        return job is not None and job.running

    def _entry(self, id: str, entry: Record) -> Record:
        job = self.plays.get(id)
        return replace(entry, run=job.brief()) if entry.live and job is not None else entry

    # Evenings.

    def evening(self, id: str) -> Shown:
        """An evening by its id: the one that is being played, or the one on disk."""
        job = self.plays.get(id)
        if job is not None and job.running and (evening := job.evening()) is not None:
            key = (id, "live", len(evening.run.ticks))
            return self._evenings.get(key, lambda: Shown(id, evening, live=True))
        found = self.shelf.find(id)
        return self._evenings.get((id, found.fingerprint), lambda: Shown(id, Evening.load(found.path)))

    def play(self, asked: PlayAsked) -> Play:
        """Begin an evening; when this returns it can be looked at."""
        job = self.plays.start(lambda: Play(self.shelf, asked))
        job.opened()
        return job

    def fork(self, id: str, asked: ForkAsked) -> Forked:
        """Branch off an evening."""
        return fork(self.shelf, self.evening(id), asked)

    # Drives.

    def drive(self, asked: DriveAsked) -> Drive:
        """Begin a drive."""
        return self.drives.start(lambda: Drive(self.shelf, asked))

    # Ensembles.

    def ensemble(self, id: str) -> Opened:
        """A finished ensemble by its id."""
        found = self.shelf.find(id)
        return self._ensembles.get((id, found.fingerprint), lambda: Opened(found))

    def end(self) -> None:
        """Ask whatever goes on to stop."""
        self.plays.end()
        self.drives.end()
