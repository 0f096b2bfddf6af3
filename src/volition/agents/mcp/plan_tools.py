"""The tools about plans: propose, revise, renew, finish, withdraw, show, list, and why.

Their docstrings and annotations are what agents read, so there is no `from __future__ import annotations` here.
"""

from collections.abc import Callable
from functools import cache
from types import MethodType
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from msgspec.structs import replace
from pydantic import Field, WithJsonSchema

from volition.agents.guard.sessions import Identity
from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.answers import PlanDetail, PlanEnd, PlanPage, PlanVerdict, WhyAnswer, cut, fill_page
from volition.agents.mcp.caller import Callers, may_act
from volition.agents.mcp.reasons import explain_flow, explain_pair, explain_plan
from volition.agents.mcp.views import number_cursor, turn_page, view_detail, view_obstacle, view_plan, view_verdict
from volition.agents.proposal import Proposal, draft_plan, plan_id_of, redraft_plan
from volition.core.document import parse_json
from volition.core.errors import InvalidInput, NotPossible, refuse
from volition.governance.documents.intent import Effect
from volition.workflow import Team
from volition.workflow.law.states import OPEN_PLANS
from volition.workflow.store.events import moment
from volition.workflow.store.rows import RegisteredPlan

LOOKS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES: Final = ToolAnnotations(destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""What sandboxed clients let pass: these tools write to the registry, destroy nothing, and reach nobody outside."""

Title = Annotated[str, Field(description="what the plan does, in one line", min_length=5, max_length=160)]
Files = Annotated[
    list[Annotated[str, Field(max_length=512)]],
    Field(
        description="files, folders and patterns such as src/*.py that it touches, relative to the root of the repository",
        max_length=200,
    ),
]
Modules = Annotated[
    list[Annotated[str, Field(max_length=256)]],
    Field(description="modules such as shop.cart, and services such as service:checkout", max_length=100),
]
Effects = Annotated[list[Effect], Field(description="what it does to what it touches", min_length=1, max_length=6)]
Goal = Annotated[str, Field(description="what it should achieve; the title if not given", max_length=800)]
DependsOn = Annotated[list[str], Field(description="ids of plans that must come first", max_length=20)]
Priority = Annotated[
    int | None,
    Field(description="only if a person gave you one; the larger value wins", ge=-(2**31), le=2**31),
]
Lease = Annotated[
    float, Field(description="how long the claim lasts without being renewed, in minutes", gt=0, le=20_160)
]
NAMED_ABOVE: Final = WithJsonSchema({"type": "array", "items": {"type": "string"}})
"""The schema of effects where the list of tools has named them already."""
PlanId = Annotated[str, Field(description="the id of the plan", min_length=1, max_length=80)]
Token = Annotated[int, Field(description="of its newest grant", ge=1, le=2**53)]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before", max_length=100)]
Mode = Literal["claim", "wait", "check"]
States = Literal["open", "active", "waiting", "finished", "withdrawn", "expired", "superseded", "all"]


def make_tool(method: Callable[..., Any], annotations: ToolAnnotations) -> Tool:
    """A method as a tool. Its schemas take milliseconds to derive, and are the same whichever object it is a method of."""
    assert isinstance(method, MethodType)
    return _describe(method.__func__).model_copy(update={"fn": method, "annotations": annotations})


@cache
def _describe(function: Callable[..., Any]) -> Tool:
    # Bound to whatever there is, so that no schema has a `self`.
    return Tool.from_function(MethodType(function, function))


class PlanTools:
    """The tools about plans, over one registry."""

    def __init__(self, access: TeamAccess, callers: Callers) -> None:
        self.access = access
        self.callers = callers

    def tools(self) -> list[Tool]:
        """The tools, for a server."""
        writes = (self.propose_plan, self.revise_plan, self.renew_plan, self.finish_plan, self.withdraw_plan)
        looks = (self.show_plan, self.list_plans, self.why)
        return [*(make_tool(each, WRITES) for each in writes), *(make_tool(each, LOOKS) for each in looks)]

    def propose_plan(
        self,
        title: Title,
        files: Files,
        context: Context,
        modules: Modules = [],  # noqa: B006  the default is part of the schema, and never changed
        effects: Effects = ["write"],  # noqa: B006  as above
        goal: Goal = "",
        depends_on: DependsOn = [],  # noqa: B006  as above
        priority: Priority = None,
        mode: Annotated[
            Mode,
            Field(description="claim it; or wait in line if it collides; or only check, storing nothing"),
        ] = "claim",
        lease_minutes: Lease = 30,
    ) -> PlanVerdict:
        """Say what you will do before you write a file. The plan is judged against everything that others are doing:
        granted, you may write; refused, you get who is in the way, the evidence and the ways out."""
        proposal = Proposal(title, files, modules, effects, goal, depends_on, priority)
        return self.propose_for(self.callers.identify(context), proposal, mode, lease_minutes)

    def revise_plan(
        self,
        plan_id: PlanId,
        token: Token,
        context: Context,
        title: Annotated[Title | None, Field(description="another title")] = None,
        files: Annotated[
            Files | None, Field(description="all that it touches now; fewer than before narrows it")
        ] = None,
        modules: Annotated[Modules | None, Field(description="all modules that it touches now")] = None,
        effects: Annotated[Effects | None, NAMED_ABOVE, Field(description="all that it does now")] = None,
        goal: Annotated[Goal | None, Field(description="another goal")] = None,
        depends_on: Annotated[DependsOn | None, Field(description="all plans that must come first now")] = None,
        priority: Priority = None,
    ) -> PlanVerdict:
        """Change or narrow your plan: what you give is replaced, the rest is kept. It is judged again and gets a new
        token; refused, the plan that you hold stays as it is."""
        changes = Proposal(title, files, modules, effects, goal, depends_on, priority)
        if changes == Proposal():
            refuse("nothing is to be changed", where="arguments", expected="at least one", remedy="give what is new")
        with self.access.use() as team:
            plan = self._need_own(team, plan_id, context)
            revised = team.revise(redraft_plan(plan.document, changes), token)
        return view_verdict(revised, files or ())

    def renew_plan(
        self,
        plan_id: PlanId,
        token: Token,
        context: Context,
        lease_minutes: Annotated[Lease | None, Field(description="another length; the same as before if null")] = None,
    ) -> PlanVerdict:
        """Keep your claim: its lease begins again. A plan that waits in line is judged again, and claimed if its way is
        free."""
        with self.access.use() as team:
            files: list[str] = []
            self._need_own(team, plan_id, context)
            renewed = team.renew(plan_id, token, lease=None if lease_minutes is None else lease_minutes * 60)
            if renewed.outcome == "waiting":
                document = team.show(plan_id).document
                renewed = replace(renewed, obstacles=team.check(document.encode()).obstacles)
                files = parse_json(document)["scope"]["targets"]["files"]
        return view_verdict(renewed, files)

    def finish_plan(self, plan_id: PlanId, token: Token, context: Context) -> PlanEnd:
        """Say that the work of your plan is done: what it claimed is free for others."""
        with self.access.use() as team:
            self._need_own(team, plan_id, context)
            team.finish(plan_id, token)
        return PlanEnd(plan_id=plan_id, state="finished", advice="Write no more under this plan.")

    def withdraw_plan(
        self,
        plan_id: PlanId,
        token: Token,
        context: Context,
        why: Annotated[str, Field(description="the reason, for the record", max_length=800)] = "",
    ) -> PlanEnd:
        """Give your plan up: what it claimed is free for others."""
        with self.access.use() as team:
            self._need_own(team, plan_id, context)
            team.withdraw(plan_id, token, why=why)
        return PlanEnd(plan_id=plan_id, state="withdrawn", advice="Undo what you wrote, or propose it again.")

    def show_plan(self, plan_id: PlanId, context: Context, cursor: Cursor = None) -> PlanDetail:
        """Show one plan: who holds it, until when, what it touches, and what is in its way now."""
        return self.detail_of(plan_id, self.callers.identify(context).holder, cursor)

    def list_plans(
        self,
        context: Context,
        state: Annotated[States, Field(description="open: active or waiting")] = "open",
        cursor: Cursor = None,
    ) -> PlanPage:
        """List the plans of the project, to see who works on what."""
        return self.page_of(state, self.callers.identify(context).holder, cursor)

    def why(
        self,
        about: Annotated[str, Field(description="a plan, also a refused one, or a flow", min_length=1, max_length=80)],
        against: Annotated[str | None, Field(description="a second plan: why these two collide", max_length=80)] = None,
        cursor: Cursor = None,
    ) -> WhyAnswer:
        """Ask why: why a plan was granted, refused or put in line, why two plans collide, or how a flow got where it is."""
        number_cursor(cursor)
        with self.access.use() as team:
            if against is not None:
                lines = explain_pair(team, about, against)
            elif about.startswith("flow_"):
                lines = explain_flow(team, about)
            else:
                lines = explain_plan(team, about)
        page, following = turn_page(lines, cursor)
        return WhyAnswer(about=about, lines=page, next_cursor=following)

    def propose_for(
        self, identity: Identity, proposal: Proposal, mode: Mode = "claim", lease_minutes: float = 30
    ) -> PlanVerdict:
        """Draft a plan for an agent, and check, claim or put it in line."""
        holder, files = identity.holder, proposal.files or ()
        with self.access.use(new=mode != "check") as team:
            known, document = self._draft(team, holder, proposal)
            if mode == "check":
                return view_verdict(team.check(document), files)
            _refuse_other_content(known, document)
            try:
                registered = team.register(document, holder, lease=lease_minutes * 60, wait=mode == "wait")
            except InvalidInput:
                if known is not None:
                    raise
                # Another process of this session has just registered it: with the date of that plan, it may be the same.
                known, document = self._draft(team, holder, proposal)
                _refuse_other_content(known, document)
                registered = team.register(document, holder, lease=lease_minutes * 60, wait=mode == "wait")
        return view_verdict(registered, files)

    def _draft(self, team: Team, holder: str, proposal: Proposal) -> tuple[RegisteredPlan | None, bytes]:
        """The open plan that the holder has under this title, if there is one, and the document.

        A plan that is proposed again keeps its date: otherwise it would be another plan.
        """
        plan = team.find(plan_id_of(proposal.title or "", holder))
        known = plan if plan and plan.state in OPEN_PLANS and plan.holder == holder else None
        dated = parse_json(known.document)["created_at"] if known else moment(self.access.now(team))
        return known, draft_plan(proposal, project=team.project, holder=holder, created_at=dated)

    def _need_own(self, team: Team, plan_id: str, context: Context) -> RegisteredPlan:
        """The plan; refused if it is another session's, whatever token is given: tokens are numbers, and can be guessed."""
        plan = team.show(plan_id)
        if not may_act(self.callers.identify(context), plan.holder):
            raise NotPossible.of(
                f"{plan_id} is {cut(plan.holder, 160)}'s plan, not yours",
                where="plan_id",
                expected="a plan of the session that calls",
                remedy="leave it as it is, and propose_plan what you want to do: if they collide, you are told the ways out",
            )
        return plan

    # Also read as resources, where nobody is known to ask.

    def detail_of(self, plan_id: str, holder: str, cursor: str | None = None) -> PlanDetail:
        """One plan as a holder sees it."""
        number_cursor(cursor)
        with self.access.use() as team:
            plan = team.show(plan_id)
            obstacles = team.check(plan.document.encode()).obstacles if plan.state == "waiting" else ()
        files = parse_json(plan.document)["scope"]["targets"]["files"]
        page, following = turn_page([view_obstacle(each, files, waits=True) for each in obstacles], cursor)
        return view_detail(plan, holder, page, following)

    def page_of(self, state: States, holder: str, cursor: str | None = None) -> PlanPage:
        """The plans after a cursor, which is the id of a plan."""
        wanted = OPEN_PLANS if state == "open" else None if state == "all" else (state,)
        with self.access.use() as team:
            plans = [plan for plan in team.list() if wanted is None or plan.state in wanted]
        rest = [view_plan(plan, holder) for plan in plans if plan.plan_id > (cursor or "")][:100]
        page = fill_page(rest)
        last = not rest or page[-1].plan_id == plans[-1].plan_id
        return PlanPage(plans=page, next_cursor=None if last else page[-1].plan_id, total=len(plans))


def _refuse_other_content(known: RegisteredPlan | None, document: bytes) -> None:
    """Refuse a proposal where its session has an open plan of the same title that says something else."""
    if known is not None and parse_json(document)["audit"]["checksum"] != known.checksum:
        refuse(
            f"your session holds {known.plan_id}, with other content ({known.state})",
            where="title",
            expected="a title that none of your open plans has",
            remedy=f"revise_plan with token {known.token}, or choose another title",
        )
