"""What a game in Python implements so that a bridge can drive it.

A game says what it is, attempts what it is asked, and reports what ended. The host does everything else: the handshake,
ids, deadlines, cancelled and repeated intents, states, heartbeat, and the STOP when the bridge is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct, field

from volition.execution.wire.frames import RESET, SPEC, EngineClock, Feature, Limits, MoveFrame, Party, Welcome
from volition.execution.wire.intents import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution.wire.declared import Declaration
    from volition.execution.wire.frames import ProbeSight, StateSchema
    from volition.execution.wire.results import Result
    from volition.execution.wire.session.incoming import IncomingIntent

FEATURES: Final[tuple[Feature, ...]] = ("events", "next_state", "state_push")


class About(Struct, frozen=True, kw_only=True):
    """What a game is and can do: the welcome without what the host fills in. `tick_hz` is 0 for a world that stands still."""

    name: str
    version: str
    state_schema: StateSchema
    engine: str = "python"
    tick_hz: float = 20.0
    clock: EngineClock = field(default_factory=lambda: EngineClock(unit="tick", epoch="engine_start"))
    intents: tuple[str, ...] = tuple(CANONICAL)
    double_jump: bool = False
    move_frame: MoveFrame = "relative"
    limits: Limits = field(default_factory=Limits)
    ends_overdue: bool = False
    """Whether the game itself ends attempts whose time is over; otherwise the host cancels them."""
    probe: bool = False
    """For tests only: whether the game answers probes; it implements `Probed` then."""
    declares: tuple[Declaration, ...] = ()
    """The intents that the game has beside the seven; they are attempted as `Custom`."""
    resets: bool = False
    """Whether the game can begin again with a seed; it implements `Resettable` then."""
    deterministic: bool = False
    """Whether the same seed, and the same intents at the same ticks since the reset, give the same results and states."""

    def welcome(self, session: str) -> Welcome:
        return Welcome(
            spec=SPEC,
            session=session,
            executor=Party(name=self.name, version=self.version),
            engine=self.engine,
            tick_hz=self.tick_hz,
            clock=self.clock,
            intents=self.intents,
            hold_supported="HOLD" in self.intents,
            double_jump=self.double_jump,
            move_frame=self.move_frame,
            state_schema=self.state_schema,
            limits=self.limits,
            features=(*FEATURES, *(["probe"] if self.probe else []), *([RESET] if self.resets else [])),
            declares=self.declares,
            deterministic=self.deterministic,
        )


class Ended(Struct, frozen=True):
    """The one result of an attempt; ignored where the attempt already has its result or its bridge is gone."""

    attempt: IncomingIntent
    result: Result
    detail: str | None = None


class Occurred(Struct, frozen=True):
    """An event in the world; `id` names the intent that it concerns, `agent` the actor where there are several."""

    name: str
    data: Any = None
    id: int | None = None
    agent: str | None = None


News: TypeAlias = Ended | Occurred


class Executor(Protocol):
    """What a game implements. Its methods are never called concurrently and must not block; each returns its news.

    The result of an attempt may be returned by `attempt` or by any later call. STOP is attempted like the others.
    """

    @property
    def about(self) -> About:
        """What the game is and can do; it never changes."""
        ...

    @property
    def tick(self) -> int:
        """The number of steps that the world has made."""
        ...

    @property
    def episode(self) -> int:
        """Changes when the world is reset."""
        ...

    @property
    def alive(self) -> bool:
        """Whether the actor is alive."""
        ...

    def attempt(self, attempt: IncomingIntent) -> Iterable[News]:
        """Begin an intent: once, exactly as requested, without aiming or retrying."""
        ...

    def cancel(self, attempt: IncomingIntent) -> Iterable[News]:
        """Give up an attempt that has no result yet; it still gets one, now or later.

        Called when the bridge cancels it, and when its time is over unless `ends_overdue` is set.
        """
        ...

    def step(self) -> Iterable[News]:
        """Advance the world by one tick."""
        ...

    def state(self, *, full: bool) -> Any:
        """The world as JSON data; a state that is not full may leave out what never changes."""
        ...

    def stop(self) -> None:
        """Stop the actor and drop all open attempts: no bridge drives it any more."""
        ...


@runtime_checkable
class Resettable(Protocol):
    """A game that can begin again."""

    def reset(self, seed: int) -> None:
        """Begin a new episode, which depends on the seed alone: `episode` changes, and open attempts are dropped.

        The host has given them their results. With the feature, `tick` may begin again or go on.
        """
        ...


@runtime_checkable
class SeveralActors(Protocol):
    """A game with several actors: intents, states and results concern the one that the bridge names with `agent`.

    An intent for an actor that the game does not know is refused before the game sees it; a STOP is not, because it must
    never fail. Without a name, everything is about the world as a whole, as `Executor` describes it.
    """

    def knows(self, agent: str) -> bool:
        """Whether there is an actor of this name."""
        ...

    def state_of(self, agent: str, *, full: bool) -> Any:
        """Like `state`, as this actor knows the world."""
        ...

    def is_alive(self, agent: str) -> bool:
        """Whether this actor is alive."""
        ...

    def episode_of(self, agent: str) -> int:
        """Changes when this actor begins again, and when the world does."""
        ...


@runtime_checkable
class Probed(Protocol):
    """A game that the conformance kit can judge without reading its states."""

    def probe(self, id: int) -> ProbeSight:
        """The true state of the world now, from the engine itself."""
        ...
