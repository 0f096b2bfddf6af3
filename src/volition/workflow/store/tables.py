"""The tables of a registry in a database, made from the types of their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, Column, Index, MetaData, Table, Text, UniqueConstraint, text

from volition.workflow.store.rows import (
    KINDS,
    AnswerRow,
    CheckpointRow,
    FlowPlanRow,
    FlowRow,
    MemberRow,
    NodeRow,
    PermitRow,
    PlanRow,
    ProjectRow,
    QuestionRow,
    StoredRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

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
PROJECT, MEMBER, PLAN = TABLES[ProjectRow], TABLES[MemberRow], TABLES[PlanRow]
FLOW, FLOW_PLAN = TABLES[FlowRow], TABLES[FlowPlanRow]
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
