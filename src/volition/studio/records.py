"""What each record in the folder is, and whether it is as it was written; read again only when its files change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import VolitionError
from volition.core.ledger import verify
from volition.core.ledger.reader import Reader
from volition.core.ledger.signature import LedgerSignature  # noqa: TC001  msgspec reads the annotations
from volition.drama.ensemble import Ensemble
from volition.drama.ensemble.folder import EnsembleFolder
from volition.drama.playing.evening import verify_run
from volition.drama.stage.archive import FORMATS
from volition.drama.stage.archive import KIND as RUN
from volition.drama.stage.interference import Interference
from volition.drama.stage.library import entry_of
from volition.drama.stage.record import PLAYER
from volition.execution.journal.entries import read_journal
from volition.execution.journal.records import RunStart
from volition.execution.journal.summary import JournalSummary, summarise_journal
from volition.execution.journal.verification import verify_journal
from volition.execution.journal.writer import KIND as JOURNAL
from volition.governance.documents.kinds import LIMITS
from volition.governance.documents.loading import read_file
from volition.governance.documents.reading import parse_document
from volition.governance.documents.result import EvaluationResult
from volition.governance.evaluation_folder import check_evaluation, verify_evaluation
from volition.studio.cache import Cache
from volition.studio.errors import hide_root
from volition.studio.governing import EvaluationShape, GovernAgain  # noqa: TC001  msgspec reads the annotations
from volition.studio.journals import read_settings

if TYPE_CHECKING:
    from pathlib import Path

    from volition.studio.store import StoredRecord


Kind = Literal["run", "journal", "evaluation", "ensemble", "ledger"]
Checked = Literal["nothing", "chain", "whole"]
"""How far a record was checked: not at all, every byte against the chain, or its content as well."""


class RunBrief(Struct, frozen=True):
    """A run by its header; `ending` is None where it has none."""

    scenario: str
    """The id of the scenario."""
    seed: int
    """The seed."""
    ticks: int
    """How many ticks were played."""
    ending: str | None
    """How it ended; null where it has not."""
    rules: int
    """The version of the rules."""
    interference: list[str]
    """What was done by hand, in words."""
    guest: str | None = None
    """The id of the guest whom a person plays; null where nobody does."""
    signed: LedgerSignature | None = None
    """Who forked it, if that is signed, and the signature fits; null where nothing is signed."""


class JournalBrief(Struct, frozen=True):
    """A journal in numbers, None where it is too large to be counted for a list; and the settings of its first run, None
    for those that it does not record."""

    runs: int | None
    """How many runs there are."""
    attempts: int | None
    """How many intents were attempted."""
    executor: str | None = None
    """The executor of the first run."""
    map: str | None = None
    """The map of the first run."""
    seed: int | None = None
    """The seed of the first run."""
    goal: str | None = None
    """The goal of the first run."""


class EvaluationBrief(Struct, frozen=True):
    """An evaluation by its result."""

    result_id: str
    """The id of the result."""
    intent_set_id: str
    """The id of the set."""
    created_at: str
    """When it was made."""
    strategy: str
    """What becomes of the set."""
    intents: int
    """How many intents there are."""
    conflicts: int
    """How many conflicts there are."""
    questions: int
    """How many questions are open."""


class EnsembleBrief(Struct, frozen=True):
    """An ensemble by its plan; `settings` are those that were swept."""

    scenario: str
    """The id of the scenario."""
    evenings: int
    """How many evenings it has."""
    points: int
    """How many combinations of settings it has."""
    settings: list[str]
    """The settings that were swept."""
    finished: bool
    """Whether all evenings were played."""
    played: int
    """How many evenings are played."""


class RecordShape(Struct, frozen=True):
    """One record in the folder. `intact` is None where nothing was checked; `place` is relative to the folder.

    `live` says that it is being written now, here or by another process; `stoppable`, that this studio plays it and can
    stop it. One of `run`, `journal`, `evaluation` and `ensemble` is there, by its `kind`, unless a `fault` kept it from
    being read.
    """

    id: str
    """The id of the record."""
    kind: Kind
    """What it is."""
    name: str
    """The name of its folder."""
    place: str
    """Where it is, relative to the studio's folder."""
    bytes: int
    """Its size."""
    modified: float
    """When it was last written, in seconds since 1970."""
    live: bool = False
    """Whether it is being written now."""
    intact: bool | None = None
    """Whether it is as it was written; null where that was not checked."""
    checked: Checked = "nothing"
    """How much of it was checked."""
    fault: str | None = None
    """What is wrong with it; null where nothing is known to be."""
    stoppable: bool = False
    """Whether this studio can stop it."""
    removable: bool = False
    """Whether it may be removed, once it is not being written any more."""
    run: RunBrief | None = None
    """The run in short."""
    journal: JournalBrief | None = None
    """The journal in short."""
    evaluation: EvaluationBrief | None = None
    """The evaluation in short."""
    ensemble: EnsembleBrief | None = None
    """The ensemble in short."""


