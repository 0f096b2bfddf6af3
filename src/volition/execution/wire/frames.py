"""Every frame of the wire as a frozen type.

The bridge sends `hello`, `intent`, `cancel`, `state_request` and `reset`; the executor sends `welcome`, `reject`, `result`,
`progress`, `state` and `event`; both send `ping`, `pong`, `error` and `goodbye`. A test with the feature `probe` sends
`probe.read` and gets `probe.sight`. Unknown fields are ignored, so a minor version may add some; an unknown type is a
fault.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct, field

from volition.core.canonical import MAX_INTEGER
from volition.execution.wire.declared import Declaration  # noqa: TC001  msgspec reads the annotations

SPEC: Final = "1.0.0"
"""The version of the contract that this package implements; the major version must match."""

MAX_NAME: Final = 200
"""The maximum length of a name (agent, intent, party) in characters."""

LONGEST_COAST: Final = 5000
"""The longest time, in milliseconds, that an executor may declare its actor to coast."""

RESET: Final = "reset"
"""The feature of an executor that can begin an episode again with a seed."""

Id = Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Semver = Annotated[str, Meta(pattern=r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\Z", max_length=64)]
Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
Ttl = Annotated[int, Meta(ge=1, le=3_600_000)]
Share = Annotated[float, Meta(ge=0, le=1)]

RejectCode: TypeAlias = Literal["version", "token", "schema", "not_ready"]
MoveFrame: TypeAlias = Literal["relative", "absolute"]
Feature: TypeAlias = Literal["events", "next_state", "observe", "probe", "progress", "requests", "reset", "state_push"]
Vector: TypeAlias = tuple[float, float, float]

_FRAME: Final[dict[str, Any]] = {"frozen": True, "kw_only": True, "tag_field": "type", "omit_defaults": True}


class Party(Struct, frozen=True, kw_only=True):
    """Who is speaking: name and version."""

    name: Name
    version: str


class Places(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How an executor tells places, in states, in probes and in MOVE's vectors, and how exactly.

    >>> Places(unit="metre", up="z", handed="right", tolerance=0.05, coast_ms=300).tolerance
    0.05
    """

    unit: Literal["metre", "tile"]
    up: Literal["x", "y", "z"]
    """The axis that points up."""
    handed: Literal["right", "left"]
    """`right` where the third axis is the cross product of the first two, `left` where it is its opposite."""
    tolerance: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Places that are no further apart are the same place; 0 where places are exact."""
    coast_ms: Annotated[int, Meta(ge=0, le=LONGEST_COAST)] = 0
    """How long the actor may go on moving after whatever moved it has ended."""


class StateSchema(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Identifies the format of a state's data; sides with different hashes are incompatible."""

    name: Name
    version: str
    hash: Name
    places: Places | None = None
    """How places are told; None where the executor does not say."""


class EngineClock(Struct, frozen=True, kw_only=True):
    """What `engine_timestamp` counts. It is never compared with the bridge's clock."""

    unit: Literal["ns", "us", "ms", "s", "tick"]
    epoch: Literal["unix", "engine_start", "episode_start"]


class Limits(Struct, frozen=True, kw_only=True):
    """The size of a frame, of the window and of the result cache; the smaller frame limit of the two sides applies."""

    max_frame: Annotated[int, Meta(ge=1024, le=2**26)] = 2**20
    max_inflight: Annotated[int, Meta(ge=1, le=4096)] = 8
    result_cache: Annotated[int, Meta(ge=1, le=2**20)] = 1024


class Hello(Struct, tag="hello", **_FRAME):
    """The bridge's first frame."""

    spec: Semver
    client: Party
    features: tuple[str, ...] = ()
    state_schema: StateSchema | None = None
    token: str | None = None
    fences: dict[Name, Count] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Hello(spec={self.spec!r}, client={self.client!r}, token={'***' if self.token else None})"


class Welcome(Struct, tag="welcome", **_FRAME):
    """The executor accepts the bridge, and describes itself."""

    spec: Semver
    session: Name
    executor: Party
    engine: str
    tick_hz: Annotated[float, Meta(ge=0)]
    clock: EngineClock
    intents: tuple[str, ...]
    hold_supported: bool
    double_jump: bool
    move_frame: MoveFrame
    state_schema: StateSchema
    # Always written out: bridges written by others should not need to know the defaults.
    limits: Limits
    features: tuple[str, ...] = ()
    declares: tuple[Declaration, ...] = ()
    deterministic: bool = False


