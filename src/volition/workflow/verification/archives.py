"""Archives in a replay: their events happen one archive after the other, and each goes on where the one before it ends.

A registry of which events were archived begins with a checkpoint: the rows after the last of them, whose hash a keeper has signed in
an `archived` event. With the archives everything happens from the first event on, and has to lead to that checkpoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from volition.core.document import parse_json
from volition.core.errors import InvalidInput, VolitionError
from volition.workflow.store.files import ARCHIVE, SealedFile, make_checkpoint, read_sealed, rows_digest, text_digest
from volition.workflow.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from volition.workflow.store.rows import CheckpointRow
    from volition.workflow.verification.replay import EventReplay

    ReplayMaker = Callable[[CheckpointRow | None], EventReplay]


def checkpoint_fault(connection: Connection, checkpoint: CheckpointRow) -> str:
    """Why a checkpoint is not the one that a keeper has signed; empty if it is. Whether that event is lawful, the replay says."""
    wanted = select(EVENT).where(EVENT.c.project == checkpoint.project, EVENT.c.what == "archived")
    if not isinstance(checkpoint.rows, str):
        return f"the checkpoint after event {checkpoint.through} was changed: its rows are no text; expected a text"
    through, digest = checkpoint.through, text_digest(checkpoint.rows)
    for row in connection.execute(wanted.order_by(EVENT.c.seq.desc())):
        body = _read_body(row.body)
        if body.get("through") == through:
            for signed, found, what in (
                ("rows", digest, "its rows have"),
                ("head", checkpoint.head, "its last event has"),
            ):
                if body.get(signed) != found:
                    expected = f"{str(body.get(signed))[:16]}... by event {row.seq} (archived, by {row.actor})"
                    return f"the checkpoint after event {through} was changed: {what} the hash {str(found)[:16]}...; expected {expected}"
            return ""
    return f"events up to {through} are missing; expected an event that says in which archive they are"


def _read_body(body: object) -> dict[str, Any]:
    try:
        data = parse_json(str(body))
    except InvalidInput:
        return {}
    return data if isinstance(data, dict) else {}


def read_archives(files: Iterable[Path], project: str) -> tuple[list[SealedFile], list[str]]:
    """The archives of a project in their order, and what is wrong with those that cannot be read."""
    archives, faults = list[SealedFile](), list[str]()
    for file in files:
        try:
            archive = read_sealed(file, ARCHIVE)
        except VolitionError as error:
            problem = error.problems[0]
            faults.append(f"the archive {file}: {problem.what}; expected {problem.expected}")
            continue
        if project in archive.events:
            archives.append(archive)
        else:
            faults.append(f"the archive {file} is of {', '.join(archive.events)}; expected one of {project}")
    return sorted(archives, key=lambda archive: _begin_of(archive, project)), faults


def replay_archives(archives: Sequence[SealedFile], project: str, make: ReplayMaker) -> EventReplay:
    """Let the events of archives happen, one archive after the other, until something is a fault."""
    replay = make(archives[0].checkpoints.get(project))
    for place, archive in enumerate(archives):
        if not replay.faults and place:
            replay.faults += _gap_faults(archive, replay)
        if not replay.faults:
            replay.read(archive.events[project])
            replay.mark(archive.sha256)
            replay.faults += _seal_faults(archive, replay)
        if replay.faults:
            replay.faults[:] = [f"the archive {archive.file}: {fault}" for fault in replay.faults]
            break
    return replay


def _begin_of(archive: SealedFile, project: str) -> int:
    return archive.checkpoints[project].through if project in archive.checkpoints else 0


def _gap_faults(archive: SealedFile, replay: EventReplay) -> list[str]:
    begin = _begin_of(archive, replay.project)
    if begin != replay.seq:
        return [f"it begins after event {begin}; expected one that begins after event {replay.seq}"]
    return continuation_faults(archive.checkpoints[replay.project], replay)


def continuation_faults(checkpoint: CheckpointRow | None, replay: EventReplay) -> list[str]:
    """Why what begins with a checkpoint does not go on where a replay ends."""
    begin = checkpoint.through if checkpoint is not None else 0
    if checkpoint is None or begin != replay.seq:
        return [f"the archives end with event {replay.seq}, and what follows begins after event {begin}; expected all"]
    if checkpoint.head != replay.head:
        wrong = f"event {begin} has the hash {replay.head[:16]}..."
        return [f"it is another archive than the one that was made: {wrong}; expected {checkpoint.head[:16]}..."]
    if checkpoint.rows != make_checkpoint(replay.rows).rows:
        return [f"the checkpoint after event {begin} was changed; expected the rows to which the archive leads"]
    return []


def _seal_faults(archive: SealedFile, replay: EventReplay) -> list[str]:
    """What the last line of an archive says of it that is not so."""
    (sealed,) = (each for each in archive.projects if each.project == replay.project)
    digest = rows_digest(replay.rows.every())
    if replay.faults or (sealed.events, sealed.head, sealed.rows) == (replay.seq, replay.head, digest):
        return []
    return [f"its last line tells of {sealed.events} events; expected {replay.seq}, with their hash and rows"]
