"""Which acts of an evening mattered most: found in a thread, one evening at a time, and kept beside the run.

It is found while somebody looks: who follows it, or has asked just now. When nobody does any more the work ends. What was
found is written into the folder of the run, so it is found once, whichever studio asks.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from volition import __version__
from volition.core.document import write_atomically
from volition.core.errors import VolitionError
from volition.core.pausing import pausing
from volition.drama.audience.deeds import describe_deed
from volition.drama.playing.significance import describe_without
from volition.studio.background import BackgroundJob, BackgroundJobs, Limit, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from volition.drama.playing.evening import Evening
    from volition.drama.playing.significance import ActSignificance
    from volition.studio.background import Feed
    from volition.studio.store import StoredRecord

EXAMINED: Final = 24
"""How many acts are examined: for each of them the evening is played again."""
SHOWN: Final = 5
WAITING: Final = 4
"""How many evenings are examined or wait for it."""
KEPT: Final = 64
"""How many answers are kept in memory."""
UNWATCHED: Final = 5.0
"""Seconds after which work is ended that nobody follows or asks about: a page that is loaded again finds it going on."""
FILE: Final = "significance.json"
MOST_BYTES: Final = 2**20
"""The largest file that is read."""
TURN: Final = 0.1
"""Seconds between two looks at whether it is this evening's turn."""
_TURN: Final = Lock()
"""Held by the evening that is examined: it shares one interpreter with what answers pages."""


class MatteredAct(Struct, frozen=True):
    """An act that mattered, by how much (0 to 1), and what would have been `without` it."""

    event: str
    """The id of its event."""
    tick: int
    """When it was done."""
    minutes: float
    """The same in minutes."""
    agent: str
    """Who did it."""
    score: float
    """How much it mattered, from 0 to 1."""
    text: str
    """What was done, in words."""
    without: list[str]
    """What would have been without it, each as a sentence."""


class Mattered(Struct, frozen=True):
    """The acts that mattered most, the most significant first; while `state` is "computing", `done` of `of` are examined.

    It is "cancelled" when nobody looked any more; who asks again begins again.
    """

    state: Literal["computing", "done", "cancelled", "failed"]
    """How far the work is."""
    done: int = 0
    """How many acts are examined."""
    of: int = 0
    """How many acts there are to examine."""
    acts: list[MatteredAct] = []
    """The acts that mattered, the most significant first."""
    problem: str | None = None
    """What went wrong; null where nothing did."""


class KeptAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """What is written beside a run: what mattered in it, by which version, and a hash of the record that it is about."""

    version: str
    run: str
    examined: int
    mattered: Mattered


class Mattering(BackgroundJob):
    """Finds what mattered in one evening; `keep` gets the answer."""

    def __init__(
        self, id: str, evening: Evening, keep: Callable[[Mattered], None], clock: Callable[[], float] = monotonic
    ) -> None:
        self._evening: Evening | None = evening
        self._keep, self._clock = keep, clock
        self._looked = clock()
        self.found = Mattered("computing")
        super().__init__(id)

    def look(self) -> Mattered:
        """What is known by now; somebody is looking."""
        self._looked = self._clock()
        return self.found

    def work(self) -> None:
        evening = self._evening
        assert evening is not None, "a job works once"
        self._evening = None  # a finished job is kept for a while, and an evening is large
        while not _TURN.acquire(timeout=TURN):
            self._check_watched()
        try:
            with pausing(self._check_watched):
                acts = evening.significance(most=EXAMINED, progress=self._note)
        finally:
            _TURN.release()
        shown = [_act_shape(evening, act) for act in acts[:SHOWN]]
        self._keep(Mattered("done", len(acts), len(acts), shown))
        self.found = Mattered("done", len(acts), len(acts), shown)

    def _note(self, done: int, of: int) -> None:
        self._check_watched()
        self.found = replace(self.found, done=done, of=of)
        self.feed.publish("progress", msgspec.json.encode(self.found))

    def _check_watched(self) -> None:
        """Raise Stopped where nobody looks any more."""
        self.pause()
        now = self._clock()
        if self.feed.has_followers:
            self._looked = now
        if now - self._looked > UNWATCHED:
            raise Stopped

    def end_data(self) -> bytes:
        if self.state == "failed":
            self.found = Mattered("failed", problem=None if self.problem is None else self.problem.what)
        elif self.state == "stopped":
            self.found = replace(self.found, state="cancelled")
        return msgspec.json.encode(self.found)


