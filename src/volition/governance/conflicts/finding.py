"""Findings: conflicts as detection leaves them, in numbers, and the ledger in which they are collected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from volition.governance.clusters import Clusters
from volition.governance.conflicts.contests import SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.governance.documents import Intent
    from volition.governance.documents.intent import Level
    from volition.governance.documents.intent_set import Env
    from volition.governance.policy import Policy

LEVELS: Final[tuple[Level, ...]] = ("low", "medium", "high", "critical")
HIGH: Final = LEVELS.index("high")
RESOURCE, EFFECT, ORDER, CONSTRAINT = range(4)
WHOLE_SET: Final = frozenset({"constraint_budget", "constraint_capacity"})
"""Rules that speak of the whole set: they connect nobody, and they always ask."""


@dataclass(slots=True)
class Finding:
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
    """Where it stands, where the codes do not say it."""

    @property
    def members(self) -> list[int]:
        """The numbers of those who clash, each once, in order."""
        return sorted({code >> SHIFT for code in self.codes})


class Findings:
    """What is found about some intents: one finding per kind and contested thing, and who is connected by clashing."""

    def __init__(self, intents: Sequence[Intent], env: Env, policy: Policy) -> None:
        self.intents = intents
        self.env = env
        self.policy = policy
        self.clusters = Clusters(len(intents))
        self.cyclic: set[int] = set()
        self.exclusive: list[tuple[str, tuple[int, ...]]] = []
        """What only one may have at a time, and all who want it."""
        self._found: dict[tuple[int, str | None, int], Finding] = {}

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def severity(self, rule: str) -> int:
        """How severe a clash by this rule is under the policy, before anything that the rule itself adds."""
        return LEVELS.index(self.policy.severity(rule))

    def get(self, kind: int, about: str | None) -> Finding | None:
        return self._found.get((kind, about, 0))

    def add(
        self, kind: int, about: str | None, rule: str, severity: int, codes: Iterable[int], *, detail: str = ""
    ) -> Finding:
        """Note a clash of all these; what is about nothing is a finding of its own, known by its first code."""
        held = list(codes)
        key = (kind, about, held[0] if about is None else 0)
        finding = self._found.get(key)
        if finding is None:
            finding = self._found[key] = Finding(kind, about, {rule}, severity, held, detail)
        else:
            finding.rules.add(rule)
            finding.severity = max(finding.severity, severity)
            finding.codes += held
            finding.detail = finding.detail or detail
        return finding
