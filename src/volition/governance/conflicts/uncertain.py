"""Conflicts that names leave uncertain: plans of unknown scope, and modules that may be a file elsewhere.

A plan that writes without naming a target may change anything. It clashes with every lock, and gravely with a freeze. With
every other writer it clashes in production; elsewhere the two cannot be compared, and that is said at low severity. However
many plans there are, each of the two is one conflict.

A module such as `shop.cart` may be `lib/shop/cart.py`, where no table says that `lib` holds modules. Whether the two are
the same cannot be decided from their names, so this is reported at low severity. A row for the module in the policy's
`names.modules` decides it. However many paths end like it, each module is one conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.governance.claims.spelling import tails
from volition.governance.conflicts.constraint import locked_paths
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import CONSTRAINT, HIGH, RESOURCE, LockClash
from volition.governance.documents.effects import BITS, FREEZE, GRAVITY, LOCK, TOUCH, WRITES
from volition.governance.paths.names import MODULE, SERVICE, UNKNOWN, split_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.claims.spelling import Spelling
    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger

UNPLACED: Final = "resource_unplaced"
PLACE: Final = "place:"
"""The prefix of what a conflict by `UNPLACED` is about; the name of the module follows."""
SHOWN: Final = 3
"""How many of the possible paths of a module are named; the others are counted."""


def find_unknown(findings: ConflictLedger, index: Index, anything: Sequence[int]) -> None:
    """Report the clashes of plans that may write anything, by their codes, with all locks and all writers."""
    if not anything:
        return
    unknown = {code >> SHIFT for code in anything}
    names = [findings.intents[number].id for number in sorted(unknown)]
    more = f" and {len(names) - 1} more write and name" if len(names) > 1 else " writes and names"
    detail = f"{names[0]}{more} no target"
    locks = [number << SHIFT | LOCK for number, intent in enumerate(findings.intents) if locked_paths(intent)]
    frozen = sorted({code >> SHIFT for claimed in index.values() for code in claimed if code & FREEZE})
    freezes = [number << SHIFT | LOCK for number in frozen]
    writers = _writers(index, anything)
    for kind, rule, others in (
        (CONSTRAINT, "constraint_lock", locks),
        (CONSTRAINT, "constraint_freeze", freezes),
        (RESOURCE, "resource_unknown", writers),
    ):
        level = findings.severity(rule)
        members = unknown | {code >> SHIFT for code in others}
        if others and len(members) > 1:
            # Those of unknown scope come first, so that the evidence names them however many others there are.
            codes = list(dict.fromkeys((*sorted(anything), *others)))
            findings.add(kind, UNKNOWN, rule, level, codes, detail=detail)
            if rule == "constraint_freeze":
                findings.asked |= {frozenset((one, other)) for one in unknown for other in members}
                findings.freezes |= {(holder, one) for holder in frozen for one in unknown}
            if kind == CONSTRAINT:
                findings.locked.append(LockClash(UNKNOWN, [code >> SHIFT for code in others], sorted(unknown)))
            if level >= HIGH:
                by_freeze = rule == "constraint_freeze"
                findings.clusters.link(sorted(unknown), [code >> SHIFT for code in others], by_freeze=by_freeze)


def _writers(index: Index, anything: Sequence[int]) -> list[int]:
    """The codes of all plans that write, each with the first command that does its gravest thing."""
    gravest: dict[int, tuple[int, int, int]] = {}
    for code in (*anything, *(code for claimed in index.values() for code in claimed)):
        if gravity := GRAVITY[code & WRITES]:
            number, command = code >> SHIFT, code >> BITS
            gravest[number] = min(gravest.get(number, (0, command, code)), (-gravity, command, code))
    return [gravest[number][2] for number in sorted(gravest)]


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
    severity = findings.severity(UNPLACED)
    codes = [*_clashing(left, right), *_clashing(right, left)]
    if not codes:
        return
    more = f" or {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    detail = f"{module} may be {' or '.join(paths[:SHOWN])}{more}"
    findings.add(RESOURCE, PLACE + module[len(MODULE) :], UNPLACED, severity, codes, detail=detail)
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
