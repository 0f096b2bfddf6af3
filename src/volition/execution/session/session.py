"""The bridge's side of the protocol, without a socket: bytes and the time go in, events and bytes come out.

Every connection begins alike and remembers nothing of the one before: handshake, full state, STOP, and only then the
policy's intents; an opening that is not over in time closes the session. An observer sends no intent, not even STOP.
Every intent gets exactly one `Finished`. Where something goes wrong (a breach of the contract, a deadline) the session
sends STOP by itself, at most one at a time; if that STOP is not answered well, it closes.

A line that cannot be read ends the intent whose id it names, or the only thing that an answer is awaited for. Where
there are several, the one is known when STOP is answered: all that was open has had its result by then, but for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from volition.execution import frames
from volition.execution.codec import MAX_FRAME, FrameFault
from volition.execution.intents import CanonicalIntent, Stop
from volition.execution.session.answers import Answer, addressee, answer_of, good_answer
from volition.execution.session.asking import check_sending, refuse_acting, refuse_asking, refuse_sending
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
from volition.execution.session.handshake import Offer, no_answer, not_opened, refusal, refusal_of
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
        self.strict, self._observes = strict, self.offer.observes
        self.phase: Literal["greeting", "opening", "ready", "closed"] = "greeting"
        self.welcome: frames.Welcome | None = None
        self._link = Link(now=now, timing=self.timing, max_frame=max_frame)
        self._ends = now + self.timing.handshake
        self._full: frames.StateFrame | None = None
        self._lost_answer = ""
        self._window = 0
        self._next_id = 1
        self._open = OpenIntents()
        self._waiting = self._open.open
        self._states = States(now=now)
        self._stop: int | None = None
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
        if self.phase != "ready" or self._stop is not None or self._observes:
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
        if self._observes:
            refuse_acting()
        if not (self.room or (isinstance(intent, Stop) and self.phase in {"opening", "ready"})):
            refuse_sending(intent, self.phase, len(self._open))
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
        self._open.add(id, Waiting(intent, "policy", now, now + ttl + self.timing.grace))
        return id

    def cancel(self, id: int) -> None:
        """Ask the executor to give up an intent; its result still comes. A finished one is left alone."""
        if id in self._open:
            self._link.send(frames.Cancel(id=id))

    def ask_state(self, *, now: float, full: bool = True, ttl: float = 1.0) -> int:
        """Ask for a state; `StateArrived` or `StateMissing` follows."""
        if self.phase not in {"opening", "ready"}:
            refuse_asking(self.phase)
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
        return self._told()

    def poll(self, now: float) -> list[SessionEvent]:
        """Do what is due: deadlines, pings, giving up."""
        if self._link.closed:
            return self._told()
        if self.phase == "greeting":
            if now >= self._ends:
                self._close("refused", now, self._no_answer("no welcome in time"))
            return self._told()
        for id in self._open.due(now):
            if id in self._open:
                self._expire(id, now)
        self._events += self._states.overdue(now)
        if self.phase == "opening" and now >= self._ends:
            self._close("refused", now)
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
            return self._ends
        due = min(self._link.next_pulse(), self._open.deadline, self._states.deadline)
        return min(due, self._ends) if self.phase == "opening" else due

    # The greeting.

    def _greeting(self, frame: frames.Frame, now: float) -> None:
        match frame:
            case frames.Welcome() | frames.Reject():
                turned_down = refusal_of(frame, self.offer)
                if turned_down or isinstance(frame, frames.Reject):
                    self._close("refused", now, turned_down)
                    return
                self.welcome = frame
                self.phase, self._ends = "opening", now + self.timing.opening
                self._window = frame.limits.max_inflight
                self._link.agree(frame.limits.max_frame)
                self._states = States(now=now, patience=self.timing.dead if frame.tick_hz else 0)
                features = frozenset(frame.features) & frozenset(self.offer.features)
                self._events.append(Welcomed(frame, features))
                self.ask_state(now=now, full=True, ttl=self.timing.opening)
                if not self._observes:
                    self._stop = self._send(Stop(), "opening", now, self.timing.stop, None, None)
            case frames.Ping() | frames.Pong() | frames.ErrorFrame():
                self._frame(frame, now)
            case frames.Goodbye(reason=reason):
                self._close("goodbye", now, self._no_answer(f"it said goodbye: {reason!r}"))
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
            self._lose_answer(fault.line or b"", f"{fault.code}: {what}", now)
            self._fall_back(now)

    def _lose_answer(self, line: bytes, what: str, now: float) -> None:
        """A line cannot be read: end the intent whose answer it was, where that is known."""
        id = addressee(line)
        if id is None:
            open = [each for each in self._open.ids if each != self._stop]
            self._lost_answer = what if open else ""
            id = open[0] if len(open) == 1 and self._stop is None and not self._states.asked else 0
        if id in self._open and id != self._stop:
            self._events.append(self._open.expire(id, now, "malformed", f"its answer cannot be read ({what})"))

    def _result(self, answer: Answer, now: float) -> None:
        id = answer.id
        breach = self._open.objection(answer, self._next_id)
        if breach is not None:
            self._events.append(breach)
            if breach.kind == "mismatched":
                self._lost_answer = breach.what
                self._give_way(id, now)
            return
        if answer.violations:
            what = "; ".join(f"{violation.field}: {violation.what}" for violation in answer.violations)
            self._breach("bad_result", what, id)
        if id == self._stop and answer.label != "malformed":
            self._end_lost(id, now)
        self._events.append(self._open.answered(answer, now))
        if answer.next_state is not None:
            self._events += self._states.pushed(answer.next_state, now)
        if answer.label == "malformed":
            self._give_way(id, now)
        elif id == self._stop:
            self._stop = None
            self._maybe_ready()
        elif answer.violations:
            self._fall_back(now)

    def _end_lost(self, stop: int, now: float) -> None:
        """The STOP of the session's own is answered: what was open before it has had its result, or lost it."""
        lost, self._lost_answer = self._lost_answer, ""
        for id in self._open.ids if lost else ():
            if id < stop:
                self._events.append(self._open.expire(id, now, "malformed", f"its answer cannot be read ({lost})"))

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
        id, name, ttl_ms = self._next_id, intent.name, max(1, round(ttl * 1000))
        frame = frames.IntentFrame(
            id=id, intent=name, parameters=intent.parameters, ttl_ms=ttl_ms, based_on=seq, agent=agent
        )
        self._link.send(frame, checked=True)
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
        if self.phase in {"opening", "ready"} and self._stop is None and not self._observes:
            self._stop = self._send(Stop(), "fallback", now, self.timing.stop, None, None)

    def _breach(self, kind: BreachKind, what: str, id: int | None = None, raw: bytes | None = None) -> None:
        self._events.append(Breach(kind, what, id, raw))

    def _close(self, reason: Ending, now: float, error: HandshakeFailed | None = None) -> None:
        if self.phase == "closed":
            return
        if self.phase == "opening" and reason != "local" and error is None:
            error = not_opened(reason, shown=self._full is not None, stopped=self._stop is None, timing=self.timing)
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
