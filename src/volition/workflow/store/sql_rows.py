"""A project's rows in a database, within a transaction."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict
from sqlalchemy import BigInteger, Text, bindparam, literal_column, select, union_all, update
from sqlalchemy.dialects import postgresql, sqlite

from volition.workflow.store.rows import (
    FlowPlanRow,
    FlowRow,
    MemberRow,
    NodeRow,
    PermitRow,
    R,
    RegisteredPlan,
    StoredRow,
)
from volition.workflow.store.tables import FLOW, FLOW_PLAN, MEMBER, NODE, PERMIT, PLAN, TABLES, of_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import BindParameter, ColumnElement, CompoundSelect, Connection, Executable, Select

    Change = tuple[type[StoredRow], tuple[str, ...], dict[str, Any]]
    """The kind of a row, the columns that have changed, and its values."""
    Equal = tuple[tuple[str, str], ...]
    """Columns with the values that rows have in them."""
    RowsByKey = dict[tuple[str, ...], StoredRow]

_TOGETHER: Final = 16
"""How many rows a server changes with one statement."""


class SqlRows:
    """The rows of a project in a database, within one transaction. What was read is kept, and what was put is written by
    `flush`, because each statement is a way to the server and back."""

    def __init__(self, connection: Connection, project: str) -> None:
        self.project = project
        self._connection = connection
        self._looks: dict[type[StoredRow], dict[Equal, RowsByKey]] = defaultdict(dict)
        """What was asked for so far, with the rows as they are now."""
        self._stored: dict[type[StoredRow], RowsByKey] = defaultdict(dict)
        """The rows that were read, as the database has them."""
        self._unwritten: dict[type[StoredRow], RowsByKey] = defaultdict(dict)

    def find(self, kind: type[R], *key: str) -> R | None:
        equal = tuple(zip(kind.KEY, key, strict=True))
        for less, rows in self._looks[kind].items():
            if set(less) <= set(equal):  # a look that asked for less has found this row too, if there is one
                return rows.get(key)  # type: ignore[return-value]
        return self._look(kind, equal).get(key)  # type: ignore[return-value]

    def all(self, kind: type[R], **equal: str) -> list[R]:
        rows = self._look(kind, tuple(equal.items()))
        return [rows[key] for key in sorted(rows)]  # type: ignore[misc]

    def put(self, row: StoredRow) -> None:
        kind, key = type(row), row.key
        self._unwritten[kind][key] = row
        for equal, rows in self._looks[kind].items():
            _replace(rows, key, row, equal)

    def remember(self, row: StoredRow) -> None:
        """Take a row that was read already."""
        self._keep(type(row), tuple(zip(row.KEY, row.key, strict=True)), [row])

    def read_flow(self, flow_id: str, name: str) -> None:
        """Read a flow with its nodes, its permit and its plans, and a member, with one statement: all that driving looks at."""
        values = {"is_project": self.project, "is_flow": flow_id, "is_name": name}
        rows: dict[type[StoredRow], list[StoredRow]] = {kind: [] for kind in _DRIVING}
        for number, *columns in self._connection.execute(_READ_FLOW, values):
            read = {name: value for name, value in zip(_NAMES[number], columns, strict=True) if name}
            rows[_PLACES[number]].append(_PLACES[number](**read))
        for kind in (FlowRow, NodeRow, PermitRow, FlowPlanRow):
            self._keep(kind, (("flow_id", flow_id),), rows[kind])
        self._keep(MemberRow, (("name", name),), rows[MemberRow])
        for plan in rows[RegisteredPlan]:
            self.remember(plan)

    def flush(self) -> None:
        """Write what was put; statements of others see it from then on. Of a row that was read, only the columns are written
        that are not what they were: documents are long, and most changes are short."""
        changes: list[Change] = []
        for kind, unwritten in self._unwritten.items():
            new = []
            for key, row in unwritten.items():
                values, before = asdict(row), self._stored[kind].get(key)
                if before is None:
                    new.append(values)
                elif changed := tuple(name for name in values if values[name] != getattr(before, name)):
                    changes.append((kind, changed, values))
            if new:
                self._connection.execute(_upsert(kind, self._connection.dialect.name), new)
            self._stored[kind] |= unwritten
        together = 1 if self._connection.dialect.name == "sqlite" else _TOGETHER
        for start in range(0, len(changes), together):
            self._change(changes[start : start + together])
        self._unwritten.clear()

    def _change(self, changes: Sequence[Change]) -> None:
        """Change rows with one statement, in which each has its number."""
        values = {
            f"{use}{at}_{name}": row[name]
            for at, (kind, changed, row) in enumerate(changes)
            for use, names in (("is", _keys(kind)), ("new", changed))
            for name in names
        }
        self._connection.execute(_update(tuple((kind, changed) for kind, changed, _ in changes)), values).close()

    def _look(self, kind: type[StoredRow], equal: Equal) -> RowsByKey:
        if equal not in self._looks[kind]:
            self._keep(kind, equal, self._select(kind, equal))
        return self._looks[kind][equal]

    def _select(self, kind: type[StoredRow], equal: Equal) -> list[StoredRow]:
        values = {f"is_{name}": value for name, value in equal}
        if _in_project(kind):
            values["is_project"] = self.project
        statement = _select(kind, tuple(name for name, _ in equal))
        return [kind(**row) for row in self._connection.execute(statement, values).mappings()]

    def _keep(self, kind: type[StoredRow], equal: Equal, rows: Iterable[StoredRow]) -> None:
        """Keep the rows that have some values in the database, with what was put since."""
        by_key = {row.key: row for row in rows}
        self._stored[kind] |= by_key
        for key, row in self._unwritten[kind].items():
            _replace(by_key, key, row, equal)
        self._looks[kind][equal] = by_key


def rows_of_project(connection: Connection, project: str, kind: type[R]) -> list[R]:
    """All rows of a kind that a project has in a database, as they are stored."""
    return [kind(**row) for row in connection.execute(_select_all(kind), {"is_project": project}).mappings()]


def _replace(rows: RowsByKey, key: tuple[str, ...], row: StoredRow, equal: Equal) -> None:
    """Put a row among those that have some values, if it has them now; or take it from them."""
    for name, value in equal:
        if getattr(row, name) != value:
            rows.pop(key, None)
            return
    rows[key] = row


def _keys(kind: type[StoredRow]) -> tuple[str, ...]:
    return tuple(column.name for column in TABLES[kind].primary_key)


def _in_project(kind: type[StoredRow]) -> bool:
    return "project" in kind.__struct_fields__


# Built once each: building a statement takes as long as executing it.
@cache
def _select(kind: type[StoredRow], names: tuple[str, ...]) -> Select[Any]:
    table = TABLES[kind]
    wanted = (*names, "project") if _in_project(kind) else names
    return select(table).where(*(table.c[name] == bindparam(f"is_{name}") for name in wanted))


@cache
def _select_all(kind: type[StoredRow]) -> Select[Any]:
    return select(TABLES[kind]).where(of_project(TABLES[kind], bindparam("is_project")))


@cache
def _upsert(kind: type[StoredRow], dialect: str) -> Any:
    table = TABLES[kind]
    new = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    keys = [column.name for column in table.primary_key.columns]
    return new.on_conflict_do_update(
        index_elements=keys,
        set_={column.name: new.excluded[column.name] for column in table.c if column.name not in keys},
    )


@lru_cache(maxsize=256)
def _update(shapes: tuple[tuple[type[StoredRow], tuple[str, ...]], ...]) -> Executable:
    """The statement that changes a row for each of these kinds, in these columns. SQLite changes one table at a time."""
    statements = []
    for at, (kind, changed) in enumerate(shapes):
        table = TABLES[kind]
        same = (table.c[name] == bindparam(f"is{at}_{name}") for name in _keys(kind))
        statements.append(update(table).where(*same).values({name: bindparam(f"new{at}_{name}") for name in changed}))
    if len(statements) == 1:
        return statements[0]
    return select(literal_column("1")).add_cte(*(each.cte(f"change{at}") for at, each in enumerate(statements)))


# What driving looks at, in one statement.


_OF_FLOW: Final[BindParameter[str]] = bindparam("is_flow")
_OF_PROJECT: Final[BindParameter[str]] = bindparam("is_project")
_DRIVING: Final[dict[type[StoredRow], tuple[ColumnElement[bool], ...]]] = {
    FlowRow: (FLOW.c.flow_id == _OF_FLOW, FLOW.c.project == _OF_PROJECT),
    NodeRow: (NODE.c.flow_id == _OF_FLOW,),
    PermitRow: (PERMIT.c.flow_id == _OF_FLOW,),
    FlowPlanRow: (FLOW_PLAN.c.flow_id == _OF_FLOW,),
    RegisteredPlan: (
        PLAN.c.project == _OF_PROJECT,
        PLAN.c.plan_id.in_(select(FLOW_PLAN.c.plan_id).where(FLOW_PLAN.c.flow_id == _OF_FLOW)),
    ),
    MemberRow: (MEMBER.c.project == _OF_PROJECT, MEMBER.c.name == bindparam("is_name")),
}
"""Which rows of each table."""
_PLACES: Final = dict(enumerate(_DRIVING))
_WIDEST: Final = {
    type_: max(sum(isinstance(column.type, type_) for column in TABLES[kind].c) for kind in _DRIVING)
    for type_ in (Text, BigInteger)
}
"""How many texts and how many numbers a row may have."""
_NOTHING: Final = {Text: "''", BigInteger: "0"}


def _columns_of(kind: type[StoredRow]) -> list[tuple[str, ColumnElement[Any]]]:
    """The columns of a table, filled up so that those of all tables are of the same types: texts, then whole numbers."""
    padded: list[tuple[str, ColumnElement[Any]]] = []
    for type_, width in _WIDEST.items():
        columns = [(column.name, column) for column in TABLES[kind].c if isinstance(column.type, type_)]
        padded += [*columns, *[("", literal_column(_NOTHING[type_], type_))] * (width - len(columns))]
    return padded


_READ_FLOW: Final[CompoundSelect[Any]] = union_all(
    *(
        select(literal_column(str(number), BigInteger), *(column for _, column in _columns_of(kind))).where(
            *_DRIVING[kind]
        )
        for number, kind in _PLACES.items()
    )
)
_NAMES: Final = {number: tuple(name for name, _ in _columns_of(kind)) for number, kind in _PLACES.items()}
