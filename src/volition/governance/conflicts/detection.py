"""Detection: all conflicts of a set, found by an index and grouped by what is contested."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from volition.governance.claims.spelling import Containers, spelling_of
from volition.governance.conflicts import constraint, effect, order, resource, unknown, unplaced
from volition.governance.conflicts.citations import Citations
from volition.governance.conflicts.contests import SHIFT, contests_in, inside_of, meetings
from volition.governance.conflicts.ledger import CONSTRAINT, EFFECT, HIGH, MEDIUM, RESOURCE, ConflictLedger, severity_of
from volition.governance.resources import UNKNOWN

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


@cache
def clash(one: int, other: int) -> int:
    """All ways in which two claims clash; there are at most 2 ** `BITS` different claims."""
    return (
        resource.clash(one, other) | effect.clash(one, other) | constraint.clash(one, other) | order.clash(one, other)
    )


def find(
    intents: Sequence[IntentDocument],
    index: Index,
    env: Env,
    policy: Policy,
    complementary: Iterable[tuple[str, str]] = (),
) -> tuple[ConflictLedger, order.Needs]:
    """All conflicts among some plans, sorted by id, with this index of claims, and which plan needs what from which."""
    findings = ConflictLedger(intents, env, policy)
    needs = order.Needs(intents)
    anything = index.pop(UNKNOWN, [])
    spelling = spelling_of(policy)
    containers = Containers(spelling, index)
    crowds = resource.Crowds()
    numbers = needs.numbers
    pairs = {(numbers[a], numbers[b]) for a, b in complementary if a in numbers and b in numbers}
    pairs |= {(b, a) for a, b in pairs}
    hinted = {number for pair in pairs for number in pair}
    levels = levels_of(policy, env)
    inside = inside_of(index, containers)
    for contest in contests_in(index, inside):
        met = meetings(contest, clash, hinted, pairs)
        if met:
            _judge(findings, needs, crowds, contest, met, levels)
    resource.raise_crowds(findings, crowds, clash)
    effect.find_exclusive(findings, index, anything)
    unknown.find_unknown(findings, anything)
    unplaced.find_unplaced(findings, index, spelling)
    order.find_needs(findings, needs, index, Citations(index, inside, containers, spelling))
    order.report_needs(findings, needs)
    constraint.find_modes(findings)
    constraint.find_sums(findings)
    return findings, needs


@lru_cache(maxsize=64)
def levels_of(policy: Policy, env: Env) -> dict[int, tuple[str, int]]:
    """Flag -> its rule, and the severity of such a clash under the policy in this environment."""
    rules = effect.RULES | resource.RULES | constraint.RULES | order.RULES
    return {flag: (rule, severity_of(rule, policy, env)) for flag, rule in rules.items()}


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
        flags, left, right, complementary = meeting
        grave = False
        for kind, some, rules in _KINDS:
            if flags & some:
                for flag in rules:
                    if flags & flag:
                        rule, severity = levels[flag]
                        if complementary and flag == resource.WRITE_WRITE:
                            severity = min(severity, MEDIUM)
                        grave = grave or severity >= HIGH
                        codes = left if left is right else [*left, *right]
                        findings.add(kind, contest.resource, rule, severity, codes)
        if grave or flags & resource.FLAGS:
            members = {code >> SHIFT for code in left} | {code >> SHIFT for code in right}
            if grave and left is right:
                findings.clusters.join(members)
            elif grave:
                findings.clusters.link([code >> SHIFT for code in left], [code >> SHIFT for code in right])
            if flags & resource.FLAGS:
                busy |= members
        if flags & order.FLAGS:
            makers, takers = [code >> SHIFT for code in left], [code >> SHIFT for code in right]
            if flags & order.LEFT_MAKES:
                needs.add(contest.resource, makers, takers)
            if flags & order.RIGHT_MAKES and left is not right:
                needs.add(contest.resource, takers, makers)
    if busy:
        crowds.note(contest, busy)
