"""The verdict on a set: what was found, what priority or a person settles, and what is still open."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from volition.core.errors import refuse
from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.conflicts.constraint import BUDGETS, CAPACITIES, HELD, exceeds, total_of
from volition.governance.conflicts.contests import add_claims
from volition.governance.conflicts.descriptions import conflict_of
from volition.governance.conflicts.detection import find
from volition.governance.conflicts.graphs import in_order
from volition.governance.conflicts.ledger import HIGH, NO_ORDER_HELPS, WHOLE_SET, ConflictLedger
from volition.governance.conflicts.order import REMOVAL, Needs
from volition.governance.documents.intent import GRAVE, LEVELS
from volition.governance.documents.intent_set import SET_LIMIT
from volition.governance.documents.result import Merge, MissingPrerequisite
from volition.governance.merge.fates import losses_of
from volition.governance.merge.merging import MergeSteps, Roles, merged_id, steps
from volition.governance.merge.ordering import links, order_of_work, preferences, waits_of
from volition.governance.risk import assess, compare
from volition.governance.settlement.prerequisites import Prerequisites, describe_gap
from volition.governance.settlement.priority import Priority, instant
from volition.governance.settlement.questions import (
    acts,
    component_question,
    prerequisite_question,
    question_pack,
    whole_set_question,
)
from volition.governance.settlement.settle import Relations, possible_choices, settle, smallest_choices
from volition.governance.wording import shorten

if TYPE_CHECKING:
    from volition.governance.claims.footprint import Footprint
    from volition.governance.conflicts.contests import Index
    from volition.governance.documents.intent import CommandLink, IntentDocument
    from volition.governance.documents.intent_set import IntentSet
    from volition.governance.documents.packs import AnswerPack, QuestionPack
    from volition.governance.documents.policy import Policy
    from volition.governance.documents.result import Conflict, Loss, RiskRow
    from volition.governance.settlement.prerequisites import Gap
    from volition.governance.settlement.questions import Act, OpenQuestion


class Verdict:
    """The state of an evaluation: `matters` are open questions, `roles` is set once `merge` was called."""

    def __init__(self, intent_set: IntentSet, intents: list[IntentDocument], policy: Policy) -> None:
        self.intent_set = intent_set
        self.intents = intents
        self.policy = policy
        self.mergeable = len(intents) <= SET_LIMIT
        hints = intent_set.metadata.merge_hints if intent_set.metadata else None
        env = intent_set.context.env
        index: Index = {}
        rows: list[RiskRow] = []
        claims: list[dict[str, int]] = []
        footprints: list[Footprint] = []
        for number, intent in enumerate(intents):
            footprint = footprint_of(intent, policy)
            mine = claims_of(footprint, policy)
            add_claims(index, number, mine)
            if self.mergeable:
                claims.append(mine)
                footprints.append(footprint)
            rows.append(assess(footprint, env, policy))
        self.risks = compare(rows, pairs=self.mergeable)
        self.findings, self.needs = find(
            intents, index, env, policy, hints.complementary if hints else (), hints.done if hints else (), claims
        )
        self.groups = self.findings.clusters.groups()
        documents = [(conflict_of(finding, self.findings), finding) for finding in self.findings]
        documents.sort(key=lambda pair: _gravest_first(pair[0]))
        self.conflicts = tuple(conflict for conflict, _ in documents)
        self.answered: list[str] = []
        self.acts: dict[tuple[bool, str, tuple[int, ...]], Act] = {}
        self.roles: Roles | None = None
        self._documents = documents if self.mergeable else []
        self._prerequisites = Prerequisites(self.needs, claims)
        self.gaps: list[Gap] = self._prerequisites.gaps(range(len(intents)), ())
        if not self.mergeable:
            # Nothing will be settled, so the findings, which are large in a large set, are not needed any more.
            self.findings, self.needs = ConflictLedger((), env, policy), Needs(())
        self.priority = Priority(footprints, policy)
        self._settle()

    def _settle(self) -> None:
        """Settle what priority or an answer settles; the rest is open.

        No plan gives way to one that is left out, so conflicts of the whole set come first, and then what remains of each
        cluster; a part that changed is asked about again. What plans have to do without is known last.
        """
        self.field = Relations(self.findings.clusters.near, self.needs)
        self.matters: list[OpenQuestion] = []
        self._sequences: list[tuple[int, ...]] = []
        self._preferred = {number for act, members in self.acts.values() if act == "prefer" for number in members}
        self._lost: dict[int, tuple[int | None, str]] = {}
        self._left_out: set[int] = set()
        self._capped = self._stopped = False
        if not self.mergeable:
            return
        for rule in sorted(WHOLE_SET):
            self._settle_whole_set(rule)
        of_the_set, self.matters = self.matters, []
        self._let_through_freezes()
        for group in self.groups:
            settlement = settle([n for n in group if n not in self._left_out], self.field, self._decides)
            self._lost |= settlement.lost
            for part in settlement.open:
                self._settle_part(part)
        self._settle_gaps()
        self.matters += of_the_set

    def _let_through_freezes(self) -> None:
        """A plan that wins over a freeze, and clashes with it by nothing else, ends it for itself; others still face it."""
        lasting = self.findings.clusters.lasting
        for holder, visitor in self.findings.freezes:
            by_both = (visitor, holder) in self.findings.freezes
            if not by_both and holder not in lasting[visitor] and self._decides(visitor, holder):
                self.field.let_through(holder, visitor)

    def _describe_gap(self, gap: Gap) -> str:
        """A gap in words, with what the missing plan gave way to and by which key."""
        winner, key = self._lost.get(self.needs.numbers.get(gap.needed, -1), (None, ""))
        lost_to = "" if winner is None else f"{self.intents[winner].id} (decided by {key})"
        return describe_gap(gap, [intent.id for intent in self.intents], lost_to)

    def _decides(self, one: int, other: int) -> str | None:
        """The key by which one plan wins over another: what a person preferred, or priority."""
        if (one in self._preferred) != (other in self._preferred):
            return "answer" if one in self._preferred else None
        key = self.priority.decides(one, other)
        return None if key != "explicit" and frozenset((one, other)) in self.findings.asked else key

    def _settle_gaps(self) -> None:
        """Ask about plans that depend on one that is not there, unless somebody answered; dropping some may leave others
        without what they depend on, so this is repeated."""
        self.gaps, asked = [], set[str]()
        names = [intent.id for intent in self.intents]
        while True:
            present = self._present_numbers()
            gaps = [g for g in self._prerequisites.gaps(present, self._left_out) if g.needed not in asked]
            if not gaps:
                return
            gap = gaps[0]
            asked.add(gap.needed)
            needed = self.needs.numbers.get(gap.needed) if gap.fate == "lost" else None
            by_priority = needed is not None and self._lost.get(needed, (None, "answer"))[1] != "answer"
            everybody = self._prerequisites.all_dependents(gap.dependents, present)
            open_question = prerequisite_question(
                gap, self._describe_gap(gap), everybody, names, needed if by_priority else None
            )
            act = self.acts.get(open_question.key)
            if act is None:
                self.matters.append(open_question)
                self.gaps.append(gap)
            elif act[0] == "drop":
                self._lost |= dict.fromkeys(set(act[1]) & present, (None, "answer"))
            else:
                self.gaps.append(gap)

    def _settle_part(self, part: list[int]) -> None:
        possible, more = possible_choices(part, self.field)
        conflicts, why = self._conflicts_between(part), self._why_open(part)
        needed_by = {number: self._prerequisites.dependents_of(number) for number in part}
        open_question = component_question(
            part, possible, self.intents, conflicts, why, more=more, orders=self._orders(part), needed_by=needed_by
        )
        act = self.acts.get(open_question.key) or self._earlier_answer(part)
        if act is None:
            self.matters.append(open_question)
        elif act[0] == "unite":
            self._sequences.append(tuple(number for number in act[1] if number in part))
        elif act[0] == "keep":
            kept = set(act[1])
            for loser in (number for number in part if number not in kept):
                # In a circle there may be no particular plan that it clashes with.
                winner = min(self.field.near[loser] & kept, default=min(kept))
                self._lost[loser] = (winner, "answer")
        elif act[0] == "drop":
            self._lost |= dict.fromkeys(part, (None, "answer"))

    def _orders(self, part: list[int]) -> list[tuple[int, ...]]:
        """The orders in which all plans of a part can follow each other: the oldest first where nothing else decides, and
        for two between which nothing decides also the other way round; none where no order helps."""
        inside = [finding for _, finding in self._documents if len({*part} & {*finding.members}) > 1]
        if any(finding.rules & NO_ORDER_HELPS for finding in inside if finding.severity >= HIGH):
            return []
        by_age = sorted(part, key=lambda number: (instant(self.intents[number].created_at), number))
        place = {number: at for at, number in enumerate(by_age)}
        waits = {place[n]: {place[m] for m in part if self._comes_after(n, m)} for n in part}
        order = tuple(by_age[at] for at in in_order(waits))
        free = len(part) == 2 and not any(waits.values())
        return [order, order[::-1]] if free else [order]

    def _comes_after(self, later: int, earlier: int) -> bool:
        """Whether one plan comes after another: it needs it, or a chain of declarations says so."""
        return later in self.field.after[earlier] or self.findings.declared.comes_after(later, earlier)

    def _earlier_answer(self, part: list[int]) -> Act | None:
        """The answer given when this part still contained plans that are left out now, if it still applies."""
        for (whole_set, _, members), act in self.acts.items():
            gone = set(members) - set(part)
            if not whole_set and set(part) < set(members) and gone <= self._left_out:
                return None if act[0] == "keep" and gone & set(act[1]) else act
        return None

    def _conflicts_between(self, part: list[int]) -> list[Conflict]:
        """The conflicts that keep a part open: high or critical ones between two members, and its circles."""
        found = []
        for conflict, finding in self._documents:
            inside = [number for number in finding.members if number in part]
            grave = conflict.severity in GRAVE and any(self.field.near[n] & {*inside} for n in inside)
            if grave or ("order_cycle" in finding.rules and len(inside) > 1):
                found.append(conflict)
        return found

    def _why_open(self, part: list[int]) -> str:
        """Why no key settles a part."""
        if self.field.circles(set(part)):
            return "they need each other in a circle"
        pairs = ((one, other) for one in part for other in self.field.near[one] & {*part})
        if any(self.priority.only_the_clock_decides(one, other) for one, other in pairs):
            return "only the clock tells them apart, which does not decide between plans of different authors"
        return "no priority decides between them"

    def _settle_whole_set(self, rule: str) -> None:
        conflicts = [conflict for conflict, finding in self._documents if rule in finding.rules]
        if not conflicts:
            return
        budget = rule == "constraint_budget"
        leaving, more = self._choices_to_leave_out(budget=budget)
        names = [intent.id for intent in self.intents]
        open_question = whole_set_question(conflicts, len(self.intents), leaving, names, more=more, capping=budget)
        act = self.acts.get(open_question.key)
        if act is None:
            self.matters.append(open_question)
        elif act[0] == "cap":
            self._capped = True
        elif act[0] == "leave_out":
            self._left_out.update(act[1])
        else:
            self._stopped = True

    def _choices_to_leave_out(self, *, budget: bool) -> tuple[list[tuple[int, ...]], bool]:
        """The smallest choices of plans without which the others fit, and whether there may be more."""
        # What all of them can hold together, fewer can, too.
        over = [name for name in CAPACITIES if not budget and exceeds(self.intents, name)]
        held = {name: [set(HELD[name](intent)) for intent in self.intents] for name in over}

        def fits(out: tuple[int, ...]) -> bool:
            kept = [number for number in range(len(self.intents)) if number not in out]
            if budget:
                some = [self.intents[number] for number in kept]
                return all(total_of(some, name) <= getattr(self.policy, name) for name in BUDGETS)
            return all(len(set().union(*(mine[n] for n in kept))) <= CAPACITIES[name] for name, mine in held.items())

        return smallest_choices(range(len(self.intents)), fits)

    def _present_numbers(self) -> set[int]:
        """The plans that are neither superseded nor left out."""
        return {n for n in range(len(self.intents)) if n not in self._lost and n not in self._left_out}

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
        """How the intents are merged, or why they are not."""
        if not self.mergeable or self.matters or self._stopped:
            return self._rejection()
        kept = sorted(self._present_numbers())
        if not kept:
            return self._rejection()
        self._wanted = preferences(kept, self._sequences, self.findings)
        self.roles = Roles(
            kept=tuple(self.intents[number] for number in order_of_work(kept, self.needs, self._wanted)),
            winners=tuple(self.intents[n] for n in sorted({w for w, _ in self._lost.values() if w is not None})),
            losers=tuple(
                (self.intents[loser], None if winner is None else self.intents[winner], key)
                for loser, (winner, key) in sorted(self._lost.items())
            ),
            left_out=tuple(self.intents[number] for number in sorted(self._left_out - self._lost.keys())),
            cap={name: getattr(self.policy, name) for name in BUDGETS} if self._capped else None,
        )
        self.steps = steps(self.roles, self._describe_waiting(set(kept)))
        return Merge(
            strategy="override_by_priority" if self._lost else "merge_union",
            operations=tuple(self.steps),
            result_intent_id=merged_id(self.roles),
        )

    def losses(self) -> tuple[Loss, ...]:
        """The plans that are not in the merged intent, and why; none if nothing is merged."""
        return losses_of(self.roles, self.intents, self.conflicts, self.needs) if self.roles else ()

    def order(self) -> tuple[CommandLink, ...]:
        """The order of the commands of the merge."""
        assert self.roles is not None
        kept = [self.needs.numbers[intent.id] for intent in self.roles.kept]
        return links(self.roles.kept, waits_of(kept, self.needs, self.findings, self._wanted), self.policy)

    def missing(self) -> tuple[MissingPrerequisite, ...]:
        """The plans that others depend on and have to do without, and whether a person accepted that."""
        open_ = {open_question.about for open_question in self.matters}
        names = [intent.id for intent in self.intents]
        return tuple(
            MissingPrerequisite(
                intent_id=gap.needed,
                fate=gap.fate,
                needed_by=tuple(names[number] for number in gap.dependents),
                because=shorten(self._describe_gap(gap), 500),
                accepted=self.mergeable and f"prerequisite {gap.needed}" not in open_,
            )
            for gap in self.gaps
        )

    def _describe_waiting(self, kept: set[int]) -> dict[str, str]:
        """Intent -> which of the kept ones it waits for, as text; only for those that wait."""
        waits: dict[int, dict[int, str]] = {}
        for about, maker, taker in self.needs.each():
            if maker in kept and taker in kept:
                why = "it says so" if about is None else f"which relies on {about.removeprefix(REMOVAL)}"
                why = why if about is None or about.startswith(REMOVAL) else about
                waits.setdefault(taker, {}).setdefault(maker, why)
        # The numbers are in the order of the ids.
        return {
            self.intents[n].id: f", after {', '.join(f'{self.intents[m].id} ({mine[m]})' for m in sorted(mine))}"
            for n, mine in waits.items()
        }

    def _rejection(self) -> Merge:
        """Nothing is merged: one step per reason."""
        self.roles = None
        self.steps = MergeSteps()
        if not self.mergeable:
            why = f"{len(self.intents)} intents are more than the {SET_LIMIT} that can be merged: evaluate each cluster by itself"
            self.steps.add("reject", self.intents[0].id, why)
        for open_question in self.matters:
            self.steps.add("reject", self.intents[open_question.members[0]].id, open_question.reason[:500])
        if self._stopped:
            self.steps.add("reject", self.intents[0].id, "a person chose to merge nothing")
        if not self.steps:
            self.steps.add("reject", self.intents[0].id, "the answers leave nothing to merge")
        return Merge(strategy="reject", operations=tuple(self.steps))


def _gravest_first(conflict: Conflict) -> tuple[int, str, str, str]:
    return -LEVELS.index(conflict.severity), conflict.type, conflict.resource_ref or "", conflict.conflict_id
