"""The studio itself: one folder with its records, what is being played and driven, and what was opened recently."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.core.errors import NotPossible
from volition.core.ledger.segment import is_written
from volition.drama.playing.evening import Evening
from volition.studio.actor import StudioActor
from volition.studio.acts import ActList, ActLog
from volition.studio.answerer import Answerer
from volition.studio.background import BackgroundJobs, Limit, TaskPool
from volition.studio.bin import RecordBin
from volition.studio.cache import Cache
from volition.studio.changes import ID as CHANGES
from volition.studio.changes import ChangeFollower
from volition.studio.drives import Drive
from volition.studio.ensembles import OpenEnsembles
from volition.studio.errors import NotAllowed
from volition.studio.evenings import OpenEvening
from volition.studio.forks import fork_acts
from volition.studio.games import Games
from volition.studio.governing import evaluate_set
from volition.studio.inbox import Inbox
from volition.studio.journals import OpenJournal
from volition.studio.mattering import MatteringStore
from volition.studio.plays import FOLLOWED_AT_ONCE, EveningFollower, Play, fork
from volition.studio.records import Catalogue, RecordList, live_run
from volition.studio.refusals import find_journal
from volition.studio.scenarios import ScenarioStore
from volition.studio.store import RecordStore
from volition.studio.sweeps import Sweep
from volition.studio.team import TeamRegistry
from volition.studio.team_questions import PERMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from pathlib import Path

    from volition.core.signing import Signer
    from volition.studio.acts import ActKind, ActShape
    from volition.studio.background import Feed
    from volition.studio.bin import RemovedRecord
    from volition.studio.changes import ChangedPart
    from volition.studio.drives import DriveAsked
    from volition.studio.game_view import GameShape
    from volition.studio.games import GameAsked
    from volition.studio.governing import EvaluationShape, GovernAsked
    from volition.studio.mattering import Mattered
    from volition.studio.plays import ForkAsked, Forked, PlayAsked
    from volition.studio.questions import InboxChoice, InboxItem
    from volition.studio.records import Kind, RecordShape
    from volition.studio.store import StoredRecord
    from volition.studio.sweeps import SweepAsked
    from volition.studio.team_shapes import TeamAnswer, TeamApproval, TeamClaim, TeamClaimed, TeamFlow

EVENINGS_KEPT: Final = 8
"""How many evenings are kept in memory."""
JOURNALS_KEPT: Final = 4
PATIENCE: Final = 10.0
"""Seconds for an evening to stop: a tick takes much less."""
SETTLING: Final = 2.0
"""Seconds for each evening and drive to end when the studio does."""
LISTED: Final = 500
"""How many records a page of the list has at most."""


class Studio:
    """Everything that the routes ask for."""

    def __init__(self, folder: Path, registry: str | None = None) -> None:
        self.actor = StudioActor()
        self.store = RecordStore(folder)
        self.team = TeamRegistry(registry, self.actor, self.store.folder)
        self._acts = ActLog(self.store.folder)
        self.inbox = Inbox(self.store, self.team, self._acts, self._evaluate)
        self.scenarios = ScenarioStore(self.store.folder)
        self.games = Games(self.store, self.scenarios)
        self.catalogue = Catalogue()
        self.tasks = TaskPool()
        limit = Limit()
        self.plays: BackgroundJobs[Play] = BackgroundJobs("run", limit, self.store.folder)
        self.drives: BackgroundJobs[Drive] = BackgroundJobs("drive", limit, self.store.folder)
        self.sweeps: BackgroundJobs[Sweep] = BackgroundJobs("ensemble", limit, self.store.folder)
        self.followers: BackgroundJobs[EveningFollower] = BackgroundJobs(
            "run", Limit(FOLLOWED_AT_ONCE), self.store.folder
        )
        self.changes: BackgroundJobs[ChangeFollower] = BackgroundJobs("stream", Limit(), self.store.folder)
        self._following = Lock()
        self._evenings = Cache[OpenEvening](EVENINGS_KEPT)
        self.ensembles = OpenEnsembles(self.store)
        self.mattering = MatteringStore(self.store.folder)
        self._journals = Cache[OpenJournal](JOURNALS_KEPT)
        self.bin = RecordBin(self.store)

    def records(self, kind: Kind | None, limit: int = LISTED, offset: int = 0) -> RecordList:
        """The records, of one kind if it is given, the newest first: a page of at most `limit` after the first `offset`."""
        records = sorted(self.store.all(), key=lambda stored: (-stored.modified, stored.id))
        fitting = [stored for stored in records if kind is None or self.catalogue.kind(stored) == kind]
        listed = [self._entry(stored) for stored in fitting[offset : offset + limit]]
        return RecordList(self.store.folder.name, listed, max(0, len(fitting) - offset - limit))

    def record(self, id: str) -> RecordShape:
        """One record."""
        return self._entry(self.store.find(id))

    def check(self, id: str) -> RecordShape:
        """One record, checked as far as possible; a record that is being written is not checked."""
        entry = self.record(id)
        return entry if entry.live else self.catalogue.check(self.store.find(id))

    def remove(self, id: str) -> RemovedRecord:
        """Move a record to the bin; one that is being written is left alone."""
        with self._noting("remove", id):
            self._check_may_act()
        if self.record(id).live:
            raise NotPossible.of(
                f"{id} is being written",
                where="the address",
                expected="a record that is finished",
                remedy="stop it first",
            )
        removed = self.bin.remove(self.store.find(id))
        self._acts.add(self.actor.name, "remove", id, removed.id)
        return removed

    def restore(self, id: str) -> RecordShape:
        """Move a record back out of the bin."""
        with self._noting("restore", id):
            self._check_may_act()
        restored = self.record(self.bin.restore(id))
        self._acts.add(self.actor.name, "restore", id, restored.id)
        return restored

    def erase(self, id: str) -> RemovedRecord:
        """Delete a record in the bin for good."""
        with self._noting("erase", id):
            self._check_may_act()
        erased = self.bin.erase(id)
        self._acts.add(self.actor.name, "erase", id, erased.place)
        return erased

    def _check_may_act(self) -> None:
        """NotAllowed where the person of this studio may change nothing in its folder."""
        if (problem := self.inbox.may_not_answer()) is not None:
            raise NotAllowed(problem)

    def _entry(self, stored: StoredRecord) -> RecordShape:
        play = self._running_play(stored.id)
        if play is not None:
            return live_run(stored, play.brief())
        # Looked up before the record is read: a record that ends in between is read to its end.
        sweep = self.sweeps.get(stored.id)
        if sweep is not None and sweep.is_running:
            return replace(self.catalogue.entry(stored), live=True, stoppable=True)
        live = stored.what in ("ledger", "ensemble") and is_written(stored.path)
        entry = self.catalogue.entry(stored)
        return replace(entry, live=True) if live else entry

    def _running_play(self, id: str) -> Play | None:
        play = self.plays.get(id)
        return play if play is not None and play.is_running else None

    def evening(self, id: str) -> OpenEvening:
        """An evening by its id: the one that is being played, here or elsewhere, or the one on disk."""
        self._check_open(id)
        play = self._running_play(id)
        if play is not None and (evening := play.evening()) is not None:
            key: object = (id, "live", len(evening.run.ticks))
            return self._evenings.get(key, lambda: OpenEvening(id, evening, live=True, stoppable=True))
        live = is_written(self.store.find(id).path)
        stored = self.store.find(id)  # again, after `live`: what the writer wrote before it ended is included
        key = (id, stored.fingerprint, live)
        return self._evenings.get(key, lambda: OpenEvening(id, Evening.load(stored.path), live=live))

    def significance(self, id: str) -> Mattered:
        """Which acts of an evening mattered, as far as it is known."""
        evening = self.evening(id).require_ended()
        return self.mattering.look(self.store.find(id), evening)

    def follow_significance(self, id: str) -> Feed | Mattered:
        """The feed of how far that is; what mattered, where it is known."""
        evening = self.evening(id).require_ended()
        return self.mattering.follow(self.store.find(id), evening)

    def _check_open(self, id: str) -> None:
        """Refuse to tell of an evening whose guest is played here now: the page of the game would give secrets away."""
        if self.games.is_live(id):
            raise NotPossible.of(
                f"a guest of {id} is being played",
                where="the address",
                expected="an evening that nobody plays in now",
                remedy=f"play it to its end at /play?game={id}, or end it there",
            )

    def feed(self, id: str) -> Feed | None:
        """The feed of an evening that is being played, here or elsewhere; None where it is not."""
        self._check_open(id)
        play = self.plays.get(id)
        if play is not None:
            return play.feed
        with self._following:
            follower = self.followers.get(id)
            if follower is None or not follower.is_running:
                stored = self.store.find(id)
                if self.record(id).kind != "run" or not is_written(stored.path):
                    return None
                follower = self.followers.start(lambda: EveningFollower(id, stored.path))
        return follower.feed

    def play(self, asked: PlayAsked) -> Play:
        """Begin an evening; when this returns it can be looked at."""
        play = self.plays.start(lambda: Play(self.store, asked))
        play.wait_until_open()
        return play

    def stop(self, id: str) -> RecordShape:
        """Stop an evening that is played here, and wait for its end; one that is over is left as it is."""
        play = self.plays.get(id)
        if play is not None:
            play.stop()
            play.wait_until_finished(PATIENCE)
        entry = self.record(id)
        if play is None and entry.live:
            raise NotPossible.of(
                f"{id} is written by another process",
                where="the address",
                expected="an evening that this studio plays",
                remedy="end it where it was started",
            )
        return entry

    def fork(self, id: str, asked: ForkAsked) -> Forked:
        """Fork an evening, signed by whoever has a key, and note who did."""
        with self._noting("fork", id):
            signer = self._folder_signer()
        forked = fork(self.store, self.evening(id), asked, self.actor.name, signer)
        self._acts.add(forked.by, "fork", forked.of, forked.run, forked.key)
        return forked

    def _folder_signer(self) -> Signer | None:
        """The key that signs what is done in the folder; NotAllowed where there is one and it cannot sign in this name."""
        signer = self.actor.own_signer()
        if signer is not None:
            self._check_may_act()
        return signer

    def begin_game(self, asked: GameAsked) -> GameShape:
        """Begin an evening as a guest, and note who did."""
        game = self.games.begin(asked)
        self._acts.add(self.actor.name, "guest", game.id, f"as {asked.guest}")
        return game

    def acts(self, project: str | None, most: int) -> ActList:
        """What people did in the registry and in the folder, and tried and may not do, the newest first."""
        kept = [*self.inbox.answers(), *self._forks()]
        known = {(act.what, act.result) for act in kept}
        noted = [act for act in self._acts.read() if (act.what, act.result) not in known]
        acts = [*self.team.acts(project, most), *kept, *noted, *self._acts.read_refused()]
        return ActList(sorted(acts, key=lambda act: -act.at)[:most])

    def _forks(self) -> list[ActShape]:
        """The forks in the folder that somebody signed, or that were noted with a key."""
        noted = {act.result: act for act in self._acts.read() if act.what == "fork"}
        runs = [(record, self.store.find(record.id).path) for record in self.records("run").records]
        return fork_acts(runs, noted, self.inbox.known_keys)

    def evaluate(self, asked: GovernAsked) -> EvaluationShape:
        """Evaluate plans together; where answers are saved with it, they are signed, and it is noted who gave them."""
        with self._noting("answer", "a set of plans"):
            return self._evaluate(asked)

    def _evaluate(self, asked: GovernAsked) -> EvaluationShape:
        answers = asked.save and bool(asked.choices)
        if answers:
            self._check_may_act()
        signer = self.actor.own_signer() if answers else None
        made = evaluate_set(asked, self.store, Answerer(self.actor.name, signer, self.inbox.known_keys))
        if answers:
            assert made.saved is not None
            public = None if signer is None else signer.public
            self._acts.add(self.actor.name, "answer", made.set_id, made.saved, public)
        return made

    def answer_item(self, id: str, choice: InboxChoice) -> InboxItem:
        """Answer an item of the inbox, or approve it."""
        with self._noting("approve" if id.endswith(PERMIT) else "answer", id):
            return self.inbox.answer(id, choice)

    def answer_flow(self, flow_id: str, answer: TeamAnswer) -> TeamFlow:
        """Answer the questions of a flow."""
        with self._noting("answer", flow_id):
            return self.team.answer(flow_id, answer)

    def approve_flow(self, flow_id: str, approval: TeamApproval) -> TeamFlow:
        """Permit what a flow shows."""
        with self._noting("approve", flow_id):
            return self.team.approve(flow_id, approval)

    def claim(self, claim: TeamClaim) -> TeamClaimed:
        """Register a plan."""
        with self._noting("claim", claim.project):
            return self.team.claim(claim)

    @contextmanager
    def _noting(self, what: ActKind, about: str) -> Iterator[None]:
        """Note it, if the person of this studio may not do what the block does."""
        try:
            yield
        except NotAllowed as error:
            self._acts.add_refused(self.actor.name, what, about, error.problems[0].what)
            raise

    def follow_changes(self) -> Feed:
        """The feed of what changes in the registry, in the saved evaluations and in the guard's journal."""
        with self._following:
            follower = self.changes.get(CHANGES)
            if follower is None or not follower.is_running:
                follower = self.changes.start(lambda: ChangeFollower(self._looks()))
        return follower.feed

    def _looks(self) -> dict[ChangedPart, Callable[[], Hashable]]:
        """What tells whether something has changed."""

        def look_at_evaluations() -> Hashable:
            return frozenset(
                (record.id, record.fingerprint) for record in self.store.all() if record.what == "evaluation"
            )

        def look_at_journal() -> Hashable:
            journal = find_journal(self.store.folder)
            return None if journal is None else journal.stat().st_size

        return {"registry": self.team.last_events, "evaluations": look_at_evaluations, "guard": look_at_journal}

    def drive(self, asked: DriveAsked) -> Drive:
        """Begin a drive."""
        return self.drives.start(lambda: Drive(self.store, asked))

    def journal(self, id: str) -> OpenJournal:
        """A journal by its id, as far as it is written."""
        stored = self.store.find(id)
        return self._journals.get((id, stored.fingerprint), lambda: OpenJournal(stored))

    def begin_sweep(self, asked: SweepAsked) -> Sweep:
        """Begin an ensemble; when this returns it is on disk."""
        sweep = self.sweeps.start(lambda: Sweep.begin(self.store, self.scenarios, asked))
        sweep.wait_until_open()
        return sweep

    def resume_sweep(self, id: str) -> Sweep:
        """Go on with an ensemble that was stopped; one that is being played here is left as it is."""
        running = self.sweeps.get(id)
        if running is not None and running.is_running:
            return running
        sweep = self.sweeps.start(lambda: Sweep.resume(self.store, id))
        sweep.wait_until_open()
        return sweep

    def stop_sweep(self, id: str) -> RecordShape:
        """Stop an ensemble that is played here, and wait for its end; what was played is kept."""
        sweep = self.sweeps.get(id)
        if sweep is not None:
            sweep.stop()
            sweep.wait_until_finished(PATIENCE)
        return self.record(id)

    def stop_all(self) -> None:
        """Ask everything that runs in the background to stop."""
        for jobs in (self.plays, self.followers, self.drives, self.changes, self.sweeps, self.mattering.jobs):
            jobs.stop_all()
        self.games.close_all()

    def settle(self) -> None:
        """Wait a while until what was asked to stop has written its end."""
        for jobs in (self.plays, self.drives, self.sweeps):
            jobs.wait_until_finished(SETTLING)
