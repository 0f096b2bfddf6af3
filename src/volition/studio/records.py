"""What each record is, and whether it is as it was written; looked at again only when its files change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from volition.core.errors import VolitionError
from volition.core.ledger import Reader, verify
from volition.drama.company.ensemble import Ensemble
from volition.drama.company.ensemble.folder import Folder
from volition.drama.evening import Evening
from volition.drama.stage.archive import FORMAT
from volition.drama.stage.archive import KIND as RUN
from volition.drama.stage.interference import Interference
from volition.drama.stage.library import entry_of
from volition.drama.stage.record import RULES_VERSION
from volition.execution.journal import KIND as JOURNAL
from volition.execution.journal import Run, read_journal, summary, verify_journal
from volition.governance.keeping import check_kept, verify_evaluation
from volition.governance.loading import read_file
from volition.governance.reading import LIMITS, read_result
from volition.studio.journals import said_by
from volition.studio.memory import Memory
from volition.studio.shapes.records import EnsembleBrief, EvaluationBrief, JournalBrief, Kind, Record, RunBrief

if TYPE_CHECKING:
    from pathlib import Path

    from volition.governance.documents import EvaluationResult
    from volition.studio.shelf import Found, Shelf

QUICK: Final = 8 * 2**20
"""Records of up to so many bytes are read before they are listed."""
KEPT: Final = 4096


class Catalogue:
    """The records of a shelf, each looked at once for every state of its files."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._seen = Memory[Record](KEPT)
        self._whole = Memory[Record](KEPT)

    def begun(self, found: Found) -> Record:
        """A run that is being played here: nothing of it is read."""
        return replace(_unread(found, "run"), live=True)

    def entry(self, found: Found) -> Record:
        """What a record is, checked as far as it was checked so far."""
        key = (found.place, found.fingerprint)
        if key in self._whole:
            return self._whole.get(key, lambda: self._seen.get(key, lambda: _entry(found)))
        return self._seen.get(key, lambda: _entry(found))

    def check(self, found: Found) -> Record:
        """Check all that can be checked: a run is played again, and a journal held against its laws."""
        key = (found.place, found.fingerprint)
        entry = self.entry(found)
        return self._whole.get(key, lambda: _checked(found, entry))


def journal_summary(found: Found) -> dict[str, Any]:
    """What a journal holds, counted."""
    return summary(found.path).to_data()


def result_of(found: Found) -> EvaluationResult:
    """The result of an evaluation."""
    content = read_file(found.path / "result.json", LIMITS["evaluation_result"])
    return read_result(content, where=found.place).document


def _entry(found: Found) -> Record:
    try:
        if found.what == "evaluation":
            check_kept(found.path)
            result = result_of(found)
            return replace(_unread(found, "evaluation"), intact=True, checked="chain", evaluation=_evaluation(result))
        if found.what == "ensemble":
            return _ensemble(_unread(found, "ensemble"), Folder(found.path))
        reader = Reader(found.path)
    except VolitionError as error:
        return _faulty(_unread(found, found.what), error)
    kinds: dict[str, Kind] = {RUN: "run", JOURNAL: "journal"}
    entry = _unread(found, kinds.get(reader.header.kind, "ledger"))
    try:
        if entry.kind == "run":
            return _run(entry, found.path, reader)
        if found.bytes > QUICK:
            return replace(entry, journal=JournalBrief(None, None)) if entry.kind == "journal" else entry
        if entry.kind == "journal":
            entry = replace(entry, journal=_journal(found.path))
        return _chained(entry, found)
    except VolitionError as error:
        return _faulty(entry, error)


def _run(entry: Record, path: Path, reader: Reader) -> Record:
    """A run by its header; what it holds is counted on the way through its chain."""
    found = entry_of(path, reader)
    if reader.header.meta.get("format") != FORMAT:
        return replace(entry, fault=found.fault)
    told = [str(Interference(*one)) for one in found.interference]
    brief = RunBrief(found.scenario, found.seed, found.ticks, found.ending, found.rules, told)
    return replace(entry, run=brief, intact=found.fault is None, checked="chain", fault=found.fault)


def _chained(entry: Record, found: Found) -> Record:
    fault = verify(found.path).fault
    return replace(entry, intact=fault is None, checked="chain", fault=None if fault is None else str(fault))


def _checked(found: Found, entry: Record) -> Record:
    if entry.intact is False:
        return entry
    try:
        if entry.kind == "run":
            Evening.load(found.path).verify()
        elif entry.kind == "journal":
            told = verify_journal(found.path)
            if not told.intact:
                fault = str(told.ledger.fault) if told.ledger.fault else str(told.unlawful[0])
                return replace(entry, intact=False, checked="whole", fault=fault)
        elif entry.kind == "evaluation":
            verify_evaluation(found.path)
        elif entry.kind == "ensemble":
            Ensemble(found.path)
        elif entry.kind == "ledger":
            return _chained(entry, found)
    except VolitionError as error:
        return replace(_faulty(entry, error), checked="whole")
    return replace(entry, intact=True, checked="whole")


def _journal(path: Path) -> JournalBrief:
    """A journal in numbers, with what its first run says of itself."""
    told = summary(path)
    first = next((entry.record for entry in read_journal(path) if type(entry.record) is Run), None)
    said = said_by({} if first is None else first.meta)
    executor = told.connections[0].executor if told.connections else None
    return JournalBrief(told.runs, told.attempts, executor, said["map"], said["seed"], said["goal"])


def _ensemble(entry: Record, folder: Folder) -> Record:
    """An ensemble by its manifest; its evenings are checked where the whole record is."""
    said = folder.manifest()
    plan = folder.plan()
    brief = EnsembleBrief(plan.scenario.id, plan.size, len(plan.points), list(plan.names), folder.finished)
    if said["plan"]["rules"] != RULES_VERSION:
        return replace(entry, ensemble=brief, fault="it was played by other rules")
    return replace(entry, ensemble=brief)


def _evaluation(result: EvaluationResult) -> EvaluationBrief:
    return EvaluationBrief(
        result.id,
        result.input.intent_set_id,
        result.created_at,
        result.evaluation.merge_plan.strategy,
        len(result.input.intent_checksums),
        len(result.evaluation.conflicts),
        len(result.requires_questions),
    )


def _unread(found: Found, kind: Kind) -> Record:
    return Record(
        id=found.id,
        kind=kind,
        name=found.path.name,
        place=found.place,
        bytes=found.bytes,
        modified=found.modified,
        live=False,
        intact=None,
        checked="nothing",
        fault=None,
    )


def _faulty(entry: Record, error: VolitionError) -> Record:
    problem = error.problems[0]
    return replace(entry, intact=False, checked="chain", fault=f"{problem.what} ({problem.where})"[:500])
