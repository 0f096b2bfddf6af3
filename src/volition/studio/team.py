"""A team's registry as a page shows it: open plans, flows, and the questions that wait for a person."""

from __future__ import annotations

import getpass
import os
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta, Struct

import volition.workflow as workflow  # noqa: PLR0402  from the root comes __version__ alone
from volition.core.document import parse_json
from volition.core.errors import refuse
from volition.core.extras import require
from volition.studio.errors import NoSuch

if TYPE_CHECKING:
    from collections.abc import Iterator


LISTED: Final = 100
"""How many flows are listed, the newest first; those that wait for an answer always are."""


class TeamPlan(Struct, frozen=True):
    """An open plan: active, or in line. `lease_until` is in seconds since 1970."""

    id: str
    title: str
    holder: str
    state: str
    lease_until: float


class TeamAction(Struct, frozen=True):
    """What is done for one command of a plan, in words; `node` is empty while questions are open."""

    node: str
    plan: str
    title: str
    command: str
    words: str


class TeamFlow(Struct, frozen=True):
    """A flow. `question_pack` is the document that waits for an answer, None where nothing does; `plans` says of each plan
    whether it is kept."""

    id: str
    state: str
    reason: str
    plans: dict[str, str]
    question_pack: Any
    nodes: dict[str, int]
    """How many nodes are in each state."""
    actions: list[TeamAction]
    """What is to be approved, or what every command is bound to while questions are open."""


class TeamShape(Struct, frozen=True):
    """A project of a registry. Without a registry all is empty; `left_out` counts the older flows that are not listed."""

    registry: str | None
    projects: list[str]
    project: str | None
    by: str
    """The name under which an answer is recorded unless another one is given."""
    plans: list[TeamPlan]
    flows: list[TeamFlow]
    left_out: int


class TeamAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """A person's answer to the open questions of a flow: question id -> option id. `checksum` is that of the question pack
    that was shown; for another one the answer is refused."""

    project: Annotated[str, Meta(min_length=1, max_length=128)]
    checksum: Annotated[str, Meta(min_length=8, max_length=128)]
    choices: dict[str, str]
    by: Annotated[str, Meta(min_length=1, max_length=128)]


class TeamRegistry:
    """The registry of a team, opened for one look or one answer; without an address there is none."""

    def __init__(self, address: str | None) -> None:
        self._address = address

    def show(self, project: str | None) -> TeamShape:
        """A project of the registry: the one that is named, or the first."""
        if self._address is None:
            return TeamShape(None, [], None, "", [], [], 0)
        with _open_store(self._address) as store:
            team, projects = _find_team(store, project)
            plans = team.list() if team else ()
            flows = workflow.Flows(team).list() if team else ()
            listed = [flow for n, flow in enumerate(reversed(flows)) if n < LISTED or flow.pack is not None]
            return TeamShape(
                registry=Path(self._address).name if store.address.kind == "sqlite" else str(store.address),
                projects=projects,
                project=None if team is None else team.project,
                by=os.environ.get("VOLITION_HOLDER") or getpass.getuser(),
                plans=[_plan(plan) for plan in plans if plan.state in {"active", "waiting"}],
                flows=[_flow(flow) for flow in listed],
                left_out=len(flows) - len(listed),
            )

    def answer(self, flow_id: str, answer: TeamAnswer) -> TeamFlow:
        """Record a person's answer to what was shown; refused if that is no longer what is asked."""
        if self._address is None:
            raise NoSuch.id("flow", flow_id, [])
        with _open_store(self._address) as store:
            team, _ = _find_team(store, answer.project)
            assert team is not None
            flows = workflow.Flows(team)
            return _flow(flows.answer(flow_id, answer.choices, answer.by, exactly=answer.checksum))


@contextmanager
def _open_store(registry: str) -> Iterator[workflow.Store]:
    """The registry, which must be there: looking at one makes none."""
    require("sqlalchemy", "cryptography")
    address = workflow.parse_store_address(registry)
    if address.kind == "sqlite" and not Path(address.place).exists():
        expected, remedy = "a registry", "register a plan, which makes it, or name another one"
        refuse("there is no registry", where=Path(registry).name, expected=expected, remedy=remedy)
    with workflow.Store(address) as store:
        yield store


def _find_team(store: workflow.Store, project: str | None) -> tuple[workflow.Team | None, list[str]]:
    """The team of a project, or of the first one, None where there is none; and all projects."""
    from volition.workflow.store.database import list_projects  # noqa: PLC0415  SQLAlchemy is optional

    projects = list_projects(store)
    if project is not None and project not in projects:
        raise NoSuch.id("project", project, projects)
    chosen = project or (projects[0] if projects else None)
    return (None if chosen is None else workflow.Team(store, chosen)), projects


def _plan(plan: workflow.RegisteredPlan) -> TeamPlan:
    title = parse_json(plan.document)["title"]
    return TeamPlan(plan.plan_id, title, plan.holder, plan.state, plan.lease_until / 1000)


def _flow(flow: workflow.FlowStatus) -> TeamFlow:
    nodes = Counter(node.state for node in flow.nodes)
    actions = [TeamAction(each.node_id, each.plan_id, each.title, each.command_id, each.words) for each in flow.actions]
    return TeamFlow(flow.flow_id, flow.state, flow.reason, flow.plans, flow.pack, dict(nodes), actions)
