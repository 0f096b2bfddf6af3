"""Many plans before any act: conflicts, merge, risk and questions. Nothing here can execute anything."""

from volition.governance.coordinator import ExecutionGraph, coordinate
from volition.governance.difference import Difference, difference
from volition.governance.documents import (
    AnswerPack,
    Conflict,
    EvaluationResult,
    Intent,
    IntentSet,
    MergePlan,
    QuestionPack,
)
from volition.governance.drafts import gather, new_intent, new_set
from volition.governance.evaluator import Outcome, evaluate
from volition.governance.explain import explain
from volition.governance.index import Collision, ConflictIndex
from volition.governance.loading import Loaded, load_set
from volition.governance.merge import replay
from volition.governance.plan import Plan
from volition.governance.policy import BUILT_IN, Policy, Registry, read_policy
from volition.governance.questions import answer
from volition.governance.reading import (
    read_answer_pack,
    read_intent,
    read_plan,
    read_question_pack,
    read_result,
    read_set,
)
from volition.governance.validation import validate
from volition.governance.verdict import SET_LIMIT

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # documents
    "Intent", "IntentSet", "Conflict", "EvaluationResult", "MergePlan", "QuestionPack", "AnswerPack",
    # making, reading and checking them
    "Plan", "gather", "new_intent", "new_set",
    "load_set", "Loaded", "validate",
    "read_intent", "read_set", "read_result", "read_plan", "read_question_pack", "read_answer_pack",
    # what governs
    "Policy", "Registry", "BUILT_IN", "read_policy",
    # judging
    "evaluate", "Outcome", "SET_LIMIT", "answer", "replay", "explain", "difference", "Difference",
    # before and after
    "ConflictIndex", "Collision", "coordinate", "ExecutionGraph",
]  # fmt: skip
