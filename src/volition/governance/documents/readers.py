"""Readers: from bytes to documents, strictly, with everything that is wrong reported at once.

A valid document is parsed, converted to its type and hashed. Any other is inspected as plain data, to report every
fault with its path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

import msgspec
import orjson

from volition.core.document import parse_json
from volition.core.errors import InvalidInput, refuse
from volition.core.typed import convert, decoder
from volition.governance.documents.checksums import intent_checksum
from volition.governance.documents.inspection import checksum_findings, inspect, time_findings
from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.intent_set import IntentSet, LargeIntentSet
from volition.governance.documents.merge_plan import MergePlan
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.governance.documents.redlines import has_symbol
from volition.governance.documents.repairs import repair
from volition.governance.documents.result import EvaluationResult
from volition.governance.documents.strict import StrictStruct

if TYPE_CHECKING:
    from volition.governance.documents.findings import Finding

LIMITS: Final = {
    "intent": 8 * 2**20,
    "intent_set": 16 * 2**20,
    "evaluation_result": 256 * 2**20,
    "merge_plan": 16 * 2**20,
    "question_pack": 16 * 2**20,
    "answer_pack": 16 * 2**20,
}
"""How many bytes a document of each kind may have."""

D = TypeVar("D", bound=StrictStruct)


class Read(NamedTuple, Generic[D]):
    """A document that was read, and the warnings of a lenient reader."""

    document: D
    warnings: tuple[Finding, ...] = ()


def read_intent(content: bytes, *, where: str = "intent", lenient: bool = False) -> Read[IntentDocument]:
    """Read an intent."""
    return _read("intent", IntentDocument, content, where, lenient=lenient)


def read_set(
    content: bytes, *, where: str = "intent set", lenient: bool = False, limit: bool = True
) -> Read[IntentSet]:
    """Read an intent set; without `limit` it may name more than 20 intents."""
    return _read("intent_set", IntentSet if limit else LargeIntentSet, content, where, lenient=lenient)


def read_result(content: bytes, *, where: str = "result", lenient: bool = False) -> Read[EvaluationResult]:
    """Read an evaluation result."""
    return _read("evaluation_result", EvaluationResult, content, where, lenient=lenient)


def read_plan(content: bytes, *, where: str = "merge plan", lenient: bool = False) -> Read[MergePlan]:
    """Read a merge plan."""
    return _read("merge_plan", MergePlan, content, where, lenient=lenient)


def read_question_pack(content: bytes, *, where: str = "question pack", lenient: bool = False) -> Read[QuestionPack]:
    """Read a question pack."""
    return _read("question_pack", QuestionPack, content, where, lenient=lenient)


def read_answer_pack(content: bytes, *, where: str = "answer pack", lenient: bool = False) -> Read[AnswerPack]:
    """Read an answer pack."""
    return _read("answer_pack", AnswerPack, content, where, lenient=lenient)


def from_data(data: Any, type_: type[D]) -> D:
    """Plain data as a document; a whole number may be written as a float, as JSON allows."""
    try:
        return convert(data, type_)
    except msgspec.ValidationError:
        return convert(_with_whole_numbers(data), type_)


def _read(kind: str, type_: type[D], content: bytes, where: str, *, lenient: bool) -> Read[D]:
    check_size(kind, content, where)
    document = _decode(kind, type_, content)
    if document is not None:
        return Read(document)
    data = parse_json(content, where=where)
    found = _inspect(kind, type_, data)
    warnings: list[Finding] = []
    if found and lenient:
        data, warnings = repair(kind, data)
        found = _inspect(kind, type_, data)
    if found:
        raise InvalidInput(*(finding.problem(where) for finding in found))
    return Read(from_data(data, type_), tuple(warnings))


def check_size(kind: str, content: bytes, where: str) -> None:
    """Refuse what is too large to be a document of this kind."""
    if len(content) > LIMITS[kind]:
        refuse(
            f"{len(content)} bytes are too many",
            where=where,
            expected=f"at most {LIMITS[kind]} bytes",
            remedy="shorten its lists and texts: refer to evidence instead of holding it",
        )


def _decode(kind: str, type_: type[D], content: bytes) -> D | None:
    """The document, or None if anything is, or might be, wrong with it."""
    if kind == "merge_plan":
        return None  # it may hold any value, so no type bounds its depth and its numbers
    try:
        document = decoder(type_).decode(content)
        written = msgspec.json.format(content, indent=-1)
        # If what was read, written again, equals the file, nothing was lost, such as a duplicated key.
        if isinstance(document, IntentDocument) and msgspec.json.encode(document) == written:
            sealed = document.audit.checksum == intent_checksum(document)
        else:
            # The fields may have another order. A number or a letter may be written differently: inspection decides.
            data = orjson.loads(content)
            sealed = orjson.dumps(data) == written and not (checksum_findings(kind, data) or time_findings(kind, data))
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None
    return document if sealed and not has_symbol(written) else None


def _inspect(kind: str, type_: type[D], data: Any) -> list[Finding]:
    """The findings on plain data; the schema limits every set, so its limit is left out where the type has none."""
    limit = ("$.intent_ids", "schema.maxItems") if type_ is LargeIntentSet else None
    return [finding for finding in inspect(kind, data) if (finding.path, finding.code) != limit]


def _with_whole_numbers(value: Any) -> Any:
    """Plain data whose whole floats are integers."""
    if isinstance(value, dict):
        return {name: _with_whole_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
