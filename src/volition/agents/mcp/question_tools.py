"""The tools about questions: bring a collision to a person, list what is open, and ask the person at the client.

Only a person answers and approves. A client that declines, cancels, says nothing or answers nonsense has done neither: the
question stays in the registry, to be answered here later, in the studio or at the command line.

Annotations are what agents and the server read, so there is no `from __future__ import annotations` here.
"""

from collections.abc import Callable
from typing import Annotated

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from volition.agents.guard.sessions import Identity
from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.answers import AnswerReport, AskedState, QuestionPage, QuestionRaised, cut, fill_page
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.errors import BY_A_PERSON
from volition.agents.mcp.forms import (
    YES,
    ApprovalForm,
    Forms,
    QuestionForm,
    approval_text,
    can_ask,
    describe_silence,
    make_form,
    question_text,
    read_form,
    shows_all,
)
from volition.agents.mcp.plan_tools import LOOKS, WRITES, Cursor, PlanId, make_tool
from volition.agents.mcp.views import turn_page, view_questions
from volition.core.errors import NotPossible, refuse
from volition.governance import answer_questions
from volition.governance.documents.intent_set import SET_LIMIT
from volition.workflow import NOTIFY_ALL, Flows, Members, Team
from volition.workflow.flow.status import FlowStatus
from volition.workflow.law.states import OPEN_FLOWS
from volition.workflow.store.events import moment

FlowId = Annotated[str, Field(description="as raise_question or list_questions names it", min_length=1, max_length=80)]


class QuestionTools:
    """The tools about questions, over one registry. `forms` says what people may do at this server's clients."""

    def __init__(self, access: TeamAccess, callers: Callers, forms: Forms = "answers") -> None:
        self.access = access
        self.callers = callers
        self.forms = forms

    def tools(self) -> list[Tool]:
        """The tools, for a server; those that ask a person only where that is allowed."""
        tools = [make_tool(self.raise_question, WRITES), make_tool(self.list_questions, LOOKS)]
        if self.forms != "none":
            tools.append(Tool.from_function(self._answer_tool(), annotations=WRITES))
        if self.forms == "approvals":
            tools.append(Tool.from_function(self._approval_tool(), annotations=WRITES))
        return tools

    def raise_question(self, plan_id: PlanId, context: Context) -> QuestionRaised:
        """Bring a plan that waits in line, and those in its way, to a person. The question is stored; write nothing
        until it is answered and approved."""
        by = self.callers.identify(context).holder
        with self.access.use() as team:
            flows = Flows(team)
            flow = _open_flow(flows, plan_id)
            if flow is None:
                flow = flows.start(NOTIFY_ALL, by, plans=_contestants(team, plan_id))
        return QuestionRaised(
            flow_id=flow.flow_id,
            flow_state=flow.state,
            plans=dict(list(flow.plans.items())[:SET_LIMIT]),
            questions=fill_page(list(view_questions(flow)), 5000),
            advice=self._next_step(flow),
        )

    def list_questions(self, cursor: Cursor = None) -> QuestionPage:
        """List the questions that wait for a person."""
        with self.access.use() as team:
            open_ones = [question for flow in Flows(team).list(state="asked") for question in view_questions(flow)]
        page, following = turn_page(open_ones, cursor)
        return QuestionPage(questions=page, next_cursor=following, total=len(open_ones))

    def _answer_tool(self) -> Callable[..., AnswerReport]:
        """The tool that asks the person. What is read, shown and answered are one pack, by its checksum."""

        def read_open_flow(flow_id: str) -> FlowStatus:
            with self.access.use() as team:
                return Flows(team).status(flow_id)

        def ask(context: Context, flow: Annotated[FlowStatus, Resolve(read_open_flow)]) -> Elicit[QuestionForm] | None:
            if flow.pack is None or not can_ask(context):
                return None
            return Elicit(question_text(flow, flow.pack), make_form(flow.pack))

        def answer_question(
            flow_id: FlowId,
            context: Context,
            flow: Annotated[FlowStatus, Resolve(read_open_flow)],
            answer: Annotated[ElicitationResult[QuestionForm], Resolve(ask)],
        ) -> AnswerReport:
            """Ask the person at this client the open questions of a flow. You cannot answer them yourself. If nobody
            answers, they stay open."""
            choices = read_form(answer)
            if flow.pack is None:
                return self._report(flow, "nothing_asked", _nothing_open(flow, "asks nothing"))
            if choices is None:
                return self._report(flow, "open", describe_silence(answer))
            by = _person_at(self.callers.identify(context))
            with self.access.use() as team:
                Members(team).join(by)
                answers = answer_questions(flow.pack, choices, moment(self.access.now(team)))
                flow = Flows(team).answer(flow.flow_id, answers, by)
            return self._report(flow, "answered", flow.reason, choices)

        return answer_question

    def _approval_tool(self) -> Callable[..., AnswerReport]:
        """The tool that asks the person to approve. What is shown and approved are one graph, by its hash."""

        def read_judged_flow(flow_id: str, context: Context) -> FlowStatus:
            with self.access.use() as team:
                flow = Flows(team).status(flow_id)
                if flow.state == "judged":
                    _need_other_person(team, flow, self.callers.identify(context))
            return flow

        def ask_decision(
            context: Context, flow: Annotated[FlowStatus, Resolve(read_judged_flow)]
        ) -> Elicit[ApprovalForm] | None:
            asked = flow.state == "judged" and can_ask(context)
            return Elicit(approval_text(flow), ApprovalForm) if asked else None

        def ask_approval(
            flow_id: FlowId,
            context: Context,
            flow: Annotated[FlowStatus, Resolve(read_judged_flow)],
            answer: Annotated[ElicitationResult[ApprovalForm], Resolve(ask_decision)],
        ) -> AnswerReport:
            """Ask the person at this client to approve what was decided in a flow. You cannot approve it yourself."""
            chosen = read_form(answer)
            if flow.state != "judged":
                return self._report(flow, "nothing_asked", _nothing_open(flow, "waits for no approval"))
            if chosen is None:
                return self._report(flow, "open", describe_silence(answer))
            if chosen != {"decision": YES}:
                return self._report(flow, "open", "the person leaves it as it is", chosen)
            by = _person_at(self.callers.identify(context))
            with self.access.use() as team:
                Members(team).join(by)
                flow = Flows(team).approve(flow.flow_id, by, exactly=flow.graph_hash)
            return self._report(flow, "approved", flow.reason, chosen)

        return ask_approval

    def _report(
        self, flow: FlowStatus, state: AskedState, reason: str, chosen: dict[str, str] | None = None
    ) -> AnswerReport:
        return AnswerReport(
            state=state, flow_id=flow.flow_id, flow_state=flow.state, chosen=chosen or {}, reason=cut(reason),
            advice=self._next_step(flow),
        )  # fmt: skip

    def _next_step(self, flow: FlowStatus) -> str:
        """Who has to do what now, in one sentence; never the line that does it."""
        if flow.pack is not None:
            here = ", or here where the client can ask (answer_question)" if self.forms != "none" else ""
            return f"A person has to answer it {BY_A_PERSON}{here}."
        if flow.state == "judged":
            here = ", or here where the client can ask (ask_approval)" if self.forms == "approvals" else ""
            return f"A person has to approve it {BY_A_PERSON}{here}; then show_plan says whether your plan is active."
        if flow.state in OPEN_FLOWS:
            return "It is approved: show_plan says whether your plan is active, and under which token."
        return f"The flow is {flow.state}: propose or renew your plan as things are now."