class RecordList(Struct, frozen=True):
    """A page of the records in the folder: `left_out` older ones follow on the next page."""

    folder: str
    """The name of the studio's folder."""
    records: list[RecordShape]
    """The records, the newest first."""
    left_out: int = 0
    """How many older ones follow after these."""


class RecordDetail(Struct, frozen=True):
    """A record with its content: a journal's summary, or an evaluation.

    `asked` is what the evaluation was made from, to be sent to POST /govern with `choices`; None where it was not kept.
    """

    record: RecordShape
    """The record."""
    summary: JournalSummary | None = None
    """The summary of a journal."""
    evaluation: EvaluationShape | None = None
    """The content of an evaluation."""
    asked: GovernAgain | None = None
    """What an evaluation was made from."""


QUICK: Final = 8 * 2**20
"""Ledgers of up to this many bytes are read before they are listed."""
KEPT: Final = 4096
_KINDS: Final[dict[str, Kind]] = {RUN: "run", JOURNAL: "journal"}
"""What a ledger is, by the kind in its first line."""


class Catalogue:
    """The records of a folder, each read once for every state of its files."""

    def __init__(self) -> None:
        self._kinds = Cache[Kind](2 * KEPT)
        self._listed = Cache[RecordShape](KEPT)
        self._checked = Cache[RecordShape](KEPT)

    def kind(self, stored: StoredRecord) -> Kind:
        """What a record is, by the first line of it."""
        return self._kinds.get((stored.place, stored.fingerprint), lambda: _kind(stored))

    def entry(self, stored: StoredRecord) -> RecordShape:
        """What a record is, with the result of the last check."""
        key = (stored.place, stored.fingerprint)
        cache = self._checked if key in self._checked else self._listed
        return cache.get(key, lambda: _read(stored))

    def check(self, stored: StoredRecord) -> RecordShape:
        """Check everything that can be checked: a run is played again, and a journal checked against its laws."""
        return self._checked.get((stored.place, stored.fingerprint), lambda: _check(stored, self.entry(stored)))


def live_run(stored: StoredRecord, brief: RunBrief) -> RecordShape:
    """A run that is being played here: nothing of it is read from disk."""
    return replace(_unread(stored, "run"), live=True, stoppable=True, run=brief)


def result_of(stored: StoredRecord) -> EvaluationResult:
    """The result of an evaluation."""
    content = read_file(stored.path / "result.json", LIMITS["evaluation_result"])
    return parse_document(content, EvaluationResult, where=stored.place)


def _read(stored: StoredRecord) -> RecordShape:
    try:
        if stored.what == "evaluation":
            check_evaluation(stored.path)
            brief = _evaluation_brief(result_of(stored))
            return replace(_unread(stored, "evaluation"), intact=True, checked="chain", evaluation=brief)
        if stored.what == "ensemble":
            return _read_ensemble(_unread(stored, "ensemble"), EnsembleFolder(stored.path))
        reader = Reader(stored.path)
    except VolitionError as error:
        return _with_fault(_unread(stored, stored.what), stored, error)
    entry = _unread(stored, _KINDS.get(reader.header.kind, "ledger"))
    try:
        if entry.kind == "run":
            return _read_run(entry, stored.path, reader)
        if stored.bytes > QUICK:
            return replace(entry, journal=JournalBrief(None, None)) if entry.kind == "journal" else entry
        if entry.kind == "journal":
            entry = replace(entry, journal=_journal_brief(stored.path))
        return _check_chain(entry, stored)
    except VolitionError as error:
        return _with_fault(entry, stored, error)


