"""The tools about questions: bring a collision to a person, list what is open, and ask the person at the client.

Only a person answers. A client that declines, cancels, says nothing or answers nonsense has not answered: the question
stays in the registry, to be answered here later, or at the command line.

Annotations are what agents and the server read, so there is no `from __future__ import annotations` here.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, DeclinedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field, create_model

from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.answers import AnswerReport, QuestionPage, QuestionRaised, cut, fill_page
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.plan_tools import LOOKS, WRITES, Cursor, PlanId
from volition.agents.mcp.views import turn_page, view_questions
from volition.core.errors import refuse
from volition.governance import SET_LIMIT, QuestionPack
from volition.governance import answer as answer_pack
from volition.workflow import NOTIFY_ALL, Flows, FlowStatus, Members, Team
from volition.workflow.law.states import OPEN_FLOWS
from volition.workflow.team.evidence import moment

FlowId = Annotated[str, Field(description="as raise_question or list_questions names it", min_length=1, max_length=80)]

ACTIONS_SHOWN = 20
"""How many commands a person is shown with what they are bound to."""


class QuestionForm(BaseModel):
    """The base of every form that a person is shown; its fields are the questions."""


class QuestionTools:
    """The tools about questions, over one registry."""

    def __init__(self, access: TeamAccess, callers: Callers) -> None:
        self.access = access
        self.callers = callers

    def add_to(self, server: MCPServer) -> None:
        """Offer the tools."""
        server.add_tool(self.raise_question, annotations=WRITES)
        server.add_tool(self.list_questions, annotations=LOOKS)
        server.add_tool(self._answer_tool(), annotations=WRITES)

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
            advice=_next_step(flow),
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
            pack = flow.pack
            able = context.client_capabilities is not None and context.client_capabilities.elicitation is not None
            return Elicit(_message(flow, pack), make_form(pack)) if pack is not None and able else None

        def answer_question(
            flow_id: FlowId,
            context: Context,
            flow: Annotated[FlowStatus, Resolve(read_open_flow)],
            answer: Annotated[ElicitationResult[QuestionForm], Resolve(ask)],
        ) -> AnswerReport:
            """Ask the person at this client the open questions of a flow. You cannot answer them yourself. If nobody
            answers, they stay open."""
            choices = read_choices(answer)
            if flow.pack is None or choices is None:
                return _report_no_answer(flow, _silence(flow, answer))
            by = f"the person at {self.callers.identify(context).holder}"
            with self.access.use() as team:
                Members(team).join(by)
                given = answer_pack(flow.pack, choices, moment(self.access.now(team)))
                flow = Flows(team).answer(flow.flow_id, given, by)
            return AnswerReport(
                state="answered", flow_id=flow.flow_id, flow_state=flow.state, chosen=choices, reason=cut(flow.reason),
                advice=_next_step(flow),
            )  # fmt: skip

        return answer_question


def make_form(pack: QuestionPack) -> type[QuestionForm]:
    """The form for a pack: one choice for each question."""
    fields: dict[str, Any] = {
        question.question_id: (
            Literal[tuple(option.option_id for option in question.options)],
            Field(
                description="; ".join(f"{option.option_id}: {cut(option.label, 200)}" for option in question.options)
            ),
        )
        for question in pack.questions
    }
    return create_model("Answer", __base__=QuestionForm, **fields)


def read_choices(answer: ElicitationResult[QuestionForm]) -> dict[str, str] | None:
    """What the person chose: question -> option. None if no person answered: a form must have come back, accepted."""
    if isinstance(answer, AcceptedElicitation) and isinstance(answer.data, QuestionForm):
        chosen: Mapping[str, str] = answer.data.model_dump()
        return dict(chosen)
    return None


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


def _message(flow: FlowStatus, pack: QuestionPack) -> str:
    """What the person reads."""
    lines = [f"Volition, {flow.flow_id}: plans of several agents collide, and only you can decide."]
    for question in pack.questions:
        lines += ["", f"{question.question_id}: {cut(question.question_text, 1200)}"]
        lines += [
            f"- {option.option_id}: {cut(option.label)}. {cut(option.implications or '')}".rstrip()
            for option in question.options
        ]
    lines += ["", "What the commands are bound to:"]
    lines += [f"- {each.command_id} of {each.plan_id}: {cut(each.words, 300)}" for each in flow.actions[:ACTIONS_SHOWN]]
    if len(flow.actions) > ACTIONS_SHOWN:
        lines.append(f"and {len(flow.actions) - ACTIONS_SHOWN} more: volition flow show {flow.flow_id}")
    return "\n".join(lines)


def _silence(flow: FlowStatus, answer: ElicitationResult[QuestionForm]) -> str:
    """Why there is no answer."""
    match answer:
        case _ if flow.pack is None:
            return f"the flow is {flow.state}: it asks nothing" + (f" ({cut(flow.reason)})" if flow.reason else "")
        case DeclinedElicitation():
            return "the client declined"
        case CancelledElicitation():
            return "the client cancelled"
        case _:
            return "this client cannot ask a person"


def _report_no_answer(flow: FlowStatus, reason: str) -> AnswerReport:
    return AnswerReport(
        state="open" if flow.pack is not None else "nothing_asked", flow_id=flow.flow_id, flow_state=flow.state,
        chosen={}, reason=reason, advice=_next_step(flow),
    )  # fmt: skip


def _next_step(flow: FlowStatus) -> str:
    """Who has to do what now."""
    if flow.pack is not None:
        first = flow.pack.questions[0]
        typed = f"volition flow answer {flow.flow_id} --choose {first.question_id}={first.options[0].option_id}"
        return f"A person has to answer: with answer_question where the client can ask, or with: {typed}"
    if flow.state == "judged":
        exactly = flow.graph_hash[:12]
        return f"A person has to approve it: volition flow approve {flow.flow_id} --exactly {exactly}. Then show_plan."
    if flow.state in OPEN_FLOWS:
        return "It is approved: show_plan says whether your plan is active, and under which token."
    return f"The flow is {flow.state}: propose or renew your plan as things are now."
