"""A project transaction: one writing transaction on one project, which only one process at a time can have.

Everything that changes in a transaction is recorded as an event, and every row follows from the event by the law: there is no
other way to write. The events of a project form a chain: each has the next number and a hash over its content and the hash
before it, signed with the key of the user whose process this is. A plan's token is made of the number of the event that
granted it, so no token is ever given twice, and none is lower than an earlier one.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict, replace
from sqlalchemy import Connection, bindparam, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from volition.core.canonical import canonical
from volition.workflow.law.members import joining_role
from volition.workflow.law.plans import token_at
from volition.workflow.law.table import apply_law
from volition.workflow.store.database import CLOCKS, database_clock
from volition.workflow.store.events import ORIGIN, RecordedEvent, event_hash
from volition.workflow.store.rows import EventRow, MemberRow, ProjectRow
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import EVENT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.core.signing import Signer
    from volition.workflow.store.database import Store

# Built once: building a statement takes as long as executing it.
_LOCKED: Final = select(PROJECT).where(PROJECT.c.project == bindparam("of")).with_for_update().subquery()
# The clock is read outside of the subquery, so after the lock: waiting for it may have taken a while.
_LOCK: Final = {dialect: select(_LOCKED, clock.label("now")) for dialect, clock in CLOCKS.items()}
_APPEND: Final = insert(EVENT)


@dataclass(slots=True)
class ProjectTransaction:
    """What a transaction on a project knows: the time, the last event, and the rows."""

    connection: Connection
    project: str
    now: int
    seq: int
    head: str
    before: int
    """When the last event was recorded."""
    signer: Signer
    rows: SqlRows
    recorded: set[str] = field(default_factory=set)
    """The kinds of what has happened in this transaction."""
    _unwritten: list[EventRow] = field(default_factory=list)

    @property
    def settings(self) -> ProjectRow:
        """The project with its rules."""
        project = self.rows.find(ProjectRow)
        assert project is not None
        return project

    @property
    def token(self) -> int:
        """The token that the next event would give."""
        return token_at(self.settings, self.seq + 1)

    def record(self, what: str, subject: str, by: str, **body: Any) -> int:
        """Let something happen: an event is appended, signed, and the rows follow from it. Returns its number.

        What the law does not allow raises an error, and nothing of the transaction may be kept.
        """
        seq = self.seq + 1
        row = EventRow(
            project=self.project, seq=seq, at=self.now, actor=by, what=what, subject=subject,
            body=canonical(body).decode(), signer=self.signer.public, hash="", signature="",
        )  # fmt: skip
        hash = event_hash(self.head, row)
        apply_law(self.rows, RecordedEvent(seq, self.now, by, what, subject, body, hash, row.signer))
        self._unwritten.append(replace(row, hash=hash, signature=self.signer.sign(hash)))
        self.seq, self.head = seq, hash
        self.recorded.add(what)
        return seq

    def admit(self, name: str) -> None:
        """Let a name join the project at its first act, where newcomers are let in."""
        if self.rows.find(MemberRow, name) is None:
            self.record("role", name, name, role=joining_role(self.rows))

    def flush(self) -> None:
        """Write everything that has happened so far."""
        if self._unwritten:
            self.connection.execute(_APPEND, [asdict(row) for row in self._unwritten])
            self._unwritten.clear()
            self.rows.put(replace(self.settings, seq=self.seq, at=self.now, head=self.head))
        self.rows.flush()


@contextmanager
def begin_transaction(store: Store, project: str) -> Iterator[ProjectTransaction]:
    """A transaction on a project, which is made if there is none; committed as a whole at the end of the block."""
    signer = store.signer  # before the transaction: it may have to be made
    with store.write() as connection:
        lock = _LOCK[connection.dialect.name]
        locked = connection.execute(lock, {"of": project}).mappings().first()
        if locked is None:
            _make_project(connection, project)
            locked = connection.execute(lock, {"of": project}).mappings().one()
        row = ProjectRow(**{name: locked[name] for name in ProjectRow.__struct_fields__})
        now = locked["now"] if store.clock is database_clock else store.clock(connection)
        transaction = ProjectTransaction(
            connection, project, now, row.seq, row.head, row.at, signer, SqlRows(connection, project)
        )
        transaction.rows.remember(row)
        yield transaction
        transaction.flush()


def _make_project(connection: Connection, project: str) -> None:
    """Make a project, unless another process does so now."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    row = ProjectRow(project=project, head=ORIGIN)
    new = dialect.insert(PROJECT).values({name: getattr(row, name) for name in row.__struct_fields__})
    connection.execute(new.on_conflict_do_nothing())
