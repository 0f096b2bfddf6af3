"""Archiving: the first events of a project leave the registry for a sealed file, and the rows to which they led are kept.

All rows stay: a plan that was finished years ago may be what another one waits for. The file is written and durable before any
event is removed, so a crash leaves all events in the registry, in the file, or in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict
from sqlalchemy import delete, func, insert, select

from volition.core.errors import BrokenRecord, NotPossible, refuse
from volition.core.typed import DataStruct
from volition.workflow.law.members import check_actor, need_role
from volition.workflow.store.events import RecordedEvent, moment, stored_events
from volition.workflow.store.files import (
    ARCHIVE,
    ProjectEnd,
    find_checkpoint,
    make_checkpoint,
    refuse_taken,
    text_digest,
    write_sealed,
)
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import CHECKPOINT, EVENT
from volition.workflow.verification.replay import EventReplay
from volition.workflow.verification.verify import verify_registry

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from volition.workflow.law.transaction import ProjectTransaction
    from volition.workflow.store.rows import CheckpointRow, EventRow
    from volition.workflow.team.team import Team


class ArchiveReport(DataStruct, frozen=True):
    """What was archived: the events of a project after `after` and up to `through`."""

    file: str
    sha256: str
    project: str
    after: int
    through: int
    head: str

    def __str__(self) -> str:
        lines = [f"{self.file}: events {self.after + 1} to {self.through} of {self.project}, sealed {self.sha256}"]
        return "\n".join([*lines, f"  anchor: {self.through}:{self.head}"])


def archive_events(team: Team, file: Path, before: int, by: str) -> ArchiveReport:
    """Move all events up to the last one before a time (milliseconds since 1970) to a new file, as a keeper.

    A registry that is not intact is refused with BrokenRecord: an archive would seal what is broken.
    """
    refuse_taken(file)
    with team.store.read() as connection:
        _need_keeper(team, connection, by)
    _need_intact(team)
    with team.store.read() as connection:
        earlier, end = find_checkpoint(connection, team.project), _last_before(team, connection, before)
        now = team.store.clock(connection)
        replay = EventReplay(team.project, now, None, {}, earlier)
        events = list(stored_events(connection, team.project, through=end))
        replay.read(events)
        replay.mark()
        checkpoint = make_checkpoint(replay.rows)
    head = {"format": ARCHIVE, "at": now, "registry": str(team.store.address), "projects": [team.project]}
    lines: list[CheckpointRow | EventRow] = [*([earlier] if earlier is not None else []), *events]
    digest = text_digest(checkpoint.rows)
    seal = write_sealed(file, head, lines, [ProjectEnd(team.project, end, checkpoint.head, digest)])
    team.prepare()
    with team.transaction() as transaction:
        try:
            _need_unchanged(transaction, checkpoint)
            transaction.record(
                "archived", team.project, by,
                through=end, head=checkpoint.head, rows=digest, seal=seal, file=file.name,
            )  # fmt: skip
            transaction.flush()
            _remove_events(transaction, checkpoint)
        except BaseException:
            # Nothing is committed yet. If committing fails, nobody knows whether it was, and the file stays.
            file.unlink()
            raise
    after = earlier.through if earlier is not None else 0
    return ArchiveReport(str(file), seal, team.project, after, end, checkpoint.head)


def _need_keeper(team: Team, connection: Connection, by: str) -> None:
    """Refuse whoever may not archive before anything is written."""
    rows = SqlRows(connection, team.project)
    event = RecordedEvent(0, 0, by, "archived", team.project, {}, "", team.store.signer.public)
    check_actor(rows, event)
    need_role(rows, event, "keeper")


def _need_intact(team: Team) -> None:
    verification = verify_registry(team.store, team.project)
    if not verification.intact:
        raise BrokenRecord.of(
            f"the record is broken: {verification.faults[0]}", where=team.project, expected="one that `volition flow verify` finds intact",
            remedy="find out who changed it, or restore a backup",
        )  # fmt: skip


def _last_before(team: Team, connection: Connection, before: int) -> int:
    """The last event before a time. All events of one transaction have one time, so no transaction is cut in two."""
    wanted = select(func.max(EVENT.c.seq)).where(EVENT.c.project == team.project, EVENT.c.at < before)
    last = connection.execute(wanted).scalar()
    if last is None:
        refuse(
            f"no event is older than {moment(before)}", where=team.project, expected="events before that time",
            remedy="choose a later date",
        )  # fmt: skip
    return int(last)


def _need_unchanged(transaction: ProjectTransaction, checkpoint: CheckpointRow) -> None:
    """Refuse to go on if the events were archived or replaced meanwhile."""
    wanted = select(EVENT.c.hash).where(EVENT.c.project == transaction.project, EVENT.c.seq == checkpoint.through)
    if transaction.connection.execute(wanted).scalar() != checkpoint.head:
        raise NotPossible.of(
            f"event {checkpoint.through} is no longer there: another process has archived or restored it",
            where=transaction.project,
            expected="the events that were read",
            remedy="look at the history, and try again",
        )


def _remove_events(transaction: ProjectTransaction, checkpoint: CheckpointRow) -> None:
    mine = (EVENT.c.project == transaction.project, EVENT.c.seq <= checkpoint.through)
    transaction.connection.execute(delete(EVENT).where(*mine))
    transaction.connection.execute(delete(CHECKPOINT).where(CHECKPOINT.c.project == transaction.project))
    transaction.connection.execute(insert(CHECKPOINT), asdict(checkpoint))
