"""The red lines: no document holds anything that could be executed, and no merged intent hides where it comes from.

RL-E1 is enforced by three independent layers, so that each catches what the others miss:

1. the closed types and schemas: a field that is not known is an error, and results say `execution: forbidden`;
2. `payload_findings`: looks at every key and text of the data, at any depth;
3. `static_findings`: looks at the bytes of a file, without reading it as a document.

RL-E2 is held by the types and schema of the merge plan and, for any lineage, by `lineage_findings`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from volition.core.canonical import json_path
from volition.governance.documents.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS: Final = frozenset(
    {
        "execute",
        "shell",
        "subprocess",
        "run",
        "command_line",
        "script",
        "bash",
        "python",
        "python_code",
        "powershell",
        "eval",
        "exec",
    }
)
"""Keys that no document may contain, in upper or lower case and at any depth."""

SYMBOLS: Final = (
    "subprocess.run",
    "os.system",
    "eval(",
    "exec(",
    "import subprocess",
    "shell=True",
    ".run(",
    "Popen",
)
"""What no text of a document may contain."""

_REMEDY: Final = "say in words what is meant; nothing here is executed"
_SYMBOL_BYTES: Final = tuple(symbol.encode() for symbol in SYMBOLS)
_MARKS: Final = (b"(", b"=", b"subprocess", b"os.system", b"Popen")
_KEY = re.compile(rb'"(' + "|".join(sorted(FIELDS)).encode() + rb')"\s*:', re.IGNORECASE)
_ESCAPE = re.compile(rb"\\(?:u00([0-7][0-9a-fA-F])|(/))")


def payload_findings(data: Any) -> list[Finding]:
    """RL-E1 at run time: every forbidden key and text in plain data, with its path.

    >>> [finding.path for finding in payload_findings({"a": [{"Execute": 1}], "b": "os.system('x')"})]
    ['$.a[0].Execute', '$.b']
    """
    findings: list[Finding] = []
    todo: list[tuple[list[str | int], Any]] = [([], data)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                if key.casefold() in FIELDS:
                    findings.append(_payload([*path, key], f"the key {key!r} would carry something to execute"))
                else:
                    findings.extend(_symbols(key, [*path, key]))
                todo.append(([*path, key], inner))
        elif isinstance(value, list | tuple):
            todo.extend(([*path, place], inner) for place, inner in enumerate(value))
        elif isinstance(value, str):
            findings.extend(_symbols(value, path))
    return sorted(findings, key=lambda finding: (finding.path, finding.what))


def static_findings(content: bytes) -> list[Finding]:
    """RL-E1 in the bytes of a file: forbidden keys and symbols, with the line of each.

    >>> [finding.path for finding in static_findings(b'{"a": 1,\\n "exec\\\\u0075te": "x"}')]
    ['line 2']
    """
    plain = _ESCAPE.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else b"/", content) if b"\\" in content else content
    findings = [
        _payload(
            plain.count(b"\n", 0, match.start()) + 1, f"the key {match[1].decode()!r} would carry something to execute"
        )
        for match in _KEY.finditer(plain)
    ]
    for symbol in _SYMBOL_BYTES:
        place = plain.find(symbol)
        while place >= 0:
            findings.append(_payload(plain.count(b"\n", 0, place) + 1, f"{symbol.decode()!r} is in a text"))
            place = plain.find(symbol, place + 1)
    return findings


def has_symbol(content: bytes) -> bool:
    """Whether JSON bytes without needless escapes hold a forbidden symbol.

    Each symbol holds one of the marks, and most documents hold none of these, so most need no further look.
    """
    for mark in _MARKS:
        if mark in content:
            return any(symbol in content for symbol in _SYMBOL_BYTES)
    return False


def lineage_findings(lineage: Mapping[str, Any], strategy: str, path: str = "$.lineage") -> list[Finding]:
    """RL-E2: what is missing in the lineage of an intent that was merged by `strategy`.

    >>> [finding.path for finding in lineage_findings({"derived_from": [], "supersedes": []}, "override_by_priority")]
    ['$.lineage.derived_from', '$.lineage.supersedes']
    """
    owed = {"derived_from": "a merged intent names what it is derived from"}
    if strategy == "override_by_priority":
        owed["supersedes"] = "an override names what it supersedes"
    return [
        Finding("RL-E2", f"{path}.{name}", law, "at least 1 intent id", "name the source intents")
        for name, law in owed.items()
        if not lineage.get(name)
    ]


def _symbols(text: str, path: list[str | int]) -> list[Finding]:
    return [_payload(path, f"{symbol!r} is in a text") for symbol in SYMBOLS if symbol in text]


def _payload(place: list[str | int] | int, what: str) -> Finding:
    path = f"line {place}" if isinstance(place, int) else json_path(place)
    return Finding("RL-E1", path, what, "plans in words, never anything to execute", _REMEDY)
