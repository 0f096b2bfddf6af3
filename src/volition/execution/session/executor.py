"""The executor's side of the protocol, without a socket and without a game.

The game calls `take` in its own loop, attempts what it gets, and calls `finish`. The session answers by itself what
never needs the game: repeated, expired, cancelled, stopped and excess intents. It decides nothing and retries nothing.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from volition.core.errors import InvalidInput, refuse
from volition.execution import frames
from volition.execution.codec import MAX_FRAME, FrameFault, encode
from volition.execution.intents import CanonicalIntent, Stop, read_intent
from volition.execution.results import FailureReason, Result, Status, contradictions, make_result, verdict
from volition.execution.session.answers import good_answer
from volition.execution.session.handshake import OBSERVE, greeted
from volition.execution.session.link import MAX_FAULTS, End, Link, Timing

if TYPE_CHECKING:
    from collections.abc import Iterable


class Attempt(Struct, frozen=True, gc=False):
    """One intent for the game to attempt, once, within `ttl_ms` of its arrival. A STOP never expires."""

    id: int
    intent: CanonicalIntent
    agent: str | None
    based_on: int | None
    expires: float
    ttl_ms: int


@dataclass(frozen=True, slots=True)
class Greeted:
    """A bridge was taken on."""

    hello: frames.Hello


@dataclass(frozen=True, slots=True)
class CancelAsked:
    """The game should give up a started attempt, and finish it as PARTIAL, or as what it became in the meantime."""

    id: int


@dataclass(frozen=True, slots=True)
class StateAsked:
    """The game should answer with a state: `answer_state`."""

    id: int
    full: bool
    agent: str | None


@dataclass(frozen=True, slots=True)
class ProbeAsked:
    """The game should say what is true of its world: `answer_probe`. Only where both sides have the feature `probe`."""

    id: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The bridge is gone, said once: the game stops its actor by itself."""

    reason: str


ExecutorEvent: TypeAlias = Greeted | CancelAsked | StateAsked | ProbeAsked | Lost


