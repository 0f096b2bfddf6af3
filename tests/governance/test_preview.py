"""A preview of an option says what the evaluation does when the option is chosen."""

from __future__ import annotations

import json

import pytest

from volition.governance import IntentDocument, Plan, answer_questions, evaluate, gather, parse_document
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.loading import Loaded
from volition.governance.drafts.samples import samples
from volition.governance.preview import preview_options


def load_sample(name: str) -> Loaded:
    batch, intents = samples()[name]
    read = [parse_document(json.dumps(one).encode(), IntentDocument) for one in intents.values()]
    return Loaded(parse_document(json.dumps(batch).encode(), IntentSet), tuple(read))


def two_pairs() -> Loaded:
    """Two pairs of deployments that clash: two questions."""
    return gather(
        [
            Plan(
                f"Deploy {service} {n}",
                modules=[f"service:{service}"],
                commands=[f"go_{service}_{n}: deploy: deploy it"],
            )
            for service in ("shop", "bank")
            for n in (1, 2)
        ]
    )


@pytest.mark.parametrize("name", samples())
def test_a_preview_is_what_the_evaluation_does(name: str) -> None:
    """For each option of each question, a plan is kept if and only if the evaluation with that answer keeps it; where the answer
    leads to another question, every plan is kept, dropped or undecided."""
    loaded = load_sample(name)
    pack = evaluate(loaded).question_pack
    previews = preview_options(loaded)
    asked = [(one.question_id, option.option_id) for one in pack.questions for option in one.options] if pack else []
    assert [(each.question_id, each.option_id) for each in previews] == asked
    everybody = sorted(intent.id for intent in loaded.intents)
    for each in previews:
        assert pack is not None
        answer = answer_questions(pack, {each.question_id: each.option_id}, pack.created_at)
        outcome = evaluate(loaded, answers=answer)
        assert sorted((*each.kept, *each.dropped, *each.undecided)) == everybody
        assert bool(each.undecided) == bool(outcome.questions)
        merged = outcome.merged_intent
        if not outcome.questions:
            kept = (
                set(merged.lineage.derived_from) - {one.intent_id for one in outcome.result.losses} if merged else set()
            )
            assert set(each.kept) == kept


def test_what_another_question_is_about_is_undecided() -> None:
    """With two questions, an option of one decides about its plans and leaves the others undecided; after an answer, only the
    other question is previewed."""
    loaded = two_pairs()
    pack = evaluate(loaded).question_pack
    assert pack is not None
    assert len(pack.questions) == 2
    first = preview_options(loaded)[0]
    assert (len(first.kept), len(first.dropped), len(first.undecided)) == (1, 1, 2)
    answer = answer_questions(pack, {"question_0001": "option_0001"}, pack.created_at)
    rest = preview_options(loaded, answers=[answer])
    assert {each.question_id for each in rest} == {"question_0001"}
    assert all(not each.undecided for each in rest)
    assert all(set(first.kept) <= set(each.kept) for each in rest)


def test_a_preview_has_the_order_of_the_work() -> None:
    """Two plans one after the other, in either order: the preview keeps both, in that order."""
    plans = [Plan(f"Deploy {n}", modules=["service:shop"], commands=[f"go_{n}: deploy: deploy {n}"]) for n in (1, 2)]
    orders = [each.kept for each in preview_options(gather(plans)) if len(each.kept) == 2]
    assert sorted(orders) == [("intent_deploy_1", "intent_deploy_2"), ("intent_deploy_2", "intent_deploy_1")]


def test_a_set_without_questions_has_no_preview() -> None:
    """Where nothing is asked, there is nothing to preview."""
    plans = [Plan(f"Write {n}", files=[f"{n}.py"], commands=[f"write_{n}: write: write it"]) for n in range(2)]
    assert preview_options(gather(plans)) == ()
