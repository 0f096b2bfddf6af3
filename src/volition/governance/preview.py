"""A preview of the open questions: for each option, which plans it would let through, which it would stop, and which it leaves open.

Every option is tried as an answer to its question alone, by the rules of the evaluation, so a preview says what the evaluation
will do: also to plans that the question does not name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.governance.documents.policy import BUILT_IN
from volition.governance.merge.draft import draft_merge
from volition.governance.settlement.questions import answer_questions
from volition.governance.settlement.verdict import Verdict
from volition.governance.survey import survey_plans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.loading import Loaded
    from volition.governance.documents.packs import AnswerPack
    from volition.governance.documents.policy import Policy
    from volition.governance.survey import Survey


class OptionPreview(Struct, frozen=True):
    """What becomes of each plan of a set if one option is chosen: every plan is in one of the three lists, by its id."""

    question_id: str
    option_id: str
    kept: tuple[str, ...]
    """The plans that would be carried out, in the order in which they would be, as far as everything is decided."""
    dropped: tuple[str, ...]
    """The plans that would not be carried out."""
    undecided: tuple[str, ...]
    """The plans that another question is still about."""


def preview_options(
    loaded: Loaded, policy: Policy = BUILT_IN, answers: Sequence[AnswerPack] = ()
) -> tuple[OptionPreview, ...]:
    """A preview of every option of every question that is open after some answers; empty if nothing is asked.

    >>> from volition.governance import Plan, gather
    >>> plans = [Plan(f"Deploy {n}", modules=["service:shop"], commands=[f"go_{n}: deploy: deploy {n}"]) for n in (1, 2)]
    >>> [(each.option_id, len(each.kept), len(each.dropped)) for each in preview_options(gather(plans))]
    [('option_0001', 1, 1), ('option_0002', 1, 1), ('option_0003', 2, 0), ('option_0004', 2, 0)]
    """
    by_id: list[IntentDocument] = sorted(loaded.intents, key=lambda intent: intent.id)
    return tuple(_previews(survey_plans(loaded.intent_set, by_id, policy), answers))


def _previews(survey: Survey, answers: Sequence[AnswerPack]) -> Iterator[OptionPreview]:
    pack = _settle(survey, answers).question_pack()
    if pack is None:
        return
    for question in pack.questions:
        for option in question.options:
            choice = {question.question_id: option.option_id}
            verdict = _settle(survey, [*answers, answer_questions(pack, choice, pack.created_at)])
            yield _preview(survey, verdict, question.question_id, option.option_id)


def _settle(survey: Survey, answers: Sequence[AnswerPack]) -> Verdict:
    verdict = Verdict(survey)
    for answer in answers:
        verdict.apply(answer)
    return verdict


def _preview(survey: Survey, verdict: Verdict, question_id: str, option_id: str) -> OptionPreview:
    present = set() if verdict.stopped else verdict.present()
    undecided = present & {number for question in verdict.open_questions for number in question.members}

    def names(numbers: set[int]) -> tuple[str, ...]:
        return tuple(survey.intents[number].id for number in sorted(numbers))

    everybody = set(range(len(survey.intents)))
    roles = draft_merge(verdict).roles
    kept = tuple(intent.id for intent in roles.kept) if roles else names(present - undecided)
    return OptionPreview(question_id, option_id, kept, names(everybody - present), names(undecided))
