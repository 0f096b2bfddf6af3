"""Plans of unknown scope: a plan that writes without naming a target may change anything.

Such a plan clashes with every lock, and gravely with a freeze. With every other writer it clashes in production; elsewhere the two cannot be
compared, and that is said at low severity. However many plans there are, each of the two is one conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.governance.conflicts.constraint import locked_paths
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import CONSTRAINT, HIGH, RESOURCE, LockClash
from volition.governance.documents.effects import BITS, FREEZE, GRAVITY, LOCK, WRITES
from volition.governance.paths.names import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger


def find_unknown(findings: ConflictLedger, index: Index, anything: Sequence[int]) -> None:
    """Report the clashes of plans that may write anything, by their codes, with all locks and all writers."""
    if not anything:
        return
    unknown = {code >> SHIFT for code in anything}
    names = [findings.intents[number].id for number in sorted(unknown)]
    more = f" and {len(names) - 1} more write and name" if len(names) > 1 else " writes and names"
    detail = f"{names[0]}{more} no target"
    locks = [number << SHIFT | LOCK for number, intent in enumerate(findings.intents) if locked_paths(intent)]
    frozen = sorted({code >> SHIFT for held in index.values() for code in held if code & FREEZE})
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
    for code in (*anything, *(code for held in index.values() for code in held)):
        if gravity := GRAVITY[code & WRITES]:
            number, command = code >> SHIFT, code >> BITS
            gravest[number] = min(gravest.get(number, (0, command, code)), (-gravity, command, code))
    return [gravest[number][2] for number in sorted(gravest)]
