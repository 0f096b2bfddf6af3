"""The verdict on a set: what priority or a person settles, and what is still open.

Settling goes from the whole set to its parts: what exceeds the budgets or capacities of one intent first, because no plan
gives way to one that is left out; then what remains of each cluster; and last the plans that have to do without one on
which they depend. Each step settles what a key of priority or an answer settles, and turns the rest into open questions.

Every plan is present, lost (superseded, perhaps by a certain winner) or left out. Answers are added by `apply`, and all is
settled again from the start with every answer so far; so an answer never depends on how many rounds came before it. A part
that changed is asked about again.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from volition.core.errors import refuse
from volition.governance.conflicts.constraint import BUDGETS, CAPACITIES, HELD, exceeds, total_of
from volition.governance.conflicts.graphs import in_order
from volition.governance.conflicts.ledger import HIGH, NO_ORDER_HELPS, WHOLE_SET
from volition.governance.documents.intent import GRAVE
from volition.governance.documents.result import MissingPrerequisite
from volition.governance.settlement.prerequisites import Prerequisites, describe_gap
from volition.governance.settlement.priority import Priority, instant
from volition.governance.settlement.questions import (
    chosen_acts,
    component_question,
    prerequisite_question,
    question_pack,
    whole_set_question,
)
from volition.governance.settlement.settle import Relations, possible_choices, settle, smallest_choices
from volition.governance.wording import shorten

if TYPE_CHECKING:
    from volition.governance.documents.packs import AnswerPack, QuestionPack
    from volition.governance.documents.result import Conflict
    from volition.governance.settlement.prerequisites import Gap
    from volition.governance.settlement.questions import Act, OpenQuestion, QuestionKey
    from volition.governance.survey import Survey


class Defeat(NamedTuple):
    """By which key a plan lost, and to which one; a person may drop a plan without a winner."""

    winner: int | None
    key: str


class Verdict:
    """What is settled about the plans of a survey, by their numbers, and what is open."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.answered: list[str] = []
        """The ids of the answer packs, in the order of the rounds."""
        self._acts: dict[QuestionKey, Act] = {}
        self._ids = [intent.id for intent in survey.intents]
        self._priority = Priority(survey.footprints, survey.policy)
        self._prerequisites = Prerequisites(survey.needs, survey.claims)
        self._settle()

    def apply(self, answers: AnswerPack) -> None:
        """Settle what the answers settle, and nothing else."""
        asked = self.question_pack()
        if asked is None:
            refuse(
                "nothing is asked",
                where="answers",
                expected="answers only where there are questions",
                remedy="evaluate without them",
            )
        self._acts |= chosen_acts(self.open_questions, asked, answers)
        self.answered.append(answers.pack_id)
        self._settle()

    def result_id(self) -> str:
        """The id of the result: it follows from the input and nothing else."""
        intent_set = self.survey.intent_set
        inputs = [intent_set.id, intent_set.checksum, self.survey.policy.hash, *self.answered]
        inputs += [intent.audit.checksum for intent in self.survey.intents]
        hints = msgspec.json.encode(intent_set.metadata) if intent_set.metadata else b""
        return f"eval_result_{sha256(' '.join(inputs).encode() + hints).hexdigest()[:32]}"

    def question_pack(self) -> QuestionPack | None:
        """The open questions for a person; None if there are none."""
        if not self.open_questions:
            return None
        survey = self.survey
        return question_pack(self.open_questions, self.result_id(), survey.intents, survey.intent_set.created_at)

    def present(self) -> set[int]:
        """The plans that are neither superseded nor left out."""
        return {n for n in range(len(self._ids)) if n not in self.lost and n not in self.left_out}

    def missing(self) -> tuple[MissingPrerequisite, ...]:
        """The plans that others depend on and have to do without, and whether a person accepted that."""
        unanswered = {open_question.about for open_question in self.open_questions}
        return tuple(
            MissingPrerequisite(
                intent_id=gap.needed,
                fate=gap.fate,
                needed_by=tuple(self._ids[number] for number in gap.dependents),
                because=shorten(self._describe_gap(gap), 500),
                accepted=self.survey.mergeable and f"prerequisite {gap.needed}" not in unanswered,
            )
            for gap in self.gaps
        )

    def _settle(self) -> None:
        """Settle what priority or an answer settles; the rest is open."""
        self.open_questions: list[OpenQuestion] = []
        self.sequences: list[tuple[int, ...]] = []
        """Orders of plans that a person chose."""
        self.lost: dict[int, Defeat] = {}
        self.left_out: set[int] = set()
        self.capped = self.stopped = False
        """Whether a person chose to cap the budgets, or to merge nothing."""
        self.gaps: list[Gap] = []
        if not self.survey.mergeable:
            self.gaps = self._prerequisites.gaps(range(len(self._ids)), ())
            return
        self.relations = Relations(self.survey.ledger.clusters.near, self.survey.needs)
        self._preferred = {number for act in self._acts.values() if act.name == "prefer" for number in act.members}
        for rule in sorted(WHOLE_SET):
            self._settle_whole_set(rule)
        of_the_set, self.open_questions = self.open_questions, []
        self._let_through_freezes()
        for cluster in self.survey.clusters:
            settlement = settle([n for n in cluster if n not in self.left_out], self.relations, self._decides)
            self.lost |= {loser: Defeat(winner, key) for loser, (winner, key) in settlement.lost.items()}
            for part in settlement.open:
                self._settle_part(part)
        self._settle_gaps()
        self.open_questions += of_the_set

    def _let_through_freezes(self) -> None:
        """A plan that wins over a freeze, and clashes with it by nothing else, ends it for itself; others still face it."""
        ledger = self.survey.ledger
        for holder, visitor in ledger.freezes:
            by_both = (visitor, holder) in ledger.freezes
            if not by_both and holder not in ledger.clusters.lasting[visitor] and self._decides(visitor, holder):
                self.relations.let_through(holder, visitor)

    def _decides(self, one: int, other: int) -> str | None:
        """The key by which one plan wins over another: what a person preferred, or priority."""
        if (one in self._preferred) != (other in self._preferred):
            return "answer" if one in self._preferred else None
        key = self._priority.decides(one, other)
        return None if key != "explicit" and frozenset((one, other)) in self.survey.ledger.asked else key

    def _settle_whole_set(self, rule: str) -> None:
        """Settle what exceeds a limit of the whole set, or ask about it."""
        conflicts = [conflict for conflict, detected in self.survey.described if rule in detected.rules]
        if not conflicts:
            return
        budget = rule == "constraint_budget"
        leaving, more = self._choices_to_leave_out(budget=budget)
        open_question = whole_set_question(conflicts, len(self._ids), leaving, self._ids, more=more, capping=budget)
        act = self._acts.get(open_question.key)
        if act is None:
            self.open_questions.append(open_question)
        elif act.name == "cap":
            self.capped = True
        elif act.name == "leave_out":
            self.left_out.update(act.members)
        else:
            self.stopped = True

    def _choices_to_leave_out(self, *, budget: bool) -> tuple[list[tuple[int, ...]], bool]:
        """The smallest choices of plans without which the others fit, and whether there may be more."""
        intents, policy = self.survey.intents, self.survey.policy
        # What all of them can hold together, fewer can, too.
        over = [name for name in CAPACITIES if not budget and exceeds(intents, name)]
        items = {name: [set(HELD[name](intent)) for intent in intents] for name in over}

        def fits(out: tuple[int, ...]) -> bool:
            rest = [number for number in range(len(intents)) if number not in out]
            if budget:
                some = [intents[number] for number in rest]
                return all(total_of(some, name) <= getattr(policy, name) for name in BUDGETS)
            return all(len(set().union(*(sets[n] for n in rest))) <= CAPACITIES[name] for name, sets in items.items())

        return smallest_choices(range(len(intents)), fits)

    def _settle_part(self, part: list[int]) -> None:
        """Settle an open part of a cluster as a person chose, or ask about it."""
        possible, more = possible_choices(part, self.relations)
        conflicts, why = self._conflicts_between(part), self._why_open(part)
        needed_by = {number: self._prerequisites.dependents_of(number) for number in part}
        intents, orders = self.survey.intents, self._orders(part)
        open_question = component_question(
            part, possible, intents, conflicts, why, more=more, orders=orders, needed_by=needed_by
        )
        act = self._acts.get(open_question.key) or self._earlier_answer(part)
        if act is None:
            self.open_questions.append(open_question)
        elif act.name == "unite":
            self.sequences.append(tuple(number for number in act.members if number in part))
        elif act.name == "keep":
            winners = set(act.members)
            for loser in (number for number in part if number not in winners):
                # In a circle there may be no particular plan that it clashes with.
                winner = min(self.relations.near[loser] & winners, default=min(winners))
                self.lost[loser] = Defeat(winner, "answer")
        elif act.name == "drop":
            self.lost |= dict.fromkeys(part, Defeat(None, "answer"))

    def _orders(self, part: list[int]) -> list[tuple[int, ...]]:
        """The orders in which all plans of a part can follow each other: the oldest first where nothing else decides, and
        for two between which nothing decides also the other way round; none where no order helps."""
        inside = [detected for _, detected in self.survey.described if len({*part} & {*detected.members}) > 1]
        if any(detected.rules & NO_ORDER_HELPS for detected in inside if detected.severity >= HIGH):
            return []
        by_age = sorted(part, key=lambda number: (instant(self.survey.intents[number].created_at), number))
        place = {number: at for at, number in enumerate(by_age)}
        waits = {place[n]: {place[m] for m in part if self._comes_after(n, m)} for n in part}
        order = tuple(by_age[at] for at in in_order(waits))
        free = len(part) == 2 and not any(waits.values())
        return [order, order[::-1]] if free else [order]

    def _comes_after(self, later: int, earlier: int) -> bool:
        """Whether one plan comes after another: it needs it, or a chain of declarations says so."""
        declared = self.survey.ledger.declared
        return later in self.relations.after[earlier] or declared.comes_after(later, earlier)

    def _earlier_answer(self, part: list[int]) -> Act | None:
        """The answer given when this part still contained plans that are left out now, if it still applies."""
        for (whole_set, _, members), act in self._acts.items():
            gone = set(members) - set(part)
            if not whole_set and set(part) < set(members) and gone <= self.left_out:
                return None if act.name == "keep" and gone & set(act.members) else act
        return None

    def _conflicts_between(self, part: list[int]) -> list[Conflict]:
        """The conflicts that keep a part open: high or critical ones between two members, and its circles."""
        conflicts = []
        for conflict, detected in self.survey.described:
            inside = [number for number in detected.members if number in part]
            grave = conflict.severity in GRAVE and any(self.relations.near[n] & {*inside} for n in inside)
            if grave or ("order_cycle" in detected.rules and len(inside) > 1):
                conflicts.append(conflict)
        return conflicts

    def _why_open(self, part: list[int]) -> str:
        """Why no key settles a part."""
        if self.relations.circles(set(part)):
            return "they need each other in a circle"
        pairs = ((one, other) for one in part for other in self.relations.near[one] & {*part})
        if any(self._priority.only_the_clock_decides(one, other) for one, other in pairs):
            return "only the clock tells them apart, which does not decide between plans of different authors"
        return "no priority decides between them"

    def _settle_gaps(self) -> None:
        """Ask about plans that depend on one that is not there, unless that was answered; dropping some may leave others
        without what they depend on, so this is repeated."""
        asked = set[str]()
        while True:
            present = self.present()
            gaps = [gap for gap in self._prerequisites.gaps(present, self.left_out) if gap.needed not in asked]
            if not gaps:
                return
            gap = gaps[0]
            asked.add(gap.needed)
            needed = self.survey.needs.numbers.get(gap.needed) if gap.fate == "lost" else None
            defeat = self.lost.get(needed) if needed is not None else None
            preferable = needed if defeat is not None and defeat.key != "answer" else None
            dependents = self._prerequisites.all_dependents(gap.dependents, present)
            open_question = prerequisite_question(gap, self._describe_gap(gap), dependents, self._ids, preferable)
            act = self._acts.get(open_question.key)
            if act is not None and act.name == "drop":
                self.lost |= dict.fromkeys(set(act.members) & present, Defeat(None, "answer"))
                continue
            self.gaps.append(gap)
            if act is None:
                self.open_questions.append(open_question)

    def _describe_gap(self, gap: Gap) -> str:
        """A gap in words, with what the missing plan gave way to and by which key."""
        winner, key = self.lost.get(self.survey.needs.numbers.get(gap.needed, -1), (None, ""))
        lost_to = "" if winner is None else f"{self._ids[winner]} (decided by {key})"
        return describe_gap(gap, self._ids, lost_to)
