"""Time as the executor counts it: how long the kit waits for something to come about in the world.

On a busy machine the clock says little: the executor may have had no core for a second, and its world has lost that time.
Its ticks say what has really passed in the world. So a wait ends when the executor's own ticks say that it was long
enough, and the clock ends it only where there are no ticks, or where they stand still.
"""

from __future__ import annotations

from itertools import count, pairwise
from typing import TYPE_CHECKING, Final

from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.patience import TICKS
from volition.execution.conformance.verdict import NotApplicable, Unseen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame

LOOKS: Final = 100
"""How often, at least, the kit looks before it says that something never happens."""
WATCHED: Final = 3
"""For how many ticks an exact actor is watched to see whether it moves."""
WATCHED_SECONDS: Final = 1.0
"""For how long, in seconds, an actor with a tolerance is watched: who goes no further than that in it stands."""
_FROZEN_LOOKS: Final = 20
_FROZEN: Final = 4
"""Ticks that say less than one part in this many of the time that the clock says do not count as time."""


def shown_seconds(connection: KitConnection, since: int, tick: float) -> float | None:
    """How much time passed from line `since` on, by the ticks of the states and pongs; None where they show none.

    Results are left out: one that is sent again shows an earlier tick. A new episode may begin at tick 0.
    """
    shown = [_tick_of(logged.data) for logged in connection.heard[since:] if logged.data is not None]
    ticks = [number for number in shown if number is not None]
    if not tick or not ticks:
        return None
    return tick * sum(max(0, later - earlier) for earlier, later in pairwise(ticks))


def _tick_of(frame: Frame) -> int | None:
    tick = frame.get("tick") if frame.get("type") in {"state", "pong"} else None
    return tick if isinstance(tick, int) else None


def seconds_until(connection: KitConnection, first: Frame, result: Frame, tick: float) -> float | None:
    """The time from a state to a result, by the executor's ticks; None where they do not show it.

    Without a next_state it is what the last state before the result shows: at least that much has passed.
    """
    began = _tick_of(first)
    following = result.get("next_state")
    if isinstance(following, dict):
        ended = _tick_of({"type": "state", **following})
    else:
        ended = None
        for logged in connection.heard:
            if logged.data is result:
                break
            if logged.data is not None:
                ended = _tick_of(logged.data) or ended
    return None if not tick or began is None or ended is None else (ended - began) * tick


def stand_still(connection: KitConnection, looks: int) -> bool:
    """Whether ticks that did not grow for long stand still: a kit that hardly looked meanwhile had no core itself."""
    return looks >= _FROZEN_LOOKS or connection.waiting.is_known(TICKS)


class Patience:
    """Iterates while it is worth looking again: until the world has had `seconds`, and often enough to see it."""

    def __init__(self, connection: KitConnection, seconds: float, tick: float, *, looks: int = LOOKS) -> None:
        self.seconds = seconds
        self._talk, self._tick, self._looks = connection, tick, looks
        self._since, self._began = len(connection.heard), connection.now
        self._frozen = 1 if connection.waiting.is_known(TICKS) else _FROZEN

    def __iter__(self) -> Iterator[None]:
        for looks in count():
            if looks >= self._looks and self._seconds_passed() > self.seconds:
                return
            yield

    def _seconds_passed(self) -> float:
        by_clock = self._talk.now - self._began
        by_ticks = shown_seconds(self._talk, self._since, self._tick)
        return by_clock if by_ticks is None else max(by_ticks, by_clock / self._frozen)

    def give_up(self, what: str) -> NotApplicable:
        """The reason to give where it never happened: seen where the world had its time, else the kit may have missed it."""
        by_ticks = shown_seconds(self._talk, self._since, self._tick)
        return NotApplicable(what) if by_ticks is not None and by_ticks > self.seconds else Unseen(what)


def let_pass(connection: KitConnection, ticks: int, tick: float, usual: float = 0.1) -> None:
    """Listen until the world has gone on by this many ticks; for the `usual` seconds where it has no tick rate."""
    if not tick:
        connection.gather(usual)
        return
    since, until = len(connection.heard), connection.now + connection.waiting.time_for(TICKS, 2 * ANSWER)
    for looks in count(1):
        connection.state(full=False)
        if (shown_seconds(connection, since, tick) or 0.0) >= ticks * tick * 0.999:
            connection.waiting.note_answer(TICKS)
            return
        if connection.now > until and stand_still(connection, looks):
            connection.waiting.note_silence(TICKS)
            return
        connection.gather(tick)
