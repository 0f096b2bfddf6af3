"""The evaluation: from an intent set and its intents to a result, a merge plan, a merged intent or questions.

The same input gives the same bytes, whatever the order of the intents and whenever it is evaluated; nothing is executed.
Sets beyond `SET_LIMIT` are evaluated without a merge: their answer is the conflicts, the clusters and the riskiest.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import astuple, replace

from volition.core.errors import InvalidInput, Problems
from volition.governance.checksums import content_checksum, plan_checksum, result_checksum, spaced
from volition.governance.documents import (
    AnswerPack,
    Evaluation,
    EvaluationResult,
    MergePlan,
    PlanLineage,
    PlanMetadata,
    PlanOperation,
    ResultConstraints,
    ResultInput,
    ResultLineage,
    ResultMetadata,
)
from volition.governance.documents.intent_set import IntentSet
from volition.governance.drafts import gather
from volition.governance.loading import DEAD, Loaded
from volition.governance.merge import merged
from volition.governance.ordering import orders
from volition.governance.pause import collector_pause
from volition.governance.policy import BUILT_IN
from volition.governance.questions import question
from volition.governance.risk import compare, front
from volition.governance.verdict import SET_LIMIT, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.documents import Conflict, Intent, Question, QuestionPack
    from volition.governance.documents.result import Strategy
    from volition.governance.plan import Plan
    from volition.governance.policy import Policy

VERSION: Final = "0.9.3"


class Outcome:
    """What an evaluation comes to: the `result`, and as they apply the merge plan, the merged intent, the questions."""

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
        """The intents that grave conflicts connect, each cluster by itself."""
        return _clusters(self._verdict)

    @cached_property
    def riskiest(self) -> tuple[str, ...]:
        """The Pareto front of risk: the intents that no other one dominates."""
        return front(self.result.evaluation.risk_comparison)

    @cached_property
    def merged_intent(self) -> Intent | None:
        """The intent that the others become; None where nothing is merged."""
        verdict = self._verdict
        return merged(verdict.roles, self.result.created_at, verdict.order()) if verdict.roles else None

    @cached_property
    def merge_plan(self) -> MergePlan | None:
        """The plan as a document; None where there are more intents than a plan can name."""
        return _plan(self, self._verdict)

    @cached_property
    def question_pack(self) -> QuestionPack | None:
        """The questions as a document for a person; None where nothing is asked."""
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
    intent_set: IntentSet | Loaded | Iterable[Plan | Intent],
    intents: Iterable[Intent] | None = None,
    policy: Policy = BUILT_IN,
    answers: AnswerPack | Sequence[AnswerPack] | None = None,
    now: str | None = None,
    *,
    limit: bool = True,
) -> Outcome:
    """Judge the intents of a set together; what `load_set` gives is a set with its intents, and so is a list of plans.

    >>> from volition.governance.plan import Plan
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
    _check(intent_set, ordered, limit=limit)
    packs = () if answers is None else (answers,) if isinstance(answers, AnswerPack) else tuple(answers)
    with collector_pause(len(ordered)):
        verdict = Verdict(intent_set, ordered, policy)
        for pack in packs:
            verdict.apply(pack)
        return Outcome(sealed(_result(verdict, now or intent_set.created_at)), verdict)


def _result(verdict: Verdict, moment: str) -> EvaluationResult:
    """The whole answer, dated, without its checksums."""
    merge = verdict.merge()
    env = verdict.intent_set.context.env
    risks = compare(verdict.intents, env, verdict.policy, pairs=verdict.mergeable)
    metadata = ResultMetadata(
        policy_hash=verdict.policy.hash, evaluator_mode="semi_automatic" if verdict.answered else "automatic"
    )
    if not verdict.mergeable:
        metadata = msgspec.structs.replace(metadata, clusters=_clusters(verdict), risk_front=front(risks))
    return EvaluationResult(
        losses=verdict.losses(),
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
            risk_comparison=risks,
        ),
        constraints=ResultConstraints(execution="forbidden"),
        lineage=ResultLineage(
            derived_from_intent_set=verdict.intent_set.id,
            evaluator_version=VERSION,
            intent_set_checksum=verdict.intent_set.checksum,
        ),
        checksum="0" * 64,
        requires_questions=tuple(question(matter, place) for place, matter in enumerate(verdict.matters)),
        metadata=metadata,
    )


def _clusters(verdict: Verdict) -> tuple[tuple[str, ...], ...]:
    """The intents that grave conflicts connect, cluster by cluster."""
    return tuple(tuple(verdict.intents[number].id for number in group) for group in verdict.groups)


