"""What time, and the end and the revision of plans bring about: leases that are over, flows that are void or keep their permit, and
the line that moves up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, exists, literal, literal_column, select, union_all

from volition.core.errors import VolitionError
from volition.workflow.law.flows import why_void
from volition.workflow.law.judgement import StoredJudgement, judge_again, read_plan
from volition.workflow.law.nodes import goes_on, nodes_of, passed_nodes, why_held
from volition.workflow.law.permit import hash_of_actions, work_of
from volition.workflow.law.plans import flows_relying_on
from volition.workflow.law.states import DRIVEN, OPEN_FLOWS, OPEN_PLANS
from volition.workflow.store.events import CLOCK
from volition.workflow.store.rows import FlowPlanRow, FlowRow, QuestionRow, RegisteredPlan
from volition.workflow.store.tables import FLOW, FLOW_PLAN, PERMIT, PLAN, QUESTION
from volition.workflow.team.registration import JUDGEMENT, collision_data, grave_collisions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.live.index import Collision
    from volition.workflow.law.transaction import ProjectTransaction
    from volition.workflow.store.rows import Rows
    from volition.workflow.team.live import LiveIndex


_KEPT: Final = exists().where(
    FLOW_PLAN.c.plan_id == PLAN.c.plan_id, FLOW_PLAN.c.fate == "kept", FLOW.c.flow_id == FLOW_PLAN.c.flow_id,
    FLOW.c.project == PLAN.c.project, FLOW.c.state.in_(DRIVEN),
)  # fmt: skip
_DUE: Final = union_all(
    select(literal("plan").label("kind"), PLAN.c.plan_id.label("name"), PLAN.c.lease_until.label("at"))
    .where(PLAN.c.project == bindparam("of"), PLAN.c.lease_until <= bindparam("until"), ~_KEPT)
    # The states are written out, because a partial index is used only for those that it names.
    .where(PLAN.c.state.in_([literal_column(f"'{state}'") for state in OPEN_PLANS])),
    *(
        select(literal("flow"), FLOW.c.flow_id, table.c.expires_at)
        .join(table, table.c.flow_id == FLOW.c.flow_id)
        .where(FLOW.c.project == bindparam("of"), FLOW.c.state.in_(OPEN_FLOWS))
        .where(table.c.state == state, table.c.expires_at <= bindparam("until"))
        for table, state in ((QUESTION, "open"), (PERMIT, "valid"))
    ),
)
"""Everything that the time has ended, or ends soon, and that no event tells of yet."""
AHEAD: Final = 5_000
"""How far a sweep looks ahead, in milliseconds: until then, nothing is due that it has not seen, if nothing new happens."""
CALM: Final = frozenset(
    {
        "claimed", "left", "running", "held", "node sent", "node asked", "node unsent", "node done", "node failed",
        "node unknown", "node ready", "node notified",
    }
)  # fmt: skip
"""Events after which nothing is due earlier: they give no lease, ask nothing, permit nothing, and end no flow."""
_WAITING: Final = (
    select(PLAN.c.plan_id)
    .where(PLAN.c.project == bindparam("of"), PLAN.c.state == "waiting")
    .where(PLAN.c.state.in_([literal_column(f"'{state}'") for state in OPEN_PLANS]))
    .limit(1)
)


class Sweeper:
    """Ends everything whose time is over. It looks at what will be due next, so it need not look at every transaction of a driver."""

    def __init__(self, live: LiveIndex) -> None:
        self._live = live
        self.forget()

    def forget(self) -> None:
        """Know nothing."""
        self._head, self._calm_until = "", 0

    def sweep(self, transaction: ProjectTransaction) -> bool:
        """End everything whose time is over, and say whether there was anything."""
        if transaction.head == self._head and transaction.before <= transaction.now < self._calm_until:
            return False
        before = transaction.seq
        if transaction.now < transaction.before:
            transaction.record("set back", transaction.project, CLOCK)
            transaction.flush()
        soon = transaction.connection.execute(_DUE, {"of": transaction.project, "until": transaction.now + AHEAD}).all()
        due = [row for row in soon if row.at <= transaction.now]
        plans = sorted(row.name for row in due if row.kind == "plan")
        for plan_id in plans:
            transaction.record("expired", plan_id, CLOCK)
            void_flows(transaction, plan_id, CLOCK)
        for flow_id in sorted(row.name for row in due if row.kind == "flow"):
            void_flow(transaction, flow_id, CLOCK)
        if due:
            move_line_up(transaction, self._live, CLOCK)
        self._head, self._calm_until = transaction.head, min([transaction.now + AHEAD, *(row.at for row in soon)])
        return transaction.seq != before

    def follow(self, transaction: ProjectTransaction) -> None:
        """See what a transaction that was committed has changed."""
        if transaction.recorded <= CALM:
            self._head = transaction.head
        else:
            self.forget()


def void_flows(transaction: ProjectTransaction, plan_id: str, by: str) -> None:
    """Void the flows that rely on a plan which is not what it was, in the same transaction."""
    for flow in flows_relying_on(transaction.rows, plan_id):
        void_flow(transaction, flow.flow_id, by)


def void_flow(transaction: ProjectTransaction, flow_id: str, by: str) -> None:
    """Void a flow if what it relies on has changed or is over.

    Its questions are closed, its permit is void, and nothing more is sent. What was sent is not recalled: its result is still
    recorded.
    """
    flow = transaction.rows.find(FlowRow, flow_id)
    if flow is not None and flow.state in OPEN_FLOWS and (why := why_void(transaction.rows, flow, transaction.now)):
        transaction.record("void", flow_id, by, why=why)


def move_line_up(transaction: ProjectTransaction, live: LiveIndex, by: str) -> None:
    """Grant the waiting plans whose way has become free, first come first."""
    transaction.flush()
    if transaction.connection.execute(_WAITING, {"of": transaction.project}).first() is None:
        return  # without a line nobody needs the index
    for plan_id in live.line(transaction):
        plan = transaction.rows.find(RegisteredPlan, plan_id)
        if plan is None or plan.state != "waiting":
            continue
        collisions = live.collisions(transaction, read_plan(plan.document))
        if not grave_collisions(collisions):
            grant_from_line(transaction, plan, collisions, by, plan.lease_ms)


def grant_from_line(
    transaction: ProjectTransaction, plan: RegisteredPlan, collisions: Iterable[Collision], by: str, lease_ms: int
) -> None:
    """Grant a plan that waited, with the content and the token that it has."""
    transaction.record(
        "granted", plan.plan_id, by, checksum=plan.checksum, token=plan.token, lease_ms=lease_ms,
        lease_until=transaction.now + lease_ms, judgement=JUDGEMENT, collisions=[collision_data(each) for each in collisions],
    )  # fmt: skip


def settle_flow(transaction: ProjectTransaction, flow_id: str, by: str) -> None:
    """See whether a flow is done, held or running, after a change of its nodes."""
    flow = transaction.rows.find(FlowRow, flow_id)
    if flow is None or flow.state not in DRIVEN:
        return
    going = goes_on(transaction.rows, flow)
    if len(passed_nodes(transaction.rows, flow)) == len(nodes_of(transaction.rows, flow_id)):
        transaction.record("done", flow_id, by)
    elif flow.state == "running" and not going:
        transaction.record("held", flow_id, by, why=why_held(transaction.rows, flow))
    elif flow.state == "held" and going:
        transaction.record("running", flow_id, by)


def reword_flows(transaction: ProjectTransaction, plan_id: str, by: str) -> None:
    """Keep the judged flows with a plan that was revised, where they would do exactly the same with it as it is now; the
    others are void, with the reason."""
    for flow in flows_relying_on(transaction.rows, plan_id):
        judged = _judge_reworded(transaction.rows, flow, plan_id)
        if isinstance(judged, StoredJudgement):
            transaction.record(
                "reworded",
                flow.flow_id,
                by,
                plan=plan_id,
                graph=judged.graph,
                merged=judged.merged,
                judgement=JUDGEMENT,
            )
        else:
            transaction.record("void", flow.flow_id, by, why=f"{plan_id} was revised: {judged}")


def _judge_reworded(rows: Rows, flow: FlowRow, plan_id: str) -> StoredJudgement | str:
    """The judgement of a flow with a plan in other words, or why it cannot stay as it is."""
    plan, part = rows.find(RegisteredPlan, plan_id), rows.find(FlowPlanRow, flow.flow_id, plan_id)
    assert plan is not None
    assert part is not None
    if flow.state == "asked":
        return "its question was about the plan as it was"
    if work_of(plan.document) != work_of(part.document):
        return "what it claims, its commands or their order are others"
    try:
        judged = judge_again(rows, flow)
    except VolitionError as error:
        return error.problems[0].what
    if judged is None:
        asked = bool(rows.all(QuestionRow, flow_id=flow.flow_id))
        return "it leads to other questions than those that were answered" if asked else "it is judged otherwise"
    if hash_of_actions(judged.graph, flow.bindings, flow.policy, flow.env) != flow.graph_hash:
        return "what would be done is not what was judged"
    return judged
