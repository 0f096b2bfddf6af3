"""Backups: the events of a registry as one sealed file, from which everything else follows, and the way back.

The tables themselves are not in it: they follow from the events by the law, and the seal tells whether they are the same. Where the
first events are in an archive, the backup holds the checkpoint instead of them.

What happened after a backup that is restored is lost here, and not elsewhere: executors have seen higher numbers, and may have done
more than the events tell. So a restored project begins an epoch, in which every number is above all that were given before; and the
flows that were under way are abandoned, unless somebody who knows that all of its executors remember their requests keeps them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict, replace
from sqlalchemy import Connection, delete, insert, select

from volition.core.errors import BrokenRecord, did_you_mean, refuse
from volition.core.typed import DataStruct
from volition.workflow.law.members import settings_of
from volition.workflow.law.states import DRIVEN
from volition.workflow.law.transaction import ProjectTransaction
from volition.workflow.store.events import CLOCK, stored_events
from volition.workflow.store.files import (
    BACKUP,
    ProjectEnd,
    find_checkpoint,
    read_sealed,
    refuse_taken,
    rows_digest,
    write_sealed,
)
from volition.workflow.store.rows import KINDS, CheckpointRow, EventRow, FlowRow, ProjectRow, StoredRow
from volition.workflow.store.sql_rows import SqlRows, rows_of_project
from volition.workflow.store.tables import CHECKPOINT, EVENT, TABLES, of_project
from volition.workflow.team.guard_index import index_file
from volition.workflow.verification.replay import EventReplay
from volition.workflow.verification.tables import table_faults
from volition.workflow.verification.verify import replay_registry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Table

    from volition.workflow.store.database import Store
    from volition.workflow.store.files import SealedFile


class BackupReport(DataStruct, frozen=True):
    """What was written, and what was wrong with the registry at that moment: a broken record is backed up as it is."""

    file: str
    sha256: str
    projects: tuple[ProjectEnd, ...]
    faults: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.file}: {len(self.projects)} project{'s' * (len(self.projects) != 1)}, sealed {self.sha256}"]
        lines += [f"  {each.project}: anchor {each.events}:{each.head}" for each in self.projects]
        return "\n".join([*lines, *(f"  broken: {fault}" for fault in self.faults)])


def write_backup(store: Store, file: Path, projects: Sequence[str]) -> BackupReport:
    """Write a backup of some projects, all as of one moment, while others go on; it is there as a whole or not at all."""
    refuse_taken(file)
    lines, ends, faults = list[CheckpointRow | EventRow](), list[ProjectEnd](), list[str]()
    with store.read() as connection:
        at = store.clock(connection)
        head = {"format": BACKUP, "at": at, "registry": str(store.address), "projects": list(projects)}
        for project in projects:
            checkpoint = find_checkpoint(connection, project)
            lines += [checkpoint] if checkpoint is not None else []
            lines += stored_events(connection, project)
            rows = [row for kind in KINDS for row in rows_of_project(connection, project, kind)]
            (stored,) = (row for row in rows if isinstance(row, ProjectRow))
            ends.append(ProjectEnd(project, stored.seq, stored.head, rows_digest(rows)))
            faults += _faults(connection, project, at, stored)
    seal = write_sealed(file, head, lines, ends)
    return BackupReport(str(file), seal, tuple(ends), tuple(faults))


def _faults(connection: Connection, project: str, now: int, stored: ProjectRow) -> list[str]:
    replay = replayed_rows(connection, project, now)
    faults = list(replay.faults) or [
        *replay.end_faults(stored.seq, stored.head),
        *table_faults(connection, replay.rows),
    ]
    return [f"{project}: {fault}" for fault in faults]


def replayed_rows(connection: Connection, project: str, now: int) -> EventReplay:
    """Everything that follows from the events of a project in a database."""
    replay = replay_registry(connection, project, partial(EventReplay, project, now, None, {}))
    replay.rows.put(replace(settings_of(replay.rows), seq=replay.seq, head=replay.head, at=replay.at))
    return replay


def read_backup(file: Path) -> SealedFile:
    """Read a backup; InvalidInput if it is none, BrokenRecord if it was changed or cut off."""
    return read_sealed(file, BACKUP)


EPOCH_BEGIN: Final = 1_767_225_600_000
"""The first minute of 2026. Epochs are minutes since then, so that a backup which is restored twice does not begin the same one."""
_AT_ONCE: Final = 500
"""How many rows are written with one statement."""


class RestoredProject(DataStruct, frozen=True):
    """A project that was restored. `abandoned` are the flows that were under way; `differs` tells that the tables, when they were
    backed up, were not what the events say: those that were restored are."""

    project: str
    events: int
    epoch: int
    abandoned: tuple[str, ...]
    differs: bool

    def __str__(self) -> str:
        lines = [f"{self.project}: {self.events} events, epoch {self.epoch}"]
        lines += [f"  abandoned: {flow}; look what was done of it since" for flow in self.abandoned]
        wrong = "  the tables were not what the events say when they were backed up; they are now"
        return "\n".join([*lines, *([wrong] if self.differs else [])])


def restore_backup(
    store: Store,
    backup: SealedFile,
    by: str,
    *,
    projects: Sequence[str] = (),
    replace: bool = False,
    keep_flows: bool = False,
) -> tuple[RestoredProject, ...]:
    """Restore all projects of a backup, or some, as their keeper; all of them or none.

    A project that the registry has already is refused, unless `replace`.
    """
    chosen = _choose(backup, projects)
    signer = store.signer
    with store.write() as connection:
        now, restored = store.clock(connection), []
        for each in chosen:
            before = _make_room(connection, each.project, replace=replace)
            rows, differs = _bring_back(connection, backup, each, now)
            epoch = max(rows.epoch, before, (now - EPOCH_BEGIN) // 60_000 - 1) + 1
            transaction = ProjectTransaction(
                connection, each.project, now, rows.seq, rows.head, rows.at, signer, SqlRows(connection, each.project)
            )
            abandoned = _begin(transaction, epoch, by, backup.sha256, keep_flows=keep_flows)
            restored.append(RestoredProject(each.project, each.events, epoch, abandoned, differs))
    index_file(store.address).unlink(missing_ok=True)  # the next guard makes another one
    return tuple(restored)


def _choose(backup: SealedFile, projects: Sequence[str]) -> list[ProjectEnd]:
    known = [each.project for each in backup.projects]
    for name in projects:
        if name not in known:
            refuse(
                f"there is no project {name!r}", where=backup.file, expected="a project of the backup",
                remedy=did_you_mean(name, known),
            )  # fmt: skip
    return [each for each in backup.projects if not projects or each.project in projects]


def _make_room(connection: Connection, project: str, *, replace: bool) -> int:
    """Remove what a registry has of a project; the epoch that it had."""
    table = TABLES[ProjectRow]
    project_row = connection.execute(select(table).where(table.c.project == project).with_for_update()).first()
    if project_row is None:
        return 0
    if not replace:
        refuse(
            f"the registry has the project {project}, with {project_row.seq} events", where="registry",
            expected="a registry without it", remedy="name another registry, or give up what is here with --replace",
        )  # fmt: skip
    for each in (*(TABLES[kind] for kind in reversed(KINDS)), EVENT, CHECKPOINT):
        connection.execute(delete(each).where(of_project(each, project)))
    return int(project_row.epoch)


def _bring_back(connection: Connection, backup: SealedFile, each: ProjectEnd, now: int) -> tuple[ProjectRow, bool]:
    """Write the events and, by the law, all rows; and say whether the rows are others than those that were backed up."""
    events = backup.events[each.project]
    if each.project in backup.checkpoints:
        connection.execute(insert(CHECKPOINT), asdict(backup.checkpoints[each.project]))
    _insert(connection, EVENT, events)
    # The clock of this machine may be behind: what comes next says that it was set back.
    latest = max((event.at for event in events), default=0)
    replay = replayed_rows(connection, each.project, max(now, latest))
    faults = list(replay.faults)
    if not faults and (replay.seq, replay.head) != (each.events, each.head):
        faults.append(f"it counts {each.events} events, and {replay.seq} are here")
    if faults:
        raise BrokenRecord.of(
            f"the events of {each.project} do not follow from each other: {faults[0]}", where=backup.file,
            expected="events that `volition flow verify` found intact", remedy="restore another backup",
        )  # fmt: skip
    for kind in KINDS:
        _insert(connection, TABLES[kind], replay.rows.all(kind))
    project = replay.rows.find(ProjectRow)
    assert project is not None
    return project, rows_digest(replay.rows.every()) != each.rows


def _insert(connection: Connection, table: Table, rows: Sequence[StoredRow]) -> None:
    for first in range(0, len(rows), _AT_ONCE):
        connection.execute(insert(table), [asdict(row) for row in rows[first : first + _AT_ONCE]])


def _begin(transaction: ProjectTransaction, epoch: int, by: str, seal: str, *, keep_flows: bool) -> tuple[str, ...]:
    """Begin the epoch, and abandon what was under way: nobody knows what was done of it after the backup."""
    if transaction.now < transaction.before:
        transaction.record("set back", transaction.project, CLOCK)
    transaction.record("restored", transaction.project, by, epoch=epoch, backup=seal)
    abandoned = []
    for flow in transaction.rows.all(FlowRow):
        if flow.state in DRIVEN and not keep_flows:
            transaction.record("abandoned", flow.flow_id, by, why="the registry was restored from a backup")
            abandoned.append(flow.flow_id)
    transaction.flush()
    return tuple(abandoned)
