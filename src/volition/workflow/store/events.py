"""Events: everything that happened in a project, in order, each bound to the one before it and signed."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import select

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.workflow.store.rows import EventRow
from volition.workflow.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Select

CLOCK: Final = "the clock"
"""The actor of what ends by time. It has no key: its events are signed by the first process that notices."""
ORIGIN: Final = "0" * 64
"""The hash before the first event."""
LONG: Final = frozenset({"document", "bindings", "graph", "merged", "set_document", "policy", "pack", "answer"})
"""What a body holds for the record and not for the eye: whole documents."""
_YEAR_10000: Final = 253_402_300_800_000


class RecordedEvent(Struct, frozen=True):
    """One event of a project: when, by whom, what, about whom or which plan or flow, and the details.

    The details hold everything from which the tables follow, whole documents too; `summary` leaves those out.
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
    def summary(self) -> dict[str, Any]:
        """The details without whole documents."""
        return {key: value for key, value in self.body.items() if key not in LONG}

    def to_data(self) -> dict[str, Any]:
        return asdict(self) | {"body": self.summary}

    def __str__(self) -> str:
        return f"event {self.seq} ({self.what} {self.subject}, by {self.actor} at {moment(self.at)})"


def event_hash(before: str, event: EventRow) -> str:
    """The hash of an event: over the hash before it, and everything that it says."""
    content = asdict(event)
    del content["hash"], content["signature"]
    return sha256(before.encode() + canonical(content)).hexdigest()


def read_event(row: EventRow) -> RecordedEvent:
    """The event in a row of its table."""
    return RecordedEvent(row.seq, row.at, row.actor, row.what, row.subject, parse_json(row.body), row.hash, row.signer)


def select_events(connection: Connection, wanted: Select[Any]) -> Iterator[EventRow]:
    """The rows that a statement finds in the table of events."""
    return (EventRow(**row) for row in connection.execute(wanted).mappings())


def stored_events(connection: Connection, project: str, *, through: int | None = None) -> Iterator[EventRow]:
    """The events of a project, in order, as they are stored: all of them, or those up to a number."""
    wanted = select(EVENT).where(EVENT.c.project == project).order_by(EVENT.c.seq)
    return select_events(connection, wanted if through is None else wanted.where(EVENT.c.seq <= through))


def read_events(
    connection: Connection, project: str, *, subject: str | None = None, after: int = 0
) -> Iterator[RecordedEvent]:
    """The events of a project in order, all of them or those about one plan, flow or member."""
    wanted = select(EVENT).where(EVENT.c.project == project, EVENT.c.seq > after).order_by(EVENT.c.seq)
    if subject is not None:
        wanted = wanted.where(EVENT.c.subject == subject)
    return map(read_event, select_events(connection, wanted))


def find_archiving(connection: Connection, project: str) -> RecordedEvent | None:
    """The event that tells of the last archive of a project; None if all events are here."""
    wanted = select(EVENT).where(EVENT.c.project == project, EVENT.c.what == "archived").order_by(EVENT.c.seq.desc())
    return next(map(read_event, select_events(connection, wanted.limit(1))), None)


def archive_text(event: RecordedEvent) -> str:
    """Where the first events of a project are, by the event that tells of the last archive."""
    body = event.body
    return f"archived through event {body['through']} on {moment(event.at)} in {body['file']}, sealed {body['seal']}"


def moment(milliseconds: int) -> str:
    """A time of the database as people and documents write it; one that no calendar has, as a number.

    >>> moment(1_769_335_200_000), moment(10**17)
    ('2026-01-25T10:00:00Z', '100000000000000000 ms')
    """
    if not 0 <= milliseconds < _YEAR_10000:
        return f"{milliseconds} ms"
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
