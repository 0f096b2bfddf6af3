"""Shared files: plans that work on different parts of one file, and so do not clash.

That is said at low severity, because the parts are only named, and two changes to one file still have to be merged.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Final

from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import LOW, RESOURCE
from volition.governance.documents.effects import TOUCH, WRITES
from volition.governance.paths.names import PART, parts_meet, split_part

if TYPE_CHECKING:
    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger

RULE: Final = "resource_shared_file"
SHARED: Final = "file:"
"""The prefix of such a conflict's resource; the path of the file follows."""


def find_shared(findings: ConflictLedger, index: Index) -> None:
    """Report each file of which different plans write different parts."""
    files: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    for resource, held in index.items():
        if PART in resource:
            path, part = split_part(resource)
            if part and (codes := [code for code in held if code & TOUCH]):
                files[path][part] = codes
    severity = findings.severity(RULE)
    for path, parts in sorted(files.items()):
        writing = {part: some for part, codes in parts.items() if (some := [code for code in codes if code & WRITES])}
        apart: dict[int, None] = {}
        gravest = LOW
        for one, other in combinations(sorted(writing), 2):
            left, right = _apart(writing[one], writing[other]), _apart(writing[other], writing[one])
            if left and right and not parts_meet(one, other):
                apart |= dict.fromkeys((*left, *right))
                both = ([code >> SHIFT for code in codes] for codes in (left, right))
                gravest = max(gravest, findings.clash_unless_ordered(path, severity, *both))
        if apart:
            detail = f"they write different parts of {path}"
            findings.add(RESOURCE, SHARED + path, RULE, gravest, apart, detail=detail)


def _apart(mine: list[int], yours: list[int]) -> list[int]:
    """The codes of one part whose plans meet a different plan at the other part."""
    others = {code >> SHIFT for code in yours}
    return [code for code in mine if others != {code >> SHIFT}]
