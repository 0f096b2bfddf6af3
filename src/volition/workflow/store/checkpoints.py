"""Checkpoints: all rows of a project after one event as a text, so that the events up to it can be kept elsewhere."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import Connection, select

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.typed import convert
from volition.workflow.store.events import read_event
from volition.workflow.store.rows import KINDS, CheckpointRow, FlowRow, ProjectRow, values_of
from volition.workflow.store.tables import CHECKPOINT, EVENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import MemoryRows, StoredRow

_BY_TABLE: Final = {kind.TABLE: kind for kind in KINDS}


def memory_rows(rows: MemoryRows) -> Iterable[tuple[str, dict[str, Any]]]:
    """Every row in memory, with the name of its table."""
    return [(kind.TABLE, values_of(row)) for kind in KINDS for row in rows.all(kind)]


def rows_text(rows: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """Rows as one text, whatever their order: a line of canonical JSON for each."""
    return b"\n".join(sorted(canonical([table, row]) for table, row in rows)).decode()


def text_digest(text: str) -> str:
    """The hash of rows that were written as a text."""
    return sha256(text.encode()).hexdigest()


def rows_digest(rows: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """One hash over rows, whatever their order."""
    return text_digest(rows_text(rows))


def make_checkpoint(rows: MemoryRows) -> CheckpointRow:
    """The checkpoint after the last event of which rows in memory tell."""
    project = rows.find(ProjectRow)
    assert project is not None
    return CheckpointRow(
        project=rows.project, head=project.head, rows=rows_text(memory_rows(rows)), through=project.seq
    )


def checkpoint_rows(checkpoint: CheckpointRow) -> list[StoredRow]:
    """The rows in a checkpoint, that of the project first; BrokenRecord if they are none, or of another moment."""
    try:
        found = [_row(line) for line in checkpoint.rows.split("\n")]
        (project,) = (row for row in found if isinstance(row, ProjectRow))
    except (InvalidInput, msgspec.ValidationError, ValueError, KeyError, TypeError) as error:
        raise _changed_checkpoint(checkpoint, "its rows cannot be read") from error
    if (project.project, project.seq, project.head) != (checkpoint.project, checkpoint.through, checkpoint.head):
        raise _changed_checkpoint(checkpoint, f"its rows are those after event {project.seq}")
    return [project, *(row for row in found if row is not project)]


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
    found = connection.execute(select(CHECKPOINT).where(CHECKPOINT.c.project == project)).mappings().first()
    return None if found is None else CheckpointRow(**found)


def find_archived_flow(connection: Connection, project: str, flow_id: str) -> FlowRow | None:
    """A flow as it was when the last archive ended."""
    checkpoint = find_checkpoint(connection, project)
    rows = checkpoint_rows(checkpoint) if checkpoint is not None else []
    return next((row for row in rows if isinstance(row, FlowRow) and row.flow_id == flow_id), None)


def find_archiving(connection: Connection, project: str) -> RecordedEvent | None:
    """The event that tells of the last archive of a project; None if all events are here."""
    wanted = select(EVENT).where(EVENT.c.project == project, EVENT.c.what == "archived").order_by(EVENT.c.seq.desc())
    row = connection.execute(wanted.limit(1)).first()
    return None if row is None else read_event(row)
