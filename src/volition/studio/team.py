"""A team's registry as a page shows it: open plans, flows, and what waits for a person, who may act by their own name and key."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

import volition.workflow as workflow  # noqa: PLR0402  from the root comes __version__ alone
from volition.core.document import parse_json
from volition.core.errors import NotPossible, Problem, refuse
from volition.core.extras import require
from volition.studio.acts import ActShape, registry_acts
from volition.studio.errors import NoSuch, NotAllowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.studio.actor import StudioActor


LISTED: Final = 100
"""How many flows are listed, the newest first; those that wait for an answer always are."""
Project = Annotated[str, Meta(min_length=1, max_length=128)]
Hash = Annotated[str, Meta(min_length=8, max_length=128)]
Act = Literal["claim", "answer", "approve"]
_OF_ROLE: Final[dict[str, list[Act]]] = {
    "": ["claim"],
    "member": ["claim"],
    "approver": ["claim", "answer", "approve"],
    "keeper": ["claim", "answer", "approve"],
}


class TeamMe(Struct, frozen=True):
    """The person as whom this studio acts."""

    name: str
    """The name under which everything is recorded."""
    role: str
    """The role in the project; empty for who has not acted there yet."""
    may: list[Act]
    """What this person may do in the project: claim by registering a plan, answer questions, approve flows."""
    problem: Problem | None
    """Why nothing may be done here, and what to do about it."""


class TeamPlan(Struct, frozen=True):
    """An open plan: active, or in line."""

    id: str
    """The id of the plan."""
    title: str
    """Its title."""
    holder: str
    """Who holds it."""
    state: str
    """`active`, or `waiting` in line."""
    lease_until: float
    """When its lease ends, in seconds since 1970."""


class TeamAction(Struct, frozen=True):
    """What is done for one command of a plan, in words."""

    node: str
    """The node of the execution graph; empty while questions are open."""
    plan: str
    """The id of its plan."""
    title: str
    """The title of its plan."""
    command: str
    """The id of the command."""
    words: str
    """What is done for it."""


class TeamFlow(Struct, frozen=True):
    """A flow: plans on their way to being done together."""

    id: str
    """The id of the flow."""
    state: str
    """Where it is: `asked`, `judged`, `approved`, `running`, `held`, `done`, `void`, `abandoned` or `refused`."""
    reason: str
    """Why it is there, in words; empty where nothing has to be said."""
    plans: dict[str, str]
    """Whether each plan is kept, by its id."""
    titles: dict[str, str]
    """The titles of all its plans, by their ids."""
    question_pack: Any
    """The document that waits for an answer; null where nothing does."""
    answer_until: float | None
    """When the question that nobody has answered is over, in seconds since 1970."""
    seconds_left: float | None
    """How long an open question still waits; null where none is open."""
    expired: bool
    """Whether nobody answered in time."""
    graph_hash: str
    """What an approval is bound to; empty before there is anything to approve."""
    may: list[Act]
    """What the person of this studio may do with it now."""
    nodes: dict[str, int]
    """How many nodes are in each state."""
    actions: list[TeamAction]
    """What is to be approved, or what every command is bound to while questions are open."""


class TeamShape(Struct, frozen=True):
    """A project of a registry. Without a registry all is empty."""

    registry: str | None
    """The name of the registry; null where the studio has none."""
    projects: list[str]
    """All projects of the registry."""
    project: str | None
    """The project that is shown."""
    me: TeamMe | None
    """The person as whom this studio acts."""
    plans: list[TeamPlan]
    """The open plans."""
    flows: list[TeamFlow]
    """The flows, the newest first."""
    left_out: int
    """How many older flows are not listed."""


class TeamAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to the open questions of a flow, by the person as whom the studio acts."""

    project: Project
    """The project of the flow."""
    checksum: Hash
    """The checksum of the question pack that was shown; for another one the answer is refused."""
    choices: Annotated[dict[str, str], Meta(max_length=1000)]
    """The chosen options: question id -> option id."""


