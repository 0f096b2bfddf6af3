"""Order conflicts: one intent needs what another makes, and no order between them is declared.

An intent needs what its evidence names and another makes, unless it writes there itself; an intent that its evidence
names; what an implementation makes and its own analysis only reads; and what the registry says that its commands
require. What they require and no plan produces is a conflict too. A declared dependency (`lineage.derived_from`,
`metadata.depends_on`) is not a conflict. A circle of needs, declared or not, is a conflict that no order resolves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, Final

from volition.governance.claims.effects import MADE, MAKES, STUDIES, WRITES
from volition.governance.conflicts.circles import circles
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import HIGH, ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.governance.conflicts.citations import Citations
    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger
    from volition.governance.documents.intent import IntentDocument

LEFT_MAKES, RIGHT_MAKES = 128, 256
FLAGS: Final = LEFT_MAKES | RIGHT_MAKES
RULES: Final = {LEFT_MAKES: "order_dependency", RIGHT_MAKES: "order_dependency"}
_NOT_AN_ID = re.compile(r"[^a-z0-9_]+")


def clash(one: int, other: int) -> int:
    """Whether one makes in its implementation what the other reads in its analysis.

    >>> clash(MAKES, STUDIES) == LEFT_MAKES, clash(STUDIES, MAKES) == RIGHT_MAKES, clash(MAKES, MAKES)
    (True, True, 0)
    """
    return (LEFT_MAKES if one & MAKES and other & STUDIES else 0) | (
        RIGHT_MAKES if one & STUDIES and other & MAKES else 0
    )


class Needs:
    """Which intents need something from which: for each resource, blocks of makers and takers."""

    def __init__(self, intents: Sequence[IntentDocument]) -> None:
        self.intents = intents
        self.numbers = {intent.id: number for number, intent in enumerate(intents)}
        self.declared = [self._declared_before(number, intent) for number, intent in enumerate(intents)]
        self.blocks: defaultdict[str, list[tuple[Sequence[int], Sequence[int]]]] = defaultdict(list)

    def _declared_before(self, number: int, intent: IntentDocument) -> frozenset[int]:
        """The numbers of the intents that an intent declares to come before it."""
        before = (*intent.lineage.derived_from, *(intent.metadata.depends_on if intent.metadata else ()))
        return frozenset(n for n in map(self.numbers.get, before) if n is not None and n != number)

    def add(self, about: str, makers: Sequence[int], takers: Sequence[int]) -> None:
        """Record that each of the takers needs what each of the makers makes."""
        self.blocks[about].append((makers, takers))

    def each(self) -> Iterator[tuple[str | None, int, int]]:
        """Every need: what is needed (None if the order is declared), and the numbers of its maker and its taker."""
        for taker, said in enumerate(self.declared):
            for maker in said:
                yield None, maker, taker
        for about, blocks in self.blocks.items():
            for makers, takers in blocks:
                for maker, taker in product(makers, takers):
                    if maker != taker:
                        yield about, maker, taker

    def find_undeclared(self, about: str) -> list[int]:
        """The intents that take part in an undeclared dependency."""
        found: set[int] = set()
        for makers, takers in self.blocks[about]:
            all_makers = False
            for taker in takers:
                said = self.declared[taker]
                if said:
                    missing = [maker for maker in makers if maker != taker and maker not in said]
                    found.update(missing, [taker] if missing else ())
                elif len(makers) > 1 or makers[0] != taker:
                    found.add(taker)
                    all_makers = all_makers or taker not in makers
                    if not all_makers:
                        found.update(maker for maker in makers if maker != taker)
            if all_makers:
                found.update(makers)
        return sorted(found)

    def before(self) -> tuple[list[list[int]], int]:
        """The graph of all needs, declared or not: node -> the nodes after it; the intents are the first nodes.

        A block is a separate node, after its makers and before its takers, so that it costs no pairs.
        """
        size = len(self.intents)
        after: list[list[int]] = [[] for _ in range(size)]
        for taker, said in enumerate(self.declared):
            for maker in said:
                after[maker].append(taker)
        for blocks in self.blocks.values():
            for makers, takers in blocks:
                node = len(after)
                after.append(list(takers))
                for maker in makers:
                    after[maker].append(node)
        return after, size


def find_needs(findings: ConflictLedger, needs: Needs, index: Index, look: Citations) -> None:
    """Find all needs except those that the contests have shown already."""
    _by_evidence(needs, index, look)
    _by_registry(findings, needs)


def report_needs(findings: ConflictLedger, needs: Needs) -> None:
    """Turn needs into conflicts: undeclared dependencies, and circles."""
    if not needs.blocks and not any(needs.declared):
        return
    severity = findings.severity("order_dependency")
    for about in needs.blocks:
        members = needs.find_undeclared(about)
        if members:
            findings.add(ORDER, about, "order_dependency", severity, (number << SHIFT for number in members))
            if severity >= HIGH:
                _connect_undeclared(findings, needs, about)
    severity = findings.severity("order_cycle")
    for circle in circles(*needs.before()):
        findings.add(ORDER, None, "order_cycle", severity, (number << SHIFT for number in circle))
        findings.clusters.connect(circle)
        findings.cyclic.update(circle)


def _connect_undeclared(findings: ConflictLedger, needs: Needs, about: str) -> None:
    """Connect each taker with each maker that it has not declared."""
    for makers, takers in needs.blocks[about]:
        for taker in takers:
            said = needs.declared[taker]
            findings.clusters.link([taker], [maker for maker in makers if maker != taker and maker not in said])


def _by_evidence(needs: Needs, index: Index, look: Citations) -> None:
    cited: defaultdict[str, list[int]] = defaultdict(list)
    for number, intent in enumerate(needs.intents):
        refs = _references(intent)
        for resource in sorted(look.named_by(refs)):
            cited[resource].append(number)
        named = {name for ref in refs if "intent_" in ref for name in _NOT_AN_ID.split(ref)} & needs.numbers.keys()
        for name in sorted(named - {intent.id}):
            needs.add(name, [needs.numbers[name]], [number])
    for resource, citing in cited.items():
        others = set(citing).difference([code >> SHIFT for code in index[resource] if code & WRITES])
        if others and (others := others - look.writers_around(resource)):
            needs.add(resource, [code >> SHIFT for code in index[resource] if code & MADE], sorted(others))


def _references(intent: IntentDocument) -> set[str]:
    """All references of an intent, and of its commands."""
    refs = set(intent.evidence_refs)
    for command in intent.planned_commands:
        refs.update(command.evidence_refs)
    return refs


def _by_registry(findings: ConflictLedger, needs: Needs) -> None:
    registry = findings.policy.registry
    if registry is None:
        return
    makers: defaultdict[str, list[int]] = defaultdict(list)
    takers: defaultdict[str, list[int]] = defaultdict(list)
    for number, intent in enumerate(findings.intents):
        commands = {command.command_id for command in intent.planned_commands}
        made = {artifact for command in commands for artifact in registry.produces.get(command, ())}
        needed = {artifact for command in commands for artifact in registry.requires.get(command, ())}
        for artifact in made:
            makers[artifact].append(number)
        for artifact in needed - made:
            takers[artifact].append(number)
    for artifact in sorted(takers):
        if artifact in makers:
            needs.add(f"artifact:{artifact}", makers[artifact], takers[artifact])
        else:
            _note_unmet(findings, artifact, takers[artifact])


def _note_unmet(findings: ConflictLedger, artifact: str, takers: Sequence[int]) -> None:
    """Report an artifact that no plan produces; it concerns all plans, because any of them might have produced it."""
    registry = findings.policy.registry
    assert registry is not None
    severity = findings.severity("order_unmet")
    everybody = range(len(findings.intents))
    if len(everybody) < 2:
        return
    found = findings.add(
        ORDER, f"artifact:{artifact}", "order_unmet", severity, (number << SHIFT for number in everybody)
    )
    found.detail = ", ".join(findings.intents[number].id for number in takers[:4])
    found.evidence = tuple(
        f"{findings.intents[number].id}#{command.command_id}: requires {artifact}"[:512]
        for number in takers[:50]
        for command in findings.intents[number].planned_commands
        if artifact in registry.requires.get(command.command_id, ())
    )[:50]
    if severity >= HIGH:
        findings.clusters.join(everybody)
