"""From what the registry says to what the tools answer. Pure: the registry is read elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.agents.mcp.answers import (
    LISTED,
    ChoiceOffered,
    Outcome,
    PlanDetail,
    PlanObstacle,
    PlanSummary,
    PlanVerdict,
    QuestionAsked,
    cut,
    cut_list,
    fill_page,
)
from volition.core.document import parse_json
from volition.core.errors import refuse
from volition.workflow.law.states import OPEN_PLANS
from volition.workflow.store.events import moment
from volition.workflow.team.registration import PUT_IN_LINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.workflow import Registration
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.store.rows import RegisteredPlan
    from volition.workflow.team.registration import Obstacle

_LINE: Final = "propose it again with mode 'wait', and put it to a person with raise_question"
_ASK: Final = "put it to a person with raise_question"
_NARROW: Final = "narrow it: leave out {resource}"
_ADVICE: Final[dict[Outcome, str]] = {
    "granted": "You may write what the plan names, and nothing else; to touch more, revise_plan first. Renew it in time, "
    "and finish_plan when you are done.",
    "held": "Your session had registered exactly this before, so nothing was changed. If it was you, go on. If it was "
    "not, another agent uses your session: write nothing, and propose other work.",
    "waiting": "Write nothing yet: the plan is in line and holds nothing. renew_plan with its token grants it once the "
    "way is free; raise_question puts it to a person.",
    "refused": "Write nothing: the plan was not registered. Take one of the ways out.",
    "free": "Nothing was stored. Claim it with mode 'claim' before you write; somebody else may be faster.",
}


def view_verdict(made: Registration, files: Sequence[str] = ()) -> PlanVerdict:
    """How a registration ended, and what to do next."""
    obstacles = [view_obstacle(each, files, waits=made.outcome == "waiting") for each in made.obstacles]
    page = fill_page(obstacles)
    grave = {each.resource for each in made.obstacles}
    outcome: Outcome = "held" if made.repeated and made.grant else made.outcome
    return PlanVerdict(
        outcome=outcome,
        plan_id=made.plan_id,
        token=made.grant.token if made.grant else made.place or None,
        lease_until=moment(made.grant.lease_until) if made.grant else None,
        obstacles=page,
        more_obstacles=len(obstacles) - len(page),
        mild=cut_list(
            f"{each.severity}: {each.rule} on {each.resource} with {', '.join(each.intent_ids[:3])}"
            for each in made.collisions
            if each.resource not in grave
        )[:6],
        advice=_ADVICE[outcome],
    )


def view_obstacle(obstacle: Obstacle, files: Sequence[str] = (), *, waits: bool = False) -> PlanObstacle:
    """A grave collision in words for an agent; leaving a file out is a way out if others remain."""
    ways = [way for way in obstacle.ways_out if way != PUT_IN_LINE]
    if obstacle.resource in files and len(files) > 1:
        ways.insert(0, _NARROW.format(resource=obstacle.resource))
    return PlanObstacle(
        severity=obstacle.severity,
        resource=cut(obstacle.resource),
        plans=cut_list(obstacle.plans),
        because=cut(without_ways(obstacle.because), 600),
        evidence=cut_list(obstacle.evidence, 4),
        ways_out=cut_list([*ways, _ASK if waits else _LINE], 5),
    )


def without_ways(text: str) -> str:
    """What the evaluation says of a conflict, without its ways out: those are for authors of documents, not for agents.

    >>> without_ways("Both write it. Ways out: give one of them a priority.")
    'Both write it.'
    """
    return text.partition(" Ways out: ")[0]


def view_plan(plan: RegisteredPlan, holder: str) -> PlanSummary:
    """A plan on one line."""
    document = parse_json(plan.document)
    files = document["scope"]["targets"]["files"]
    return PlanSummary(
        plan_id=plan.plan_id,
        title=cut(document["title"]),
        state=plan.state,
        holder=cut(plan.holder),
        yours=plan.holder == holder,
        token=plan.token if plan.holder == holder else None,
        lease_until=_lease(plan),
        files=cut_list(files, 5),
        more_files=max(0, len(files) - 5),
    )


def view_detail(
    plan: RegisteredPlan, holder: str, obstacles: Sequence[PlanObstacle], next_cursor: str | None
) -> PlanDetail:
    """A plan with everything that an agent needs to know of it."""
    document = parse_json(plan.document)
    targets, about = document["scope"]["targets"], document.get("metadata", {})
    effects = sorted({effect for command in document["planned_commands"] for effect in command["effects"]})
    return PlanDetail(
        plan_id=plan.plan_id,
        title=cut(document["title"]),
        goal=cut(document["objective"]["goal"], 600),
        state=plan.state,
        holder=cut(plan.holder),
        yours=plan.holder == holder,
        token=plan.token if plan.holder == holder else None,
        lease_until=_lease(plan),
        files=cut_list(targets["files"]),
        more_files=max(0, len(targets["files"]) - LISTED),
        modules=cut_list(targets["modules"], 6),
        effects=effects,
        depends_on=cut_list(about.get("depends_on", ()), 6),
        priority=about.get("priority"),
        obstacles=list(obstacles),
        next_cursor=next_cursor,
        advice=_state_advice(plan, mine=plan.holder == holder),
    )


def view_questions(flow: FlowStatus) -> Iterable[QuestionAsked]:
    """The open questions of a flow."""
    for question in flow.pack.questions if flow.pack else ():
        yield QuestionAsked(
            flow_id=flow.flow_id,
            question_id=question.question_id,
            text=cut(question.question_text, 900),
            options=[
                ChoiceOffered(
                    option_id=option.option_id, label=cut(option.label), implications=cut(option.implications or "")
                )
                for option in question.options[:LISTED]
            ],
            plans=cut_list(flow.plans),
        )


def number_cursor(cursor: str | None) -> int:
    """Where a list goes on; InvalidInput if no such cursor was handed out."""
    if not cursor:
        return 0
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 9:
        refuse(
            f"{cursor[:40]!r} is not a cursor",
            where="cursor",
            expected="next_cursor of the page before",
            remedy="leave it out to begin at the start",
        )
    return int(cursor)


def turn_page(items: Sequence[Any], cursor: str | None) -> tuple[list[Any], str | None]:
    """One page of a list, and the cursor of the next."""
    start = number_cursor(cursor)
    page = fill_page(items[start:])
    end = start + len(page)
    return page, str(end) if end < len(items) else None


def _lease(plan: RegisteredPlan) -> str | None:
    return moment(plan.lease_until) if plan.state in OPEN_PLANS else None


def _state_advice(plan: RegisteredPlan, *, mine: bool) -> str:
    if plan.state == "active":
        return (
            _ADVICE["granted"]
            if mine
            else f"What it names is {cut(plan.holder, 160)}'s until it ends: do not write it."
        )
    if plan.state == "waiting":
        return _ADVICE["waiting"] if mine else "It is in line and holds nothing."
    if plan.state == "expired":
        return "Its lease is over, so it holds nothing: its holder must propose it again before writing more."
    return f"It is {plan.state} and holds nothing."
