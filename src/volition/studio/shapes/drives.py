"""A drive as pages watch it: the arena, the intents and what came of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.studio.shapes.problems import ProblemShape  # noqa: TC001  msgspec reads the annotations


class DriveAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """A drive through the arena, in this process or in a JVM, where time is always real.

    `goal` is "opponent", or a place "X,Y" in tiles; `journal` records it.
    """

    executor: Literal["embedded", "java"] = "embedded"
    map: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,40}\Z")] = "courtyard"
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0
    steps: Annotated[int, Meta(ge=1, le=5000)] = 300
    goal: Annotated[str, Meta(min_length=1, max_length=40)] = "opponent"
    pace: Literal["real", "fast"] = "real"
    journal: bool = True


class MapShape(Struct, frozen=True):
    """A map that ships; `legend` says what its letters mean."""

    name: str
    rows: list[str]
    legend: dict[str, str]


class Bin(Struct, frozen=True):
    """So many results took from `low` up to `high` microseconds, `lasting` of them because the attempt itself did."""

    low: int
    high: int
    count: int
    lasting: int


class LatencyShape(Struct, frozen=True):
    """How long the executor's `results` took, in microseconds: each is in one bin, `lasting` of them because the attempt
    itself did. `p50` and `p99` are of those that were given at once; None where none was."""

    p50: float | None
    p99: float | None
    results: int
    lasting: int
    bins: list[Bin]


class OutcomeShape(Struct, frozen=True):
    """What became of an intent; `answered` is false where the executor did not say it."""

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
    """One step: what was seen, chosen and why, what came of it; and the counts so far.

    `state` is the arena's state after it, without the map; `picture` the same as text. `outcome` is None where the
    pilot waited.
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
    picture: str
    course: dict[str, Any]


class DriveShape(Struct, frozen=True):
    """A drive so far. `steps_kept` are the numbers of the first and last step whose decision can still be asked for."""

    id: str
    executor: str
    map: MapShape
    seed: int
    most_steps: int
    goal: str
    pace: str
    state: Literal["running", "done", "stopped", "failed"]
    problem: ProblemShape | None
    steps: int
    steps_kept: tuple[int, int] | None
    course: dict[str, Any]
    latency: LatencyShape | None
    journal: str | None
    last: DriveStep | None
