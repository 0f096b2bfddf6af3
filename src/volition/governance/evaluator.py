"""The evaluation: from an intent set and its intents to a result, a merge plan, a merged intent or questions.

The same input gives the same bytes, whatever the order of the intents and whenever it is evaluated; nothing is executed.
Sets larger than `SET_LIMIT` are not merged: their result is the conflicts, the clusters and the risk front.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from volition.core.errors import InvalidInput, Problems
from volition.governance.documents.checksums import seal_result, whole_checksum
from volition.governance.documents.intent import GRAVE
from volition.governance.documents.intent_set import SET_LIMIT, IntentSet
from volition.governance.documents.loading import Loaded, check_member
from volition.governance.documents.packs import AnswerPack
from volition.governance.documents.policy import BUILT_IN
from volition.governance.documents.result import (
    Evaluation,
    EvaluationResult,
    MergePlan,
    PlanLineage,
    PlanMetadata,
    ResultConstraints,
    ResultInput,
    ResultLineage,
    ResultMetadata,
)
from volition.governance.documents.strict import UNSEALED
from volition.governance.drafts.sets import gather
from volition.governance.merge.merging import merge_plans, plan_operations
from volition.governance.merge.ordering import order_by_plan
from volition.governance.risk import front
from volition.governance.settlement.questions import question
from volition.governance.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.packs import QuestionPack
    from volition.governance.documents.policy import Policy
    from volition.governance.documents.result import Conflict, Question, Strategy
    from volition.governance.drafts.plan import Plan

VERSION: Final = "0.9.3"


class EvaluationOutcome:
    """The outcome of an evaluation: the `result` and, if they apply, the merge plan, the merged intent and the questions."""

    def __init__(self, result: EvaluationResult, verdict: Verdict) -> None:
        self.result = result
        self._verdict = verdict

    @property
    def strategy(self) -> Strategy:
        return self.result.evaluation.merge_plan.strategy

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.result.requires_questions

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return self.result.evaluation.conflicts

    @property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """The clusters: intents that high or critical conflicts connect."""
        return _cluster_ids(self._verdict)

    @cached_property
    def riskiest(self) -> tuple[str, ...]:
        """The Pareto front of risk: the intents that no other one dominates."""
        return front(self.result.evaluation.risk_comparison)

    @cached_property
    def merged_intent(self) -> IntentDocument | None:
        """The merged intent; None if nothing is merged."""
        verdict = self._verdict
        return merge_plans(verdict.roles, self.result.created_at, verdict.order()) if verdict.roles else None

    @cached_property
    def merge_plan(self) -> MergePlan | None:
        """The merge plan as a document; None if there are more intents than a plan can name."""
        return _build_plan(self, self._verdict)

    @cached_property
    def question_pack(self) -> QuestionPack | None:
        """The questions as a document for a person; None if there are none."""
        return self._verdict.pack(self.result.id)

    def files(self) -> dict[str, bytes]:
        """The documents as files, by name; the same outcome has the same bytes."""
        documents = {
            "result.json": self.result,
            "merge_plan.json": self.merge_plan,
            "merged_intent.json": self.merged_intent,
            "question_pack.json": self.question_pack,
        }
        return {name: msgspec.json.encode(made) for name, made in documents.items() if made is not None}


def evaluate(
    intent_set: IntentSet | Loaded | Iterable[Plan | IntentDocument],
    intents: Iterable[IntentDocument] | None = None,
    policy: Policy = BUILT_IN,
    answers: AnswerPack | Sequence[AnswerPack] | None = None,
    now: str | None = None,
    *,
    limit: bool = True,
) -> EvaluationOutcome:
    """Evaluate the intents of a set together; it takes what `load_set` returns, or a list of plans.

    >>> from volition.governance.drafts.plan import Plan
    >>> outcome = evaluate([
    ...     Plan("Log every route", files=["routes.py"], commands=["add_logging: write: log every route"]),
    ...     Plan("Split the routes", files=["routes.py"], commands=["split_routes: write: split them by topic"]),
    ... ])
    >>> outcome.strategy, outcome.conflicts[0].resource_ref
    ('reject', 'routes.py')

    `answers` are those to the questions of this very evaluation, or one pack after another for several rounds; stale
    or foreign ones are refused. The result is dated `now`, or as the set is. Without `limit` a set may be larger than
    `SET_LIMIT`; then nothing is merged or asked.
    """
    if not isinstance(intent_set, IntentSet | Loaded):
        intent_set = gather(intent_set)
    if isinstance(intent_set, Loaded):
        intents, intent_set = intent_set.intents if intents is None else intents, intent_set.intent_set
    ordered = sorted(intents or (), key=lambda intent: intent.id)
    _check_input(intent_set, ordered, limit=limit)
    packs = () if answers is None else (answers,) if isinstance(answers, AnswerPack) else tuple(answers)
    verdict = Verdict(intent_set, ordered, policy)
    for pack in packs:
        verdict.apply(pack)
    return EvaluationOutcome(seal_result(_build_result(verdict, now or intent_set.created_at)), verdict)


def _build_result(verdict: Verdict, moment: str) -> EvaluationResult:
    """The result, dated, without its checksums."""
    merge = verdict.merge()
    metadata = ResultMetadata(
        policy_hash=verdict.policy.hash,
        evaluator_mode="semi_automatic" if verdict.answered else "automatic",
        clusters=() if verdict.mergeable else _cluster_ids(verdict),
        risk_front=() if verdict.mergeable else front(verdict.risks),
    )
    return EvaluationResult(
        losses=verdict.losses(),
        missing=verdict.missing(),
        id=verdict.run_id(),
        type="intent_evaluation_result",
        schema_version="0.9.3",
        created_at=moment,
        input=ResultInput(
            intent_set_id=verdict.intent_set.id,
            intent_checksums={intent.id: intent.audit.checksum for intent in verdict.intents},
        ),
        evaluation=Evaluation(
            conflicts=verdict.conflicts,
            merge_plan=merge,
            risk_comparison=verdict.risks,
        ),
        constraints=ResultConstraints(execution="forbidden"),
        lineage=ResultLineage(
            derived_from_intent_set=verdict.intent_set.id,
            evaluator_version=VERSION,
            intent_set_checksum=verdict.intent_set.checksum,
        ),
        checksum=UNSEALED,
        requires_questions=tuple(question(open_question, place) for place, open_question in enumerate(verdict.matters)),
        metadata=metadata,
    )


def _cluster_ids(verdict: Verdict) -> tuple[tuple[str, ...], ...]:
    """The ids of each cluster."""
    return tuple(tuple(verdict.intents[number].id for number in group) for group in verdict.groups)


def _build_plan(outcome: EvaluationOutcome, verdict: Verdict) -> MergePlan | None:
    if not verdict.mergeable:
        return None
    ids = tuple(intent.id for intent in verdict.intents)
    strategy = outcome.strategy
    assert strategy != "no_merge_needed"
    name = f"merge_plan_{outcome.result.id.removeprefix('eval_result_')}"
    order = order_by_plan(outcome.merged_intent, verdict.roles.kept) if outcome.merged_intent and verdict.roles else {}
    resolved = sum(1 for c in verdict.conflicts if c.severity in GRAVE) if verdict.roles else 0
    plan = MergePlan(
        id=name,
        type="intent_merge_plan",
        schema_version="0.9.3",
        created_at=outcome.result.created_at,
        strategy=strategy,
        source_intent_ids=ids,
        operations=tuple(plan_operations(verdict.steps, verdict.roles, order)),
        lineage=PlanLineage(
            derived_from=ids, supersedes=verdict.roles.superseded if verdict.roles else (), merge_plan_id=name
        ),
        checksum=UNSEALED,
        result_intent=outcome.merged_intent,
        metadata=PlanMetadata(
            conflicts_resolved=resolved,
            merge_complexity="simple" if not verdict.groups else "moderate" if len(verdict.groups) == 1 else "complex",
        ),
    )
    return replace(plan, checksum=whole_checksum(plan))


def _check_input(intent_set: IntentSet, intents: Sequence[IntentDocument], *, limit: bool) -> None:
    """Refuse invalid input, reporting all problems at once."""
    problems = Problems()
    where = f"intent set {intent_set.id}"
    wanted, given = Counter(intent_set.intent_ids), Counter(intent.id for intent in intents)
    twice = {name for counts in (wanted, given) for name, count in counts.items() if count > 1}
    for names, what, expected, remedy in (
        (wanted.keys() - given, "is missing", "every intent of the set", "give it, or take it out of the set"),
        (
            given.keys() - wanted,
            "is not in the set",
            "the intents of the set alone",
            "take it out, or name it in the set",
        ),
        (twice, "is duplicated", "each intent once", "leave one of them out"),
    ):
        for name in sorted(names):
            problems.add(f"{name} {what}", where=where, expected=expected, remedy=remedy)
    hints = intent_set.metadata.merge_hints if intent_set.metadata else None
    for name in sorted({*hints.done} & wanted.keys() if hints else ()):
        what, remedy = (
            f"{name} is in the set and called done",
            "leave it out of the set if it is done, or else out of `done`",
        )
        problems.add(what, where=where, expected="plans outside of the set as done", remedy=remedy)
    size = len(intents)
    if size < 2:
        remedy = "there is nothing to evaluate in one"
        problems.add(f"{size} intents", where=where, expected="at least 2", remedy=remedy)
    if limit and size > SET_LIMIT:
        remedy = "split the set, or evaluate it without the limit"
        problems.add(f"{size} intents", where=where, expected=f"at most {SET_LIMIT}", remedy=remedy)
    for intent in intents:
        check_member(intent, intent_set.context.project_id, f"{where}, {intent.id}", problems)
    problems.raise_if_any(InvalidInput)