class TeamApproval(Struct, frozen=True, forbid_unknown_fields=True):
    """The permission to do what a flow shows, by the person as whom the studio acts."""

    project: Project
    """The project of the flow."""
    graph_hash: Hash
    """The hash that was shown; for another one the approval is refused."""


class TeamClaim(Struct, frozen=True, forbid_unknown_fields=True):
    """A plan to register, held by the person as whom the studio acts."""

    project: Project
    """The project of the plan."""
    plan: dict[str, Any]
    """The plan: an intent document."""
    lease: Annotated[float, Meta(ge=1, le=30 * 86400)] = 900.0
    """How many seconds it is held, unless it is renewed."""
    wait: bool = False
    """Whether it is put in line where it collides with others."""


class TeamClaimed(Struct, frozen=True):
    """What became of a plan that was registered."""

    plan: str
    """The id of the plan."""
    outcome: str
    """`granted`, `waiting` in line, or `refused`."""
    token: int | None
    """The number by which its holder renews and finishes it; null where it is refused."""
    lease_until: float | None
    """When its lease ends, in seconds since 1970; null where it is not granted."""
    obstacles: list[str]
    """What is in its way, in words."""


class TeamRegistry:
    """The registry of a team, opened for one look or one act; without an address there is none."""

    def __init__(self, address: str | None, actor: StudioActor) -> None:
        self._address = address
        self.actor = actor

    def show(self, project: str | None) -> TeamShape:
        """A project of the registry: the one that is named, or the first."""
        if self._address is None:
            return TeamShape(None, [], None, None, [], [], 0)
        with _open_store(self._address) as store:
            team, projects = _find_team(store, project)
            plans = team.list() if team else ()
            flows = workflow.Flows(team).list() if team else ()
            listed = [flow for n, flow in enumerate(reversed(flows)) if n < LISTED or flow.pack is not None]
            return TeamShape(
                registry=Path(self._address).name if store.address.kind == "sqlite" else str(store.address),
                projects=projects,
                project=None if team is None else team.project,
                me=self._me(team),
                plans=[_plan(plan) for plan in plans if plan.state in {"active", "waiting"}],
                flows=[] if team is None else self._flows(team, listed),
                left_out=len(flows) - len(listed),
            )

    def answer(self, flow_id: str, answer: TeamAnswer) -> TeamFlow:
        """Record an answer to what was shown; refused if that is no longer what is asked."""
        with self._acting(answer.project, "flow", flow_id) as team:
            flows = workflow.Flows(team)
            found = flows.answer(flow_id, answer.choices, self.actor.name, exactly=answer.checksum)
            return self._flows(team, [found])[0]

    def approve(self, flow_id: str, approval: TeamApproval) -> TeamFlow:
        """Permit what was shown; refused if that is no longer what would be done."""
        with self._acting(approval.project, "flow", flow_id) as team:
            found = workflow.Flows(team).approve(flow_id, self.actor.name, exactly=approval.graph_hash)
            return self._flows(team, [found])[0]

    def claim(self, claim: TeamClaim) -> TeamClaimed:
        """Register a plan."""
        with self._acting(claim.project, "project", claim.project) as team:
            content = msgspec.json.encode(claim.plan)
            made = team.register(content, self.actor.name, lease=claim.lease, wait=claim.wait)
            granted = made.grant
            token = granted.token if granted else made.place or None
            until = granted.lease_until / 1000 if granted else None
            return TeamClaimed(made.plan_id, made.outcome, token, until, [each.because for each in made.obstacles])

    def acts(self, project: str | None, most: int) -> list[ActShape]:
        """What people did in a project, the newest first."""
        if self._address is None:
            return []
        with _open_store(self._address) as store:
            team, _ = _find_team(store, project)
            return [] if team is None else registry_acts(team, most)

    @contextmanager
    def _acting(self, project: str, kind: str, id: str) -> Iterator[workflow.Team]:
        """A project in which the person of this studio acts, and signs; NotAllowed where they may not."""
        if self._address is None:
            raise NoSuch.id(kind, id, [])
        with _open_store(self._address, self.actor) as store:
            from volition.workflow.law.members import NotEntitled, WrongSigner  # noqa: PLC0415  SQLAlchemy is optional

            team, _ = _find_team(store, project)
            assert team is not None
            try:
                yield team
            except (NotEntitled, WrongSigner) as error:
                raise NotAllowed(*error.problems) from None

    def _me(self, team: workflow.Team | None) -> TeamMe:
        """Who the person of this studio is in a project, and what they may do there."""
        name, problem = self.actor.name, self.actor.problem()
        members = {} if team is None else {each.name: each for each in workflow.Members(team).list()}
        member = members.get(name)
        role = member.role if member else ""
        if problem is None and member and member.key not in {"", self.actor.signer().public}:
            what = f"the name {name!r} belongs to another key"
            remedy = (
                "act in another name with VOLITION_HOLDER, or bring that key here and name its file in VOLITION_KEY"
            )
            problem = Problem(what, "the key of this user", "the key of this name", remedy)
        refused = not role and bool(members) and team and workflow.Members(team).settings()["newcomers"] == "refused"
        return TeamMe(name, role, [] if problem or refused else _OF_ROLE[role], problem)

    def _flows(self, team: workflow.Team, flows: Sequence[workflow.FlowStatus]) -> list[TeamFlow]:
        from volition.workflow.team.work import find_work  # noqa: PLC0415  SQLAlchemy is optional

        with team.store.read() as connection:
            now = team.store.clock(connection)
        titles = {plan.plan_id: _title(plan) for plan in team.list()}
        may = set(self._me(team).may)
        open_to_me = {each.flow_id: each.kind for each in find_work(team, self.actor.name).decisions}
        return [_flow(flow, now, titles, [act for act in sorted(may) if open_to_me.get(flow.flow_id) == act]) for flow in flows]  # fmt: skip