class ExecutorSession:
    """One connection from one bridge; a new connection takes a new session.

    `tick` and `is_alive` are the game's to keep: they go into pongs and into the results that the session makes.
    """

    def __init__(
        self,
        welcome: frames.Welcome,
        *,
        now: float,
        token: str | None = None,
        ready: bool = True,
        timing: Timing | None = None,
    ) -> None:
        self.welcome = welcome
        self.timing = timing or Timing()
        self.ready = ready
        self.taken = False
        """Whether another bridge drives: then only an observer is welcome."""
        self.tick = 0
        self.is_alive = True
        self.phase: Literal["waiting", "open", "closed"] = "waiting"
        self.features: frozenset[str] = frozenset()
        self._token = token
        self._link = Link(now=now, timing=self.timing, max_frame=min(MAX_FRAME, welcome.limits.max_frame))
        self._hello_due = now + self.timing.handshake
        self._queue: list[Attempt] = []
        self._started: dict[int, Attempt] = {}
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._last_id = 0
        self._episode, self._episode_seq = -1, 0
        self._events: list[ExecutorEvent] = []

    # What the game does.

    @property
    def under_way(self) -> tuple[int, ...]:
        """The attempts that were taken and have no result yet; a finished STOP ends those before it."""
        return tuple(self._started)

    @property
    def observes(self) -> bool:
        """Whether the bridge only looks: it is shown states and events, and nothing is attempted for it."""
        return OBSERVE in self.features

    def take_attempt(self, now: float) -> Attempt | None:
        """The next intent to attempt, STOP before all others; None where nothing waits."""
        self._drop_expired(now)
        if not self._queue:
            return None
        attempt = self._queue.pop(0)
        self._started[attempt.id] = attempt
        return attempt

    def finish(
        self, id: int, result: Result, *, detail: str | None = None, next_state: frames.StateFrame | None = None
    ) -> None:
        """Give a started attempt its one result. When a STOP is finished, what it stopped is finished before it."""
        attempt = self._started.get(id)
        if attempt is None:
            if self.phase == "closed":
                return
            refuse(
                f"no attempt {id} is under way",
                where="finish",
                expected="an id that take_attempt gave and that has no result yet",
                remedy="finish each attempt once; a STOP finishes the ones before it",
            )
        if verdict(result) is None:
            wrong = contradictions(result)
            refuse(
                f"a result that contradicts itself: {wrong[0].what}" if wrong else "a result that the contract has not",
                where=wrong[0].field if wrong else "result",
                expected="status, reason and flags that agree",
                remedy="make it with make_result",
            )
        if isinstance(attempt.intent, Stop):
            for other in [*self._started.values()]:
                if other.id < id and _stops(attempt, other):
                    del self._started[other.id]
                    self._answer(other.id, other.intent.name, self._own("PARTIAL", "NONE"), "STOPPED")
        self._answer(id, attempt.intent.name, result, detail, next_state)
        del self._started[id]

    def progress(self, id: int, stage: Literal["started", "moving"], done: float | None = None) -> None:
        """Say how an attempt is getting on, where the bridge wants to know."""
        if "progress" in self.features and id in self._started:
            self._link.send(frames.Progress(id=id, stage=stage, done=done))

    def push_state(self, state: frames.StateFrame) -> None:
        """Show the bridge a state, where it wants pushes; `seq` grows with every state of a session."""
        self._saw(state)
        if self.phase == "open" and "state_push" in self.features:
            self._link.send(state)

    def answer_state(self, state: frames.StateFrame) -> None:
        """Answer a request: the state carries its id."""
        self._saw(state)
        if self.phase == "open":
            self._link.send(state)

    def answer_probe(self, sight: frames.ProbeSight) -> None:
        """Answer a probe: the sight carries its id."""
        if self.phase == "open" and "probe" in self.features:
            self._link.send(sight)

    def happen(self, event: frames.GameEvent) -> None:
        """Tell the bridge of something that happened by itself, where it wants to know."""
        # An observer that does not read is not told more and more.
        if self.phase == "open" and "events" in self.features and not (self.observes and self._link.behind):
            self._link.send(event)

    # What the connection brings.

    def receive(self, data: bytes, now: float) -> list[ExecutorEvent]:
        """Take what was read; any cut of the stream into pieces gives the same events."""
        for line in self._link.lines(data):
            if self._link.closed:
                break
            arrival = self._link.read(line, now)
            if isinstance(arrival, FrameFault):
                self._unreadable(arrival)
            else:
                self._frame(arrival, now)
        if self._link.overrun:
            self._lose("overrun")
        return self._told()

    def poll(self, now: float) -> list[ExecutorEvent]:
        """Do what is due: expired intents, pings, giving the bridge up."""
        if self.phase == "waiting" and now >= self._hello_due:
            self._lose("no greeting in time")
        elif self.phase == "open":
            self._drop_expired(now)
            if not self._link.pulse(now):
                self._lose("dead")
        return self._told()

    def end(self, now: float, how: End = "eof") -> list[ExecutorEvent]:
        """The connection ended."""
        self._lose("torn" if how == "eof" and self._link.torn else how)
        return self._told()

    def close(self, reason: str = "") -> list[ExecutorEvent]:
        """End the session from this side."""
        self._lose(reason or "local")
        return self._told()

    def take(self) -> bytes:
        """The bytes to write now."""
        return self._link.take()

    @property
    def wake_at(self) -> float | None:
        """When `poll` has something to do at the latest; None once the session is over."""
        if self.phase == "closed":
            return None
        if self.phase == "waiting":
            return self._hello_due
        pulse = self._link.next_pulse()
        return min(pulse, *[attempt.expires for attempt in self._queue]) if self._queue else pulse

    def _frame(self, frame: frames.Frame, now: float) -> None:
        match frame:
            case frames.Ping(n=n):
                self._link.send(frames.Pong(n=n, tick=self.tick, open=self._open_ids()))
            case frames.Pong() | frames.ErrorFrame():
                pass
            case frames.Goodbye():
                self._lose("goodbye")
            case frames.Hello() if self.phase == "waiting":
                self._greet(frame)
            case frames.IntentFrame() if self.phase == "open" and not self.observes:
                self._intent(frame, now)
            case frames.Cancel(id=id) if self.phase == "open" and not self.observes:
                self._cancel(id)
            case frames.StateRequest(id=id, full=full, agent=agent) if self.phase == "open":
                self._last_id = max(self._last_id, id)
                self._events.append(StateAsked(id, full, agent))
            case frames.ProbeRead(id=id) if self.phase == "open" and "probe" in self.features:
                self._last_id = max(self._last_id, id)
                self._events.append(ProbeAsked(id))
            case _:
                who = "an observer" if self.observes else "a bridge"
                when = "before the greeting" if self.phase == "waiting" else f"from {who}"
                what = f"{frame.__struct_config__.tag} {when}"
                self._link.complain("out_of_order", what, getattr(frame, "id", None))

    def _greet(self, hello: frames.Hello) -> None:
        answer = greeted(hello, self.welcome, token=self._token, ready=self.ready, taken=self.taken)
        self._link.send(answer)
        if isinstance(answer, frames.Reject):
            self.phase = "closed"
            self._link.close(say=False)
            return
        self.phase = "open"
        self.features = frozenset(answer.features)
        self._events.append(Greeted(hello))

    def _unreadable(self, fault: FrameFault) -> None:
        what = fault.problems[0].what
        if self.phase == "waiting" and fault.code == "bad_version":
            self._link.send(frames.Reject(code="version", message=what, supported=self.welcome.spec))
            self.phase = "closed"
            self._link.close(say=False)
            return
        self._link.complain(fault.code, what)
        if self._link.faults >= MAX_FAULTS:
            self._lose("faults")

    # Intents.

    def _intent(self, frame: frames.IntentFrame, now: float) -> None:
        """Queue an intent, or answer it at once; an id is attempted at most once, whatever is sent twice."""
        id = frame.id
        if id <= self._last_id:
            if id in self._cache:
                self._link.put(self._cache[id])
            elif id not in self._open_ids():
                self._link.complain("stale_id", f"the id {id} is not above {self._last_id}", id)
            return
        self._last_id = id
        try:
            intent = read_intent(frame.intent, frame.parameters)
        except InvalidInput:
            self._answer(id, frame.intent, self._own("FAILURE", "UNKNOWN"), "NOT_CANONICAL")
            return
        expires = math.inf if isinstance(intent, Stop) else now + frame.ttl_ms / 1000
        attempt = Attempt(id, intent, frame.agent, frame.based_on, expires, frame.ttl_ms)
        if isinstance(intent, Stop):
            stopped = [other for other in self._queue if _stops(attempt, other)]
            self._drop(stopped, "UNKNOWN", "STOPPED")
            self._queue.insert(0, attempt)
        elif frame.intent not in self.welcome.intents:
            self._answer(id, frame.intent, self._own("FAILURE", "UNKNOWN"), "UNSUPPORTED")
        elif frame.based_on is not None and frame.based_on < self._episode_seq:
            self._answer(id, frame.intent, self._own("FAILURE", "INVALID_STATE"), "FORMER_EPISODE")
        elif len(self._queue) + len(self._started) >= self.welcome.limits.max_inflight:
            self._answer(id, frame.intent, self._own("FAILURE", "RESOURCE_EXHAUSTED"), "WINDOW_FULL")
        else:
            self._queue.append(attempt)

    def _cancel(self, id: int) -> None:
        """Acknowledge, then see that the result comes; to cancel what is finished changes nothing."""
        waiting = [attempt for attempt in self._queue if attempt.id == id]
        if id > self._last_id:
            self._link.complain("unknown_id", f"no intent {id} was ever sent", id)
        if waiting or id in self._started:
            self._link.send(frames.Progress(id=id, stage="cancelling"))
        if id in self._started:
            self._events.append(CancelAsked(id))
        self._drop(waiting, "UNKNOWN", "CANCELLED")

    def _drop_expired(self, now: float) -> None:
        self._drop([attempt for attempt in self._queue if now >= attempt.expires], "INVALID_STATE", "EXPIRED")

    def _drop(self, attempts: Iterable[Attempt], reason: FailureReason, detail: str) -> None:
        """Answer what was queued and will not be started."""
        for attempt in attempts:
            self._queue.remove(attempt)
            self._answer(attempt.id, attempt.intent.name, self._own("FAILURE", reason), detail)

    def _own(self, status: Status, reason: FailureReason) -> Result:
        return make_result(status, reason, is_alive=self.is_alive)

    def _answer(
        self, id: int, name: str, result: Result, detail: str | None, next_state: frames.StateFrame | None = None
    ) -> None:
        if next_state is not None:
            self._saw(next_state)
        shown_state = next_state if "next_state" in self.features else None
        frame = frames.ResultFrame(id=id, intent=name, result=result, detail=detail, next_state=shown_state)
        line = encode(frame, max_frame=self._link.max_frame, checked=True)
        if good_answer(line) is None:
            # Either it only looks strange, or it holds what the wire cannot: the slow way tells.
            line = encode(frame, max_frame=self._link.max_frame)
        self._link.put(line)
        self._cache[id] = line
        if len(self._cache) > self.welcome.limits.result_cache:
            self._cache.popitem(last=False)

    def _saw(self, state: frames.StateFrame) -> None:
        self.tick = max(self.tick, state.tick)
        if state.episode != self._episode:
            self._episode, self._episode_seq = state.episode, state.seq

    def _open_ids(self) -> tuple[int, ...]:
        return tuple(sorted([*self._started, *(attempt.id for attempt in self._queue)]))

    def _lose(self, reason: str) -> None:
        if self.phase == "closed":
            return
        was_open = self.phase == "open"
        self.phase = "closed"
        self._queue.clear()
        self._started.clear()
        self._link.close(reason)
        if was_open:
            self._events.append(Lost(reason))

    def _told(self) -> list[ExecutorEvent]:
        told, self._events = self._events, []
        return told


def _stops(stop: Attempt, other: Attempt) -> bool:
    """Whether a STOP ends another attempt: it names the same agent, or none and so all of them."""
    return stop.agent is None or stop.agent == other.agent
