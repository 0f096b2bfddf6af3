"""What becomes of plans and clusters: losses, and the fate of each cluster as the merged intent or the questions have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.governance.plans import NOW, command, judged, plan
from tests.governance.strategies import Case, cases
from volition.governance.documents.intent import Budgets
from volition.governance.documents.policy import Policy
from volition.governance.drafts.plan import Plan
from volition.governance.evaluator import evaluate
from volition.governance.explanation import describe_loss
from volition.governance.merge.fates import fates
from volition.governance.settlement.questions import answer_questions
from volition.governance.settlement.verdict import Verdict
from volition.governance.survey import survey_plans

if TYPE_CHECKING:
    from tests.sentences import Told

A, B, C = "intent_aaaaaa", "intent_bbbbbb", "intent_cccccc"


@given(cases())
def test_every_cluster_has_its_fate(case: Case) -> None:
    """Where all is merged a cluster is overridden if one of its intents lost, and else united; where nothing is, whoever
    is asked about is told so. Conflicts are those among its intents, evidence that of a step on one of them."""
    outcome = evaluate(case.intent_set, case.intents, case.policy)
    found = fates(outcome.result, outcome.clusters)
    assert tuple(one.intents for one in found) == outcome.clusters
    merged = outcome.merged_intent
    lost = set() if merged is None else set(merged.lineage.supersedes) & {one.id for one in case.intents}
    intents = sorted(case.intents, key=lambda intent: intent.id)
    open_questions = Verdict(survey_plans(case.intent_set, intents, case.policy)).open_questions
    asked = {tuple(intents[number].id for number in open_question.members) for open_question in open_questions}
    for one in found:
        if merged is not None:
            assert one.strategy == ("override_by_priority" if lost & {*one.intents} else "merge_union")
        else:
            assert one.strategy in {"ask", "reject"}
            assert one.strategy == "ask" or one.intents not in asked
        assert one.conflicts == tuple(
            conflict.conflict_id for conflict in outcome.conflicts if set(conflict.intent_ids) <= {*one.intents}
        )
        steps = outcome.result.evaluation.merge_plan.operations
        assert one.because in {"", *(step.evidence for step in steps if step.source_intent_id in one.intents)}
        assert one.because or one.strategy in {"merge_union", "reject"}


def test_one_cluster_waits_for_another() -> None:
    """Where one cluster is settled and another is open, the open one is asked about, and nothing of the other is merged."""
    settled = [plan(f"settled_{place}", ["src/a.py"], priority=place) for place in (1, 2)]
    open_ = [plan(f"undecided_{place}", ["src/b.py"]) for place in (1, 2)]
    outcome = judged(*settled, *open_)
    told = {one.intents[0]: one.strategy for one in fates(outcome.result, outcome.clusters)}
    assert told == {"intent_settled_1": "reject", "intent_undecided_1": "ask"}


pytestmark = pytest.mark.req("GV-24")


def test_a_loss_names_what_is_dropped(told: Told) -> None:
    """A loss names winner, key, conflicts and all that no kept plan has; a target or command that another has too is
    not dropped."""
    both = command("same_thing", text="Do the same")
    winner = plan(A, ["x.py"], commands=[both], priority=9)
    loser = plan(B, ["x.py", "y.py"], commands=[both, command("own_thing")], priority=1)
    (loss,) = judged(winner, loser).result.losses
    assert (loss.intent_id, loss.fate, loss.rule, loss.lost_to) == (B, "superseded", "explicit", A)
    assert (loss.dropped.commands, loss.dropped.targets) == (("own_thing",), ("y.py",))
    assert loss.conflict_ids == (judged(winner, loser).conflicts[0].conflict_id,)
    told(describe_loss(loss))


def test_a_loss_names_the_plans_that_still_need_it(told: Told) -> None:
    """A kept plan that depends on one that gave way is named with the loss, if a person chose to go on without it."""
    some = plan(A, ["x.py"], priority=9), plan(B, ["x.py"], priority=1), plan(C, ["z.py"], depends_on=[B])
    pack = judged(*some).question_pack
    assert pack is not None
    go_on = next(o.option_id for o in pack.questions[0].options if o.label == f"Go on without {B}")
    (loss,) = judged(*some, answers=answer_questions(pack, {"question_0001": go_on}, NOW)).result.losses
    assert loss.needed_by == (C,)
    told(describe_loss(loss))


@pytest.mark.req("GV-27")
def test_whoever_removes_something_needs_no_reader_of_it() -> None:
    """A plan that gave way to one that removes what it relies on is not called needed by that one."""
    drop = Plan("Drop it", files=["a.py"], removes=["a.py"], priority=9, commands=["drop_it: delete: drop a.py"])
    use = Plan("Use it", files=["b.py"], reads=["a.py"], priority=1, commands=["use_it: write: use a.py in b.py"])
    (loss,) = evaluate([drop, use]).result.losses
    assert (loss.intent_id, loss.lost_to, loss.needed_by) == (use.id, drop.id, ())


def test_a_plan_that_is_left_out_is_a_loss(told: Told) -> None:
    """A plan that a person leaves out of a set that is too large is a loss to nobody, by the answer."""
    some = [
        plan(name, [f"{name}.py"], budgets=Budgets(max_files=0, max_commits=0, max_tokens=600, max_cost_usd=0))
        for name in ("aaaaaa", "bbbbbb")
    ]
    policy = Policy(max_tokens=1000)
    pack = judged(*some, policy=policy).question_pack
    assert pack is not None
    option = next(o.option_id for o in pack.questions[0].options if o.label == f"Leave out {B}")
    outcome = judged(*some, policy=policy, answers=answer_questions(pack, {"question_0001": option}, NOW))
    (loss,) = outcome.result.losses
    assert (loss.intent_id, loss.fate, loss.rule, loss.lost_to) == (B, "left_out", "answer", None)
    told(describe_loss(loss))


def test_nobody_is_lost_while_nothing_is_merged() -> None:
    """While a question is open no plan has lost."""
    assert judged(plan(A, ["x.py"], priority=5), plan(B, ["x.py"], priority=5)).result.losses == ()
