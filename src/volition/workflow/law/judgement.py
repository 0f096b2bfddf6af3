"""The rules of a project, and the judgement of plans by them: questions for a person, or a graph and the outcome for each plan.

Rules are stored with the project, so that every process judges alike. They may be changed while no plan is open. A judgement is
pure, so it can be repeated.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from volition.core.canonical import canonical
from volition.core.errors import did_you_mean, refuse
from volition.governance import IntentDocument, Policy, coordinate, evaluate, gather, parse_document
from volition.governance.documents.intent_set import SET_LIMIT, Env, IntentSet
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.governance.documents.policy import BUILT_IN, parse_policy
from volition.workflow.law.members import need_role, settings_of
from volition.workflow.law.states import OPEN_PLANS
from volition.workflow.store.rows import AnswerRow, FlowPlanRow, FlowRow, QuestionRow, RegisteredPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.governance.merge.coordinator import ExecutionGraph
    from volition.workflow.law.bodies import RulesBody
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import Rows


@lru_cache(maxsize=512)
def read_plan(document: str) -> IntentDocument:
    """A plan's document, whose checksum must fit its content."""
    return parse_document(document.encode(), IntentDocument)


def prerequisites_of(intent: IntentDocument) -> tuple[str, ...]:
    """The plans on which a plan depends."""
    return tuple(intent.metadata.depends_on) if intent.metadata else ()


def finished_among(rows: Rows, plan_ids: Iterable[str]) -> set[str]:
    """Those plans that are finished."""
    plans = [rows.find(RegisteredPlan, plan_id) for plan_id in plan_ids]
    return {plan.plan_id for plan in plans if plan is not None and plan.state == "finished"}


def known_as_done(set_document: str) -> tuple[str, ...]:
    """What was finished when plans were first judged together: their questions were asked with this in mind."""
    plan_set = parse_document(set_document.encode(), IntentSet) if set_document else None
    hints = plan_set.metadata.merge_hints if plan_set and plan_set.metadata else None
    return tuple(hints.done) if hints else ()


@lru_cache(maxsize=64)
def rules_of(policy: str, env: str) -> tuple[Policy, Env]:
    """The policy that a TOML text states, the built-in one if it is empty; and the environment, checked."""
    if env and env not in get_args(Env):
        refuse(
            f"{env!r} is not an environment",
            where="env",
            expected="a known one",
            remedy=did_you_mean(env, get_args(Env)),
        )
    return (parse_policy(policy) if policy else BUILT_IN), cast("Env", env or "local")


def change_rules(rows: Rows, event: RecordedEvent, body: RulesBody) -> None:
    """Set the policy and the environment, while no plan is open: whoever is first, and then a keeper."""
    opened = sum(len(rows.all(RegisteredPlan, state=state)) for state in OPEN_PLANS)
    project = settings_of(rows)
    if opened:
        refuse(
            f"the {opened} open plans of {rows.project} are judged by other rules (policy {project.policy_hash[:12]}, {project.env})",
            where="policy and env",
            expected="the rules of the project, or none: they are stored with it",
            remedy="leave --policy and --env out, or change them while no plan is open",
        )
    if project.policy_hash:
        need_role(rows, event, "keeper")
    hash = rules_of(body.policy, body.env)[0].hash
    rows.put(replace(project, policy=body.policy, policy_hash=hash, env=body.env))


Fate: TypeAlias = Literal["kept", "superseded", "left_out"]
"""The outcome for a plan: it is carried out, it gives way, or it stays as it is."""


class Judgement(Struct, frozen=True):
    """What was found: a `pack` of questions, or a `graph` of the `merged` plan, or neither, with the reason."""

    set_document: str
    pack: QuestionPack | None
    merged: IntentDocument | None
    graph: ExecutionGraph | None
    fates: Mapping[str, Fate]
    reason: str


