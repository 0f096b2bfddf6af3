"""Evaluates many plans before any of them is executed: conflicts, merging, risk and questions.

Nothing here executes anything. The names below are imported when first used: a guard that starts for every call needs only a few.

Plans:
    Plan               what one agent wants to do
    gather             several plans as one set
    IntentDocument     a plan as a document
    load_set           reads a set and everything that it names
    load_document      reads a document of a kind from a file
    parse_document     reads a document of a kind from bytes
    validate           all errors of a document
    Policy             what a project wants to be asked about
    read_policy        reads a policy

Evaluation:
    evaluate           finds conflicts, merges, compares risk and asks questions
    EvaluationOutcome  the result, the merge plan and the questions
    answer_questions   the answers to a question pack
    explain_result     an evaluation in sentences
    coordinate         the graph of what is executed, and in which order

While others work:
    ConflictIndex      all open plans, and what a new one would collide with
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.lazy import lazy_names

if TYPE_CHECKING:
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.loading import load_document, load_set
    from volition.governance.documents.policy import Policy, read_policy
    from volition.governance.documents.reading import parse_document
    from volition.governance.documents.validation import validate
    from volition.governance.drafts.plan import Plan
    from volition.governance.drafts.sets import gather
    from volition.governance.evaluator import EvaluationOutcome, evaluate
    from volition.governance.explanation import explain_result
    from volition.governance.live.index import ConflictIndex
    from volition.governance.merge.coordinator import coordinate
    from volition.governance.settlement.questions import answer_questions

__all__ = [  # noqa: RUF022  in the order of the page above
    "Plan",
    "gather",
    "IntentDocument",
    "load_set",
    "load_document",
    "parse_document",
    "validate",
    "Policy",
    "read_policy",
    "evaluate",
    "EvaluationOutcome",
    "answer_questions",
    "explain_result",
    "coordinate",
    "ConflictIndex",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "volition.governance.drafts.plan": "Plan",
        "volition.governance.drafts.sets": "gather",
        "volition.governance.documents.intent": "IntentDocument",
        "volition.governance.documents.loading": "load_set load_document",
        "volition.governance.documents.reading": "parse_document",
        "volition.governance.documents.validation": "validate",
        "volition.governance.documents.policy": "Policy read_policy",
        "volition.governance.evaluator": "evaluate EvaluationOutcome",
        "volition.governance.settlement.questions": "answer_questions",
        "volition.governance.explanation": "explain_result",
        "volition.governance.merge.coordinator": "coordinate",
        "volition.governance.live.index": "ConflictIndex",
    },
)
