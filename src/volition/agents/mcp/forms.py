"""What a person is shown at a client, and what counts as an answer.

A form is shown by the client, outside the model's reach; no argument of a tool carries a choice. What comes back counts only
if it was accepted and fits the form: a decline, a cancel, silence or nonsense decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from pydantic import BaseModel, ConfigDict, Field, create_model

from volition.agents.mcp.answers import cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.elicitation import ElicitationResult
    from mcp.server.mcpserver import Context

    from volition.governance.documents.packs import QuestionPack
    from volition.workflow.flow.status import FlowStatus

Forms = Literal["none", "answers", "approvals"]
"""What people may do through forms: nothing, answer questions, or also approve. A client may be set up to fill in forms
without a person, so approving is not among them unless somebody starts the server with it."""
ACTIONS_SHOWN: Final = 20
"""How many commands a person is shown with what they are bound to; more than these are not approved in a form."""
WORDS_SHOWN: Final = 300
"""How long what a command is bound to may be."""
YES: Final = "approve exactly this"
NO: Final = "leave it as it is"


class QuestionForm(BaseModel):
    """The base of every form that a person is shown; its fields are the questions."""

    model_config = ConfigDict(strict=True)


class ApprovalForm(QuestionForm):
    """A form that approves; nothing is chosen beforehand."""

    decision: Literal["leave it as it is", "approve exactly this"] = Field(
        description="approving grants the plans that are kept, and takes what the others claimed"
    )


Form = TypeVar("Form", bound=QuestionForm)


def can_ask(context: Context[Any, Any]) -> bool:
    """Whether the client says that it shows forms."""
    able = context.client_capabilities and context.client_capabilities.elicitation
    return bool(able) and (able.form is not None or able.url is None)  # type: ignore[union-attr]


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


def read_form(answer: ElicitationResult[Form]) -> dict[str, str] | None:
    """What the person chose: question -> option. None if no person answered: a form must have come back, accepted."""
    if isinstance(answer, AcceptedElicitation) and isinstance(answer.data, QuestionForm):
        chosen: Mapping[str, str] = answer.data.model_dump()
        return dict(chosen)
    return None


def describe_silence(answer: ElicitationResult[Form]) -> str:
    """Why there is no answer."""
    match answer:
        case DeclinedElicitation():
            return "the client declined"
        case CancelledElicitation():
            return "the client cancelled"
        case _:
            return "this client cannot ask a person"


def question_text(flow: FlowStatus, pack: QuestionPack) -> str:
    """What a person reads who is to answer."""
    lines = [f"Volition, {flow.flow_id}: plans of several agents collide, and only you can decide."]
    for question in pack.questions:
        lines += ["", f"{question.question_id}: {cut(question.question_text, 1200)}"]
        lines += [
            f"- {option.option_id}: {cut(option.label)}. {cut(option.implications or '')}".rstrip()
            for option in question.options
        ]
    return "\n".join([*lines, "", "What the commands are bound to:", *_action_lines(flow)])


def approval_text(flow: FlowStatus) -> str:
    """What a person reads who is to approve: exactly what the permit will be bound to."""
    lines = [
        f"Volition, {flow.flow_id}: approve what becomes of these plans?",
        "",
        *(f"- {cut(plan, 80)}: {fate}" for plan, fate in flow.plans.items()),
        "",
        "What is done, and nothing else:",
        *_action_lines(flow),
        "",
        f"Graph {flow.graph_hash}",
    ]
    return "\n".join(lines)


def shows_all(flow: FlowStatus) -> bool:
    """Whether a form has room for all that would be approved."""
    return len(flow.actions) <= ACTIONS_SHOWN and all(len(each.words) <= WORDS_SHOWN for each in flow.actions)


def _action_lines(flow: FlowStatus) -> list[str]:
    shown = [
        f"- {each.command_id} of {each.plan_id}: {cut(each.words, WORDS_SHOWN)}"
        for each in flow.actions[:ACTIONS_SHOWN]
    ]
    more = len(flow.actions) - ACTIONS_SHOWN
    return [*shown, f"and {more} more: the studio shows them all"] if more > 0 else shown
