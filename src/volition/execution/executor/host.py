"""The host: makes a game speak the protocol, without a socket. Bytes and the time in, bytes out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from volition.execution.executor.actors import Actors
from volition.execution.executor.contract import Ended, Occurred, Probed, Resettable
from volition.execution.executor.requests import RequestsUnderWay
from volition.execution.transports.memory import MemoryStream
from volition.execution.wire.declared import Custom, DeclaredIntents
from volition.execution.wire.frames import Cancel, GameEvent, Hello, ProbeRead, Reset, StateFrame, StateRequest
from volition.execution.wire.intents import Stop
from volition.execution.wire.request import REQUESTS
from volition.execution.wire.results import make_result
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.handshake import OBSERVE
from volition.execution.wire.session.incoming import BridgeLost

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.core.clock import Clock
    from volition.execution.executor.contract import Executor, News
    from volition.execution.executor.requests import RequestMemory
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.session.incoming import ExecutorEvent, IncomingIntent
    from volition.execution.wire.session.link import End, Timing

MOST_LATE: Final = 5
"""Ticks that are caught up at once; a world that is further behind loses the rest."""


class Host:
    """One game and its connections: one bridge drives, others may observe, a second driver is refused as `not_ready`.

    The ticks of the world are counted from `now`. The game sets `ready`: false while there is no world to play in.
    """

    def __init__(
        self,
        executor: Executor,
        *,
        now: float = 0.0,
        token: str | None = None,
        timing: Timing | None = None,
        requests: RequestMemory | None = None,
    ) -> None:
        self.executor = executor
        self._requests = RequestsUnderWay(requests)
        self.ready = True
        self.driver: Guest | None = None
        self._about = executor.about
        self._declared = DeclaredIntents(self._about.declares)
        self._token, self._timing = token, timing
        self._guests: list[Guest] = []
        self._opened = 0
        self._began, self._steps = now, 0
        self._seq = 0
        self.actors = Actors(executor)

    def open(self, now: float) -> Guest:
        """Take on a new connection; the guest is this side of it."""
        self._opened += 1
        welcome = self._about.welcome(f"s-{self._opened}")
        remembers = (REQUESTS,) if self._requests.remembers else ()
        welcome = msgspec.structs.replace(welcome, features=(*welcome.features, OBSERVE, *remembers))
        session = ExecutorSession(welcome, now=now, token=self._token, timing=self._timing)
        session.knows, session.is_alive = self.actors.knows, self.actors.is_alive
        guest = Guest(self, session, ends_overdue=self._about.ends_overdue)
        self._guests.append(guest)
        return guest

    def connect(self, clock: Clock) -> Stream:
        """A connection within this process, on the bridge's clock, which must not be behind this host's time."""
        return MemoryStream(self.open(clock.monotonic()), clock)

    def step(self, now: float) -> None:
        """Do what is due: ticks of the world, heartbeats, giving up a silent bridge."""
        late = 0
        while now >= self._next_tick:
            if late == MOST_LATE:
                self._began, self._steps = now, 0
                break
            late += 1
            self._steps += 1
            self.tell(self.executor.step())
        for guest in [*self._guests]:
            guest.poll(now)

    def tell(self, news: Iterable[News]) -> None:
        """Report news of the world, and show it."""
        self.report(news)
        for guest in self._audience():
            guest.push_due = True

    @property
    def wake_at(self) -> float | None:
        """When `step` must be called at the latest; None where only a connection can bring work."""
        due = min([self._next_tick, *(guest.due_at for guest in self._guests)])
        return due if due < math.inf else None

    def close(self, now: float, reason: str = "the executor ends") -> None:
        """Say goodbye to every connection and stop the actor."""
        for guest in [*self._guests]:
            guest.close(now, reason)
        self.executor.stop()

    @property
    def _next_tick(self) -> float:
        hz = self._about.tick_hz
        return self._began + (self._steps + 1) / hz if hz else math.inf

    def _audience(self) -> list[Guest]:
        """Who is told what happens in the world."""
        return [guest for guest in self._guests if guest is self.driver or guest.session.observes]

    # Called by guests.

    def attempt(self, attempt: IncomingIntent) -> None:
        """Hand an intent to the game, unless it is based on a state that is not of this episode."""
        fault = "" if isinstance(attempt.intent, Stop) else self._sync_fault(attempt)
        if fault:
            # Not reported as the end of a request: it was not begun, and one that it repeats may be under way.
            result = make_result("FAILURE", "INVALID_STATE", is_alive=self.actors.is_alive(attempt.agent))
            self._pass_on([Ended(attempt, result, fault)])
            return
        instead = self._requests.begin(attempt)
        if instead is None:
            self.report(self.executor.attempt(attempt))
        else:
            self._pass_on(instead)

    def cancel(self, attempt: IncomingIntent) -> None:
        """Let the game give up an attempt, or the one whose result it waits for."""
        self.report(self.executor.cancel(self._requests.first_of(attempt)))

    def repeats(self, attempt: IncomingIntent) -> bool:
        """Whether it is the same request as one that is under way, and waits for its result."""
        return attempt.mark is not None and self._requests.first_of(attempt) is not attempt

    def give_up(self, attempt: IncomingIntent) -> None:
        """The time of an attempt is over: the game ends it, unless it only waits for another one."""
        if self.repeats(attempt):
            self._pass_on([self._requests.give_up(attempt, is_alive=self.actors.is_alive(attempt.agent))])
        else:
            self.report(self.executor.cancel(attempt))

    def reset(self, seed: int) -> None:
        """Begin the world again: first everything that is under way has its result, in the world that ends here."""
        assert isinstance(self.executor, Resettable)
        open_ones = {} if self.driver is None else self.driver.session.under_way
        for attempt in [*open_ones.values()]:
            if attempt.id in open_ones:  # the result of a request may have ended another that waits for it
                first = self._requests.first_of(attempt)
                self.report([_because_of_reset(each) for each in self.executor.cancel(first)])
            if attempt.id in open_ones:  # the game has not ended it itself
                result = make_result("PARTIAL", is_alive=self.actors.is_alive(first.agent))
                self.report([Ended(first, result, "RESET")])
        self.executor.reset(seed)
        self.actors.note(self._seq + 1)

    def lose_driver(self) -> None:
        """The bridge that drove is gone: the actor stops, and what was under way is interrupted."""
        self.driver = None
        self._requests.interrupt()
        self.executor.stop()

    def fence(self, fences: Mapping[str, int]) -> str:
        """A bridge has greeted, and says under which numbers it acts; returns why that cannot be remembered, or nothing."""
        try:
            self._requests.fence(fences)
        except OSError as error:
            return f"requests cannot be remembered: {error.strerror or error}"
        return ""

    def report(self, news: Iterable[News]) -> None:
        """Tell the driver and the observers what a call of the game brought; results of requests are remembered first."""
        passed_on: list[News] = []
        for each in news:
            if isinstance(each, Ended):
                if isinstance(each.attempt.intent, Custom):  # before it is written down
                    self._declared.check_result(each.attempt.intent.name, each.result)
                passed_on += [*self._stopped_by(each.attempt), *self._requests.settle(each)]
            else:
                passed_on.append(each)
        self._pass_on(passed_on)

    def _stopped_by(self, attempt: IncomingIntent) -> list[Ended]:
        """The requests that end with an attempt because it is a STOP of the driver."""
        open_ones = {} if self.driver is None else self.driver.session.under_way
        if not isinstance(attempt.intent, Stop) or open_ones.get(attempt.id) is not attempt:
            return []
        return self._requests.stop(attempt, is_alive=self.actors.is_alive)

    def _pass_on(self, all_news: Sequence[News]) -> None:
        if not all_news:
            return
        self.actors.note(self._seq + 1)
        for guest in self._audience():
            for each in all_news:
                guest.tell(each)

    def remove(self, guest: Guest) -> None:
        if guest in self._guests:
            self._guests.remove(guest)

    def state_frame(self, *, full: bool, id: int | None = None, agent: str | None = None) -> StateFrame:
        """The world now, as an actor knows it where one is named, under the next number."""
        self._seq += 1
        self.actors.note(self._seq, agent)
        return StateFrame(
            seq=self._seq,
            tick=self.executor.tick,
            episode=self.actors.episode(agent),
            full=full,
            data=self.actors.state(agent, full=full),
            id=id,
            agent=self.actors.find(agent),
        )

    def _sync_fault(self, attempt: IncomingIntent) -> str:
        """Why an intent may not be based on its state; empty where it may. The session has refused what was never sent."""
        self.actors.note(self._seq + 1)
        based_on = attempt.based_on
        return "FORMER_EPISODE" if based_on is not None and self.actors.is_former(based_on, attempt.agent) else ""


def _because_of_reset(news: News) -> News:
    """What the game reports of an attempt that it gives up for a reset, with that as its detail."""
    if isinstance(news, Ended) and (news.result.status == "PARTIAL" or news.detail == "CANCELLED"):
        return replace(news, detail="RESET")
    return news


class Guest:
    """The executor's side of one connection. It is what a MemoryStream talks to."""

    def __init__(self, host: Host, session: ExecutorSession, *, ends_overdue: bool) -> None:
        self.session = session
        self.push_due = False
        self._host = host
        self._ends_overdue = ends_overdue
        self._given_up: set[int] = set()

    @property
    def over(self) -> bool:
        """Whether to hang up once all bytes are written."""
        return self.session.phase == "closed"

    @property
    def due_at(self) -> float:
        """When this connection needs attention at the latest; never once it is over."""
        due = self.session.wake_at
        return math.inf if due is None else min([due, *(attempt.expires for attempt in self._with_deadline())])

    @property
    def wake_at(self) -> float | None:
        return self._host.wake_at

    def step(self, now: float) -> None:
        self._host.step(now)

    def receive(self, data: bytes, now: float) -> None:
        """Take what was read, and attempt at once what it asks for."""
        self.session.ready, self.session.taken = self._host.ready, self._host.driver not in {None, self}
        self._update_session()
        self._handle(self.session.receive(data, now), now)

    def poll(self, now: float) -> None:
        self._update_session()
        self._handle(self.session.poll(now), now)
        self._give_up_overdue(now)

    def end(self, now: float, how: End = "eof") -> None:
        """The connection ended."""
        self._handle(self.session.end(now, how), now)

    def close(self, now: float, reason: str = "") -> None:
        """End the connection from this side."""
        self._handle(self.session.close(reason), now)

    def take(self) -> bytes:
        """The bytes to write now. A pushed state goes last and is made only now: a slow reader gets fewer states, but
        never old ones."""
        if self.push_due and not self.over:
            self.push_due = False
            if "state_push" in self.session.features:
                self.session.show_state(self._host.state_frame(full=False))
        return self.session.take()

    def tell(self, news: News) -> None:
        """Pass on what the game reports; only attempts of this very connection can end here."""
        match news:
            case Occurred(name=name, data=data, id=id, agent=agent):
                # The ids of a session are its own: an observer never sent that intent.
                about = None if self.session.observes else id
                tick = self._host.executor.tick
                self.session.happen(GameEvent(name=name, tick=tick, data=data, id=about, agent=agent))
            case Ended(attempt=attempt, result=result, detail=detail):
                if self.session.under_way.get(attempt.id) is attempt:
                    wanted = "next_state" in self.session.features
                    state = self._host.state_frame(full=False, agent=attempt.agent) if wanted else None
                    self.session.finish(attempt.id, result, detail=detail, next_state=state)

    def _give_up_overdue(self, now: float) -> None:
        """Cancel, once, each attempt that is still under way when its time is over: its bridge no longer waits."""
        for attempt in self._with_deadline():
            if now >= attempt.expires and attempt.id in self.session.under_way:
                self._given_up.add(attempt.id)
                self._host.give_up(attempt)
        self._given_up &= set(self.session.under_way)

    def _with_deadline(self) -> list[IncomingIntent]:
        """The attempts under way that are to be given up when their time is over; a game that does so itself knows nothing of
        repeated requests."""
        under_way = [attempt for id, attempt in self.session.under_way.items() if id not in self._given_up]
        return [attempt for attempt in under_way if self._host.repeats(attempt)] if self._ends_overdue else under_way

    def _update_session(self) -> None:
        self.session.tick = self._host.executor.tick

    def _handle(self, events: list[ExecutorEvent], now: float) -> None:
        host = self._host
        requests: list[StateRequest | ProbeRead] = []
        for event in events:
            match event:
                case Hello(fences=fences) if not self.session.observes:
                    host.driver = self
                    if REQUESTS in self.session.features and (trouble := host.fence(fences)):
                        self.close(now, trouble)
                case Cancel(id=id) if id in self.session.under_way:
                    host.cancel(self.session.under_way[id])
                case Reset(id=id, seed=seed):
                    host.reset(seed)
                    self.session.show_state(host.state_frame(full=True, id=id))
                case StateRequest() | ProbeRead():
                    requests.append(event)
                case BridgeLost() if host.driver is self:
                    host.lose_driver()
        while not self.over and (attempt := self.session.take_attempt(now)):
            host.attempt(attempt)
        # After the attempts, so that a state shows what was asked before it.
        for request in requests:
            if isinstance(request, StateRequest):
                self.session.show_state(host.state_frame(full=request.full, id=request.id, agent=request.agent))
            elif isinstance(host.executor, Probed):
                self.session.answer_probe(host.executor.probe(request.id))
        if self.over:
            host.remove(self)