def judge_together(
    intents: Sequence[IntentDocument],
    policy: Policy,
    env: Env,
    answers: Sequence[AnswerPack] = (),
    *,
    done: Sequence[str] = (),
) -> Judgement:
    """Judge plans together, with the answers that were given so far; one plan by itself has nobody to clash with.

    `done` are plans outside that are finished, so that others may depend on them.
    """
    if not intents or len(intents) > SET_LIMIT:
        refuse(
            f"{len(intents)} plans",
            where="flow",
            expected=f"1 to {SET_LIMIT} plans",
            remedy="name the plans that belong together",
        )
    if len(intents) == 1:
        (only,) = intents
        if missing := sorted({*(only.metadata.depends_on if only.metadata else ())} - {*done}):
            reason = f"{only.id} depends on {', '.join(missing)}: finish that first, or name it in the flow, too"
            return Judgement("", None, None, None, {only.id: "kept"}, reason)
        return Judgement("", None, only, coordinate(only, policy), {only.id: "kept"}, "")
    loaded = gather(intents, env=env, done=done)
    outcome = evaluate(loaded, policy=policy, answers=list(answers) or None)
    document = msgspec.json.encode(loaded.intent_set).decode()
    fates: dict[str, Fate] = {intent.id: "kept" for intent in intents}
    fates |= {
        loss.intent_id: "superseded" if loss.fate == "superseded" else "left_out" for loss in outcome.result.losses
    }
    if outcome.question_pack is not None or outcome.merged_intent is None:
        steps = outcome.result.evaluation.merge_plan.operations
        return Judgement(document, outcome.question_pack, None, None, fates, steps[0].evidence if steps else "")
    merged = outcome.merged_intent
    return Judgement(document, None, merged, coordinate(merged, policy), fates, "")


def answers_of(rows: Rows, flow_id: str) -> list[AnswerPack]:
    """The answers of a flow so far, in the order of its questions."""
    rounds = {question.checksum: question.round for question in rows.all(QuestionRow, flow_id=flow_id)}
    answers = sorted(rows.all(AnswerRow, flow_id=flow_id), key=lambda answer: rounds[answer.checksum])
    return [parse_document(answer.pack.encode(), AnswerPack) for answer in answers]


class StoredJudgement(Struct, frozen=True):
    """A graph and a merged plan, as they are stored."""

    graph: str
    merged: str


def judge_again(rows: Rows, flow: FlowRow) -> StoredJudgement | None:
    """Judge a flow again with its plans as they are now; None if that leads to other questions, or to nothing.

    An answer is taken for its question again only where that is asked in the same words with the same options, so that
    nothing is decided that nobody was asked.
    """
    parts = rows.all(FlowPlanRow, flow_id=flow.flow_id)
    plans = [rows.find(RegisteredPlan, part.plan_id) for part in parts]
    documents = [read_plan((plan or part).document) for plan, part in zip(plans, parts, strict=True)]
    rules, done = rules_of(flow.policy, flow.env), known_as_done(flow.set_document)
    answers: list[AnswerPack] = []
    for asked in sorted(rows.all(QuestionRow, flow_id=flow.flow_id), key=lambda row: row.round):
        row, pack = (
            rows.find(AnswerRow, flow.flow_id, asked.checksum),
            parse_document(asked.pack.encode(), QuestionPack),
        )
        now = judge_together(documents, *rules, answers, done=done).pack
        if row is None or now is None or now.questions != pack.questions:
            return None
        answer = parse_document(row.pack.encode(), AnswerPack)
        answers.append(replace(answer, question_pack_id=now.pack_id, question_pack_checksum=now.checksum))
    judged = judge_together(documents, *rules, answers, done=done)
    fates = {part.plan_id: part.fate for part in parts}
    return store_judgement(judged) if judged.graph is not None and dict(judged.fates) == fates else None


def store_judgement(judged: Judgement) -> StoredJudgement:
    """The graph and the merged plan of a judgement, as they are stored."""
    assert judged.graph is not None
    assert judged.merged is not None
    graph = canonical(msgspec.json.decode(msgspec.json.encode(judged.graph))).decode()
    return StoredJudgement(graph, msgspec.json.encode(judged.merged).decode())
