"""Detection: all conflicts of a set, found by an index and grouped by what is contested."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from volition.governance.claims.index import PlaceIndex
from volition.governance.claims.spelling import spelling_of
from volition.governance.conflicts import constraint, effect, order, resource, uncertain
from volition.governance.conflicts.citations import Citations
from volition.governance.conflicts.contests import BY_WORDS, SHIFT, contests_in, inside_of, meetings, plain_flags
from volition.governance.conflicts.declared import SETTLED, DeclaredOrder
from volition.governance.conflicts.ledger import (
    CONSTRAINT,
    EFFECT,
    HIGH,
    MEDIUM,
    RESOURCE,
    ConflictLedger,
    LockClash,
    severity_of,
)
from volition.governance.documents.effects import DECLARED, DELETE, MADE
from volition.governance.paths.names import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.conflicts.contests import ClaimClash, Contest, Index
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.policy import Policy

_KINDS: Final = (
    (RESOURCE, resource.FLAGS, resource.RULES),
    (EFFECT, effect.FLAGS, effect.RULES),
    (CONSTRAINT, constraint.FLAGS, constraint.RULES),
)


def clash(one: int, other: int) -> int:
    """All ways in which two claims clash."""
    flags = (
        resource.clash(one, other) | effect.clash(one, other) | constraint.clash(one, other) | order.clash(one, other)
    )
    return flags if one & other & DECLARED else flags << BY_WORDS


def find(
    intents: Sequence[IntentDocument],
    index: Index,
    env: Env,
    policy: Policy,
    complementary: Iterable[tuple[str, str]] = (),
    done: Iterable[str] = (),
    claims: Sequence[dict[str, int]] = (),
) -> tuple[ConflictLedger, order.Needs]:
    """All conflicts among some plans, sorted by id, with this index of claims, and which plan needs what from which."""
    needs = order.Needs(intents, done)
    findings = ConflictLedger(intents, env, policy, claims, DeclaredOrder(needs.declared))
    anything = index.pop(UNKNOWN, [])
    spelling = spelling_of(policy)
    places = PlaceIndex(spelling, index)
    crowds = resource.Crowds()
    numbers = needs.numbers
    pairs = {(numbers[a], numbers[b]) for a, b in complementary if a in numbers and b in numbers}
    pairs |= {(b, a) for a, b in pairs}
    hinted = {number for pair in pairs for number in pair}
    levels = levels_of(policy, env)
    inside, outside = inside_of(index, places)
    for contest in contests_in(index, inside):
        met = meetings(contest, clash, hinted, pairs)
        if met:
            _judge(findings, needs, crowds, contest, met, levels)
    resource.raise_crowds(findings, crowds, clash)
    effect.find_exclusive(findings, index, anything)
    uncertain.find_unknown(findings, index, anything)
    uncertain.find_unplaced(findings, index, spelling)
    resource.find_shared(findings, index)
    produced = (contested for contested, codes in index.items() if any(code & MADE for code in codes))
    deleted = (contested for contested, codes in index.items() if any(code & DELETE for code in codes))
    order.find_needs(
        findings,
        needs,
        order.Claimants(index, inside, outside),
        Citations(produced, spelling),
        Citations(deleted, spelling),
    )
    order.report_needs(findings, needs)
    constraint.find_modes(findings)
    constraint.find_sums(findings)
    return findings, needs


def levels_of(policy: Policy, env: Env) -> dict[int, tuple[str, int]]:
    """Flag -> its rule, and the severity of such a clash under the policy in this environment; words alone are never
    critical, unless the policy says so."""
    rules = effect.RULES | resource.RULES | constraint.RULES | order.RULES
    levels = {flag: (rule, severity_of(rule, policy, env)) for flag, rule in rules.items()}
    for flag, (rule, level) in list(levels.items()):
        levels[flag << BY_WORDS] = (rule, level if rule in policy.severities else min(level, HIGH))
    return levels


def _note_locks(findings: ConflictLedger, about: str, flags: int, left: list[int], right: list[int]) -> None:
    """Record who locks a resource, and who writes or locks it as well."""
    mine, yours = ([code >> SHIFT for code in codes] for codes in (left, right))
    if flags & constraint.LEFT_HOLDS:
        findings.locked.append(LockClash(about, mine, yours))
    if flags & constraint.RIGHT_HOLDS:
        findings.locked.append(LockClash(about, yours, mine))
    if flags & constraint.BOTH_LOCK:
        findings.locked.append(LockClash(about, mine, yours, shared=True))


def _judge(
    findings: ConflictLedger,
    needs: order.Needs,
    crowds: resource.Crowds,
    contest: Contest,
    met: list[ClaimClash],
    levels: dict[int, tuple[str, int]],
) -> None:
    """Turn the clashes of one contest into conflicts, connections and needs."""
    busy: set[int] = set()
    for meeting in met:
        raw_flags, left, right, complementary = meeting
        flags = plain_flags(raw_flags)
        mine, yours = ([code >> SHIFT for code in codes] for codes in (left, right))
        grave = frozen = False
        for kind, some, rules in _KINDS:
            if flags & some:
                for flag in rules:
                    for variant in (flag, flag << BY_WORDS):
                        if raw_flags & variant:
                            rule, severity = levels[variant]
                            if complementary and flag == resource.WRITE_WRITE:
                                severity = min(severity, MEDIUM)
                            if rule in SETTLED:
                                severity = findings.clash_unless_ordered(contest.resource, severity, mine, yours)
                            elif flag == constraint.FROZEN:
                                frozen = severity >= HIGH
                            else:
                                grave = grave or severity >= HIGH
                            codes = left if left is right else [*left, *right]
                            findings.add(kind, contest.resource, rule, severity, codes)
        if flags & (resource.CONTRACT | constraint.FROZEN) and findings.clusters.near:
            findings.asked |= {frozenset(pair) for pair in product(mine, yours)}
            findings.freezes |= set(product(mine, yours)) if flags & constraint.LEFT_FREEZES else set()
            findings.freezes |= set(product(yours, mine)) if flags & constraint.RIGHT_FREEZES else set()
        if flags & constraint.FLAGS:
            _note_locks(findings, contest.resource, flags, left, right)
        if grave and left is right:
            findings.clusters.join(mine)
        elif grave:
            findings.clusters.link(mine, yours)
        if frozen:
            findings.clusters.link(mine, yours, by_freeze=True)
        if flags & resource.FLAGS:
            busy |= {*mine, *yours}
        if flags & order.LEFT_MAKES:
            needs.add(contest.resource, mine, yours)
        if flags & order.RIGHT_MAKES and left is not right:
            needs.add(contest.resource, yours, mine)
        if flags & order.LEFT_READS:
            needs.add_removal(contest.resource, mine, yours)
        if flags & order.RIGHT_READS and left is not right:
            needs.add_removal(contest.resource, yours, mine)
    if busy:
        crowds.note(contest, busy)
