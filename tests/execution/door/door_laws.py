"""The laws of everything that a door sends and reports, checked afterwards on the record alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from volition.execution.door.events import Connected, DoorEvent, Lost
from volition.execution.door.guard import alike
from volition.execution.wire.frames import IntentFrame, StateFrame, StateRequest
from volition.execution.wire.intents import parse_intent
from volition.execution.wire.request import Outcome
from volition.execution.wire.results import label_of
from volition.execution.wire.session.events import LateAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.wire.frames import Frame
    from volition.execution.wire.intents import AnyIntent

RETRIES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """The caller was given a ticket."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Sent:
    """A frame left the door."""

    connection: int
    frame: Frame


Entry: TypeAlias = Asked | Sent | DoorEvent


def broken_laws(record: list[Entry]) -> list[str]:
    """Every law that the record of a door breaks, from its making to its closing."""
    laws = (_one_outcome, _connections, _order, _opening, _refresh, _retries, _labels, _stops, _interceptions)
    return [f"{law.__name__.strip('_')}: {fault}" for law in laws for fault in law(record)]


def _one_outcome(record: list[Entry]) -> Iterator[str]:
    """Each ticket, and each intent on the wire, has exactly one outcome, which names what was sent, after it was."""
    tickets = Counter(entry.ticket for entry in record if isinstance(entry, Outcome))
    yield from (f"ticket {ticket} has {count} outcomes" for ticket, count in tickets.items() if count != 1)
    yield from (f"ticket {e.ticket} has none" for e in record if isinstance(e, Asked) and e.ticket not in tickets)
    outcomes = {(e.connection, e.id): e for e in record if isinstance(e, Outcome) and e.id is not None}
    sent: set[tuple[int, int | None]] = set()
    for entry in record:
        if isinstance(entry, Sent) and isinstance(entry.frame, IntentFrame):
            key, frame = (entry.connection, entry.frame.id), entry.frame
            sent.add(key)
            outcome = outcomes.get(key)
            if outcome is None or outcome.sent is None:
                yield f"{key} has no outcome"
            elif (frame.intent, frame.parameters) != (outcome.sent.name, outcome.sent.parameters):
                yield f"{key} was {frame.intent}, its outcome says {outcome.sent}"
        elif isinstance(entry, Outcome) and entry.answered and (entry.connection, entry.id) not in sent:
            yield f"{(entry.connection, entry.id)} was answered before it was sent"
    yield from (f"{key} has an outcome and was never sent" for key in outcomes.keys() - sent)


def _connections(record: list[Entry]) -> Iterator[str]:
    """Connections come one after another; nothing of one is told after it was lost."""
    newest, over = 0, set()
    for entry, connection in _numbered(record):
        if not isinstance(entry, Connected | LateAnswer | StateFrame | Lost | Outcome) or not connection:
            continue
        if connection < newest or connection in over:
            yield f"{type(entry).__name__} of connection {connection} out of order"
        newest = connection
        if isinstance(entry, Lost):
            over.add(connection)


def _numbered(record: list[Entry]) -> Iterator[tuple[Entry, int]]:
    """Each entry with the number of its connection: its own, or that of the newest."""
    newest = 0
    for entry in record:
        newest = entry.connection if isinstance(entry, Connected) else newest
        yield entry, getattr(entry, "connection", newest)


def _order(record: list[Entry]) -> Iterator[str]:
    """What an agent asks for is sent in the order of asking; STOP overtakes."""
    acts = [e for e in record if isinstance(e, Outcome) and e.sent is not None and e.sent.name != "STOP"]
    newest: dict[str | None, int] = {}
    for entry in sorted(acts, key=lambda outcome: (outcome.connection, outcome.id)):
        agent = entry.agent
        if entry.ticket < newest.get(agent, 0):
            yield f"ticket {entry.ticket} of {agent} was sent after {newest[agent]}"
        newest[agent] = entry.ticket


def _opening(record: list[Entry]) -> Iterator[str]:
    """No intent but STOP before a connection's full state and the answer to its first STOP."""
    stated, stopped = set(), set()
    for entry, newest in _numbered(record):
        if isinstance(entry, StateFrame) and entry.full:
            stated.add(newest)
        elif isinstance(entry, Outcome) and entry.purpose == "opening" and entry.answered:
            stopped.add(entry.connection)
        elif (connection := _acts(entry)) and connection not in stated & stopped:
            yield f"an intent on connection {connection} before its opening was over"


def _refresh(record: list[Entry]) -> Iterator[str]:
    """No intent but STOP between INVALID_STATE and a full state that was asked for after it."""
    unsure: dict[int, set[int]] = {}
    for entry, newest in _numbered(record):
        if isinstance(entry, Outcome | LateAnswer):
            logged = isinstance(entry, LateAnswer) or entry.answered
            if logged and entry.result.failure_reason == "INVALID_STATE":
                unsure[newest] = set()
        elif isinstance(entry, Sent) and isinstance(entry.frame, StateRequest) and entry.frame.full:
            unsure.get(entry.connection, set()).add(entry.frame.id)
        elif isinstance(entry, StateFrame) and entry.id in unsure.get(newest, set()):
            del unsure[newest]
        elif (connection := _acts(entry)) in unsure:
            yield f"an intent on connection {connection} between INVALID_STATE and refresh"


