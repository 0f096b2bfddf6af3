"""A small scripted game behind an executor's session: it is slow, forgets, gets lost, and dies now and then."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import msgspec

from tests.execution.wire.samples import WELCOME, state
from volition.execution import Result, make_result
from volition.execution.wire.frames import Cancel, Limits, StateRequest
from volition.execution.wire.session.executor import ExecutorSession

if TYPE_CHECKING:
    from collections import Counter

    from tests.execution.simulation.world import Chance
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.session.incoming import ExecutorEvent, IncomingIntent

TICK = 0.05
_FATES = (
    (0.60, make_result()),
    (0.74, make_result("FAILURE", "BLOCKED")),
    (0.82, make_result("FAILURE", "COOLDOWN")),
    (0.90, make_result("FAILURE", "INVALID_STATE")),
    (0.93, make_result("FAILURE", "RESOURCE_EXHAUSTED")),
    (0.97, make_result("PARTIAL", "BLOCKED")),
    (1.00, make_result("FAILURE", "UNKNOWN")),
)


class Game:
    """Serves one connection; what it notices of a bridge that breaks the contract is in `faults`."""

    def __init__(self, chance: Chance, happened: Counter[str], *, now: float) -> None:
        self._chance, self._happened = chance, happened
        limits = Limits(max_inflight=chance.pick("window", (1, 4, 8, 32)))
        welcome = msgspec.structs.replace(WELCOME, limits=limits)
        if chance.happens("version", 0.05):
            happened["version change"] += 1
            welcome = msgspec.structs.replace(welcome, spec="2.0.0")
        self.session = ExecutorSession(welcome, now=now, ready=not chance.happens("not ready", 0.05))
        self.faults: list[str] = []
        self._seq = 0
        self._due: list[tuple[float, int, int, Result | None]] = []
        self._count = 0
        self._tick_at = now + TICK
        self._moods: dict[str, Result] = {}
        self._stated = self._stopped = False
        self._tried: set[int] = set()

    @property
    def wake_at(self) -> float:
        """When the game has something to do."""
        session = self.session.wake_at
        due = self._due[0][0] if self._due else float("inf")
        return min(due, self._tick_at, session if session is not None else float("inf"))

    def receive(self, data: bytes, now: float) -> None:
        self._heed(self.session.receive(data, now), now)

    def step(self, now: float) -> None:
        """Take what waits, finish what is due, show the world."""
        wake_at = self.session.wake_at
        if wake_at is not None and wake_at <= now:
            self._heed(self.session.poll(now), now)
        while attempt := self.session.take_attempt(now):
            self._begin(attempt, now)
        while self._due and self._due[0][0] <= now:
            _, _, id, result = heapq.heappop(self._due)
            if result is None:
                self.session.show_state(self._state(id))
            elif id in self.session.under_way:
                shown = self._state(None) if self._chance.happens("next state", 0.3) else None
                self.session.finish(id, result, next_state=shown)
        if now >= self._tick_at:
            self._tick_at = now + TICK
            self.session.tick += 1
            if self._chance.happens("push", 0.5):
                self.session.show_state(self._state(None))

    def _heed(self, events: list[ExecutorEvent], now: float) -> None:
        for event in events:
            if isinstance(event, StateRequest):
                if self._chance.happens("no state", 0.02):
                    self._happened["unanswered state"] += 1
                else:
                    self._later(now, self._chance.between("state", 0.0, 0.02), event.id, None)
            elif isinstance(event, Cancel) and self._chance.happens("heed cancel", 0.7):
                self._happened["cancelled"] += 1
                self._later(now, 0.001, event.id, make_result("PARTIAL"))

    def _begin(self, attempt: IncomingIntent, now: float) -> None:
        name = attempt.intent.name
        if attempt.id in self._tried:
            self.faults.append(f"{attempt.id} was attempted twice")
        self._tried.add(attempt.id)
        if name == "STOP":
            self._stopped = True
            self._later(now, 5.0 if self._chance.happens("slow stop", 0.002) else 0.0, attempt.id, make_result())
            return
        if not (self._stated and self._stopped):
            self.faults.append(f"{name} came before the opening was over")
        # A mood lasts for a while, so that the same intent fails again for the same reason.
        if name not in self._moods or self._chance.happens("mood", 0.1):
            fate = self._chance.draw("fate of an attempt")
            self._moods[name] = next(result for share, result in _FATES if fate < share)
        slow = self._chance.draw("slow")
        if slow < 0.008:
            self._happened["forgotten"] += 1
            return
        took = 1.5 if slow < 0.02 else 0.0 if slow < 0.6 else self._chance.between("took", 0.001, 0.06)
        self._later(now, took, attempt.id, self._moods[name])

    def _later(self, now: float, took: float, id: int, result: Result | None) -> None:
        """Finish an attempt, or where there is no result answer a request for a state, after a while."""
        self._count += 1
        heapq.heappush(self._due, (now + took, self._count, id, result))

    def _state(self, id: int | None) -> StateFrame:
        self._seq += 1
        self._stated = True
        return state(self._seq, tick=self.session.tick, id=id)
