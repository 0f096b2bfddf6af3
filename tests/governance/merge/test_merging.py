"""Merging: what is united, what is dropped, and that the merged intent is itself valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import replace

from tests.governance.plans import command, judged, plan, reader
from tests.governance.strategies import Case, cases
from volition.governance.documents import checksums
from volition.governance.documents.intent import Budgets, IntentDocument
from volition.governance.documents.result import MergePlan
from volition.governance.evaluator import evaluate
from volition.governance.merge.merging import pack_texts, replay_merge

if TYPE_CHECKING:
    from tests.sentences import Told

A, B, C = "intent_aaaaaa", "intent_bbbbbb", "intent_cccccc"


def merged(*intents: IntentDocument) -> IntentDocument:
    made = judged(*intents).merged_intent
    assert made is not None
    return made


@pytest.mark.req("GV-09", "GV-14", "GV-13")
@given(cases())
def test_what_is_merged_is_valid(case: Case) -> None:
    """A merged intent obeys the intent's own types and rules, is sealed, and has a complete lineage; so has its plan."""
    outcome = evaluate(case.intent_set, case.intents, case.policy)
    made, plan_made = outcome.merged_intent, outcome.merge_plan
    assert plan_made is not None
    assert (made is None) == (outcome.strategy == "reject")
    assert msgspec.json.decode(msgspec.json.encode(plan_made), type=MergePlan) == plan_made
    assert plan_made.checksum == checksums.whole_checksum(plan_made)
    assert plan_made.lineage.derived_from == plan_made.source_intent_ids == tuple(sorted(case.intent_set.intent_ids))
    if made is not None:
        assert msgspec.json.decode(msgspec.json.encode(made), type=IntentDocument) == made
        assert made.audit.checksum == checksums.intent_checksum(made)
        assert made.lineage.derived_from
        assert bool(plan_made.lineage.supersedes) == (outcome.strategy == "override_by_priority")
        assert set(plan_made.lineage.supersedes) <= set(made.lineage.supersedes)
        assert outcome.result.evaluation.merge_plan.result_intent_id == made.id


@given(cases())
def test_a_plan_can_be_replayed(case: Case) -> None:
    """The operations of a plan, carried out on its sources, give its result intent."""
    made = evaluate(case.intent_set, case.intents, case.policy).merge_plan
    assert made is not None
    if made.result_intent is not None:
        assert replay_merge(made, {intent.id: intent for intent in case.intents}) == made.result_intent


@given(cases())
def test_inputs_are_never_altered(case: Case) -> None:
    """Evaluating and merging change nothing that was given."""
    before = [msgspec.json.encode(intent) for intent in case.intents]
    outcome = evaluate(case.intent_set, case.intents, case.policy)
    assert outcome.merge_plan is not None
    assert [msgspec.json.encode(intent) for intent in case.intents] == before


@pytest.mark.req("GV-09")
def test_union_takes_everything_once() -> None:
    """Workflows, agents and evidence of all are there, each once, and all commands, each as the command of its plan."""
    shared = command("shared_one")
    one = plan("aaaaaa", ["a"], commands=[reader(), shared], evidence=["note://1", "note://2"])
    other = plan(
        "bbbbbb", ["b"], commands=[shared, command("own_one")], evidence=["note://2", "note://3"], agent="other"
    )
    made = merged(one, other)
    assert [(c.source, c.command_id) for c in made.planned_commands] == [
        (one.id, "look_at_it"),
        (one.id, "shared_one"),
        (other.id, "shared_one"),
        (other.id, "own_one"),
    ]
    assert made.evidence_refs == ("note://1", "note://2", "note://3")
    assert [agent.agent_id for agent in made.selected_agents] == ["worker", "other"]
    assert len(made.selected_workflows) == 1
    assert made.scope.targets.files == ("a", "b")
    assert (made.lineage.derived_from, made.lineage.supersedes) == ((A, B), ())
    assert (made.audit.created_by, made.audit.source) == ("volition", "imported")


