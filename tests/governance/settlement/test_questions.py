"""Questions: one for each open matter, options that say what they imply, and answers that settle exactly that."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.governance.plans import NOW, command, judged, plan, set_of
from tests.governance.strategies import Case, cases
from volition.core.errors import InvalidInput
from volition.governance.documents.checksums import whole_checksum
from volition.governance.documents.intent import Agent, Budgets
from volition.governance.documents.packs import QuestionPack
from volition.governance.documents.policy import Policy
from volition.governance.documents.validation import is_valid, validate
from volition.governance.drafts.plan import Plan
from volition.governance.evaluator import evaluate
from volition.governance.settlement.questions import answer_questions

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.governance.documents.intent_set import Env

TIED = [plan(name, ["x.py"], priority=5) for name in ("aaaaaa", "bbbbbb")]
OTHERS = [plan(name, ["y.py"], priority=5) for name in ("cccccc", "dddddd")]
ALONE = plan("eeeeee", ["z.py"])


@pytest.mark.req("GV-10", "GV-18")
@given(cases(), st.integers(0, 99))
def test_answers_settle_what_was_asked(case: Case, seed: int) -> None:
    """Whatever is chosen for whichever questions, exactly the others are still asked; with all answered, none is.

    Only where a plan is left out, which may have been somebody's winner, other questions may arise, and where one is dropped
    or preferred on which others depend.
    """
    outcome = evaluate(case.intent_set, case.intents, case.policy)
    pack = outcome.question_pack
    assert (pack is None) == (not outcome.questions)
    if pack is None:
        return
    assert msgspec.json.decode(msgspec.json.encode(pack), type=QuestionPack) == pack
    assert pack.checksum == whole_checksum(pack)
    chance = Random(seed)
    chosen = {q.question_id: chance.choice(q.options).option_id for q in pack.questions if chance.random() < 0.8}
    if not chosen:
        return
    again = evaluate(case.intent_set, case.intents, case.policy, answer_questions(pack, chosen, NOW))
    left = [q.condition for q in outcome.questions if q.question_id not in chosen]
    taken = [o.label for q in pack.questions for o in q.options if chosen.get(q.question_id) == o.option_id]
    if any(label.startswith(("Leave out", "Drop", "Keep")) for label in taken):
        answered = {q.condition for q in outcome.questions if q.question_id in chosen}
        assert answered.isdisjoint(q.condition for q in again.questions)
        return
    assert [q.condition for q in again.questions] == left
    assert again.conflicts == outcome.conflicts
    if not left and again.strategy != "reject":
        assert again.merged_intent is not None


@pytest.mark.req("GV-10")
def test_one_question_for_each_component() -> None:
    """Each open component is one question with at least two options, each with what it implies."""
    outcome = judged(*TIED, *OTHERS, ALONE)
    assert [q.question_id for q in outcome.questions] == ["question_0001", "question_0002"]
    assert (outcome.strategy, outcome.merged_intent) == ("reject", None)
    for question in outcome.questions:
        assert len(question.options) >= 2
        assert all(option.implications for option in question.options)
        assert question.options[1].option_id == "option_0002"


@pytest.mark.req("GV-10", "GV-18")
def test_keeping_one_supersedes_the_others(told: Told) -> None:
    """Choosing one of a component supersedes the rest of it, by the answer, and nobody else."""
    pack = judged(*TIED, ALONE).question_pack
    assert pack is not None
    outcome = judged(*TIED, ALONE, answers=answer_questions(pack, {"question_0001": "option_0002"}, NOW))
    merged = outcome.merged_intent
    assert merged is not None
    assert outcome.strategy == "override_by_priority"
    assert (merged.lineage.derived_from, merged.lineage.supersedes) == (
        ("intent_bbbbbb", "intent_eeeeee"),
        ("intent_aaaaaa",),
    )
    told(*(op.evidence for op in outcome.result.evaluation.merge_plan.operations))


@pytest.mark.req("GV-10")
def test_a_component_may_be_united_in_order_or_dropped(told: Told) -> None:
    """A person may have all of a component, in the order that they choose, or none of it."""
    pack = judged(*TIED, ALONE).question_pack
    assert pack is not None
    labels = {o.label: o.option_id for o in pack.questions[0].options}
    both = judged(
        *TIED,
        ALONE,
        answers=answer_questions(
            pack, {"question_0001": labels["One after the other: intent_bbbbbb then intent_aaaaaa"]}, NOW
        ),
    )
    none = judged(*TIED, ALONE, answers=answer_questions(pack, {"question_0001": labels["Drop all of them"]}, NOW))
    assert both.merged_intent is not None
    assert none.merged_intent is not None
    assert (both.strategy, len(both.merged_intent.lineage.derived_from)) == ("merge_union", 3)
    assert both.merged_intent.metadata is not None
    (link,) = both.merged_intent.metadata.order
    commands = both.merged_intent.planned_commands
    assert (commands[link.before].source, commands[link.after].source) == ("intent_bbbbbb", "intent_aaaaaa")
    told(link.reason)
    assert none.merged_intent.lineage.derived_from == ("intent_eeeeee",)
    assert none.merged_intent.lineage.supersedes == ("intent_aaaaaa", "intent_bbbbbb")


@pytest.mark.req("GV-10", "GV-18")
def test_several_rounds(told: Told) -> None:
    """What one round leaves open the next one may settle; the second pack of questions is another one."""
    given_set, intents = set_of([*TIED, *OTHERS]), [*TIED, *OTHERS]
    first = evaluate(given_set, intents).question_pack
    assert first is not None
    one = answer_questions(first, {"question_0002": "option_0001"}, NOW)
    second = evaluate(given_set, intents, answers=one).question_pack
    assert second is not None
    assert second.checksum != first.checksum
    two = answer_questions(second, {"question_0001": "option_0001"}, NOW)
    assert evaluate(given_set, intents, answers=[one, two]).strategy == "override_by_priority"
    with told.raises(InvalidInput):
        evaluate(given_set, intents, answers=two)


@pytest.mark.req("GV-10")
def test_stale_and_foreign_answers_are_refused(told: Told) -> None:
    """Answers to another set's questions, or to questions about what has changed since, are refused."""
    pack = judged(*TIED).question_pack
    assert pack is not None
    answers = answer_questions(pack, {"question_0001": "option_0001"}, NOW)
    changed = plan("bbbbbb", ["x.py"], priority=5, created="2026-01-26T00:00:00Z")
    for intents in ([TIED[0], changed], OTHERS, [*TIED, ALONE]):
        with told.raises(InvalidInput):
            judged(*intents, answers=answers)
    with told.raises(InvalidInput):
        judged(*TIED, answers=replace(answers, question_pack_checksum="0" * 64))
    with told.raises(InvalidInput):
        judged(ALONE, TIED[0], answers=answers)


