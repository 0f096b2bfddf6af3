"""A journal as pages look at it: its runs, and what was seen and done in each, moment by moment."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from volition.studio.shapes.drives import MapShape, OutcomeShape  # noqa: TC001  msgspec reads the annotations


class JournalRun(Struct, frozen=True):
    """One run: who acted, and what the run says of itself, None where it does not. `closed` says that it ended in order."""

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
    """A journal: `live` while it is being written; `intact` is None where that was not checked. `left_out` moments are
    not shown, because there are too many."""

    id: str
    live: bool
    intact: bool | None
    runs: list[JournalRun]
    left_out: int


class JournalAttempt(Struct, frozen=True):
    """An attempt: what was asked and came of it, and what it was worth."""

    ticket: int
    purpose: str
    outcome: OutcomeShape
    reward: float
    parts: dict[str, float]
    terminated: bool
    truncated: bool


class Moment(Struct, frozen=True):
    """A state and the attempt that led to it, if one did. `record` is its number in the ledger.

    `state` is without the map; `picture` the same as text, None where it is not a state of the arena.
    """

    number: int
    record: int
    tick: int | None
    episode: int | None
    state: Any
    picture: str | None
    attempt: JournalAttempt | None


class Moments(Struct, frozen=True):
    """Some moments of a run, those after a number; `total` is how many the run has."""

    run: int
    after: int
    total: int
    moments: list[Moment]
