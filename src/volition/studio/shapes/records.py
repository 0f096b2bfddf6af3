"""What is in the folder: runs, journals, evaluations, ensembles and other ledgers."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from volition.studio.shapes.govern import EvaluationShape, GovernAgain  # noqa: TC001  msgspec reads the annotations

Kind = Literal["run", "journal", "evaluation", "ensemble", "ledger"]
Checked = Literal["nothing", "chain", "whole"]
"""How far a record was checked: not at all, every byte against the chain, or its content as well."""


class RunBrief(Struct, frozen=True):
    """A run by its header; `ending` is None where it has none."""

    scenario: str
    seed: int
    ticks: int
    ending: str | None
    rules: int
    interference: list[str]


class JournalBrief(Struct, frozen=True):
    """A journal in numbers, None where it is too large to be counted for a list; and the settings of its first run, None
    for those that it does not record."""

    runs: int | None
    attempts: int | None
    executor: str | None = None
    map: str | None = None
    seed: int | None = None
    goal: str | None = None


class EvaluationBrief(Struct, frozen=True):
    """An evaluation by its result."""

    result_id: str
    intent_set_id: str
    created_at: str
    strategy: str
    intents: int
    conflicts: int
    questions: int


class EnsembleBrief(Struct, frozen=True):
    """An ensemble by its plan; `settings` are those that were swept."""

    scenario: str
    evenings: int
    points: int
    settings: list[str]
    finished: bool


class RecordShape(Struct, frozen=True):
    """One record in the folder. `intact` is None where nothing was checked; `place` is relative to the folder.

    `live` says that it is being written now, here or by another process; `stoppable`, that this studio plays it and can
    stop it. One of `run`, `journal`, `evaluation` and `ensemble` is there, by its `kind`, unless a `fault` kept it from
    being read.
    """

    id: str
    kind: Kind
    name: str
    place: str
    bytes: int
    modified: float
    live: bool = False
    intact: bool | None = None
    checked: Checked = "nothing"
    fault: str | None = None
    stoppable: bool = False
    run: RunBrief | None = None
    journal: JournalBrief | None = None
    evaluation: EvaluationBrief | None = None
    ensemble: EnsembleBrief | None = None


class RecordList(Struct, frozen=True):
    """The records that were found. `left_out` counts those beyond the end of the list."""

    folder: str
    records: list[RecordShape]
    left_out: int = 0


class RecordDetail(Struct, frozen=True):
    """A record with its content: a journal's summary, or an evaluation.

    `asked` is what the evaluation was made from, to be sent to POST /govern with `choices`; None where it was not kept.
    """

    record: RecordShape
    summary: dict[str, Any] | None = None
    evaluation: EvaluationShape | None = None
    asked: GovernAgain | None = None
