"""The checksums of documents: one function per kind, all over the same byte form.

The form is JSON with sorted keys, a space after each comma and colon, and nothing but ASCII: what Python's own
`json.dumps(data, sort_keys=True)` writes. What each checksum covers is frozen with the documents' versions:

    intent          the whole intent, with an empty string in place of its checksum
    intent_set      its intent_ids (sorted, so their order does not matter) and its context
    evaluation_result
        checksum            input, evaluation and lineage
        content_checksum    everything but id, created_at and the two checksums; so the questions are protected too
    merge_plan      everything but the checksum
    question_pack, answer_pack      everything but the checksum
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict, replace

from volition.governance.documents.intent import IntentDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.governance.documents.result import EvaluationResult

    Document = Mapping[str, Any] | msgspec.Struct

# A number with an exponent, where a number can end, and the start of one that Python gives an exponent and msgspec does
# not: they write very small and very large numbers in different ways.
_EXPONENT = re.compile(rb"e-?[0-9]+(?:[,}\]]|\Z)")
_SMALL = b"0.0000"


def byte_form(data: Any, *, floats: bool = True) -> bytes:
    """The bytes that checksums are made of; `data` is a document or plain JSON data, and `floats` says whether it may hold some.

    msgspec writes them three times faster than `json`, and the same, unless a letter or a number is written otherwise.

    >>> byte_form({"b": 1, "a": "é"})
    b'{"a": "\\\\u00e9", "b": 1}'
    """
    try:
        compact = msgspec.json.encode(data, order="sorted")
    except (OverflowError, UnicodeEncodeError):
        return json.dumps(msgspec.to_builtins(data), sort_keys=True).encode()
    odd = not compact.isascii() or b"\x7f" in compact or (floats and (_SMALL in compact or _EXPONENT.search(compact)))
    if odd:
        return json.dumps(msgspec.json.decode(compact), sort_keys=True).encode()
    return msgspec.json.format(compact, indent=0)


def intent_checksum(intent: Document) -> str:
    """The checksum of an intent, whatever its audit contains."""
    if isinstance(intent, IntentDocument):
        unsealed = replace(intent, audit=replace(intent.audit, checksum=""))
        # No other field of an intent can be a fraction.
        return _hash(unsealed, floats=isinstance(intent.budgets.max_cost_usd, float))
    data = _as_dict(intent)
    return _hash({**data, "audit": {**data["audit"], "checksum": ""}})


def set_checksum(intent_set: Document) -> str:
    """The checksum of an intent set."""
    data = _as_dict(intent_set)
    return _hash({"intent_ids": sorted(data["intent_ids"]), "context": data["context"]})


def result_checksum(result: Document, *, floats: bool = True) -> str:
    """The checksum of an evaluation result: what was evaluated, what came out and where it comes from."""
    data = _as_dict(result)
    return _hash({name: data[name] for name in ("input", "evaluation", "lineage")}, floats=floats)


def content_checksum(result: Document, *, floats: bool = True) -> str:
    """The checksum of everything in an evaluation result, including its questions."""
    content = {name: value for name, value in _as_dict(result).items() if name not in {"id", "created_at", "checksum"}}
    if "metadata" in content:
        metadata = _as_dict(content["metadata"])
        content["metadata"] = {name: value for name, value in metadata.items() if name != "content_checksum"}
    return _hash(content, floats=floats)


def seal_result(result: EvaluationResult) -> EvaluationResult:
    """A result with its two checksums; most of what both cover is encoded once."""
    assert result.metadata is not None
    # Nothing in a result but a weighted blast radius can be a fraction.
    floats = any(isinstance(row.dimensions.blast_radius, float) for row in result.evaluation.risk_comparison.matrix)
    # A file leaves out what is empty, and no field that a result must have can be.
    data = {name: value for name, value in asdict(result).items() if value}
    data["evaluation"] = msgspec.Raw(msgspec.json.encode(result.evaluation, order="sorted"))
    content = content_checksum(data, floats=floats)
    return replace(
        result,
        checksum=result_checksum(data, floats=floats),
        metadata=replace(result.metadata, content_checksum=content),
    )


def whole_checksum(document: Document) -> str:
    """The checksum of a merge plan or a pack: of everything but the checksum."""
    return _hash({name: value for name, value in _as_dict(document).items() if name != "checksum"})


def owed_checksums(kind: str, data: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """Where a document of this kind has a checksum, and its right value.

    >>> list(owed_checksums("question_pack", {"pack_id": "qpack_example"}))
    [('checksum',)]
    """
    match kind:
        case "intent":
            return {("audit", "checksum"): intent_checksum(data)}
        case "intent_set":
            return {("checksum",): set_checksum(data)}
        case "evaluation_result":
            owed: dict[tuple[str, ...], str] = {("checksum",): result_checksum(data)}
            if "content_checksum" in data.get("metadata", {}):
                owed["metadata", "content_checksum"] = content_checksum(data)
            return owed
        case "merge_plan":
            inner = owed_checksums("intent", data["result_intent"]) if "result_intent" in data else {}
            return {
                **{("result_intent", *place): seal for place, seal in inner.items()},
                ("checksum",): whole_checksum(data),
            }
        case "question_pack":
            return {("checksum",): whole_checksum(data)}
        case _:
            return {}


def seal(kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of plain data with the right checksums."""
    if kind == "merge_plan" and "result_intent" in data:
        data = {**data, "result_intent": seal("intent", data["result_intent"])}
    owed, copy = owed_checksums(kind, data), dict(_as_dict(data))
    for place, checksum in owed.items():
        inner = copy
        for name in place[:-1]:
            inner[name] = dict(inner[name])
            inner = inner[name]
        inner[place[-1]] = checksum
    return copy


def _as_dict(document: Document) -> dict[str, Any]:
    if isinstance(document, msgspec.Struct):
        plain: dict[str, Any] = msgspec.to_builtins(document)
        return plain
    if not isinstance(document, dict):
        raise TypeError(f"a document is an object, not a {type(document).__name__}")
    return document


def _hash(data: Any, *, floats: bool = True) -> str:
    return sha256(byte_form(data, floats=floats)).hexdigest()
