"""Forging: events that are chained and signed as they should be, written behind the registry's back without asking the law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import insert, select, update

from tests.workflow.plans import PROJECT
from volition.core.canonical import canonical
from volition.workflow import Signer
from volition.workflow.store.events import ORIGIN, RecordedEvent, event_hash
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
            said = raw or canonical(body).decode()
            seq, key = project.seq + 1, self.signer.public
            head = event_hash(project.head, PROJECT, seq, time, by, what, subject, said, key)
            values = {"seq": seq, "at": time, "actor": by, "what": what, "subject": subject, "body": said, "hash": head}
            signed = {"project": PROJECT, "signer": key, "signature": self.signer.sign(head)}
            connection.execute(insert(EVENT).values({**values, **signed}))
            connection.execute(
                update(PROJECTS).where(PROJECTS.c.project == PROJECT).values(seq=seq, head=head, at=time)
            )
        return int(seq)

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
        for row in connection.execute(select(EVENT).order_by(EVENT.c.seq)).all():
            key = row.signer if row.seq < since else forger.public if forger else ""
            head = event_hash(head, row.project, row.seq, row.at, row.actor, row.what, row.subject, row.body, key)
            signature = row.signature if row.seq < since else forger.sign(head) if forger else ""
            values = {"hash": head, "signer": key, "signature": signature}
            connection.execute(update(EVENT).where(EVENT.c.seq == row.seq).values(values))
        connection.execute(update(PROJECTS).values(head=head))
