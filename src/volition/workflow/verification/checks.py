"""What a replay checks beside the law: that nobody acted on what was over, that every plan and flow is judged as it was then, and
that archives end as the events say."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from volition.core.canonical import canonical
from volition.governance import ConflictIndex
from volition.workflow.law.judgement import (
    Judgement,
    answers_of,
    finished_among,
    judge_again,
    judge_together,
    known_as_done,
    prerequisites_of,
    read_plan,
    rules_of,
    store_judgement,
)
from volition.workflow.law.members import settings_of
from volition.workflow.law.plans import flows_relying_on, is_grave
from volition.workflow.law.states import DRIVEN, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.events import CLOCK, moment
from volition.workflow.store.files import rows_digest
from volition.workflow.store.rows import FlowPlanRow, FlowRow, PermitRow, QuestionRow, RegisteredPlan
from volition.workflow.team.registration import JUDGEMENT, JUDGEMENTS, collision_data

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance import IntentDocument
    from volition.governance.live.index import Collision
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import StoredRow
    from volition.workflow.verification.tables import ReplayedRows


class _Deadline(NamedTuple):
    """When something is over, unless it changes before."""

    at: int
    table: str
    key: tuple[str, ...]


class DeadlineCheck:
    """Follows everything in a replay that ends by time."""

    def __init__(self, rows: ReplayedRows) -> None:
        self._rows = rows
        self._deadlines: list[_Deadline] = []

    def fault(self, event: RecordedEvent) -> str:
        """What should have ended before an event that is about to happen; empty if nothing should."""
        if event.actor == CLOCK:
            return ""
        while self._deadlines and self._deadlines[0].at <= event.at:
            deadline = heappop(self._deadlines)
            if self._is_open(deadline):
                return f"the {deadline.table} {deadline.key[0]} was over at {moment(deadline.at)}, and no event says so"
        return ""

    def follow(self) -> None:
        """Take what the last event has changed into account."""
        for row in self._rows.changed:
            until = _end_of(row)
            if until is not None:
                heappush(self._deadlines, _Deadline(until, row.TABLE, row.key))

    def _is_open(self, deadline: _Deadline) -> bool:
        """Whether it still ends then, and has not ended. What an approved flow keeps alive is put again when that ends."""
        if deadline.table == RegisteredPlan.TABLE:
            plan = self._rows.find(RegisteredPlan, *deadline.key)
            return (
                plan is not None
                and _end_of(plan) == deadline.at
                and not flows_relying_on(self._rows, deadline.key[0], DRIVEN)
            )
        kind = QuestionRow if deadline.table == QuestionRow.TABLE else PermitRow
        row, flow = self._rows.find(kind, *deadline.key), self._rows.find(FlowRow, deadline.key[0])
        return row is not None and _end_of(row) == deadline.at and flow is not None and flow.state in OPEN_FLOWS


def _end_of(row: StoredRow) -> int | None:
    """When a row is over by time; None if it is not open."""
    match row:
        case RegisteredPlan(state=state, lease_until=until) if state in OPEN_PLANS:
            return until
        case QuestionRow(state="open", expires_at=until) | PermitRow(state="valid", expires_at=until):
            return until
    return None


class VersionCheck:
    """Follows by which version of the rules things were judged: only what this program knows is judged again, and nobody goes back."""

    def __init__(self) -> None:
        self.not_judged = 0
        """How many judgements are of an older version, so that they cannot be repeated."""
        self._newest = 0

    def fault(self, version: str) -> str:
        """Why something cannot have been judged by a version: it is unknown, or older than one before; empty if it can."""
        if version not in JUDGEMENTS:
            return f"it was judged by version {version!r} of the rules, and this program knows {', '.join(JUDGEMENTS)}"
        place = JUDGEMENTS.index(version)
        if place < self._newest:
            return f"it was judged by version {version!r} of the rules, after {JUDGEMENTS[self._newest]!r} was in use"
        self._newest = place
        return ""

    def judges(self, version: str) -> bool:
        """Whether what was judged by a version is judged again; counted if it is not."""
        self.not_judged += version != JUDGEMENT
        return version == JUDGEMENT


class JudgementCheck:
    """Judges the flows of a replay again."""

    def __init__(self, rows: ReplayedRows, versions: VersionCheck) -> None:
        self._rows, self._versions = rows, versions

    def fault(self, event: RecordedEvent) -> str:
        """Why what is about to be said of a flow does not follow from its plans; empty if it does."""
        if event.what not in {"asked", "judged", "nothing to do", "reworded"}:
            return ""
        if fault := self._versions.fault(event.body["judgement"]):
            return fault
        flow = self._rows.find(FlowRow, event.subject)
        if flow is None or not self._versions.judges(event.body["judgement"]):
            return ""
        if event.what == "reworded":
            stored = judge_again(self._rows, flow)
            same = stored is not None and (stored.graph, stored.merged) == (event.body["graph"], event.body["merged"])
            return "" if same else "its plans lead to another graph"
        return _difference(event, flow, self._judge(flow))

    def _judge(self, flow: FlowRow) -> Judgement:
        parts = self._rows.all(FlowPlanRow, flow_id=flow.flow_id)
        plans = [read_plan(part.document) for part in parts]
        done = known_as_done(flow.set_document)
        if not flow.set_document:
            done = tuple(sorted(finished_among(self._rows, prerequisites_of(plans[0]))))
        return judge_together(plans, *rules_of(flow.policy, flow.env), answers_of(self._rows, flow.flow_id), done=done)


def _difference(event: RecordedEvent, flow: FlowRow, judged: Judgement) -> str:
    """What an event says of a flow that the judgement does not; empty if they agree."""
    body = event.body
    if judged.set_document != flow.set_document:
        return "it was started with another set of plans"
    expected = "judged" if judged.graph is not None else "asked" if judged.pack is not None else "nothing to do"
    if event.what != expected:
        return f"by its plans and answers it is {expected!r}"
    if event.what == "asked":
        return "" if body["pack"] == msgspec.json.encode(judged.pack).decode() else "its plans lead to other questions"
    if event.what == "nothing to do":
        why = judged.reason or "nothing is to be done"
        return "" if body["why"] == why else f"the reason is {why!r}"
    stored = store_judgement(judged)
    if body["plans"] != dict(judged.fates):
        return f"the fates of its plans are {dict(judged.fates)}"
    return "" if (stored.graph, stored.merged) == (body["graph"], body["merged"]) else "its plans lead to another graph"


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
        before = self._rows.find(RegisteredPlan, event.subject)
        document = event.body.get("document") or (before.document if before else "")
        if not document or not self._versions.judges(event.body["judgement"]):
            return ""
        met = self._collisions(read_plan(document))
        if sorted(map(_canonical, met)) == sorted(map(canonical, event.body["collisions"])):
            return ""
        if event.what == "granted" and (others := _others(met)):
            return f"it collides gravely with {', '.join(others)}"
        collisions = "; ".join(f"{each.rule} on {each.resource}" for each in met)
        return f"its collisions are {collisions or 'none'}, and others are recorded"

    def _flow_fault(self, event: RecordedEvent) -> str:
        """Why a person could not grant a plan with a flow: its collisions with plans outside were not settled there."""
        plan = self._rows.find(RegisteredPlan, event.subject)
        parts = self._rows.all(FlowPlanRow, flow_id=event.body["flow"])
        together = {part.plan_id for part in parts if part.fate != "left_out"}
        met = self._collisions(read_plan(plan.document)) if plan is not None else []
        outside = [name for name in _others(met) if name not in together]
        return f"it collides gravely with {', '.join(outside)}, outside the flow" if outside else ""

    def follow(self) -> None:
        """Take what the last event has done to plans into account."""
        for plan in self._rows.changed:
            if isinstance(plan, RegisteredPlan):
                self._refresh()
                for index, state in ((self._active, "active"), (self._line, "waiting")):
                    if plan.plan_id in index:
                        index.remove(plan.plan_id)
                    if plan.state == state:
                        index.add(read_plan(plan.document))

    def _collisions(self, intent: IntentDocument) -> list[Collision]:
        self._refresh()
        met = list(self._active.check(intent))
        own = self._rows.find(RegisteredPlan, intent.id)
        place = own.token if own is not None and own.state == "waiting" else None
        mine = self._line.check(read_plan(own.document)) if own is not None and own.state == "active" else ()
        behind = {name for each in mine for name in each.intent_ids}  # they wait for this very plan
        for each in self._line.check(intent):
            earlier = (name for name in each.intent_ids if place is None or self._place_of(name) < place)
            if names := tuple(name for name in earlier if name not in behind):
                met.append(msgspec.structs.replace(each, intent_ids=names))
        return met

    def _place_of(self, plan_id: str) -> int:
        plan = self._rows.find(RegisteredPlan, plan_id)
        assert plan is not None
        return plan.token

    def _refresh(self) -> None:
        project = settings_of(self._rows)
        if (project.policy, project.env) != self._rules:
            # Rules change only while no plan is open.
            self._rules = (project.policy, project.env)
            self._active, self._line = (ConflictIndex(*rules_of(*self._rules)) for _ in range(2))


def _others(collisions: Iterable[Collision]) -> list[str]:
    """The plans that are gravely in the way."""
    return sorted({name for each in collisions if is_grave(each) for name in each.intent_ids})


def _canonical(collision: Collision) -> bytes:
    return canonical(collision_data(collision))


class _ArchiveEnd(msgspec.Struct, frozen=True):
    """What is known of a project after the last event of an archive; the seal only if the file was given."""

    head: str
    rows: str
    seal: str


class ArchiveCheck:
    """Follows where archives end in a replay, and what `archived` events say of them."""

    def __init__(self, rows: ReplayedRows) -> None:
        self._rows = rows
        self._ends: dict[int, _ArchiveEnd] = {}
        self.told: set[int] = set()
        """Where archives end of which an event tells."""

    def mark(self, seq: int, head: str, seal: str) -> None:
        """An archive ends here."""
        self._ends[seq] = _ArchiveEnd(head, rows_digest(self._rows.every()), seal)

    def fault(self, event: RecordedEvent) -> str:
        """What a lawful event says of an archive that is not so; empty if there is nothing."""
        if event.what != "archived":
            return ""
        body, through = event.body, event.body["through"]
        self.told.add(through)
        end = self._ends.get(through)
        if end is None:
            return f"event {through} is still here" if through > self._rows.began else ""
        if body["head"] != end.head:
            return f"the archive ends with the hash {end.head[:16]}..., and not with {body['head'][:16]}..."
        if body["rows"] != end.rows:
            return f"the rows after event {through} have the hash {end.rows[:16]}..., and not {body['rows'][:16]}..."
        if end.seal and body["seal"] != end.seal:
            return f"the archive has the seal {end.seal[:16]}..., and not {body['seal'][:16]}..."
        return ""
