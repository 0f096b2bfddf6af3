"""The bridge's side of the protocol, without a socket or a clock: bytes and the time go in, events and bytes come out.

`phases.py` defines what may be sent when. Every request that was sent gets exactly one `Outcome`. If something goes wrong (a
breach of the contract, a missed deadline), the session itself sends STOP, at most one at a time; if that STOP fails, the
session closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import refuse
from volition.core.ledger.line import verbatim
from volition.execution.wire import frames
from volition.execution.wire.declared import Custom, DeclaredIntents
from volition.execution.wire.intents import NONE_DECLARED, Stop
from volition.execution.wire.request import MIN_TTL, Numbers, OpenRequest, Purpose, Request
from volition.execution.wire.results import UNKNOWN_FAILURE, Label, Result, Violation, interpret_result
from volition.execution.wire.session import checks, events
from volition.execution.wire.session.handshake import Offer, find_refusal, make_refusal, no_answer, not_opened
from volition.execution.wire.session.link import MAX_FAULTS, Link, Timing
from volition.execution.wire.session.memory import OpenRequests, States, late_answer
from volition.execution.wire.session.phases import EXECUTOR_SENDS, GREETED, BridgePhase, Ending

if TYPE_CHECKING:
    from volition.execution.wire.codec import FrameFault
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import RequestMark
    from volition.execution.wire.session.handshake import HandshakeFailed

_STOP: Final = Stop()
_STOP_REQUEST: Final = Request("STOP")


class Session(Link[BridgePhase, events.SessionEvent]):
    """One connection to one executor, the one with the number `connection`; `numbers` are its owner's."""

    def __init__(
        self,
        offer: Offer | None = None,
        *,
        now: float,
        timing: Timing | None = None,
        strict: bool = True,
        connection: int = 1,
        numbers: Numbers | None = None,
    ) -> None:
        super().__init__("greeting", now=now, timing=timing)
        self.connection: Final = connection
        self._numbers = numbers or Numbers()
        self.offer = offer or Offer()
        self.strict = strict
        self.welcome: frames.Welcome | None = None
        self.features: frozenset[str] | None = None
        """What both sides have; None before the welcome."""
        self.declared = NONE_DECLARED
        """The intents that the executor has beside the seven."""
        self._observes = self.offer.observes
        self._phase_ends = now + self.timing.handshake
        self._opening_state: frames.StateFrame | None = None
        self._next_id = 1
        self._open = OpenRequests()
        self._states = States(connection, now=now)
        self._send(self.offer.hello())

    # What the owner asks for.

    @property
    def state(self) -> frames.StateFrame | None:
        """The newest state; an intent is based on it unless another is named."""
        return self._states.newest

    @property
    def full_state(self) -> frames.StateFrame | None:
        """The newest full state."""
        return self._states.newest_full

    def find_state(self, seq: int | None) -> frames.StateFrame | None:
        """The state with this `seq`, if it is one of the last 128; the newest one for None."""
        return self._states.newest if seq is None else self._states.recent.get(seq)

    @property
    def open_ids(self) -> tuple[int, ...]:
        """The intents without a result, oldest first."""
        return tuple(self._open)

    @property
    def room(self) -> int:
        """How many intents other than STOP may be sent now: none while the session's own STOP is open."""
        if self.phase != "ready" or self.welcome is None or self._open.stop is not None or self._observes:
            return 0
        return max(0, self.welcome.limits.max_inflight - len(self._open))

    def send(
        self,
        intent: AnyIntent,
        *,
        now: float,
        ttl: float,
        based_on: int | None = None,
        agent: str | None = None,
        purpose: Purpose = "policy",
        mark: RequestMark | None = None,
    ) -> int:
        """Send an intent that is valid for `ttl` seconds, and return its id; InvalidInput if it may not be sent now."""
        checks.check_terms(ttl, based_on, agent)
        state = None if based_on is None else self.find_state(based_on)
        request = OpenRequest(0, purpose, Request.of(intent), intent, now, ttl, agent, mark, based_on, state)
        return self.dispatch(request, now)

    def dispatch(self, request: OpenRequest, now: float) -> int:
        """Send a request for the rest of its time, and return its id; InvalidInput if it may not be sent now.

        Unless it names a state, it is based on the newest one.
        """
        intent = request.intent
        if request.based_on is None and (state := self.state) is not None:
            request.state, request.based_on = state, state.seq
        checks.check_intent(intent, self.declared)
        if self._observes:
            checks.refuse_acting()
        checks.check_mark(request.mark, intent, self.offer.features, self.features)
        if not (self.room or (isinstance(intent, Stop) and self.phase in GREETED)):
            refuse(
                f"{intent.name} cannot be sent now: the session is {self.phase}, with {len(self._open)} intents open",
                where="session",
                expected="a ready session with room",
                remedy="wait until room is above 0; STOP may be sent as soon as the handshake is over",
            )
        return self._dispatch(request, now)

    def _dispatch(self, request: OpenRequest, now: float) -> int:
        ttl = request.time_left(now) or MIN_TTL
        id = self._take_id()
        frame = frames.IntentFrame(
            id=id,
            intent=request.intent.name,
            parameters=request.intent.parameters,
            ttl_ms=max(1, round(ttl * 1000)),
            based_on=request.based_on,
            agent=request.agent,
        )
        if request.mark is not None:
            frame = msgspec.structs.replace(frame, **msgspec.structs.asdict(request.mark))
        self._send(frame)
        request.id, request.connection = id, self.connection
        request.sent_at, request.expires = now, now + ttl + self.timing.grace
        self._open[id] = request
        return id

    def cancel(self, id: int) -> None:
        """Ask the executor to cancel an intent; its result still follows. No effect on a finished intent."""
        if id in self._open:
            self._send(frames.Cancel(id=id))

    def request_state(self, *, now: float, full: bool = True, ttl: float = 1.0) -> int:
        """Ask for a state; it follows with this id, or `StateMissing`."""
        if self.phase not in GREETED:
            refuse(
                f"no state can be asked for: the session is {self.phase}",
                where="session",
                expected="a session after its handshake",
                remedy="wait for the welcome",
            )
        id = self._take_id()
        self._send(frames.StateRequest(id=id, full=full))
        self._states.expect(id, full=full, deadline=now + ttl)
        return id

    def reset(self, seed: int, *, now: float, ttl: float) -> int:
        """Ask for a new episode with this seed; its state follows with this id, or `StateMissing`; all open intents end."""
        if self._observes:
            checks.refuse_acting()
        checks.check_reset(seed, self.offer.features, self.features or ())
        id = self._take_id()
        self._send(frames.Reset(id=id, seed=seed))
        self._states.expect(id, full=True, deadline=now + ttl)
        return id

    def _take_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    # Time.

    def poll(self, now: float) -> list[events.SessionEvent]:
        for id in self._open.overdue(now):
            if id in self._open:
                self._expire(id, now)
        self._events += self._states.forget_overdue(now)
        if self.phase in {"greeting", "opening"} and now >= self._phase_ends:
            self._close("refused", now)
        if self.phase in GREETED and not self._pulse(now):
            self._close("dead", now)
        return self._take_events()

    def close(self, now: float) -> list[events.SessionEvent]:
        """End the session from this side."""
        self._close("local", now)
        return self._take_events()

    @property
    def wake_at(self) -> float | None:
        if self.phase == "closed":
            return None
        if self.phase == "greeting":
            return self._phase_ends
        due = min(self._next_pulse(), self._open.deadline)
        if self._states.requests:
            due = min(due, self._states.deadline)
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
            case frames.GameEvent() | frames.ErrorFrame():
                self._events.append(frame)
            case frames.Progress(id=id):
                if id >= self._next_id:
                    self._breach("unknown_id", f"progress of an intent {id} that was never sent", id)
                elif id in self._open:
                    self._events.append(frame)
            case frames.Ping(n=n):
                self._send(frames.Pong(n=n))
            case frames.Pong(tick=int(tick)):
                self._events += self._states.note_tick(tick, now)
            case frames.Goodbye(reason=reason):
                self._close("goodbye", now, farewell=reason)

    def _hear_welcome(self, answer: frames.Welcome | frames.Reject, now: float) -> None:
        refusal = find_refusal(answer, self.offer)
        if refusal or isinstance(answer, frames.Reject):
            self._close("refused", now, refusal)
            return
        self._enter("opening")
        self._phase_ends = now + self.timing.opening
        self.welcome = answer
        # From now on no line, in or out, may be longer than both sides allow.
        self._lines.max_frame = min(self._lines.max_frame, answer.limits.max_frame)
        self._states = States(self.connection, now=now, patience=self.timing.dead if answer.tick_hz else 0)
        self.features = frozenset(answer.features) & frozenset(self.offer.features)
        self.declared = DeclaredIntents(answer.declares)
        self._events.append(answer)
        self.request_state(now=now, full=True, ttl=self.timing.opening)
        self._send_stop("opening", now)

    def _hear_state(self, state: frames.StateFrame, now: float) -> None:
        events = self._states.arrive(state, now, known_ids=self._next_id)
        self._events += events
        if state.full and state.id is not None and any(event is state for event in events):
            self._opening_state = state
            self._check_ready()

    def _hear_result(self, frame: frames.ResultFrame, line: bytes, now: float) -> None:
        id, request = frame.id, self._open.match(frame, self._next_id)
        if not isinstance(request, OpenRequest):
            kind, what = request
            self._breach(kind, what, id)
            if kind == "mismatched":
                self._give_way(id, now)
            return
        result, label, violations = self._interpret(frame.result, request.intent)
        if violations:
            self._breach("bad_result", "; ".join(f"{each.field}: {each.what}" for each in violations), id)
        if id == self._open.stop and label != "malformed":
            lost, ids = self._open.take_lost_answers()
            for each in ids:
                self._give_up(each, now, "malformed", f"its answer cannot be read ({lost})")
        shown = frame.next_state
        if shown is not None and shown.id is not None:  # an answer to a request for a state comes by itself
            shown = msgspec.structs.replace(shown, id=None)
        if self._open.pop(id, None) is None:
            self._open.forget(id)
            self._events.append(late_answer(request, result, label, line, now))
        else:
            ended = self._with_ticket(request).end
            detail = frame.detail or ""
            self._events.append(ended(label, detail, now, result, violations=violations, line=line, next_state=shown))
        if shown is not None:
            self._events += self._states.push(shown, now)
        if label == "malformed":
            self._give_way(id, now)
        elif id == self._open.stop:
            self._open.stop = None
            self._check_ready()
        elif violations:
            self._fall_back(now)

    def _interpret(self, payload: Any, intent: AnyIntent) -> tuple[Result, Label, tuple[Violation, ...]]:
        """The result as this side reads it; one that was not declared for its intent deviates from the contract."""
        result, label, violations = interpret_result(payload, strict=self.strict)
        if isinstance(intent, Custom) and not self.declared.allows(intent.name, result):
            what = f"{intent.name} was not declared to end like this"
            violations = (*violations, Violation("status", what, "deviant"))
            if self.strict:
                return UNKNOWN_FAILURE, "malformed", violations
        return result, label, violations

    def _check_ready(self) -> None:
        if self.phase == "opening" and self._open.stop is None and self._opening_state is not None:
            self._enter("ready")
            self._events.append(events.Ready(self._opening_state))

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
        reason = f"{fault.code}: {what}"
        id = self._open.lose_answer(fault.line or b"", reason, state_expected=bool(self._states.requests))
        if id is not None:
            self._give_up(id, now, "malformed", f"its answer cannot be read ({reason})")
        self._fall_back(now)

    def _expire(self, id: int, now: float) -> None:
        """No answer in time: FAILURE/UNKNOWN for the owner, cancel and STOP for the executor. A late answer is still
        matched."""
        self._give_up(id, now, "timeout", "no answer in time")
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

    def _send_stop(self, purpose: Purpose, now: float) -> None:
        if not self._observes:
            self._open.stop = self._dispatch(OpenRequest(0, purpose, _STOP_REQUEST, _STOP, now, self.timing.stop), now)

    def _breach(self, kind: events.BreachKind, what: str, id: int | None = None, raw: bytes | None = None) -> None:
        shown = None if raw is None else verbatim(raw)
        self._events.append(events.Breach(connection=self.connection, kind=kind, what=what, id=id, raw=shown))

    # Ending requests.

    def _give_up(self, id: int, now: float, label: Label, detail: str) -> None:
        """End a request without an answer: FAILURE/UNKNOWN."""
        self._events.append(self._with_ticket(self._open.give_up(id)).end(label, detail, now))

    def _with_ticket(self, request: OpenRequest) -> OpenRequest:
        """A request that is about to end; what has no ticket, such as the session's own STOP, gets it now."""
        request.ticket = request.ticket or self._numbers.ticket()
        return request

    # Closing.

    def _close(self, reason: Ending, now: float, error: HandshakeFailed | None = None, farewell: str = "") -> None:
        if self.phase == "closed":
            return
        if error is None and reason != "local":
            error = self._failure(reason, farewell)
        self._send(frames.Goodbye(reason=reason))
        self._enter("closed")
        self._open.stop = None
        for id in [*self._open]:
            request = self._with_ticket(self._open.pop(id))
            self._events.append(request.end("unknown", f"the session ended: {reason}", now))
        self._events += self._states.give_up()
        self._events.append(events.Closed(reason, error))

    def _failure(self, reason: Ending, farewell: str) -> HandshakeFailed | None:
        """The error for a session that ends before it was ready; None if it was ready."""
        if self.phase == "greeting":
            return no_answer(reason, farewell, timing=self.timing, noise=self._faults)
        if self.phase == "opening":
            shown, stopped = self._opening_state is not None, self._open.stop is None
            return not_opened(reason, shown=shown, stopped=stopped, timing=self.timing)
        return None
