"""Question packs for people, and answer packs with their answers."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from volition.governance.documents.intent import Level  # noqa: TC001 - msgspec reads the annotations
from volition.governance.documents.result import Option  # noqa: TC001 - msgspec reads the annotations
from volition.governance.documents.strict import Count, IntentId, Maybe, Moment, Sha, StrictStruct

QuestionPackId = Annotated[str, Meta(pattern=r"^qpack_[a-z0-9_]{6,64}\Z")]
AnswerPackId = Annotated[str, Meta(pattern=r"^apack_[a-z0-9_]{6,64}\Z")]
QuestionId = Annotated[str, Meta(pattern=r"^(q|question)_[a-z0-9_]{4,32}\Z")]


class Impact(StrictStruct, frozen=True):
    """What depends on an answer."""

    scope: Literal["entire_plan", "single_phase", "single_action", "optimization_only"]
    description: Annotated[str, Meta(max_length=1000)]
    affected_nodes: tuple[Annotated[str, Meta(pattern=r"^node_[a-z0-9_]{4,32}\Z")], ...] = ()


class PackQuestion(StrictStruct, frozen=True):
    """A question as a person reads it."""

    question_id: QuestionId
    type: Literal["clarification", "blocker", "optimization", "risk_mitigation"]
    blocking_level: Level
    question_text: Annotated[str, Meta(min_length=10, max_length=2000)]
    context: Annotated[str, Meta(min_length=10, max_length=4000)]
    evidence_refs: Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=512)], ...], Meta(min_length=1)]
    impact: Impact
    options: Annotated[tuple[Option, ...], Meta(min_length=2)]
    default_strategy: Maybe[Annotated[str, Meta(max_length=1000)]] = None


class PackPolicy(StrictStruct, frozen=True):
    """How much may be asked; full_auto asks nobody, so no pack has this mode."""

    execution_mode: Literal["interactive", "semi_auto"]
    question_budget: Count
    question_policy: Literal["all", "blockers_only", "never"]
    budget_consumed: Maybe[Count] = None
    budget_remaining: Maybe[Count] = None


class QuestionPack(StrictStruct, frozen=True):
    """All questions of one evaluation; `checksum` is what an answer is bound to."""

    pack_id: QuestionPackId
    schema_version: Literal["0.9.2"]
    coordinator_run_id: Annotated[str, Meta(min_length=1, max_length=128)]
    intent_id: IntentId
    questions: Annotated[tuple[PackQuestion, ...], Meta(min_length=1, max_length=50)]
    policy_constraints: PackPolicy
    created_at: Moment
    checksum: Sha
    expires_at: Maybe[Moment] = None
    needs_person: bool = True


class Answer(StrictStruct, frozen=True):
    """One answer: the chosen option, or a text."""

    question_id: QuestionId
    answer_type: Literal["text", "choice", "structured", "fallback"]
    answer_text: Annotated[str, Meta(min_length=1, max_length=4000)]
    provided_at: Moment
    provided_by: Literal["human", "fallback", "policy_default"]


class AnswerPack(StrictStruct, frozen=True):
    """Answers to a question pack, bound to it by its checksum."""

    pack_id: AnswerPackId
    question_pack_id: QuestionPackId
    question_pack_checksum: Sha
    answers: Annotated[tuple[Answer, ...], Meta(min_length=1)]
    provided_at: Moment
