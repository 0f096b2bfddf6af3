"""Archives in a replay: their events happen one archive after the other, and each goes on where the one before it ends.

A registry of which events were archived begins with a checkpoint: the rows after the last of them. With the archives everything
happens from the first event on, and has to lead to that checkpoint.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from volition.core.errors import VolitionError
from volition.workflow.store.checkpoints import make_checkpoint, memory_rows, rows_digest
from volition.workflow.store.sealed import ARCHIVE, SealedFile, read_sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from volition.workflow.store.rows import CheckpointRow
    from volition.workflow.verification.replay import EventReplay

    ReplayMaker = Callable[[CheckpointRow | None], EventReplay]


def read_archives(files: Iterable[Path], project: str) -> tuple[list[SealedFile], list[str]]:
    """The archives of a project in their order, and what is wrong with those that cannot be read."""
    found, faults = list[SealedFile](), list[str]()
    for file in files:
        try:
            made = read_sealed(file, ARCHIVE)
        except VolitionError as error:
            problem = error.problems[0]
            faults.append(f"the archive {file}: {problem.what}; expected {problem.expected}")
            continue
        if project in made.events:
            found.append(made)
        else:
            faults.append(f"the archive {file} is of {', '.join(made.events)}; expected one of {project}")
    return sorted(found, key=lambda made: _begin_of(made, project)), faults


def replay_archives(archives: Sequence[SealedFile], project: str, make: ReplayMaker) -> EventReplay:
    """Let the events of archives happen, one archive after the other, until something is a fault."""
    replay = make(archives[0].checkpoints.get(project))
    for place, archive in enumerate(archives):
        if not replay.faults and place:
            replay.faults += _gap_faults(archive, replay)
        if not replay.faults:
            replay.read(SimpleNamespace(**event) for event in archive.events[project])
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
    found = rows_digest(memory_rows(replay.rows))
    if replay.faults or (sealed.events, sealed.head, sealed.rows) == (replay.seq, replay.head, found):
        return []
    return [f"its last line tells of {sealed.events} events; expected {replay.seq}, with their hash and rows"]
