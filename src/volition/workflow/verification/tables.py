"""Whether the tables are what the events say: every row that is not, and every column of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from volition.core.errors import format_value
from volition.workflow.store.rows import KINDS, FlowRow, ProjectRow, StoredRow, values_of
from volition.workflow.store.tables import CHECKPOINT, EVENT, TABLES
from volition.workflow.verification.replayed import describe_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Table

    from volition.workflow.verification.replayed import ReplayedRows


def table_faults(connection: Connection, rows: ReplayedRows) -> list[str]:
    """Every difference between the tables of a project and the rows that follow from its events, and every row that belongs to
    no project at all."""
    found = [fault for kind in KINDS for fault in _kind_faults(connection, rows, kind)]
    return found + list(_stray_rows(connection))


def _kind_faults(connection: Connection, rows: ReplayedRows, kind: type[StoredRow]) -> Iterator[str]:
    expected = {row.key: values_of(row) for row in rows.all(kind)}
    stored = {tuple(each[name] for name in kind.KEY): each for each in _stored_rows(connection, rows.project, kind)}
    for key in sorted(expected.keys() | stored.keys(), key=str):
        name = " of ".join(map(str, reversed(key))) or rows.project
        event = rows.last_event(kind, key)
        said = f"by {describe_event(event)}" if event is not None else rows.beginning
        if key not in stored:
            yield f"the {_noun(kind)} {name} is missing; expected {said}"
        elif key not in expected:
            yield f"the {_noun(kind)} {name} is there; expected none: no event tells of it"
        else:
            for column, value in expected[key].items():
                if stored[key][column] != value:
                    found = format_value(stored[key][column])
                    yield f"{column} of the {_noun(kind)} {name} is {found}; expected {format_value(value)}, {said}"


def _stored_rows(connection: Connection, project: str, kind: type[StoredRow]) -> list[dict[str, Any]]:
    table, flows = TABLES[kind], TABLES[FlowRow]
    mine = select(flows.c.flow_id).where(flows.c.project == project)
    wanted = table.c.project == project if "project" in table.c else table.c.flow_id.in_(mine)
    return [dict(row) for row in connection.execute(select(table).where(wanted)).mappings()]


def _stray_rows(connection: Connection) -> Iterator[str]:
    """Rows of a project, or of a flow, that is not there."""
    projects, flows = TABLES[ProjectRow], TABLES[FlowRow]
    for table in (EVENT, CHECKPOINT, *TABLES.values()):
        if table is projects:
            continue
        column, owners = ("project", projects) if "project" in table.c else ("flow_id", flows)
        for name in _strays(connection, table, column, owners):
            noun = table.name.replace("_", " ")
            yield f"a {noun} of {format_value(name)} is there; expected none: there is no such {owners.name}"


def _strays(connection: Connection, table: Table, column: str, owners: Table) -> list[str]:
    wanted = select(table.c[column]).where(table.c[column].not_in(select(owners.c[column]))).distinct()
    return sorted(connection.execute(wanted).scalars(), key=str)


def _noun(kind: type[StoredRow]) -> str:
    return kind.TABLE.replace("_", " ")
