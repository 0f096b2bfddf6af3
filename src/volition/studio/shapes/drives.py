"""A drive as pages show it: the arena, the intents and their results."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.core.errors import Problem  # noqa: TC001  msgspec reads the annotations
from volition.execution.arena.pilot.latency import Bin  # noqa: TC001


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