@pytest.mark.req("GV-09")
def test_union_is_strict() -> None:
    """Budgets are summed, the highest risk counts, and the strictest mode; who never asks takes the questions away."""
    one = plan(
        "aaaaaa",
        ["a"],
        mode="full_auto",
        risk="low",
        budgets=Budgets(max_files=1, max_commits=2, max_tokens=3, max_cost_usd=0.1),
    )
    other = plan(
        "bbbbbb",
        ["b"],
        mode="semi_auto",
        risk="high",
        budgets=Budgets(max_files=4, max_commits=5, max_tokens=6, max_cost_usd=0.2),
    )
    made = merged(one, other)
    assert made.budgets == Budgets(max_files=5, max_commits=7, max_tokens=9, max_cost_usd=0.1 + 0.2)
    assert (made.risk.overall, made.interaction.mode, made.interaction.question_budget) == ("high", "semi_auto", 0)


@pytest.mark.req("GV-09")
def test_locks_are_united() -> None:
    """The merged intent locks what any of them locks."""
    made = merged(plan("aaaaaa", ["a"], locked=["a"]), plan("bbbbbb", ["b"], locked=["./b"]), plan("cccccc", ["c"]))
    assert (made.constraints.lock_scope.mode, made.constraints.lock_scope.paths) == ("files", ("a", "b"))


@pytest.mark.req("GV-21", "GV-14")
def test_override_drops_what_a_loser_would_do() -> None:
    """Of a loser, evidence and reviews stay; its commands, agents, targets and budgets go; it is superseded."""
    winner = plan("aaaaaa", ["x"], priority=9, reviews=["release"], supersedes=["intent_earlier"])
    loser = plan(
        "bbbbbb",
        ["x", "y"],
        commands=[command("own_one")],
        priority=1,
        agent="other",
        evidence=["note://b"],
        reviews=["security"],
    )
    made = merged(winner, loser)
    assert made.id not in {A, B}
    assert made.planned_commands == tuple(replace(one, source=A) for one in winner.planned_commands)
    assert made.selected_agents == winner.selected_agents
    assert made.scope.targets.files == ("x",)
    assert made.budgets == winner.budgets
    assert made.evidence_refs == ("note://meeting", "note://b")
    assert made.risk.requires_review == ("release", "security")
    assert (made.lineage.derived_from, made.lineage.supersedes) == ((A,), (B,))
    assert made.audit.checksum != winner.audit.checksum


@pytest.mark.req("GV-05", "GV-17")
def test_needs_order_the_merge(told: Told) -> None:
    """Who needs what another makes comes after it, in commands and in operations, and the operation says why."""
    maker, taker = (
        plan("zzzzzz", ["api.json"], commands=[command("make_it")]),
        plan("aaaaaa", ["sdk"], commands=[command("use_it")], evidence=["scan://api.json"]),
    )
    outcome = judged(taker, maker)
    assert [c.command_id for c in merged(taker, maker).planned_commands] == ["make_it", "use_it"]
    steps = [op for op in outcome.result.evaluation.merge_plan.operations if op.operation == "union_commands"]
    assert [step.source_intent_id for step in steps] == ["intent_zzzzzz", A]
    told(steps[1].evidence)


def test_a_new_id_follows_from_the_content() -> None:
    """A union has an id of its own, the same for the same intents and another for others."""
    one, other = plan("aaaaaa", ["a"]), plan("bbbbbb", ["b"])
    assert merged(one, other).id == merged(other, one).id != merged(one, plan("cccccc", ["c"])).id


def test_texts_are_packed_where_they_are_too_many() -> None:
    """More texts than there is room for are joined; none is lost while there is room for its letters."""
    texts = [f"criterion number {n}" for n in range(60)]
    places = pack_texts(texts, 20, 300)
    assert len(places) <= 20
    assert "; ".join(places) == "; ".join(texts)
    assert all(len(place) <= 300 for place in places)
    assert pack_texts(["x" * 300] * 3 + [str(n) * 300 for n in range(10)], 3, 300)[-1].endswith("...")