class MatteringStore:
    """What mattered in the evenings that were asked about last, and the work on those that are asked about now."""

    def __init__(self, folder: Path) -> None:
        self.jobs: BackgroundJobs[Mattering] = BackgroundJobs(
            "evening", Limit(WAITING, "evenings are being examined"), folder
        )
        self._known: OrderedDict[str, Mattered] = OrderedDict()
        self._lock = Lock()

    def look(self, stored: StoredRecord, evening: Evening) -> Mattered:
        """What is known by now. The first question starts the work; Busy where too many evenings are waiting."""
        with self._lock:
            return self._recall(stored) or self._job(stored, evening).look()

    def follow(self, stored: StoredRecord, evening: Evening) -> Feed | Mattered:
        """The feed of the work, which goes on while it is followed; what mattered, where that is known."""
        with self._lock:
            known = self._recall(stored)
            if known is not None:
                return known
            job = self._job(stored, evening)
            job.look()
            return job.feed

    def _job(self, stored: StoredRecord, evening: Evening) -> Mattering:
        id = _key(stored)
        job = self.jobs.get(id)
        if job is not None and (job.is_running or job.state == "failed"):
            return job
        return self.jobs.start(lambda: Mattering(id, evening, lambda found: self._keep(stored, found)))

    def _recall(self, stored: StoredRecord) -> Mattered | None:
        key = _key(stored)
        known = self._known.get(key) or _read(stored.path)
        if known is not None:
            self._remember(key, known)
        return known

    def _keep(self, stored: StoredRecord, found: Mattered) -> None:
        with self._lock:
            self._remember(_key(stored), found)
        answer = KeptAnswer(__version__, _digest(stored.path), EXAMINED, found)
        with suppress(OSError, VolitionError):  # in a folder that cannot be written to it is found again another time
            write_atomically(stored.path / FILE, msgspec.json.encode(answer))

    def _remember(self, key: str, found: Mattered) -> None:
        self._known[key] = found
        self._known.move_to_end(key)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)


def _key(stored: StoredRecord) -> str:
    """One name for a record as it is now."""
    return f"{stored.id} {stored.fingerprint}"


def _read(folder: Path) -> Mattered | None:
    """What was found earlier of exactly this record by this version; None where there is nothing of the kind."""
    file = folder / FILE
    with suppress(OSError, msgspec.MsgspecError, RecursionError):
        if file.is_symlink() or file.stat().st_size > MOST_BYTES:
            return None
        kept = msgspec.json.decode(file.read_bytes(), type=KeptAnswer)
        if (kept.version, kept.examined, kept.run) == (__version__, EXAMINED, _digest(folder)):
            return kept.mattered if kept.mattered.state == "done" else None
    return None


def _digest(folder: Path) -> str:
    """A hash of all lines of a record."""
    all_lines = sha256()
    for segment in sorted(folder.glob("[0-9]*.jsonl")):
        all_lines.update(segment.read_bytes())
    return all_lines.hexdigest()


def _act_shape(evening: Evening, act: ActSignificance) -> MatteredAct:
    event = act.event
    return MatteredAct(
        event=event.id,
        tick=event.tick,
        minutes=event.minutes,
        agent=event.source,
        score=act.score,
        text=describe_deed(evening.scenario, event),
        without=describe_without(evening.run, act),
    )
