"""Reading documents: from bytes to a typed document, strictly, with everything that is wrong reported at once.

A valid document is parsed, converted to its type and hashed. Any other is inspected as plain data, to report every
fault with its path.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import orjson

from volition.core.canonical import json_path
from volition.core.document import parse_json
from volition.core.errors import InvalidInput, format_value, refuse
from volition.core.typed import convert, decoder
from volition.governance.documents.checksums import intent_checksum, owed_checksums, seal
from volition.governance.documents.findings import LARGE_SET, Finding, schema_findings, validator
from volition.governance.documents.intent import IntentDocument, StrictStruct
from volition.governance.documents.intent_set import LargeIntentSet
from volition.governance.documents.kinds import LIMITS, kind_of, kind_of_type
from volition.governance.documents.redlines import has_symbol, payload_findings

if TYPE_CHECKING:
    from collections.abc import Mapping

D = TypeVar("D", bound=StrictStruct)


def parse_document(content: bytes, type_: type[D], *, where: str = "") -> D:
    """The document of this type in JSON bytes; InvalidInput lists everything that is wrong with it.

    `where` names the document in problems. A `LargeIntentSet` may name more intents than an `IntentSet`.
    """
    kind = kind_of_type(type_)
    where = where or kind.replace("_", " ")
    check_size(kind, content, where)
    law = LARGE_SET if issubclass(type_, LargeIntentSet) else kind
    document = _decode(kind, law, type_, content)
    if document is not None:
        return document
    data = parse_json(content, where=where)
    if findings := inspect(kind, data, law):
        raise InvalidInput(*(finding.problem(where) for finding in findings))
    return from_data(data, type_)


def from_data(data: Any, type_: type[D]) -> D:
    """Plain data as a document; a whole number may be written as a float, as JSON allows."""
    try:
        return convert(data, type_)
    except msgspec.ValidationError:
        return convert(_with_whole_numbers(data), type_)


def check_size(kind: str, content: bytes, where: str) -> None:
    """Refuse what is too large to be a document of this kind."""
    if len(content) > LIMITS[kind]:
        refuse(
            f"{len(content)} bytes are too many",
            where=where,
            expected=f"at most {LIMITS[kind]} bytes",
            remedy="shorten its lists and texts: refer to evidence instead of holding it",
        )


def _decode(kind: str, law: str, type_: type[D], content: bytes) -> D | None:
    """The document, or None if anything is, or might be, wrong with it."""
    if kind == "merge_plan":
        return None  # it may hold any value, so no schema bounds its depth and its numbers
    try:
        data = orjson.loads(content)
        if not validator(law).is_valid(data):
            return None
        document = decoder(type_).decode(content)
        encoded = msgspec.json.encode(document)
        written = encoded if encoded == content else msgspec.json.format(content, indent=-1)
        # If what was read, written again, equals the file, nothing was lost, such as a duplicated key.
        if isinstance(document, IntentDocument) and encoded == written:
            sealed = document.audit.checksum == intent_checksum(document)
        else:
            # The fields may have another order. A number or a letter may be written differently: inspection decides.
            sealed = orjson.dumps(data) == written and not (
                _checksum_findings(kind, data) or _time_findings(kind, data)
            )
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None
    return document if sealed and not has_symbol(written) else None


def _with_whole_numbers(value: Any) -> Any:
    """Plain data whose whole floats are integers."""
    if isinstance(value, dict):
        return {name: _with_whole_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def inspect(kind: str, data: Any, law: str = "") -> list[Finding]:
    """Everything that is wrong with plain data as one document of this kind, in the order of the paths: schema, checksums,
    red lines and times. `law` names the schema, where it is not that of the kind."""
    payload = payload_findings(data)
    crossed = {finding.path for finding in payload}
    # An unknown field that also crosses a red line is reported once, as a red line.
    by_schema = [
        finding
        for finding in schema_findings(law or kind, data)
        if finding.path not in crossed or finding.code != "schema.additionalProperties"
    ]
    known = {finding.path for finding in by_schema}
    beyond = [f for f in [*_checksum_findings(kind, data), *_time_findings(kind, data)] if f.path not in known]
    return sorted([*payload, *by_schema, *beyond], key=lambda finding: (finding.path, finding.code))


def _checksum_findings(kind: str, data: Any) -> list[Finding]:
    """The wrong checksums; none if the content is too broken to have one."""
    try:
        owed = owed_checksums(kind, data)
    except (AttributeError, KeyError, TypeError):
        return []
    findings = []
    for place, right in owed.items():
        claimed: Any = data
        for name in place:
            claimed = claimed.get(name) if isinstance(claimed, dict) else None
        if claimed != right:
            what = f"the checksum is not that of the content: {format_value(claimed)}"
            remedy = "restore the content, or seal it again: volition govern seal FILE"
            findings.append(Finding("checksum", json_path(list(place)), what, right, remedy))
    return findings


def _time_findings(kind: str, data: Any) -> list[Finding]:
    """A time window that ends before it starts."""
    if kind != "intent_set":
        return []
    try:
        start, end = (datetime.fromisoformat(data["context"]["time_window"][name]) for name in ("start", "end"))
        backwards = start > end
    except (KeyError, TypeError, ValueError):
        return []
    if not backwards:
        return []
    path = "$.context.time_window"
    return [Finding("time_window", path, "the time window ends before it starts", "start <= end", "exchange the two")]


def seal_document(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a document with the right checksums; its kind follows from its type or pack id."""
    kind = kind_of(data)
    try:
        return seal(kind, data)
    except (AttributeError, KeyError, TypeError):
        raise InvalidInput(*(finding.problem(kind) for finding in inspect(kind, data))) from None
