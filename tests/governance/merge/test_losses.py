"""Losses: every plan that is not in the merged one is reported, with the winner, the key, and what was dropped."""

from __future__ import annotations

import pytest

from tests.governance.plans import NOW, command, judged, plan
from volition.governance.documents.intent import Budgets
from volition.governance.documents.policy import Policy
from volition.governance.drafts.plan import Plan
from volition.governance.evaluator import evaluate
from volition.governance.merge.losses import describe_loss
from volition.governance.settlement.questions import answer_questions

pytestmark = pytest.mark.req("GV-24")
A, B, C = "intent_aaaaaa", "intent_bbbbbb", "intent_cccccc"


def test_a_loss_names_what_is_dropped() -> None:
    """A loss names winner, key, conflicts and all that no kept plan has; a target or command that another has too is
    not dropped."""
    both = command("same_thing", text="Do the same")
    winner = plan(A, ["x.py"], commands=[both], priority=9)
    loser = plan(B, ["x.py", "y.py"], commands=[both, command("own_thing")], priority=1)
    (loss,) = judged(winner, loser).result.losses
    assert (loss.intent_id, loss.fate, loss.rule, loss.lost_to) == (B, "superseded", "explicit", A)
    assert (loss.dropped.commands, loss.dropped.targets) == (("own_thing",), ("y.py",))
    assert loss.conflict_ids == (judged(winner, loser).conflicts[0].conflict_id,)
    assert describe_loss(loss).startswith(f"{B} gives way to {A}: ")
    assert describe_loss(loss).endswith("; dropped: 1 command (own_thing), 1 target (y.py)")


def test_a_loss_names_the_plans_that_still_need_it() -> None:
    """A kept plan that depends on one that gave way is named with the loss, if a person chose to go on without it."""
    some = plan(A, ["x.py"], priority=9), plan(B, ["x.py"], priority=1), plan(C, ["z.py"], depends_on=[B])
    pack = judged(*some).question_pack
    assert pack is not None
    go_on = next(o.option_id for o in pack.questions[0].options if o.label == f"Go on without {B}")
    (loss,) = judged(*some, answers=answer_questions(pack, {"question_0001": go_on}, NOW)).result.losses
    assert loss.needed_by == (C,)
    assert describe_loss(loss).endswith(f"; still needed by {C}")


@pytest.mark.req("GV-27")
def test_whoever_removes_something_needs_no_reader_of_it() -> None:
    """A plan that gave way to one that removes what it relies on is not called needed by that one."""
    drop = Plan("Drop it", files=["a.py"], removes=["a.py"], priority=9, commands=["drop_it: delete: drop a.py"])
    use = Plan("Use it", files=["b.py"], reads=["a.py"], priority=1, commands=["use_it: write: use a.py in b.py"])
    (loss,) = evaluate([drop, use]).result.losses
    assert (loss.intent_id, loss.lost_to, loss.needed_by) == (use.id, drop.id, ())


def test_a_plan_that_is_left_out_is_a_loss() -> None:
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
    assert describe_loss(loss).startswith(f"{B} is left out: a person chose to leave out {B}; dropped: ")


def test_nobody_is_lost_while_nothing_is_merged() -> None:
    """While a question is open no plan has lost."""
    assert judged(plan(A, ["x.py"], priority=5), plan(B, ["x.py"], priority=5)).result.losses == ()
