"""The ledger of conflicts: what detection finds, in numbers, before it is put into words; and the clusters of plans.

High or critical clashes connect plans; a cluster is all that they connect, and can be settled separately.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.declared import DeclaredOrder
from volition.governance.documents.intent import LEVELS
from volition.governance.documents.intent_set import SET_LIMIT

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


class LockClash(Struct, frozen=True):
    """A resource, the numbers of the plans that lock it, and of those that write it or, if `shared`, lock it as well."""

    about: str
    holders: list[int]
    visitors: list[int]
    shared: bool = False


class Clusters:
    """A union-find over the numbers 0 to `size` - 1.

    >>> clusters = Clusters(5)
    >>> clusters.join([3, 1])
    >>> clusters.join([1, 4])
    >>> clusters.groups(), clusters.near[1]
    ([[1, 3, 4]], {3, 4})
    """

    def __init__(self, size: int) -> None:
        self._above = list(range(size))
        self.near: list[set[int]] = [set() for _ in range(size if size <= SET_LIMIT else 0)]
        """For each number, those that it clashes with; empty in a set that is too large to be settled."""
        self.lasting: list[set[int]] = [set() for _ in self.near]
        """The same without clashes by nothing but a freeze, which ends for whoever wins over it."""

    def join(self, numbers: Iterable[int]) -> None:
        """Record that all of these clash with each other."""
        several = list(numbers)
        if self.near:
            self._note(combinations(several, 2))
        self.connect(several)

    def link(self, left: Sequence[int], right: Sequence[int], *, by_freeze: bool = False) -> None:
        """Record that each of `left` clashes with each of `right`, perhaps by nothing but a freeze."""
        if self.near:
            self._note(product(left, right), by_freeze=by_freeze)
        self.connect([*left, *right])

    def _note(self, pairs: Iterable[tuple[int, int]], *, by_freeze: bool = False) -> None:
        for one, other in pairs:
            for noted in (self.near,) if by_freeze else (self.near, self.lasting):
                if one != other:
                    noted[one].add(other)
                    noted[other].add(one)

    def connect(self, numbers: Iterable[int]) -> None:
        """Put all of these into one cluster, whether any two of them clash or not."""
        several = iter(numbers)
        first = next(several, None)
        if first is None:
            return
        root = self.root(first)
        above = self._above
        for number in several:
            other = self.root(number)
            if other != root:
                # The smaller number stays on top, so that the result does not depend on the order of joining.
                root, other = min(root, other), max(root, other)
                above[other] = root

    def root(self, number: int) -> int:
        """The smallest number that this one is connected to."""
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    def groups(self) -> list[list[int]]:
        """The clusters of two or more, each in order, in the order of their first members."""
        by_root: dict[int, list[int]] = {}
        for number, above in enumerate(self._above):
            if above != number:
                by_root.setdefault(self.root(number), []).append(number)
        return sorted([root, *members] for root, members in by_root.items())


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
        all_codes = list(codes)
        key = (kind, about, all_codes[0] if about is None else 0)
        finding = self._found.get(key)
        if finding is None:
            finding = self._found[key] = RawConflict(kind, about, {rule}, severity, all_codes, detail)
        else:
            finding.rules.add(rule)
            finding.severity = max(finding.severity, severity)
            finding.codes += all_codes
            finding.detail = finding.detail or detail
        return finding
