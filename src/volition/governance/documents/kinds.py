"""The kinds of documents: the type and the size of each, and which kind plain data is."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput, Problem
from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.governance.documents.result import EvaluationResult, MergePlan

if TYPE_CHECKING:
    from volition.governance.documents.intent import StrictStruct

KINDS: Final[dict[str, type[StrictStruct]]] = {
    "intent": IntentDocument,
    "intent_set": IntentSet,
    "evaluation_result": EvaluationResult,
    "merge_plan": MergePlan,
    "question_pack": QuestionPack,
    "answer_pack": AnswerPack,
}
"""The kinds of documents, with the type of each."""
LIMITS: Final = {
    "intent": 8 * 2**20,
    "intent_set": 16 * 2**20,
    "evaluation_result": 256 * 2**20,
    "merge_plan": 16 * 2**20,
    "question_pack": 16 * 2**20,
    "answer_pack": 16 * 2**20,
}
"""How many bytes a document of each kind may have."""

_TYPES: Final = {
    "execution_intent": "intent",
    "intent_set": "intent_set",
    "intent_evaluation_result": "evaluation_result",
    "intent_merge_plan": "merge_plan",
}


@cache
def kind_of_type(type_: type[StrictStruct]) -> str:
    """The kind of a type of documents.

    >>> kind_of_type(MergePlan)
    'merge_plan'
    """
    return next(kind for kind, known in KINDS.items() if issubclass(type_, known))


def kind_of(data: Any) -> str:
    """Which kind of document plain data is.

    >>> kind_of({"type": "intent_set"}), kind_of({"pack_id": "apack_example"})
    ('intent_set', 'answer_pack')
    """
    if isinstance(data, dict):
        name, pack = data.get("type"), data.get("pack_id")
        if isinstance(name, str) and name in _TYPES:
            return _TYPES[name]
        if isinstance(pack, str) and pack.startswith(("qpack_", "apack_")):
            return "question_pack" if pack.startswith("qpack_") else "answer_pack"
    known = f"a type ({', '.join(_TYPES)}) or a pack_id (qpack_..., apack_...)"
    raise InvalidInput(Problem("this is not a governance document", "$.type", known, "say what it is"))
