"""The intents that were sent: who waits for an answer, who has given up waiting, and which answer is whose."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.errors import shown
from volition.execution.results import UNKNOWN_FAILURE, Label
from volition.execution.session.events import Breach, Finished, Late, Purpose

if TYPE_CHECKING:
    from volition.execution.intents import CanonicalIntent
    from volition.execution.session.answers import Answer

REMEMBERED: Final = 1024
"""How many intents that were given up are kept, so that a late result finds its own."""


class Waiting(Struct, frozen=True, gc=False):
    """An intent that was sent, and until when its answer counts."""

    intent: CanonicalIntent
    purpose: Purpose
    sent_at: float
    deadline: float


class OpenIntents:
    """Binds answers to intents by their id; each intent leaves once, as one `Finished`."""

    def __init__(self) -> None:
        self.open: dict[int, Waiting] = {}
        """Those that wait, oldest first; changed only here."""
        self._expired: dict[int, Waiting] = {}
        self._earliest: float | None = math.inf

    def __len__(self) -> int:
        return len(self.open)

    def __contains__(self, id: int) -> bool:
        return id in self.open

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(self.open)

    @property
    def deadline(self) -> float:
        """The earliest of all; infinite where nothing is open."""
        if self._earliest is None:
            self._earliest = min([waiting.deadline for waiting in self.open.values()], default=math.inf)
        return self._earliest

    def due(self, now: float) -> list[int]:
        """Those whose time is over, oldest first."""
        if now < self.deadline:
            return []
        return [id for id, waiting in self.open.items() if now >= waiting.deadline]

    def objection(self, answer: Answer, next_id: int) -> Breach | None:
        """Why an answer belongs to no intent, open or given up; None where it finds its own. Ids from `next_id` on were
        never sent."""
        id = answer.id
        waiting = self.open.get(id) or self._expired.get(id)
        if waiting is None:
            known = id < next_id
            what = f"a result for {id}, which is " + ("no open intent" if known else "an id that was never sent")
            return Breach("repeated" if known else "unknown_id", what, id)
        if answer.intent != waiting.intent.name:
            what = f"a result of {shown(answer.intent)} for {id}, which is {waiting.intent.name}"
            return Breach("mismatched", what, id)
        return None

    def add(self, id: int, waiting: Waiting) -> None:
        self.open[id] = waiting
        if self._earliest is not None and waiting.deadline < self._earliest:
            self._earliest = waiting.deadline

    def answered(self, answer: Answer, now: float) -> Finished | Late:
        """The event for an answer that has found its intent: there is no objection."""
        id = answer.id
        if id in self._expired:
            late = self._expired.pop(id)
            return Late(id, late.intent, answer.result, answer.label, answer.line, now - late.sent_at)
        waiting = self._leave(id)
        return Finished(
            id,
            waiting.intent,
            waiting.purpose,
            answer.result,
            answer.label,
            True,
            answer.detail,
            now - waiting.sent_at,
            answer.violations,
            answer.line,
            answer.next_state,
        )

    def well_answered(self, answer: Answer, now: float) -> Finished | None:
        """`answered`, for the usual case: a good answer to an intent that waits. None, and no change, in any other."""
        id = answer.id
        waiting = self.open.get(id)
        if waiting is None or waiting.intent.name != answer.intent:
            return None
        del self.open[id]
        if waiting.deadline == self._earliest:
            self._earliest = None if self.open else math.inf
        return Finished(
            id, waiting.intent, waiting.purpose, answer.result, answer.label, True, answer.detail,
            now - waiting.sent_at, (), answer.line, answer.next_state,
        )  # fmt: skip

    def expire(self, id: int, now: float, label: Label = "timeout", detail: str = "no answer in time") -> Finished:
        """Give up waiting; a late answer will still find its intent."""
        self._expired[id] = self.open[id]
        if len(self._expired) > REMEMBERED:
            del self._expired[next(iter(self._expired))]
        return self.abandon(id, now, label, detail)

    def abandon(self, id: int, now: float, label: Label, detail: str) -> Finished:
        """Finish an intent without an answer: FAILURE/UNKNOWN."""
        waiting = self._leave(id)
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

    def _leave(self, id: int) -> Waiting:
        waiting = self.open.pop(id)
        if waiting.deadline == self._earliest:
            self._earliest = None if self.open else math.inf
        return waiting
