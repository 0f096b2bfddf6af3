"""What goes out: requests, judged by the guard and held in order until the session may send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput
from volition.execution.door.ask import LONGEST, SHORTEST, Ask, asked, check_terms, plainly
from volition.execution.door.guard import Admit, Guard, Intercept, RefuseRetry, Verdict
from volition.execution.door.outcome import Requested
from volition.execution.door.told import Asking
from volition.execution.intents import Stop
from volition.execution.results import UNKNOWN_FAILURE, Label, Result, make_result

if TYPE_CHECKING:
    from volition.execution.door.tickets import Tickets
    from volition.execution.door.told import Teller
    from volition.execution.frames import StateFrame
    from volition.execution.session.session import Session

_STOP: Final = Stop()
_GO: Final = Admit(_STOP)


class Outbound:
    """The outgoing half of a door; the incoming half sets `session`, `connection`, `awaited` and `closed`."""

    def __init__(self, guard: Guard, tickets: Tickets, teller: Teller, *, stop_ttl: float, announce: bool) -> None:
        self.session: Session | None = None
        self.connection = 0
        self.awaited: int | None = None
        self.closed = False
        self.held: list[Ask] = []
        self._guard, self._tickets, self._teller = guard, tickets, teller
        self._stop_ttl, self._announce = stop_ttl, announce

    def request(
        self,
        intent: object,
        parameters: Any,
        now: float,
        ttl: float,
        agent: str | None,
        based_on: int | None,
        state: StateFrame | None,
        asked_at: float | None = None,
    ) -> int:
        """Send, hold, refuse or intercept; the ticket."""
        check_terms(ttl, agent, based_on)
        verdict = self._guard.judge(intent, parameters, agent)
        requested = asked(intent, parameters, agent)
        ticket = self._tickets.draw()
        if isinstance(verdict, Intercept):
            nonsense = Ask(ticket, "policy", requested, _STOP, now, ttl, based_on, state)
            self._settle(nonsense, now, "intercepted", "; ".join(problem.what for problem in verdict.problems))
            stop, number = Requested("STOP", None, agent), self._tickets.draw()
            self._stop(Ask(number, "instead", stop, _STOP, now, self._stop_ttl, based_on, state), now)
            return ticket
        ask = Ask(
            ticket, "policy", requested, verdict.intent, now if asked_at is None else asked_at, ttl, based_on, state
        )
        if isinstance(verdict.intent, Stop):
            self._stop(ask, now)
        elif not ask.time_left(now):
            self._settle(ask, now, "timeout", "not sent: its time was over")
        elif self.held or not self._proceed(ask, verdict, now):
            self.held.append(ask)
            self.release(now)
        return ticket

    def request_plain(self, intent: object, now: float, ttl: float) -> int:
        """`request` for the usual case, quickly: a canonical intent but STOP, of no agent, decided on the newest state.

        0, and nothing is done, where it cannot be sent at once or where there is anything to think about.
        """
        session = self.session
        if (
            session is None
            or self._announce
            or self.held
            or self.awaited is not None
            or self._guard.failing
            or type(ttl) is not float
            or not SHORTEST <= ttl <= LONGEST
            or (known := plainly(intent)) is None
            or (state := session.state) is None
        ):
            return 0
        canonical, requested = known
        id = session.send_plain(canonical, now, ttl, state.seq)
        if not id:
            return 0
        ticket = self._tickets.sent_plainly(id, requested, canonical, now, ttl, state)
        self._guard.sent(ticket, canonical, None)
        return ticket

    def release(self, now: float) -> None:
        """Go through what is held, in order for each agent: send what may be sent, end what is too old."""
        held, self.held = self.held, []
        behind: set[str | None] = set()
        for ask in held:
            agent = ask.requested.agent
            if self.closed:
                self._settle(ask, now, "unknown", "not sent: the door is closed")
            elif not ask.time_left(now):
                self._settle(ask, now, "timeout", f"not sent: {self._obstacle()}")
            elif agent in behind or not self._proceed(ask, self._guard.judge(ask.intent, None, agent), now):
                behind.add(agent)
                self.held.append(ask)

    def drop(self, now: float, why: str, *, stop: Ask | None = None) -> None:
        """End what is held, or of that what a STOP stops."""
        held, self.held = self.held, []
        for ask in held:
            if stop is None or stop.stops(ask):
                self._settle(ask, now, "unknown", f"not sent: {why}")
            else:
                self.held.append(ask)

    def cancel(self, ticket: int, now: float) -> None:
        """Give up a request: one that is held ends at once, one that is under way still gets its result."""
        for place, ask in enumerate(self.held):
            if ask.ticket == ticket:
                del self.held[place]
                self._settle(ask, now, "unknown", "not sent: cancelled")
                self.release(now)
                return
        id = self._tickets.id_of(ticket)
        if self.session is not None and id is not None:
            self.session.cancel(id)

    def _stop(self, stop: Ask, now: float) -> None:
        """STOP overtakes what waits, and ends it here as it does in the executor."""
        if self.held:
            self.drop(now, "a STOP was asked for after it", stop=stop)
        if not self._proceed(stop, _GO, now):
            self.held.append(stop)
            self.release(now)

    def _proceed(self, ask: Ask, verdict: Verdict, now: float) -> bool:
        """Send or refuse a request; False where it has to wait."""
        session, intent = self.session, ask.intent
        if isinstance(verdict, RefuseRetry):
            self._settle(ask, now, "refused_retry", verdict.detail, make_result("FAILURE", verdict.reason))
            return True
        if session is None or not isinstance(verdict, Admit):
            return False
        if isinstance(intent, Stop):
            if session.phase == "greeting":
                return False
        elif self.awaited is not None or not session.room:
            return False
        # A STOP does not expire; whatever else is sent has time left.
        agent, ttl = ask.requested.agent, ask.time_left(now) or SHORTEST
        if ask.state is None and ask.based_on is None:
            ask.state = session.state
        try:
            id = session.send(intent, now=now, ttl=ttl, based_on=ask.based_on, agent=agent, purpose=ask.purpose)
        except InvalidInput as error:
            self._settle(ask, now, "unknown", f"not sent: {error.problems[0].what}")
            return True
        self._tickets.sent(id, ask)
        if self._announce:
            self._teller.note(Asking(self.connection, ask.ticket, id, ask.requested, intent, ask.state))
        if ask.purpose == "policy":
            self._guard.sent(ask.ticket, intent, agent)
        return True

    def _settle(self, ask: Ask, now: float, label: Label, detail: str, result: Result = UNKNOWN_FAILURE) -> None:
        """Give a request its final word without sending it."""
        connection = self.connection if self.session is not None else 0
        self._teller.note(self._tickets.unsent(ask, label, detail, connection=connection, now=now, result=result))

    def _obstacle(self) -> str:
        if self.session is None or self.session.phase == "greeting":
            return "there was no connection"
        if self.session.phase == "opening":
            return "the connection was still opening"
        if self.awaited is not None:
            return "a full state was awaited"
        if self.session.room:
            return "those like it in flight were not finished"
        return "the window was full, or a STOP was not yet answered"
