"""Question packs for people, and answer packs with their answers."""

from __future__ import annotations

from typing import Literal

from volition.governance.documents.intent import (
    Level,
    StrictStruct,
)
from volition.governance.documents.result import Option  # noqa: TC001 - msgspec reads the annotations


class Impact(StrictStruct, frozen=True):
    """What depends on an answer."""

    scope: Literal["entire_plan", "single_phase", "single_action", "optimization_only"]
    description: str
    affected_nodes: tuple[str, ...] = ()


class PackQuestion(StrictStruct, frozen=True):
    """A question as a person reads it."""

    question_id: str
    type: Literal["clarification", "blocker", "optimization", "risk_mitigation"]
    blocking_level: Level
    question_text: str
    context: str
    evidence_refs: tuple[str, ...]
    impact: Impact
    options: tuple[Option, ...]
    default_strategy: str | None = None


class PackPolicy(StrictStruct, frozen=True):
    """How much may be asked; full_auto asks nobody, so no pack has this mode."""

    execution_mode: Literal["interactive", "semi_auto"]
    question_budget: int
    question_policy: Literal["all", "blockers_only", "never"]
    budget_consumed: int | None = None
    budget_remaining: int | None = None


class QuestionPack(StrictStruct, frozen=True):
    """All questions of one evaluation; `checksum` is what an answer is bound to."""

    pack_id: str
    schema_version: Literal["0.9.2"]
    coordinator_run_id: str
    intent_id: str
    questions: tuple[PackQuestion, ...]
    policy_constraints: PackPolicy
    created_at: str
    checksum: str
    expires_at: str | None = None
    needs_person: bool = True


class Answer(StrictStruct, frozen=True):
    """One answer: the chosen option, or a text."""

    question_id: str
    answer_type: Literal["text", "choice", "structured", "fallback"]
    answer_text: str
    provided_at: str
    provided_by: Literal["human", "fallback", "policy_default"]


class PackSignature(StrictStruct, frozen=True):
    """Who answered, and with which key: what is signed is the whole pack, with this name and this key."""

    by: str
    key: str
    signature: str


class AnswerPack(StrictStruct, frozen=True):
    """Answers to a question pack, bound to it by its checksum, and to who gave them by a signature if they have a key."""

    pack_id: str
    question_pack_id: str
    question_pack_checksum: str
    answers: tuple[Answer, ...]
    provided_at: str
    signature: PackSignature | None = None
