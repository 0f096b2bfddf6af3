"""The bridge's side of the protocol, without a socket: bytes and the time go in, events and bytes come out.

Every connection begins alike and remembers nothing of the one before: handshake, full state, STOP, and only then the
policy's intents. Every intent gets exactly one `Finished`. Where something goes wrong (a breach of the contract, a
deadline) the session sends STOP by itself, at most one at a time; if that STOP is not answered well, it closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from volition.core.errors import refuse, shown
from volition.execution import frames
from volition.execution.codec import MAX_FRAME, FrameFault
from volition.execution.intents import CanonicalIntent, Stop
from volition.execution.session.answers import Answer, answer_of, good_answer
from volition.execution.session.asking import check_sending
from volition.execution.session.events import (
    Breach,
    BreachKind,
    Closed,
    Complaint,
    Ending,
    Happened,
    Purpose,
    Ready,
    SessionEvent,
    StateArrived,
    Welcomed,
)
from volition.execution.session.handshake import Offer, no_answer, no_state, refusal, refusal_of
from volition.execution.session.link import MAX_FAULTS, End, Link, Timing
from volition.execution.session.open_intents import OpenIntents, Waiting
from volition.execution.session.plain import plain_line
from volition.execution.session.states import States

if TYPE_CHECKING:
    from volition.execution.session.refusals import HandshakeFailed, NoAnswer


class Session:
    """One connection to one executor; a new connection takes a new session.

    The owner writes what `take` gives, hands over what it reads, and calls `poll` at `wake_at` at the latest.
    """

    def __init__(
        self,
        offer: Offer | None = None,
        *,
        now: float,
        timing: Timing | None = None,
        strict: bool = True,
        max_frame: int = MAX_FRAME,
    ) -> None:
        self.offer = offer or Offer()
        self.timing = timing or Timing()
        self.strict = strict
        self.phase: Literal["greeting", "opening", "ready", "closed"] = "greeting"
        self.welcome: frames.Welcome | None = None
        self._link = Link(now=now, timing=self.timing, max_frame=max_frame)
        self._greeting_ends = now + self.timing.handshake
        self._full: frames.StateFrame | None = None
        self._window = 0
        self._next_id = 1
        self._open = OpenIntents()
        self._waiting = self._open.open
        self._states = States(now=now)
        self._stop: int | None = None
        self._grace = self.timing.grace
        self._events: list[SessionEvent] = []
        self.out = self._link.out
        """The lines that `take` will give, in pieces."""
        self.take = self._link.take
        """The bytes to write now."""
        self._link.send(self.offer.hello())

    # What the owner asks.

    @property
    def state(self) -> frames.StateFrame | None:
        """The newest state; an intent is based on it unless another is named."""
        return self._states.newest

    @property
    def open_ids(self) -> tuple[int, ...]:
        """The intents that have not had their final word, oldest first."""
        return self._open.ids

    @property
    def room(self) -> int:
        """How many intents other than STOP may be sent now: none while a STOP of the session's own is open."""
        if self.phase != "ready" or self._stop is not None:
            return 0
        return max(0, self._window - len(self._open))

    def send(
        self,
        intent: CanonicalIntent,
        *,
        now: float,
        ttl: float,
        based_on: int | None = None,
        agent: str | None = None,
        purpose: Purpose = "policy",
    ) -> int:
        """Send an intent that is worth `ttl` seconds, and return its id; InvalidInput where none may be sent now.

        `purpose` comes back with its `Finished`: "instead" is for a STOP in the place of what must not be sent.
        """
        check_sending(intent, ttl, based_on, agent)
        if not (self.room or (isinstance(intent, Stop) and self.phase in {"opening", "ready"})):
            refuse(
                f"{intent.name} cannot be sent now: the session is {self.phase}, with {len(self._open)} intents open",
                where="session",
                expected="a ready session with room",
                remedy="wait until room is above 0; STOP may be sent as soon as the handshake is over",
            )
        newest = self._states.newest
        seq = newest.seq if based_on is None and newest is not None else based_on
        return self._send(intent, purpose, now, ttl, seq, agent)

    def send_plain(self, intent: CanonicalIntent, now: float, ttl: float, based_on: int) -> int:
        """`send` for the usual case, quickly: an intent without an agent, decided on a state that was seen.

        Whoever calls answers for it that intent, ttl and state are what they must be. 0, and nothing is done, where the
        case is not the usual one: there is no room.
        """
        if self.phase != "ready" or self._stop is not None or len(self._waiting) >= self._window:
            return 0
        id = self._next_id
        self._next_id = id + 1
        self.out.append(plain_line(intent, id, round(ttl * 1000), based_on))
        self._open.add(id, Waiting(intent, "policy", now, now + ttl + self._grace))
        return id

    def cancel(self, id: int) -> None:
        """Ask the executor to give up an intent; its result still comes. A finished one is left alone."""
        if id in self._open:
            self._link.send(frames.Cancel(id=id))

    def ask_state(self, *, now: float, full: bool = True, ttl: float = 1.0) -> int:
        """Ask for a state; `StateArrived` or `StateMissing` follows."""
        if self.phase not in {"opening", "ready"}:
            refuse(
                f"no state can be asked for: the session is {self.phase}",
                where="session",
                expected="a session after its handshake",
                remedy="wait for Welcomed",
            )
        id = self._new_id()
        self._link.send(frames.StateRequest(id=id, full=full))
        self._states.ask(id, full=full, deadline=now + ttl)
        return id

    # What the connection brings.

    def receive(self, data: bytes, now: float) -> list[SessionEvent]:
        """Take what was read; any cut of the stream into pieces gives the same events."""
        link, welcomed = self._link, self.welcome is not None
        for line in link.lines(data):
            if link.closed:
                break
            answer = good_answer(line) if welcomed else None
            if answer is not None:
                link.heard_at = now
                # Nothing follows from the usual answer; all others are looked at closely.
                if (
                    answer.id == self._stop
                    or answer.next_state is not None
                    or (finished := self._open.well_answered(answer, now)) is None
                ):
                    self._result(answer, now)
                else:
                    self._events.append(finished)
                continue
            arrival = link.read(line, now)
            if isinstance(arrival, FrameFault):
                self._unreadable(arrival, now)
            elif self.phase == "greeting":
                self._greeting(arrival, now)
            elif isinstance(arrival, frames.ResultFrame):
                self._result(answer_of(arrival, line, strict=self.strict), now)
            else:
                self._frame(arrival, now)
        if link.overrun:
            self._close("overrun", now)
        told, self._events = self._events, []
        return told

    def poll(self, now: float) -> list[SessionEvent]:
        """Do what is due: deadlines, pings, giving up."""
        if self._link.closed:
            return self._told()
        if self.phase == "greeting":
            if now >= self._greeting_ends:
                self._close("refused", now, self._no_answer("no welcome in time"))
            return self._told()
        for id in self._open.due(now):
            if id in self._open:
                self._expire(id, now)
        missing = self._states.overdue(now)
        self._events += missing
        if missing and self.state is None:
            self._close("refused", now, no_state())
        if not self._link.pulse(now):
            self._close("dead", now)
        return self._told()

    def end(self, now: float, how: End = "eof") -> list[SessionEvent]:
        """The connection ended; an end in the middle of a frame is told apart."""
        reason: Ending = "torn" if how == "eof" and self._link.torn else how
        error = self._no_answer(f"the connection ended ({reason})") if self.phase == "greeting" else None
        self._close(reason, now, error)
        return self._told()

    def close(self, now: float) -> list[SessionEvent]:
        """End the session from this side."""
        self._close("local", now)
        return self._told()

    @property
    def wake_at(self) -> float | None:
        """When `poll` has something to do at the latest; None once the session is over."""
        if self.phase == "closed":
            return None
        if self.phase == "greeting":
            return self._greeting_ends
        return min(self._link.next_pulse(), self._open.deadline, self._states.deadline)

    # The greeting.

    def _greeting(self, frame: frames.Frame, now: float) -> None:
        match frame:
            case frames.Welcome() | frames.Reject():
                turned_down = refusal_of(frame, self.offer)
                if turned_down or isinstance(frame, frames.Reject):
                    self._close("refused", now, turned_down)
                    return
                self.welcome = frame
                self.phase = "opening"
                self._window = frame.limits.max_inflight
                self._link.agree(frame.limits.max_frame)
                self._states = States(now=now, patience=self.timing.dead if frame.tick_hz else 0)
                features = frozenset(frame.features) & frozenset(self.offer.features)
                self._events.append(Welcomed(frame, features))
                self.ask_state(now=now, full=True, ttl=self.timing.handshake)
                self._stop = self._send(Stop(), "opening", now, self.timing.stop, None, None)
            case frames.Ping(n=n):
                self._link.send(frames.Pong(n=n))
            case frames.ErrorFrame(code=code, message=message, id=id):
                self._events.append(Complaint(code, message, id))
            case frames.Goodbye(reason=reason):
                self._close("goodbye", now, self._no_answer(f"it said goodbye: {reason!r}"))
            case frames.Pong():
                pass
            case _:
                self._breach("unexpected", f"{_kind(frame)} before the welcome")

    def _no_answer(self, what: str) -> NoAnswer:
        return no_answer(what, waited=self.timing.handshake, noise=self._link.faults)

    # Frames of a session that stands.

    def _frame(self, frame: frames.Frame, now: float) -> None:
        match frame:
            case frames.StateFrame():
                told = self._states.arrived(frame, now, known_ids=self._next_id)
                self._events += told
                if frame.full and any(type(event) is StateArrived and event.asked for event in told):
                    self._full = frame
                    self._maybe_ready()
            case frames.GameEvent():
                self._events.append(Happened(frame))
            case frames.Progress(id=id):
                if id >= self._next_id:
                    self._breach("unknown_id", f"progress of an intent {id} that was never sent", id)
                elif id in self._open:
                    self._events.append(Happened(frame))
            case frames.Ping(n=n):
                self._link.send(frames.Pong(n=n))
            case frames.Pong(tick=tick):
                if tick is not None:
                    self._events += self._states.ticked(tick, now)
            case frames.ErrorFrame(code=code, message=message, id=id):
                self._events.append(Complaint(code, message, id))
            case frames.Goodbye():
                self._close("goodbye", now)
            case _:
                self._breach("unexpected", f"{_kind(frame)} from an executor")
                self._fall_back(now)

    def _unreadable(self, fault: FrameFault, now: float) -> None:
        what = fault.problems[0].what
        if self.phase == "greeting" and fault.code == "bad_version":
            self._close("refused", now, refusal("version", what))
            return
        self._link.complain(fault.code, what)
        self._breach("bad_frame", f"{fault.code}: {what}", raw=fault.line)
        if self._link.faults >= MAX_FAULTS:
            self._close("faults", now, self._no_answer("only noise") if self.phase == "greeting" else None)
        else:
            self._fall_back(now)

    def _result(self, answer: Answer, now: float) -> None:
        id = answer.id
        waiting = self._open.find(id)
        if waiting is None:
            known = id < self._next_id
            what = f"a result for {id}, which is " + ("no open intent" if known else "an id that was never sent")
            self._breach("repeated" if known else "unknown_id", what, id)
            return
        if answer.intent != waiting.intent.name:
            what = f"a result of {shown(answer.intent)} for {id}, which is {waiting.intent.name}"
            self._breach("mismatched", what, id)
            self._give_way(id, now)
            return
        if answer.violations:
            what = "; ".join(f"{violation.field}: {violation.what}" for violation in answer.violations)
            self._breach("bad_result", what, id)
        self._events.append(self._open.answered(answer, now))
        if answer.next_state is not None:
            self._events += self._states.pushed(answer.next_state, now)
            self._maybe_ready()
        if answer.label == "malformed":
            self._give_way(id, now)
        elif id == self._stop:
            self._stop = None
            self._maybe_ready()

    def _maybe_ready(self) -> None:
        if self.phase == "opening" and self._stop is None and self._full is not None:
            self.phase = "ready"
            self._events.append(Ready(self._full))

    # Sending, finishing, falling back, closing.

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _send(
        self, intent: CanonicalIntent, purpose: Purpose, now: float, ttl: float, seq: int | None, agent: str | None
    ) -> int:
        id = self._next_id
        self._link.send(
            frames.IntentFrame(
                id=id,
                intent=intent.name,
                parameters=intent.parameters,
                ttl_ms=max(1, round(ttl * 1000)),
                based_on=seq,
                agent=agent,
            ),
            checked=True,
        )
        self._open.add(self._new_id(), Waiting(intent, purpose, now, now + ttl + self.timing.grace))
        return id

    def _expire(self, id: int, now: float) -> None:
        """No answer in time: FAILURE/UNKNOWN here, cancel and STOP there; a late answer will find its intent."""
        self._events.append(self._open.expire(id, now))
        if id != self._stop:
            self._link.send(frames.Cancel(id=id))
        self._give_way(id, now)

    def _give_way(self, id: int, now: float) -> None:
        """Fall back because of what came, or did not come, for `id`; where that was the STOP itself, close."""
        if id == self._stop:
            self._close("stop_failed", now)
        else:
            self._fall_back(now)

    def _fall_back(self, now: float) -> None:
        if self.phase in {"opening", "ready"} and self._stop is None:
            self._stop = self._send(Stop(), "fallback", now, self.timing.stop, None, None)

    def _breach(self, kind: BreachKind, what: str, id: int | None = None, raw: bytes | None = None) -> None:
        self._events.append(Breach(kind, what, id, raw))

    def _close(self, reason: Ending, now: float, error: HandshakeFailed | None = None) -> None:
        if self.phase == "closed":
            return
        self.phase, self._stop = "closed", None
        for id in self._open.ids:
            self._events.append(self._open.abandon(id, now, "unknown", f"the session ended: {reason}"))
        self._events += self._states.give_up()
        self._link.close(reason)
        self._events.append(Closed(reason, error))

    def _told(self) -> list[SessionEvent]:
        told, self._events = self._events, []
        return told


def _kind(frame: frames.Frame) -> str:
    return str(frame.__struct_config__.tag)
