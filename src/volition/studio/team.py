"""A team's registry as a page shows it: open plans, flows, and what waits for a person, who may act by their own name and key."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

import volition.workflow as workflow  # noqa: PLR0402  from the root comes __version__ alone
from volition.core.document import parse_json
from volition.core.errors import NotPossible, VolitionError
from volition.core.extras import require
from volition.studio.actor import belongs_to_another
from volition.studio.acts import ActShape, registry_acts
from volition.studio.errors import NoSuch, NotAllowed, hide_root
from volition.studio.refusals import find_journal, midnight, refused_since
from volition.studio.team_plans import open_plans
from volition.studio.team_shapes import TeamAction, TeamClaimed, TeamFlow, TeamMe, TeamShape

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from volition.studio.actor import StudioActor
    from volition.studio.team_shapes import Act, TeamAnswer, TeamApproval, TeamClaim

T = TypeVar("T")

LISTED: Final = 100
"""How many flows are listed, the newest first; those that wait for an answer always are."""
_OF_ROLE: Final[dict[str, list[Act]]] = {
    "": ["claim"],
    "member": ["claim"],
    "approver": ["claim", "answer", "approve"],
    "keeper": ["claim", "answer", "approve"],
}


class TeamRegistry:
    """The registry of a team, opened for one look or one act; without an address there is none. The guard's journal is looked for
    in the repository of `folder`."""

    def __init__(self, address: str | None, actor: StudioActor, folder: Path) -> None:
        self._address = address
        self.actor = actor
        self._folder = folder

    def show(self, project: str | None) -> TeamShape:
        """A project of the registry: the one that is named, or the first."""
        journal = find_journal(self._folder)
        guarded, refusals = journal is not None, refused_since(journal, midnight()) if journal else []
        if self._address is None:
            return TeamShape(None, [], None, None, [], [], 0, guarded, refusals)
        with open_registry(self._address) as store:
            team, projects = find_team(store, project)
            plans = team.list() if team else ()
            flows = workflow.Flows(team).list() if team else ()
            listed = [flow for n, flow in enumerate(reversed(flows)) if n < LISTED or flow.pack is not None]
            return TeamShape(
                registry=Path(self._address).name if store.address.kind == "sqlite" else str(store.address),
                projects=projects,
                project=None if team is None else team.project,
                me=self._me(team),
                plans=open_plans(team, plans) if team else [],
                flows=[] if team is None else self._flows(team, listed),
                left_out=len(flows) - len(listed),
                guarded=guarded,
                refusals=refusals,
            )

    def each_project(self, work: Callable[[workflow.Team, TeamMe], list[T]]) -> list[T]:
        """What a function finds in every project, with the person of this studio as they are there."""
        if self._address is None:
            return []
        with open_registry(self._address) as store:
            teams = [workflow.Team(store, project) for project in find_team(store, None)[1]]
            return [item for team in teams for item in work(team, self._me(team))]

    def in_project(self, project: str | None, work: Callable[[workflow.Team], T]) -> T:
        """What a function finds in one project."""
        if self._address is None:
            raise NoSuch.id("project", str(project), [])
        with open_registry(self._address) as store:
            team, _ = find_team(store, project)
            assert team is not None
            return work(team)

    def keys_of(self, names: Collection[str]) -> dict[str, set[str]]:
        """The keys with which these names have signed in the registry, and were not revoked since; of others nothing is known."""
        if self._address is None or not names:
            return {}
        from volition.workflow.team.members import signing_keys  # noqa: PLC0415  SQLAlchemy is optional

        with open_registry(self._address) as store:
            return signing_keys(store, names)

    def last_events(self) -> tuple[tuple[str, int], ...]:
        """The number of the last event of every project: it rises with every change."""
        if self._address is None:
            return ()
        with open_registry(self._address) as store, store.read() as connection:
            from sqlalchemy import select  # noqa: PLC0415  it is optional

            from volition.workflow.store.tables import PROJECT  # noqa: PLC0415

            return tuple((row.project, row.seq) for row in connection.execute(select(PROJECT.c.project, PROJECT.c.seq)))

    def answer(self, flow_id: str, answer: TeamAnswer) -> TeamFlow:
        """Record an answer to what was shown; refused if that is no longer what is asked."""
        with self._acting(answer.project, "flow", flow_id) as team:
            flows = workflow.Flows(team)
            flow = flows.answer(flow_id, answer.choices, self.actor.name, exactly=answer.checksum)
            return self._flows(team, [flow])[0]

    def approve(self, flow_id: str, approval: TeamApproval) -> TeamFlow:
        """Permit what was shown; refused if that is no longer what would be done."""
        with self._acting(approval.project, "flow", flow_id) as team:
            flow = workflow.Flows(team).approve(flow_id, self.actor.name, exactly=approval.graph_hash)
            return self._flows(team, [flow])[0]

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
        with open_registry(self._address) as store:
            team, _ = find_team(store, project)
            return [] if team is None else registry_acts(team, most)

    @contextmanager
    def _acting(self, project: str, kind: str, id: str) -> Iterator[workflow.Team]:
        """A project in which the person of this studio acts, and signs; NotAllowed where they may not."""
        if self._address is None:
            raise NoSuch.id(kind, id, [])
        with open_registry(self._address, self.actor) as store:
            from volition.workflow.law.members import NotEntitled, WrongSigner  # noqa: PLC0415  SQLAlchemy is optional

            team, _ = find_team(store, project)
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
            problem = belongs_to_another(name)
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
def open_registry(registry: str, actor: StudioActor | None = None) -> Iterator[workflow.Store]:
    """The registry, which must be there: looking at one makes none. Only an actor signs."""
    require("sqlalchemy", "cryptography")
    address = workflow.parse_store_address(registry)
    try:
        store = workflow.Store(address, new=False, signer=_no_signer if actor is None else actor.signer())
    except VolitionError as error:
        # Whoever looks at the studio is told the name of its registry, not where on this machine it is.
        raise type(error)(*(hide_root(problem, Path(address.place).parent) for problem in error.problems)) from None
    with store:
        yield store


def _no_signer() -> workflow.Signer:
    raise NotPossible.of("this only looks", where="the registry", expected="nothing to sign", remedy="report this")


def find_team(store: workflow.Store, project: str | None) -> tuple[workflow.Team | None, list[str]]:
    """The team of a project, or of the first one, None where there is none; and all projects."""
    from volition.workflow.store.database import list_projects  # noqa: PLC0415  SQLAlchemy is optional

    projects = list_projects(store)
    if project is not None and project not in projects:
        raise NoSuch.id("project", project, projects)
    chosen = project or (projects[0] if projects else None)
    return (None if chosen is None else workflow.Team(store, chosen)), projects


def _title(plan: workflow.RegisteredPlan) -> str:
    return str(parse_json(plan.document)["title"])


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
