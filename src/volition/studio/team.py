"""A team's registry, opened for one look or one answer. Loads SQLAlchemy, so it is imported when it is first needed."""

from __future__ import annotations

import getpass
import os
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from volition.core.document import parse_json
from volition.core.errors import refuse
from volition.studio.errors import NoSuch
from volition.studio.shapes.team import TeamAction, TeamFlow, TeamPlan, TeamShape
from volition.workflow import Flows, Store, Team, parse_store_address
from volition.workflow.store.database import list_projects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.studio.shapes.team import TeamAnswer
    from volition.workflow import FlowStatus, RegisteredPlan

LISTED: Final = 100
"""How many flows are listed, the newest first; those that wait for an answer always are."""


def show_team(registry: str, project: str | None) -> TeamShape:
    """A project of a registry: the one that is named, or the first."""
    with _open_registry(registry) as store:
        projects = list_projects(store)
        if project is not None and project not in projects:
            raise NoSuch.id("project", project, projects)
        chosen = project or (projects[0] if projects else None)
        team = None if chosen is None else Team(store, chosen)
        plans = team.list() if team else ()
        flows = Flows(team).list() if team else ()
        listed = [flow for n, flow in enumerate(reversed(flows)) if n < LISTED or flow.pack is not None]
        return TeamShape(
            registry=Path(registry).name if store.address.kind == "sqlite" else str(store.address),
            projects=projects,
            project=chosen,
            by=os.environ.get("VOLITION_HOLDER") or getpass.getuser(),
            plans=[_plan(one) for one in plans if one.state in {"active", "waiting"}],
            flows=[_flow(one) for one in listed],
            left_out=len(flows) - len(listed),
        )


def answer_flow(registry: str, flow_id: str, given: TeamAnswer) -> TeamFlow:
    """Record a person's answer to what was shown; refused if that is no longer what is asked."""
    with _open_registry(registry) as store:
        projects = list_projects(store)
        if given.project not in projects:
            raise NoSuch.id("project", given.project, projects)
        flows = Flows(Team(store, given.project))
        return _flow(flows.answer(flow_id, given.choices, given.by, exactly=given.checksum))


@contextmanager
def _open_registry(registry: str) -> Iterator[Store]:
    """The registry, which must be there: looking at one makes none."""
    address = parse_store_address(registry)
    if address.kind == "sqlite" and not Path(address.place).exists():
        expected, remedy = "a registry", "register a plan, which makes it, or name another one"
        refuse("there is no registry", where=Path(registry).name, expected=expected, remedy=remedy)
    with Store(address) as store:
        yield store


def _plan(plan: RegisteredPlan) -> TeamPlan:
    title = parse_json(plan.document)["title"]
    return TeamPlan(plan.plan_id, title, plan.holder, plan.state, plan.lease_until / 1000)


def _flow(flow: FlowStatus) -> TeamFlow:
    nodes = Counter(node.state for node in flow.nodes)
    actions = [TeamAction(each.node_id, each.plan_id, each.title, each.command_id, each.words) for each in flow.actions]
    return TeamFlow(flow.flow_id, flow.state, flow.reason, flow.plans, flow.pack, dict(nodes), actions)