def _plan(outcome: Outcome, verdict: Verdict) -> MergePlan | None:
    if not verdict.mergeable:
        return None
    ids = tuple(intent.id for intent in verdict.intents)
    strategy = outcome.strategy
    assert strategy != "no_merge_needed"
    name = f"merge_plan_{outcome.result.id.removeprefix('eval_result_')}"
    order = orders(outcome.merged_intent, verdict.roles.kept) if outcome.merged_intent and verdict.roles else {}
    resolved = sum(1 for c in verdict.conflicts if c.severity in {"high", "critical"}) if verdict.roles else 0
    plan = MergePlan(
        id=name,
        type="intent_merge_plan",
        schema_version="0.9.3",
        created_at=outcome.result.created_at,
        strategy=strategy,
        source_intent_ids=ids,
        operations=tuple(
            PlanOperation(
                op_id=f"op_{n:04d}",
                operation=step.operation,
                source_intent_id=step.source,
                evidence=step.evidence,
                target_field=step.field,
                conflict_resolution=step.resolution,
                value=order.get(step.source) if step.operation == "union_commands" else step.value,
            )
            for n, step in enumerate(verdict.steps, 1)
        ),
        lineage=PlanLineage(
            derived_from=ids, supersedes=verdict.roles.superseded if verdict.roles else (), merge_plan_id=name
        ),
        checksum="0" * 64,
        result_intent=outcome.merged_intent,
        metadata=PlanMetadata(
            conflicts_resolved=resolved,
            merge_complexity="simple" if not verdict.groups else "moderate" if len(verdict.groups) == 1 else "complex",
        ),
    )
    return replace(plan, checksum=plan_checksum(plan))


_sorted: Final = msgspec.json.Encoder(order="sorted").encode


def sealed(result: EvaluationResult) -> EvaluationResult:
    """The result with its two checksums; what both of them cover is written once."""
    sums = _quick_sums(result) or (result_checksum(result), content_checksum(result))
    assert result.metadata is not None
    return replace(result, checksum=sums[0], metadata=replace(result.metadata, content_checksum=sums[1]))


def _quick_sums(result: EvaluationResult) -> tuple[str, str] | None:
    """Both checksums by way of sorted JSON, or None where that is not the form of which they are made."""
    rest = {
        **({"losses": result.losses} if result.losses else {}),
        "metadata": result.metadata,
        **({"requires_questions": result.requires_questions} if result.requires_questions else {}),
        "schema_version": result.schema_version,
        "type": result.type,
    }
    # Nothing but a risk is ever a float, and to look for odd ones in all the bytes would take half the time.
    floats = any(
        type(share) is float for row in result.evaluation.risk_comparison.matrix for share in astuple(row.dimensions)
    )
    after = spaced(_sorted(rest), floats=floats)
    if after is None:
        return None
    core, whole = sha256(b"{"), sha256(b'{"constraints": {"execution": "forbidden"}, ')
    for name, part in _pieces(result):
        piece = spaced(_sorted(part), floats=floats)
        if piece is None:
            return None
        for total in (core, whole):
            total.update(name)
            total.update(piece if name else memoryview(piece)[1:-1])
    core.update(b"}")
    whole.update(b", ")
    whole.update(memoryview(after)[1:])
    return core.hexdigest(), whole.hexdigest()


def _pieces(result: EvaluationResult) -> Iterable[tuple[bytes, object]]:
    """What both checksums cover; a large result piece by piece, so that it is never held twice."""
    evaluation = result.evaluation
    if len(result.input.intent_checksums) <= SET_LIMIT:
        return ((b"", {"evaluation": evaluation, "input": result.input, "lineage": result.lineage}),)
    return (
        (b'"evaluation": {"conflicts": ', evaluation.conflicts),
        (b', "merge_plan": ', evaluation.merge_plan),
        (b', "risk_comparison": ', evaluation.risk_comparison),
        (b'}, "input": ', result.input),
        (b', "lineage": ', result.lineage),
    )


def _check(intent_set: IntentSet, intents: Sequence[Intent], *, limit: bool) -> None:
    """Refuse what no evaluation can be made of, all of it at once."""
    problems = Problems()
    where = f"intent set {intent_set.id}"
    wanted = sorted(intent_set.intent_ids)
    given = [intent.id for intent in intents]
    if wanted != given:
        for name in sorted(set(wanted) - set(given)):
            problems.add(
                f"{name} is missing",
                where=where,
                expected="every intent of the set",
                remedy="give it, or take it out of the set",
            )
        for name in sorted(set(given) - set(wanted)):
            problems.add(
                f"{name} is not in the set",
                where=where,
                expected="the intents of the set alone",
                remedy="take it out, or name it in the set",
            )
        for name in (
            sorted({name for names in (wanted, given) for name in names if names.count(name) > 1})
            if len(given) < 1000
            else ()
        ):
            problems.add(
                f"{name} stands twice", where=where, expected="each intent once", remedy="leave one of them out"
            )
    if len(given) < 2:
        problems.add(
            f"{len(given)} intents", where=where, expected="at least 2", remedy="there is nothing to evaluate in one"
        )
    if limit and len(given) > SET_LIMIT:
        problems.add(
            f"{len(given)} intents",
            where=where,
            expected=f"at most {SET_LIMIT}",
            remedy="split the set, or evaluate it without the limit",
        )
    project = intent_set.context.project_id
    for intent in intents:
        if intent.scope.project_id != project:
            problems.add(
                f"the project of {intent.id} is {intent.scope.project_id!r}",
                where=where,
                expected=repr(project),
                remedy="take it out of the set",
            )
        if intent.status in DEAD:
            problems.add(
                f"{intent.id} is {intent.status}",
                where=where,
                expected="draft, proposed or approved",
                remedy="take it out of the set",
            )
    problems.raise_if_any(InvalidInput)
