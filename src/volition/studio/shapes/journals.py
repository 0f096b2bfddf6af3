"""A journal as pages show it: its runs, and what was seen and done in each, moment by moment."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from volition.studio.shapes.drives import MapShape, OutcomeShape  # noqa: TC001  msgspec reads the annotations


class RunSettings(Struct, frozen=True):
    """What the first record of a run says about it, None for what it does not say."""

    map: str | None = None
    seed: int | None = None
    goal: str | None = None
    pace: str | None = None


class JournalRun(Struct, frozen=True):
    """One run of a journal. `closed` says that it was closed properly; `map` is None where no state of it had one."""

    run: int
    executor: str | None
    seed: int | None
    goal: str | None
    pace: str | None
    map: MapShape | None
    closed: bool
    attempts: int
    moments: int


class JournalShape(Struct, frozen=True):
    """A journal: `live` while it is being written; `intact` is None where it was not checked. `left_out` counts the moments
    beyond the limit."""

    id: str
    live: bool
    intact: bool | None
    runs: list[JournalRun]
    left_out: int


class JournalAttempt(Struct, frozen=True):
    """An attempt: what was asked, its outcome and its reward."""

    ticket: int
    purpose: str
    outcome: OutcomeShape
    reward: float
    parts: dict[str, float]
    terminated: bool
    truncated: bool


class JournalMoment(Struct, frozen=True):
    """A state and the attempt that led to it, if any. `record` is its number in the ledger.

    `state` is without the map; `picture` is the same as text, None where it is not a state of the arena.
    """

    number: int
    record: int
    tick: int | None
    episode: int | None
    state: Any
    picture: str | None
    attempt: JournalAttempt | None


class JournalMoments(Struct, frozen=True):
    """The moments of a run after a number; `total` is how many the run has."""

    run: int
    after: int
    total: int
    moments: list[JournalMoment]
