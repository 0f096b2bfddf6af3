"""One pass over a registry: the chain of events, then the tables and the journals, compared with what the events say.

Whoever can write to the database can also rewrite the whole chain with new hashes. To notice that, keep an anchor (the
number and hash of the last event) where they cannot reach it, and give it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from volition.core.document import parse_json
from volition.workflow.store.tables import EVENT, PROJECT
from volition.workflow.store.turn import ORIGIN, event_hash
from volition.workflow.verification.account import Account
from volition.workflow.verification.journals import journal_faults
from volition.workflow.verification.tables import table_faults

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from sqlalchemy import Row

    from volition.core.ledger import Anchor
    from volition.workflow.store.database import Store


@dataclass(frozen=True, slots=True)
class RegistryVerification:
    """What was found: the number of events, the hash of the last one, and everything that does not fit."""

    project: str
    count: int
    head: str
    faults: tuple[str, ...]

    @property
    def intact(self) -> bool:
        return not self.faults

    def to_data(self) -> dict[str, Any]:
        return {
            "project": self.project, "intact": self.intact, "count": self.count, "head": self.head,
            "faults": list(self.faults),
        }  # fmt: skip

    def __str__(self) -> str:
        found = "\n".join(f"broken: {fault}" for fault in self.faults) or "intact"
        return f"{found}\n  events: {self.count}\n  anchor: {self.count}:{self.head}"


def verify_registry(
    store: Store, project: str, anchor: Anchor | None = None, *, journals: Iterable[str | PathLike[str]] = ()
) -> RegistryVerification:
    """Compute every hash again, and compare all tables with what the events say; and the journals, if some are given.

    They must be those of all drivers of the project, because a result that none of them has is a fault. Each comparison
    needs what the one before it has found intact.
    """
    with store.read() as connection:
        row = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).one()
        account, faults = Account(), list[str]()
        seq, head = 0, ORIGIN
        for event in connection.execute(select(EVENT).where(EVENT.c.project == project).order_by(EVENT.c.seq)):
            seq += 1
            head = event_hash(head, project, event.seq, event.at, event.actor, event.what, event.subject, event.body)
            if event.seq != seq or event.hash != head:
                faults.append(f"event {seq} is missing" if event.seq != seq else f"event {seq} was changed")
                break
            if anchor is not None and anchor.count == seq and anchor.hash != head:
                faults.append(f"event {seq}, or one before it, was rewritten: the anchor has another hash")
            account.hear(event.what, event.subject, event.actor, parse_json(event.body))
        if not faults:
            faults += _end_faults(row, seq, head, anchor)
            faults += table_faults(connection, project, account)
        if not faults:
            faults += journal_faults(connection, project, account, journals)
    return RegistryVerification(project, seq, head, tuple(faults))


def _end_faults(row: Row[Any], seq: int, head: str, anchor: Anchor | None) -> list[str]:
    found = []
    if (row.seq, row.head) != (seq, head):
        found.append(f"the project counts {row.seq} events, and {seq} are here")
    if anchor is not None and anchor.count > seq:
        found.append(f"the anchor counts {anchor.count} events, and {seq} are here")
    return found
