"""What an executor is asked: the events of its side of a session, and the intents that it has accepted.

An accepted intent is queued, then started, then answered; each id is attempted at most once:

    queued --taken by the game--> started --finished--> answered
           --STOP, cancel, reset, its time is over--> answered, without an attempt
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from volition.execution.wire.frames import Cancel, Hello, ProbeRead, Reset, StateRequest
from volition.execution.wire.intents import AnyIntent, Stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.wire.request import RequestMark


class IncomingIntent(Struct, frozen=True, gc=False):
    """One intent for the game to attempt, once, within `ttl_ms` of its arrival. A STOP never expires."""

    id: int
    intent: AnyIntent
    agent: str | None
    based_on: int | None
    expires: float
    ttl_ms: int
    mark: RequestMark | None = None

    def stops(self, other: IncomingIntent) -> bool:
        """Whether this STOP ends `other`: it names the same agent, or none and therefore all."""
        return self.agent is None or self.agent == other.agent


class BridgeLost(Struct, frozen=True, gc=False):
    """The bridge is gone: the game must stop its actor. Reported once."""

    reason: str


ExecutorEvent: TypeAlias = Hello | Cancel | StateRequest | Reset | ProbeRead | BridgeLost
"""What a game hears of, besides intents.

`Hello`: a bridge was accepted. `Cancel`: abort a started attempt, and finish it as PARTIAL, or with its actual result if it
has ended by then. `StateRequest`: answer with `show_state`. `Reset`: end what is under way, begin again with this seed, and
answer with a full state. `ProbeRead`: report the true state of the world with `answer_probe`. The last two come only if both
sides have the feature.
"""


class Attempts:
    """Each id is attempted at most once; the last `cache` answers are kept, for intents that are sent again."""

    def __init__(self, cache: int) -> None:
        self.waiting: list[IncomingIntent] = []
        self.started: dict[int, IncomingIntent] = {}
        self._answers: dict[int, bytes] = {}
        self._cache = cache
        self._ending: frozenset[int] = frozenset()

    @property
    def busy(self) -> int:
        """How many are open; STOP takes no room in the window, nor does what ends with its world."""
        going_on = [attempt for id, attempt in self.started.items() if id not in self._ending]
        return sum(not isinstance(attempt.intent, Stop) for attempt in (*self.waiting, *going_on))

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids without an answer, in ascending order."""
        return tuple(sorted([*self.started, *(attempt.id for attempt in self.waiting)]))

    def add(self, attempt: IncomingIntent) -> None:
        """Queue an intent, STOP before all others."""
        if isinstance(attempt.intent, Stop):
            self.waiting.insert(0, attempt)
        else:
            self.waiting.append(attempt)

    def start(self) -> IncomingIntent:
        """The next of those that wait, which is to be attempted now."""
        attempt = self.waiting.pop(0)
        self.started[attempt.id] = attempt
        return attempt

    def drop(self, which: Callable[[IncomingIntent], bool]) -> list[IncomingIntent]:
        """Remove the queued attempts for which `which` holds."""
        dropped = [attempt for attempt in self.waiting if which(attempt)]
        self.waiting = [attempt for attempt in self.waiting if not which(attempt)]
        return dropped

    def reset(self) -> list[IncomingIntent]:
        """The world ends: remove what is queued, except STOP; what has started has its result before anything else starts."""
        self._ending = frozenset(self.started)
        return self.drop(lambda attempt: not isinstance(attempt.intent, Stop))

    def keep_answer(self, id: int, line: bytes) -> None:
        self._answers[id] = line
        if len(self._answers) > self._cache:
            del self._answers[next(iter(self._answers))]

    def find_answer(self, id: int) -> bytes | None:
        """The line of an answer, while it is kept."""
        return self._answers.get(id)

    def clear(self) -> None:
        """Forget all open attempts: the bridge is gone."""
        self.waiting.clear()
        self.started.clear()
