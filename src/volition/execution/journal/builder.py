"""Turns the events of a door into records: each attempt gets its reward, and each state is recorded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from volition.core.errors import format_value, refuse
from volition.core.ledger import verbatim
from volition.core.typed import decoder
from volition.execution.door.events import Connected, Lost, Resetting, Sending
from volition.execution.door.outcome import Outcome
from volition.execution.journal import records
from volition.execution.journal.refusals import Refusals, RefusedRetries
from volition.execution.journal.reward import USUAL, Reward, RewardFunction, fault_of, is_death
from volition.execution.wire.frames import GameEvent, Progress
from volition.execution.wire.session.events import Breach, Complaint, Happened, LateAnswer, Stalled, StateArrived

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.door.events import DoorEvent
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.results import Result


class RecordBuilder:
    """Builds the records of one run. `out` holds the bodies to append, in order."""

    def __init__(self, reward: RewardFunction = USUAL, *, state_every: int = 1) -> None:
        self.out: list[bytes] = []
        self.reward_fault = ""
        self._reward = reward
        self._every = state_every
        self._run = self._attempts = 0
        self._body, self._connections = "", dict[str, int]()
        self.refusals = Refusals()
        self._pushed = self._skipped = 0
        self._states: records.RecentStates[StateFrame] = records.RecentStates()
        self._write: dict[type, Callable[[Any], None]] = {
            Outcome: self._on_outcome,
            Sending: self._on_asking,
            Resetting: self._on_reset,
            StateArrived: self._on_state,
            Connected: self._on_connected,
            LateAnswer: self._on_late,
            Breach: self._on_breach,
            Lost: self._on_lost,
            Happened: self._on_event,
            Complaint: self._on_complaint,
            Stalled: self._on_stalled,
        }

    def begin(self, run: int, meta: dict[str, Any]) -> None:
        """Begin the run."""
        self._run = run
        self._add(records.RunStart(run=run, meta=meta))

    def end(self) -> None:
        """End the run properly."""
        self.write_refusals()
        self._add(records.End(run=self._run, attempts=self._attempts, skipped=self._skipped))

    def write(self, event: DoorEvent, body: str = "") -> None:
        """Add the records of one event; `body` names the body where there are several."""
        self._body = body
        write = self._write.get(type(event))
        if write is None:
            refuse(
                f"{format_value(event)} is not an event of a door",
                where="tell",
                expected="an event of a door",
                remedy="pass `journal.tell` to a door only",
            )
        write(event)

    def write_refusals(self) -> None:
        """Add the records of the refused retries collected so far."""
        for refused in self.refusals.end_all():
            self._write_refused(refused)

    def skip(self, count: int) -> None:
        """Count pushed states that were skipped."""
        self._skipped += count

    def _add(self, record: records.JournalRecord) -> None:
        self.out.append(records.body(record))

    # Attempts.

    def _on_outcome(self, outcome: Outcome) -> None:
        body = self._body
        if outcome.label == "refused_retry":
            for ended in self.refusals.add(body, outcome):
                self._write_refused(ended)
            return
        if self.refusals:
            self.write_refusals()
        self._attempt(outcome, body)

    def _write_refused(self, refused: RefusedRetries) -> None:
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
        reward, fault = self._evaluate(outcome)
        requested, sent, result = outcome.requested, outcome.sent, outcome.result
        attempt = records.Attempt(
            ticket=outcome.ticket,
            purpose=outcome.purpose,
            requested=records.record_request(requested.intent, requested.parameters),
            agent=requested.agent,
            sent=None if sent is None else records.Sent(intent=sent.name, parameters=sent.parameters),
            connection=connection,
            id=outcome.id,
            state=key,
            next_state=next_key,
            episode=None if state is None else state.episode,
            result=result,
            payload=_find_payload(outcome.line, result),
            label=outcome.label,
            violations=outcome.violations,
            detail=outcome.detail,
            answered=outcome.answered,
            elapsed_us=round(outcome.elapsed * 1e6),
            reward=reward.total,
            parts=reward.parts,
            terminated=is_death(result),
            truncated=state is not None and next_state is not None and next_state.episode != state.episode,
            reward_fault=fault,
            body=body,
            count=count,
            tickets=tickets,
            mark=requested.mark,
        )
        self._add(attempt)

    def _on_asking(self, event: Sending) -> None:
        state, intent = event.state, event.intent
        self._add(
            records.AskedIntent(
                ticket=event.ticket,
                connection=event.connection,
                id=event.id,
                intent=intent.name,
                parameters=intent.parameters,
                agent=event.requested.agent,
                state=None if state is None else self._key(event.connection, state),
                body=self._body,
                mark=event.requested.mark,
            )
        )

    def _evaluate(self, outcome: Outcome) -> tuple[Reward, str]:
        """The reward, and what is wrong with the one that the owner's function returned, if anything."""
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

    def _on_late(self, late: LateAnswer) -> None:
        self._add(
            records.LateRecord(
                connection=self._connection,
                ticket=late.request.ticket,
                id=late.id,
                intent=late.intent.name,
                result=late.result,
                label=late.label,
                elapsed_us=round(late.elapsed * 1e6),
                payload=_find_payload(late.line, late.result),
            )
        )

    # States.

    def _on_reset(self, event: Resetting) -> None:
        self._add(
            records.EpisodeReset(ticket=event.ticket, connection=event.connection, seed=event.seed, body=self._body)
        )

    def _on_state(self, seen: StateArrived) -> None:
        if not seen.asked:
            self._pushed += 1
            if self._pushed % self._every and not self._place(self._connection, seen.state)[1]:
                self._skipped += 1
                return
        self._key(self._connection, seen.state, asked=seen.asked)

    def _place(self, connection: int, frame: StateFrame) -> tuple[records.StateKey, bool]:
        """The key of a state, and whether it is already recorded."""
        key: records.StateKey = (connection or self._connection, frame.seq)
        variant = 0
        while (held := self._states.get(key)) is not None:
            if held is frame or _same(held, frame):
                return key, True
            variant += 1
            key = (*key[:2], variant)
        return key, False

    def _key(self, connection: int, frame: StateFrame, *, asked: bool = False) -> records.StateKey:
        """The key of a state, which is recorded now if it is not yet."""
        key, is_recorded = self._place(connection, frame)
        if not is_recorded:
            self._states.put(key, frame)
            self._add(
                records.State(
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
        """The newest connection of the current body."""
        return self._connections.get(self._body, 0)

    def _on_connected(self, event: Connected) -> None:
        self._connections[self._body] = event.connection
        features = tuple(sorted(event.features))
        welcome = event.welcome
        self._add(records.Connection(connection=event.connection, welcome=welcome, features=features, body=self._body))

    def _on_lost(self, event: Lost) -> None:
        error = "" if event.error is None else f"{type(event.error).__name__}: {event.error.problems[0].what}"
        self._add(records.LostConnection(connection=event.connection, reason=event.reason, error=error))

    def _on_breach(self, event: Breach) -> None:
        raw = None if event.raw is None else verbatim(event.raw)
        self._add(records.Breached(connection=self._connection, kind=event.kind, what=event.what, id=event.id, raw=raw))

    def _on_event(self, event: Happened) -> None:
        frame: GameEvent | Progress = event.frame
        what = "event" if isinstance(frame, GameEvent) else "progress"
        data = msgspec.to_builtins(frame)
        del data["type"]
        self._add(records.Noted(connection=self._connection, what=what, data=data))

    def _on_complaint(self, event: Complaint) -> None:
        data: dict[str, Any] = {"code": event.code, "message": event.message}
        if event.id is not None:
            data["id"] = event.id
        self._add(records.Noted(connection=self._connection, what="complaint", data=data))

    def _on_stalled(self, event: Stalled) -> None:
        self._add(records.Noted(connection=self._connection, what="stalled", data={"tick": event.tick}))


class _Answer(msgspec.Struct):
    """Of an answer's line, the bytes of the result alone."""

    result: msgspec.Raw = msgspec.Raw(b"null")


_read_answer: Final = decoder(_Answer).decode


def _find_payload(line: bytes | None, result: Result) -> Any | UnsetType:
    """The executor's own words, where they differ from the result: more, less, or otherwise."""
    if line is None:
        return UNSET
    words = _read_answer(line).result
    return UNSET if msgspec.json.decode(words) == msgspec.to_builtins(result) else words


def _same(one: StateFrame, other: StateFrame) -> bool:
    """Whether two frames hold the same state, whether or not it was asked for."""
    return (
        one.tick == other.tick
        and one.episode == other.episode
        and one.full == other.full
        and one.agent == other.agent
        and one.data == other.data
    )
