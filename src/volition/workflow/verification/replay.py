"""The replay: all events of a project happen again in memory, by the same law, one after the other.

An event is a fault if it is missing or changed, is not signed or with another key, comes at an impossible time, or is unlawful;
the message says which, by whom, when, and what was expected. After an unlawful event, what follows is not judged: it may only
follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from sqlalchemy import select

from volition.core.errors import VolitionError
from volition.workflow.law import apply_law
from volition.workflow.law.members import settings_of
from volition.workflow.store.events import CLOCK, ORIGIN, event_hash, read_event
from volition.workflow.store.rows import MemoryRows, ProjectRow
from volition.workflow.store.signing import is_signed
from volition.workflow.store.tables import EVENT
from volition.workflow.team.evidence import moment
from volition.workflow.verification.collisions import CollisionCheck

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection, Row

    from volition.core.ledger import Anchor
    from volition.workflow.store.events import RecordedEvent

AHEAD = 60_000
"""How far, in milliseconds, an event may be ahead of the clock of whoever verifies."""


@dataclass(slots=True)
class KeyUse:
    """What one key has signed: how many events, and in which names."""

    count: int = 0
    names: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What was sent for a node under one request, and what the last event says of it."""

    flow_id: str
    node_id: str
    state: str
    result: str = ""


class Replay:
    """Everything that follows from the events of a project. `pinned` are public keys that are known from elsewhere."""

    def __init__(self, project: str, now: int, anchor: Anchor | None, pinned: Mapping[str, str]) -> None:
        self.project = project
        self.rows = MemoryRows(project)
        self.rows.put(ProjectRow(project=project, head=ORIGIN))
        self.seq, self.head, self.at = 0, ORIGIN, 0
        self.faults: list[str] = []
        self.keys: dict[str, KeyUse] = {}
        self.requests: dict[str, SentRequest] = {}
        self.claims: dict[str, set[int]] = {}
        self._now, self._anchor, self._pinned = now, anchor, pinned
        self._collisions = CollisionCheck(self.rows)

    @property
    def not_judged(self) -> int:
        """How many plans were judged by another version."""
        return self._collisions.not_judged

    def read(self, connection: Connection) -> None:
        """Let all events happen, until one is a fault."""
        wanted = select(EVENT).where(EVENT.c.project == self.project).order_by(EVENT.c.seq)
        for row in connection.execute(wanted):
            fault = self._chain_fault(row)
            if not fault:
                event = read_event(row)
                fault = self._time_fault(event) or self._key_fault(event, row.signature) or self._let_happen(event)
            if fault:
                self.faults.append(fault)
                return

    def end_faults(self, row: Row[Any]) -> list[str]:
        """What is wrong with the end of the record: the project, or the anchor, counts other events."""
        found = []
        if (row.seq, row.head) != (self.seq, self.head):
            found.append(f"the project counts {row.seq} events, and {self.seq} are here")
        if self._anchor is not None and self._anchor.count > self.seq:
            found.append(f"the anchor counts {self._anchor.count} events, and {self.seq} are here")
        self.rows.put(replace(settings_of(self.rows), seq=self.seq, head=self.head, at=self.at))
        return found

    def _chain_fault(self, row: Row[Any]) -> str:
        seq = self.seq + 1
        head = event_hash(
            self.head, self.project, row.seq, row.at, row.actor, row.what, row.subject, row.body, row.signer
        )
        if row.seq != seq:
            return f"event {seq} is missing"
        if row.hash != head:
            return f"event {seq} was changed"
        self.seq, self.head = seq, head
        if self._anchor is not None and self._anchor.count == seq and self._anchor.hash != head:
            return f"event {seq}, or one before it, was rewritten: the anchor has another hash"
        return ""

    def _time_fault(self, event: RecordedEvent) -> str:
        before, self.at = self.at, event.at
        if event.at < before and event.what != "set back":
            return _fault(
                event, f"it is earlier than the event before it, at {moment(before)}", "a clock that was not set back"
            )
        if event.what == "set back" and event.at >= before:
            return _fault(event, "the clock was not set back", f"a time before {moment(before)}")
        if event.at > self._now + AHEAD:
            return _fault(event, "it is in the future", f"a time up to {moment(self._now)}")
        return ""

    def _key_fault(self, event: RecordedEvent, signature: str) -> str:
        if not event.signer or not is_signed(event.hash, event.signer, signature):
            named = f"the key {event.signer[:16]}..." if event.signer else "any key"
            return _fault(event, f"it is not signed with {named}", "a signature of its hash")
        first = event.actor not in {name for use in self.keys.values() for name in use.names}
        if first and self._pinned.get(event.actor, event.signer) != event.signer:
            wrong = f"it is signed with {event.signer[:16]}..., which is not the key that is known"
            return _fault(event, wrong, f"{self._pinned[event.actor][:16]}...")
        use = self.keys.setdefault(event.signer, KeyUse())
        use.count += 1
        use.names.add(event.actor)
        return ""

    def _let_happen(self, event: RecordedEvent) -> str:
        try:
            fault = self._collisions.fault(event)
            apply_law(self.rows, event)
        except VolitionError as error:
            problem = error.problems[0]
            return _fault(event, problem.what, problem.expected)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return _fault(
                event, f"its details cannot be read: {type(error).__name__}: {error}", "the details of such an event"
            )
        self._collisions.follow(event)
        self._follow_requests(event)
        return _fault(event, fault, "a plan that nothing is in the way of") if fault else ""

    def _follow_requests(self, event: RecordedEvent) -> None:
        if event.what == "claimed":
            self.claims.setdefault(event.subject, set()).add(event.body["fence"])
        if event.what.startswith("node ") and "request" in event.body:
            said, request = event.body, event.body["request"]
            state = said.get("outcome") or event.what.removeprefix("node ")
            if state in {"sent", "asked", "notified"} or request in self.requests:
                self.requests[request] = SentRequest(event.subject, said["node"], state, said.get("result", ""))


def _fault(event: RecordedEvent, what: str, expected: str) -> str:
    by = "the clock" if event.actor == CLOCK else event.actor
    return (
        f"event {event.seq} ({event.what} {event.subject}, by {by} at {moment(event.at)}): {what}; expected {expected}"
    )
