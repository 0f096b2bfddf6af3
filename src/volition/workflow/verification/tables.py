"""Whether the tables are what the events say: every row that is not, and every column of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from volition.core.errors import format_value
from volition.workflow.store.rows import KINDS, FlowRow, Row, values_of
from volition.workflow.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.workflow.store.rows import MemoryRows


def table_faults(connection: Connection, rows: MemoryRows) -> list[str]:
    """Every difference between the tables of a project and the rows that follow from its events."""
    return [fault for kind in KINDS for fault in _kind_faults(connection, rows, kind)]


def _kind_faults(connection: Connection, rows: MemoryRows, kind: type[Row]) -> Iterator[str]:
    expected = {row.key: values_of(row) for row in rows.all(kind)}
    stored = {tuple(each[name] for name in kind.KEY): each for each in _stored(connection, rows.project, kind)}
    for key in sorted(expected.keys() | stored.keys()):
        name = " of ".join(reversed(key)) or rows.project
        if key not in stored:
            yield f"the {_noun(kind)} {name} is missing"
        elif key not in expected:
            yield f"no event tells of the {_noun(kind)} {name}"
        else:
            for column, value in expected[key].items():
                if stored[key][column] != value:
                    yield (
                        f"{column} of the {_noun(kind)} {name} is {_short(stored[key][column])},"
                        f" and the events say {_short(value)}"
                    )


def _stored(connection: Connection, project: str, kind: type[Row]) -> list[dict[str, Any]]:
    table, flows = TABLES[kind], TABLES[FlowRow]
    mine = select(flows.c.flow_id).where(flows.c.project == project)
    wanted = table.c.project == project if "project" in table.c else table.c.flow_id.in_(mine)
    return [dict(row) for row in connection.execute(select(table).where(wanted)).mappings()]


def _noun(kind: type[Row]) -> str:
    return kind.TABLE.replace("_", " ")


def _short(value: Any) -> str:
    return format_value(value)
