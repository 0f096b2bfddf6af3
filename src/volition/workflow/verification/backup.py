"""Backups: the events of a registry as one sealed file, from which everything else follows.

The tables themselves are not in it: they follow from the events by the law, and the seal tells whether they are the same. Where the
first events are in an archive, the backup holds the checkpoint instead of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from sqlalchemy import select

from volition.workflow.law.members import settings_of
from volition.workflow.store.checkpoints import find_checkpoint, rows_digest
from volition.workflow.store.events import stored_events
from volition.workflow.store.rows import KINDS, FlowRow
from volition.workflow.store.sealed import (
    BACKUP,
    SealedProject,
    checkpoint_line,
    event_line,
    read_sealed,
    refuse_taken,
    write_sealed,
)
from volition.workflow.store.tables import PROJECT, TABLES
from volition.workflow.verification.replay import EventReplay
from volition.workflow.verification.tables import table_faults
from volition.workflow.verification.verify import replay_registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Row

    from volition.workflow.store.database import Store
    from volition.workflow.store.sealed import SealedFile


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What was written, and what was wrong with the registry at that moment: a broken record is backed up as it is."""

    file: str
    sha256: str
    projects: tuple[SealedProject, ...]
    faults: tuple[str, ...]

    def to_data(self) -> dict[str, Any]:
        return {
            "file": self.file, "sha256": self.sha256, "projects": [each.to_data() for each in self.projects],
            "faults": list(self.faults),
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.file}: {len(self.projects)} project{'s' * (len(self.projects) != 1)}, sealed {self.sha256}"]
        lines += [f"  {each.project}: anchor {each.events}:{each.head}" for each in self.projects]
        return "\n".join([*lines, *(f"  broken: {fault}" for fault in self.faults)])


def write_backup(store: Store, file: Path, projects: Sequence[str]) -> BackupReport:
    """Write a backup of some projects, all as of one moment, while others go on; it is there as a whole or not at all."""
    refuse_taken(file)
    lines, made, faults = list[bytes](), list[SealedProject](), list[str]()
    with store.read() as connection:
        at = store.clock(connection)
        head = {"format": BACKUP, "at": at, "registry": str(store.address), "projects": list(projects)}
        for project in projects:
            checkpoint = find_checkpoint(connection, project)
            lines += [checkpoint_line(checkpoint)] if checkpoint is not None else []
            lines += [event_line(row) for row in stored_events(connection, project)]
            found = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).one()
            made.append(SealedProject(project, found.seq, found.head, rows_digest(stored_rows(connection, project))))
            faults += _faults(connection, project, at, found)
    seal = write_sealed(file, head, lines, made)
    return BackupReport(str(file), seal, tuple(made), tuple(faults))


def _faults(connection: Connection, project: str, now: int, row: Row[Any]) -> list[str]:
    replay = replayed_rows(connection, project, now)
    faults = list(replay.faults) or [*replay.end_faults(row), *table_faults(connection, replay.rows)]
    return [f"{project}: {fault}" for fault in faults]


def replayed_rows(connection: Connection, project: str, now: int) -> EventReplay:
    """Everything that follows from the events of a project in a database."""
    replay = replay_registry(connection, project, partial(EventReplay, project, now, None, {}))
    replay.rows.put(replace(settings_of(replay.rows), seq=replay.seq, head=replay.head, at=replay.at))
    return replay


def stored_rows(connection: Connection, project: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """Every row of a project in a database, with the name of its table."""
    flows = TABLES[FlowRow]
    mine = select(flows.c.flow_id).where(flows.c.project == project)
    for kind in KINDS:
        table = TABLES[kind]
        wanted = table.c.project == project if "project" in table.c else table.c.flow_id.in_(mine)
        for row in connection.execute(select(table).where(wanted)).mappings():
            yield kind.TABLE, {str(name): value for name, value in row.items()}


def read_backup(file: Path) -> SealedFile:
    """Read a backup; InvalidInput if it is none, BrokenRecord if it was changed or cut off."""
    return read_sealed(file, BACKUP)
