"""Plans of unknown scope: who changes something and names nothing may change anything.

Such a plan clashes with every lock. With every other writer it clashes in production; elsewhere the two cannot be
compared, and that is said at low severity. However many plans there are, each of the two is one conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.governance.claims import BITS, GRAVITY, LOCK, TOUCH, WRITES, done_by
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.finding import CONSTRAINT, HIGH, LEVELS, RESOURCE
from volition.governance.resources import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.governance.conflicts.finding import Findings
    from volition.governance.documents import Intent

RULE: Final = "resource_unknown"


def severity(findings: Findings) -> int:
    """How severe it is that a writer cannot be compared with others."""
    if findings.env != "prod" and RULE not in findings.policy.severities:
        return LEVELS.index("low")
    return findings.severity(RULE)


def find_unknown(findings: Findings, anything: Sequence[int]) -> None:
    """Hold those who may write anything, by their codes, against all locks and all writers."""
    if not anything:
        return
    unknown = {code >> SHIFT for code in anything}
    names = [findings.intents[number].id for number in sorted(unknown)]
    more = f" and {len(names) - 1} more write and name" if len(names) > 1 else " writes and names"
    detail = f"{names[0]}{more} no target"
    locks = [number << SHIFT | LOCK for number, intent in enumerate(findings.intents) if locks_something(intent)]
    writers = list(_writers(findings.intents))
    for kind, rule, level, others in (
        (CONSTRAINT, "constraint_lock", findings.severity("constraint_lock"), locks),
        (RESOURCE, RULE, severity(findings), writers),
    ):
        members = unknown | {code >> SHIFT for code in others}
        if others and len(members) > 1:
            # Those of unknown scope come first, so that the evidence names them however many others there are.
            codes = list(dict.fromkeys((*sorted(anything), *others)))
            findings.add(kind, UNKNOWN, rule, level, codes, detail=detail)
            if level >= HIGH:
                findings.clusters.link(sorted(unknown), [code >> SHIFT for code in others])


def locks_something(intent: Intent) -> bool:
    """Whether an intent locks files."""
    lock = intent.constraints.lock_scope
    return lock.mode == "files" and bool(lock.paths)


def _writers(intents: Sequence[Intent]) -> Iterator[int]:
    """The codes of all who write anything, each with its gravest command."""
    for number, intent in enumerate(intents):
        best, place = 0, 0
        for at, command in enumerate(intent.planned_commands):
            done = done_by(command) & WRITES
            if GRAVITY[done] > GRAVITY[best]:
                best, place = done, at
        if best:
            yield number << SHIFT | place << BITS | TOUCH | best