@contextmanager
def _open_store(registry: str, actor: StudioActor | None = None) -> Iterator[workflow.Store]:
    """The registry, which must be there: looking at one makes none. Only an actor signs."""
    require("sqlalchemy", "cryptography")
    address = workflow.parse_store_address(registry)
    if address.kind == "sqlite" and not Path(address.place).exists():
        expected, remedy = "a registry", "register a plan, which makes it, or name another one"
        refuse("there is no registry", where=Path(registry).name, expected=expected, remedy=remedy)
    with workflow.Store(address, signer=_no_signer if actor is None else actor.signer()) as store:
        yield store


def _no_signer() -> workflow.Signer:
    raise NotPossible.of("this only looks", where="the registry", expected="nothing to sign", remedy="report this")


def _find_team(store: workflow.Store, project: str | None) -> tuple[workflow.Team | None, list[str]]:
    """The team of a project, or of the first one, None where there is none; and all projects."""
    from volition.workflow.store.database import list_projects  # noqa: PLC0415  SQLAlchemy is optional

    projects = list_projects(store)
    if project is not None and project not in projects:
        raise NoSuch.id("project", project, projects)
    chosen = project or (projects[0] if projects else None)
    return (None if chosen is None else workflow.Team(store, chosen)), projects


def _title(plan: workflow.RegisteredPlan) -> str:
    return str(parse_json(plan.document)["title"])


def _plan(plan: workflow.RegisteredPlan) -> TeamPlan:
    return TeamPlan(plan.plan_id, _title(plan), plan.holder, plan.state, plan.lease_until / 1000)


def _flow(flow: workflow.FlowStatus, now: int, titles: dict[str, str], may: list[Act]) -> TeamFlow:
    until = flow.asked_until
    return TeamFlow(
        id=flow.flow_id,
        state=flow.state,
        reason=flow.reason,
        plans=flow.plans,
        titles={plan: titles[plan] for plan in flow.plans if plan in titles},
        question_pack=flow.pack,
        answer_until=until / 1000 if until else None,
        seconds_left=max(0, until - now) / 1000 if flow.pack is not None else None,
        expired=flow.pack is None and 0 < until <= now,
        graph_hash=flow.graph_hash,
        may=may,
        nodes=dict(Counter(node.state for node in flow.nodes)),
        actions=[TeamAction(each.node_id, each.plan_id, each.title, each.command_id, each.words) for each in flow.actions],
    )  # fmt: skip
