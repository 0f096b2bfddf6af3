"""Forging: events that are chained and signed as they should be, written behind the registry's back without asking the law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import asdict, replace
from sqlalchemy import insert, select, update

from tests.workflow.plans import PROJECT
from volition.core.canonical import canonical
from volition.workflow import Signer
from volition.workflow.store.events import ORIGIN, RecordedEvent, event_hash, select_events
from volition.workflow.store.rows import EventRow
from volition.workflow.store.tables import EVENT
from volition.workflow.store.tables import PROJECT as PROJECTS

if TYPE_CHECKING:
    from volition.workflow import Store


def signer_of(letter: str) -> Signer:
    """A key of somebody else."""
    return Signer(Ed25519PrivateKey.from_private_bytes(letter.encode() * 32))


@dataclass
class Forger:
    """Whoever may write to the database, and has a key."""

    store: Store
    signer: Signer

    def append(self, what: str, subject: str, by: str, *, at: int | None = None, raw: str = "", **body: Any) -> int:
        """Append an event; `raw` replaces its details by any text. Returns its number."""
        with self.store.write() as connection:
            project = connection.execute(select(PROJECTS).where(PROJECTS.c.project == PROJECT)).one()
            time = self.store.clock(connection) if at is None else at
            row = EventRow(
                project=PROJECT, seq=project.seq + 1, at=time, actor=by, what=what, subject=subject,
                body=raw or canonical(body).decode(), signer=self.signer.public, hash="", signature="",
            )  # fmt: skip
            head = event_hash(project.head, row)
            signed = replace(row, hash=head, signature=self.signer.sign(head))
            connection.execute(insert(EVENT).values(asdict(signed)))
            connection.execute(
                update(PROJECTS).where(PROJECTS.c.project == PROJECT).values(seq=row.seq, head=head, at=time)
            )
        return row.seq

    def repeat(self, event: RecordedEvent, **changed: Any) -> int:
        """Append what was recorded elsewhere, with other details."""
        return self.append(event.what, event.subject, event.actor, at=event.at, **(event.body | changed))

    def run(self, statement: str, *values: object) -> int:
        """Change rows; how many."""
        with self.store.write() as connection:
            return int(connection.exec_driver_sql(statement, tuple(values)).rowcount)


def seal_again(store: Store, forger: Signer | None, *, since: int = 1) -> None:
    """Compute all hashes again, and sign the events of a number on as somebody else, or none of them."""
    with store.write() as connection:
        head = ORIGIN
        for row in list(select_events(connection, select(EVENT).order_by(EVENT.c.seq))):
            key = row.signer if row.seq < since else forger.public if forger else ""
            head = event_hash(head, replace(row, signer=key))
            signature = row.signature if row.seq < since else forger.sign(head) if forger else ""
            values = {"hash": head, "signer": key, "signature": signature}
            connection.execute(update(EVENT).where(EVENT.c.seq == row.seq).values(values))
        connection.execute(update(PROJECTS).values(head=head))
