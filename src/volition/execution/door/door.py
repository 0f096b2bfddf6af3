"""The only way to an executor: guard and session, over any number of connections, without a socket or a clock.

Theory of operation. The owner dials at `dial_at`, writes what `take` gives, hands over what it reads, and calls `poll` at
`wake_at` at the latest. Every request gets a ticket, and every ticket exactly one `Outcome`; none is sent twice:
    requested --> held --> sent --> ended    held, in order, while it cannot be sent; the session ends what was sent
    requested --> intercepted, or refused    the guard forbids it
    held --> ended, not sent                 its time is over, a STOP, a reset or a cancel came, the connection is lost

Nothing is sent before the opening has finished, while a full state is awaited (as after INVALID_STATE) or the session's own
STOP is open, with a full window, or while the guard is undecided; a STOP waits for the handshake alone, and ends the held
requests of its agent, as the executor drops its queue. A lost connection ends all: their world may be gone.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from volition.core.errors import InvalidInput
from volition.execution.door.events import Connected, DoorEvent, EpisodeReset, Lost
from volition.execution.door.guard import Admit, Guard, Intercept, RefuseRetry, Ruling
from volition.execution.door.waiting import HeldRequests, Redial, describe_obstacle, refuse_connection
from volition.execution.wire.declared import DeclaredIntents
from volition.execution.wire.frames import StateFrame, Welcome
from volition.execution.wire.intents import AnyIntent, Stop
from volition.execution.wire.request import Numbers, OpenRequest, Outcome, Request
from volition.execution.wire.results import UNKNOWN_FAILURE, Label, Result, make_result
from volition.execution.wire.session import events as heard
from volition.execution.wire.session.checks import check_mark, check_terms, refuse_acting, refuse_reset
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.link import End, Timing
from volition.execution.wire.session.phases import GREETED
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.wire.request import RequestMark
    from volition.execution.wire.session.handshake import HandshakeFailed
    from volition.execution.wire.session.phases import Ending

_STOP: Final = Stop()


class Door:
    """Sends requests when they may be sent, and gives each its outcome.

    `tell` gets everything worth recording once, in order, at the end of the call in which it happened. If it raises, the
    call raises that error, and the next call tells what came after. It must not call the door. With `announce` it is also
    told about every request that is about to be sent, before `take` returns its bytes.
    """

    def __init__(
        self,
        offer: Offer | None = None,
        *,
        now: float,
        timing: Timing | None = None,
        strict: bool = True,
        seed: int = 0,
        tell: Callable[[DoorEvent], None] | None = None,
        announce: bool = False,
        numbers: Numbers | None = None,
    ) -> None:
        self._offer, self._timing = offer or Offer(), timing or Timing()
        self._observes, self._announce = self._offer.observes, announce
        self._redial = Redial(seed, now)
        self._numbers = numbers or Numbers()
        self._greet = partial(Session, self._offer, timing=self._timing, strict=strict, numbers=self._numbers)
        self._guard, self._tell = Guard(), tell
        self._untold: deque[DoorEvent] = deque()
        self._now, self._closed = now, False
        self._session: Session | None = None
        self._last_words = b""
        self._awaited: int | None = None
        """The id of the state request that must be answered before anything but STOP is sent."""
        self._out_of_sync = False
        self._open: dict[int, OpenRequest] = {}
        self._held = HeldRequests()
        self.connection = 0
        """The number of the newest connection; 0 before the first."""
        self.outcomes: dict[int, Outcome] = {}
        """Ticket -> outcome, for outcomes that were not taken yet; `outcome` takes one."""

    # Properties.

    @property
    def phase(self) -> Literal["connecting", "opening", "ready", "closed"]:
        if self._closed:
            return "closed"
        phase = "greeting" if self._session is None else self._session.phase
        return phase if phase == "opening" or phase == "ready" else "connecting"  # noqa: PLR1714  mypy narrows this

    @property
    def welcome(self) -> Welcome | None:
        """How the executor described itself; None without a connection."""
        return None if self._session is None else self._session.welcome

    @property
    def state(self) -> StateFrame | None:
        """The newest state of this connection; None without one, since those of a lost connection may be outdated."""
        return None if self._session is None else self._session.state

    @property
    def full_state(self) -> StateFrame | None:
        """The newest full state of this connection; a push may have brought a newer one that is not full."""
        return None if self._session is None else self._session.full_state

    @property
    def fresh(self) -> bool:
        """Whether `state` can be relied on: there is one, and no full state is awaited."""
        return self._awaited is None and self.state is not None

    @property
    def room(self) -> int:
        """How many requests other than STOP would be sent immediately."""
        if self._session is None or self._awaited is not None:
            return 0
        return max(0, self._session.room - len(self._held))

    @property
    def waiting(self) -> tuple[int, ...]:
        """The caller's tickets without an outcome, in order."""
        return tuple(ticket for ticket, each in self._open.items() if each.purpose == "policy")

    @property
    def error(self) -> HandshakeFailed | None:
        """Why the last connection attempt failed."""
        return self._redial.error

    @property
    def dial_at(self) -> float | None:
        """When to dial; None if there is a connection, or the door is closed."""
        return None if self._closed or self._session is not None else self._redial.at

    @property
    def wake_at(self) -> float | None:
        """When `poll` must be called at the latest; None if nothing is due. For dialling there is `dial_at`."""
        due = None if self._session is None else self._session.wake_at
        if not self._held:
            return due
        return self._held.deadline if due is None else min(self._held.deadline, due)

    # The connection, which the owner manages.

    def connection_made(self, now: float) -> None:
        """A connection was made: send the greeting."""
        if self._closed or self._session is not None:
            refuse_connection(self.phase)
        self._now = now
        self.connection = self._numbers.connection()
        self._session = self._greet(now=now, connection=self.connection)

    def connection_failed(self, error: HandshakeFailed, now: float) -> None:
        """Dialling failed; `dial_at` moves, further each time."""
        self._redial.later(error, now)
        self._digest([], now)

    def receive(self, data: bytes, now: float) -> None:
        if self._session is not None:
            self._digest(self._session.receive(data, now), now)

    def connection_lost(self, now: float, how: End = "eof") -> None:
        """The connection ended."""
        if self._session is not None:
            self._digest(self._session.end(now, how), now)

    def poll(self, now: float) -> None:
        """Do whatever is due: deadlines, pings, closing."""
        self._digest([] if self._session is None else self._session.poll(now), now)

    def take(self) -> bytes:
        """The bytes to write now, to the newest connection; after its loss, its last frames."""
        if self._session is not None:
            return self._session.take()
        frames, self._last_words = self._last_words, b""
        return frames

    def close(self, now: float) -> None:
        """End everything: each open request gets its outcome, and nothing more is sent."""
        self._closed = True
        self._digest([] if self._session is None else self._session.close(now), now)

    # Requests.

    def request(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        now: float,
        ttl: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        asked_at: float | None = None,
        mark: RequestMark | None = None,
    ) -> int:
        """Request an intent that is valid for `ttl` seconds, from now or from `asked_at`, and return the ticket.

        Anything but a canonical or declared intent is intercepted: it ends immediately, and STOP is sent in its place. `based_on`
        is the `seq` of the state that the decision is based on, by default the newest one. A `mark` is never sent in vain.
        """
        self._now = now
        if self._observes:
            refuse_acting()
        check_terms(ttl, based_on, agent)
        check_mark(mark, intent, self._offer.features, None if self._session is None else self._session.features)
        state = None if self._session is None else self._session.find_state(based_on)
        based_on = state.seq if based_on is None and state is not None else based_on
        ruling = self._guard.judge(intent, parameters, agent)
        requested, ticket = Request.of(intent, parameters), self._numbers.ticket()
        asked_at = now if asked_at is None else asked_at
        intent = _STOP if isinstance(ruling, Intercept) else ruling.intent
        request = OpenRequest(ticket, "policy", requested, intent, asked_at, ttl, agent, mark, based_on, state)
        self._open[ticket] = request
        if isinstance(ruling, Intercept):
            self._intercept(request, ruling)
        elif isinstance(ruling.intent, Stop):
            self._stop(request)
        elif self._held or not self._proceed(request, ruling):
            self._held.append(request)
            self._release()
        self._flush()
        return ticket

    def outcome(self, ticket: int) -> Outcome | None:
        """The outcome of a request, returned once; None before that, and for unknown tickets."""
        return self.outcomes.pop(ticket, None)

    def cancel(self, ticket: int, why: str = "cancelled") -> None:
        """Cancel a request: a held one ends immediately, unsent, with the reason; one that was sent still gets its result."""
        request = self._open.get(ticket)
        if request is None:
            return
        if request.id is None:
            self._held.remove(request)
            self._settle(request, "unknown", f"not sent: {why}")
            self._release()
        elif self._session is not None:
            self._session.cancel(request.id)
        self._flush()

    def refresh(self, now: float) -> None:
        """Request a full state; nothing but STOP is sent until it arrives. A new connection always begins with one."""
        self._now = now
        if self._session is not None and self._session.phase in GREETED:
            self._awaited = self._session.request_state(now=now)

    def reset(self, seed: int, now: float, ttl: float) -> None:
        """Begin a new episode; nothing but STOP is sent until its first state arrives. InvalidInput if it cannot be."""
        self._now = now
        if (session := self._session) is None or session.phase != "ready":
            refuse_reset()
        self._awaited = session.reset(seed, now=now, ttl=ttl)
        self._drop("a reset was asked for after it")
        self._guard.forget_failures()
        self._note(EpisodeReset(ticket=self._numbers.ticket(), connection=self.connection, seed=seed))
        self._flush()

    # Sending.

    def _intercept(self, request: OpenRequest, ruling: Intercept) -> None:
        """End a request that is none, and send STOP in its place."""
        self._settle(request, "intercepted", "; ".join(problem.what for problem in ruling.problems))
        terms = (self._now, self._timing.stop, request.agent, None, request.based_on, request.state)
        self._stop(OpenRequest(self._numbers.ticket(), "instead", Request("STOP"), _STOP, *terms))

    def _stop(self, stop: OpenRequest) -> None:
        """STOP overtakes held requests, and ends them as it does in the executor."""
        self._drop("a STOP was asked for after it", stop)
        if not self._proceed(stop, Admit(_STOP)):
            self._held.append(stop)
            self._release()

    def _release(self) -> None:
        """Send the held requests that may be sent, and end those that are too old."""
        if self._held:
            self._held.release(self._end_overdue, self._proceed_if_allowed)

    def _end_overdue(self, request: OpenRequest) -> bool:
        if self._closed:
            self._settle(request, "unknown", "not sent: the door is closed")
        elif not request.time_left(self._now):
            self._settle(
                request, "timeout", f"not sent: {describe_obstacle(self._session, stale=self._awaited is not None)}"
            )
        else:
            return False
        return True

    def _proceed_if_allowed(self, request: OpenRequest) -> bool:
        return self._proceed(request, self._guard.judge(request.intent, None, request.agent))

    def _drop(self, why: str, stop: OpenRequest | None = None) -> None:
        """End all held requests, or those that a STOP stops."""
        for request in self._held.take(stop):
            self._settle(request, "unknown", f"not sent: {why}")

    def _proceed(self, request: OpenRequest, ruling: Ruling) -> bool:
        """Send or refuse a request; False if it must wait."""
        session, intent, now = self._session, request.intent, self._now
        if isinstance(ruling, Intercept):
            self._intercept(request, ruling)
            return True
        if isinstance(ruling, RefuseRetry):
            self._settle(request, "refused_retry", ruling.detail, make_result("FAILURE", ruling.reason))
            return True
        if session is None or not isinstance(ruling, Admit):
            return False
        stops = isinstance(intent, Stop)
        if session.phase not in GREETED if stops else self._awaited is not None or not session.room:
            return False
        if not stops and not request.time_left(now):  # a STOP does not expire
            self._settle(request, "timeout", "not sent: its time was over")
            return True
        try:
            session.dispatch(request, now)
        except InvalidInput as error:
            self._settle(request, "unknown", f"not sent: {error.problems[0].what}")
            return True
        if self._announce:
            self._note(request)
        if request.purpose == "policy":
            self._guard.note_sent(request.ticket, intent, request.agent)
        return True

    def _settle(self, request: OpenRequest, label: Label, detail: str, result: Result = UNKNOWN_FAILURE) -> None:
        """Give a request its outcome without sending it."""
        request.connection = 0 if self._session is None else self.connection
        self._conclude(request.end(label, detail, self._now, result))

    def _conclude(self, outcome: Outcome) -> None:
        self._open.pop(outcome.ticket, None)
        if outcome.purpose == "policy":
            self.outcomes[outcome.ticket] = outcome
        self._note(outcome)

    # Telling.

    def _note(self, event: DoorEvent) -> None:
        """Queue an event; it is told at the end of the call in which it happened."""
        if self._tell is not None:
            self._untold.append(event)

    def _flush(self) -> None:
        """Tell the queued events, each once; an error of the listener propagates, and what comes after is kept."""
        while self._untold and self._tell is not None:
            self._tell(self._untold.popleft())

    # Receiving.

    def _digest(self, events: list[heard.SessionEvent], now: float) -> None:
        self._now = now
        for event in events:
            self._hear(event)
        if self._out_of_sync:
            self._out_of_sync = False
            self.refresh(now)
        self._release()
        self._flush()

    def _hear(self, event: heard.SessionEvent) -> None:
        match event:
            case Outcome():
                self._guard.note_result(event.ticket, event.agent, event.result)
                self._out_of_sync |= event.result.failure_reason == "INVALID_STATE"
                self._conclude(event)
            case StateFrame(id=id):
                if id is not None and id == self._awaited:
                    self._awaited = None
                self._note(event)
            case heard.LateAnswer():
                # Even a late answer shows that this side is out of sync.
                self._out_of_sync |= event.result.failure_reason == "INVALID_STATE"
                self._note(event)
            case Welcome():
                assert self._session is not None
                self._guard.declared = DeclaredIntents(event.declares)
                features = tuple(sorted(self._session.features or ()))
                self._note(Connected(connection=self.connection, welcome=event, features=features))
            case heard.Ready():
                self._redial.reset()
            case heard.StateMissing(id):
                self._out_of_sync |= id == self._awaited
            case heard.Closed(reason, error):
                self._lose(reason, error)
            case _:
                self._note(event)

    def _lose(self, reason: Ending, error: HandshakeFailed | None) -> None:
        assert self._session is not None
        self._last_words = self._session.take()
        if self._session.welcome is not None:
            self._drop(f"the connection was lost ({reason})")
        why = "" if error is None else f"{type(error).__name__}: {error.problems[0].what}"
        self._note(Lost(connection=self.connection, reason=reason, error=why))
        self._session, self._awaited, self._out_of_sync = None, None, False
        self._redial.later(error, self._now)
