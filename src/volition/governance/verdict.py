"""The verdict in the making: what was found about a set, what priority or a person settles, and what is still open."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from volition.core.errors import refuse
from volition.governance.conflicts import find
from volition.governance.conflicts.constraint import BUDGETS, CAPACITIES, exceeds, total_of
from volition.governance.conflicts.finding import LEVELS, WHOLE_SET, Findings
from volition.governance.conflicts.order import Needs
from volition.governance.conflicts.words import conflict_of
from volition.governance.documents import Merge, Operation
from volition.governance.merge import Roles, Step, in_order, merged_id, steps
from volition.governance.ordering import links, waits_of
from volition.governance.priority import settle
from volition.governance.questions import acts, component_matter, question_pack, whole_set_matter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.documents import AnswerPack, Intent, IntentSet, Link, QuestionPack
    from volition.governance.policy import Policy
    from volition.governance.questions import Act, Matter

SET_LIMIT: Final = 20
"""How many intents can be merged at once."""
_SEVERITY: Final = {level: -rank for rank, level in enumerate(LEVELS)}


class Verdict:
    """What is known of a set: `matters` are open, `roles` are who is what in the merge once `merge` has been asked for."""

    def __init__(self, intent_set: IntentSet, intents: list[Intent], policy: Policy) -> None:
        self.intent_set = intent_set
        self.intents = intents
        self.policy = policy
        self.mergeable = len(intents) <= SET_LIMIT
        hints = intent_set.metadata.merge_hints if intent_set.metadata else None
        self.findings, self.needs = find(intents, intent_set.context.env, policy, hints.complementary if hints else ())
        self.groups = self.findings.clusters.groups()
        documents = [(conflict_of(finding, intents), finding) for finding in self.findings]
        documents.sort(
            key=lambda pair: (
                _SEVERITY[pair[0].severity],
                pair[0].type,
                pair[0].resource_ref or "",
                pair[0].conflict_id,
            )
        )
        self.conflicts = tuple(conflict for conflict, _ in documents)
        self.answered: list[str] = []
        self.acts: dict[tuple[bool, str, tuple[int, ...]], Act] = {}
        self.roles: Roles | None = None
        self._documents = documents if self.mergeable else []
        if not self.mergeable:
            # Nothing will be settled, so what was found is not needed any more; in a large set it is large.
            self.findings, self.needs = Findings((), intent_set.context.env, policy), Needs(())
        self._settle()

    def _settle(self) -> None:
        """Settle what priority or an answer settles; the rest is open."""
        self.matters: list[Matter] = []
        self._winners: list[Intent] = []
        self._losers: list[tuple[Intent, Intent | None, str]] = []
        self._left_out: set[int] = set()
        self._capped = self._stopped = False
        if not self.mergeable:
            return
        for group in self.groups:
            self._settle_component(group)
        for rule in sorted(WHOLE_SET):
            self._settle_whole_set(rule)

    def _settle_component(self, group: list[int]) -> None:
        members = [self.intents[number] for number in group]
        circle = not self.findings.cyclic.isdisjoint(group)
        settled = None if circle else settle(members, self.policy)
        if settled:
            self._winners.append(settled.winner)
            self._losers += [(loser, settled.winner, key) for loser, key in settled.losers]
            return
        inside = {intent.id for intent in members}
        conflicts = [
            c
            for c, finding in self._documents
            if inside.issuperset(c.intent_ids)
            and (c.severity in {"high", "critical"} or "order_cycle" in finding.rules)
        ]
        if not conflicts:
            conflicts = [c for c, _ in self._documents if not inside.isdisjoint(c.intent_ids)]
        tie = "no priority decides between them"
        matter = component_matter(group, self.intents, conflicts, circle=circle, tie=tie)
        act = self.acts.get(matter.key)
        if act is None:
            self.matters.append(matter)
        elif act[0] == "keep":
            winner = self.intents[act[1][0]]
            self._winners.append(winner)
            self._losers += [(loser, winner, "answer") for loser in members if loser is not winner]
        elif act[0] == "drop":
            self._losers += [(loser, None, "answer") for loser in members]

    def _settle_whole_set(self, rule: str) -> None:
        conflicts = [conflict for conflict, finding in self._documents if rule in finding.rules]
        if not conflicts:
            return
        budget = rule == "constraint_budget"
        leave_out = self._too_much(budget=budget)
        names = [intent.id for intent in self.intents]
        matter = whole_set_matter(conflicts, len(self.intents), leave_out, names, capping=budget)
        act = self.acts.get(matter.key)
        if act is None:
            self.matters.append(matter)
        elif act[0] == "cap":
            self._capped = True
        elif act[0] == "leave_out":
            self._left_out.update(act[1])
        else:
            self._stopped = True

    def _too_much(self, *, budget: bool) -> list[int]:
        """The fewest of the largest intents without which the others fit; nothing where that cannot be."""

        def fits(some: list[Intent]) -> bool:
            if budget:
                return all(total_of(some, name) <= getattr(self.policy, name) for name in BUDGETS)
            return not any(exceeds(some, name) for name in CAPACITIES)

        def size(number: int) -> tuple[float, int]:
            intent = self.intents[number]
            if budget:
                return (max(getattr(intent.budgets, n) / (getattr(self.policy, n) or 1) for n in BUDGETS), number)
            return (
                len(intent.planned_commands) / 80 + len(intent.selected_agents) / 13 + len(intent.evidence_refs) / 200,
                number,
            )

        left = sorted(range(len(self.intents)), key=size)
        out: list[int] = []
        while left and not fits([self.intents[number] for number in left]):
            out.append(left.pop())
        return sorted(out) if left else []

    def apply(self, pack: AnswerPack) -> None:
        """Settle what the answers settle, and nothing else."""
        if not self.matters:
            refuse(
                "nothing is asked",
                where="answers",
                expected="answers only where there are questions",
                remedy="evaluate without them",
            )
        asked = self.pack(self.run_id())
        assert asked is not None
        self.acts |= acts(self.matters, asked, pack)
        self.answered.append(pack.pack_id)
        self._settle()

    def run_id(self) -> str:
        """The id of the result: it follows from the input and nothing else."""
        given = self.intent_set
        said = [given.id, given.checksum, self.policy.hash, *self.answered]
        said += [intent.audit.checksum for intent in self.intents]
        hints = msgspec.json.encode(given.metadata) if given.metadata else b""
        return f"eval_result_{sha256(' '.join(said).encode() + hints).hexdigest()[:32]}"

    def pack(self, run_id: str) -> QuestionPack | None:
        if not self.matters:
            return None
        return question_pack(self.matters, run_id, self.intents, self.intent_set.created_at)

    def merge(self) -> Merge:
        """How the intents become one, or why they do not."""
        if not self.mergeable or self.matters or self._stopped:
            return self._rejection()
        lost = {loser.id for loser, _, _ in self._losers}
        kept = [n for n, intent in enumerate(self.intents) if intent.id not in lost and n not in self._left_out]
        if not kept:
            refuse(
                "the answers leave nothing to merge",
                where="answers, $.answers",
                expected="at least one intent that is kept",
                remedy="keep one of the intents, or do not evaluate the set",
            )
        self.roles = Roles(
            kept=tuple(self.intents[number] for number in in_order(kept, self.needs)),
            winners=tuple(winner for winner in self._winners if winner.id not in lost and self._kept(winner, kept)),
            losers=tuple(self._losers),
            left_out=tuple(
                self.intents[number] for number in sorted(self._left_out) if self.intents[number].id not in lost
            ),
            cap={name: getattr(self.policy, name) for name in BUDGETS} if self._capped else None,
        )
        self.steps = steps(self.roles, self._because)
        return Merge(
            strategy="override_by_priority" if self._losers else "merge_union",
            operations=_operations(self.steps),
            result_intent_id=merged_id(self.roles),
        )

    def order(self) -> tuple[Link, ...]:
        """The order of the commands of the merge."""
        assert self.roles is not None
        kept = [self.needs.numbers[intent.id] for intent in self.roles.kept]
        return links(self.roles.kept, waits_of(kept, self.needs, self.findings), self.policy)

    def _kept(self, winner: Intent, kept: list[int]) -> bool:
        return self.needs.numbers[winner.id] in kept

    def _because(self, intent: Intent) -> str:
        """What an intent waits for, where it waits for something."""
        assert self.roles is not None
        inside = {kept.id for kept in self.roles.kept}
        number = self.needs.numbers[intent.id]
        waits = {self.intents[n].id: "it says so" for n in self.needs.declared[number]}
        for about, blocks in self.needs.blocks.items():
            for makers, takers in blocks:
                if number in takers:
                    waits |= {
                        self.intents[n].id: about for n in makers if n != number and self.intents[n].id not in waits
                    }
        said = [f"{name} ({about})" for name, about in sorted(waits.items()) if name in inside]
        return f", after {', '.join(said)}" if said else ""

    def _rejection(self) -> Merge:
        """Nothing is merged: one step per reason."""
        self.roles = None
        found: list[Step] = []
        if not self.mergeable:
            why = f"{len(self.intents)} intents are more than the {SET_LIMIT} that can be merged: evaluate each cluster by itself"
            found.append(Step("reject", self.intents[0].id, why))
        found += [Step("reject", self.intents[matter.members[0]].id, matter.reason[:500]) for matter in self.matters]
        if self._stopped:
            found.append(Step("reject", self.intents[0].id, "a person chose to merge nothing"))
        self.steps = found
        return Merge(strategy="reject", operations=_operations(found))


def _operations(found: Sequence[Step]) -> tuple[Operation, ...]:
    return tuple(
        Operation(
            op_id=f"op_{n:04d}",
            operation=step.operation,
            source_intent_id=step.source,
            evidence=step.evidence,
            target_field=step.field,
        )
        for n, step in enumerate(found, 1)
    )
