"""Forks as acts of people: who forked which run, by the signature beside the branch, and whether that signature counts; a branch
without one is an act of somebody unknown."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from volition.core.ledger.signature import read_signature
from volition.core.signing import name_fault
from volition.studio.acts import ActShape, when

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from volition.core.ledger.signature import LedgerSignature
    from volition.studio.answerer import KeysOf
    from volition.studio.records import RecordShape

GONE = "its signature was taken away"
REPLACED = "another key signed it than the one that was noted when it was made"


def fork_acts(
    runs: Iterable[tuple[RecordShape, Path]], noted: Mapping[str, ActShape], keys_of: KeysOf
) -> list[ActShape]:
    """The forks among some runs, but for those that were noted here without a key; `noted` by the run that was made."""
    claimed = [(run, _claim(run, folder), noted.get(run.id)) for run, folder in runs]
    keys = keys_of({claim.by for _, claim, _ in claimed if claim is not None})
    return [
        ActShape(
            who=note.who if claim is None and note else claim.by if claim else "",
            what="fork",
            at=when(_seconds(claim, run), note),
            about=note.about if claim is None and note else claim.of if claim else _scenario(run),
            result=run.id,
            signer=None if claim is None else claim.key,
            fault=_fault(run, claim, note, keys),
        )
        for run, claim, note in claimed
        if claim is not None or (_is_branch(run) if note is None else note.signer is not None)
    ]


def _is_branch(run: RecordShape) -> bool:
    return run.run is not None and bool(run.run.interference)


def _scenario(run: RecordShape) -> str:
    """What is known of the run that a branch without a signature was made from."""
    return "" if run.run is None else run.run.scenario


def _claim(run: RecordShape, folder: Path) -> LedgerSignature | None:
    """Who says that they forked a run; of one with a fault, whatever its signature says."""
    if run.run is not None and run.run.signed is not None:
        return run.run.signed
    return read_signature(folder).signed if run.fault is not None else None


def _fault(
    run: RecordShape, claim: LedgerSignature | None, note: ActShape | None, keys: Mapping[str, Collection[str]]
) -> str | None:
    if claim is None:
        return None if note is None else GONE
    if run.fault is not None:
        return run.fault
    if note is not None and note.signer not in {None, claim.key}:
        return REPLACED
    return name_fault(claim.by, claim.key, keys) or None


def _seconds(claim: LedgerSignature | None, run: RecordShape) -> float:
    try:
        return run.modified if claim is None else datetime.fromisoformat(claim.time).timestamp()
    except ValueError:
        return run.modified
