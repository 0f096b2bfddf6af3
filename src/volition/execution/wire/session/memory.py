"""What the bridge's side of a session remembers: the requests that it sent, and the states that it was shown.

A sent request is open until it has its outcome, once:

    open --answer--> answered
         --deadline, or an unreadable answer--> given up --answer--> late, which changes nothing
         --end of the session--> abandoned

An unreadable line ends the request whose id it names, or the only open one. If several are open, the affected one is
known as soon as STOP is answered: by then all the others have had their results.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import orjson

from volition.core.errors import format_value
from volition.execution.wire.codec import TYPES
from volition.execution.wire.results import differing_payload
from volition.execution.wire.session.events import Breach, BreachKind, LateAnswer, SessionEvent, Stalled, StateMissing

if TYPE_CHECKING:
    from volition.execution.wire.frames import ResultFrame, StateFrame
    from volition.execution.wire.request import OpenRequest
    from volition.execution.wire.results import Label, Result

REMEMBERED: Final = 1024
"""How many requests that were given up are kept, so that late results can be matched."""
RECENT: Final = 128
"""How many states are kept, so that an intent based on one of them can be recorded with it."""


class OpenRequests(dict[int, "OpenRequest"]):
    """The requests that were sent and have no outcome, by id, oldest first."""

    def __init__(self) -> None:
        super().__init__()
        self._given_up: dict[int, OpenRequest] = {}
        self._lost_answer = ""
        self.stop: int | None = None
        """The id of the STOP that the session has sent by itself, while that is open."""

    @property
    def deadline(self) -> float:
        """When the first answer is overdue; infinite if nothing is open."""
        return min([request.expires for request in self.values()], default=math.inf)

    def overdue(self, now: float) -> list[int]:
        """The ids whose time is over, oldest first."""
        return [id for id, request in self.items() if now >= request.expires]

    def match(self, frame: ResultFrame, next_id: int) -> OpenRequest | tuple[BreachKind, str]:
        """The request, open or given up, that a result answers, or why there is none.

        Ids from `next_id` on were never sent.
        """
        id = frame.id
        request = self.get(id) or self._given_up.get(id)
        if request is None:
            if id < next_id:
                return "repeated", f"a result for {id}, which is not an open intent"
            return "unknown_id", f"a result for {id}, which is an id that was never sent"
        if frame.intent != request.intent.name:
            what = f"a result of {format_value(frame.intent)} for {id}, which is {request.intent.name}"
            self._lost_answer = what
            return "mismatched", what
        return request

    def forget(self, id: int) -> None:
        """A request that was given up has had its late answer."""
        del self._given_up[id]

    def give_up(self, id: int) -> OpenRequest:
        """Stop waiting for an answer; a late one will still be matched."""
        request = self._given_up[id] = self.pop(id)
        if len(self._given_up) > REMEMBERED:
            del self._given_up[next(iter(self._given_up))]
        return request

    def lose_answer(self, line: bytes, what: str, *, state_expected: bool) -> int | None:
        """The id of the open request whose answer an unreadable line was; None if that is not known, or was none."""
        id = find_addressee(line)
        if id is None:
            others = [each for each in self if each != self.stop]
            self._lost_answer = what if others else ""
            id = others[0] if len(others) == 1 and self.stop is None and not state_expected else 0
        return id if id in self and id != self.stop else None

    def take_lost_answers(self) -> tuple[str, list[int]]:
        """The session's own STOP is answered: whatever is still open from before it has lost its answer, and why."""
        stop, lost = self.stop, self._lost_answer
        self._lost_answer = ""
        return lost, [] if not lost or stop is None else [id for id in self if id < stop]


