"""Turns the events of a door into records: each attempt gets its reward, each state is recorded once, and a policy that
keeps trying what is refused is one record with a count, not a flood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import format_value, refuse
from volition.execution.door.events import Connected, DecisionMade, EpisodeReset, Lost
from volition.execution.journal import records
from volition.execution.journal.reward import USUAL, Reward, RewardFunction, fault_of, is_death
from volition.execution.wire.frames import ErrorFrame, GameEvent, Progress, StateFrame
from volition.execution.wire.request import OpenRequest, Outcome, Request
from volition.execution.wire.results import differing_payload
from volition.execution.wire.session.events import Breach, LateAnswer, Stalled

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.arbitration.recorded import RecordedComposite
    from volition.execution.door.events import DoorEvent

MOST_RANGES: Final = 64
"""The most ranges of tickets in one record: the tickets of several agents may alternate."""

_NOTED: Final[dict[type, str]] = {GameEvent: "event", Progress: "progress", ErrorFrame: "complaint", Stalled: "stalled"}
"""What is noted with all its fields, and how that is called."""


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
        self._composites: list[RecordedComposite] = []
        self._write: dict[type, Callable[[Any], None]] = {
            Outcome: self._on_outcome,
            OpenRequest: self._on_asking,
            StateFrame: self._on_state,
            Connected: self._on_connected,
            DecisionMade: self._on_decision,
            **dict.fromkeys((EpisodeReset, LateAnswer, Breach, Lost), self._add),
            **dict.fromkeys(_NOTED, self._on_other),
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
        if self._body and isinstance(record, Connected | EpisodeReset):
            record = msgspec.structs.replace(record, body=self._body)
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
        sent, result = outcome.sent, outcome.result
        attempt = records.Attempt(
            ticket=outcome.ticket,
            purpose=outcome.purpose,
            requested=outcome.requested,
            agent=outcome.agent,
            sent=None if sent is None else Request(sent.name, sent.parameters or None),
            connection=connection,
            id=outcome.id,
            state=key,
            next_state=next_key,
            episode=None if state is None else state.episode,
            result=result,
            payload=differing_payload(outcome.line, result),
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
            mark=outcome.mark,
        )
        self._add(attempt)

    def _on_asking(self, request: OpenRequest) -> None:
        state, intent = request.state, request.intent
        assert request.id is not None, "it is about to be sent"
        self._add(
            records.AskedIntent(
                ticket=request.ticket,
                connection=request.connection,
                id=request.id,
                intent=intent.name,
                parameters=intent.parameters,
                agent=request.agent,
                state=None if state is None else self._key(request.connection, state),
                body=self._body,
                mark=request.mark,
            )
        )

    def _on_decision(self, event: DecisionMade) -> None:
        # What was refused before comes first, so that an attempt always follows the decision that it carries out.
        self.write_refusals()
        if event.composite not in self._composites:
            self._composites.append(event.composite)
            self._add(records.Composed(key=len(self._composites), composite=event.composite))
        self._add(
            records.Decided(
                step=event.step,
                composite=self._composites.index(event.composite) + 1,
                decision=event.decision,
                state=None if event.frame is None else self._key(self._connection, event.frame),
                body=self._body,
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

    # States.

    def _on_state(self, frame: StateFrame) -> None:
        asked = frame.id is not None
        if not asked:
            self._pushed += 1
            if self._pushed % self._every and not self._place(self._connection, frame)[1]:
                self._skipped += 1
                return
        self._key(self._connection, frame, asked=asked)

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
        self._add(event)

    def _on_other(self, event: GameEvent | Progress | ErrorFrame | Stalled) -> None:
        data = msgspec.to_builtins(event)
        data.pop("type", None)
        self._add(records.Noted(connection=self._connection, what=_NOTED[type(event)], data=data))


def _same(one: StateFrame, other: StateFrame) -> bool:
    """Whether two frames hold the same state, whether or not it was asked for."""
    return (
        one.tick == other.tick
        and one.episode == other.episode
        and one.full == other.full
        and one.agent == other.agent
        and one.data == other.data
    )


class RefusedRetries:
    """Equal refusals of one agent, and their tickets as inclusive ranges."""

    __slots__ = ("body", "first", "tickets")

    def __init__(self, body: str, first: Outcome) -> None:
        self.body = body
        self.first = first
        self.tickets = [[first.ticket, first.ticket]]

    @property
    def count(self) -> int:
        return sum(last - first + 1 for first, last in self.tickets)

    def takes(self, outcome: Outcome) -> bool:
        """Add a refusal that equals the first one; False where it differs."""
        first, ticket, newest = self.first, outcome.ticket, self.tickets[-1]
        alike = first.requested.intent == outcome.requested.intent and first.reason == outcome.reason
        if not alike or len(self.tickets) >= MOST_RANGES:
            return False
        if ticket == newest[1] + 1:
            newest[1] = ticket
        else:
            self.tickets.append([ticket, ticket])
        return True


class Refusals:
    """The refusals not yet written, by body and agent, oldest first."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str | None], RefusedRetries] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, body: str, outcome: Outcome) -> list[RefusedRetries]:
        """Add a refusal; returns what must be written before it."""
        key = (body, outcome.agent)
        waiting = self._waiting.get(key)
        if waiting is not None and waiting.takes(outcome):
            return []
        self._waiting[key] = RefusedRetries(body, outcome)
        return [] if waiting is None else [waiting]

    def end_all(self) -> list[RefusedRetries]:
        """Empty the collection; returns what must be written."""
        ended, self._waiting = [*self._waiting.values()], {}
        return ended
