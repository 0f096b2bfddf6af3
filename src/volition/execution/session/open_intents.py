"""The intents that were sent: who waits for an answer, who has given up waiting, and which answer is whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from volition.execution.results import UNKNOWN_FAILURE, Label, Reading
from volition.execution.session.events import Finished, Late, Purpose

if TYPE_CHECKING:
    from volition.execution.frames import ResultFrame
    from volition.execution.intents import CanonicalIntent

REMEMBERED: Final = 1024
"""How many timed-out intents are kept, so that a late result finds its own."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An intent that was sent, and until when its answer counts."""

    intent: CanonicalIntent
    purpose: Purpose
    sent_at: float
    deadline: float


class OpenIntents:
    """Binds answers to intents by their id; each intent leaves once, as one `Finished`."""

    def __init__(self) -> None:
        self._open: dict[int, Waiting] = {}
        self._expired: dict[int, Waiting] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, id: int) -> bool:
        return id in self._open

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(self._open)

    def deadlines(self) -> list[float]:
        return [waiting.deadline for waiting in self._open.values()]

    def due(self, now: float) -> list[int]:
        """Those whose time is over, oldest first."""
        return [id for id, waiting in self._open.items() if now >= waiting.deadline]

    def find(self, id: int) -> Waiting | None:
        """The intent of this id, open or timed out; None where no answer is awaited."""
        return self._open.get(id) or self._expired.get(id)

    def add(self, id: int, waiting: Waiting) -> None:
        self._open[id] = waiting

    def answered(self, id: int, frame: ResultFrame, reading: Reading, now: float) -> Finished | Late:
        """The event for an answer to an intent that `find` knows."""
        waiting = self._open.pop(id, None)
        if waiting is None:
            waiting = self._expired.pop(id)
            return Late(id, waiting.intent, reading.result, reading.label, frame.result, now - waiting.sent_at)
        return Finished(
            id=id,
            intent=waiting.intent,
            purpose=waiting.purpose,
            result=reading.result,
            label=reading.label,
            answered=True,
            detail=frame.detail or "",
            elapsed=now - waiting.sent_at,
            violations=reading.violations,
            payload=frame.result,
            next_state=frame.next_state,
        )

    def expire(self, id: int, now: float) -> Finished:
        """Give up waiting; a late answer will still find its intent."""
        self._expired[id] = self._open[id]
        if len(self._expired) > REMEMBERED:
            del self._expired[next(iter(self._expired))]
        return self.abandon(id, now, "timeout", "no answer in time")

    def abandon(self, id: int, now: float, label: Label, detail: str) -> Finished:
        """Finish an intent without an answer: FAILURE/UNKNOWN."""
        waiting = self._open.pop(id)
        return Finished(
            id=id,
            intent=waiting.intent,
            purpose=waiting.purpose,
            result=UNKNOWN_FAILURE,
            label=label,
            answered=False,
            detail=detail,
            elapsed=now - waiting.sent_at,
        )
