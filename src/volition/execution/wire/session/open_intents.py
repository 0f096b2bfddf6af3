"""The intents that were sent: which are open, which were given up, and which answer belongs to which.

An unreadable line ends the intent whose id it names, or the only open intent. If several are open, the affected one is
known as soon as STOP is answered: by then all the others have had their results.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import orjson
from msgspec import Struct

from volition.core.errors import format_value
from volition.execution.wire.codec import TYPES
from volition.execution.wire.results import UNKNOWN_FAILURE, Label
from volition.execution.wire.session.events import Breach, Finished, LateAnswer, Purpose

if TYPE_CHECKING:
    from volition.execution.wire.frames import ResultFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.results import Reading

REMEMBERED: Final = 1024
"""How many intents that were given up are kept, so that late results can be matched."""


class OpenIntent(Struct, frozen=True, gc=False):
    """An intent that was sent, and until when its answer counts; `request` belongs to the owner."""

    intent: AnyIntent
    purpose: Purpose
    sent_at: float
    deadline: float
    request: Any = None


class OpenIntents(dict[int, OpenIntent]):
    """The open intents by id, oldest first. Matches answers to them; each leaves exactly once, as a `Finished`."""

    def __init__(self) -> None:
        super().__init__()
        self._expired: dict[int, OpenIntent] = {}
        self._lost_answer = ""
        self.stop: int | None = None
        """The id of the STOP that the session has sent by itself, while that is open."""

    @property
    def deadline(self) -> float:
        """The earliest deadline; infinite if nothing is open."""
        return min([each.deadline for each in self.values()], default=math.inf)

    def due(self, now: float) -> list[int]:
        """The ids whose time is over, oldest first."""
        return [id for id, each in self.items() if now >= each.deadline]

    def objection(self, frame: ResultFrame, next_id: int) -> Breach | None:
        """Why a result matches no intent, open or given up; None if it matches one.

        Ids from `next_id` on were never sent.
        """
        id = frame.id
        sent = self.get(id) or self._expired.get(id)
        if sent is None:
            known = id < next_id
            what = f"a result for {id}, which is " + ("not an open intent" if known else "an id that was never sent")
            return Breach("repeated" if known else "unknown_id", what, id)
        if frame.intent != sent.intent.name:
            what = self._lost_answer = f"a result of {format_value(frame.intent)} for {id}, which is {sent.intent.name}"
            return Breach("mismatched", what, id)
        return None

    def intent_of(self, id: int) -> AnyIntent:
        """The intent with this id, open or given up."""
        return (self.get(id) or self._expired[id]).intent

    def answer(self, frame: ResultFrame, reading: Reading, line: bytes, now: float) -> Finished | LateAnswer:
        """The event for a result without an objection."""
        id = frame.id
        if id in self._expired:
            sent = self._expired.pop(id)
            return LateAnswer(id, sent.intent, reading.result, reading.label, line, now - sent.sent_at, sent.request)
        sent = self.pop(id)
        return Finished(
            id=id,
            intent=sent.intent,
            purpose=sent.purpose,
            result=reading.result,
            label=reading.label,
            answered=True,
            detail=frame.detail or "",
            elapsed=now - sent.sent_at,
            violations=reading.violations,
            line=line,
            next_state=frame.next_state,
            request=sent.request,
        )

    def lose_answer(self, line: bytes, what: str, now: float, *, state_expected: bool) -> list[Finished]:
        """A line is unreadable: end the intent whose answer it was, if that is known."""
        id = find_addressee(line)
        if id is None:
            others = [each for each in self if each != self.stop]
            self._lost_answer = what if others else ""
            id = others[0] if len(others) == 1 and self.stop is None and not state_expected else 0
        if id not in self or id == self.stop:
            return []
        return [self.expire(id, now, "malformed", f"its answer cannot be read ({what})")]

    def end_lost_answers(self, now: float) -> list[Finished]:
        """The session's own STOP is answered: whatever is still open from before it has lost its answer."""
        stop, lost = self.stop, self._lost_answer
        self._lost_answer = ""
        if not lost or stop is None:
            return []
        detail = f"its answer cannot be read ({lost})"
        return [self.expire(id, now, "malformed", detail) for id in [*self] if id < stop]

    def expire(self, id: int, now: float, label: Label = "timeout", detail: str = "no answer in time") -> Finished:
        """Give up waiting; a late answer will still be matched."""
        self._expired[id] = self[id]
        if len(self._expired) > REMEMBERED:
            del self._expired[next(iter(self._expired))]
        return self.abandon(id, now, label, detail)

    def abandon(self, id: int, now: float, label: Label, detail: str) -> Finished:
        """Finish an intent without an answer: FAILURE/UNKNOWN."""
        sent = self.pop(id)
        return Finished(
            id=id,
            intent=sent.intent,
            purpose=sent.purpose,
            result=UNKNOWN_FAILURE,
            label=label,
            answered=False,
            detail=detail,
            elapsed=now - sent.sent_at,
            request=sent.request,
        )


def find_addressee(line: bytes) -> int | None:
    """Whose answer an unreadable line was: its id, 0 if it was not an answer, None if that cannot be told.

    >>> find_addressee(b'{"v":1,"type":"result","id":7}'), find_addressee(b'{"v":1,"type":"event","id":7}')
    (7, 0)
    >>> find_addressee(b'{"v":1,"ty') is None
    True
    """
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(found, dict):
        return None
    kind, id = found.get("type"), found.get("id")
    if isinstance(kind, str) and kind in TYPES and kind != "result":
        return 0
    return id if type(id) is int and id > 0 else None
