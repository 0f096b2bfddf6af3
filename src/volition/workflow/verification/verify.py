"""One pass over a registry: all events happen again, from the first one, by the law; then every row is compared with what
came of them, and the journals of drivers too. Where events were archived, the pass begins with the rows that they led to, or with the
archives if they are given; and archives are verified without a registry too.

Anyone who can write to the database can also rewrite the whole chain with new hashes, and sign it with other keys. To
notice that, keep an anchor (the number and hash of the last event) or the public keys where they cannot reach them, and
give them here.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import select

from volition.core.errors import refuse
from volition.workflow.store.events import stored_events
from volition.workflow.store.files import ARCHIVE, find_checkpoint, read_sealed
from volition.workflow.store.tables import PROJECT
from volition.workflow.verification.archives import (
    checkpoint_fault,
    continuation_faults,
    read_archives,
    replay_archives,
)
from volition.workflow.verification.journals import journal_faults
from volition.workflow.verification.replay import EventReplay, KeyUse
from volition.workflow.verification.tables import table_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from sqlalchemy import Connection

    from volition.core.ledger import Anchor
    from volition.workflow.store.database import Store
    from volition.workflow.store.rows import CheckpointRow


class RegistryVerification(Struct, frozen=True):
    """What was found: the number of events, the hash of the last one, and everything that does not fit."""

    project: str
    count: int
    head: str
    faults: tuple[str, ...]
    keys: dict[str, KeyUse] = {}
    """Every public key that has signed, with what it has signed."""
    not_judged: int = 0
    """How many plans and flows were judged by an older version, whose judgement cannot be repeated."""
    remarks: tuple[str, ...] = ()
    """What is lawful and still worth a look: the clock was set back, or somebody got a key from somebody else."""

    @property
    def intact(self) -> bool:
        return not self.faults

    def to_data(self) -> dict[str, Any]:
        keys = {key: {"count": use.count, "names": sorted(use.names)} for key, use in self.keys.items()}
        return {
            "project": self.project, "intact": self.intact, "count": self.count, "head": self.head,
            "faults": list(self.faults), "not_judged": self.not_judged, "remarks": list(self.remarks), "keys": keys,
        }  # fmt: skip

    def __str__(self) -> str:
        verdict = "\n".join(f"broken: {fault}" for fault in self.faults) or "intact"
        lines = [
            f"  {use.count} signed with {key[:16]}... in the name of {', '.join(sorted(use.names))}"
            for key, use in self.keys.items()
        ]
        lines += (
            [f"  {self.not_judged} judgements are of an older version, and not repeated"] if self.not_judged else []
        )
        lines += [f"  look at {remark}" for remark in self.remarks]
        return "\n".join([verdict, f"  events: {self.count}", *lines, f"  anchor: {self.count}:{self.head}"])


def verify_registry(
    store: Store,
    project: str,
    anchor: Anchor | None = None,
    *,
    journals: Iterable[str | PathLike[str]] = (),
    keys: Mapping[str, str] | None = None,
    archives: Iterable[str | PathLike[str]] = (),
) -> RegistryVerification:
    """Let everything happen again: every hash, every signature, who was entitled, in which order, by which clock; then compare
    every column of every row, and the journals, if some are given.

    `keys` are public keys by the names that they belong to, as far as they are known from elsewhere: a name must have begun with
    that key, and must have acted. The journals must be those of all drivers of the project, because a result that none of them has is a fault. Each
    comparison needs what the one before it has found intact.

    `archives` are the files with the events that are not here any more. Without them the replay begins with the checkpoint whose hash
    a keeper has signed, and `remarks` say what could not be checked; journals are then not compared.
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
        make = partial(EventReplay, project, store.clock(connection), anchor, keys or {})
        folders = list(journals)
        replay = replay_registry(connection, project, make, [Path(file) for file in archives])
        if not replay.faults:
            replay.faults += replay.end_faults(row.seq, row.head)
            replay.faults += table_faults(connection, replay.rows)
        if not replay.faults and not replay.rows.began:
            replay.faults += journal_faults(connection, replay, folders)
        elif folders and not replay.faults:
            replay.remarks.append("the journals: some of their requests are in the archive, and they were not compared")
    return _verification(replay)


def verify_archives(
    files: Sequence[str | PathLike[str]], anchor: Anchor | None = None, *, keys: Mapping[str, str] | None = None
) -> RegistryVerification:
    """Verify archives of one project without its registry: let everything in them happen again, from the first event on or, where
    the archives before them are not given, from the rows with which they begin."""
    paths = [Path(file) for file in files]
    first = read_sealed(paths[0], ARCHIVE)
    (project,) = first.events
    archives, faults = read_archives(paths, project)
    now = max((archive.at for archive in archives), default=0)
    make = partial(EventReplay, project, now, anchor, keys or {})
    replay = replay_archives(archives, project, make) if not faults else make(None)
    replay.faults += faults
    if not replay.faults:
        replay.faults += replay.end_faults(replay.seq, replay.head)
    return _verification(replay)


def replay_registry(
    connection: Connection,
    project: str,
    make: Callable[[CheckpointRow | None], EventReplay],
    archives: Sequence[Path] = (),
) -> EventReplay:
    """Everything that follows from the events of a project, in archives and in its registry."""
    checkpoint = find_checkpoint(connection, project)
    fault = checkpoint_fault(connection, checkpoint) if checkpoint is not None else ""
    if fault:
        replay = make(None)
        replay.faults.append(fault)
        return replay
    if archives:
        archived, faults = read_archives(archives, project)
        replay = replay_archives(archived, project, make) if not faults else make(None)
        replay.faults += faults
        if not replay.faults:
            replay.faults += continuation_faults(checkpoint, replay)
    else:
        replay = make(checkpoint)
    if not replay.faults:
        replay.read(stored_events(connection, project))
    if not replay.faults and checkpoint is not None and checkpoint.through not in replay.archives.told:
        replay.faults.append(f"no event tells of the archive up to event {checkpoint.through}; expected one")
    return replay


def _verification(replay: EventReplay) -> RegistryVerification:
    return RegistryVerification(
        replay.project, replay.seq, replay.head, tuple(replay.faults), replay.keys, replay.not_judged,
        tuple(replay.remarks),
    )  # fmt: skip
