"""Whether the journals of drivers agree with the events: what crossed a door was sent for a node, and what came back is what
was recorded.

A driver that dies between an answer and its record leaves an answer that no event tells of; the next driver asks again.
So a journal may know more than the events as long as a node is open, and never the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, select

from volition.core.canonical import canonical
from volition.core.errors import VolitionError
from volition.execution.journal.entries import read_journal
from volition.execution.journal.records import Attempt
from volition.execution.journal.verification import verify_journal
from volition.workflow.flow.dispatch import order_for
from volition.workflow.law.bindings import Binding, parse_bindings
from volition.workflow.store.tables import FLOW, NODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from volition.execution import RequestMark
    from volition.workflow.verification.replay import EventReplay, SentRequest

_MAY_FOLLOW_SUCCESS = frozenset({"asked", "done", "sent", "unknown"})
"""What events may say of a request that an executor answered with SUCCESS."""


class JournalComparison:
    """Compares one journal after the other with the events of a project."""

    def __init__(self, connection: Connection, replay: EventReplay) -> None:
        self.faults: list[str] = []
        self._project, self._replay = replay.project, replay
        self._bound = _bindings(connection, replay.project)
        self._results: dict[str, set[str]] = {}

    def read(self, folder: str | PathLike[str]) -> None:
        """Compare every request in a journal with what the events say of it."""
        try:
            verified = verify_journal(folder)
            if not verified.intact:
                why = verified.unlawful[0] if verified.unlawful else str(verified.ledger).partition("\n")[0]
                self.faults.append(f"the journal {folder} is broken: {why}")
                return
            for entry in read_journal(folder):
                record = entry.record
                if isinstance(record, Attempt) and record.sent is not None and record.mark is not None:
                    self._compare(record, record.mark, str(folder))
        except VolitionError as error:
            self.faults.append(f"the journal {folder} cannot be read: {error.problems[0].what}")

    def finish(self) -> None:
        """After all journals: every result that an executor gave by the events must be in one of them."""
        for request, sent in sorted(self._replay.requests.items()):
            binding = self._bound.get((sent.flow_id, sent.node_id))
            by_executor = sent.result and binding is not None and binding.action == "intent"
            if by_executor and sent.result not in self._results.get(request, ()):
                self.faults.append(f"no journal has the result of {sent.node_id} of {sent.flow_id}")

    def _compare(self, attempt: Attempt, mark: RequestMark, folder: str) -> None:
        if not mark.resource.startswith(f"{self._project}/"):
            return
        sent = self._replay.requests.get(mark.request)
        if sent is None:
            self.faults.append(f"{folder} has the request {mark.request[:12]}..., and no event says that it was sent")
            return
        self.faults += [f"{folder}: {sent.node_id} of {sent.flow_id} {what}" for what in self._mark_faults(mark, sent)]
        if attempt.answered:
            self._results.setdefault(mark.request, set()).add(canonical(attempt.result.to_data()).decode())
            if attempt.result.status == "SUCCESS" and sent.state not in _MAY_FOLLOW_SUCCESS:
                contradiction = f"was done, and the events say {sent.state}"
                self.faults.append(f"{folder}: {sent.node_id} of {sent.flow_id} {contradiction}")

    def _mark_faults(self, mark: RequestMark, sent: SentRequest) -> list[str]:
        faults = []
        binding = self._bound.get((sent.flow_id, sent.node_id))
        order = None if binding is None else order_for(binding, mark.request, mark.token, self._project, sent.flow_id)
        if order is None or (mark.digest, mark.resource) != (order.digest, order.resource):
            faults.append("was sent as something else than it is bound to")
        if mark.token not in self._replay.claims.get(sent.flow_id, ()):
            faults.append(f"was sent under {mark.token}, which no driver had")
        return faults


def journal_faults(connection: Connection, replay: EventReplay, folders: Iterable[str | PathLike[str]]) -> list[str]:
    """What is wrong with the journals of the drivers of a project, which must be all of them; nothing if none is given."""
    chosen = list(folders)
    comparison = JournalComparison(connection, replay)
    for folder in chosen:
        comparison.read(folder)
    if chosen:
        comparison.finish()
    return list(dict.fromkeys(comparison.faults))  # what was asked for twice is one fault


def _bindings(connection: Connection, project: str) -> Mapping[tuple[str, str], Binding]:
    """The binding of every node of a project."""
    wanted = (
        select(NODE.c.flow_id, NODE.c.node_id, NODE.c.binding, FLOW.c.bindings)
        .join(FLOW, FLOW.c.flow_id == NODE.c.flow_id)
        .where(FLOW.c.project == project)
    )
    rows: list[Row[Any]] = list(connection.execute(wanted))
    return {(row.flow_id, row.node_id): parse_bindings(row.bindings).by_name(row.binding) for row in rows}
