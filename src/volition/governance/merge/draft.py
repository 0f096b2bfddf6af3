"""The draft of a merge: what a verdict means for each plan, step by step, or why nothing is merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.governance.conflicts.constraint import BUDGETS
from volition.governance.conflicts.order import REMOVAL
from volition.governance.documents.intent_set import SET_LIMIT
from volition.governance.documents.result import Merge
from volition.governance.merge.fates import losses_of
from volition.governance.merge.merging import MergeSteps, Roles, merged_id, steps
from volition.governance.merge.ordering import links, order_of_work, preferences, waits_of

if TYPE_CHECKING:
    from volition.governance.documents.intent import CommandLink
    from volition.governance.documents.result import Loss
    from volition.governance.merge.ordering import Preference
    from volition.governance.settlement.verdict import Verdict
    from volition.governance.survey import Survey


class MergeDraft(Struct, frozen=True):
    """How the plans of a set are merged; `roles` is None if nothing is merged, and the steps say why."""

    verdict: Verdict
    steps: MergeSteps
    roles: Roles | None = None
    wanted: tuple[Preference, ...] = ()
    """Orders between plans that nothing needs: those that a person or a lock asks for."""

    def merge(self) -> Merge:
        """The merge as a part of the result."""
        if self.roles is None:
            return Merge(strategy="reject", operations=tuple(self.steps))
        return Merge(
            strategy="override_by_priority" if self.roles.losers else "merge_union",
            operations=tuple(self.steps),
            result_intent_id=merged_id(self.roles),
        )

    def losses(self) -> tuple[Loss, ...]:
        """The plans that are not in the merged intent, and why; none if nothing is merged."""
        survey = self.verdict.survey
        return losses_of(self.roles, survey.intents, survey.conflicts, survey.needs) if self.roles else ()

    def order(self) -> tuple[CommandLink, ...]:
        """The order of the commands of the merged intent."""
        assert self.roles is not None
        survey = self.verdict.survey
        kept = [survey.needs.numbers[intent.id] for intent in self.roles.kept]
        return links(self.roles.kept, waits_of(kept, survey.needs, survey.ledger, self.wanted), survey.policy)


def draft_merge(verdict: Verdict) -> MergeDraft:
    """The draft of the merge that a verdict leads to."""
    survey, present = verdict.survey, sorted(verdict.present())
    if not survey.mergeable or verdict.open_questions or verdict.stopped or not present:
        return MergeDraft(verdict, _rejection(verdict))
    intents = survey.intents
    wanted = preferences(present, verdict.sequences, survey.ledger)
    roles = Roles(
        kept=tuple(intents[number] for number in order_of_work(present, survey.needs, wanted)),
        winners=tuple(intents[n] for n in sorted({d.winner for d in verdict.lost.values() if d.winner is not None})),
        losers=tuple(
            (intents[loser], None if winner is None else intents[winner], key)
            for loser, (winner, key) in sorted(verdict.lost.items())
        ),
        left_out=tuple(intents[number] for number in sorted(verdict.left_out - verdict.lost.keys())),
        cap={name: getattr(survey.policy, name) for name in BUDGETS} if verdict.capped else None,
    )
    return MergeDraft(verdict, steps(roles, _describe_waiting(survey, set(present))), roles, tuple(wanted))


def _describe_waiting(survey: Survey, present: set[int]) -> dict[str, str]:
    """Intent -> which of the present ones it waits for, as text; only for those that wait."""
    ids = [intent.id for intent in survey.intents]
    waits: dict[int, dict[int, str]] = {}
    for about, maker, taker in survey.needs.each():
        if maker in present and taker in present:
            why = "it says so" if about is None else f"which relies on {about.removeprefix(REMOVAL)}"
            why = why if about is None or about.startswith(REMOVAL) else about
            waits.setdefault(taker, {}).setdefault(maker, why)
    # The numbers are in the order of the ids.
    return {
        ids[taker]: f", after {', '.join(f'{ids[maker]} ({whys[maker]})' for maker in sorted(whys))}"
        for taker, whys in waits.items()
    }


def _rejection(verdict: Verdict) -> MergeSteps:
    """Why nothing is merged: one step for each reason."""
    intents, rejection = verdict.survey.intents, MergeSteps()
    first = intents[0].id
    if not verdict.survey.mergeable:
        limit = f"more than the {SET_LIMIT} that can be merged: evaluate each cluster by itself"
        rejection.add("reject", first, f"{len(intents)} intents are {limit}")
    for open_question in verdict.open_questions:
        rejection.add("reject", intents[open_question.members[0]].id, open_question.reason[:500])
    if verdict.stopped:
        rejection.add("reject", first, "a person chose to merge nothing")
    if not rejection:
        rejection.add("reject", first, "the answers leave nothing to merge")
    return rejection
