"""The tables of a registry in a database, made from the types of their rows; their version, and how they are brought up to date.

A database is brought up to date only where somebody asks for it. Until then whoever is newer may look and not write, and so
may whoever is older.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.schema import CreateIndex, CreateTable

from volition.core.errors import MissingPart
from volition.workflow.store.rows import (
    KINDS,
    AnswerRow,
    CheckpointRow,
    EventRow,
    FlowPlanRow,
    FlowRow,
    MemberRow,
    NodeRow,
    PermitRow,
    ProjectRow,
    QuestionRow,
    RegisteredPlan,
    StoredRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import BindParameter, ColumnElement, Dialect, ExecutableDDLElement

    from volition.workflow.store.address import StoreAddress


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
EVENT: Final = _table(EventRow)
"""Everything that happened, append-only; each hash covers the one before it, and is signed."""
TABLES: Final[dict[type[StoredRow], Table]] = {kind: _table(kind) for kind in KINDS}
CHECKPOINT: Final = _table(CheckpointRow)
"""What is known of events that are in an archive; no law reads or writes it."""
PROJECT, MEMBER, PLAN = TABLES[ProjectRow], TABLES[MemberRow], TABLES[RegisteredPlan]
FLOW, FLOW_PLAN = TABLES[FlowRow], TABLES[FlowPlanRow]
QUESTION, ANSWER, PERMIT, NODE = TABLES[QuestionRow], TABLES[AnswerRow], TABLES[PermitRow], TABLES[NodeRow]

PLAN.append_constraint(UniqueConstraint("project", "token"))
FLOW.append_constraint(UniqueConstraint("project", "number"))
NODE.append_constraint(UniqueConstraint("request"))
Index("plan_seq", PLAN.c.project, PLAN.c.seq)
Index("flow_plan_plan", FLOW_PLAN.c.plan_id)
Index("flow_state", FLOW.c.project, FLOW.c.state)
Index("event_subject", EVENT.c.project, EVENT.c.subject, EVENT.c.seq)
_PLAN_LEASE: Final = """CREATE INDEX plan_lease ON "plan" (project, lease_until) WHERE state IN ('active', 'waiting')"""
"""An index of open plans, as text: an `Index` object with a condition imports PostgreSQL's dialect in every process."""


NAME: Final = "volition"
"""What the version table says in a database of ours."""
SCHEMA: Final = "volition"
"""The PostgreSQL schema that holds the tables."""
FIRST: Final = 4
"""The version of the tables in the first release."""
MIGRATIONS: Final[dict[int, tuple[str, ...]]] = {}
"""Version -> the statements that lead to it from the one before. A version that was released never changes."""
NEWEST: Final = FIRST + len(MIGRATIONS)
_LOCK_KEY: Final = 7_310_548
"""The advisory lock under which PostgreSQL's tables are made."""


def version_of(connection: Connection, address: StoreAddress) -> int:
    """The version of the tables; 0 in an empty database."""
    tables = sorted(inspect(connection).get_table_names())
    if not tables:
        return 0
    if VERSION.name not in tables:
        raise _not_ours(address, tables)
    version = connection.execute(select(VERSION.c.version).where(VERSION.c.name == NAME)).scalar()
    if version is None:
        raise _not_ours(address, tables)
    return int(version)


def make_tables(connection: Connection, address: StoreAddress) -> int:
    """Make the tables in an empty database, in one transaction; their version."""
    if address.kind == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})"))
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
    version = version_of(connection, address)
    if not version:
        for statement in _creation_statements(connection.dialect):
            connection.exec_driver_sql(statement)
        connection.execute(insert(VERSION).values(name=NAME, version=NEWEST))
    return version or NEWEST


@cache
def _creation_statements(dialect: Dialect) -> list[str]:
    """The statements that create the tables and their indexes, compiled once for each dialect: compiling them takes longer than
    running them."""
    made: list[ExecutableDDLElement] = [CreateTable(table) for table in METADATA.sorted_tables]
    made += [CreateIndex(index) for table in METADATA.sorted_tables for index in table.indexes]
    return [*(str(statement.compile(dialect=dialect)) for statement in made), _PLAN_LEASE]


def migrate_tables(connection: Connection, address: StoreAddress) -> int:
    """Bring the tables to the newest version, in one transaction; the version that they had."""
    if address.kind == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})"))
    before = version_of(connection, address)
    for version in range(before + 1, NEWEST + 1):
        for statement in MIGRATIONS[version]:
            connection.execute(text(statement))
        connection.execute(update(VERSION).values(version=version))
    return before


def another_version(address: StoreAddress, version: int) -> MissingPart:
    """The error for writing to tables of another version."""
    newer = version > NEWEST
    return MissingPart.of(
        f"its tables have version {version}, and this program writes version {NEWEST}",
        where=str(address),
        expected="tables of the same version; until then it may be looked at",
        remedy="use a newer program"
        if newer
        else "bring it up to date, once everybody has this program: volition team migrate",
    )


def _not_ours(address: StoreAddress, tables: list[str]) -> MissingPart:
    return MissingPart.of(
        f"it holds the tables of another program: {', '.join(tables[:4])}",
        where=str(address),
        expected="an empty database, or one that `volition` made",
        remedy="name another one",
    )


def of_project(table: Table, project: str | BindParameter[str]) -> ColumnElement[bool]:
    """Which rows of a table belong to a project: by its name, or by the flow that they belong to."""
    if "project" in table.c:
        return table.c.project == project
    return table.c.flow_id.in_(select(FLOW.c.flow_id).where(FLOW.c.project == project))
