"""A game written in Python, made to speak the protocol: the contract that it implements, and the glue, without a socket.

A game says what it is, attempts what it is asked, and reports what ended. Everything else is done for it: the handshake,
ids, deadlines, cancelled and repeated intents, states, heartbeat, and the stop when the bridge is gone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

import msgspec

from volition.execution.frames import (
    SPEC,
    EngineClock,
    Feature,
    GameEvent,
    Limits,
    MoveFrame,
    Party,
    ProbeSight,
    StateFrame,
    StateSchema,
    Welcome,
)
from volition.execution.intents import CANONICAL, Stop
from volition.execution.results import Result, make_result
from volition.execution.session.executor import (
    Attempt,
    CancelAsked,
    ExecutorEvent,
    ExecutorSession,
    Greeted,
    Lost,
    ProbeAsked,
    StateAsked,
)
from volition.execution.session.handshake import OBSERVE
from volition.execution.transports.memory import MemoryStream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.core.clock import Clock
    from volition.execution.session.link import End, Timing
    from volition.execution.transports.stream import Stream

FEATURES: Final[tuple[Feature, ...]] = ("events", "next_state", "state_push")
MOST_LATE: Final = 5
"""Ticks that are made up for at once; a world that is further behind has lost that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a game is and can do: the welcome, but for what the host fills in. `tick_hz` is 0 for a still world."""

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
    """Whether the game itself ends what outlives its time; where it does not, the host cancels that."""
    probe: bool = False
    """For tests only: whether the game, which is then `Probed`, answers a probe."""

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
            features=(*FEATURES, "probe") if self.probe else FEATURES,
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """The one result of an attempt. An attempt that has had its result, or whose bridge is gone, is passed over."""

    attempt: Attempt
    result: Result
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Occurred:
    """Something that happened by itself; `id` names the intent that it concerns."""

    name: str
    data: Any = None
    id: int | None = None


News: TypeAlias = Ended | Occurred


class Executor(Protocol):
    """What a game implements. Its calls never overlap and must not wait; each returns what came of it.

    A result may be in the answer to `attempt` or come from any later call. STOP is attempted like the others.
    """

    @property
    def about(self) -> About:
        """What the game is and can do; it does not change."""
        ...

    @property
    def tick(self) -> int:
        """Counts the steps of the world."""
        ...

    @property
    def episode(self) -> int:
        """Changes when the world begins anew."""
        ...

    @property
    def alive(self) -> bool:
        """Whether the actor lives."""
        ...

    def attempt(self, attempt: Attempt) -> Iterable[News]:
        """Begin an intent: once, as it was asked, without aim or retry of one's own."""
        ...

    def cancel(self, attempt: Attempt) -> Iterable[News]:
        """Give up an attempt that has no result yet; it still gets one, now or later.

        Called where the bridge cancels it, and when its time to live is over unless the game sees to that itself.
        """
        ...

    def step(self) -> Iterable[News]:
        """Let the world go on by one tick."""
        ...

    def state(self, *, full: bool) -> Any:
        """The world as plain JSON data; one that is not full may leave out what never changes."""
        ...

    def stop(self) -> None:
        """Stop the actor and end what is open: nobody drives it any more."""
        ...


@runtime_checkable
class Probed(Protocol):
    """A game that can be judged by the conformance kit though nobody there reads its states."""

    def probe(self, id: int) -> ProbeSight:
        """What is true of the world now, by the engine's own knowledge."""
        ...


