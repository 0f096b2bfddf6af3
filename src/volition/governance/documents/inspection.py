"""Everything that is wrong with one document by itself: schema, checksums, red lines and times."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from volition.core.canonical import json_path
from volition.core.errors import InvalidInput, format_value
from volition.governance.documents.checksums import owed_checksums, seal
from volition.governance.documents.findings import Finding, schema_findings
from volition.governance.documents.kinds import kind_of
from volition.governance.documents.redlines import payload_findings

if TYPE_CHECKING:
    from collections.abc import Mapping

RESEAL = "restore the content, or seal it again: volition govern seal FILE"


def inspect(kind: str, data: Any) -> list[Finding]:
    """All findings on plain data as a document of this kind, in the order of the paths."""
    payload = payload_findings(data)
    named = {finding.path for finding in payload}
    # An unknown field that also crosses a red line is reported once, as a red line.
    schema = [f for f in schema_findings(kind, data) if f.path not in named or f.code != "schema.additionalProperties"]
    known = {finding.path for finding in schema}
    rest = [f for f in [*checksum_findings(kind, data), *time_findings(kind, data)] if f.path not in known]
    return sorted([*payload, *schema, *rest], key=lambda finding: (finding.path, finding.code))


def checksum_findings(kind: str, data: Any) -> list[Finding]:
    """The wrong checksums; none if the content is too broken to have one."""
    try:
        owed = owed_checksums(kind, data)
    except (AttributeError, KeyError, TypeError):
        return []
    found = []
    for place, right in owed.items():
        claimed: Any = data
        for name in place:
            claimed = claimed.get(name) if isinstance(claimed, dict) else None
        if claimed != right:
            what = f"the checksum is not that of the content: {format_value(claimed)}"
            found.append(Finding("checksum", json_path(list(place)), what, right, RESEAL))
    return found


def time_findings(kind: str, data: Any) -> list[Finding]:
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
