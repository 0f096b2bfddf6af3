"""The executor's side of the protocol, without a socket and without a game.

The game calls `take_attempt` in its own loop, attempts what it gets, and calls `finish`. The session itself answers
what does not need the game: repeated, expired, cancelled, stopped and excess intents. It decides nothing and retries
nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

from volition.core.errors import InvalidInput, refuse
from volition.execution.wire import frames
from volition.execution.wire.codec import MAX_FRAME
from volition.execution.wire.declared import Custom, DeclaredIntents
from volition.execution.wire.intents import Stop, parse_intent
from volition.execution.wire.request import REQUESTS, RequestMark
from volition.execution.wire.results import FailureReason, Result, Status, contradictions, make_result
from volition.execution.wire.session.handshake import OBSERVE, answer_hello
from volition.execution.wire.session.incoming import Attempts, BridgeLost, ExecutorEvent, IncomingIntent
from volition.execution.wire.session.link import MAX_FAULTS, MAX_UNREAD, Link, Timing
from volition.execution.wire.session.phases import DRIVER_SENDS, OBSERVER_SENDS, ExecutorPhase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from volition.execution.wire.codec import FrameFault


_NEEDS: Final[dict[type, str]] = {frames.ProbeRead: "probe", frames.Reset: frames.RESET}
"""The feature without which a frame is out of order."""


class ExecutorSession(Link[ExecutorPhase, ExecutorEvent]):
    """One connection from one bridge.

    The game keeps `tick` up to date for pongs, and sets `knows` and `is_alive`, which say of an agent, None for a bridge that
    names none, whether an intent may name it and whether it lives: they are used in the results that the session makes.
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
        super().__init__("waiting", now=now, timing=timing, max_frame=min(MAX_FRAME, welcome.limits.max_frame))
        self.welcome = welcome
        self.ready = ready
        self.taken = False
        """Whether another bridge is driving; then only observers are accepted."""
        self.tick = 0
        self.knows: Callable[[str | None], bool] = lambda _: True
        self.is_alive: Callable[[str | None], bool] = lambda _: True
        self.features: frozenset[str] = frozenset()
        self._token = token
        self._hello_due = now + self.timing.handshake
        self._last_id = 0
        self._attempts = Attempts(welcome.limits.result_cache)
        self.under_way: Mapping[int, IncomingIntent] = self._attempts.started
        """The attempts that were started and have no result yet; a finished STOP ends those before it."""
        self._declared = DeclaredIntents(welcome.declares)
        self._episode, self._episode_seq, self._last_seq = -1, 0, -1

    # What the game reports.

    @property
    def observes(self) -> bool:
        """Whether the bridge only observes: it gets states and events, and nothing is attempted for it."""
        return OBSERVE in self.features

    def take_attempt(self, now: float) -> IncomingIntent | None:
        """The next intent to attempt, STOP before all others; None if the queue is empty."""
        self._drop_expired(now)
        return self._attempts.start() if self._attempts.waiting else None

    def finish(
        self, id: int, result: Result, *, detail: str | None = None, next_state: frames.StateFrame | None = None
    ) -> None:
        """Give a started attempt its one result. When a STOP is finished, what it stopped is finished before it."""
        started = self._attempts.started
        attempt = started.get(id)
        if attempt is None:
            if self.phase == "closed":
                return
            refuse(
                f"no attempt {id} is under way",
                where="finish",
                expected="an id that take_attempt gave and that has no result yet",
                remedy="finish each attempt once; a STOP finishes the ones before it",
            )
        if wrong := contradictions(result):
            refuse(
                f"a result that contradicts itself: {wrong[0].what}",
                where=wrong[0].field,
                expected="status, reason and flags that agree",
                remedy="make it with make_result",
            )
        if isinstance(attempt.intent, Custom) and attempt.mark is None:
            # A request is answered with what is remembered of it, whatever was declared then and asked for now.
            self._declared.check_result(attempt.intent.name, result)
        if isinstance(attempt.intent, Stop):
            for other in [each for each in started.values() if each.id < id and attempt.stops(each)]:
                del started[other.id]
                self._answer(other.id, other.intent.name, self._make_result("PARTIAL", "NONE", other.agent), "STOPPED")
        self._answer(id, attempt.intent.name, result, detail, next_state)
        del started[id]

    def progress(self, id: int, stage: Literal["started", "moving"], done: float | None = None) -> None:
        """Report the progress of an attempt, if the bridge wants to know."""
        if "progress" in self.features and id in self._attempts.started:
            self._send(frames.Progress(id=id, stage=stage, done=done))

    def show_state(self, state: frames.StateFrame) -> None:
        """Answer a request with a state that carries its id; or push one without an id, if the bridge wants pushes.

        `seq` grows with every state of a session.
        """
        self._note_state(state)
        if self.phase == "open" and (state.id is not None or "state_push" in self.features):
            self._send(state)

    def answer_probe(self, sight: frames.ProbeSight) -> None:
        """Answer a probe: the sight carries its id."""
        if self.phase == "open" and "probe" in self.features:
            self._send(sight)

    def happen(self, event: frames.GameEvent) -> None:
        """Report an event of the game, if the bridge wants to know."""
        # The queue of an observer that does not read must not grow without limit.
        behind = self.observes and len(self.out) >= MAX_UNREAD
        if self.phase == "open" and "events" in self.features and not behind:
            self._send(event)

    # Time.

    def poll(self, now: float) -> list[ExecutorEvent]:
        if self.phase == "waiting" and now >= self._hello_due:
            self._close("no greeting in time", now)
        elif self.phase == "open":
            self._drop_expired(now)
            if not self._pulse(now):
                self._close("dead", now)
        return self._take_events()

    def close(self, reason: str = "") -> list[ExecutorEvent]:
        """End the session from this side."""
        self._close(reason or "local")
        return self._take_events()

    @property
    def wake_at(self) -> float | None:
        if self.phase == "closed":
            return None
        if self.phase == "waiting":
            return self._hello_due
        return min(self._next_pulse(), *[attempt.expires for attempt in self._attempts.waiting], math.inf)

    # What the bridge sends.

    def _hear(self, frame: frames.Frame, line: bytes, now: float) -> None:
        allowed = OBSERVER_SENDS if self.observes else DRIVER_SENDS
        feature = _NEEDS.get(type(frame))
        if type(frame) not in allowed[self.phase] or (feature is not None and feature not in self.features):
            who = "an observer" if self.observes else "a bridge"
            when = "before the greeting" if self.phase == "waiting" else f"from {who}"
            self._complain("out_of_order", f"{frame.__struct_config__.tag} {when}", getattr(frame, "id", None))
            return
        match frame:
            case frames.IntentFrame():
                self._hear_intent(frame, now)
            case frames.Cancel():
                self._hear_cancel(frame)
            case frames.StateRequest(id=id) | frames.Reset(id=id) | frames.ProbeRead(id=id):
                self._last_id = max(self._last_id, id)
                if isinstance(frame, frames.Reset):
                    self._answer_all(self._attempts.reset(), "UNKNOWN", "RESET")
                self._events.append(frame)
            case frames.Ping(n=n):
                self._send(frames.Pong(n=n, tick=self.tick, open=self._attempts.ids))
            case frames.Hello():
                self._hear_hello(frame)
            case frames.Goodbye():
                self._close("goodbye", now)

    def _hear_hello(self, hello: frames.Hello) -> None:
        answer = answer_hello(hello, self.welcome, token=self._token, ready=self.ready, taken=self.taken)
        self._send(answer)
        if isinstance(answer, frames.Reject):
            self._enter("closed")
            return
        self._enter("open")
        self.features = frozenset(answer.features)
        self._events.append(hello)

    def _hear_intent(self, frame: frames.IntentFrame, now: float) -> None:
        """Queue an intent, or answer it at once; an id is attempted at most once, even if it is sent again."""
        id, attempts = frame.id, self._attempts
        if id <= self._last_id:
            line = attempts.find_answer(id)
            if line is not None:
                self.out.append(line)
            elif id not in attempts.ids:
                self._complain("stale_id", f"the id {id} is not above {self._last_id}", id)
            return
        self._last_id = id
        try:
            intent = parse_intent(frame.intent, frame.parameters, self._declared)
        except InvalidInput:
            self._answer(id, frame.intent, self._make_result("FAILURE", "UNKNOWN", frame.agent), "NOT_CANONICAL")
            return
        stops = isinstance(intent, Stop)
        expires = math.inf if stops else now + frame.ttl_ms / 1000
        # STOP is always carried out, whatever is remembered.
        mark = RequestMark.of(frame) if REQUESTS in self.features and not stops else None
        attempt = IncomingIntent(id, intent, frame.agent, frame.based_on, expires, frame.ttl_ms, mark)
        obstacle = None if stops else self._find_obstacle(frame)
        if obstacle is not None:
            reason, detail = obstacle
            self._answer(id, frame.intent, self._make_result("FAILURE", reason, frame.agent), detail)
            return
        if stops:
            self._answer_all(attempts.drop(attempt.stops), "UNKNOWN", "STOPPED")
        attempts.add(attempt)

    def _find_obstacle(self, frame: frames.IntentFrame) -> tuple[FailureReason, str] | None:
        """Why an intent other than STOP cannot be attempted: reason and detail of its result."""
        if frame.intent not in self.welcome.intents and frame.intent not in self._declared:
            return "UNKNOWN", "UNSUPPORTED"
        if not self.knows(frame.agent):
            return "INVALID_STATE", "NO_SUCH_AGENT"
        if frame.based_on is not None and frame.based_on > self._last_seq:
            return "INVALID_STATE", "NO_SUCH_STATE"
        if frame.based_on is not None and frame.based_on < self._episode_seq:
            return "INVALID_STATE", "FORMER_EPISODE"
        if self._attempts.busy >= self.welcome.limits.max_inflight:
            return "RESOURCE_EXHAUSTED", "WINDOW_FULL"
        return None

    def _hear_cancel(self, cancel: frames.Cancel) -> None:
        """Acknowledge, and make sure that a result follows; cancelling a finished attempt changes nothing."""
        id = cancel.id
        if id > self._last_id:
            self._complain("unknown_id", f"no intent {id} was ever sent", id)
        if id in self._attempts.ids:
            self._send(frames.Progress(id=id, stage="cancelling"))
        if id in self._attempts.started:
            self._events.append(cancel)
        self._answer_all(self._attempts.drop(lambda attempt: attempt.id == id), "UNKNOWN", "CANCELLED")

    def _unreadable(self, fault: FrameFault, now: float) -> None:
        what = fault.problems[0].what
        if self.phase == "waiting" and fault.code == "bad_version":
            self._send(frames.Reject(code="version", message=what, supported=self.welcome.spec))
            self._enter("closed")
            return
        self._complain(fault.code, what)
        if self._faults >= MAX_FAULTS:
            self._close("faults", now)

    # Answering.

    def _drop_expired(self, now: float) -> None:
        if self._attempts.waiting:
            expired = self._attempts.drop(lambda attempt: now >= attempt.expires)
            self._answer_all(expired, "INVALID_STATE", "EXPIRED")

    def _answer_all(self, dropped: Iterable[IncomingIntent], reason: FailureReason, detail: str) -> None:
        """Answer what was queued and will not be started."""
        for attempt in dropped:
            result = self._make_result("FAILURE", reason, attempt.agent)
            self._answer(attempt.id, attempt.intent.name, result, detail)

    def _make_result(self, status: Status, reason: FailureReason, agent: str | None) -> Result:
        return make_result(status, reason, is_alive=self.is_alive(agent))

    def _answer(
        self, id: int, name: str, result: Result, detail: str | None, next_state: frames.StateFrame | None = None
    ) -> None:
        if next_state is not None:
            self._note_state(next_state)
        visible = next_state if "next_state" in self.features else None
        frame = frames.ResultFrame(id=id, intent=name, result=result, detail=detail, next_state=visible)
        self._attempts.keep_answer(id, self._send(frame))

    def _note_state(self, state: frames.StateFrame) -> None:
        self.tick = max(self.tick, state.tick)
        self._last_seq = max(self._last_seq, state.seq)
        # The episode of one of several actors is not that of the world; the host knows which states are of it.
        if state.agent is None and state.episode != self._episode:
            self._episode, self._episode_seq = state.episode, state.seq

    # Closing.

    def _close(self, reason: str, now: float | None = None) -> None:
        if self.phase == "closed":
            return
        was_open = self.phase == "open"
        self._send(frames.Goodbye(reason=reason))
        self._enter("closed")
        self._attempts.clear()
        if was_open:
            self._events.append(BridgeLost(reason))
