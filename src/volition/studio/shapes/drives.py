"""Drives and their journals as pages show them: the arena, the intents and their results, moment by moment."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.core.errors import Problem  # noqa: TC001  msgspec reads the annotations
from volition.execution.worlds.pilot.course import Bin  # noqa: TC001


class DriveAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """A drive through the arena, in this process or in a JVM, where time is always real.

    `goal` is "opponent", or a place "X,Y" in tiles; with `journal` the drive is recorded.
    """

    executor: Literal["embedded", "java"] = "embedded"
    map: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,40}\Z")] = "courtyard"
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0
    steps: Annotated[int, Meta(ge=1, le=5000)] = 300
    goal: Annotated[str, Meta(min_length=1, max_length=40)] = "opponent"
    pace: Literal["real", "fast"] = "real"
    journal: bool = True


class MapShape(Struct, frozen=True):
    """A map of the arena; `legend` explains its letters."""

    name: str
    rows: list[str]
    legend: dict[str, str]


class LatencyShape(Struct, frozen=True):
    """How long the executor's `results` took, in microseconds: each is in one bin, `lasting` of them because the attempt
    itself lasted. `p50` and `p99` are of the immediate results, None where there are none."""

    p50: float | None
    p99: float | None
    results: int
    lasting: int
    bins: list[Bin]


class OutcomeShape(Struct, frozen=True):
    """The result of an intent; `answered` is false where the executor did not say."""

    intent: str
    parameters: Any
    status: str
    reason: str
    label: str
    detail: str
    answered: bool
    elapsed_us: float
    violations: list[str]


class DriveStep(Struct, frozen=True):
    """One step: what was chosen and why, its outcome, and the counts so far.

    `state` is the arena's state after the step, without the map, and `picture` the same as text. `outcome` is None where
    the pilot waited.
    """

    number: int
    tick: int
    episode: int
    chosen: str | None
    why: str
    rival: str | None
    vetoed: int
    outcome: OutcomeShape | None
    verdict: str
    because: str
    state: Any
    picture: str | None
    course: dict[str, Any]


class DriveShape(Struct, frozen=True):
    """A drive so far. `steps_kept` are the numbers of the first and last step whose decision is still available."""

    id: str
    executor: str
    map: MapShape
    seed: int
    most_steps: int
    goal: str
    pace: str
    state: Literal["running", "done", "stopped", "failed"]
    problem: Problem | None
    steps: int
    steps_kept: tuple[int, int] | None
    course: dict[str, Any]
    latency: LatencyShape | None
    journal: str | None
    last: DriveStep | None


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