@dataclass
class _Row:
    first: AnyIntent | None = None
    open: set[int] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def holds(self, intent: AnyIntent) -> bool:
        return self.first is not None and alike(self.first, intent)


def _retries(record: list[Entry]) -> Iterator[str]:
    """An intent that fails is sent 3 times again while agent and reason stay the same, and not refused before that."""
    by_id = {(e.connection, e.id): e for e in record if isinstance(e, Outcome) and e.purpose == "policy"}
    rows: dict[str | None, _Row] = defaultdict(_Row)
    for entry in record:
        if isinstance(entry, Sent) and isinstance(entry.frame, IntentFrame):
            outcome = by_id.get((entry.connection, entry.frame.id))
            if outcome is None:
                continue
            agent, intent = entry.frame.agent, parse_intent(entry.frame.intent, entry.frame.parameters)
            row = rows[agent]
            if not row.holds(intent) or not (row.failures or row.open):
                row = rows[agent] = _Row(intent)
            if row.failures and intent.name != "STOP" and len(row.failures) + len(row.open) > RETRIES:
                yield f"{intent} of {agent} again after {row.failures}, with {len(row.open)} in flight"
            if intent.name != "STOP":
                row.open.add(outcome.ticket)
        elif isinstance(entry, Outcome) and entry.label == "refused_retry":
            row, intent = rows[entry.agent], parse_intent(entry.requested.intent, entry.requested.parameters)
            if len(row.failures) <= RETRIES or not row.holds(intent) or row.failures[-1] != entry.reason:
                yield f"{entry.requested} was refused for {entry.reason} after {row.first} {row.failures}"
        elif isinstance(entry, Outcome) and entry.ticket in (row := rows[entry.agent]).open:
            row.open.remove(entry.ticket)
            if entry.reason == "NONE":
                row.failures.clear()
            elif entry.reason in row.failures:
                row.failures.append(entry.reason)
            else:
                row.failures[:] = [entry.reason]


def _labels(record: list[Entry]) -> Iterator[str]:
    """A label matches what happened: the executor's result, or the lack of one."""
    for entry in record:
        if not isinstance(entry, Outcome):
            continue
        if entry.answered:
            fits = entry.label in {label_of(entry.result), "malformed"} and entry.id is not None
        elif entry.sent is not None:
            fits = entry.label in {"timeout", "unknown", "malformed"}
            fits = fits and (entry.status, entry.reason) == ("FAILURE", "UNKNOWN")
        else:
            fits = entry.label in {"timeout", "unknown", "intercepted", "refused_retry"} and entry.status == "FAILURE"
            fits = fits and entry.id is None
        if not fits or entry.elapsed < 0 or (entry.line is not None) != entry.answered:
            yield f"{entry}"


def _stops(record: list[Entry]) -> Iterator[str]:
    """The door's own STOP is one at a time, nothing but STOP passes it, and what is malformed or late calls for it."""
    own = {(e.connection, e.id) for e in record if isinstance(e, Outcome) and e.purpose in {"opening", "fallback"}}
    open: set[tuple[int, int | None]] = set()
    over: set[tuple[int, int | None]] = set()
    owed: set[int] = set()
    for entry in record:
        match entry:
            case Sent(connection, IntentFrame(id=id)) if (connection, id) in own:
                if open:
                    yield f"two STOPs at a time: {open} and {(connection, id)}"
                # A STOP that is sent in the very call that ends its connection has its outcome before its bytes are taken.
                open |= {(connection, id)} - over
                owed.discard(connection)
            case Sent(connection, IntentFrame(intent=name)) if name != "STOP" and (open or connection in owed):
                yield f"{name} on connection {connection} while a STOP was open or due"
            case Outcome(purpose="opening" | "fallback"):
                open.discard((entry.connection, entry.id))
                over.add((entry.connection, entry.id))
            case Outcome(label="malformed" | "timeout", sent=sent) if sent is not None and not open:
                owed.add(entry.connection)
            case Lost(connection=connection):
                owed.discard(connection)
    yield from (f"connection {connection} was owed a STOP" for connection in owed)


def _interceptions(record: list[Entry]) -> Iterator[str]:
    """Each intercepted request is followed by the ticket of the STOP in its place, for the same agent."""
    by_ticket = {entry.ticket: entry for entry in record if isinstance(entry, Outcome)}
    for entry in by_ticket.values():
        instead = by_ticket.get(entry.ticket + 1)
        if entry.label == "intercepted" and (
            instead is None or instead.purpose != "instead" or instead.agent != entry.agent
        ):
            yield f"ticket {entry.ticket} was intercepted, and no STOP was sent in its place"


def _acts(entry: Entry) -> int:
    """The connection on which the entry sends an intent other than STOP; 0 where it does not."""
    if isinstance(entry, Sent) and isinstance(entry.frame, IntentFrame) and entry.frame.intent != "STOP":
        return entry.connection
    return 0
