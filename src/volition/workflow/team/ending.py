"""How an open plan ends, and what ends with it: the flows that rely on it are void in the same transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Row, bindparam, literal, literal_column, select, union_all, update

from volition.workflow.store.tables import FLOW, FLOW_PLAN, NODE, PERMIT, PLAN, QUESTION
from volition.workflow.store.turn import CLOCK, Turn
from volition.workflow.team.registration import NEXT_OF_PLAN, OPEN, PlanState

if TYPE_CHECKING:
    from collections.abc import Sequence


CUT: Final = 15_000
"""What is left of the lease of a driver when the clock is set back, in milliseconds."""
OPEN_FLOWS = ("asked", "judged", "approved", "running", "held")
"""The states of a flow that relies on its plans."""

_OVER: Final = (
    select(PLAN)
    .where(PLAN.c.project == bindparam("of"), PLAN.c.lease_until <= bindparam("now"))
    .where(PLAN.c.state.in_([literal_column(f"'{state}'") for state in OPEN]))
    .order_by(PLAN.c.plan_id)
)
"""The states are written out, because a partial index is used only for those that it names."""


_TOO_LATE: Final = union_all(
    *(
        select(FLOW.c.flow_id, literal(why))
        .join(table, table.c.flow_id == FLOW.c.flow_id)
        .where(FLOW.c.project == bindparam("of"), FLOW.c.state.in_(OPEN_FLOWS))
        .where(table.c.state == state, table.c.expires_at <= bindparam("now"))
        for table, state, why in (
            (QUESTION, "open", "nobody answered in time"),
            (PERMIT, "valid", "the permit is over"),
        )
    )
)


def sweep(turn: Turn) -> bool:
    """Expire every open plan whose lease is over, and say whether there was one.

    A lease never lasts longer than its length from now, so one that a clock which went back would prolong is cut.
    """
    if turn.now < turn.before:
        _cut_leases(turn)
    ended = turn.connection.execute(_OVER, {"of": turn.project, "now": turn.now}).all()
    for row in ended:
        end_plan(turn, row, "expired", CLOCK)
    return bool(ended)


def _cut_leases(turn: Turn) -> None:
    """After the clock was set back: no plan is held longer than it asked for, and no flow by a driver that is gone."""
    longest = turn.now + PLAN.c.lease_ms
    plans = (PLAN.c.project == turn.project, PLAN.c.state.in_(OPEN), PLAN.c.lease_until > longest)
    turn.connection.execute(update(PLAN).where(*plans).values(lease_until=longest))
    flows = (FLOW.c.project == turn.project, FLOW.c.lease_until > turn.now + CUT)
    turn.connection.execute(update(FLOW).where(*flows).values(lease_until=turn.now + CUT))


def sweep_flows(turn: Turn) -> bool:
    """Void every open flow whose question or permit is over, and say whether there was one."""
    ended = turn.connection.execute(_TOO_LATE, {"of": turn.project, "now": turn.now}).all()
    for flow_id, why in ended:
        close_flow(turn, flow_id, "void", why, CLOCK)
    return bool(ended)


def end_plan(turn: Turn, row: Row[Any], state: PlanState, by: str, **said: Any) -> int:
    """End an open plan; returns the number of the event."""
    assert state in NEXT_OF_PLAN[row.state]
    seq = turn.record(state, row.plan_id, by, token=row.token, checksum=row.checksum, **said)
    turn.connection.execute(
        update(PLAN).where(PLAN.c.project == turn.project, PLAN.c.plan_id == row.plan_id).values(state=state, seq=seq)
    )
    if state not in {"finished", "superseded"}:
        void_flows(turn, row.plan_id, f"{row.plan_id} is {state}", by)
    return seq


def void_flows(turn: Turn, plan_id: str, why: str, by: str) -> None:
    """Void the open flows that rely on a plan.

    Their questions are closed, their permits void, and nothing more is sent. What was sent is not recalled: its result
    is still recorded.
    """
    for flow in flows_relying_on(turn, plan_id):
        close_flow(turn, flow.flow_id, "void", why, by)


def flows_relying_on(turn: Turn, plan_id: str) -> Sequence[Row[Any]]:
    """The open flows that rely on a plan."""
    relying = (
        select(FLOW)
        .join(FLOW_PLAN, FLOW_PLAN.c.flow_id == FLOW.c.flow_id)
        .where(FLOW.c.project == turn.project, FLOW.c.state.in_(OPEN_FLOWS), FLOW_PLAN.c.plan_id == plan_id)
        .where(FLOW_PLAN.c.fate == "kept")
        .order_by(FLOW.c.number)
    )
    return turn.connection.execute(relying).all()


def close_flow(turn: Turn, flow_id: str, state: str, why: str, by: str) -> None:
    """Close a flow: no question, no permit and no node of it is open afterwards, except what was sent."""
    run = turn.connection.execute
    run(update(FLOW).where(FLOW.c.flow_id == flow_id).values(state=state, reason=why))
    run(update(QUESTION).where(QUESTION.c.flow_id == flow_id, QUESTION.c.state == "open").values(state="void"))
    run(update(PERMIT).where(PERMIT.c.flow_id == flow_id, PERMIT.c.state == "valid").values(state="void"))
    open_nodes = (NODE.c.flow_id == flow_id, NODE.c.state.in_(("blocked", "ready")))
    run(update(NODE).where(*open_nodes).values(state="skipped", detail=why))
    turn.record(state, flow_id, by, why=why)