class Host:
    """One game and whoever connects to it: one bridge drives, others may observe, a second driver is told `not_ready`.

    The world's ticks are counted from `now`. `ready` is the game's to set: false while there is no world to play in.
    """

    def __init__(
        self, executor: Executor, *, now: float = 0.0, token: str | None = None, timing: Timing | None = None
    ) -> None:
        self.executor = executor
        self.ready = True
        self.driver: Guest | None = None
        self._about = executor.about
        self.ends_overdue = executor.about.ends_overdue
        self._token, self._timing = token, timing
        self._guests: list[Guest] = []
        self._opened = 0
        self._began, self._steps = now, 0
        self._seq = 0
        self._episode, self._episode_seq = executor.episode, 0

    def open(self, now: float) -> Guest:
        """A connection stands: the guest is this side of it."""
        self._opened += 1
        welcome = self._about.welcome(f"s-{self._opened}")
        welcome = msgspec.structs.replace(welcome, features=(*welcome.features, OBSERVE))
        guest = Guest(self, ExecutorSession(welcome, now=now, token=self._token, timing=self._timing))
        self._guests.append(guest)
        return guest

    def connect(self, clock: Clock) -> Stream:
        """A connection within this process, on one clock with the bridge, which must not be behind this host's time."""
        return MemoryStream(self.open(clock.monotonic()), clock)

    def step(self, now: float) -> None:
        """Do what is due: ticks of the world, heartbeats, giving up a bridge that is silent."""
        late = 0
        while now >= self._next_tick:
            if late == MOST_LATE:
                self._began, self._steps = now, 0
                break
            late += 1
            self._steps += 1
            self.report(self.executor.step())
            for guest in self._guests:
                guest.push_due = guest is self.driver or guest.session.observes
        for guest in [*self._guests]:
            guest.poll(now)

    @property
    def wake_at(self) -> float | None:
        """When `step` has something to do at the latest; None where only a connection can bring anything about."""
        moments = [guest.due_at for guest in self._guests]
        due = min([self._next_tick, *(moment for moment in moments if moment is not None)])
        return due if due < math.inf else None

    def close(self, now: float, reason: str = "the executor ends") -> None:
        """Say goodbye to everybody; the actor stops."""
        for guest in [*self._guests]:
            guest.close(now, reason)
        self.executor.stop()

    @property
    def _next_tick(self) -> float:
        hz = self._about.tick_hz
        return self._began + (self._steps + 1) / hz if hz else math.inf

    # What guests bring about.

    def attempt(self, attempt: Attempt) -> None:
        """Hand an intent to the game, unless it rests on a state that is not of this episode."""
        self._notice_episode()
        rests_on = attempt.based_on
        if rests_on is not None and not isinstance(attempt.intent, Stop) and (fault := self._out_of_sync(rests_on)):
            result = make_result("FAILURE", "INVALID_STATE", is_alive=self.executor.alive)
            self.report([Ended(attempt, result, fault)])
        else:
            self.report(self.executor.attempt(attempt))

    def report(self, news: Iterable[News]) -> None:
        """Tell the driver, and whoever observes, what came of a call to the game."""
        told = [*news]
        self._notice_episode()
        for guest in [*self._guests]:
            if guest is self.driver or guest.session.observes:
                for each in told:
                    guest.tell(each)

    def lost(self) -> None:
        """The driver is gone: the actor stops by itself."""
        self.driver = None
        self.executor.stop()

    def forget(self, guest: Guest) -> None:
        if guest in self._guests:
            self._guests.remove(guest)

    def show(self, *, full: bool, id: int | None = None) -> StateFrame:
        """The world now, as the next state in the count."""
        self._notice_episode()
        self._seq += 1
        game = self.executor
        return StateFrame(
            seq=self._seq, tick=game.tick, episode=game.episode, full=full, data=game.state(full=full), id=id
        )

    def _notice_episode(self) -> None:
        if self.executor.episode != self._episode:
            self._episode, self._episode_seq = self.executor.episode, self._seq + 1

    def _out_of_sync(self, seq: int) -> str:
        if seq < self._episode_seq:
            return "FORMER_EPISODE"
        return "NO_SUCH_STATE" if seq > self._seq else ""