class States:
    """The recent states of one session, the requests for states, and whether time advances.

    `patience` is how long, in seconds, a world may stall; 0 means forever.
    """

    def __init__(self, connection: int, *, now: float, patience: float = 0.0) -> None:
        self._connection = connection
        self.newest: StateFrame | None = None
        self.newest_full: StateFrame | None = None
        self.recent: dict[int, StateFrame] = {}
        """By `seq`."""
        self.patience = patience
        self.requests: dict[int, tuple[bool, float]] = {}
        """Id -> whether a full state was asked for, and until when it counts."""
        self._tick, self._moved_at, self._reported = -1, now, False

    def expect(self, id: int, *, full: bool, deadline: float) -> None:
        """A request went out."""
        self.requests[id] = (full, deadline)

    @property
    def deadline(self) -> float:
        """When the first open request is overdue."""
        return min(deadline for _, deadline in self.requests.values())

    def forget_overdue(self, now: float) -> list[SessionEvent]:
        """Forget the requests that were not answered in time."""
        late = [id for id, (_, deadline) in self.requests.items() if now >= deadline]
        for id in late:
            del self.requests[id]
        return [StateMissing(id) for id in late]

    def give_up(self) -> list[SessionEvent]:
        """Forget all requests: the session is over."""
        missing: list[SessionEvent] = [StateMissing(id) for id in self.requests]
        self.requests.clear()
        return missing

    def arrive(self, state: StateFrame, now: float, *, known_ids: int) -> list[SessionEvent]:
        """Take a state frame: an answer if it has an id (a used one: below `known_ids`), else a push."""
        id = state.id
        if id is None:
            return self.push(state, now)
        wanted = self.requests.get(id)
        newest = self.newest.seq if self.newest else -1
        if wanted is None:
            kind: BreachKind = "repeated" if id < known_ids else "unknown_id"
            return [self._breach(kind, f"a state for {id}, which is not an open request", id)]
        if wanted[0] and not state.full:
            return [self._breach("unexpected", f"a partial state for {id}, although a full one was requested", id)]
        del self.requests[id]
        if state.seq < newest:
            # A later push overtook the answer, which is valid but no longer the newest state.
            self._remember(state)
            return [state]
        return self._keep(state, now)

    def push(self, state: StateFrame, now: float) -> list[SessionEvent]:
        """Take a state that was not asked for; it is ignored unless it is newer."""
        if self.newest is not None and state.seq <= self.newest.seq:
            return []
        return self._keep(state, now)

    def note_tick(self, tick: int, now: float) -> list[SessionEvent]:
        """Note the executor's tick; a world that stalls for too long is reported once."""
        if tick != self._tick:
            self._tick, self._moved_at, self._reported = tick, now, False
        elif self.patience and not self._reported and now >= self._moved_at + self.patience:
            self._reported = True
            return [Stalled(tick)]
        return []

    def _keep(self, state: StateFrame, now: float) -> list[SessionEvent]:
        self.newest = state
        self._remember(state)
        return [state, *self.note_tick(state.tick, now)]

    def _remember(self, state: StateFrame) -> None:
        self.recent[state.seq] = state
        if len(self.recent) > RECENT:
            del self.recent[next(iter(self.recent))]
        if state.full:
            self.newest_full = state

    def _breach(self, kind: BreachKind, what: str, id: int) -> Breach:
        return Breach(connection=self._connection, kind=kind, what=what, id=id)


def late_answer(request: OpenRequest, result: Result, label: Label, line: bytes, now: float) -> LateAnswer:
    """The event for the answer to a request that was given up."""
    assert request.id is not None, "it was sent"
    return LateAnswer(
        connection=request.connection,
        ticket=request.ticket,
        id=request.id,
        intent=request.intent.name,
        result=result,
        label=label,
        elapsed_us=round((now - request.sent_at) * 1e6),
        payload=differing_payload(line, result),
    )


def find_addressee(line: bytes) -> int | None:
    """Whose answer an unreadable line was: its id, 0 if it was not an answer, None if that cannot be told.

    >>> find_addressee(b'{"v":1,"type":"result","id":7}'), find_addressee(b'{"v":1,"type":"event","id":7}')
    (7, 0)
    >>> find_addressee(b'{"v":1,"ty') is None
    True
    """
    try:
        frame = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(frame, dict):
        return None
    kind, id = frame.get("type"), frame.get("id")
    if isinstance(kind, str) and kind in TYPES and kind != "result":
        return 0
    return id if type(id) is int and id > 0 else None
