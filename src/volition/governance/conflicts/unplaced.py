"""Modules that may be a file elsewhere: `shop.cart` against `lib/shop/cart.py`, where no table says that `lib` holds modules.

Whether the two are one thing cannot be decided from their names, so that is what is said, at low severity. A row for the
module in the policy's `names.modules` decides it. However many paths end like it, each module is one conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.governance.claims import TOUCH, WRITES
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.finding import HIGH, RESOURCE
from volition.governance.resources import MODULE, SERVICE
from volition.governance.spelling import tails

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.finding import Findings
    from volition.governance.spelling import Spelling

RULE: Final = "resource_unplaced"
PLACE: Final = "place:"
"""With the name of a module after it: what such a conflict is about."""
SHOWN: Final = 3
"""So many of the paths that a module may be are named; the rest are counted."""


def find_unplaced(findings: Findings, index: Index, spelling: Spelling) -> None:
    """Note each module that may be a path which another plan claims, where one of the two writes.

    Each path is looked up by the names of modules with which it ends, so that no pairs are compared.
    """
    modules = {resource for resource in index if resource.startswith(MODULE) and not spelling.is_placed(resource)}
    if not modules:
        return
    lasts = {module[len(MODULE) :].rpartition(".")[2] for module in modules}
    paths: dict[str, list[str]] = {}
    for resource in index:
        if not resource.startswith((MODULE, SERVICE)):
            for module in tails(resource, lasts):
                if module in modules and spelling.meeting(module, resource) is None:
                    paths.setdefault(module, []).append(resource)
    for module in sorted(paths):
        codes = [code for path in sorted(paths[module]) for code in _touching(index, path)]
        _note(findings, module, sorted(paths[module]), _touching(index, module), codes)


def _touching(index: Index, resource: str) -> list[int]:
    """The codes of those who touch a resource; a lock alone is no touch."""
    held = index[resource]
    return [code for code in (held if isinstance(held, list) else [held]) if code & TOUCH]


def _note(findings: Findings, module: str, paths: list[str], left: Sequence[int], right: Sequence[int]) -> None:
    """Note those of the two sides who differ and of whom one at least writes."""
    severity = findings.severity(RULE)
    codes = [*_meeting(left, right), *_meeting(right, left)]
    if not codes:
        return
    more = f" or {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    detail = f"{module} may be {' or '.join(paths[:SHOWN])}{more}"
    findings.add(RESOURCE, PLACE + module[len(MODULE) :], RULE, severity, codes, detail=detail)
    if severity >= HIGH:
        for one, other in ((left, right), (right, left)):
            writers = [code >> SHIFT for code in one if code & WRITES]
            if writers and other:
                # Who is alone on both sides clashes with nobody.
                findings.clusters.link(writers, [code >> SHIFT for code in other])


def _meeting(mine: Sequence[int], yours: Sequence[int]) -> list[int]:
    """Those of one side who meet somebody else on the other, one of the two writing."""
    others = {code >> SHIFT for code in yours}
    writers = {code >> SHIFT for code in yours if code & WRITES}
    return [code for code in mine if (met := others if code & WRITES else writers) and met != {code >> SHIFT}]
