"""The replay: all events of a project happen again in memory, by the same law, one after the other.

An event is a fault if it is missing or changed, is not signed or with another key, comes at an impossible time, or is unlawful;
the message says which, by whom, when, and what was expected. After an unlawful event, what follows is not judged: it may only
follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import VolitionError
from volition.core.signing import is_signed
from volition.workflow.law.members import settings_of
from volition.workflow.law.table import apply_law
from volition.workflow.store.events import ORIGIN, event_hash, moment, read_event
from volition.workflow.store.files import checkpoint_rows
from volition.workflow.store.rows import EventRow, MemberRow, ProjectRow
from volition.workflow.verification.checks import (
    ArchiveCheck,
    CollisionCheck,
    DeadlineCheck,
    JudgementCheck,
    VersionCheck,
)
from volition.workflow.verification.tables import ReplayedRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.core.ledger import Anchor
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import CheckpointRow

AHEAD: Final = 60_000
"""How far, in milliseconds, an event may be ahead of the clock of whoever verifies."""
_NUMBERS: Final = frozenset({"seq", "at"})


@dataclass(slots=True)
class KeyUse:
    """What one key has signed: how many events, and in which names."""

    count: int = 0
    names: set[str] = field(default_factory=set)


class SentRequest(Struct, frozen=True):
    """What was sent for a node under one request, and what the last event says of it."""

    flow_id: str
    node_id: str
    state: str
    result: str = ""


class EventReplay:
    """Everything that follows from the events of a project. `pinned` are public keys that are known from elsewhere.

    It begins after the `checkpoint` where one is given. `remarks` are lawful and still worth a look: the clock was set back, somebody
    was given a key by somebody else, or what would be checked is in an archive.
    """

    def __init__(
        self,
        project: str,
        now: int,
        anchor: Anchor | None,
        pinned: Mapping[str, str],
        checkpoint: CheckpointRow | None = None,
    ) -> None:
        self.project = project
        self.rows = ReplayedRows(project)
        self.rows.put(ProjectRow(project=project, head=ORIGIN))
        self.seq, self.head, self.at = 0, ORIGIN, 0
        self.faults: list[str] = []
        self.remarks: list[str] = []
        self.keys: dict[str, KeyUse] = {}
        self.requests: dict[str, SentRequest] = {}
        self.claims: dict[str, set[int]] = {}
        self._now, self._anchor, self._pinned = now, anchor, pinned
        self._names: set[str] = set()
        self._ahead = ""
        self._versions = VersionCheck()
        self._deadlines = DeadlineCheck(self.rows)
        self._collisions = CollisionCheck(self.rows, self._versions)
        self._judgements = JudgementCheck(self.rows, self._versions)
        self.archives = ArchiveCheck(self.rows)
        self._earlier: frozenset[str] = frozenset()
        if checkpoint is not None:
            self._begin_after(checkpoint)

    @property
    def not_judged(self) -> int:
        """How many plans and flows were judged by another version."""
        return self._versions.not_judged

    def mark(self, seal: str = "") -> None:
        """An archive ends here; its seal, if the file is known."""
        self.rows.put(replace(settings_of(self.rows), seq=self.seq, head=self.head, at=self.at))
        self.archives.mark(self.seq, self.head, seal)

    def _begin_after(self, checkpoint: CheckpointRow) -> None:
        """Begin with the rows of a checkpoint, as if all events before it had happened."""
        try:
            rows = checkpoint_rows(checkpoint)
            self.rows.begin_after(rows, checkpoint.through)
            self._deadlines.follow()
            self._collisions.follow()
        except VolitionError as error:
            self.faults.append(f"{error.problems[0].what}; expected {error.problems[0].expected}")
            return
        self.seq, self.head, self.at = checkpoint.through, checkpoint.head, settings_of(self.rows).at
        self._earlier = frozenset(row.name for row in self.rows.all(MemberRow))
        self.mark()
        if self._anchor is not None and self._anchor.count == self.seq and self._anchor.hash != self.head:
            self.faults.append(
                f"event {self.seq}, or one before it, was rewritten: the anchor has another hash; expected {self._anchor.hash[:16]}..."
            )

    def read(self, events: Iterable[EventRow]) -> None:
        """Let events happen, until one is a fault."""
        for row in events:
            if fault := self._read_row(row):
                self.faults.append(fault)
                return

    def _read_row(self, row: EventRow) -> str:
        if fault := self._chain_fault(row):
            return fault
        try:
            event = read_event(row)
        except VolitionError as error:
            return (
                f"event {row.seq} ({row.what} {row.subject}, by {row.actor}): {error.problems[0].what}; expected JSON"
            )
        return self._time_fault(event) or self._key_fault(event, row.signature) or self._let_happen(event)

    def end_faults(self, seq: int, head: str) -> list[str]:
        """What is wrong with the end of the record: the project, or the anchor, counts other events; it is ahead of the clock; or
        somebody whose key is known has done nothing."""
        faults = []
        if (seq, head) != (self.seq, self.head):
            faults.append(f"the project counts {seq} events, and {self.seq} are here; expected one for each")
        if self._anchor is not None and self._anchor.count > self.seq:
            faults.append(
                f"the anchor counts {self._anchor.count} events, and {self.seq} are here; expected all of them"
            )
        faults += [self._ahead] if self._ahead else []
        faults += [
            f"no event is signed by {name}, whose key is known; expected some with {self._pinned[name][:16]}..."
            for name in sorted(self._pinned.keys() - self._names - self._earlier)
        ]
        self._note_archived()
        self.rows.put(replace(settings_of(self.rows), seq=self.seq, head=self.head, at=self.at))
        return faults

    def _note_archived(self) -> None:
        """Say what could not be checked, because it is in an archive that was not given."""
        began = self.rows.began
        if began:
            self.remarks.append(f"the archive: the events up to {began} are in it, and were not checked; give it too")
        if self._anchor is not None and self._anchor.count < began:
            self.remarks.append(f"the anchor: event {self._anchor.count} is in the archive, and was not compared")
        self.remarks += [
            f"the key of {name}: the first event in this name is in the archive, and was not compared"
            for name in sorted(self._pinned.keys() & self._earlier)
        ]

    def _chain_fault(self, row: EventRow) -> str:
        seq = self.seq + 1
        if row.seq != seq:
            return f"event {seq} is missing; the next one is {row.seq}"
        for name in EventRow.__struct_fields__:
            kind, noun = (int, "a number") if name in _NUMBERS else (str, "a text")
            if not isinstance(getattr(row, name), kind):
                return f"event {seq} was changed: its {name} is {getattr(row, name)!r}; expected {noun}"
        try:
            head = event_hash(self.head, row)
        except VolitionError as error:
            return f"event {seq} was changed: {error.problems[0].what}; expected {error.problems[0].expected}"
        if row.hash != head:
            event = f"{row.what} {row.subject}, by {row.actor} at {moment(row.at)}"
            return f"event {seq} was changed, or one before it ({event}): its hash is {row.hash[:16]}...; expected {head[:16]}..."
        self.seq, self.head = seq, head
        if self._anchor is not None and self._anchor.count == seq and self._anchor.hash != head:
            return f"event {seq}, or one before it, was rewritten: the anchor has another hash; expected {self._anchor.hash[:16]}..."
        return ""

    def _time_fault(self, event: RecordedEvent) -> str:
        before, self.at = self.at, event.at
        if event.what == "set back":
            # What came before it is in the future of a clock that was ahead, and says so.
            self._ahead = ""
            by = ", ".join(sorted(self.keys[event.signer].names)) if event.signer in self.keys else "nobody known"
            self.remarks.append(f"{event}: the clock was set back from {moment(before)}; noticed by the key of {by}")
            if event.at >= before:
                return _fault(event, "the clock was not set back", f"a time before {moment(before)}")
        elif event.at < before and self.seq > 1:
            return _fault(
                event, f"it is earlier than the event before it, at {moment(before)}", "a clock that was not set back"
            )
        if event.at > self._now + AHEAD and not self._ahead:
            self._ahead = _fault(event, "it is in the future", f"a time up to {moment(self._now)}")
        return ""

    def _key_fault(self, event: RecordedEvent, signature: str) -> str:
        if not event.signer or not is_signed(event.hash, event.signer, signature):
            named = f"the key {event.signer[:16]}..." if event.signer else "any key"
            return _fault(event, f"it is not signed with {named}", "a signature of its hash")
        known = self._pinned.get(event.actor, event.signer)
        if event.actor not in self._names | self._earlier and known != event.signer:
            wrong = f"it is signed with {event.signer[:16]}..., which is not the key that is known to be theirs"
            return _fault(event, wrong, f"that the first event of {event.actor} is signed with {known[:16]}...")
        self._names.add(event.actor)
        use = self.keys.setdefault(event.signer, KeyUse())
        use.count += 1
        use.names.add(event.actor)
        return ""

    def _let_happen(self, event: RecordedEvent) -> str:
        self.rows.begin(event)
        try:
            if what := self._deadlines.fault(event):
                return _fault(event, what, "that it ends first, by the clock")
            fault = self._judge_again(event)
            apply_law(self.rows, event)
        except VolitionError as error:
            problem = error.problems[0]
            return _fault(event, problem.what, problem.expected)
        except Exception as error:  # noqa: BLE001  nothing that somebody wrote may keep others from verifying it
            what = f"its details cannot be read: {type(error).__name__}: {error}"
            return _fault(event, what, "the details of such an event")
        if what := self.archives.fault(event):
            return _fault(event, what, "what the archive is")
        self._deadlines.follow()
        self._collisions.follow()
        self._follow_requests(event)
        self._follow_keys(event)
        return _fault(event, fault, "what its plans lead to, judged by the rules of that moment") if fault else ""

    def _judge_again(self, event: RecordedEvent) -> str:
        """What is wrong with a judgement; what cannot be judged at all is left to the law."""
        try:
            return self._collisions.fault(event) or self._judgements.fault(event)
        except (KeyError, TypeError, AttributeError):
            return ""

    def _follow_requests(self, event: RecordedEvent) -> None:
        if event.what == "claimed":
            self.claims.setdefault(event.subject, set()).add(event.body["fence"])
        if event.what.startswith("node ") and "request" in event.body:
            body, request = event.body, event.body["request"]
            state = body.get("outcome") or event.what.removeprefix("node ")
            if state in {"sent", "asked", "notified"} or request in self.requests:
                self.requests[request] = SentRequest(event.subject, body["node"], state, body.get("result", ""))

    def _follow_keys(self, event: RecordedEvent) -> None:
        if event.what in {"key", "key revoked"} and event.subject != event.actor:
            did = f"was given the key {event.body['key'][:16]}..." if event.what == "key" else "lost their key"
            self.remarks.append(f"{event}: {event.subject} {did} by {event.actor}")


def _fault(event: RecordedEvent, what: str, expected: str) -> str:
    return f"{event}: {what}; expected {expected}"
