"""Order conflicts: one intent needs what another makes, and no order between them is declared.

An intent needs what its evidence names and another makes, unless it writes there itself; an intent that its evidence
names; what an implementation makes and its own analysis only reads; and what the registry says that its commands
require. Who reads something, or names it as evidence, comes before whoever removes it, whatever that one makes there. What
the registry requires and no plan produces is a conflict too, and so is a declared dependency on a plan that is not there. A
declared dependency (`lineage.derived_from`, `metadata.depends_on`) on a plan of the set is not a conflict. A circle of
needs, declared or not, is a conflict that no order resolves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.governance.claims.spelling import spelling_of
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.graphs import circles
from volition.governance.conflicts.ledger import HIGH, ORDER
from volition.governance.documents.effects import DELETE, MADE, MAKES, STUDIES, TOUCH, WRITES
from volition.governance.wording import SHOWN, join_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from volition.governance.conflicts.citations import Citations
    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger
    from volition.governance.documents.intent import IntentDocument

LEFT_MAKES, RIGHT_MAKES, LEFT_READS, RIGHT_READS = 128, 256, 2048, 4096
RULES: Final = {LEFT_MAKES: "order_dependency", RIGHT_MAKES: "order_dependency"}
REMOVAL: Final = "removal:"
"""The prefix of a need that ends with a removal; what is removed follows."""
ARTIFACT: Final = "artifact:"
"""The prefix of a need by the registry."""
_NOT_AN_ID = re.compile(r"[^a-z0-9_]+")


def clash(one: int, other: int) -> int:
    """Whether one makes in its implementation what the other reads in its analysis, or reads what the other removes.

    >>> clash(MAKES, STUDIES) == LEFT_MAKES, clash(STUDIES, MAKES) == RIGHT_MAKES, clash(MAKES, MAKES)
    (True, True, 0)
    >>> clash(TOUCH, TOUCH | DELETE) == LEFT_READS, clash(TOUCH | DELETE, TOUCH | DELETE)
    (True, 0)
    """
    flags = LEFT_MAKES if one & MAKES and other & STUDIES else 0
    flags |= RIGHT_MAKES if one & STUDIES and other & MAKES else 0
    flags |= LEFT_READS if one & TOUCH and not one & WRITES and other & DELETE else 0
    return flags | (RIGHT_READS if other & TOUCH and not other & WRITES and one & DELETE else 0)


class Needs:
    """Which intents need something from which: for each resource, blocks of makers and takers."""

    def __init__(self, intents: Sequence[IntentDocument], done: Iterable[str] = ()) -> None:
        self.intents = intents
        self.numbers = {intent.id: number for number, intent in enumerate(intents)}
        self.declared = [self._declared_before(number, intent) for number, intent in enumerate(intents)]
        self.blocks: defaultdict[str, list[tuple[Sequence[int], Sequence[int]]]] = defaultdict(list)
        self.depends = [self._depends_on(intent) for intent in intents]
        """For each intent, the numbers of those that it declares to depend on."""
        self.absent = [self._declared_absent(intent, {*done}) for intent in intents]
        """For each intent, the ids that it declares to depend on and that are not in the set."""

    def _declared_before(self, number: int, intent: IntentDocument) -> frozenset[int]:
        """The numbers of the intents that an intent declares to come before it."""
        before = (*intent.lineage.derived_from, *(intent.metadata.depends_on if intent.metadata else ()))
        return frozenset(n for n in map(self.numbers.get, before) if n is not None and n != number)

    def _depends_on(self, intent: IntentDocument) -> frozenset[int]:
        wanted = intent.metadata.depends_on if intent.metadata else ()
        return frozenset(self.numbers[name] for name in wanted if name in self.numbers and name != intent.id)

    def _declared_absent(self, intent: IntentDocument, done: set[str]) -> tuple[str, ...]:
        wanted = intent.metadata.depends_on if intent.metadata else ()
        return tuple(sorted(name for name in wanted if name not in self.numbers and name not in done))

    def add_removal(self, about: str, readers: Sequence[int], removers: Sequence[int]) -> None:
        """Record that each of the readers comes before each of the removers, unless that one is declared to come first."""
        for remover in removers:
            first = [reader for reader in readers if remover not in self.declared[reader] and reader != remover]
            if first:
                self.add(REMOVAL + about, first, [remover])

    def let_readers_come_first(self, meets: Callable[[str, str], bool]) -> None:
        """Forget that a plan needs what another makes, where that one also removes something of it that the plan reads: a
        rename makes and removes, and whoever reads the old name comes first."""
        removed: defaultdict[int, list[tuple[str, Sequence[int]]]] = defaultdict(list)
        for about, blocks in self.blocks.items():
            if about.startswith(REMOVAL):
                for readers, (remover,) in blocks:
                    removed[remover].append((about.removeprefix(REMOVAL), readers))
        for about in [block for block in self.blocks if removed and not self._is_fixed(block)]:
            blocks_left: list[tuple[Sequence[int], Sequence[int]]] = []
            for makers, takers in self.blocks[about]:
                first = {
                    m: {r for place, readers in removed.get(m, ()) if meets(about, place) for r in readers}
                    for m in makers
                }
                if not any(first.values()):
                    blocks_left.append((makers, takers))
                    continue
                waits = {taker: [maker for maker in makers if taker not in first[maker]] for taker in takers}
                blocks_left += [(before, [taker]) for taker, before in waits.items() if before]
            if blocks_left:
                self.blocks[about] = blocks_left
            else:
                del self.blocks[about]

    def _is_fixed(self, about: str) -> bool:
        """Whether a need is about no resource: a removal, an artifact, or a plan by its id."""
        return about.startswith((REMOVAL, ARTIFACT)) or about in self.numbers

    def add(self, about: str, makers: Sequence[int], takers: Sequence[int]) -> None:
        """Record that each of the takers needs what each of the makers makes."""
        self.blocks[about].append((makers, takers))

    def each(self) -> Iterator[tuple[str | None, int, int]]:
        """Every need: what is needed (None if the order is declared), and the numbers of its maker and its taker."""
        for taker, before in enumerate(self.declared):
            for maker in before:
                yield None, maker, taker
        for about, blocks in self.blocks.items():
            for makers, takers in blocks:
                for maker, taker in product(makers, takers):
                    if maker != taker:
                        yield about, maker, taker

    def find_undeclared(self, about: str) -> list[int]:
        """The intents that take part in an undeclared dependency."""
        members: set[int] = set()
        for makers, takers in self.blocks[about]:
            all_makers = False
            for taker in takers:
                before = self.declared[taker]
                if before:
                    missing = [maker for maker in makers if maker != taker and maker not in before]
                    members.update(missing, [taker] if missing else ())
                elif len(makers) > 1 or makers[0] != taker:
                    members.add(taker)
                    all_makers = all_makers or taker not in makers
                    if not all_makers:
                        members.update(maker for maker in makers if maker != taker)
            if all_makers:
                members.update(makers)
        return sorted(members)

    def before(self) -> tuple[list[list[int]], int]:
        """The graph of all needs, declared or not: node -> the nodes after it; the intents are the first nodes.

        A block is a separate node, after its makers and before its takers, so that it costs no pairs.
        """
        size = len(self.intents)
        after: list[list[int]] = [[] for _ in range(size)]
        for taker, earlier in enumerate(self.declared):
            for maker in earlier:
                after[maker].append(taker)
        for blocks in self.blocks.values():
            for makers, takers in blocks:
                node = len(after)
                after.append(list(takers))
                for maker in makers:
                    after[maker].append(node)
        return after, size


class Claimants(Struct, frozen=True):
    """Who claims what: directly, by a claim on what meets it there, and the other resources at which it meets something."""

    direct: Index
    inside: Index
    outside: dict[str, list[str]]

    def around(self, resource: str, bits: int) -> set[int]:
        """The intents that do one of these things to a resource, or to something that meets it."""
        codes = [*self.direct[resource], *self.inside.get(resource, ())]
        for other in self.outside.get(resource, ()):
            codes += self.direct[other]
        return {code >> SHIFT for code in codes if code & bits}


def find_needs(
    findings: ConflictLedger, needs: Needs, claimants: Claimants, produced: Citations, deleted: Citations
) -> None:
    """Find all needs except those that the contests have shown already."""
    index = claimants.direct
    for resource, others in _citing_plans(needs, produced, claimants, WRITES).items():
        needs.add(resource, [code >> SHIFT for code in index[resource] if code & MADE], others)
    # Who reads what another removes clashes with it there, so only those count that name it and do not claim it.
    for resource, others in _citing_plans(needs, deleted, claimants, TOUCH).items():
        _note_removal(findings, needs, resource, others, [code for code in index[resource] if code & DELETE])
    _by_names(needs)
    _by_registry(findings, needs)


def report_needs(findings: ConflictLedger, needs: Needs) -> None:
    """Turn needs into conflicts: undeclared dependencies, and circles."""
    needs.let_readers_come_first(spelling_of(findings.policy).meets)
    if not needs.blocks and not any(needs.declared):
        return
    severity = findings.severity("order_dependency")
    for about in needs.blocks:
        if about.startswith(REMOVAL):
            continue  # who reads what another removes clashes with it already
        members = needs.find_undeclared(about)
        if members:
            codes = (number << SHIFT for number in members)
            detail = _describe_block(needs, about)
            findings.add(ORDER, about, "order_dependency", severity, codes, detail=detail)
            if severity >= HIGH:
                _connect_undeclared(findings, needs, about)
    severity = findings.severity("order_cycle")
    for circle in circles(*needs.before()):
        findings.add(ORDER, None, "order_cycle", severity, (number << SHIFT for number in circle))
        findings.clusters.connect(circle)
        findings.cyclic.update(circle)


def _describe_block(needs: Needs, about: str) -> str:
    """Who needs something and who makes it, in words."""
    makers, takers = (
        [needs.intents[n].id for n in dict.fromkeys(n for block in needs.blocks[about] for n in block[side])]
        for side in (0, 1)
    )
    verbs = ["needs" if len(takers) == 1 else "need", "makes" if len(makers) == 1 else "make"]
    if about in makers:
        return f"the evidence of {join_names(takers, SHOWN)} names {about}"
    return f"{join_names(takers, SHOWN)} {verbs[0]} {about}, which {join_names(makers, SHOWN)} {verbs[1]}"


def _connect_undeclared(findings: ConflictLedger, needs: Needs, about: str) -> None:
    """Connect each taker with each maker that it has not declared."""
    for makers, takers in needs.blocks[about]:
        for taker in takers:
            before = needs.declared[taker]
            findings.clusters.link([taker], [maker for maker in makers if maker != taker and maker not in before])


def _citing_plans(needs: Needs, look: Citations, claimants: Claimants, bits: int) -> dict[str, list[int]]:
    """Resource -> the intents whose references name it and that do none of these things there themselves."""
    cited: defaultdict[str, set[int]] = defaultdict(set)
    for number, intent in enumerate(needs.intents):
        for resource in sorted(look.named_by(_references(intent), intent.scope.repo_root)):
            cited[resource].add(number)
    needing = {resource: sorted(citing - claimants.around(resource, bits)) for resource, citing in cited.items()}
    return {resource: others for resource, others in needing.items() if others}


def _note_removal(
    findings: ConflictLedger, needs: Needs, resource: str, readers: Sequence[int], removers: Sequence[int]
) -> None:
    """Report that plans rely on what others remove, and let them come first."""
    owners = sorted({code >> SHIFT for code in removers})
    others = sorted({*readers} - {*owners})
    if others:
        severity = findings.severity("order_removal")
        codes = [*removers, *(number << SHIFT for number in others)]
        findings.add(ORDER, resource, "order_removal", severity, codes)
        needs.add_removal(resource, others, owners)
        if severity >= HIGH:
            findings.clusters.link(owners, others)


def _by_names(needs: Needs) -> None:
    """An intent needs the intents that its evidence names by their ids."""
    for number, intent in enumerate(needs.intents):
        words = (_NOT_AN_ID.split(ref) for ref in _references(intent) if "intent_" in ref)
        named = {name for some in words for name in some} & needs.numbers.keys()
        for name in sorted(named - {intent.id}):
            needs.add(name, [needs.numbers[name]], [number])


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
        produced = {artifact for command in commands for artifact in registry.produces.get(command, ())}
        required = {artifact for command in commands for artifact in registry.requires.get(command, ())}
        for artifact in produced:
            makers[artifact].append(number)
        for artifact in required - produced:
            takers[artifact].append(number)
    for artifact in sorted(takers):
        if artifact in makers:
            needs.add(f"{ARTIFACT}{artifact}", makers[artifact], takers[artifact])
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
    conflict = findings.add(
        ORDER, f"{ARTIFACT}{artifact}", "order_unmet", severity, (number << SHIFT for number in everybody)
    )
    conflict.detail = ", ".join(findings.intents[number].id for number in takers[:4])
    conflict.evidence = tuple(
        f"{findings.intents[number].id}#{command.command_id}: requires {artifact}"[:512]
        for number in takers[:50]
        for command in findings.intents[number].planned_commands
        if artifact in registry.requires.get(command.command_id, ())
    )[:50]
    if severity >= HIGH:
        findings.clusters.join(everybody)
