"""The ledger of conflicts: what detection finds, in numbers, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.governance.conflicts.clusters import Clusters
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.declared import DeclaredOrder
from volition.governance.documents.intent import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.policy import Policy

LOW, MEDIUM, HIGH, CRITICAL = range(len(LEVELS))
RESOURCE, EFFECT, ORDER, CONSTRAINT = range(4)
WHOLE_SET: Final = frozenset({"constraint_budget", "constraint_capacity"})
"""Rules about the whole set: they connect no plans, and always lead to a question."""
NO_ORDER_HELPS: Final = frozenset(
    {
        "effect_deploy_rollback",
        "effect_create_delete",
        "resource_write_delete",
        "resource_contract",
        "constraint_freeze",
    }
)
"""Rules by which the second of two plans would undo or break the first, or never come: one after the other is no way out."""


@dataclass(slots=True)
class RawConflict:
    """One contested thing of one kind: by which rules, how severe its worst clash is, and the codes of all who clash.

    A code is the number of an intent with what it claims; where nothing is claimed, the number alone, shifted.
    """

    kind: int
    about: str | None
    rules: set[str]
    severity: int
    codes: list[int] = field(default_factory=list)
    detail: str = ""
    evidence: tuple[str, ...] = ()
    """The evidence, if it does not follow from the codes."""

    @property
    def members(self) -> list[int]:
        """The numbers of the intents that clash, without duplicates, in order."""
        return sorted({code >> SHIFT for code in self.codes})


class LockClash(NamedTuple):
    """A resource, the numbers of the plans that lock it, and of those that write it or, if `shared`, lock it as well."""

    about: str
    holders: list[int]
    visitors: list[int]
    shared: bool = False


def severity_of(rule: str, policy: Policy, env: Env) -> int:
    """The severity of a rule, as the policy or its default says.

    By default, clashes of effects are critical in production, and a writer that names nothing is grave only there.
    """
    if rule not in policy.severities:
        if env == "prod" and rule.startswith("effect_"):
            return CRITICAL
        if env != "prod" and rule == "resource_unknown":
            return LOW
    return LEVELS.index(policy.severity(rule))


class ConflictLedger:
    """The conflicts of some intents, one per kind and contested thing, and the clusters that they form."""

    def __init__(
        self,
        intents: Sequence[IntentDocument],
        env: Env,
        policy: Policy,
        claims: Sequence[dict[str, int]] = (),
        declared: DeclaredOrder | None = None,
    ) -> None:
        self.intents = intents
        self.claims = claims
        """What each intent claims, if the set is small enough for conflicts to name it."""
        self.env = env
        self.policy = policy
        self.declared = declared or DeclaredOrder()
        self.clusters = Clusters(len(intents))
        self.cyclic: set[int] = set()
        self.exclusive: list[tuple[str, tuple[int, ...]]] = []
        """Exclusive states, each with all intents that claim it."""
        self.locked: list[LockClash] = []
        """Locks that others violate."""
        self.ordered: dict[tuple[int, int], str] = {}
        """What two plans contest that are in a declared order, the earlier one first."""
        self.freezes: set[tuple[int, int]] = set()
        """Plans that freeze what others write, each with one of these."""
        self.asked: set[frozenset[int]] = set()
        """Pairs of intents between which only an explicit priority or a person decides."""
        self._found: dict[tuple[int, str | None, int], RawConflict] = {}

    def __iter__(self) -> Iterator[RawConflict]:
        return iter(self._found.values())

    def severity(self, rule: str) -> int:
        """The severity of this rule under the policy in this environment."""
        return severity_of(rule, self.policy, self.env)

    def clash_unless_ordered(self, about: str, severity: int, left: Sequence[int], right: Sequence[int]) -> int:
        """Record that plans clash, each of one side with each of the other, as far as no declared order settles that; the
        severity is at most medium where it settles all of it. Both sides are equal where all of one group clash."""
        grave = severity >= HIGH
        if not self.declared:
            if grave:
                self.clusters.join(left) if left == right else self.clusters.link(left, right)
            return severity
        parts = self.declared.free_parts(left, right)
        for part in parts if grave else ():
            self.clusters.connect(part)
        for one, other in product(left, right) if self.clusters.near else ():
            if self.declared.comes_after(other, one):
                self.ordered.setdefault((one, other), about)
            elif self.declared.comes_after(one, other):
                self.ordered.setdefault((other, one), about)
            elif grave:
                self.clusters.link([one], [other])
        return severity if parts else min(severity, MEDIUM)

    def get(self, kind: int, about: str | None) -> RawConflict | None:
        return self._found.get((kind, about, 0))

    def add(
        self, kind: int, about: str | None, rule: str, severity: int, codes: Iterable[int], *, detail: str = ""
    ) -> RawConflict:
        """Record a clash of all these; without `about` it is a separate conflict, identified by its first code."""
        held = list(codes)
        key = (kind, about, held[0] if about is None else 0)
        finding = self._found.get(key)
        if finding is None:
            finding = self._found[key] = RawConflict(kind, about, {rule}, severity, held, detail)
        else:
            finding.rules.add(rule)
            finding.severity = max(finding.severity, severity)
            finding.codes += held
            finding.detail = finding.detail or detail
        return finding
