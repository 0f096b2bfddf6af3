"""One pass over a registry: the chain of events and their signatures, then the tables and the journals, compared with what
the events say.

Anyone who can write to the database can also rewrite the whole chain with new hashes, and sign it with other keys. To
notice that, keep an anchor (the number and hash of the last event) or the public keys where they cannot reach them, and
give them here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, select

from volition.core.document import parse_json
from volition.workflow.store.tables import EVENT, PROJECT
from volition.workflow.store.turn import ORIGIN, event_hash
from volition.workflow.verification.account import Account
from volition.workflow.verification.journals import journal_faults
from volition.workflow.verification.signatures import KeyUse, SignatureAccount
from volition.workflow.verification.tables import table_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from volition.core.ledger import Anchor
    from volition.workflow.store.database import Store


@dataclass(frozen=True, slots=True)
class RegistryVerification:
    """What was found: the number of events, the hash of the last one, and everything that does not fit."""

    project: str
    count: int
    head: str
    faults: tuple[str, ...]
    keys: Mapping[str, KeyUse]
    """Every public key that has signed, with what it has signed."""
    unsigned: int
    """How many events are of an older version, which signed none."""

    @property
    def intact(self) -> bool:
        return not self.faults

    def to_data(self) -> dict[str, Any]:
        return {
            "project": self.project, "intact": self.intact, "count": self.count, "head": self.head,
            "faults": list(self.faults), "unsigned": self.unsigned,
            "keys": {key: {"count": use.count, "names": sorted(use.names)} for key, use in self.keys.items()},
        }  # fmt: skip

    def __str__(self) -> str:
        found = "\n".join(f"broken: {fault}" for fault in self.faults) or "intact"
        lines = [
            f"  {use.count} signed with {key[:16]}... in the name of {', '.join(sorted(use.names))}"
            for key, use in self.keys.items()
        ]
        lines += [f"  {self.unsigned} not signed: they are of an older version"] if self.unsigned else []
        return "\n".join([found, f"  events: {self.count}", *lines, f"  anchor: {self.count}:{self.head}"])


def verify_registry(
    store: Store,
    project: str,
    anchor: Anchor | None = None,
    *,
    journals: Iterable[str | PathLike[str]] = (),
    keys: Mapping[str, str] | None = None,
) -> RegistryVerification:
    """Compute every hash again, check every signature, and compare all tables with what the events say; and the journals,
    if some are given. `keys` are public keys by the names that they belong to, as far as they are known from elsewhere.

    The journals must be those of all drivers of the project, because a result that none of them has is a fault. Each comparison
    needs what the one before it has found intact.
    """
    with store.read() as connection:
        row = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).one()
        account, signatures, faults = Account(), SignatureAccount(keys or {}), list[str]()
        seq, head = 0, ORIGIN
        for event in connection.execute(select(EVENT).where(EVENT.c.project == project).order_by(EVENT.c.seq)):
            seq += 1
            head = event_hash(
                head, project, event.seq, event.at, event.actor, event.what, event.subject, event.body, event.signer
            )
            if event.seq != seq or event.hash != head:
                faults.append(f"event {seq} is missing" if event.seq != seq else f"event {seq} was changed")
                break
            if anchor is not None and anchor.count == seq and anchor.hash != head:
                faults.append(f"event {seq}, or one before it, was rewritten: the anchor has another hash")
            signatures.hear(event)
            account.hear(event.what, event.subject, event.actor, parse_json(event.body))
        faults += signatures.faults()
        if not faults:
            faults += _end_faults(row, seq, head, anchor)
            faults += table_faults(connection, project, account)
        if not faults:
            faults += journal_faults(connection, project, account, journals)
    return RegistryVerification(project, seq, head, tuple(faults), signatures.keys, signatures.unsigned)


def _end_faults(row: Row[Any], seq: int, head: str, anchor: Anchor | None) -> list[str]:
    found = []
    if (row.seq, row.head) != (seq, head):
        found.append(f"the project counts {row.seq} events, and {seq} are here")
    if anchor is not None and anchor.count > seq:
        found.append(f"the anchor counts {anchor.count} events, and {seq} are here")
    return found