class Guest:
    """The executor's side of one connection: bytes and the time in, bytes out. It is what a MemoryStream talks to."""

    def __init__(self, host: Host, session: ExecutorSession) -> None:
        self.session = session
        self.push_due = False
        self._host = host
        self._attempts: dict[int, Attempt] = {}
        self._overdue: set[int] = set()

    @property
    def over(self) -> bool:
        """Whether to hang up once the bytes are written."""
        return self.session.phase == "closed"

    @property
    def due_at(self) -> float | None:
        """When this connection needs to be looked after; None once it is over."""
        due = self.session.wake_at
        return due if due is None else min([due, *(attempt.expires for attempt in self._limited())])

    @property
    def wake_at(self) -> float | None:
        return self._host.wake_at

    def step(self, now: float) -> None:
        self._host.step(now)

    def receive(self, data: bytes, now: float) -> None:
        """Take what was read, and attempt at once what it asks for."""
        self.session.ready, self.session.taken = self._host.ready, self._host.driver not in {None, self}
        self._know()
        self._heed(self.session.receive(data, now), now)

    def poll(self, now: float) -> None:
        self._know()
        self._heed(self.session.poll(now), now)
        self._give_up_overdue(now)

    def end(self, now: float, how: End = "eof") -> None:
        """The connection ended."""
        self._heed(self.session.end(now, how), now)

    def close(self, now: float, reason: str = "") -> None:
        """End it from this side."""
        self._heed(self.session.close(reason), now)

    def take(self) -> bytes:
        """The bytes to write now. A state that is due goes last and is as new as can be: whoever reads slowly gets
        fewer states, never old ones."""
        if self.push_due and not self.over:
            self.push_due = False
            if "state_push" in self.session.features:
                self.session.push_state(self._host.show(full=False))
        return self.session.take()

    def tell(self, news: News) -> None:
        """Pass on what the game reports; only an attempt of this very connection can end here."""
        match news:
            case Occurred(name=name, data=data, id=id):
                self.session.happen(GameEvent(name=name, tick=self._host.executor.tick, data=data, id=id))
            case Ended(attempt=attempt, result=result, detail=detail):
                mine = self._attempts.get(attempt.id) is attempt
                if mine and attempt.id in self.session.under_way:
                    del self._attempts[attempt.id]
                    wanted = "next_state" in self.session.features
                    state = self._host.show(full=False) if wanted else None
                    self.session.finish(attempt.id, result, detail=detail, next_state=state)

    def _give_up_overdue(self, now: float) -> None:
        """Cancel, once, what is still under way when its time to live is over: its bridge waits no longer."""
        for attempt in self._limited():
            if now >= attempt.expires and self._attempts.get(attempt.id) is attempt:
                self._overdue.add(attempt.id)
                self._host.report(self._host.executor.cancel(attempt))
        self._overdue &= set(self.session.under_way)

    def _limited(self) -> list[Attempt]:
        """What is under way and is to be cancelled when its time is over."""
        if self._host.ends_overdue:
            return []
        waiting = [id for id in self.session.under_way if id in self._attempts and id not in self._overdue]
        return [self._attempts[id] for id in waiting]

    def _know(self) -> None:
        self.session.tick = self._host.executor.tick
        self.session.is_alive = self._host.executor.alive

    def _heed(self, events: list[ExecutorEvent], now: float) -> None:
        asked: list[StateAsked | ProbeAsked] = []
        for event in events:
            match event:
                case Greeted() if not self.session.observes:
                    self._host.driver = self
                case CancelAsked(id=id):
                    if attempt := self._attempts.get(id):
                        self._host.report(self._host.executor.cancel(attempt))
                case StateAsked() | ProbeAsked():
                    asked.append(event)
                case Lost() if self._host.driver is self:
                    self._host.lost()
        while not self.over and (attempt := self.session.take_attempt(now)):
            self._attempts[attempt.id] = attempt
            self._host.attempt(attempt)
        # After the attempts: a state never lacks what was asked before it.
        for each in asked:
            if isinstance(each, StateAsked):
                self.session.answer_state(self._host.show(full=each.full, id=each.id))
            elif isinstance(self._host.executor, Probed):
                self.session.answer_probe(self._host.executor.probe(each.id))
        if self.over:
            self._attempts.clear()
            self._host.forget(self)