@pytest.mark.req("GV-10")
def test_what_is_wrong_with_answers_is_told_at_once(told: Told) -> None:
    """Unknown questions and options, and no answer at all, are each their own problem."""
    pack = judged(*TIED).question_pack
    assert pack is not None
    with pytest.raises(InvalidInput) as refused:
        answer_questions(pack, {"question_0009": "option_0001", "question_0001": "option_0099"}, NOW)
    assert len(refused.value.problems) == 2
    with told.raises(InvalidInput):
        answer_questions(pack, {}, NOW)
    good = answer_questions(pack, {"question_0001": "option_0001"}, NOW)
    for bad in (replace(good.answers[0], answer_type="text"), replace(good.answers[0], answer_text="the first")):
        with told.raises(InvalidInput):
            judged(*TIED, answers=replace(good, answers=(bad,)))
    with pytest.raises(InvalidInput, match="answered twice"):
        judged(*TIED, answers=replace(good, answers=good.answers * 2))


@pytest.mark.req("GV-06", "GV-10")
def test_budgets_may_be_capped_or_somebody_left_out() -> None:
    """A sum over the limit is asked about; capped, all are merged within the limit; or the largest is left out."""
    big, small = (
        plan(name, [f"{name}.py"], budgets=Budgets(max_files=0, max_commits=0, max_tokens=n, max_cost_usd=0))
        for name, n in (("aaaaaa", 900), ("bbbbbb", 200))
    )
    policy = Policy(max_tokens=1000)
    pack = judged(big, small, policy=policy).question_pack
    assert pack is not None
    labels = {o.label: o.option_id for o in pack.questions[0].options}
    assert list(labels) == [
        "Cap the budgets at the limits",
        "Leave out intent_aaaaaa",
        "Leave out intent_bbbbbb",
        "Merge nothing",
    ]
    capped, fewer, _, nothing = (
        judged(big, small, policy=policy, answers=answer_questions(pack, {"question_0001": option}, NOW))
        for option in labels.values()
    )
    assert capped.merged_intent is not None
    assert fewer.merged_intent is not None
    assert capped.merged_intent.budgets.max_tokens == 1000
    assert (fewer.merged_intent.lineage.derived_from, fewer.merged_intent.lineage.supersedes) == (
        ("intent_bbbbbb",),
        (),
    )
    assert (nothing.strategy, nothing.questions, nothing.merged_intent) == ("reject", (), None)


