"""Backups: the events of a registry as one sealed file, from which everything else follows.

Each line is a JSON object: first what the file is, then every event with its hash and signature, and last a seal: the hash of
all lines before it and, for each project, how many events there are, the hash of the last one, and a hash over all rows. The
tables themselves are not in it: they follow from the events by the law, and the seal tells whether they are the same.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace
from sqlalchemy import select

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput, refuse
from volition.core.folder import replace_file, sync_folder
from volition.workflow.law.members import settings_of
from volition.workflow.store.rows import KINDS, FlowRow, values_of
from volition.workflow.store.tables import EVENT, PROJECT, TABLES
from volition.workflow.verification.replay import EventReplay
from volition.workflow.verification.tables import table_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Row

    from volition.workflow.store.database import Store
    from volition.workflow.store.rows import MemoryRows

FORMAT: Final = "volition backup"
VERSION: Final = 1
_COLUMNS: Final = tuple(str(column.name) for column in EVENT.c)


@dataclass(frozen=True, slots=True)
class BackedUpProject:
    """A project in a backup: its name, how many events it has, the hash of the last one, and a hash over all of its rows."""

    project: str
    events: int
    head: str
    rows: str

    def to_data(self) -> dict[str, Any]:
        return {"project": self.project, "events": self.events, "head": self.head, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What was written, and what was wrong with the registry at that moment: a broken record is backed up as it is."""

    file: str
    sha256: str
    projects: tuple[BackedUpProject, ...]
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
    if os.path.lexists(file):
        refuse("this name is taken", where=str(file), expected="a new file", remedy="choose another name for it")
    lines, made, faults = list[bytes](), list[BackedUpProject](), list[str]()
    with store.read() as connection:
        at = store.clock(connection)
        head = {
            "format": FORMAT,
            "version": VERSION,
            "at": at,
            "registry": str(store.address),
            "projects": list(projects),
        }
        lines.append(_line(head))
        for project in projects:
            wanted = select(EVENT).where(EVENT.c.project == project).order_by(EVENT.c.seq)
            lines += [_line({name: getattr(row, name) for name in _COLUMNS}) for row in connection.execute(wanted)]
            found = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).one()
            made.append(BackedUpProject(project, found.seq, found.head, rows_digest(stored_rows(connection, project))))
            faults += _faults(connection, project, at, found)
    seal = sha256(b"".join(lines)).hexdigest()
    lines.append(_line({"seal": seal, "projects": [each.to_data() for each in made]}))
    _write(file, b"".join(lines))
    return BackupReport(str(file), seal, tuple(made), tuple(faults))


def _line(data: dict[str, Any]) -> bytes:
    return canonical(data) + b"\n"


def _write(file: Path, content: bytes) -> None:
    try:
        replace_file(file, content)
        sync_folder(file.absolute().parent)
    except OSError as error:
        refuse(
            f"it cannot be written: {error.strerror}", where=str(file), expected="a new file in a folder that may be written",
            remedy="choose another place",
        )  # fmt: skip


def _faults(connection: Connection, project: str, now: int, row: Row[Any]) -> list[str]:
    replay = replayed_rows(connection, project, now)
    faults = list(replay.faults) or [*replay.end_faults(row), *table_faults(connection, replay.rows)]
    return [f"{project}: {fault}" for fault in faults]


def replayed_rows(connection: Connection, project: str, now: int) -> EventReplay:
    """Everything that follows from the events of a project in a database."""
    replay = EventReplay(project, now, None, {})
    replay.read(connection)
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


def memory_rows(rows: MemoryRows) -> Iterable[tuple[str, dict[str, Any]]]:
    """Every row in memory, with the name of its table."""
    return [(kind.TABLE, values_of(row)) for kind in KINDS for row in rows.all(kind)]


def rows_digest(rows: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """One hash over rows, whatever their order."""
    return sha256(b"\n".join(sorted(canonical([table, row]) for table, row in rows))).hexdigest()


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds, after its seal was found intact."""

    file: str
    sha256: str
    projects: tuple[BackedUpProject, ...]
    events: dict[str, list[dict[str, Any]]]
    """The rows of the table of events, by project."""


def read_backup(file: Path) -> Backup:
    """Read a backup; InvalidInput if it is none, BrokenRecord if it was changed or cut off."""
    try:
        lines = file.read_bytes().splitlines(keepends=True)
    except OSError as error:
        refuse(f"it cannot be read: {error.strerror}", where=str(file), expected="a backup", remedy="check the name")
    try:
        first, *middle, last = [parse_json(line, where=f"line {number}") for number, line in enumerate(lines, 1)]
        given = first["format"], first["version"]
    except (InvalidInput, ValueError, KeyError, TypeError):
        given = ("", 0)
    if given[0] != FORMAT:
        refuse("this is not a backup", where=str(file), expected="a file of `volition team backup`", remedy="name one")
    if given[1] != VERSION:
        refuse(f"its version is {given[1]}", where=str(file), expected=str(VERSION), remedy="use a newer program")
    sealed = sha256(b"".join(lines[:-1])).hexdigest()
    if not isinstance(last, dict) or last.get("seal") != sealed:
        raise BrokenRecord.of(
            "its seal does not fit: it was changed, or cut off", where=str(file), expected=f"a seal of {sealed[:16]}...",
            remedy="take another copy of it",
        )  # fmt: skip
    events: dict[str, list[dict[str, Any]]] = {name: [] for name in first["projects"]}
    for event in middle:
        events[event["project"]].append(event)
    return Backup(str(file), sealed, tuple(BackedUpProject(**each) for each in last["projects"]), events)
