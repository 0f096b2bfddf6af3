"""The rows that follow from the events of a project, which event each is from, and whether the tables hold exactly these."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from volition.core.errors import format_value
from volition.workflow.store.rows import KINDS, FlowRow, MemoryRows, ProjectRow, StoredRow
from volition.workflow.store.sql_rows import rows_of_project
from volition.workflow.store.tables import CHECKPOINT, EVENT, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Select, Table

    from volition.workflow.store.events import RecordedEvent


class ReplayedRows(MemoryRows):
    """Rows in memory; what the event that happens now has put is in `changed`."""

    def __init__(self, project: str) -> None:
        super().__init__(project)
        self.changed: list[StoredRow] = []
        self.began = 0
        """The event after which the replay begins, with the rows of a checkpoint."""
        self._event: RecordedEvent | None = None
        self._events: dict[tuple[type[StoredRow], tuple[str, ...]], RecordedEvent] = {}

    def begin(self, event: RecordedEvent) -> None:
        """Let another event happen."""
        self._event = event
        self.changed.clear()

    def put(self, row: StoredRow) -> None:
        super().put(row)
        self.changed.append(row)
        if self._event is not None:
            self._events[type(row), row.key] = self._event

    def begin_after(self, rows: Iterable[StoredRow], seq: int) -> None:
        """Begin with the rows of a checkpoint."""
        self.began = seq
        for row in rows:
            self.put(row)

    @property
    def beginning(self) -> str:
        """Where a row comes from that no event has changed."""
        return f"by the checkpoint after event {self.began}" if self.began else "by no event"

    def last_event(self, kind: type[StoredRow], key: tuple[str, ...]) -> RecordedEvent | None:
        """The event that last changed a row."""
        return self._events.get((kind, key))


def table_faults(connection: Connection, rows: ReplayedRows) -> list[str]:
    """Every difference between the tables of a project and the rows that follow from its events, and every row that belongs to
    no project at all."""
    faults = [fault for kind in KINDS for fault in _kind_faults(connection, rows, kind)]
    return faults + list(_foreign_rows(connection))


def _kind_faults(connection: Connection, rows: ReplayedRows, kind: type[StoredRow]) -> Iterator[str]:
    expected = {row.key: row for row in rows.all(kind)}
    stored = {row.key: row for row in rows_of_project(connection, rows.project, kind)}
    for key in sorted(expected.keys() | stored.keys(), key=str):
        name = " of ".join(map(str, reversed(key))) or rows.project
        event = rows.last_event(kind, key)
        source = f"by {event}" if event is not None else rows.beginning
        if key not in stored:
            yield f"the {_noun(kind)} {name} is missing; expected {source}"
        elif key not in expected:
            yield f"the {_noun(kind)} {name} is there; expected none: no event tells of it"
        else:
            for column in kind.__struct_fields__:
                wanted, present = getattr(expected[key], column), getattr(stored[key], column)
                if present != wanted:
                    yield (
                        f"{column} of the {_noun(kind)} {name} is {format_value(present)}; expected {format_value(wanted)},"
                        f" {source}"
                    )


def _foreign_rows(connection: Connection) -> Iterator[str]:
    """Rows of a project, or of a flow, that is not there."""
    for table in (EVENT, CHECKPOINT, *TABLES.values()):
        if table is TABLES[ProjectRow]:
            continue
        owners, wanted = _select_foreign(table)
        for name in sorted(connection.execute(wanted).scalars(), key=str):
            noun = table.name.replace("_", " ")
            yield f"a {noun} of {format_value(name)} is there; expected none: there is no such {owners.name}"


@cache  # building a statement takes as long as executing it
def _select_foreign(table: Table) -> tuple[Table, Select[tuple[str]]]:
    """The table of the projects or flows that rows belong to, and whose names among the rows are not in it."""
    column, owners = ("project", TABLES[ProjectRow]) if "project" in table.c else ("flow_id", TABLES[FlowRow])
    return owners, select(table.c[column]).where(table.c[column].not_in(select(owners.c[column]))).distinct()


def _noun(kind: type[StoredRow]) -> str:
    return kind.TABLE.replace("_", " ")