def _kind(stored: StoredRecord) -> Kind:
    if stored.what != "ledger":
        return stored.what
    try:
        return _KINDS.get(Reader(stored.path).header.kind, "ledger")
    except VolitionError:
        return "ledger"


def _read_run(entry: RecordShape, path: Path, reader: Reader) -> RecordShape:
    """A run by its header; its ticks are counted while its chain is verified."""
    listed = entry_of(path, reader)
    meta = reader.header.meta
    if meta.get("format") not in FORMATS:
        return replace(entry, fault=listed.fault)
    minds = meta.get("custom", {}).get("minds", {})
    guest = next((who for who, mind in minds.items() if mind == PLAYER), None)
    interference = [str(Interference(*each)) for each in listed.interference]
    brief = RunBrief(
        listed.scenario, listed.seed, listed.ticks, listed.ending, listed.rules, interference, guest, listed.signed
    )
    return replace(entry, run=brief, intact=listed.fault is None, checked="chain", fault=listed.fault)


def _read_ensemble(entry: RecordShape, folder: EnsembleFolder) -> RecordShape:
    """An ensemble by its manifest; its evenings are checked with the whole record."""
    plan = folder.plan()
    missing = 0 if folder.finished else sum(span.rows for span in folder.missing(plan))
    played = plan.size - missing
    brief = EnsembleBrief(plan.scenario.id, plan.size, len(plan.points), list(plan.names), folder.finished, played)
    return replace(entry, ensemble=brief)


def _check_chain(entry: RecordShape, stored: StoredRecord) -> RecordShape:
    """A ledger, checked as `volition ledger verify` does."""
    fault = verify(stored.path).fault
    return replace(entry, intact=fault is None, checked="chain", fault=None if fault is None else str(fault))


def _check(stored: StoredRecord, entry: RecordShape) -> RecordShape:
    """A record, checked as the command line verifies records of its kind."""
    if entry.intact is False:
        return entry
    try:
        if entry.kind == "run":
            verify_run(stored.path)
        elif entry.kind == "journal":
            verified = verify_journal(stored.path)
            if not verified.intact:
                fault = str(verified.ledger.fault) if verified.ledger.fault else str(verified.unlawful[0])
                return replace(entry, intact=False, checked="whole", fault=fault)
        elif entry.kind == "evaluation":
            verify_evaluation(stored.path)
        elif entry.kind == "ensemble":
            Ensemble(stored.path)
        elif entry.kind == "ledger":
            return _check_chain(entry, stored)
    except VolitionError as error:
        return replace(_with_fault(entry, stored, error), checked="whole")
    return replace(entry, intact=True, checked="whole")


def _journal_brief(path: Path) -> JournalBrief:
    """A journal in numbers, with the settings of its first run."""
    counted = summarise_journal(path)
    first = next((entry.record for entry in read_journal(path) if type(entry.record) is RunStart), None)
    settings = read_settings({} if first is None else first.meta)
    executor = counted.connections[0].executor if counted.connections else None
    return JournalBrief(counted.runs, counted.attempts, executor, settings.map, settings.seed, settings.goal)


def _evaluation_brief(result: EvaluationResult) -> EvaluationBrief:
    return EvaluationBrief(
        result.id,
        result.input.intent_set_id,
        result.created_at,
        result.evaluation.merge_plan.strategy,
        len(result.input.intent_checksums),
        len(result.evaluation.conflicts),
        len(result.requires_questions),
    )


def _unread(stored: StoredRecord, kind: Kind) -> RecordShape:
    home = stored.in_home
    return RecordShape(stored.id, kind, stored.path.name, stored.place, stored.bytes, stored.modified, removable=home)


def _with_fault(entry: RecordShape, stored: StoredRecord, error: VolitionError) -> RecordShape:
    problem = hide_root(error.problems[0], stored.home)
    return replace(entry, intact=False, checked="chain", fault=f"{problem.what} ({problem.where})"[:500])
