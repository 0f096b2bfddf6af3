"""Turns what a door tells into records: gives each attempt its reward, and each state its one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from volition.core.errors import refuse, shown
from volition.core.ledger import verbatim
from volition.execution.door.outcome import Outcome
from volition.execution.door.told import Asking as AskingEvent
from volition.execution.door.told import Connected, LateResult, Lost, StateSeen
from volition.execution.frames import GameEvent, Progress
from volition.execution.journal.records import (
    Asked,
    Asking,
    Attempt,
    Breached,
    Connection,
    End,
    JournalRecord,
    Late,
    LostConnection,
    Noted,
    Reach,
    Run,
    Sent,
    State,
    StateKey,
    asked,
    body,
)
from volition.execution.journal.refusals import Refusals, Refused
from volition.execution.journal.templates import Templates, payload_of
from volition.execution.reward import USUAL, Reward, RewardFunction, died, fault_of
from volition.execution.session.events import Breach, Complaint, Happened, Stalled

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.door.told import DoorEvent
    from volition.execution.frames import StateFrame
    from volition.execution.intents import CanonicalIntent


class Scribe:
    """Writes the records of one run after another. `out` holds the bodies that are to be appended, in order."""

    def __init__(self, reward: RewardFunction = USUAL, *, state_every: int = 1) -> None:
        self.out: list[bytes] = []
        self.reward_fault = ""
        self._reward = reward
        self._every = state_every
        self._run = self._attempts = 0
        self._body, self._connections = "", dict[str, int]()
        self.refusals = Refusals()
        self._pushed = self._skipped = 0
        self._states: Reach[StateFrame] = Reach()
        self._bare: dict[str, Sent] = {}
        self._templates = Templates()
        self._write: dict[type, Callable[[Any], None]] = {
            Outcome: self._outcome,
            AskingEvent: self._asking,
            StateSeen: self._seen,
            Connected: self._connected,
            LateResult: self._late,
            Breach: self._breach,
            Lost: self._lost,
            Happened: self._happened,
            Complaint: self._complaint,
            Stalled: self._stalled,
        }

    def begin(self, run: int, meta: dict[str, Any]) -> None:
        """A new run: nothing of the one before is referred to."""
        self._run, self._attempts = run, 0
        self._connections.clear()
        self._states.clear()
        self._add(Run(run=run, meta=meta))

    def end(self) -> None:
        """The run is over, in order."""
        self.write_refusals()
        self._add(End(run=self._run, attempts=self._attempts, skipped=self._skipped))
        self._skipped = 0

    def write(self, event: DoorEvent, body: str = "") -> None:
        """Add the records of one event, which the body of that name told where there are several."""
        self._body = body
        write = self._write.get(type(event))
        if write is None:
            refuse(
                f"{shown(event)} is nothing that a door tells",
                where="tell",
                expected="an event of a door",
                remedy="hand `journal.tell` to a door and to nobody else",
            )
        write(event)

    def write_refusals(self) -> None:
        """Add the records of the refused retries that wait for more of their kind."""
        for refused in self.refusals.end_all():
            self._refused(refused)

    def skip(self, count: int) -> None:
        """So many pushed states were not told."""
        self._skipped += count

    def _add(self, record: JournalRecord) -> None:
        self.out.append(body(record))

    # Attempts.

    def _outcome(self, outcome: Outcome) -> None:
        body = self._body
        if outcome.label == "refused_retry":
            for ended in self.refusals.add(body, outcome):
                self._refused(ended)
            return
        if self.refusals:
            self.write_refusals()
        self._attempt(outcome, body)

    def _refused(self, refused: Refused) -> None:
        if refused.count == 1:
            self._attempt(refused.first, refused.body)
        else:
            tickets = tuple((first, last) for first, last in refused.tickets)
            self._attempt(refused.first, refused.body, refused.count, tickets)

    def _attempt(self, outcome: Outcome, body: str, count: int = 1, tickets: tuple[tuple[int, int], ...] = ()) -> None:
        self._body = body
        connection, state, next_state = outcome.connection, outcome.state, outcome.next_state
        key = None if state is None else self._key(connection, state)
        next_key = None if next_state is None else self._key(connection, next_state)
        self._attempts += count
        if (filled := self._templates.fill(outcome, key, next_key, body)) is not None:
            self.out.append(filled)
            return
        reward, fault = self._judged(outcome)
        requested, sent, result = outcome.requested, outcome.sent, outcome.result
        record = Attempt(
            ticket=outcome.ticket,
            purpose=outcome.purpose,
            # What was sent was checked before; what was not may be anything.
            requested=asked(requested.intent, requested.parameters)
            if sent is None
            else Asked(intent=requested.intent, parameters=requested.parameters),
            agent=requested.agent,
            sent=None if sent is None else self._sent(sent),
            connection=connection,
            id=outcome.id,
            state=key,
            next_state=next_key,
            episode=None if state is None else state.episode,
            result=result,
            payload=payload_of(outcome.line, result),
            label=outcome.label,
            violations=outcome.violations,
            detail=outcome.detail,
            answered=outcome.answered,
            elapsed_us=round(outcome.elapsed * 1e6),
            reward=reward.total,
            parts=reward.parts,
            terminated=died(result),
            truncated=state is not None and next_state is not None and next_state.episode != state.episode,
            reward_fault=fault,
            body=body,
            count=count,
            tickets=tickets,
        )
        try:
            self._add(record)
            if self._reward is USUAL:
                self._templates.learn(outcome, record)
        except (TypeError, UnicodeEncodeError, RecursionError):
            # A number of a foreign type, say: it could be sent, and it must be kept.
            self._add(
                msgspec.structs.replace(
                    record,
                    requested=asked(requested.intent, requested.parameters),
                    agent=None if requested.agent is None else shown(requested.agent),
                    detail=outcome.detail.encode("utf-8", "backslashreplace").decode(),
                )
            )

    def _asking(self, event: AskingEvent) -> None:
        state, intent = event.state, event.intent
        self._add(
            Asking(
                ticket=event.ticket,
                connection=event.connection,
                id=event.id,
                intent=intent.name,
                parameters=intent.parameters,
                agent=event.requested.agent,
                state=None if state is None else self._key(event.connection, state),
                body=self._body,
            )
        )

    def _judged(self, outcome: Outcome) -> tuple[Reward, str]:
        """The reward, and what was wrong with the one that the owner's function gave, if anything."""
        try:
            reward = self._reward(outcome)
            if self._reward is USUAL:
                return reward, ""
            fault = fault_of(reward, outcome.result)
        except Exception as error:  # noqa: BLE001  the owner's code: whatever it raises, the attempt is recorded
            fault = f"{type(error).__name__}: {error}"
        if not fault:
            return reward, ""
        self.reward_fault = fault
        return USUAL(outcome), fault

    def _sent(self, intent: CanonicalIntent) -> Sent:
        name = intent.name
        if name == "MOVE":
            return Sent(intent=name, parameters=intent.parameters)
        if name not in self._bare:
            self._bare[name] = Sent(intent=name)
        return self._bare[name]

    def _late(self, late: LateResult) -> None:
        self._add(
            Late(
                connection=late.connection,
                ticket=late.ticket,
                id=late.id,
                intent=late.intent.name,
                result=late.result,
                label=late.label,
                elapsed_us=round(late.elapsed * 1e6),
                payload=payload_of(late.line, late.result),
            )
        )

    # States.

    def _seen(self, seen: StateSeen) -> None:
        if not seen.asked:
            self._pushed += 1
            if self._pushed % self._every and not self._place(seen.connection, seen.state)[1]:
                self._skipped += 1
                return
        self._key(seen.connection, seen.state, asked=seen.asked)

    def _place(self, connection: int, frame: StateFrame) -> tuple[StateKey, bool]:
        """The key of a state, and whether it stands already."""
        key: StateKey = (connection or self._connection, frame.seq)
        if self._states.get(key) is frame:
            return key, True
        variant = 0
        while (held := self._states.get(key)) is not None:
            if held is frame or _same(held, frame):
                return key, True
            variant += 1
            key = (*key[:2], variant)
        return key, False

    def _key(self, connection: int, frame: StateFrame, *, asked: bool = False) -> StateKey:
        """The key of a state, which is written now if it does not stand already."""
        key, stands = self._place(connection, frame)
        if not stands:
            self._states.put(key, frame)
            self._add(
                State(
                    key=key,
                    tick=frame.tick,
                    episode=frame.episode,
                    full=frame.full,
                    data=frame.data,
                    agent=frame.agent,
                    asked=asked,
                    skipped=self._skipped,
                )
            )
            self._skipped = 0
        return key

    # Everything else.

    @property
    def _connection(self) -> int:
        """The newest connection of the body that tells."""
        return self._connections.get(self._body, 0)

    def _connected(self, event: Connected) -> None:
        self._connections[self._body] = event.connection
        features = tuple(sorted(event.features))
        welcome = event.welcome
        self._add(Connection(connection=event.connection, welcome=welcome, features=features, body=self._body))

    def _lost(self, event: Lost) -> None:
        error = "" if event.error is None else f"{type(event.error).__name__}: {event.error.problems[0].what}"
        self._add(LostConnection(connection=event.connection, reason=event.reason, error=error))

    def _breach(self, event: Breach) -> None:
        raw = None if event.raw is None else verbatim(event.raw)
        self._add(Breached(connection=self._connection, kind=event.kind, what=event.what, id=event.id, raw=raw))

    def _happened(self, event: Happened) -> None:
        frame: GameEvent | Progress = event.frame
        what = "event" if isinstance(frame, GameEvent) else "progress"
        data = msgspec.to_builtins(frame)
        del data["type"]
        self._add(Noted(connection=self._connection, what=what, data=data))

    def _complaint(self, event: Complaint) -> None:
        data: dict[str, Any] = {"code": event.code, "message": event.message}
        if event.id is not None:
            data["id"] = event.id
        self._add(Noted(connection=self._connection, what="complaint", data=data))

    def _stalled(self, event: Stalled) -> None:
        self._add(Noted(connection=self._connection, what="stalled", data={"tick": event.tick}))


def _same(one: StateFrame, other: StateFrame) -> bool:
    """Whether two frames tell the same state, whoever asked for it."""
    return (
        one.tick == other.tick
        and one.episode == other.episode
        and one.full == other.full
        and one.agent == other.agent
        and one.data == other.data
    )
