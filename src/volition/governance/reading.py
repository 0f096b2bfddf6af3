"""From bytes to documents: strictly, quickly, and with everything that is wrong told at once.

A document that is right takes the quick way: one parse, one conversion to its closed type, one hash. Whatever is not
right there is read again slowly, to name every fault with its place. A key that stands twice is noticed by length:
whatever writing a document anew can change in it, apart from its floats, makes it shorter.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Generic, TypeVar

import msgspec
import orjson

from volition.core.document import parse_json
from volition.core.errors import InvalidInput, refuse, shown
from volition.governance.checksums import spaced
from volition.governance.documents.closed import INTENT_ID, Closed
from volition.governance.documents.intent import Intent
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.governance.documents.plan import MergePlan
from volition.governance.documents.result import EvaluationResult
from volition.governance.faults import Finding, strange_letters
from volition.governance.inspection import checksum_findings, inspect, time_findings
from volition.governance.redlines import has_symbol
from volition.governance.repairs import repaired

LIMITS: Final = {
    "intent": 8 * 2**20,
    "intent_set": 16 * 2**20,
    "evaluation_result": 256 * 2**20,
    "merge_plan": 16 * 2**20,
    "question_pack": 16 * 2**20,
    "answer_pack": 16 * 2**20,
}
"""How many bytes a document of each kind may have."""

D = TypeVar("D", bound=Closed)
_INTENT: Final = msgspec.json.Decoder(Intent)
_SET: Final = msgspec.json.Decoder(IntentSet)
_sorted: Final = msgspec.json.Encoder(order="sorted").encode
_BEFORE_SEAL: Final = b'{"audit":{"checksum":"'


@dataclass(frozen=True, slots=True)
class Read(Generic[D]):
    """A document that was read, and what a lenient reader let pass."""

    document: D
    warnings: tuple[Finding, ...] = ()


def read_intent(content: bytes, *, where: str = "intent", lenient: bool = False) -> Read[Intent]:
    """Read an intent."""
    document = quick_intent(content)
    return Read(document) if document is not None else _read("intent", Intent, content, where, lenient=lenient)


def read_set(
    content: bytes, *, where: str = "intent set", lenient: bool = False, limit: bool = True
) -> Read[IntentSet]:
    """Read an intent set; without `limit` it may name more than 20 intents."""
    document = _quick_set(content)
    if document is not None:
        return Read(document)
    if limit:
        return _read("intent_set", IntentSet, content, where, lenient=lenient)
    return _read_large_set(content, where, lenient=lenient)


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
    """Plain data as a document; a whole number may be written as a float, as JSON has it."""
    try:
        return msgspec.convert(data, type_)
    except msgspec.ValidationError:
        return msgspec.convert(_whole(data), type_)


def _read(kind: str, type_: type[D], content: bytes, where: str, *, lenient: bool) -> Read[D]:
    check_size(kind, content, where)
    # A plan may hold any value, so no type bounds its depth and its numbers.
    document = None if kind == "merge_plan" else _quickly(kind, type_, content)
    return Read(document) if document is not None else _slowly(kind, type_, content, where, lenient=lenient)


def check_size(kind: str, content: bytes, where: str) -> None:
    """Refuse what is too large to be a document of this kind."""
    if len(content) > LIMITS[kind]:
        refuse(
            f"{len(content)} bytes are too many",
            where=where,
            expected=f"at most {LIMITS[kind]} bytes",
            remedy="shorten its lists and texts: refer to evidence instead of holding it",
        )


def quick_intent(content: bytes) -> Intent | None:
    """An intent by the quickest way, or None where it is not valid or not plain; `read_intent` says what is wrong.

    Written anew from its type, a document without floats gets shorter wherever anything is lost: a key that stands
    twice, a default, an escape. Where it does not, what was written is what was read, and its checksum is made of it.
    """
    if len(content) > LIMITS["intent"]:
        return None
    try:
        document = _INTENT.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    compact = _sorted(document)
    if type(document.budgets.max_cost_usd) is float or has_symbol(compact):
        return None
    if len(content) != len(compact) and not _nothing_lost(content, compact):
        return None
    # Sorted, the checksum is the first of all values.
    form = spaced(_BEFORE_SEAL + compact[len(_BEFORE_SEAL) + 64 :], floats=False)
    return document if form and sha256(form).hexdigest() == document.audit.checksum else None


def _quick_set(content: bytes) -> IntentSet | None:
    """A set by the quickest way, as `quick_intent` has it, or None; one with a time window is looked at closely."""
    if len(content) > LIMITS["intent_set"]:
        return None
    try:
        document = _SET.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    compact = _sorted(document)
    if document.context.time_window is not None or has_symbol(compact):
        return None
    if len(content) != len(compact) and not _nothing_lost(content, compact):
        return None
    form = spaced(_sorted({"context": document.context, "intent_ids": sorted(document.intent_ids)}), floats=False)
    return document if form and sha256(form).hexdigest() == document.checksum else None


def _nothing_lost(content: bytes, compact: bytes) -> bool:
    """Whether all that stands in `content` stands in what was written anew from it, which holds no float.

    Where no letter is escaped, texts are the same in both, and whatever is lost takes a colon with it: to count is
    faster than to write.
    """
    if b"\\" not in content:
        return content.count(b":") == compact.count(b":")
    return len(msgspec.json.format(content, indent=-1)) == len(compact)


def _quickly(kind: str, type_: type[D], content: bytes) -> D | None:
    """The document, or None where anything at all is not as it should be."""
    lexemes: list[str] = []

    def kept(lexeme: str) -> float:
        lexemes.append(lexeme)
        return float(lexeme)

    try:
        data = msgspec.json.Decoder(float_hook=kept).decode(content)
        document = msgspec.convert(data, type_)
        forms = [orjson.dumps(float(lexeme)) for lexeme in lexemes]
        compact = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, orjson.JSONEncodeError):
        return None
    if has_symbol(compact) or checksum_findings(kind, data) or time_findings(kind, data):
        return None
    least = len(compact) - sum(map(len, forms)) + sum(map(len, lexemes))
    return document if len(content) == least or len(msgspec.json.format(content, indent=-1)) == least else None


def _slowly(kind: str, type_: type[D], content: bytes, where: str, *, lenient: bool) -> Read[D]:
    data = parse_json(content, where=where)
    found = inspect(kind, data)
    warnings: list[Finding] = []
    if found and lenient:
        data, warnings = repaired(kind, data)
        found = inspect(kind, data)
    _refuse_all(found, where)
    return Read(from_data(data, type_), tuple(warnings))


def _read_large_set(content: bytes, where: str, *, lenient: bool) -> Read[IntentSet]:
    """Read a set of any size: its ids are checked apart from the rest, whose type allows 20."""
    check_size("intent_set", content, where)
    data = parse_json(content, where=where)
    ids = data.get("intent_ids") if isinstance(data, dict) else None
    if not isinstance(ids, list) or len(ids) <= 20:
        return _read("intent_set", IntentSet, content, where, lenient=lenient)
    warnings: list[Finding] = []
    if lenient:
        data, warnings = repaired("intent_set", data)
    small = {**data, "intent_ids": [f"intent_number_{n}" for n in range(2)]}
    found = [finding for finding in inspect("intent_set", small) if finding.code != "checksum"]
    found += [*_id_findings(ids), *checksum_findings("intent_set", data)]
    _refuse_all(found, where)
    return Read(msgspec.structs.replace(from_data(small, IntentSet), intent_ids=tuple(ids)), tuple(warnings))


def _id_findings(ids: list[Any]) -> list[Finding]:
    remedy = "correct the id"
    expected = "an intent id: intent_ and 6 to 64 of a-z, 0-9 and _"
    found = [
        Finding(
            "schema.pattern",
            f"$.intent_ids[{place}]",
            f"{shown(name)} is no intent id{_lookalike(name)}",
            expected,
            remedy,
        )
        for place, name in enumerate(ids)
        if not (isinstance(name, str) and re.match(INTENT_ID, name))
    ]
    twice = [name for name, count in Counter(name for name in ids if isinstance(name, str)).items() if count > 1]
    return found + [
        Finding("schema.uniqueItems", "$.intent_ids", f"stands twice: {shown(name)}", "each id once", "remove one")
        for name in twice
    ]


def _lookalike(name: Any) -> str:
    strange = strange_letters(name) if isinstance(name, str) else ""
    return f": {strange}" if strange else ""


def _refuse_all(found: list[Finding], where: str) -> None:
    if found:
        raise InvalidInput(*(finding.problem(where) for finding in found))


def _whole(value: Any) -> Any:
    """Plain data whose whole floats are integers."""
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
