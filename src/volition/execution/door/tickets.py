"""Who waits for what: every request has a ticket, and every ticket gets exactly one outcome."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from volition.execution.door.ask import Ask
from volition.execution.door.outcome import Outcome, Requested
from volition.execution.door.told import LateResult
from volition.execution.results import UNKNOWN_FAILURE, Label, Result
from volition.execution.session.open_intents import REMEMBERED

if TYPE_CHECKING:
    from volition.execution.frames import StateFrame
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.events import Finished, Late

_STOP: Final = Requested("STOP")


class Numbers:
    """Counts tickets and connections, each from 1; doors that share a journal share these too."""

    def __init__(self) -> None:
        self.ticket: Final = count(1).__next__
        self.connection: Final = count(1).__next__


class Tickets:
    """Counts requests over all connections of a door, and keeps the outcomes that its caller has not taken."""

    def __init__(self, numbers: Numbers) -> None:
        self.draw = numbers.ticket
        """The next ticket."""
        self._open: dict[int, Ask] = {}
        self.done: dict[int, Outcome] = {}
        """The outcomes that wait to be taken."""
        self._expired: dict[int, int] = {}

    @property
    def under_way(self) -> tuple[Ask, ...]:
        """The requests that were sent and have had no final word."""
        return tuple(self._open.values())

    def sent_plainly(
        self, id: int, requested: Requested, intent: CanonicalIntent, now: float, ttl: float, state: StateFrame
    ) -> int:
        """`draw` and `sent` for a request of the caller's that went out at once; the ticket."""
        ticket = self.draw()
        self._open[id] = Ask(ticket, "policy", requested, intent, now, ttl, state.seq, state)
        return ticket

    def sent(self, id: int, ask: Ask) -> None:
        """A request went out under an id of this connection."""
        self._open[id] = ask

    def id_of(self, ticket: int) -> int | None:
        """The id on the wire of a request that is under way."""
        return next((id for id, ask in self._open.items() if ask.ticket == ticket), None)

    def forget(self) -> None:
        """A new connection begins: its ids have nothing to do with those before."""
        self._expired.clear()

    def unsent(
        self, ask: Ask, label: Label, detail: str, *, connection: int, now: float, result: Result = UNKNOWN_FAILURE
    ) -> Outcome:
        """The outcome of a request that does not cross the bridge."""
        outcome = Outcome(
            ticket=ask.ticket,
            purpose=ask.purpose,
            requested=ask.requested,
            sent=None,
            connection=connection,
            id=None,
            state=ask.state,
            result=result,
            label=label,
            detail=detail,
            elapsed=now - ask.asked_at,
            answered=False,
        )
        if ask.purpose == "policy":
            self.done[ask.ticket] = outcome
        return outcome

    def finished(self, event: Finished, connection: int, now: float) -> Outcome:
        """The outcome of an intent that was sent; a STOP of the session's own draws its ticket here."""
        id, purpose, label = event.id, event.purpose, event.label
        ask = self._open.pop(id, None)
        if ask is None:
            ticket, requested, state, elapsed = self.draw(), _STOP, None, event.elapsed
        else:
            ticket, requested, state, elapsed = ask.ticket, ask.requested, ask.state, now - ask.asked_at
        outcome = Outcome(
            ticket, purpose, requested, event.intent, connection, id, state,
            event.result, label, event.detail, elapsed, event.answered,
            event.violations, event.line, event.next_state,
        )  # fmt: skip
        if purpose == "policy":
            self.done[ticket] = outcome
        if label == "timeout" or (label == "malformed" and not event.answered):
            self._expired[id] = ticket
            if len(self._expired) > REMEMBERED:
                del self._expired[next(iter(self._expired))]
        return outcome

    def late(self, event: Late, *, connection: int) -> LateResult:
        """An answer that came after its outcome."""
        return LateResult(
            connection=connection,
            ticket=self._expired.pop(event.id),
            id=event.id,
            intent=event.intent,
            result=event.result,
            label=event.label,
            line=event.line,
            elapsed=event.elapsed,
        )
