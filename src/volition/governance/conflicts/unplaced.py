"""Modules that may be a file elsewhere: `shop.cart` against `lib/shop/cart.py`, where no table says that `lib` holds modules.

Whether the two are the same cannot be decided from their names, so this is reported at low severity. A row for the
module in the policy's `names.modules` decides it. However many paths end like it, each module is one conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.governance.claims.spelling import tails
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import HIGH, RESOURCE
from volition.governance.documents.effects import TOUCH, WRITES
from volition.governance.paths.names import MODULE, SERVICE, split_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.claims.spelling import Spelling
    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger

RULE: Final = "resource_unplaced"
PLACE: Final = "place:"
"""The prefix of such a conflict's resource; the name of the module follows."""
SHOWN: Final = 3
"""How many of the possible paths of a module are named; the others are counted."""


def find_unplaced(findings: ConflictLedger, index: Index, spelling: Spelling) -> None:
    """Report each module that may be a path which another plan claims, if one of the two writes.

    Each path is looked up by the names of modules with which it ends, so that no pairs are compared.
    """
    modules = {resource for resource in index if resource.startswith(MODULE) and not spelling.is_placed(resource)}
    if not modules:
        return
    lasts = {module[len(MODULE) :].rpartition(".")[2] for module in modules}
    paths: dict[str, list[str]] = {}
    for resource in index:
        if not resource.startswith((MODULE, SERVICE)):
            for module in tails(split_part(resource)[0], lasts):
                if module in modules and not spelling.meets(module, resource):
                    paths.setdefault(module, []).append(resource)
    for module in sorted(paths):
        codes = [code for path in sorted(paths[module]) for code in _touchers(index, path)]
        _report(findings, module, sorted(paths[module]), _touchers(index, module), codes)


def _touchers(index: Index, resource: str) -> list[int]:
    """The codes of the plans that touch a resource; a lock alone does not count."""
    return [code for code in index[resource] if code & TOUCH]


def _report(findings: ConflictLedger, module: str, paths: list[str], left: Sequence[int], right: Sequence[int]) -> None:
    """Report the plans of both sides that meet a different plan, if at least one of the two writes."""
    severity = findings.severity(RULE)
    codes = [*_clashing(left, right), *_clashing(right, left)]
    if not codes:
        return
    more = f" or {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    detail = f"{module} may be {' or '.join(paths[:SHOWN])}{more}"
    findings.add(RESOURCE, PLACE + module[len(MODULE) :], RULE, severity, codes, detail=detail)
    if severity >= HIGH:
        for one, other in ((left, right), (right, left)):
            writers = [code >> SHIFT for code in one if code & WRITES]
            if writers and other:
                # A plan that is alone on both sides clashes with no other.
                findings.clusters.link(writers, [code >> SHIFT for code in other])


def _clashing(mine: Sequence[int], yours: Sequence[int]) -> list[int]:
    """The codes of one side that meet a different plan on the other side, if one of the two writes."""
    others = {code >> SHIFT for code in yours}
    writers = {code >> SHIFT for code in yours if code & WRITES}
    return [code for code in mine if (met := others if code & WRITES else writers) and met != {code >> SHIFT}]