def _person_at(identity: Identity) -> str:
    """The name in which a form is recorded: whoever filled it in was at this agent's client."""
    return f"the person at {identity.holder}"


def _need_other_person(team: Team, flow: FlowStatus, identity: Identity) -> None:
    """Refuse to ask if the person would approve a plan that their own agent holds, or more than a form can show.

    Several agents of one name are one person's. The registry's own law knows only the name in which is approved.
    """
    own = [name for name in flow.plans if team.show(name).holder.partition("@")[0] == identity.name]
    people = Members(team)
    if own and len(people.list()) > 1 and people.settings()["own_approval"] == "refuse":
        raise NotPossible.of(
            f"{own[0]} is a plan of {identity.name}'s, and nobody approves their own plan",
            where=flow.flow_id,
            expected="another person",
            remedy=f"wait for another person, who approves it at another client, {BY_A_PERSON}",
        )
    if not shows_all(flow):
        raise NotPossible.of(
            "more would be approved than a form can show",
            where=flow.flow_id,
            expected="a form that shows everything",
            remedy=f"wait for a person, who approves it {BY_A_PERSON}",
        )


def _contestants(team: Team, plan_id: str) -> list[str]:
    """A waiting plan, and those that are in its way."""
    plan = team.show(plan_id)
    if plan.state != "waiting":
        refuse(
            f"{plan_id} is {plan.state}",
            where="plan_id",
            expected="a plan that waits in line",
            remedy="propose it with mode 'wait'; a plan that is granted needs no answer",
        )
    in_the_way = {name for each in team.check(plan.document.encode()).obstacles for name in each.plans}
    return [plan_id, *sorted(in_the_way)[: SET_LIMIT - 1]]


def _open_flow(flows: Flows, plan_id: str) -> FlowStatus | None:
    """The open flow that a plan is in already, if there is one."""
    return next((flow for flow in flows.list() if flow.state in OPEN_FLOWS and flow.plans.get(plan_id) == "kept"), None)


def _nothing_open(flow: FlowStatus, what: str) -> str:
    return f"the flow is {flow.state}: it {what}" + (f" ({cut(flow.reason)})" if flow.reason else "")
