"""The survey of a set: what its plans claim, how risky they are, what they contest, and which clusters that makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.conflicts.contests import add_claims
from volition.governance.conflicts.descriptions import conflict_of
from volition.governance.conflicts.detection import find
from volition.governance.documents.intent import LEVELS
from volition.governance.documents.intent_set import SET_LIMIT
from volition.governance.risk import assess, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.claims.footprint import Footprint
    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger, RawConflict
    from volition.governance.conflicts.order import Needs
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.intent_set import IntentSet
    from volition.governance.documents.policy import Policy
    from volition.governance.documents.result import Conflict, RiskComparison


class Survey(Struct, frozen=True):
    """What is known about the plans of a set before anything is settled; a plan's number is its place in `intents`."""

    intent_set: IntentSet
    intents: Sequence[IntentDocument]
    policy: Policy
    footprints: Sequence[Footprint]
    """What each plan names and does; empty in a set that is too large to be merged."""
    claims: Sequence[dict[str, int]]
    """What each plan claims; empty in a set that is too large to be merged."""
    risks: RiskComparison
    ledger: ConflictLedger
    needs: Needs
    described: Sequence[tuple[Conflict, RawConflict]]
    """The conflicts as documents, the gravest first, each with what was detected."""
    clusters: list[list[int]]

    @property
    def mergeable(self) -> bool:
        """Whether the set is small enough to be merged, and to be asked about."""
        return len(self.intents) <= SET_LIMIT

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(conflict for conflict, _ in self.described)


def survey_plans(intent_set: IntentSet, intents: Sequence[IntentDocument], policy: Policy) -> Survey:
    """Survey the plans of a set; they are in the order of their ids."""
    mergeable, env = len(intents) <= SET_LIMIT, intent_set.context.env
    index: Index = {}
    footprints: list[Footprint] = []
    claims: list[dict[str, int]] = []
    risks = []
    for number, intent in enumerate(intents):
        footprint = footprint_of(intent, policy)
        claimed = claims_of(footprint, policy)
        add_claims(index, number, claimed)
        risks.append(assess(footprint, env, policy))
        if mergeable:
            footprints.append(footprint)
            claims.append(claimed)
    hints = intent_set.metadata.merge_hints if intent_set.metadata else None
    complementary, done = (hints.complementary, hints.done) if hints else ((), ())
    ledger, needs = find(intents, index, env, policy, complementary, done, claims)
    described = [(conflict_of(detected, ledger), detected) for detected in ledger]
    described.sort(key=lambda pair: _gravest_first(pair[0]))
    return Survey(
        intent_set=intent_set,
        intents=intents,
        policy=policy,
        footprints=footprints,
        claims=claims,
        risks=compare(risks, pairs=mergeable),
        ledger=ledger,
        needs=needs,
        described=described,
        clusters=ledger.clusters.groups(),
    )


def _gravest_first(conflict: Conflict) -> tuple[int, str, str, str]:
    return -LEVELS.index(conflict.severity), conflict.type, conflict.resource_ref or "", conflict.conflict_id
