"""Whether what was over had ended: nobody does anything while a lease, a question or a permit is over of which no event says so.

Every transaction ends first what the time has ended, so a record in which somebody acts on what was over was not written by transactions.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from volition.workflow.law.plans import flows_relying_on
from volition.workflow.law.states import DRIVEN, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.events import CLOCK
from volition.workflow.store.rows import FlowRow, PermitRow, PlanRow, QuestionRow
from volition.workflow.verification.replayed import date_of

if TYPE_CHECKING:
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import StoredRow
    from volition.workflow.verification.replayed import ReplayedRows


class _Due(NamedTuple):
    """When something is over, unless it changes before."""

    at: int
    table: str
    key: tuple[str, ...]


class DueCheck:
    """Follows everything in a replay that ends by time."""

    def __init__(self, rows: ReplayedRows) -> None:
        self._rows = rows
        self._dues: list[_Due] = []

    def fault(self, event: RecordedEvent) -> str:
        """What should have ended before an event that is about to happen; empty if nothing should."""
        if event.actor == CLOCK:
            return ""
        while self._dues and self._dues[0].at <= event.at:
            due = heappop(self._dues)
            if self._is_open(due):
                return f"the {due.table} {due.key[0]} was over at {date_of(due.at)}, and no event says so"
        return ""

    def follow(self) -> None:
        """Take what the last event has changed into account."""
        for row in self._rows.changed:
            until = _end_of(row)
            if until is not None:
                heappush(self._dues, _Due(until, row.TABLE, row.key))

    def _is_open(self, due: _Due) -> bool:
        """Whether it still ends then, and has not ended. What an approved flow keeps alive is put again when that ends."""
        if due.table == PlanRow.TABLE:
            plan = self._rows.find(PlanRow, *due.key)
            return plan is not None and _end_of(plan) == due.at and not flows_relying_on(self._rows, due.key[0], DRIVEN)
        kind = QuestionRow if due.table == QuestionRow.TABLE else PermitRow
        row, flow = self._rows.find(kind, *due.key), self._rows.find(FlowRow, due.key[0])
        return row is not None and _end_of(row) == due.at and flow is not None and flow.state in OPEN_FLOWS


def _end_of(row: StoredRow) -> int | None:
    """When a row is over by time; None if it is not open."""
    match row:
        case PlanRow(state=state, lease_until=until) if state in OPEN_PLANS:
            return until
        case QuestionRow(state="open", expires_at=until) | PermitRow(state="valid", expires_at=until):
            return until
    return None
