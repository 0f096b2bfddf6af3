"""What the blocking and the asyncio bridge share: a door, its journal, and properties."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypedDict, TypeVar

from volition.core.errors import VolitionError
from volition.execution.client.errors import bridge_closed
from volition.execution.door.critical import CriticalLog
from volition.execution.door.door import Door
from volition.execution.door.outcome import Outcome
from volition.execution.wire.session.events import Happened
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from volition.execution.door.events import DoorEvent
    from volition.execution.door.request import Numbers
    from volition.execution.wire.declared import Declaration
    from volition.execution.wire.frames import GameEvent, Progress, StateFrame, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.marks import RequestMark
    from volition.execution.wire.session.handshake import Offer
    from volition.execution.wire.session.refusals import HandshakeFailed

    IntentLike: TypeAlias = AnyIntent | str | tuple[str, Any]
    """An intent, its name, or its name with its parameters."""

EVENTS_KEPT: Final = 1024
"""How many game events are kept for `events()`; older ones are dropped."""
HALF_WAY: Final = "it was interrupted in the middle of its work"
"""Why a driver is closed whose door an interrupt may have left in an inconsistent state."""


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
        """Tickets that nobody waits for any more; their outcomes are dropped."""
        self._events: deque[Happened] = deque(maxlen=EVENTS_KEPT)
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
        return [self._events.popleft().frame for _ in range(len(self._events))]

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

    def _abandon(self, ticket: int) -> None:
        """Nobody waits for this ticket any more: cancel it, and drop its outcome."""
        if ticket and not self._closed and self._door.outcome(ticket) is None:
            self._orphans.add(ticket)
            self._door.cancel(ticket)
            self._settle()

    def _expect(self, asked_at: float, ttl: float) -> None:
        """Make sure that the door is woken in time for a new request."""
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

    def _tell(self, event: DoorEvent) -> None:
        if isinstance(event, Happened):
            self._events.append(event)
        elif not isinstance(event, Outcome):
            self._critical.hear(event, self._now())
        if self._journal is not None:
            try:
                self._journal.tell(event)
            except Exception as error:  # noqa: BLE001  kept, and raised from the call that waits
                self._fault = self._fault or error


class Batch:
    """Several intents with one deadline, sent as the window allows, and their outcomes in order."""

    def __init__(self, door: Door, intents: Iterable[IntentLike], now: float) -> None:
        self._door, self.asked_at = door, now
        self._intents = pair_with_parameters(intents)
        self._tickets: list[int] = []
        self.outcomes: list[Outcome] = []

    @property
    def finished(self) -> bool:
        return len(self.outcomes) == len(self._intents)

    @property
    def next_intents(self) -> list[tuple[AnyIntent | str, Any]]:
        """What may be sent now. At least one is always under way, so that each one ends even without a connection."""
        sent = len(self._tickets)
        return self._intents[sent : sent + (self._door.room or sent == len(self.outcomes))]

    @property
    def open_tickets(self) -> list[int]:
        """The tickets without an outcome; the first is the one to wait for."""
        return self._tickets[len(self.outcomes) :]

    def note_sent(self, ticket: int) -> None:
        self._tickets.append(ticket)

    def take(self, outcome: Outcome | None) -> None:
        """Take the outcome of the first open ticket, and all that are available after it."""
        while outcome is not None:
            self.outcomes.append(outcome)
            rest = self.open_tickets[:1]
            outcome = self._door.outcome(rest[0]) if rest else None


def pair_with_parameters(intents: Iterable[IntentLike]) -> list[tuple[AnyIntent | str, Any]]:
    """Each intent with its parameters; None for an intent that contains its own, or has none."""
    return [intent if isinstance(intent, tuple) else (intent, None) for intent in intents]
