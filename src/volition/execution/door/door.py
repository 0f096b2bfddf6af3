"""The one door to an executor: guard and session, over any number of connections, without a socket or a clock.

The owner dials at `dial_at`, writes what `take` gives, hands over what it reads, and calls `poll` at `wake_at` at the
latest. Every request gets a ticket, and every ticket exactly one `Outcome`.

A request that cannot be sent now (no connection, its opening, a full state awaited, a STOP of the session's own open,
the window full, the guard undecided) is held in order, within its time to live. What is held ends with the connection:
it was decided on a world that may be gone. STOP is never held once the handshake is over; what was held before it for
the same agent ends unsent, as what waits in the executor does. INVALID_STATE makes the door ask for a full state, and
nothing but STOP is sent until that is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from volition.core.errors import refuse
from volition.execution.door.backoff import Backoff
from volition.execution.door.guard import Guard
from volition.execution.door.outbound import Outbound
from volition.execution.door.tickets import Numbers, Tickets
from volition.execution.door.told import Connected, DoorEvent, Lost, StateSeen, Teller
from volition.execution.session import events as heard
from volition.execution.session.asking import refuse_acting
from volition.execution.session.events import Finished, StateArrived
from volition.execution.session.link import End, Timing
from volition.execution.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.door.outcome import Outcome
    from volition.execution.frames import StateFrame, Welcome
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.handshake import Offer
    from volition.execution.session.refusals import HandshakeFailed

RECENT: Final = 128
"""How many states of a connection are kept, so that a request that names one is recorded with it."""


class Door:
    """Sends what may be sent, and says what came of it.

    `tell` gets all that is worth recording, in order, when the call that brought it has done its own work; what it
    refuses by raising is offered again at the next call. It must not call the door. With `announce` it also hears of
    every request that is about to leave, before `take` gives its bytes.
    """

    def __init__(
        self,
        offer: Offer | None = None,
        *,
        now: float,
        timing: Timing | None = None,
        strict: bool = True,
        retries: int = 3,
        backoff: Backoff | None = None,
        seed: int = 0,
        tell: Callable[[DoorEvent], None] | None = None,
        announce: bool = False,
        numbers: Numbers | None = None,
    ) -> None:
        self.dial_at: float | None = now
        self.error: HandshakeFailed | None = None
        self._offer, self._timing, self._strict = offer, timing or Timing(), strict
        self._observes = offer is not None and offer.observes
        self._backoff, self._seed, self._dialled = backoff or Backoff(), seed, 0
        self.full_state: StateFrame | None = None
        """The newest full state of this connection; a push may have brought a newer one that is not full."""
        self._numbers = numbers or Numbers()
        self._guard, self._tickets, self._teller = Guard(retries), Tickets(self._numbers), Teller(tell)
        self._out = Outbound(self._guard, self._tickets, self._teller, stop_ttl=self._timing.stop, announce=announce)
        self._now = now
        self.outcomes: Final = self._tickets.done
        """Ticket -> outcome, for those that have ended and were not taken; `outcome` takes one."""
        self._recent: dict[int, StateFrame] = {}
        self._out_of_sync = False
        self.out: list[bytes] = []
        """What `take` will give, in pieces: empty where there is nothing to write."""

    # What the owner sees.

    @property
    def phase(self) -> Literal["connecting", "opening", "ready", "closed"]:
        if self._out.closed:
            return "closed"
        session = self._out.session
        phase = session.phase if session is not None else "greeting"
        return phase if phase == "opening" or phase == "ready" else "connecting"  # noqa: PLR1714  mypy narrows this

    @property
    def connection(self) -> int:
        """The number of the newest connection; 0 before the first."""
        return self._out.connection

    @property
    def welcome(self) -> Welcome | None:
        """What the executor said of itself; None without a connection."""
        session = self._out.session
        return session.welcome if session is not None else None

    @property
    def state(self) -> StateFrame | None:
        """The newest state of this connection; None without one: what another connection saw may be gone."""
        session = self._out.session
        return session.state if session is not None else None

    @property
    def fresh(self) -> bool:
        """Whether `state` can be relied on: there is one, and no full state is awaited."""
        return self._out.awaited is None and self.state is not None

    @property
    def room(self) -> int:
        """How many requests other than STOP would be sent at once."""
        out = self._out
        if out.session is None or out.awaited is not None:
            return 0
        return max(0, out.session.room - len(out.held))

    @property
    def waiting(self) -> tuple[int, ...]:
        """The caller's tickets that have had no outcome yet, in order."""
        asks = (*self._tickets.under_way, *self._out.held)
        return tuple(sorted(ask.ticket for ask in asks if ask.purpose == "policy"))

    @property
    def wake_at(self) -> float | None:
        """When `poll` has something to do at the latest; None where there is nothing. Dialling is apart: `dial_at`."""
        out = self._out
        due = out.session.wake_at if out.session is not None else None
        if not out.held:
            return due
        return min([ask.deadline for ask in out.held] + ([] if due is None else [due]))

    # The connection, which is the owner's business.

    def connected(self, now: float) -> None:
        """A connection stands: greet."""
        if self._out.closed or self._out.session is not None:
            refuse(
                f"a connection for a door that is {self.phase}",
                where="connected",
                expected="a door that is not closed and has no connection",
                remedy="dial at dial_at, and say when a connection ends",
            )
        self._now, self.dial_at = now, None
        self._tickets.forget()
        self._recent.clear()
        self._out.connection = self._numbers.connection()
        self._out.session = session = Session(self._offer, now=now, timing=self._timing, strict=self._strict)
        self.out = session.out

    def failed(self, error: HandshakeFailed, now: float) -> None:
        """No connection came about; `dial_at` moves, farther each time."""
        self._dial_later(error, now)
        self._digest([], now)

    def receive(self, data: bytes, now: float) -> None:
        """Take what was read."""
        session = self._out.session
        if session is not None:
            self._digest(session.receive(data, now), now)

    def end(self, now: float, how: End = "eof") -> None:
        """The connection ended."""
        session = self._out.session
        if session is not None:
            self._digest(session.end(now, how), now)

    def poll(self, now: float) -> None:
        """Do what is due: deadlines, pings, giving up."""
        session = self._out.session
        self._digest(session.poll(now) if session is not None else [], now)

    def take(self) -> bytes:
        """The bytes to write now, to the newest connection; where that is lost, its last words."""
        session = self._out.session
        if session is not None:
            return session.take()
        said, self.out = b"".join(self.out), []
        return said

    def close(self, now: float) -> None:
        """End everything: each request has its final word, and no more is sent."""
        self._out.closed, self.dial_at = True, None
        session = self._out.session
        self._digest(session.close(now) if session is not None else [], now)

    # Asking.

    def request(
        self,
        intent: CanonicalIntent | str,
        parameters: Any = None,
        *,
        now: float,
        ttl: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        asked_at: float | None = None,
    ) -> int:
        """Ask for an intent that is worth `ttl` seconds, from now or from `asked_at`, and return its ticket.

        Whatever is no canonical intent is intercepted: it ends at once, and STOP is sent in its place. `based_on` is
        the `seq` of the state that the decision rests on, the newest one unless it is given.
        """
        self._now = now
        if self._observes:
            refuse_acting()
        if based_on is None and agent is None and parameters is None:
            ticket = self._out.request_plain(intent, now, ttl if asked_at is None else asked_at + ttl - now)
            if ticket:
                if self._teller.untold:
                    self._teller.flush()
                return ticket
        session = self._out.session
        if based_on is not None:
            state = self._recent.get(based_on)
        elif (state := session.state if session is not None else None) is not None:
            based_on = state.seq
        ticket = self._out.request(intent, parameters, now, ttl, agent, based_on, state, asked_at)
        if self._teller.untold:
            self._teller.flush()
        return ticket

    def outcome(self, ticket: int) -> Outcome | None:
        """The final word on a request, given once; None before that, and for what was given or never asked."""
        return self.outcomes.pop(ticket, None)

    def cancel(self, ticket: int) -> None:
        """Give a request up: one that is held ends at once, one that is under way still gets its result."""
        self._out.cancel(ticket, self._now)
        self._teller.flush()

    def refresh(self, now: float) -> None:
        """Ask for a full state; nothing but STOP is sent until it is there. A new connection brings one by itself."""
        self._now = now
        session = self._out.session
        if session is not None and session.phase in {"opening", "ready"}:
            self._out.awaited = session.ask_state(now=now)

    # What comes in.

    def _digest(self, events: list[heard.SessionEvent], now: float) -> None:
        self._now, teller, out = now, self._teller, self._out
        for event in events:
            if type(event) is Finished:
                outcome = self._tickets.finished(event, out.connection, now)
                self._guard.learned(outcome.ticket, outcome.requested.agent, outcome.result)
                if event.result.failure_reason == "INVALID_STATE":
                    self._out_of_sync = True
                teller.note(outcome)
            elif type(event) is StateArrived:
                self._see(event)
            else:
                self._hear(event, now)
        if self._out_of_sync:
            self._out_of_sync = False
            self.refresh(now)
        if out.held:
            out.release(now)
        if teller.untold:
            teller.flush()

    def _see(self, event: StateArrived) -> None:
        state, recent = event.state, self._recent
        recent[state.seq] = state
        if len(recent) > RECENT:
            del recent[next(iter(recent))]
        if state.full:
            self.full_state = state
        if event.asked and state.id == self._out.awaited:
            self._out.awaited = None
        self._teller.note(StateSeen(self._out.connection, state, event.asked))

    def _hear(self, event: heard.SessionEvent, now: float) -> None:
        match event:
            case heard.Welcomed(welcome, features):
                self._teller.note(Connected(self._out.connection, welcome, features))
            case heard.Ready():
                self._dialled, self.error = 0, None
            case heard.Late():
                # Late as it is, it says that what this side knows is no longer so.
                self._out_of_sync |= event.result.failure_reason == "INVALID_STATE"
                self._teller.note(self._tickets.late(event, connection=self._out.connection))
            case heard.StateMissing(id):
                self._out_of_sync |= id == self._out.awaited
            case heard.Closed(reason, error):
                self._lose(reason, error, now)
            case heard.Breach() | heard.Complaint() | heard.Stalled() | heard.Happened():
                self._teller.note(event)

    def _lose(self, reason: heard.Ending, error: HandshakeFailed | None, now: float) -> None:
        session = self._out.session
        assert session is not None
        self.full_state = None
        self.out = [session.take()]
        if session.welcome is not None:
            self._out.drop(now, f"the connection was lost ({reason})")
        self._teller.note(Lost(self._out.connection, reason, error))
        self._out.session, self._out.awaited, self._out_of_sync = None, None, False
        self._dial_later(error, now)

    def _dial_later(self, error: HandshakeFailed | None, now: float) -> None:
        self.error = error
        if not self._out.closed:
            self.dial_at = now + self._backoff.delay(self._dialled, seed=self._seed)
            self._dialled += 1
