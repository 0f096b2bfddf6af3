"""Risk in four dimensions from 0 to 100, and which intents dominate which.

One intent dominates another if it is at least as risky in every dimension and riskier in one. Equals are incomparable.
If it is unknown what an intent may change, its scope and blast radius count 100 and are marked as unknown.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

from msgspec.structs import astuple

from volition.governance.documents.effects import GRAVEST_FIRST
from volition.governance.documents.result import Dimensions, Dominance, RiskComparison, RiskRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.claims.footprint import Footprint
    from volition.governance.documents.intent import Effect
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.policy import Policy

    Vector = tuple[float, float, float, float]

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
UNKNOWN_DIMENSIONS: Final = ("scope_risk", "blast_radius")
"""The dimensions that are unknown for an intent that writes but names no target."""
ENV_RISK: Final[dict[Env, int]] = {"local": 10, "dev": 20, "staging": 50, "prod": 100}


def assess(footprint: Footprint, env: Env, policy: Policy) -> RiskRow:
    """The risk of a plan: effects, scope, blast radius and unknowns."""
    intent = footprint.intent
    risks = [
        _effects_risk(command.command.effects, command.bits) for part in footprint.parts for command in part.commands
    ]
    effects = max(risks, default=0)
    evidence = len(set(intent.evidence_refs))
    unknowns = 90 if evidence <= 5 else 60 if evidence <= 10 else 30 if evidence <= 20 else 10
    unknown = footprint.is_unknown()
    if unknown:
        dimensions = Dimensions(effects, 100, 100, unknowns)
    else:
        areas = intent.scope.targets.areas
        breadth = len(areas) + len(footprint.reach())
        base = 0 if not breadth else 10 if breadth <= 5 else 30 if breadth <= 20 else 60 if breadth <= 50 else 90
        blast = min(100, base * policy.weight(areas))
        # A whole number is written without a fraction.
        blast = int(blast) if blast == int(blast) else blast
        dimensions = Dimensions(effects, min(100, ENV_RISK[env] * max(1, breadth)), blast, unknowns)
    return RiskRow(
        intent_id=intent.id,
        overall_risk=intent.risk.overall,
        dimensions=dimensions,
        unknown=UNKNOWN_DIMENSIONS if unknown else (),
    )


@lru_cache(maxsize=1024)
def _effects_risk(effects: tuple[Effect, ...], done: int) -> int:
    """The highest risk among the declared effects and the effect bits."""
    done_risks = (EFFECT_RISK[word] for bit, word in GRAVEST_FIRST if done & bit)
    return max(*(EFFECT_RISK[effect] for effect in effects), *done_risks, 0)


def compare(rows: Sequence[RiskRow], *, pairs: bool = True) -> RiskComparison:
    """All risks side by side; without `pairs`, no two are compared."""
    dominance: list[Dominance] = []
    incomparable: list[tuple[str, str]] = []
    measured = [(row.intent_id, astuple(row.dimensions)) for row in rows] if pairs else []
    for (a, mine), (b, yours) in combinations(measured, 2):
        if mine == yours or not (_covers(mine, yours) or _covers(yours, mine)):
            incomparable.append((a, b))
        else:
            relationship = "A_dominates_B" if _covers(mine, yours) else "B_dominates_A"
            dominance.append(Dominance(intent_a=a, intent_b=b, relationship=relationship))  # type: ignore[arg-type]
    return RiskComparison(matrix=tuple(rows), dominance=tuple(dominance), incomparable=tuple(incomparable))


def front(comparison: RiskComparison) -> tuple[str, ...]:
    """The riskiest intents: those that no other one dominates, in the order of the matrix."""
    by_vector: dict[Vector, list[str]] = {}
    for row in comparison.matrix:
        by_vector.setdefault(astuple(row.dimensions), []).append(row.intent_id)
    riskiest: list[Vector] = []
    for candidate in sorted(by_vector, key=lambda of: (-sum(of), of)):
        if not any(_covers(other, candidate) for other in riskiest):
            riskiest.append(candidate)
    chosen = {name for of in riskiest for name in by_vector[of]}
    return tuple(row.intent_id for row in comparison.matrix if row.intent_id in chosen)


def _covers(mine: Vector, yours: Vector) -> bool:
    return mine[0] >= yours[0] and mine[1] >= yours[1] and mine[2] >= yours[2] and mine[3] >= yours[3]
