"""What the verbs of a flow share: finding it in a turn, seeing that its plans are what they were, taking a result."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, select

from volition.core.errors import NotPossible, did_you_mean, refuse
from volition.workflow.flow.bindings import parse_bindings
from volition.workflow.flow.nodes import advance, compensate, move_node, nodes_of
from volition.workflow.flow.requests import request_id
from volition.workflow.flow.status import find_flow
from volition.workflow.store.tables import PLAN
from volition.workflow.team.ending import OPEN_FLOWS
from volition.workflow.team.registration import OPEN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from volition.workflow.store.turn import Turn
    from volition.workflow.team.team import Team


class WorldMoved(NotPossible):
    """What was asked or approved is no longer what is: a plan ended or changed, or the time is over."""


def world_moved(what: str, where: str) -> WorldMoved:
    """The error for a world that has moved on."""
    return WorldMoved.of(
        what,
        where=where,
        expected="plans, questions and permits that are as they were",
        remedy="see volition flow status, and start another flow with the plans as they are now",
    )


def need_exactly(noun: str, hash: str, exactly: str | None, flow_id: str) -> None:
    """Refuse what was meant for other content than what is stored: `exactly` is the beginning of the hash that was seen."""
    if exactly is not None and not (len(exactly) >= 8 and hash.startswith(exactly)):
        raise world_moved(f"the {noun} is {hash[:16]}..., not {exactly}", flow_id)


@contextmanager
def on_flow(team: Team, flow_id: str) -> Iterator[tuple[Turn, Row[Any]]]:
    """A turn, and the flow in it."""
    with team.turn(flows=True) as turn:
        yield turn, find_flow(turn.connection, team.project, flow_id)


def need_state(flow: Row[Any], states: Iterable[str], verb: str) -> None:
    """Refuse what cannot be done with a flow in its state."""
    wanted = list(states)
    if flow.state not in wanted:
        why = f" ({flow.reason})" if flow.reason else ""
        raise NotPossible.of(
            f"the flow is {flow.state}{why}, so it cannot be {verb}",
            where=flow.flow_id,
            expected=f"a flow that is {' or '.join(wanted)}",
            remedy="see volition flow status",
        )


def node_of(turn: Turn, flow: Row[Any], node_id: str) -> Row[Any]:
    """One node of a flow; InvalidInput if there is none of this id."""
    nodes = {node.node_id: node for node in nodes_of(turn.connection, flow.flow_id)}
    if node_id not in nodes:
        refuse(
            f"there is no node {node_id!r}", where=flow.flow_id, expected="a node", remedy=did_you_mean(node_id, nodes)
        )
    return nodes[node_id]


def check_unchanged(
    turn: Turn, plans: Iterable[tuple[str, str, int]], flow_id: str = "", *, states: Collection[str] = OPEN
) -> dict[str, Row[Any]]:
    """The rows of plans, each with its checksum and token, in one of some states; WorldMoved if one is not as it was."""
    found: dict[str, Row[Any]] = {}
    for plan_id, checksum, token in plans:
        wanted = select(PLAN).where(PLAN.c.project == turn.project, PLAN.c.plan_id == plan_id)
        row = turn.connection.execute(wanted).first()
        if row is None or row.state not in states:
            raise world_moved(f"{plan_id} is {row.state if row else 'missing'}", flow_id or plan_id)
        if (row.checksum, row.token) != (checksum, token):
            raise world_moved(f"{plan_id} was revised or granted again", flow_id or plan_id)
        found[plan_id] = row
    return found


def take_result(
    turn: Turn,
    flow: Row[Any],
    node: Row[Any],
    outcome: str,
    by: str,
    *,
    result: str = "",
    detail: str = "",
    retry: bool = True,
) -> None:
    """Record the result of a node, and let the flow go on: again after a definite failure where the binding allows it,
    with those that waited for it, or with what undoes its plan."""
    binding = parse_bindings(flow.bindings).by_name(node.binding)
    is_open = flow.state in OPEN_FLOWS
    if outcome == "failed" and retry and is_open and node.state == "sent" and node.attempt <= binding.retries:
        attempt = node.attempt + 1
        request = request_id(flow.flow_id, flow.graph_hash, node.node_id, attempt)
        move_node(turn, node, "ready", by, attempt=attempt, request=request, detail=detail)
    else:
        move_node(turn, node, outcome, by, result=result, detail=detail)
        if outcome == "failed" and is_open and binding.failure == "compensate" and node.kind == "command":
            compensate(turn, flow, node, by)
    if is_open:
        advance(turn, flow.flow_id, by)