class Reject(Struct, tag="reject", **_FRAME):
    """The executor refuses the bridge; the connection ends."""

    code: RejectCode
    message: str
    supported: Semver


class IntentFrame(Struct, tag="intent", **_FRAME):
    """One intent, to be attempted at most once. `ttl_ms` counts from its arrival.

    The last four fields are those of a `RequestMark`, for executors with the feature `requests`.
    """

    id: Id
    intent: Name
    ttl_ms: Ttl
    parameters: dict[str, Any] = field(default_factory=dict)
    based_on: Count | None = None
    agent: Name | None = None
    request: Name | None = None
    digest: Name | None = None
    token: Count | None = None
    resource: Name | None = None


class StateFrame(Struct, tag="state", **_FRAME):
    """The world as the executor sees it. `id` answers a request; a pushed state has none."""

    seq: Count
    tick: Count
    episode: Count
    full: bool
    data: Any
    id: Id | None = None
    agent: Name | None = None


class ResultFrame(Struct, tag="result", **_FRAME):
    """The one final answer to an intent; `result` is whatever the executor sent, read elsewhere."""

    id: Id
    intent: str = ""
    result: Any = None
    detail: str | None = None
    next_state: StateFrame | None = None


class Progress(Struct, tag="progress", **_FRAME):
    """The progress of an open intent; `cancelling` acknowledges a cancel."""

    id: Id
    stage: Literal["started", "moving", "cancelling"]
    done: Share | None = None


class Cancel(Struct, tag="cancel", **_FRAME):
    """Give up an open intent; its result still follows."""

    id: Id


class StateRequest(Struct, tag="state_request", **_FRAME):
    """Ask for a state."""

    id: Id
    full: bool
    agent: Name | None = None


class Reset(Struct, tag="reset", **_FRAME):
    """Begin a new episode with a seed; a full state of it answers. Needs the feature `reset`."""

    id: Id
    seed: Count


class GameEvent(Struct, tag="event", **_FRAME):
    """Something that happened in the game, such as an interrupted HOLD."""

    name: Name
    tick: Count
    data: Any = None
    id: Id | None = None
    agent: Name | None = None


class Ping(Struct, tag="ping", **_FRAME):
    """A heartbeat; the other side answers with `pong`."""

    n: Count


class Pong(Struct, tag="pong", **_FRAME):
    """The answer to a ping; the executor adds its tick and the open ids, so that a stalled game is noticed."""

    n: Count
    tick: Count | None = None
    open: tuple[Id, ...] = ()


class ErrorFrame(Struct, tag="error", **_FRAME):
    """The last frame was unusable. An error is never answered."""

    code: Name
    message: str
    id: Id | None = None


class Goodbye(Struct, tag="goodbye", **_FRAME):
    """The sender ends the session on purpose."""

    reason: str = ""


class ProbeRead(Struct, tag="probe.read", **_FRAME):
    """A test asks for the true state of the world. Needs the feature `probe`."""

    id: Id


class ProbeSight(Struct, tag="probe.sight", **_FRAME):
    """The true state of the world, as the engine knows it, and where a MOVE would lead from here.

    `sight` is read by the conformance kit; places are in the unit of MOVE's vectors, exact to `precision`.
    """

    id: Id
    sight: dict[str, Any]
    ways: tuple[Vector, ...] = ()
    obstructed: tuple[Vector, ...] = ()
    to_target: Vector | None = None
    to_harm: Vector | None = None
    face_target: Vector | None = None
    face_away: Vector | None = None
    precision: Annotated[float, Meta(ge=0)] = 0.01


Frame: TypeAlias = (
    Hello | Welcome | Reject | IntentFrame | ResultFrame | Progress | Cancel | StateRequest | Reset | StateFrame | GameEvent
    | Ping | Pong | ErrorFrame | Goodbye | ProbeRead | ProbeSight
)  # fmt: skip
