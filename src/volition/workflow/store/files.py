"""Rows and events of a registry outside of its tables: checkpoints, and sealed files for backups and archives.

A checkpoint is all rows of a project after one event as a text, so that the events up to it can be kept elsewhere.

Each line of a sealed file is a JSON object: first what the file is; then, for each project, a checkpoint where its first events are
in an archive, and every event with its hash and signature; and last the seal, which is the hash of everything before it, with how
many events each project has, the hash of the last one, and a hash over all rows after it.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import asdict
from sqlalchemy import Connection, select

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput, refuse
from volition.core.folder import replace_file, sync_folder
from volition.core.typed import convert
from volition.workflow.store.rows import KINDS, CheckpointRow, EventRow, FlowRow, ProjectRow
from volition.workflow.store.tables import CHECKPOINT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from volition.workflow.store.rows import MemoryRows, StoredRow

BACKUP: Final = "volition backup"
ARCHIVE: Final = "volition archive"
VERSION: Final = 1
_COMMANDS: Final = {BACKUP: "volition team backup", ARCHIVE: "volition team archive"}
_BY_TABLE: Final = {kind.TABLE: kind for kind in KINDS}


# Checkpoints.


def rows_text(rows: Iterable[StoredRow]) -> str:
    """Rows as one text, whatever their order: a line of canonical JSON for each."""
    return b"\n".join(sorted(canonical([row.TABLE, asdict(row)]) for row in rows)).decode()


def text_digest(text: str) -> str:
    """The hash of rows that were written as a text."""
    return sha256(text.encode()).hexdigest()


def rows_digest(rows: Iterable[StoredRow]) -> str:
    """One hash over rows, whatever their order."""
    return text_digest(rows_text(rows))


def make_checkpoint(rows: MemoryRows) -> CheckpointRow:
    """The checkpoint after the last event of which rows in memory tell."""
    project = rows.find(ProjectRow)
    assert project is not None
    return CheckpointRow(project=rows.project, head=project.head, rows=rows_text(rows.every()), through=project.seq)


def checkpoint_rows(checkpoint: CheckpointRow) -> list[StoredRow]:
    """The rows in a checkpoint, that of the project first; BrokenRecord if they are none, or of another moment."""
    try:
        rows = [_row(line) for line in checkpoint.rows.split("\n")]
        (project,) = (row for row in rows if isinstance(row, ProjectRow))
    except (InvalidInput, msgspec.ValidationError, ValueError, KeyError, TypeError) as error:
        raise _changed_checkpoint(checkpoint, "its rows cannot be read") from error
    if (project.project, project.seq, project.head) != (checkpoint.project, checkpoint.through, checkpoint.head):
        raise _changed_checkpoint(checkpoint, f"its rows are those after event {project.seq}")
    return [project, *(row for row in rows if row is not project)]


def _row(line: str) -> StoredRow:
    table, values = parse_json(line)
    return convert(values, _BY_TABLE[table])


def _changed_checkpoint(checkpoint: CheckpointRow, what: str) -> BrokenRecord:
    return BrokenRecord.of(
        f"the checkpoint after event {checkpoint.through} was changed: {what}",
        where=checkpoint.project,
        expected="all rows of the project after that event",
        remedy="restore a backup",
    )


def find_checkpoint(connection: Connection, project: str) -> CheckpointRow | None:
    """Where the events of a project begin that are here; None if all of them are."""
    row = connection.execute(select(CHECKPOINT).where(CHECKPOINT.c.project == project)).mappings().first()
    return None if row is None else CheckpointRow(**row)


def find_archived_flow(connection: Connection, project: str, flow_id: str) -> FlowRow | None:
    """A flow as it was when the last archive ended."""
    checkpoint = find_checkpoint(connection, project)
    rows = checkpoint_rows(checkpoint) if checkpoint is not None else []
    return next((row for row in rows if isinstance(row, FlowRow) and row.flow_id == flow_id), None)


# Sealed files.


class ProjectEnd(msgspec.Struct, frozen=True):
    """Where a project ends in a sealed file: how many events it has had, the hash of the last one, and a hash over all of its
    rows after it."""

    project: str
    events: int
    head: str
    rows: str


class SealedFile(msgspec.Struct, frozen=True):
    """What a backup or an archive holds, after its seal was found intact."""

    file: str
    sha256: str
    at: int
    """When it was written, by the clock of the registry."""
    projects: tuple[ProjectEnd, ...]
    events: dict[str, list[EventRow]]
    """The events by project."""
    checkpoints: dict[str, CheckpointRow]
    """After what the events of a project begin, where they do not begin with the first one."""


def write_sealed(
    file: Path, head: dict[str, Any], rows: Iterable[CheckpointRow | EventRow], projects: Iterable[ProjectEnd]
) -> str:
    """Write a new file, which is there as a whole and durable, or not at all; its seal."""
    lines = (asdict(row) if isinstance(row, EventRow) else {"checkpoint": asdict(row)} for row in rows)
    content = b"".join(map(_line, [head | {"version": VERSION}, *lines]))
    seal = sha256(content).hexdigest()
    content += _line({"seal": seal, "projects": [asdict(end) for end in projects]})
    refuse_taken(file)
    try:
        replace_file(file, content)
        sync_folder(file.absolute().parent)
    except OSError as error:
        refuse(
            f"it cannot be written: {error.strerror}", where=str(file), expected="a new file in a folder that may be written",
            remedy="choose another place",
        )  # fmt: skip
    return seal


def refuse_taken(file: Path) -> None:
    """Refuse a name under which there is something."""
    if os.path.lexists(file):
        refuse("this name is taken", where=str(file), expected="a new file", remedy="choose another name for it")


def read_sealed(file: Path, form: str) -> SealedFile:
    """Read a sealed file; InvalidInput if it is none of this form, BrokenRecord if it was changed or cut off."""
    noun = form.removeprefix("volition ")
    try:
        lines = file.read_bytes().splitlines(keepends=True)
    except OSError as error:
        refuse(f"it cannot be read: {error.strerror}", where=str(file), expected=f"a file of `{_COMMANDS[form]}`", remedy="check the name")  # fmt: skip
    try:
        first, *middle, last = [parse_json(line, where=f"line {number}") for number, line in enumerate(lines, 1)]
        format, version = first["format"], first["version"]
    except (InvalidInput, ValueError, KeyError, TypeError):
        format, version = "", 0
    if format != form:
        article = "an" if noun[0] in "aeiou" else "a"
        refuse(f"this is not {article} {noun}", where=str(file), expected=f"a file of `{_COMMANDS[form]}`", remedy="name one")  # fmt: skip
    if version != VERSION:
        refuse(f"its version is {version}", where=str(file), expected=str(VERSION), remedy="use a newer program")
    seal = sha256(b"".join(lines[:-1])).hexdigest()
    if not isinstance(last, dict) or last.get("seal") != seal:
        raise _changed_file(file, "its seal does not fit: it was changed, or cut off", f"a seal of {seal[:16]}...")
    try:
        return _sealed_file(str(file), seal, first, middle, last)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError):
        raise _changed_file(file, "its lines cannot be read: it was changed", "checkpoints and events") from None


def _sealed_file(
    file: str, seal: str, first: dict[str, Any], middle: list[dict[str, Any]], last: dict[str, Any]
) -> SealedFile:
    events: dict[str, list[EventRow]] = {name: [] for name in first["projects"]}
    checkpoints = {}
    for line in middle:
        if "checkpoint" in line:
            checkpoint = convert(line["checkpoint"], CheckpointRow)
            checkpoints[checkpoint.project] = checkpoint
        else:
            # Values of other types are left to verification, which names them.
            events[line["project"]].append(EventRow(**{name: line[name] for name in EventRow.__struct_fields__}))
    projects = convert(last["projects"], tuple[ProjectEnd, ...])
    if [end.project for end in projects] != list(events) or not checkpoints.keys() <= events.keys():
        raise ValueError
    return SealedFile(file, seal, int(first["at"]), projects, events, checkpoints)


def _changed_file(file: Path, what: str, expected: str) -> BrokenRecord:
    return BrokenRecord.of(what, where=str(file), expected=expected, remedy="take another copy of it")


def _line(data: dict[str, Any]) -> bytes:
    return canonical(data) + b"\n"
