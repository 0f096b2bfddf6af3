"""The evaluation: from an intent set and its intents to a result, a merge plan, a merged intent or questions.

The steps are those of `evaluate`: the input is checked, the plans are surveyed for claims, risks and conflicts, priority and
answers settle what they can, what is kept is merged, and the rest is asked.

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
from volition.governance.documents.intent import GRAVE, UNSEALED
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
from volition.governance.drafts.sets import gather
from volition.governance.merge.draft import draft_merge
from volition.governance.merge.merging import merge_plans, plan_operations
from volition.governance.merge.ordering import order_by_plan
from volition.governance.risk import front
from volition.governance.settlement.questions import result_question
from volition.governance.settlement.verdict import Verdict
from volition.governance.survey import survey_plans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.packs import QuestionPack
    from volition.governance.documents.policy import Policy
    from volition.governance.documents.result import Conflict, Question, Strategy
    from volition.governance.drafts.plan import Plan
    from volition.governance.merge.draft import MergeDraft
    from volition.governance.survey import Survey

VERSION: Final = "0.9.3"


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
    by_id = sorted(intents or (), key=lambda intent: intent.id)
    _check_input(intent_set, by_id, limit=limit)

    survey = survey_plans(intent_set, by_id, policy)
    verdict = Verdict(survey)
    for pack in () if answers is None else (answers,) if isinstance(answers, AnswerPack) else answers:
        verdict.apply(pack)
    draft = draft_merge(verdict)
    result = seal_result(_build_result(draft, now or intent_set.created_at))
    # Nothing else is made of a set that is too large, so what was found in it, which is large too, need not be kept.
    return EvaluationOutcome(result, _cluster_ids(survey), draft if survey.mergeable else None)


class EvaluationOutcome:
    """The outcome of an evaluation: the `result` and, if they apply, the merge plan, the merged intent and the questions."""

    def __init__(
        self, result: EvaluationResult, clusters: tuple[tuple[str, ...], ...], draft: MergeDraft | None
    ) -> None:
        self.result = result
        self.clusters = clusters
        """The clusters: intents that high or critical conflicts connect."""
        self._draft = draft

    @property
    def strategy(self) -> Strategy:
        return self.result.evaluation.merge_plan.strategy

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.result.requires_questions

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return self.result.evaluation.conflicts

    @cached_property
    def riskiest(self) -> tuple[str, ...]:
        """The Pareto front of risk: the intents that no other one dominates."""
        return front(self.result.evaluation.risk_comparison)

    @cached_property
    def merged_intent(self) -> IntentDocument | None:
        """The merged intent; None if nothing is merged."""
        draft = self._draft
        return merge_plans(draft.roles, self.result.created_at, draft.order()) if draft and draft.roles else None

    @cached_property
    def merge_plan(self) -> MergePlan | None:
        """The merge plan as a document; None if there are more intents than a plan can name."""
        return _build_plan(self.result, self._draft, self.merged_intent) if self._draft else None

    @cached_property
    def question_pack(self) -> QuestionPack | None:
        """The questions as a document for a person; None if there are none."""
        return self._draft.verdict.question_pack() if self._draft else None

    def files(self) -> dict[str, bytes]:
        """The documents as files, by name; the same outcome has the same bytes."""
        documents = {
            "result.json": self.result,
            "merge_plan.json": self.merge_plan,
            "merged_intent.json": self.merged_intent,
            "question_pack.json": self.question_pack,
        }
        return {name: msgspec.json.encode(document) for name, document in documents.items() if document is not None}


def _build_result(draft: MergeDraft, moment: str) -> EvaluationResult:
    """The result, dated, without its checksums."""
    verdict, survey = draft.verdict, draft.verdict.survey
    intent_set, too_large = survey.intent_set, not survey.mergeable
    return EvaluationResult(
        losses=draft.losses(),
        missing=verdict.missing(),
        id=verdict.result_id(),
        type="intent_evaluation_result",
        schema_version="0.9.3",
        created_at=moment,
        input=ResultInput(
            intent_set_id=intent_set.id,
            intent_checksums={intent.id: intent.audit.checksum for intent in survey.intents},
        ),
        evaluation=Evaluation(
            conflicts=survey.conflicts,
            merge_plan=draft.merge(),
            risk_comparison=survey.risks,
        ),
        constraints=ResultConstraints(execution="forbidden"),
        lineage=ResultLineage(
            derived_from_intent_set=intent_set.id,
            evaluator_version=VERSION,
            intent_set_checksum=intent_set.checksum,
        ),
        checksum=UNSEALED,
        requires_questions=tuple(
            result_question(open_question, place) for place, open_question in enumerate(verdict.open_questions)
        ),
        metadata=ResultMetadata(
            policy_hash=survey.policy.hash,
            evaluator_mode="semi_automatic" if verdict.answered else "automatic",
            clusters=_cluster_ids(survey) if too_large else (),
            risk_front=front(survey.risks) if too_large else (),
        ),
    )


def _cluster_ids(survey: Survey) -> tuple[tuple[str, ...], ...]:
    """The ids of each cluster."""
    return tuple(tuple(survey.intents[number].id for number in cluster) for cluster in survey.clusters)


def _build_plan(result: EvaluationResult, draft: MergeDraft, merged: IntentDocument | None) -> MergePlan:
    """The merge plan, sealed."""
    survey, roles = draft.verdict.survey, draft.roles
    ids = tuple(intent.id for intent in survey.intents)
    strategy = result.evaluation.merge_plan.strategy
    assert strategy != "no_merge_needed"
    name = f"merge_plan_{result.id.removeprefix('eval_result_')}"
    order = order_by_plan(merged, roles.kept) if merged and roles else {}
    resolved = sum(conflict.severity in GRAVE for conflict in survey.conflicts) if roles else 0
    clusters = len(survey.clusters)
    plan = MergePlan(
        id=name,
        type="intent_merge_plan",
        schema_version="0.9.3",
        created_at=result.created_at,
        strategy=strategy,
        source_intent_ids=ids,
        operations=tuple(plan_operations(draft.steps, roles, order)),
        lineage=PlanLineage(derived_from=ids, supersedes=roles.superseded if roles else (), merge_plan_id=name),
        checksum=UNSEALED,
        result_intent=merged,
        metadata=PlanMetadata(
            conflicts_resolved=resolved,
            merge_complexity="simple" if not clusters else "moderate" if clusters == 1 else "complex",
        ),
    )
    return replace(plan, checksum=whole_checksum(plan))


def _check_input(intent_set: IntentSet, intents: Sequence[IntentDocument], *, limit: bool) -> None:
    """Refuse invalid input, reporting all problems at once."""
    problems = Problems()
    where = f"intent set {intent_set.id}"
    wanted, offered = Counter(intent_set.intent_ids), Counter(intent.id for intent in intents)
    twice = {name for counts in (wanted, offered) for name, count in counts.items() if count > 1}
    for names, what, expected, remedy in (
        (wanted.keys() - offered, "is missing", "every intent of the set", "give it, or take it out of the set"),
        (
            offered.keys() - wanted,
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
