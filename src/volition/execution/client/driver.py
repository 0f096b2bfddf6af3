"""What the blocking and the asyncio bridge share: a door, its journal, the course of every call, and the errors.

Theory of operation. The door decides everything; a driver carries bytes and the time between it and a connection:

    dialling --a connection, or why there is none--> the door is told, and says when to dial again
    open     --a request, bytes, the time-->         `_flush` writes what the door gives; `_settle` wakes the calls that wait
    closed   a reason is kept, and every call raises it; there is no way back

A call that has to wait for more than one thing is a generator here. It yields what to wait for, and is run by each bridge
with its own way to wait. A call that is cut off abandons its tickets: they are cancelled, and their outcomes are dropped.
An error of the journal is kept, and raised by the next call that waits.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypedDict, TypeVar

from volition.core.errors import InvalidInput, MissingPart, Problem, VolitionError
from volition.execution.door.door import Door
from volition.execution.door.events import CriticalLog, DecisionMade, Lost
from volition.execution.wire.frames import GameEvent, Progress
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.events import Breach
from volition.execution.wire.session.handshake import NoAnswer
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from contextlib import AbstractContextManager

    from volition.arbitration import Decision
    from volition.execution.door.events import DoorEvent
    from volition.execution.wire.declared import Declaration
    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import Numbers, RequestMark
    from volition.execution.wire.session.handshake import HandshakeFailed, Offer

    IntentLike: TypeAlias = AnyIntent | str | tuple[str, Any]
    """An intent, its name, or its name with its parameters."""

EVENTS_KEPT: Final = 1024
"""How many game events are kept for `events()`; older ones are dropped."""
HALF_WAY: Final = "it was interrupted in the middle of its work"
"""Why a driver is closed whose door an interrupt may have left in an inconsistent state."""


class BridgeClosed(MissingPart):
    """The bridge is closed: nothing was sent."""


class Records(Protocol):
    """What a bridge needs of a journal."""

    def tell(self, event: DoorEvent, /) -> object: ...


class DriverOptions(TypedDict, total=False):
    """The options of both bridges."""

    offer: Offer | None
    timing: Timing | None
    strict: bool
    seed: int
    journal: Records | None
    reconnect: bool
    numbers: Numbers | None


C = TypeVar("C")


class Driver(Generic[C]):
    """A door with its journal. Subclasses move bytes and time between the door and a connection of the type `C`."""

    def __init__(
        self,
        now: Callable[[], float],
        *,
        offer: Offer | None = None,
        timing: Timing | None = None,
        strict: bool = True,
        seed: int = 0,
        journal: Records | None = None,
        reconnect: bool = True,
        numbers: Numbers | None = None,
    ) -> None:
        self.timing: Final = timing or Timing()
        self._now = now
        self._lock: AbstractContextManager[Any] = nullcontext()
        """Held around the door; a bridge that threads share has a real one."""
        self._door = Door(
            offer,
            now=now(),
            timing=self.timing,
            strict=strict,
            seed=seed,
            tell=self._tell,
            # A durable journal wants to know of every intent before it leaves.
            announce=getattr(journal, "durable", None) is not None,
            numbers=numbers,
        )
        self._journal = journal
        self._critical = CriticalLog(logging.getLogger("volition.execution").critical)
        self._reconnect = reconnect
        self._connection: C | None = None
        self._dialled = False
        self._fault: Exception | None = None
        """The journal's error, raised by the next call that waits."""
        self._closed = ""
        """Why it is closed; empty while open."""
        self._submitted: set[int] = set()
        self._orphans: set[int] = set()
        """Tickets that are not waited for any more; their outcomes are dropped."""
        self._events: deque[GameEvent | Progress] = deque(maxlen=EVENTS_KEPT)
        self._last_words: list[Callable[[], object]] = []

    @property
    def closed(self) -> bool:
        return bool(self._closed)

    @property
    def welcome(self) -> Welcome | None:
        """How the executor described itself; None without a connection."""
        return self._door.welcome

    @property
    def state(self) -> StateFrame | None:
        """The newest state of this connection; None without one."""
        return self._door.state

    @property
    def declared(self) -> Mapping[str, Declaration]:
        """The intents that the executor has beside the seven, by name; empty without a connection."""
        welcome = self._door.welcome
        return {} if welcome is None else {each.name: each for each in welcome.declares}

    @property
    def error(self) -> HandshakeFailed | None:
        """Why the last connection attempt failed: one of six causes."""
        return self._door.error

    def events(self) -> list[GameEvent | Progress]:
        """The game's events since the last call, oldest first; at most the newest 1024."""
        return [self._events.popleft() for _ in range(len(self._events))]

    def at_end(self, call: Callable[[], object]) -> None:
        """Call something when this is closed; the last one registered is called first."""
        self._last_words.append(call)

    def _say_last_words(self) -> None:
        """Call what was registered for the end. A call that fails is kept for the next time, and its error is raised
        once all others were made."""
        failed: list[tuple[Callable[[], object], Exception]] = []
        while self._last_words:
            call = self._last_words.pop()
            try:
                call()
            except Exception as error:  # noqa: BLE001  raised below
                failed.append((call, error))
        self._last_words += [call for call, _ in reversed(failed)]
        if failed:
            raise failed[0][1]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._closed or self._door.phase}>"

    def _check_open(self) -> None:
        if self._closed:
            raise bridge_closed(self._closed)

    def _request(
        self,
        intent: AnyIntent | str,
        parameters: Any,
        ttl: float,
        agent: str | None,
        based_on: int | None = None,
        asked_at: float | None = None,
        mark: RequestMark | None = None,
    ) -> int:
        """Pass a request to the door; `_flush` sends it."""
        self._check_open()
        now = self._now()
        try:
            ticket = self._door.request(
                intent, parameters, now=now, ttl=ttl, agent=agent, based_on=based_on, asked_at=asked_at, mark=mark
            )
        except VolitionError:
            raise
        except BaseException:
            self._close(HALF_WAY)
            raise
        self._expect(now if asked_at is None else asked_at, ttl)
        return ticket

    # Calls that wait for several things, one after the other.

    def _send_many(
        self, intents: Iterable[IntentLike], deadline: float, agent: str | None
    ) -> Generator[int, Outcome, list[Outcome]]:
        """Send intents with one deadline, as the window allows; yields each ticket whose outcome is awaited."""
        waiting, asked_at = pair_with_parameters(intents), self._now()
        tickets, outcomes = list[int](), list[Outcome]()
        try:
            while len(outcomes) < len(waiting):
                with self._lock:
                    sent = len(tickets)
                    # At least one is always under way, so that each one ends even without a connection.
                    for intent, parameters in waiting[sent : sent + (self._door.room or sent == len(outcomes))]:
                        tickets.append(self._request(intent, parameters, deadline, agent, asked_at=asked_at))
                    self._flush()
                outcome: Outcome | None = yield tickets[len(outcomes)]
                while outcome is not None:
                    outcomes.append(outcome)
                    rest = tickets[len(outcomes) : len(outcomes) + 1]
                    outcome = self._door.outcome(rest[0]) if rest else None
        except BaseException:
            for ticket in tickets[len(outcomes) :]:
                self._abandon(ticket)
            raise
        return outcomes

    def _fresh_state(self, timeout: float) -> Generator[float, None, StateFrame]:
        """Ask for a full state; yields until when to wait for a change."""
        return self._await_state(self._door.refresh, self._now() + timeout, timeout)

    def _begin_again(self, seed: int, timeout: float) -> Generator[float, None, StateFrame]:
        """Ask for a new episode, once there is a connection; yields until when to wait for a change."""
        limit = self._now() + timeout
        while self._door.phase != "ready":
            self._check_open()
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            yield limit
        return (yield from self._await_state(lambda now: self._door.reset(seed, now, timeout), limit, timeout))

    def _await_state(
        self, ask: Callable[[float], None], limit: float, timeout: float
    ) -> Generator[float, None, StateFrame]:
        with self._lock:
            self._check_open()
            ask(self._now())
            self._settle()
        while (state := self._door.full_state) is None or not self._door.fresh:
            if self._now() >= limit:
                raise no_state(timeout, self._door.error)
            yield limit
        return state

    def _newer_state(self, timeout: float) -> Generator[float, None, StateFrame | None]:
        """Wait for a state that is newer than the newest; yields until when to wait for a change."""
        before, limit = self._door.state, self._now() + timeout
        while (state := self._door.state) is before or state is None:
            if self._now() >= limit:
                return None
            yield limit
        return state

    # Around the door.

    def _take_up(self, made: C | None, error: HandshakeFailed | None) -> None:
        """Dialling has ended, with a connection or with the reason why there is none."""
        self._dialled = True
        if self._closed:
            self._hang_up(made)
        elif error is not None:
            self._door.connection_failed(error, self._now())
        else:
            self._connection = made
            self._door.connection_made(self._now())
        self._settle()

    def _opening_error(self) -> Exception:
        """Why there is no first connection: the journal's error, or that of the last attempt."""
        error = self._fault or self._door.error
        assert error is not None
        return error

    def _abandon(self, ticket: int) -> None:
        """This ticket is not waited for any more: cancel it, and drop its outcome."""
        with self._lock:
            if ticket and not self._closed and self._door.outcome(ticket) is None:
                self._orphans.add(ticket)
                self._door.cancel(ticket)
                self._settle()

    def _expect(self, asked_at: float, ttl: float) -> None:
        """Make sure that the door is woken in time for a new request."""
        raise NotImplementedError

    def _flush(self) -> None:
        """Write the door's output."""
        raise NotImplementedError

    def _settle(self) -> None:
        """After a change in the door: write, hang up if the door has given up the connection, and wake who waits."""
        raise NotImplementedError

    def _hang_up(self, connection: C | None) -> None:
        """Close a connection; what takes a while is waited for when the bridge is closed."""
        raise NotImplementedError

    def _close(self, why: str) -> None:
        """Close the door and hang up."""
        raise NotImplementedError

    def record_decision(self, decision: Decision[Any], *, step: int, frame: StateFrame | None = None) -> None:
        """Record a decision in the journal, before it is acted on; without a journal this does nothing.

        `step` counts the decisions of one who decides, `frame` is the state that was looked at. The heuristics are asked
        about vetoed candidates too, so that the recorded decision answers what would have been without the vetoes.
        """
        if self._journal is None:
            return
        from volition.arbitration.recorded import record_composite, record_decision  # noqa: PLC0415  if it is used

        made = DecisionMade(step, frame, record_composite(decision.composite), record_decision(decision))
        with self._lock:
            self._tell(made)

    def _tell(self, event: DoorEvent) -> None:
        if isinstance(event, GameEvent | Progress):
            self._events.append(event)
        elif isinstance(event, Breach | Lost):
            self._critical.hear(event, self._now())
        if self._journal is not None:
            try:
                self._journal.tell(event)
            except Exception as error:  # noqa: BLE001  kept, and raised from the call that waits
                self._fault = self._fault or error


def pair_with_parameters(intents: Iterable[IntentLike]) -> list[tuple[AnyIntent | str, Any]]:
    """Each intent with its parameters; None for an intent that contains its own, or has none."""
    return [intent if isinstance(intent, tuple) else (intent, None) for intent in intents]


def bridge_closed(why: str) -> BridgeClosed:
    return BridgeClosed(Problem(f"the bridge is closed: {why}", "bridge", "an open bridge", "connect again"))


def no_such_ticket(ticket: object) -> InvalidInput:
    return InvalidInput.of(
        f"no outcome waits under the ticket {ticket!r}",
        where="ticket",
        expected="a ticket of submit whose outcome was not taken yet",
        remedy="wait once for each ticket",
    )


def no_state(timeout: float, error: HandshakeFailed | None) -> HandshakeFailed:
    """The error for a refresh that brought nothing: why there is no connection, where that is the reason."""
    problem = Problem(
        f"no full state within {timeout} s",
        "refresh",
        "a full state in answer to the request",
        "give it more time, or look at what the executor does",
    )
    return error or NoAnswer(problem)
