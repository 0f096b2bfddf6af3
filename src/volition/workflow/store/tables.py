"""The tables of a registry in a database, made from the types of their rows; and a project's rows there, within a turn."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    MetaData,
    Select,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite

from volition.workflow.store.rows import (
    KINDS,
    AnswerRow,
    CheckpointRow,
    FlowPlanRow,
    FlowRow,
    NodeRow,
    PermitRow,
    PlanRow,
    ProjectRow,
    QuestionRow,
    R,
    StoredRow,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

METADATA: Final = MetaData()


def _columns(names: Iterable[tuple[str, Any]], keys: tuple[str, ...]) -> list[Column[Any]]:
    """Columns of texts and whole numbers, none of them null."""
    return [
        Column(name, Text if kind in {str, "str"} else BigInteger, primary_key=name in keys, nullable=False)
        for name, kind in names
    ]


def _table(kind: type[StoredRow]) -> Table:
    fields = kind.__annotations__.items()
    columns = [(name, each) for name, each in fields if not str(each).startswith("ClassVar")]
    keys = ("project", *kind.KEY) if "project" in kind.__struct_fields__ and kind is not FlowRow else kind.KEY
    return Table(kind.TABLE, METADATA, *_columns(columns, keys))


VERSION: Final = Table("volition_store", METADATA, *_columns([("name", str), ("version", int)], ("name",)))
"""Whose database this is, and at which version."""
EVENT: Final = Table(
    "event",
    METADATA,
    *_columns(
        [*((name, str) for name in ["project", "actor", "what", "subject", "body", "hash", "signer", "signature"]), ("seq", int), ("at", int)],
        ("project", "seq"),
    ),
)  # fmt: skip
"""Everything that happened, append-only; each hash covers the one before it, and is signed."""
TABLES: Final[dict[type[StoredRow], Table]] = {kind: _table(kind) for kind in KINDS}
CHECKPOINT: Final = _table(CheckpointRow)
"""What is known of events that are in an archive; no law reads or writes it."""
PROJECT, PLAN, FLOW, FLOW_PLAN = TABLES[ProjectRow], TABLES[PlanRow], TABLES[FlowRow], TABLES[FlowPlanRow]
QUESTION, ANSWER, PERMIT, NODE = TABLES[QuestionRow], TABLES[AnswerRow], TABLES[PermitRow], TABLES[NodeRow]

PLAN.append_constraint(UniqueConstraint("project", "token"))
FLOW.append_constraint(UniqueConstraint("project", "number"))
NODE.append_constraint(UniqueConstraint("request"))
_OPEN: Final = text("state IN ('active', 'waiting')")
Index("plan_seq", PLAN.c.project, PLAN.c.seq)
Index("plan_lease", PLAN.c.project, PLAN.c.lease_until, sqlite_where=_OPEN, postgresql_where=_OPEN)
Index("flow_plan_plan", FLOW_PLAN.c.plan_id)
Index("flow_state", FLOW.c.project, FLOW.c.state)
Index("event_subject", EVENT.c.project, EVENT.c.subject, EVENT.c.seq)


class SqlRows:
    """The rows of a project in a database, within one transaction. What was read is kept, and what was put is written by
    `flush`, because each statement is a way to the server and back."""

    def __init__(self, connection: Connection, project: str) -> None:
        self.project = project
        self._connection = connection
        self._read: dict[tuple[type[StoredRow], tuple[tuple[str, str], ...]], dict[tuple[str, ...], StoredRow]] = {}
        self._dirty: dict[tuple[type[StoredRow], tuple[str, ...]], StoredRow] = {}

    def find(self, kind: type[R], *key: str) -> R | None:
        return self._look(kind, tuple(zip(kind.KEY, key, strict=True))).get(key)  # type: ignore[return-value]

    def all(self, kind: type[R], **equal: str) -> list[R]:
        found = self._look(kind, tuple(equal.items()))
        return [found[key] for key in sorted(found)]  # type: ignore[misc]

    def put(self, row: StoredRow) -> None:
        kind, key = type(row), row.key
        self._dirty[kind, key] = row
        for (other, equal), found in self._read.items():
            if other is kind:
                if all(getattr(row, name) == value for name, value in equal):
                    found[key] = row
                else:
                    found.pop(key, None)

    def remember(self, row: StoredRow) -> None:
        """Take a row that was read already."""
        self._read[type(row), tuple(zip(row.KEY, row.key, strict=True))] = {row.key: row}

    def flush(self) -> None:
        """Write what was put; statements of others see it from then on."""
        by_kind: dict[type[StoredRow], list[dict[str, Any]]] = {}
        for (kind, _), row in self._dirty.items():
            by_kind.setdefault(kind, []).append(values_of(row))
        self._dirty.clear()
        for kind, rows in by_kind.items():
            self._connection.execute(_upsert(kind, self._connection.dialect.name), rows)

    def _look(self, kind: type[StoredRow], equal: tuple[tuple[str, str], ...]) -> dict[tuple[str, ...], StoredRow]:
        if (kind, equal) not in self._read:
            names = tuple(name for name, _ in equal)
            values = {f"is_{name}": value for name, value in equal}
            if _in_project(kind):
                values["is_project"] = self.project
            rows = [kind(**found) for found in self._connection.execute(_select(kind, names), values).mappings()]
            kept = {row.key: row for row in rows}
            for (other, key), row in self._dirty.items():
                if other is kind and all(getattr(row, name) == value for name, value in equal):
                    kept[key] = row
                elif other is kind:
                    kept.pop(key, None)
            self._read[kind, equal] = kept
        return self._read[kind, equal]


def _in_project(kind: type[StoredRow]) -> bool:
    return "project" in kind.__struct_fields__


# Built once each: building a statement takes as long as executing it.
@cache
def _select(kind: type[StoredRow], names: tuple[str, ...]) -> Select[Any]:
    table = TABLES[kind]
    wanted = (*names, "project") if _in_project(kind) else names
    return select(table).where(*(table.c[name] == bindparam(f"is_{name}") for name in wanted))


@cache
def _upsert(kind: type[StoredRow], dialect: str) -> Any:
    table = TABLES[kind]
    new = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    keys = [column.name for column in table.primary_key.columns]
    return new.on_conflict_do_update(
        index_elements=keys,
        set_={column.name: new.excluded[column.name] for column in table.c if column.name not in keys},
    )
