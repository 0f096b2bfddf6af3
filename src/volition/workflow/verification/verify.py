"""One pass over a registry: all events happen again, from the first one, by the law; then every row is compared with what
came of them, and the journals of drivers too.

Anyone who can write to the database can also rewrite the whole chain with new hashes, and sign it with other keys. To
notice that, keep an anchor (the number and hash of the last event) or the public keys where they cannot reach them, and
give them here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from volition.core.errors import refuse
from volition.workflow.store.tables import PROJECT
from volition.workflow.verification.journals import journal_faults
from volition.workflow.verification.replay import EventReplay, KeyUse
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
    keys: Mapping[str, KeyUse] = field(default_factory=dict)
    """Every public key that has signed, with what it has signed."""
    not_judged: int = 0
    """How many plans and flows were judged by an older version, whose judgement cannot be repeated."""
    remarks: tuple[str, ...] = ()
    """What is lawful and still worth a look: the clock was set back, or somebody got a key from somebody else."""

    @property
    def intact(self) -> bool:
        return not self.faults

    def to_data(self) -> dict[str, Any]:
        return {
            "project": self.project, "intact": self.intact, "count": self.count, "head": self.head,
            "faults": list(self.faults), "not_judged": self.not_judged,
            "remarks": list(self.remarks),
            "keys": {key: {"count": use.count, "names": sorted(use.names)} for key, use in self.keys.items()},
        }  # fmt: skip

    def __str__(self) -> str:
        found = "\n".join(f"broken: {fault}" for fault in self.faults) or "intact"
        lines = [
            f"  {use.count} signed with {key[:16]}... in the name of {', '.join(sorted(use.names))}"
            for key, use in self.keys.items()
        ]
        lines += (
            [f"  {self.not_judged} judgements are of an older version, and not repeated"] if self.not_judged else []
        )
        lines += [f"  look at {remark}" for remark in self.remarks]
        return "\n".join([found, f"  events: {self.count}", *lines, f"  anchor: {self.count}:{self.head}"])


def verify_registry(
    store: Store,
    project: str,
    anchor: Anchor | None = None,
    *,
    journals: Iterable[str | PathLike[str]] = (),
    keys: Mapping[str, str] | None = None,
) -> RegistryVerification:
    """Let everything happen again: every hash, every signature, who was entitled, in which order, by which clock; then compare
    every column of every row, and the journals, if some are given.

    `keys` are public keys by the names that they belong to, as far as they are known from elsewhere: a name must have begun with
    that key, and must have acted. The journals must be those of all drivers of the project, because a result that none of them has is a fault. Each
    comparison needs what the one before it has found intact.
    """
    with store.read() as connection:
        row = connection.execute(select(PROJECT).where(PROJECT.c.project == project)).first()
        if row is None:
            refuse(
                f"there is no project {project!r}",
                where=str(store.address),
                expected="a project of this registry",
                remedy="name another one",
            )
        replay = EventReplay(project, store.clock(connection), anchor, keys or {})
        replay.read(connection)
        faults = list(replay.faults)
        if not faults:
            faults += replay.end_faults(row)
            faults += table_faults(connection, replay.rows)
        if not faults:
            faults += journal_faults(connection, replay, journals)
    return RegistryVerification(
        project, replay.seq, replay.head, tuple(faults), replay.keys, replay.not_judged, tuple(replay.remarks)
    )
