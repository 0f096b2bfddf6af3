"""Evaluates many plans before any of them is executed: conflicts, merging, risk and questions. Nothing here executes anything."""

from volition.governance.difference import Difference, difference
from volition.governance.documents.intent import GRAVE, IntentDocument
from volition.governance.documents.intent_set import SET_LIMIT, Env, IntentSet
from volition.governance.documents.loading import Loaded, load_set
from volition.governance.documents.merge_plan import MergePlan
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.governance.documents.policy import BUILT_IN, Policy, Registry, parse_policy, read_policy
from volition.governance.documents.readers import (
    read_answer_pack,
    read_intent,
    read_plan,
    read_question_pack,
    read_result,
    read_set,
)
from volition.governance.documents.result import Conflict, EvaluationResult
from volition.governance.documents.validation import validate
from volition.governance.drafts.plan import Plan
from volition.governance.drafts.sets import gather, new_intent, new_set
from volition.governance.evaluator import EvaluationOutcome, evaluate
from volition.governance.explain import explain
from volition.governance.live.index import Collision, ConflictIndex
from volition.governance.merge.coordinator import ExecutionGraph, coordinate
from volition.governance.merge.merging import replay
from volition.governance.settlement.questions import answer

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # documents
    "IntentDocument", "IntentSet", "Conflict", "EvaluationResult", "MergePlan", "QuestionPack", "AnswerPack",
    # creating, reading and validating them
    "Plan", "gather", "new_intent", "new_set",
    "load_set", "Loaded", "validate",
    "read_intent", "read_set", "read_result", "read_plan", "read_question_pack", "read_answer_pack",
    # policy
    "Policy", "Registry", "BUILT_IN", "read_policy", "parse_policy", "Env", "GRAVE",
    # evaluation
    "evaluate", "EvaluationOutcome", "SET_LIMIT", "answer", "replay", "explain", "difference", "Difference",
    # before and after an evaluation
    "ConflictIndex", "Collision", "coordinate", "ExecutionGraph",
]  # fmt: skip