@pytest.mark.req("GV-06")
def test_capacities_may_be_kept_by_leaving_somebody_out() -> None:
    """Where the intents together hold too much, the fewest that must go are offered to be left out."""
    some = [
        plan(
            name,
            [name],
            selected_agents=tuple(
                Agent(agent_id=f"{name}_{n}", role="worker", responsibilities=("work",)) for n in range(count)
            ),
        )
        for name, count in (("aaaaaa", 5), ("bbbbbb", 9), ("cccccc", 5))
    ]
    pack = judged(*some).question_pack
    assert pack is not None
    assert pack.questions[0].options[0].label == "Leave out intent_bbbbbb"


def test_answers_may_leave_nothing(told: Told) -> None:
    """If everything is dropped nothing is merged, and the result says so."""
    pack = judged(*TIED, *OTHERS).question_pack
    assert pack is not None
    drop = {q.question_id: q.options[-1].option_id for q in pack.questions}
    outcome = judged(*TIED, *OTHERS, answers=answer_questions(pack, drop, NOW))
    assert (outcome.strategy, outcome.questions, outcome.merged_intent) == ("reject", (), None)
    told(outcome.result.evaluation.merge_plan.operations[0].evidence)
    assert is_valid(validate("evaluation_result", msgspec.to_builtins(outcome.result)))


@pytest.mark.req("GV-27")
@pytest.mark.parametrize("env", ["staging", "prod"])
def test_one_exclusive_state_may_be_claimed_one_after_the_other(env: Env) -> None:
    """Plans that claim one exclusive state are one question, and may follow each other in it."""
    some = [
        plan(name, modules=["service:api"], commands=[command("ship_it", "deploy", text="Ship it")])
        for name in ("aaaaaa", "bbbbbb", "cccccc")
    ]
    (question,) = judged(*some, env=env).questions
    assert [option.label for option in question.options] == [
        "Keep intent_aaaaaa",
        "Keep intent_bbbbbb",
        "Keep intent_cccccc",
        "One after the other: intent_aaaaaa then intent_bbbbbb then intent_cccccc",
    ]


def test_what_undoes_the_other_is_not_offered_in_order() -> None:
    """Where the second would undo the first, one after the other is no way out: only one can be kept."""
    for one, other in (("deploy", "rollback"), ("create", "delete"), ("write", "delete")):
        two = [
            plan(name, ["x.py"], commands=[command("do_it", effect, text="Do it")])  # type: ignore[arg-type]
            for name, effect in (("aaaaaa", one), ("bbbbbb", other))
        ]
        (question,) = judged(*two).questions
        assert [option.label for option in question.options] == ["Keep intent_aaaaaa", "Keep intent_bbbbbb"]


@pytest.mark.req("GV-27")
@pytest.mark.parametrize("taken", [{"removes": ("a.py#f",)}, {"renames": {"a.py#f": "a.py#g"}}])
def test_what_breaks_the_other_is_not_offered_in_order(taken: dict[str, Any]) -> None:
    """No order lets a plan rely on what another removes or renames: the question offers to keep one of them."""
    breaker = Plan("Take it away", files=["a.py#f"], commands=["take_it: write: take it away"], **taken)
    caller = Plan("Call it", files=["b.py"], reads=["a.py#f"], commands=["call_it: write: call it"])
    (question,) = evaluate([breaker, caller]).questions
    assert [option.label for option in question.options] == ["Keep intent_call_it", "Keep intent_take_it_away"]


@pytest.mark.req("GV-10")
@pytest.mark.parametrize("length", [6, 40, 64])
def test_no_text_of_a_question_cuts_an_id(length: int) -> None:
    """However many plans a question names and however long their ids are, it names whole ids and counts the rest; the
    labels of its options differ."""
    ids = [f"{n:02d}{'x' * (length - 2)}" for n in range(16)]
    files = {n: [f"{n // 4}.py", *(["hub.py"] if n % 4 == 0 else [])] for n in range(16)}
    plans = [plan(name, files[n], priority=5) for n, name in enumerate(ids)]
    (question,) = judged(*plans).questions
    known = {one.id for one in plans}
    texts = [question.condition, *(text for o in question.options for text in (o.label, o.implications or ""))]
    for text in texts:
        assert set(re.findall(r"intent_[a-z0-9_]*", text)) <= known, text
    labels = [option.label for option in question.options]
    assert len(set(labels)) == len(labels)


@pytest.mark.req("GV-10", "GV-12")
def test_the_pack_does_not_depend_on_the_clock() -> None:
    """Evaluated at another time, the questions are the same pack, so answers given in between still count."""
    given_set = set_of(TIED)
    packs = [evaluate(given_set, TIED, now=moment).question_pack for moment in (None, "2027-01-01T00:00:00Z")]
    assert packs[0] == packs[1]
