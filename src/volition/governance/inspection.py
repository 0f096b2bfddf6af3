"""All that is wrong with one document by itself: its schema, its checksums, its red lines and its times."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from volition.core.canonical import json_path
from volition.core.errors import shown
from volition.governance.checksums import seals
from volition.governance.faults import Finding, schema_findings
from volition.governance.redlines import payload_findings

RESEAL = "restore the content, or seal it anew: volition govern seal FILE"


def inspect(kind: str, data: Any) -> list[Finding]:
    """Everything that speaks against plain data as a document of this kind, in the order of the paths."""
    payload = payload_findings(data)
    named = {finding.path for finding in payload}
    # An unknown field that also crosses a red line is told once, as what it is.
    schema = [f for f in schema_findings(kind, data) if f.path not in named or f.code != "schema.additionalProperties"]
    known = {finding.path for finding in schema}
    rest = [f for f in [*checksum_findings(kind, data), *time_findings(kind, data)] if f.path not in known]
    return sorted([*payload, *schema, *rest], key=lambda finding: (finding.path, finding.code))


def checksum_findings(kind: str, data: Any) -> list[Finding]:
    """The checksums that are not those of the content; nothing where the content is too broken to have one."""
    try:
        owed = seals(kind, data)
    except (AttributeError, KeyError, TypeError):
        return []
    found = []
    for place, seal in owed.items():
        claimed: Any = data
        for name in place:
            claimed = claimed.get(name) if isinstance(claimed, dict) else None
        if claimed != seal:
            what = f"the checksum is not that of the content: {shown(claimed)}"
            found.append(Finding("checksum", json_path(list(place)), what, seal, RESEAL))
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
