"""What the executor's side of a session sends: results, states, events and progress, as the game reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from volition.core.errors import refuse
from volition.execution.wire import frames
from volition.execution.wire.codec import MAX_FRAME
from volition.execution.wire.intents import Stop
from volition.execution.wire.results import FailureReason, Result, Status, contradictions, make_result
from volition.execution.wire.session.attempts import Attempts
from volition.execution.wire.session.executor_events import ExecutorEvent
from volition.execution.wire.session.handshake import OBSERVE
from volition.execution.wire.session.link import MAX_UNREAD, Link
from volition.execution.wire.session.phases import ExecutorPhase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.execution.wire.session.executor_events import IncomingIntent
    from volition.execution.wire.session.link import Timing


class Answerer(Link[ExecutorPhase, ExecutorEvent]):
    """The half of an executor's session that the game calls; `ExecutorSession` adds the receiving half.

    The game keeps `tick` and `is_alive` up to date: they are used in pongs and in the results that the session makes.
    """

    def __init__(self, welcome: frames.Welcome, *, now: float, timing: Timing | None) -> None:
        super().__init__("waiting", now=now, timing=timing, max_frame=min(MAX_FRAME, welcome.limits.max_frame))
        self.welcome = welcome
        self.tick = 0
        self.is_alive = True
        self.features: frozenset[str] = frozenset()
        self._attempts = Attempts(welcome.limits.result_cache)
        self._episode, self._episode_seq = -1, 0

    @property
    def under_way(self) -> Mapping[int, IncomingIntent]:
        """The attempts that were started and have no result yet; a finished STOP ends those before it."""
        return self._attempts.started

    @property
    def observes(self) -> bool:
        """Whether the bridge only observes: it gets states and events, and nothing is attempted for it."""
        return OBSERVE in self.features

    def take_attempt(self, now: float) -> IncomingIntent | None:
        """The next intent to attempt, STOP before all others; None if the queue is empty."""
        self._drop_expired(now)
        return self._attempts.start()

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
        if isinstance(attempt.intent, Stop):
            for other in [each for each in started.values() if each.id < id and attempt.stops(each)]:
                del started[other.id]
                self._answer(other.id, other.intent.name, self._make_result("PARTIAL", "NONE"), "STOPPED")
        self._answer(id, attempt.intent.name, result, detail, next_state)
        del started[id]

    def progress(self, id: int, stage: Literal["started", "moving"], done: float | None = None) -> None:
        """Report the progress of an attempt, if the bridge wants to know."""
        if "progress" in self.features and id in self._attempts.started:
            self._send(frames.Progress(id=id, stage=stage, done=done))

    def push_state(self, state: frames.StateFrame) -> None:
        """Push a state, if the bridge wants pushes; `seq` grows with every state of a session."""
        self._note_state(state)
        if self.phase == "open" and "state_push" in self.features:
            self._send(state)

    def answer_state(self, state: frames.StateFrame) -> None:
        """Answer a request: the state carries its id."""
        self._note_state(state)
        if self.phase == "open":
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

    def _drop_expired(self, now: float) -> None:
        expired = self._attempts.drop(lambda attempt: now >= attempt.expires)
        self._answer_all(expired, "INVALID_STATE", "EXPIRED")

    def _answer_all(self, dropped: Iterable[IncomingIntent], reason: FailureReason, detail: str) -> None:
        """Answer what was queued and will not be started."""
        for attempt in dropped:
            self._answer(attempt.id, attempt.intent.name, self._make_result("FAILURE", reason), detail)

    def _make_result(self, status: Status, reason: FailureReason) -> Result:
        return make_result(status, reason, is_alive=self.is_alive)

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
        if state.episode != self._episode:
            self._episode, self._episode_seq = state.episode, state.seq
