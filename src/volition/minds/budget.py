"""How much a run may ask of its minds, and how much it has asked."""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput, Problems, format_value
from volition.core.typed import DataStruct

if TYPE_CHECKING:
    from collections.abc import Collection
    from threading import Event

    from volition.minds.contract import Asked, Fallback

GIVE_UP: Final = 3
"""After this many misses in a row, late or unreachable, a mind is not asked again in the run."""
MISSES: Final = frozenset({"late", "unreachable"})
Refusal = tuple["Fallback", str]
"""Why a question is not sent: the reason, and what happened in words."""


class Budget(DataStruct, frozen=True):
    """The limits of a run; None is no limit.

    A question is sent as long as less than each limit has been used. What an answer costs is known only afterwards, so the
    questions of one tick together may go beyond the tokens; the time for answers is cut to the seconds that are left.

    >>> Budget(calls=100, tokens=50_000)
    Budget(calls=100, tokens=50000, seconds=None)
    """

    calls: int | None = None
    """Questions that are sent."""
    tokens: int | None = None
    """What the minds say that their answers cost."""
    seconds: float | None = None
    """Time that the caller waits for answers; minds that are asked together share it."""

    def __post_init__(self) -> None:
        problems = Problems()
        for name, kinds in (("calls", (int,)), ("tokens", (int,)), ("seconds", (int, float))):
            limit: Any = getattr(self, name)
            if limit is not None and not (type(limit) in kinds and 0 <= limit < math.inf):
                problems.add(
                    f"{name} is {format_value(limit)}",
                    where="budget",
                    expected="a number >= 0, or None for no limit",
                    remedy="leave it out to set no limit",
                )
        problems.raise_if_any(InvalidInput)


class Spending:
    """What a run has used of its budget, and which minds it has given up; threads may share it.

    >>> Spending(Budget(calls=0)).refusal("ada")
    ('over_budget', '0 of 0 calls are used')
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = Budget() if budget is None else budget
        self.calls = 0
        self.tokens = 0
        self.seconds = 0.0
        self._misses: dict[str, int] = {}
        self._left: dict[str, list[Event]] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<Spending: {self.calls} calls, {self.tokens} tokens, {self.seconds:.3f} s>"

    def refusal(self, who: str) -> Refusal | None:
        """Why the mind of `who` is not asked now; None if it may be."""
        if self._misses.get(who, 0) >= GIVE_UP:
            return "unreachable", f"given up after {GIVE_UP} misses in a row"
        if not all(returned.is_set() for returned in self._left.get(who, ())):
            return "late", "still busy with an earlier question"
        for name in ("calls", "tokens", "seconds"):
            used, limit = getattr(self, name), getattr(self.budget, name)
            if limit is not None and used >= limit:
                return "over_budget", f"{used:g} of {limit:g} {name} are used"
        return None

    def send(self, who: str) -> Refusal | None:
        """Count a question that is being sent, or say why it is not."""
        with self._lock:
            refusal = self.refusal(who)
            if refusal is None:
                self.calls += 1
            return refusal

    def leave(self, who: str, returned: Event) -> None:
        """Nobody waits any more for an answer to `who`, whose mind is busy until it has returned."""
        with self._lock:
            left = [other for other in self._left.get(who, ()) if not other.is_set()]
            self._left[who] = [*left, returned]

    def note(self, asked: Asked) -> None:
        """Count what an answer cost, and whether it was a miss."""
        with self._lock:
            self.tokens += asked.tokens
            self._misses[asked.who] = self._misses.get(asked.who, 0) + 1 if asked.fallback in MISSES else 0

    def resume(self, asked: Collection[Asked]) -> None:
        """Count what a run used before it was interrupted: the answers of one tick, for which it waited together."""
        with self._lock:
            for each in asked:
                self.calls += each.fallback != "over_budget"
                self.tokens += each.tokens
            self.seconds += max((each.seconds for each in asked), default=0.0)

    def wait(self, seconds: float) -> None:
        """Count time that was waited for answers."""
        with self._lock:
            self.seconds += seconds

    def time_left(self, deadline_s: float) -> float:
        """How long answers may be waited for: the deadline, or what is left of the budget."""
        limit = self.budget.seconds
        return deadline_s if limit is None else min(deadline_s, max(0.0, limit - self.seconds))
