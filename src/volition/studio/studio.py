"""The studio itself: one folder, what lies in it, what is being played and driven, and what was asked lately."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.core.errors import NotPossible, Problem
from volition.core.ledger import is_written
from volition.drama.evening import Evening
from volition.studio.drives import Drive
from volition.studio.ensembles import Opened
from volition.studio.evenings import Shown
from volition.studio.journals import OpenedJournal
from volition.studio.memory import Memory
from volition.studio.plays import Play, fork
from volition.studio.records import Catalogue
from volition.studio.shapes.records import Records
from volition.studio.shelf import Shelf
from volition.studio.watches import AT_ONCE, Watch
from volition.studio.work import Jobs, Limit

if TYPE_CHECKING:
    from pathlib import Path

    from volition.studio.feed import Feed
    from volition.studio.shapes.drives import DriveAsked
    from volition.studio.shapes.plays import ForkAsked, Forked, PlayAsked
    from volition.studio.shapes.records import Kind, Record
    from volition.studio.shelf import Found

EVENINGS_KEPT: Final = 8
"""How many evenings are kept in memory."""
ENSEMBLES_KEPT: Final = 4
JOURNALS_KEPT: Final = 4
PATIENCE: Final = 10.0
"""Seconds for an evening to stop: a tick takes much less."""
SETTLING: Final = 2.0
"""Seconds for each evening and drive to end when the studio does."""
LISTED: Final = 500
"""How many records a list shows, the newest first."""


class Studio:
    """Everything that the routes ask."""

    def __init__(self, folder: Path) -> None:
        self.shelf = Shelf(folder)
        self.catalogue = Catalogue(self.shelf)
        limit = Limit()
        self.plays: Jobs[Play] = Jobs("run", limit)
        self.watches: Jobs[Watch] = Jobs("run", Limit(AT_ONCE))
        self._watching = Lock()
        self.drives: Jobs[Drive] = Jobs("drive", limit)
        self._evenings = Memory[Shown](EVENINGS_KEPT)
        self._ensembles = Memory[Opened](ENSEMBLES_KEPT)
        self._journals = Memory[OpenedJournal](JOURNALS_KEPT)

    # What lies in the folder.

    def records(self, kind: Kind | None) -> Records:
        """Everything that was found, the newest first."""
        found = sorted(self.shelf.all(), key=lambda one: (-one.modified, one.id))
        entries = [self._entry(one) for one in found[:LISTED]]
        listed = [one for one in entries if kind is None or one.kind == kind]
        return Records(str(self.shelf.folder), listed, max(0, len(found) - LISTED))

    def record(self, id: str) -> Record:
        """One record."""
        return self._entry(self.shelf.find(id))

    def check(self, id: str) -> Record:
        """One record, checked as far as it can be; what is being written is not checked."""
        entry = self.record(id)
        return entry if entry.live else self.catalogue.check(self.shelf.find(id))

    def _entry(self, found: Found) -> Record:
        job = self._playing(found.id)
        if job is not None:
            return replace(self.catalogue.begun(found), stoppable=True, run=job.brief())
        live = found.what == "ledger" and is_written(found.path)  # asked first: what ends now is read whole
        entry = self.catalogue.entry(found)
        return replace(entry, live=True) if live else entry

    def _playing(self, id: str) -> Play | None:
        job = self.plays.get(id)
        return job if job is not None and job.running else None

    # Evenings.

    def evening(self, id: str) -> Shown:
        """An evening by its id: the one that is being played, here or elsewhere, or the one on disk."""
        job = self._playing(id)
        if job is not None and (evening := job.evening()) is not None:
            played = len(evening.run.ticks)
            return self._evenings.get((id, "live", played), lambda: Shown(id, evening, live=True, stoppable=True))
        live = is_written(self.shelf.find(id).path)
        found = self.shelf.find(id)  # looked at again: what its writer wrote before it ended is there
        key = (id, found.fingerprint, live)
        return self._evenings.get(key, lambda: Shown(id, Evening.load(found.path), live=live))

    def feed(self, id: str) -> Feed | None:
        """How an evening goes on, as it is played here or elsewhere; None where it does not."""
        job = self.plays.get(id)
        if job is not None:
            return job.feed
        with self._watching:
            watch = self.watches.get(id)
            if watch is None or not watch.running:
                found = self.shelf.find(id)
                if self.record(id).kind != "run" or not is_written(found.path):
                    return None
                watch = self.watches.start(lambda: Watch(id, found.path))
        return watch.feed

    def play(self, asked: PlayAsked) -> Play:
        """Begin an evening; when this returns it can be looked at."""
        job = self.plays.start(lambda: Play(self.shelf, asked))
        job.opened()
        return job

    def stop(self, id: str) -> Record:
        """Break off an evening that is played here, and wait for its end; one that is over stays as it is."""
        job = self.plays.get(id)
        if job is not None:
            job.stop()
            job.finished(PATIENCE)
        entry = self.record(id)
        if job is None and entry.live:
            raise NotPossible(
                Problem(
                    f"{id} is written by another process",
                    "the address",
                    "an evening that this studio plays",
                    "end it where it was started",
                )
            )
        return entry

    def fork(self, id: str, asked: ForkAsked) -> Forked:
        """Branch off an evening."""
        return fork(self.shelf, self.evening(id), asked)

    # Drives.

    def drive(self, asked: DriveAsked) -> Drive:
        """Begin a drive."""
        return self.drives.start(lambda: Drive(self.shelf, asked))

    # Journals.

    def journal(self, id: str) -> OpenedJournal:
        """A journal by its id, as far as it is written."""
        found = self.shelf.find(id)
        return self._journals.get((id, found.fingerprint), lambda: OpenedJournal(found))

    # Ensembles.

    def ensemble(self, id: str) -> Opened:
        """A finished ensemble by its id."""
        found = self.shelf.find(id)
        return self._ensembles.get((id, found.fingerprint), lambda: Opened(found))

    def end(self) -> None:
        """Ask whatever goes on to stop."""
        for jobs in (self.plays, self.watches, self.drives):
            jobs.end()

    def settle(self) -> None:
        """Wait a while until what was asked to stop has written its end."""
        for jobs in (self.plays, self.drives):
            jobs.settle(SETTLING)
