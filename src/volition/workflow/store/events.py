"""Events: everything that happened in a project, in order, each bound to the one before it and signed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.workflow.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection
    from sqlalchemy import Row as SqlRow

CLOCK: Final = "the clock"
"""The actor of what ends by time. It has no key: its events are signed by the first process that notices."""
ORIGIN: Final = "0" * 64
"""The hash before the first event."""
LONG: Final = frozenset({"document", "bindings", "graph", "merged", "set_document", "policy", "pack", "answer"})
"""What a body holds for the record and not for the eye: whole documents."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One event of a project: when, by whom, what, about whom or which plan or flow, and the details.

    The details hold everything from which the tables follow, whole documents too; `said` leaves those out.
    """

    seq: int
    at: int
    actor: str
    what: str
    subject: str
    body: dict[str, Any]
    hash: str
    signer: str

    @property
    def said(self) -> dict[str, Any]:
        """The details without whole documents."""
        return {key: value for key, value in self.body.items() if key not in LONG}

    def to_data(self) -> dict[str, Any]:
        return asdict(self) | {"body": self.said}


def event_hash(
    before: str, project: str, seq: int, at: int, actor: str, what: str, subject: str, body: str, signer: str
) -> str:
    """The hash of an event: over the hash before it, and everything that it says."""
    said = {
        "project": project, "seq": seq, "at": at, "actor": actor, "what": what, "subject": subject, "body": body,
        "signer": signer,
    }  # fmt: skip
    return sha256(before.encode() + canonical(said)).hexdigest()


def read_event(row: SqlRow[Any]) -> RecordedEvent:
    """The event in a row of its table."""
    return RecordedEvent(row.seq, row.at, row.actor, row.what, row.subject, parse_json(row.body), row.hash, row.signer)


def stored_events(connection: Connection, project: str, *, through: int | None = None) -> Iterator[SqlRow[Any]]:
    """The rows of the events of a project, in order, as they are stored: all of them, or those up to a number."""
    wanted = select(EVENT).where(EVENT.c.project == project).order_by(EVENT.c.seq)
    yield from connection.execute(wanted if through is None else wanted.where(EVENT.c.seq <= through))


def read_events(
    connection: Connection, project: str, *, subject: str | None = None, after: int = 0
) -> Iterator[RecordedEvent]:
    """The events of a project in order, all of them or those about one plan, flow or member."""
    wanted = select(EVENT).where(EVENT.c.project == project, EVENT.c.seq > after).order_by(EVENT.c.seq)
    if subject is not None:
        wanted = wanted.where(EVENT.c.subject == subject)
    yield from map(read_event, connection.execute(wanted))
