"""The bridge's side of the protocol, without a socket or a clock: bytes and the time go in, events and bytes come out.

`phases.py` defines what may be sent when. Every intent gets exactly one `Finished`. If something goes wrong (a breach
of the contract, a missed deadline), the session itself sends STOP, at most one at a time; if that STOP fails, the
session closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.execution.wire import frames
from volition.execution.wire.results import read_result
from volition.execution.wire.session.events import (
    Breach,
    BreachKind,
    Closed,
    Complaint,
    Ending,
    Happened,
    Ready,
    SessionEvent,
    StateArrived,
    Welcomed,
)
from volition.execution.wire.session.handshake import Offer, find_refusal, make_refusal, no_answer, not_opened
from volition.execution.wire.session.link import MAX_FAULTS, Timing
from volition.execution.wire.session.phases import EXECUTOR_SENDS, GREETED
from volition.execution.wire.session.sender import Sender
from volition.execution.wire.session.states import States

if TYPE_CHECKING:
    from volition.execution.wire.codec import FrameFault
    from volition.execution.wire.session.refusals import HandshakeFailed


class Session(Sender):
    """One connection to one executor."""

    def __init__(
        self,
        offer: Offer | None = None,
        *,
        now: float,
        timing: Timing | None = None,
        strict: bool = True,
    ) -> None:
        super().__init__(offer or Offer(), now=now, timing=timing)
        self.strict = strict
        self._phase_ends = now + self.timing.handshake
        self._opening_state: frames.StateFrame | None = None

    def poll(self, now: float) -> list[SessionEvent]:
        for id in self._open.due(now):
            if id in self._open:
                self._expire(id, now)
        self._events += self._states.forget_overdue(now)
        if self.phase in {"greeting", "opening"} and now >= self._phase_ends:
            self._close("refused", now)
        if self.phase in GREETED and not self._pulse(now):
            self._close("dead", now)
        return self._take_events()

    def close(self, now: float) -> list[SessionEvent]:
        """End the session from this side."""
        self._close("local", now)
        return self._take_events()

    @property
    def wake_at(self) -> float | None:
        if self.phase == "closed":
            return None
        if self.phase == "greeting":
            return self._phase_ends
        due = min(self._next_pulse(), self._open.deadline, self._states.deadline)
        return min(due, self._phase_ends) if self.phase == "opening" else due

    # What the executor sends.

    def _hear(self, frame: frames.Frame, line: bytes, now: float) -> None:
        if type(frame) not in EXECUTOR_SENDS[self.phase]:
            when = "before the welcome" if self.phase == "greeting" else "from an executor"
            self._breach("unexpected", f"{frame.__struct_config__.tag} {when}")
            self._fall_back(now)
            return
        match frame:
            case frames.ResultFrame():
                self._hear_result(frame, line, now)
            case frames.StateFrame():
                self._hear_state(frame, now)
            case frames.Welcome() | frames.Reject():
                self._hear_welcome(frame, now)
            case frames.GameEvent():
                self._events.append(Happened(frame))
            case frames.Progress(id=id):
                if id >= self._next_id:
                    self._breach("unknown_id", f"progress of an intent {id} that was never sent", id)
                elif id in self._open:
                    self._events.append(Happened(frame))
            case frames.Ping(n=n):
                self._send(frames.Pong(n=n))
            case frames.Pong(tick=int(tick)):
                self._events += self._states.note_tick(tick, now)
            case frames.ErrorFrame(code=code, message=message, id=id):
                self._events.append(Complaint(code, message, id))
            case frames.Goodbye(reason=reason):
                self._close("goodbye", now, said=reason)

    def _hear_welcome(self, answer: frames.Welcome | frames.Reject, now: float) -> None:
        refusal = find_refusal(answer, self.offer)
        if refusal or isinstance(answer, frames.Reject):
            self._close("refused", now, refusal)
            return
        self._enter("opening")
        self._phase_ends = now + self.timing.opening
        self.welcome = answer
        self._agree(answer.limits.max_frame)
        self._states = States(now=now, patience=self.timing.dead if answer.tick_hz else 0)
        self._events.append(Welcomed(answer, frozenset(answer.features) & frozenset(self.offer.features)))
        self.request_state(now=now, full=True, ttl=self.timing.opening)
        self._send_stop("opening", now)

    def _hear_state(self, state: frames.StateFrame, now: float) -> None:
        events = self._states.arrive(state, now, known_ids=self._next_id)
        self._events += events
        if state.full and any(isinstance(event, StateArrived) and event.asked for event in events):
            self._opening_state = state
            self._check_ready()

    def _hear_result(self, frame: frames.ResultFrame, line: bytes, now: float) -> None:
        id = frame.id
        breach = self._open.objection(frame, self._next_id)
        if breach is not None:
            self._events.append(breach)
            if breach.kind == "mismatched":
                self._give_way(id, now)
            return
        reading = read_result(frame.result, strict=self.strict)
        if reading.violations:
            what = "; ".join(f"{violation.field}: {violation.what}" for violation in reading.violations)
            self._breach("bad_result", what, id)
        if id == self._open.stop and reading.label != "malformed":
            self._events += self._open.end_lost_answers(now)
        self._events.append(self._open.answer(frame, reading, line, now))
        if frame.next_state is not None:
            self._events += self._states.push(frame.next_state, now)
        if reading.label == "malformed":
            self._give_way(id, now)
        elif id == self._open.stop:
            self._open.stop = None
            self._check_ready()
        elif reading.violations:
            self._fall_back(now)

    def _check_ready(self) -> None:
        if self.phase == "opening" and self._open.stop is None and self._opening_state is not None:
            self._enter("ready")
            self._events.append(Ready(self._opening_state))

    # When something goes wrong.

    def _unreadable(self, fault: FrameFault, now: float) -> None:
        what = fault.problems[0].what
        if self.phase == "greeting" and fault.code == "bad_version":
            self._close("refused", now, make_refusal("version", what))
            return
        self._complain(fault.code, what)
        self._breach("bad_frame", f"{fault.code}: {what}", raw=fault.line)
        if self._faults >= MAX_FAULTS:
            self._close("faults", now)
            return
        expected = self._states.expected
        self._events += self._open.lose_answer(fault.line or b"", f"{fault.code}: {what}", now, state_expected=expected)
        self._fall_back(now)

    def _expire(self, id: int, now: float) -> None:
        """No answer in time: FAILURE/UNKNOWN for the owner, cancel and STOP for the executor. A late answer is still
        matched."""
        self._events.append(self._open.expire(id, now))
        if id != self._open.stop:
            self._send(frames.Cancel(id=id))
        self._give_way(id, now)

    def _give_way(self, id: int, now: float) -> None:
        """Fall back after a bad or missing answer for `id`; if that was the STOP itself, close."""
        if id == self._open.stop:
            self._close("stop_failed", now)
        else:
            self._fall_back(now)

    def _fall_back(self, now: float) -> None:
        if self.phase in GREETED and self._open.stop is None:
            self._send_stop("fallback", now)

    def _breach(self, kind: BreachKind, what: str, id: int | None = None, raw: bytes | None = None) -> None:
        self._events.append(Breach(kind, what, id, raw))

    # Closing.

    def _close(self, reason: Ending, now: float, error: HandshakeFailed | None = None, said: str = "") -> None:
        if self.phase == "closed":
            return
        if error is None and reason != "local":
            error = self._failure(reason, said)
        self._say_goodbye(reason)
        self._enter("closed")
        self._open.stop = None
        for id in self._open.ids:
            self._events.append(self._open.abandon(id, now, "unknown", f"the session ended: {reason}"))
        self._events += self._states.give_up()
        self._events.append(Closed(reason, error))

    def _failure(self, reason: Ending, said: str) -> HandshakeFailed | None:
        """The error for a session that ends before it was ready; None if it was ready."""
        if self.phase == "greeting":
            return no_answer(reason, said, timing=self.timing, noise=self._faults)
        if self.phase == "opening":
            shown, stopped = self._opening_state is not None, self._open.stop is None
            return not_opened(reason, shown=shown, stopped=stopped, timing=self.timing)
        return None
