"""The naive evaluator, part five: the risk of a plan by its tables, and which plan is riskier than which."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from tests.governance.reference_sides import is_of, read_commands, removed_by, shares, side_of, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.governance.reference_names import Resource
    from volition.governance.documents.intent import IntentDocument, Level
    from volition.governance.documents.policy import Policy

EFFECT_RISK: Final = {
    "read": 0,
    "write": 30,
    "create": 30,
    "network": 40,
    "deploy": 70,
    "rollback": 70,
    "data": 80,
    "delete": 85,
    "security": 90,
}
ENV_RISK: Final = {"local": 10, "dev": 20, "staging": 50, "prod": 100}


def dimensions(intent: IntentDocument, env: str, policy: Policy) -> tuple[float, ...]:
    """Effects, scope, blast radius and unknowns, each from 0 to 100."""
    targets = intent.scope.targets
    breadth = len(set(targets.areas)) + len({*targets_of(intent), *named_elsewhere(intent, policy)})
    effects = max((EFFECT_RISK[effect] for c in intent.planned_commands for effect in c.effects), default=0)
    scope = min(100, ENV_RISK[env] * max(1, breadth))
    blast = min(100, step(breadth, ((0, 0), (5, 10), (20, 30), (50, 60)), 90) * policy.weight(targets.areas))
    unknowns = step(len(set(intent.evidence_refs)), ((5, 90), (10, 60), (20, 30)), 10)
    return (effects, 100, 100, unknowns) if side_of(intent, policy).unknown else (effects, scope, blast, unknowns)


def named_elsewhere(intent: IntentDocument, policy: Policy) -> set[Resource]:
    """What the texts of commands name outside the scope of their plans, and what their plans remove and rename."""
    found: set[Resource] = set()
    for plan, commands in shares(intent):
        found = found.union(*removed_by(plan))
        for text in read_commands(plan, commands, policy, folding=False):
            found |= {one for one in text.files if not any(is_of(one, target) for target in targets_of(plan))}
    return found


def step(count: int, table: Iterable[tuple[int, int]], beyond: int) -> int:
    """The value of the first row whose bound holds the count."""
    return next((value for bound, value in table if count <= bound), beyond)


def compare(
    matrix: Sequence[tuple[str, Level, tuple[float, ...]]],
) -> tuple[frozenset[tuple[str, str, str]], frozenset[tuple[str, str]]]:
    """Who is riskier: at least as risky everywhere and riskier somewhere; equals are incomparable."""
    dominance, incomparable = set(), set()
    for (a, _, mine), (b, _, yours) in combinations(matrix, 2):
        if mine != yours and all(m >= y for m, y in zip(mine, yours, strict=True)):
            dominance.add((a, b, "A_dominates_B"))
        elif mine != yours and all(m <= y for m, y in zip(mine, yours, strict=True)):
            dominance.add((a, b, "B_dominates_A"))
        else:
            incomparable.add((a, b))
    return frozenset(dominance), frozenset(incomparable)
