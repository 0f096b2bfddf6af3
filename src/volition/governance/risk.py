"""Risk in four dimensions of 0 to 100, and which intents are riskier than which.

To dominate is to be riskier: at least as risky in everything and riskier in something. Equals are incomparable. Where
it is unknown what an intent may change, its scope and its blast radius count 100 and are marked as unknown.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

from volition.governance.claims import SAID, WRITES, is_unknown, looks_only, named_beside, said_by
from volition.governance.documents import Dimensions, Dominance, RiskComparison, RiskRow
from volition.governance.mentions import in_batches
from volition.governance.resources import clean_paths, module_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.documents import Intent
    from volition.governance.documents.intent import Effect
    from volition.governance.documents.intent_set import Env
    from volition.governance.policy import Policy

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
_SAID_RISK: Final = [
    max((EFFECT_RISK[word] for bit, word in SAID if said & bit), default=0) for said in range(WRITES + 1)
]
"""What words say, as bits -> the risk of the riskiest of it; the last is that of all that they can say."""
UNKNOWN_DIMENSIONS: Final = ("scope_risk", "blast_radius")
"""What nobody can tell of an intent that writes and names nothing."""
ENV_RISK: Final[dict[Env, int]] = {"local": 10, "dev": 20, "staging": 50, "prod": 100}


def vector(intent: Intent, env: Env, policy: Policy, *, plain: bool = False, unknown: bool | None = None) -> Vector:
    """Effects, scope, blast radius and unknowns of an intent.

    `plain` says that its targets are clean as they stand, `unknown` whether nobody knows what it may change.
    """
    targets = intent.scope.targets
    files, modules = targets.files, targets.modules
    beside = named_beside(intent)
    if plain:
        breadth = len(set(files)) + len(set(modules)) + len(targets.areas)
    else:
        breadth = (
            len(set(clean_paths(files, intent.scope.repo_root)))
            + len(set(map(module_name, modules)))
            + len(targets.areas)
        )
    breadth += len(beside)
    base = 0 if not breadth else 10 if breadth <= 5 else 30 if breadth <= 20 else 60 if breadth <= 50 else 90
    known = len(set(intent.evidence_refs))
    effects = 0
    for command in intent.planned_commands:
        declared, open_to_words = _declared_risk(command.effects)
        if open_to_words:
            declared = max(declared, _SAID_RISK[said_by(command)])
        effects = max(effects, declared)
    unknowns = 90 if known <= 5 else 60 if known <= 10 else 30 if known <= 20 else 10
    if is_unknown(intent) if unknown is None else unknown:
        return effects, 100, 100, unknowns
    return (
        effects,
        min(100, ENV_RISK[env] * max(1, breadth)),
        _plain(min(100, base * policy.weight(targets.areas))),
        unknowns,
    )


@lru_cache(maxsize=1024)
def _declared_risk(effects: tuple[Effect, ...]) -> tuple[int, bool]:
    """The risk of the riskiest of some effects, and whether words could add to it."""
    risk = max(EFFECT_RISK[effect] for effect in effects)
    return risk, not looks_only(effects) and risk < _SAID_RISK[-1]


def compare(intents: Sequence[Intent], env: Env, policy: Policy, *, pairs: bool = True) -> RiskComparison:
    """All risks side by side; without `pairs`, nobody is held against anybody."""
    unknown = [is_unknown(intent) for intent in intents]
    plain = [names for some, names in in_batches(intents) for _ in some]
    vectors = [
        vector(intent, env, policy, plain=names, unknown=open_ended)
        for intent, names, open_ended in zip(intents, plain, unknown, strict=True)
    ]
    rows = tuple(
        RiskRow(
            intent_id=intent.id,
            overall_risk=intent.risk.overall,
            dimensions=Dimensions(*of),
            unknown=UNKNOWN_DIMENSIONS if open_ended else (),
        )
        for intent, of, open_ended in zip(intents, vectors, unknown, strict=True)
    )
    if not pairs:
        return RiskComparison(matrix=rows, dominance=())
    dominance: list[Dominance] = []
    incomparable: list[tuple[str, str]] = []
    for (one, mine), (other, yours) in combinations(zip(intents, vectors, strict=True), 2):
        if mine != yours and _covers(mine, yours):
            dominance.append(Dominance(intent_a=one.id, intent_b=other.id, relationship="A_dominates_B"))
        elif mine != yours and _covers(yours, mine):
            dominance.append(Dominance(intent_a=one.id, intent_b=other.id, relationship="B_dominates_A"))
        else:
            incomparable.append((one.id, other.id))
    return RiskComparison(matrix=rows, dominance=tuple(dominance), incomparable=tuple(incomparable))


def front(comparison: RiskComparison) -> tuple[str, ...]:
    """The riskiest intents: those that no other one dominates, in the order of the matrix."""
    by_vector: dict[Vector, list[str]] = {}
    for row in comparison.matrix:
        of = row.dimensions
        by_vector.setdefault((of.effects_risk, of.scope_risk, of.blast_radius, of.unknowns), []).append(row.intent_id)
    riskiest: list[Vector] = []
    for candidate in sorted(by_vector, key=lambda of: (-sum(of), of)):
        if not any(_covers(other, candidate) for other in riskiest):
            riskiest.append(candidate)
    chosen = {name for of in riskiest for name in by_vector[of]}
    return tuple(row.intent_id for row in comparison.matrix if row.intent_id in chosen)


def _covers(mine: Vector, yours: Vector) -> bool:
    return mine[0] >= yours[0] and mine[1] >= yours[1] and mine[2] >= yours[2] and mine[3] >= yours[3]


def _plain(value: float) -> float:
    """A whole number as an int, so that it is written like one."""
    return int(value) if value == int(value) else value
