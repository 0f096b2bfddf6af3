"""Whether what was granted could be granted: every plan is judged again, against all that were open at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.governance import ConflictIndex
from volition.workflow.law.members import settings_of
from volition.workflow.law.rules import read_plan, rules_of
from volition.workflow.store.rows import PlanRow
from volition.workflow.team.evidence import grave_collisions
from volition.workflow.team.registration import JUDGEMENT

if TYPE_CHECKING:
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import Rows


class CollisionCheck:
    """Follows the active plans of a replay, and judges every grant again, by the rules of that moment.

    Plans that were judged by another version of the rules are not judged again: it may have seen other collisions.
    """

    def __init__(self, rows: Rows) -> None:
        self.not_judged = 0
        self._rows = rows
        self._rules = ("", "")
        self._index = ConflictIndex()

    def fault(self, event: RecordedEvent) -> str:
        """Why a grant that is about to happen could not be given; empty if it could."""
        if event.what != "granted" or "flow" in event.body:
            return ""
        if event.body.get("judgement") != JUDGEMENT:
            self.not_judged += 1
            return ""
        before = self._rows.find(PlanRow, event.subject)
        document = event.body.get("document") or (before.document if before else "")
        grave = grave_collisions(self._index_now().check(read_plan(document)))
        others = sorted({name for each in grave for name in each.intent_ids})
        return f"it collides gravely with {', '.join(others)}" if others else ""

    def follow(self, event: RecordedEvent) -> None:
        """Take what has happened to a plan into account."""
        plan = self._rows.find(PlanRow, event.subject)
        if plan is not None and plan.seq == event.seq:
            index = self._index_now()
            if plan.plan_id in index:
                index.remove(plan.plan_id)
            if plan.state == "active":
                index.add(read_plan(plan.document))

    def _index_now(self) -> ConflictIndex:
        project = settings_of(self._rows)
        if (project.policy, project.env) != self._rules:
            # Rules change only while no plan is open.
            self._rules = (project.policy, project.env)
            self._index = ConflictIndex(*rules_of(*self._rules))
        return self._index
