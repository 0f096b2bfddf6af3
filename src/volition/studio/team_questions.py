"""The questions and permits of the team's registry, in all its projects, as the inbox shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

import volition.workflow as workflow  # noqa: PLR0402  from the root comes __version__ alone
from volition.core.errors import Problem
from volition.studio.questions import (
    InboxAction,
    InboxAnswer,
    InboxDetail,
    InboxEvent,
    InboxItem,
    chosen_labels,
    option_shapes,
    title_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.studio.team_shapes import TeamMe
    from volition.workflow.flow.asked import AskedQuestion, WantedPermit
    from volition.workflow.store.events import RecordedEvent

LISTED: Final = 100
"""How many questions that are not open any more are listed in each project, the newest first."""
PERMIT: Final = "-permit"
"""What the id of a permit ends with."""
_WORDS: Final = {
    "started": "started the flow",
    "asked": "asked",
    "judged": "judged: it waits for a permit",
    "approved": "approved",
    "nothing to do": "refused: nothing is to be done",
}
"""Events of a flow that are told otherwise than by their names."""


def team_items(team: workflow.Team, me: TeamMe) -> list[InboxItem]:
    """The questions and open permits of a project, as they are for one person."""
    from volition.workflow.flow.asked import asked_questions, wanted_permits  # noqa: PLC0415  SQLAlchemy is optional

    asked = asked_questions(team, most=LISTED)
    signers = _signers(team, asked)
    return [
        *(
            _question(team.project, question, me, signers.get((question.flow_id, question.pack.checksum)))
            for question in asked
        ),
        *(_permit(team.project, permit, me) for permit in wanted_permits(team)),
    ]


def team_detail(item: InboxItem, team: workflow.Team) -> InboxDetail:
    """An item with what each option leads to, what a permit allows, and everything that happened to its flow."""
    from volition.workflow.flow.asked import preview_flow  # noqa: PLC0415  SQLAlchemy is optional

    assert item.flow is not None
    flow = workflow.Flows(team).status(item.flow)
    actions = [InboxAction(action.plan_id, action.title, action.command_id, action.words) for action in flow.actions]
    commands: dict[str, list[InboxAction]] = {}
    for action in actions:
        commands.setdefault(action.plan, []).append(action)
    is_open = item.state == "open" and item.kind == "question"
    previews = preview_flow(team, item.flow) if is_open else ()
    history = [_event(event, item.question_pack) for event in team.history(item.flow)]
    return InboxDetail(item, option_shapes(previews, commands), actions if item.kind == "permit" else [], history)


def _question(project: str, asked: AskedQuestion, me: TeamMe, signer: str | None) -> InboxItem:
    is_open = asked.state == "open"
    why_not = _why_not(me, asked.holders, asked.answerers, project) if is_open else None
    given = asked.answer
    return InboxItem(
        id=f"{asked.flow_id}-{asked.pack.checksum[:12]}",
        source="team",
        kind="question",
        state=asked.state,
        title=title_of(list(asked.titles.values())),
        titles=asked.titles,
        waiting=list(asked.holders),
        answerers=list(asked.answerers),
        asked_at=asked.asked_at / 1000,
        until=asked.expires_at / 1000,
        seconds_left=asked.left / 1000 if is_open else None,
        then="" if is_open else _then(asked),
        mine=is_open and why_not is None,
        why_not=why_not,
        checksum=asked.pack.checksum,
        question_pack=msgspec.to_builtins(asked.pack),
        answer=None
        if given is None
        else InboxAnswer(given.actor, signer, given.at / 1000, chosen_labels(asked.pack, given.choices)),
        project=project,
        flow=asked.flow_id,
    )


def _then(asked: AskedQuestion) -> str:
    """What became of the flow of a question that is not open any more."""
    state = f"The flow is {asked.flow_state}"
    return f"{state}: {asked.flow_reason}." if asked.flow_reason else f"{state}."


def _permit(project: str, wanted: WantedPermit, me: TeamMe) -> InboxItem:
    flow, holders, answerers = wanted.flow, wanted.holders, wanted.answerers
    why_not = _why_not(me, holders, answerers, project)
    titles = {action.plan_id: action.title for action in flow.actions}
    return InboxItem(
        id=f"{flow.flow_id}{PERMIT}",
        source="team",
        kind="permit",
        state="open",
        title=title_of(list(titles.values())),
        titles=titles,
        waiting=list(holders),
        answerers=list(answerers),
        asked_at=wanted.judged_at / 1000 if wanted.judged_at else None,
        until=None,
        seconds_left=None,
        then="",
        mine=why_not is None,
        why_not=why_not,
        checksum=flow.graph_hash,
        project=project,
        flow=flow.flow_id,
    )


def _why_not(me: TeamMe, holders: Sequence[str], answerers: Sequence[str], project: str) -> Problem | None:
    """Why a person may not answer an open question; None where they may."""
    if me.problem is not None:
        return me.problem
    if me.name in answerers:
        return None
    others = ", ".join(answerers) or "nobody yet"
    if not me.role:
        what, remedy = f"{me.name} is not a member of the project", f"join: volition team join --by {me.name!r}"
    elif me.name in holders and me.role in {"approver", "keeper"}:
        what = f"{me.name} holds a plan of this question, and nobody decides about their own plan"
        remedy = "ask another person; a keeper may allow it: volition team settings --own-approval allow"
    else:
        what, remedy = f"{me.name} is a {me.role}, and this takes an approver", "ask one of those who may answer"
    return Problem(what, f"project {project}", f"one of those who may answer: {others}", remedy)


def _signers(team: workflow.Team, asked: Sequence[AskedQuestion]) -> dict[tuple[str, str], str]:
    """The keys that signed the answers, by flow and question; none for answers that are in an archive."""
    from sqlalchemy import select  # noqa: PLC0415  it is optional

    from volition.workflow.store.events import read_event, select_events  # noqa: PLC0415
    from volition.workflow.store.tables import EVENT  # noqa: PLC0415

    flows = sorted({question.flow_id for question in asked if question.answer is not None})
    wanted = select(EVENT).where(
        EVENT.c.project == team.project, EVENT.c.what == "answered", EVENT.c.subject.in_(flows)
    )
    with team.store.read() as connection:
        events = [read_event(row) for row in select_events(connection, wanted)] if flows else []
    return {(event.subject, event.body["question"]): event.signer for event in events}


def _event(event: RecordedEvent, pack: Mapping[str, Any] | None) -> InboxEvent:
    what = _WORDS.get(event.what, event.what)
    if event.what == "answered":
        what = f"answered: {'; '.join(_labels(event.body, pack))}"
    elif why := event.body.get("why"):
        what = f"{what}: {why}"
    elif node := event.body.get("node"):
        what = f"{what}: {node}"
    return InboxEvent(event.at / 1000, event.actor, what, event.signer or None)


def _labels(body: Mapping[str, Any], pack: Mapping[str, Any] | None) -> list[str]:
    """What an answer chose, in the words of the question if it answers this one."""
    if pack is None or pack["checksum"] != body["question"]:
        return [f"{question} {option}" for question, option in sorted(body["choices"].items())]
    return [
        option["label"]
        for question in pack["questions"]
        for option in question["options"]
        if body["choices"].get(question["question_id"]) == option["option_id"]
    ]
