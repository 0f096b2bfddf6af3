"""The blocking bridge: send an intent, get its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from volition.execution.client.bridge.driver import BlockingDriver
from volition.execution.client.driver import Batch
from volition.execution.client.errors import no_state, no_such_ticket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.execution.client.driver import IntentLike
    from volition.execution.door.outcome import Outcome
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.marks import RequestMark


class Bridge(BlockingDriver):
    """One executor, seen from the side that decides; `connect` makes one.

    An intent always ends as an `Outcome`, whatever happens to the connection. A lost connection is dialled again, and
    starts with handshake, full state and STOP.

    Threads may share a bridge: their intents are open at the same time, and one of the waiting threads reads for all.
    While no call waits, a background thread answers heartbeats four times per `timing.idle`, so a policy may take as
    long as it likes to decide.

    Ctrl-C while a call waits ends the connection, so that the executor stops its actor, and the next call dials again;
    in the rare moment where it strikes in the middle of the rules, the bridge is closed. A bridge whose journal fails
    raises that error and is closed: what cannot be recorded is not done.
    """

    # Intents.

    def execute(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> Outcome:
        """Send one intent and wait for its outcome, for at most `deadline` seconds plus the grace.

        With a `mark` it happens at most once, however often the same request is sent, over connections and restarts, and
        also while the first is under way. InvalidInput, and nothing is sent, if the executor does not remember requests.
        """
        ticket = 0
        try:
            with self._lock:
                ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
                self._flush()
            return self._collect(ticket)
        except BaseException:
            self._abandon(ticket)
            raise

    def submit(
        self,
        intent: AnyIntent | str,
        parameters: Any = None,
        *,
        deadline: float = 0.5,
        agent: str | None = None,
        based_on: int | None = None,
        mark: RequestMark | None = None,
    ) -> int:
        """Send one intent without waiting; pass the ticket to `wait`, once. For the `mark` see `execute`."""
        with self._lock:
            ticket = self._request(intent, parameters, deadline, agent, based_on, mark=mark)
            self._submitted.add(ticket)
            self._flush()
        return ticket

    def wait(self, ticket: int) -> Outcome:
        """The outcome of a submitted intent, returned once. After an interrupt, the same ticket may be waited for
        again."""
        if ticket not in self._submitted:
            raise no_such_ticket(ticket)
        outcome = self._collect(ticket)
        self._submitted.discard(ticket)
        return outcome

    def execute_many(
        self, intents: Iterable[IntentLike], *, deadline: float = 0.5, agent: str | None = None
    ) -> list[Outcome]:
        """Send intents without waiting in between, as many at a time as the executor allows.

        The outcomes are in the order of the intents. One deadline holds for all of them, counted from this call: what
        could not be sent by then ends as a timeout, and the call returns within the grace after it.
        """
        batch = Batch(self._door, intents, self._now())
        try:
            while not batch.finished:
                with self._lock:
                    for intent, parameters in batch.next_intents:
                        batch.note_sent(self._request(intent, parameters, deadline, agent, asked_at=batch.asked_at))
                    self._flush()
                batch.take(self._collect(batch.open_tickets[0]))
        except BaseException:
            for ticket in batch.open_tickets:
                self._abandon(ticket)
            raise
        return batch.outcomes

    def cancel(self, ticket: int, why: str = "cancelled") -> None:
        """Ask the executor to cancel an intent; its outcome still follows. No effect on a finished intent.

        An intent that was not sent yet ends unsent, with `why` in its detail.
        """
        with self._lock:
            self._door.cancel(ticket, why)
            self._settle()

    # States.

    def refresh(self, timeout: float = 1.0) -> StateFrame:
        """Request a full state and wait for it; HandshakeFailed says why none came in time."""
        return self._fresh_state(self._door.refresh, timeout)

    def reset(self, seed: int, *, timeout: float = 5.0) -> StateFrame:
        """Begin a new episode with this seed, and wait for its first state; what is open ends, and has its outcome.

        A lost connection is dialled again first. InvalidInput if the executor cannot begin again, HandshakeFailed if no
        state came in time.
        """
        limit = self._now() + timeout
        while self._door.phase != "ready":
            self._check_open()
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            self._turn(limit)
        return self._fresh_state(lambda now: self._door.reset(seed, now, timeout), limit - self._now())

    def _fresh_state(self, ask: Callable[[float], None], timeout: float) -> StateFrame:
        """Ask the door for a full state, and wait for it."""
        limit = self._now() + timeout
        with self._lock:
            self._check_open()
            ask(self._now())
            self._settle()
        while (state := self._door.full_state) is None or not self._door.fresh:
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            self._turn(limit)
        return state

    def next_state(self, timeout: float = 1.0) -> StateFrame | None:
        """Wait for a state that is newer than `state`; None if none comes in time."""
        before, limit = self._door.state, self._now() + timeout
        while (state := self._door.state) is before or state is None:
            if self._now() >= limit:
                return None
            self._turn(limit)
        return state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
