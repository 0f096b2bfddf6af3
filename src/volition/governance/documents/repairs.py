"""Repairs of a lenient reader: known faults of older documents, each repaired and reported as a warning.

Short ids and checksums of 63 digits are padded, unknown keys of `metadata` and a null result are removed, unknown review
types and sources are replaced, and at the end the document is sealed again. Nothing else is repaired, and nothing that
crosses a red line.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, get_args

from volition.core.canonical import json_path
from volition.core.errors import format_value
from volition.governance.documents.checksums import seal
from volition.governance.documents.findings import Finding
from volition.governance.documents.inspection import checksum_findings
from volition.governance.documents.intent import IntentMetadata, Review, Source
from volition.governance.documents.intent_set import SetMetadata
from volition.governance.documents.merge_plan import PlanMetadata
from volition.governance.documents.redlines import payload_findings
from volition.governance.documents.result import ResultMetadata

if TYPE_CHECKING:
    from collections.abc import Iterator

_METADATA: Final = {
    "intent": IntentMetadata,
    "intent_set": SetMetadata,
    "evaluation_result": ResultMetadata,
    "merge_plan": PlanMetadata,
}
_SHORT_ID = re.compile(r"(op|question|option)_([a-z0-9_]{1,3})")
_SHORT_DIGEST = re.compile(r"[0-9a-f]{63}")
_REFERENCES: Final = frozenset({"intent_checksums", "intent_set_checksum", "policy_hash"})
_ID_FIELDS: Final = frozenset({"op_id", "question_id", "option_id"})
_REVIEWS: Final = get_args(Review)
_SOURCES: Final = get_args(Source)
_STRAY_REVIEWS: Final = {"operations": "release"}


def repair(kind: str, data: Any) -> tuple[Any, list[Finding]]:
    """A repaired copy of plain data, and a warning for each repair.

    >>> fixed, warnings = repair("question_pack", {"questions": [{"question_id": "question_001"}]})
    >>> fixed["questions"][0]["question_id"], warnings[0].path
    ('question_0001', '$.questions[0].question_id')
    """
    if not isinstance(data, dict):
        return data, []
    wrong_seals = checksum_findings(kind, data)
    copy = deepcopy(data)
    warnings = [*_pad(copy, []), *_drop_unknown_metadata(kind, copy), *_drop_nulls(copy)]
    if kind == "intent":
        warnings += _replace_unknown_values(copy, [])
    elif isinstance(inner := copy.get("result_intent"), dict):
        warnings += [
            *_drop_unknown_metadata("intent", inner, "result_intent"),
            *_replace_unknown_values(inner, ["result_intent"]),
        ]
    warnings += [_warning(f.path, f.what, "its own checksum", f"taken as {f.expected}") for f in wrong_seals]
    try:
        copy = seal(kind, copy)
    except (AttributeError, KeyError, TypeError):
        return copy, warnings  # too broken to be sealed; its other faults are reported
    return copy, warnings


def _pad(value: Any, path: list[str | int]) -> Iterator[Finding]:
    """Pad short ids, and checksums of other documents that lost a digit; a document's own are set at the end."""
    places = enumerate(value) if isinstance(value, list) else list(value.items()) if isinstance(value, dict) else ()
    for name, inner in places:
        about = (*path[-1:], name)
        text = inner if isinstance(inner, str) else ""
        if name in _ID_FIELDS and (short := _SHORT_ID.fullmatch(text)):
            value[name] = f"{short[1]}_{short[2]:0>4}"
            yield _warning([*path, name], f"{inner!r} is short", "an id of 4 digits", f"taken as {value[name]!r}")
        elif _REFERENCES.intersection(about) and _SHORT_DIGEST.fullmatch(text):
            value[name] = f"{inner:0>64}"
            yield _warning([*path, name], "a checksum of 63 digits", "64 digits", "taken with a 0 before it")
        else:
            yield from _pad(inner, [*path, name])


def _drop_unknown_metadata(kind: str, data: dict[str, Any], *path: str) -> Iterator[Finding]:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict) or kind not in {*_METADATA, "question_pack"}:
        return
    known = _METADATA[kind].__struct_fields__ if kind in _METADATA else ()
    unknown = [name for name, value in metadata.items() if name not in known and not payload_findings({name: value})]
    for name in unknown:
        del metadata[name]
        what = f"{format_value(name)} is not a known field of metadata"
        yield _warning([*path, "metadata", name], what, "known fields only", "left out")
    if not metadata:
        del data["metadata"]


def _drop_nulls(data: dict[str, Any]) -> Iterator[Finding]:
    plan = data.get("evaluation", {}).get("merge_plan", {}) if isinstance(data.get("evaluation"), dict) else {}
    if isinstance(plan, dict) and "result_intent_id" in plan and plan["result_intent_id"] is None:
        del plan["result_intent_id"]
        yield _warning(
            ["evaluation", "merge_plan", "result_intent_id"], "null is not an id", "an id or nothing", "left out"
        )


def _replace_unknown_values(data: dict[str, Any], path: list[str | int]) -> Iterator[Finding]:
    risk, audit = data.get("risk"), data.get("audit")
    if isinstance(risk, dict) and isinstance(reviews := risk.get("requires_review"), list):
        for place, review in enumerate(reviews):
            if instead := _STRAY_REVIEWS.get(review) if isinstance(review, str) else None:
                reviews[place] = instead
                where = [*path, "risk", "requires_review", place]
                yield _warning(where, f"{review!r} is not a review", f"one of {_REVIEWS}", f"taken as {instead!r}")
        risk["requires_review"] = list(dict.fromkeys(reviews)) if all(isinstance(r, str) for r in reviews) else reviews
    if isinstance(audit, dict) and isinstance(source := audit.get("source"), str) and source not in _SOURCES:
        audit["source"] = "imported"
        yield _warning(
            [*path, "audit", "source"],
            f"{format_value(source)} is not a known source",
            f"one of {_SOURCES}",
            "taken as 'imported'",
        )


def _warning(path: list[str | int] | str, what: str, expected: str, done: str) -> Finding:
    spot = path if isinstance(path, str) else json_path(path)
    return Finding("lenient", spot, f"{what}; {done}", expected, "correct the file", warning=True)
