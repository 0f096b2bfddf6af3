"""Restoring a backup: the events are taken back as they are, and all rows are built from them again by the law.

What happened after the backup is lost here, and not elsewhere: executors have seen higher numbers, and may have done more than
the events tell. So a restored project begins an epoch, in which every number is above all that were given before; and the flows
that were under way are abandoned, unless somebody who knows that all of its executors remember their requests keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, delete, insert, select

from volition.core.errors import BrokenRecord, did_you_mean, refuse
from volition.workflow.law.states import DRIVEN
from volition.workflow.law.transaction import ProjectTransaction
from volition.workflow.store.checkpoints import memory_rows, rows_digest
from volition.workflow.store.events import CLOCK
from volition.workflow.store.rows import KINDS, FlowRow, ProjectRow, values_of
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import CHECKPOINT, EVENT, TABLES
from volition.workflow.team.guard_index import index_file
from volition.workflow.verification.backup import replayed_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.workflow.store.database import Store
    from volition.workflow.store.sealed import SealedFile, SealedProject

EPOCH_BEGIN: Final = 1_767_225_600_000
"""The first minute of 2026. Epochs are minutes since then, so that a backup which is restored twice does not begin the same one."""
_AT_ONCE: Final = 500
"""How many rows are written with one statement."""


@dataclass(frozen=True, slots=True)
class RestoredProject:
    """A project that was restored. `abandoned` are the flows that were under way; `differs` tells that the tables, when they were
    backed up, were not what the events say: those that were restored are."""

    project: str
    events: int
    epoch: int
    abandoned: tuple[str, ...]
    differs: bool

    def to_data(self) -> dict[str, Any]:
        return {
            "project": self.project, "events": self.events, "epoch": self.epoch, "abandoned": list(self.abandoned),
            "differs": self.differs,
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.project}: {self.events} events, epoch {self.epoch}"]
        lines += [f"  abandoned: {flow}; look what was done of it since" for flow in self.abandoned]
        wrong = "  the tables were not what the events say when they were backed up; they are now"
        return "\n".join([*lines, *([wrong] if self.differs else [])])


def restore_backup(
    store: Store,
    backup: SealedFile,
    by: str,
    *,
    projects: Sequence[str] = (),
    replace: bool = False,
    keep_flows: bool = False,
) -> tuple[RestoredProject, ...]:
    """Restore all projects of a backup, or some, as their keeper; all of them or none.

    A project that the registry has already is refused, unless `replace`.
    """
    chosen = _choose(backup, projects)
    signer = store.signer
    with store.write() as connection:
        now, found = store.clock(connection), []
        for each in chosen:
            before = _make_room(connection, each.project, replace=replace)
            rows, differs = _bring_back(connection, backup, each, now)
            epoch = max(rows.epoch, before, (now - EPOCH_BEGIN) // 60_000 - 1) + 1
            transaction = ProjectTransaction(
                connection, each.project, now, rows.seq, rows.head, rows.at, signer, SqlRows(connection, each.project)
            )
            abandoned = _begin(transaction, epoch, by, backup.sha256, keep_flows=keep_flows)
            found.append(RestoredProject(each.project, each.events, epoch, abandoned, differs))
    index_file(store.address).unlink(missing_ok=True)  # the next guard makes another one
    return tuple(found)


def _choose(backup: SealedFile, projects: Sequence[str]) -> list[SealedProject]:
    known = [each.project for each in backup.projects]
    for name in projects:
        if name not in known:
            refuse(
                f"there is no project {name!r}", where=backup.file, expected="a project of the backup",
                remedy=did_you_mean(name, known),
            )  # fmt: skip
    return [each for each in backup.projects if not projects or each.project in projects]


def _make_room(connection: Connection, project: str, *, replace: bool) -> int:
    """Remove what a registry has of a project; the epoch that it had."""
    table = TABLES[ProjectRow]
    found = connection.execute(select(table).where(table.c.project == project).with_for_update()).first()
    if found is None:
        return 0
    if not replace:
        refuse(
            f"the registry has the project {project}, with {found.seq} events", where="registry",
            expected="a registry without it", remedy="name another registry, or give up what is here with --replace",
        )  # fmt: skip
    flows = TABLES[FlowRow]
    mine = select(flows.c.flow_id).where(flows.c.project == project)
    for each in (*(TABLES[kind] for kind in reversed(KINDS)), EVENT, CHECKPOINT):
        wanted = each.c.project == project if "project" in each.c else each.c.flow_id.in_(mine)
        connection.execute(delete(each).where(wanted))
    return int(found.epoch)


def _bring_back(connection: Connection, backup: SealedFile, each: SealedProject, now: int) -> tuple[ProjectRow, bool]:
    """Write the events and, by the law, all rows; and say whether the rows are others than those that were backed up."""
    events = backup.events[each.project]
    if each.project in backup.checkpoints:
        connection.execute(insert(CHECKPOINT), values_of(backup.checkpoints[each.project]))
    for first in range(0, len(events), _AT_ONCE):
        connection.execute(insert(EVENT), events[first : first + _AT_ONCE])
    # The clock of this machine may be behind: what comes next says that it was set back.
    latest = max((event["at"] for event in events), default=0)
    replay = replayed_rows(connection, each.project, max(now, latest))
    faults = list(replay.faults)
    if not faults and (replay.seq, replay.head) != (each.events, each.head):
        faults.append(f"it counts {each.events} events, and {replay.seq} are here")
    if faults:
        raise BrokenRecord.of(
            f"the events of {each.project} do not follow from each other: {faults[0]}", where=backup.file,
            expected="events that `volition flow verify` found intact", remedy="restore another backup",
        )  # fmt: skip
    for kind in KINDS:
        rows = [values_of(row) for row in replay.rows.all(kind)]
        for first in range(0, len(rows), _AT_ONCE):
            connection.execute(insert(TABLES[kind]), rows[first : first + _AT_ONCE])
    project = replay.rows.find(ProjectRow)
    assert project is not None
    return project, rows_digest(memory_rows(replay.rows)) != each.rows


def _begin(transaction: ProjectTransaction, epoch: int, by: str, seal: str, *, keep_flows: bool) -> tuple[str, ...]:
    """Begin the epoch, and abandon what was under way: nobody knows what was done of it after the backup."""
    if transaction.now < transaction.before:
        transaction.record("set back", transaction.project, CLOCK)
    transaction.record("restored", transaction.project, by, epoch=epoch, backup=seal)
    abandoned = []
    for flow in transaction.rows.all(FlowRow):
        if flow.state in DRIVEN and not keep_flows:
            transaction.record("abandoned", flow.flow_id, by, why="the registry was restored from a backup")
            abandoned.append(flow.flow_id)
    transaction.flush()
    return tuple(abandoned)
