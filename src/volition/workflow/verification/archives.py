"""Whether archives are what the record says of them: where each ends, with which hash, and with which rows.

A registry of which events were archived begins with a checkpoint: the rows after the last of them. A keeper has signed its hash
with the `archived` event. The archives themselves, if they are given, let everything happen from the first event on.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, select

from volition.core.document import parse_json
from volition.core.errors import InvalidInput, VolitionError
from volition.workflow.store.checkpoints import make_checkpoint, memory_rows, rows_digest, text_digest
from volition.workflow.store.sealed import ARCHIVE, SealedFile, read_sealed
from volition.workflow.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import CheckpointRow
    from volition.workflow.verification.replay import EventReplay
    from volition.workflow.verification.replayed import ReplayedRows

    ReplayMaker = Callable[[CheckpointRow | None], EventReplay]


class _ArchiveEnd(NamedTuple):
    """What is known of a project after the last event of an archive; the seal only if the file was given."""

    head: str
    rows: str
    seal: str


class ArchiveCheck:
    """Follows where archives end in a replay, and what `archived` events say of them."""

    def __init__(self, rows: ReplayedRows) -> None:
        self._rows = rows
        self._ends: dict[int, _ArchiveEnd] = {}
        self.told: set[int] = set()
        """Where archives end of which an event tells."""

    def mark(self, seq: int, head: str, seal: str) -> None:
        """An archive ends here."""
        self._ends[seq] = _ArchiveEnd(head, rows_digest(memory_rows(self._rows)), seal)

    def fault(self, event: RecordedEvent) -> str:
        """What a lawful event says of an archive that is not so; empty if there is nothing."""
        if event.what != "archived":
            return ""
        body, through = event.body, event.body["through"]
        self.told.add(through)
        end = self._ends.get(through)
        if end is None:
            return f"event {through} is still here" if through > self._rows.began else ""
        if body["head"] != end.head:
            return f"the archive ends with the hash {end.head[:16]}..., and not with {body['head'][:16]}..."
        if body["rows"] != end.rows:
            return f"the rows after event {through} have the hash {end.rows[:16]}..., and not {body['rows'][:16]}..."
        if end.seal and body["seal"] != end.seal:
            return f"the archive has the seal {end.seal[:16]}..., and not {body['seal'][:16]}..."
        return ""


def checkpoint_fault(connection: Connection, checkpoint: CheckpointRow) -> str:
    """Why a checkpoint is not the one that a keeper has signed; empty if it is. Whether that event is lawful, the replay says."""
    wanted = select(EVENT).where(EVENT.c.project == checkpoint.project, EVENT.c.what == "archived")
    through, found = checkpoint.through, text_digest(checkpoint.rows)
    for row in connection.execute(wanted.order_by(EVENT.c.seq.desc())):
        said = _said(row.body)
        if said.get("through") == through:
            if (said.get("head"), said.get("rows")) == (checkpoint.head, found):
                return ""
            told = f"{str(said.get('rows'))[:16]}... by event {row.seq} (archived, by {row.actor})"
            return f"the checkpoint after event {through} was changed: its rows have the hash {found[:16]}...; expected {told}"
    return f"events up to {through} are missing; expected an event that says in which archive they are"


def _said(body: object) -> dict[str, Any]:
    try:
        found = parse_json(str(body))
    except InvalidInput:
        return {}
    return found if isinstance(found, dict) else {}


def read_archives(files: Iterable[Path], project: str) -> tuple[list[SealedFile], list[str]]:
    """The archives of a project in their order, and what is wrong with those that cannot be read."""
    found, faults = list[SealedFile](), list[str]()
    for file in files:
        try:
            made = read_sealed(file, ARCHIVE)
        except VolitionError as error:
            problem = error.problems[0]
            faults.append(f"the archive {file}: {problem.what}; expected {problem.expected}")
            continue
        if project in made.events:
            found.append(made)
        else:
            faults.append(f"the archive {file} is of {', '.join(made.events)}; expected one of {project}")
    return sorted(found, key=lambda made: _begin_of(made, project)), faults


def replay_archives(archives: Sequence[SealedFile], project: str, make: ReplayMaker) -> EventReplay:
    """Let the events of archives happen, one archive after the other, until something is a fault."""
    replay = make(archives[0].checkpoints.get(project))
    for place, archive in enumerate(archives):
        if not replay.faults and place:
            replay.faults += _gap_faults(archive, replay)
        if not replay.faults:
            replay.read(SimpleNamespace(**event) for event in archive.events[project])
            replay.mark(archive.sha256)
            replay.faults += _seal_faults(archive, replay)
        if replay.faults:
            replay.faults[:] = [f"the archive {archive.file}: {fault}" for fault in replay.faults]
            break
    return replay


def _begin_of(archive: SealedFile, project: str) -> int:
    return archive.checkpoints[project].through if project in archive.checkpoints else 0


def _gap_faults(archive: SealedFile, replay: EventReplay) -> list[str]:
    begin = _begin_of(archive, replay.project)
    if begin != replay.seq:
        return [f"it begins after event {begin}; expected one that begins after event {replay.seq}"]
    return continuation_faults(archive.checkpoints[replay.project], replay)


def continuation_faults(checkpoint: CheckpointRow | None, replay: EventReplay) -> list[str]:
    """Why what begins with a checkpoint does not go on where a replay ends."""
    begin = checkpoint.through if checkpoint is not None else 0
    if checkpoint is None or begin != replay.seq:
        return [f"the archives end with event {replay.seq}, and what follows begins after event {begin}; expected all"]
    if checkpoint.head != replay.head:
        wrong = f"event {begin} has the hash {replay.head[:16]}..."
        return [f"it is another archive than the one that was made: {wrong}; expected {checkpoint.head[:16]}..."]
    if checkpoint.rows != make_checkpoint(replay.rows).rows:
        return [f"the checkpoint after event {begin} was changed; expected the rows to which the archive leads"]
    return []


def _seal_faults(archive: SealedFile, replay: EventReplay) -> list[str]:
    """What the last line of an archive says of it that is not so."""
    (sealed,) = (each for each in archive.projects if each.project == replay.project)
    found = rows_digest(memory_rows(replay.rows))
    if replay.faults or (sealed.events, sealed.head, sealed.rows) == (replay.seq, replay.head, found):
        return []
    return [f"its last line tells of {sealed.events} events; expected {replay.seq}, with their hash and rows"]
