"""Whether what was granted could be granted: every plan is judged again, against all that were open at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.canonical import canonical
from volition.governance import ConflictIndex
from volition.workflow.law.members import settings_of
from volition.workflow.law.plans import is_grave
from volition.workflow.law.rules import read_plan, rules_of
from volition.workflow.store.rows import FlowPlanRow, PlanRow
from volition.workflow.team.registration import collision_data

if TYPE_CHECKING:
    from volition.governance import IntentDocument
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.verification.judgements import VersionCheck
    from volition.workflow.verification.replayed import ReplayedRows


class CollisionCheck:
    """Follows the active plans of a replay and the line of those that wait, and judges every plan again, by the rules of that
    moment: it meets all active plans, and those that have waited longer."""

    def __init__(self, rows: ReplayedRows, versions: VersionCheck) -> None:
        self._rows, self._versions = rows, versions
        self._rules = ("", "")
        self._active, self._line = ConflictIndex(), ConflictIndex()

    def fault(self, event: RecordedEvent) -> str:
        """Why what is about to be said of a plan cannot be said; empty if it can."""
        if event.what not in {"granted", "waiting"}:
            return ""
        if "flow" in event.body:
            return self._flow_fault(event)
        if fault := self._versions.fault(event.body["judgement"]):
            return fault
        before = self._rows.find(PlanRow, event.subject)
        document = event.body.get("document") or (before.document if before else "")
        if not document or not self._versions.judges(event.body["judgement"]):
            return ""
        met = self._collisions(read_plan(document))
        if sorted(map(canonical, met)) == sorted(map(canonical, event.body["collisions"])):
            return ""
        if event.what == "granted" and (others := _others(met)):
            return f"it collides gravely with {', '.join(others)}"
        found = "; ".join(f"{each['rule']} on {each['resource']}" for each in met)
        return f"its collisions are {found or 'none'}, and others are recorded"

    def _flow_fault(self, event: RecordedEvent) -> str:
        """Why a person could not grant a plan with a flow: its collisions with plans outside were not settled there."""
        plan = self._rows.find(PlanRow, event.subject)
        parts = self._rows.all(FlowPlanRow, flow_id=event.body["flow"])
        together = {part.plan_id for part in parts if part.fate != "left_out"}
        met = self._collisions(read_plan(plan.document)) if plan is not None else []
        outside = [name for name in _others(met) if name not in together]
        return f"it collides gravely with {', '.join(outside)}, outside the flow" if outside else ""

    def follow(self) -> None:
        """Take what the last event has done to plans into account."""
        for plan in self._rows.changed:
            if isinstance(plan, PlanRow):
                self._refresh()
                for index, state in ((self._active, "active"), (self._line, "waiting")):
                    if plan.plan_id in index:
                        index.remove(plan.plan_id)
                    if plan.state == state:
                        index.add(read_plan(plan.document))

    def _collisions(self, intent: IntentDocument) -> list[dict[str, Any]]:
        self._refresh()
        found = [collision_data(each) for each in self._active.check(intent)]
        own = self._rows.find(PlanRow, intent.id)
        place = own.token if own is not None and own.state == "waiting" else None
        mine = self._line.check(read_plan(own.document)) if own is not None and own.state == "active" else ()
        behind = {name for each in mine for name in each.intent_ids}  # they wait for this very plan
        for each in self._line.check(intent):
            earlier = [name for name in each.intent_ids if place is None or self._place_of(name) < place]
            if earlier := [name for name in earlier if name not in behind]:
                found.append(collision_data(each) | {"plans": earlier})
        return found

    def _place_of(self, plan_id: str) -> int:
        plan = self._rows.find(PlanRow, plan_id)
        assert plan is not None
        return plan.token

    def _refresh(self) -> None:
        project = settings_of(self._rows)
        if (project.policy, project.env) != self._rules:
            # Rules change only while no plan is open.
            self._rules = (project.policy, project.env)
            self._active, self._line = (ConflictIndex(*rules_of(*self._rules)) for _ in range(2))


def _others(collisions: list[dict[str, Any]]) -> list[str]:
    """The plans that are gravely in the way."""
    return sorted({name for each in collisions if is_grave(each) for name in each["plans"]})
