"""Evaluates many plans before any of them is executed: conflicts, merging, risk and questions. Nothing here executes anything.

The names below are imported when first used: a guard that starts for every call needs only the algebra of claims.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from volition.governance.documents.intent import GRAVE, IntentDocument
    from volition.governance.documents.intent_set import SET_LIMIT, Env, IntentSet
    from volition.governance.documents.loading import Loaded, load_document, load_set
    from volition.governance.documents.packs import AnswerPack, QuestionPack
    from volition.governance.documents.policy import BUILT_IN, Policy, Registry, parse_policy, read_policy
    from volition.governance.documents.reading import parse_document
    from volition.governance.documents.result import Conflict, EvaluationResult, MergePlan
    from volition.governance.documents.validation import validate
    from volition.governance.drafts.plan import Plan
    from volition.governance.drafts.sets import gather, new_intent, new_set
    from volition.governance.evaluator import EvaluationOutcome, evaluate
    from volition.governance.explanation import ResultDifference, compare_results, explain_result
    from volition.governance.live.index import Collision, ConflictIndex
    from volition.governance.merge.coordinator import ExecutionGraph, coordinate
    from volition.governance.merge.merging import replay_merge
    from volition.governance.settlement.questions import answer_questions

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # documents
    "IntentDocument", "IntentSet", "Conflict", "EvaluationResult", "MergePlan", "QuestionPack", "AnswerPack",
    # creating, reading and validating them
    "Plan", "gather", "new_intent", "new_set",
    "load_set", "load_document", "Loaded", "parse_document", "validate",
    # policy
    "Policy", "Registry", "BUILT_IN", "read_policy", "parse_policy", "Env", "GRAVE",
    # evaluation
    "evaluate", "EvaluationOutcome", "SET_LIMIT", "answer_questions", "replay_merge", "explain_result", "compare_results", "ResultDifference",
    # before and after an evaluation
    "ConflictIndex", "Collision", "coordinate", "ExecutionGraph",
]  # fmt: skip

_FROM = {
    "ResultDifference": "explanation",
    "compare_results": "explanation",
    "GRAVE": "documents.intent",
    "IntentDocument": "documents.intent",
    "SET_LIMIT": "documents.intent_set",
    "Env": "documents.intent_set",
    "IntentSet": "documents.intent_set",
    "Loaded": "documents.loading",
    "load_document": "documents.loading",
    "load_set": "documents.loading",
    "MergePlan": "documents.result",
    "AnswerPack": "documents.packs",
    "QuestionPack": "documents.packs",
    "BUILT_IN": "documents.policy",
    "Policy": "documents.policy",
    "Registry": "documents.policy",
    "parse_policy": "documents.policy",
    "read_policy": "documents.policy",
    "parse_document": "documents.reading",
    "Conflict": "documents.result",
    "EvaluationResult": "documents.result",
    "validate": "documents.validation",
    "Plan": "drafts.plan",
    "gather": "drafts.sets",
    "new_intent": "drafts.sets",
    "new_set": "drafts.sets",
    "EvaluationOutcome": "evaluator",
    "evaluate": "evaluator",
    "explain_result": "explanation",
    "Collision": "live.index",
    "ConflictIndex": "live.index",
    "ExecutionGraph": "merge.coordinator",
    "coordinate": "merge.coordinator",
    "replay_merge": "merge.merging",
    "answer_questions": "settlement.questions",
}


def __getattr__(name: str) -> Any:
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
