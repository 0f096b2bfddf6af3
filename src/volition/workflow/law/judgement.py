"""The judgement of some plans: questions for a person, or a graph and the outcome for each plan. Pure, so repeatable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from volition.core.canonical import canonical
from volition.core.errors import refuse
from volition.governance import (
    SET_LIMIT,
    AnswerPack,
    Env,
    ExecutionGraph,
    IntentDocument,
    Policy,
    QuestionPack,
    coordinate,
    evaluate,
    gather,
    parse_document,
)
from volition.workflow.law.rules import known_as_done, read_plan, rules_of
from volition.workflow.store.rows import AnswerRow, FlowPlanRow, FlowRow, PlanRow, QuestionRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.workflow.store.rows import Rows


Fate: TypeAlias = Literal["kept", "superseded", "left_out"]
"""The outcome for a plan: it is carried out, it gives way, or it stays as it is."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found: a `pack` of questions, or a `graph` of the `merged` plan, or neither, with the reason."""

    set_document: str
    set_checksum: str
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
            return Judgement("", only.audit.checksum, None, None, None, {only.id: "kept"}, reason)
        return Judgement("", only.audit.checksum, None, only, coordinate(only, policy), {only.id: "kept"}, "")
    loaded = gather(intents, env=env, done=done)
    outcome = evaluate(loaded, policy=policy, answers=list(answers) or None)
    document = msgspec.json.encode(loaded.intent_set).decode()
    checksum = loaded.intent_set.checksum
    fates: dict[str, Fate] = {intent.id: "kept" for intent in intents}
    fates |= {
        loss.intent_id: "superseded" if loss.fate == "superseded" else "left_out" for loss in outcome.result.losses
    }
    if outcome.question_pack is not None or outcome.merged_intent is None:
        steps = outcome.result.evaluation.merge_plan.operations
        return Judgement(
            document, checksum, outcome.question_pack, None, None, fates, steps[0].evidence if steps else ""
        )
    merged = outcome.merged_intent
    return Judgement(document, checksum, None, merged, coordinate(merged, policy), fates, "")


class StoredJudgement(NamedTuple):
    """A graph and a merged plan, as they are stored."""

    graph: str
    merged: str


def judge_again(rows: Rows, flow: FlowRow) -> StoredJudgement | None:
    """Judge a flow again with its plans as they are now; None if that leads to other questions, or to nothing.

    An answer is taken for its question again only where that is asked in the same words with the same options, so that
    nothing is decided that nobody was asked.
    """
    parts = rows.all(FlowPlanRow, flow_id=flow.flow_id)
    plans = [rows.find(PlanRow, part.plan_id) for part in parts]
    documents = [read_plan((plan or part).document) for plan, part in zip(plans, parts, strict=True)]
    rules, done = rules_of(flow.policy, flow.env), known_as_done(flow.set_document)
    given: list[AnswerPack] = []
    for asked in sorted(rows.all(QuestionRow, flow_id=flow.flow_id), key=lambda row: row.round):
        row = rows.find(AnswerRow, flow.flow_id, asked.checksum)
        pack = parse_document(asked.pack.encode(), QuestionPack)
        now = judge_together(documents, *rules, given, done=done).pack
        if row is None or now is None or now.questions != pack.questions:
            return None
        answer = parse_document(row.pack.encode(), AnswerPack)
        given.append(replace(answer, question_pack_id=now.pack_id, question_pack_checksum=now.checksum))
    judged = judge_together(documents, *rules, given, done=done)
    fates = {part.plan_id: part.fate for part in parts}
    return store_judgement(judged) if judged.graph is not None and dict(judged.fates) == fates else None


def store_judgement(judged: Judgement) -> StoredJudgement:
    """The graph and the merged plan of a judgement, as they are stored."""
    assert judged.graph is not None
    assert judged.merged is not None
    graph = canonical(msgspec.json.decode(msgspec.json.encode(judged.graph))).decode()
    return StoredJudgement(graph, msgspec.json.encode(judged.merged).decode())
