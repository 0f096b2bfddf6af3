"""The evaluation as a whole: the guide's scenarios, known defects that stay out, and the laws of its answers."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.governance.plans import NOW, command, contested, judged, plan, reader, set_of
from tests.governance.strategies import Case, cases
from tests.processes import under_hash_seeds
from volition.core.errors import InvalidInput
from volition.governance.documents import checksums
from volition.governance.documents.findings import schema_findings
from volition.governance.documents.intent import Budgets
from volition.governance.documents.intent_set import SET_LIMIT
from volition.governance.documents.loading import Loaded
from volition.governance.documents.policy import BUILT_IN, Policy
from volition.governance.documents.redlines import payload_findings
from volition.governance.documents.result import EvaluationResult
from volition.governance.documents.validation import is_valid, validate
from volition.governance.evaluator import evaluate

if TYPE_CHECKING:
    from random import Random

    from tests.sentences import Told
    from volition.governance.documents.intent import IntentDocument

A, B = "aaaaaa", "bbbbbb"
DEPLOY = command("ship_it", "deploy", text="Ship it")


# The guide's scenarios


@pytest.mark.req("GV-17")
def test_scenario_a_all_read_only() -> None:
    """Plans that only read have no conflicts and are united."""
    api = plan("analyze_api", ["src/api"], commands=[reader("Analyze it")])
    scan = plan("scan_api", ["src/api"], commands=[reader("Scan for vulnerabilities")])
    outcome = judged(api, scan)
    assert (outcome.conflicts, outcome.strategy) == ((), "merge_union")
    assert outcome.merged_intent is not None
    assert len(outcome.merged_intent.planned_commands) == 2


@pytest.mark.req("GV-17")
def test_scenario_b_clear_priority() -> None:
    """Of two plans for the same files the one with the higher priority is kept and supersedes the other."""
    one = plan("refactor_api_v1", ["src/api/routes.py"], priority=5)
    two = plan("refactor_api_v2", ["src/api/routes.py"], priority=10)
    outcome = judged(one, two)
    assert outcome.strategy == "override_by_priority"
    assert outcome.merged_intent is not None
    assert outcome.merged_intent.lineage.derived_from == (two.id,)
    assert outcome.merged_intent.lineage.supersedes == (one.id,)


@pytest.mark.req("GV-17")
def test_scenario_c_two_deploys() -> None:
    """Two deploys of one target are rejected, newer or not, and a person is asked which one."""
    one = plan("deploy_one", modules=["service:api"], commands=[DEPLOY])
    two = plan("deploy_two", modules=["service:api"], commands=[DEPLOY], created="2026-01-26T10:00:00Z")
    outcome = judged(one, two, env="staging")
    assert outcome.strategy == "reject"
    assert {c.type for c in outcome.conflicts} == {"resource_conflict", "effect_conflict"}
    assert len(outcome.questions) == 1
    assert outcome.question_pack is not None


@pytest.mark.req("GV-17")
def test_scenario_d_dependency() -> None:
    """A plan that needs another's output is united with it, in that order."""
    sdk = plan(
        "client_sdk", ["sdk/client.py"], commands=[command("make_sdk")], evidence=["artifact://x/api/schema.json"]
    )
    schema = plan("make_schema", ["api/schema.json"], commands=[command("make_schema")])
    outcome = judged(sdk, schema)
    assert [c.type for c in outcome.conflicts] == ["order_conflict"]
    assert outcome.strategy == "merge_union"
    assert outcome.merged_intent is not None
    assert [c.command_id for c in outcome.merged_intent.planned_commands] == ["make_schema", "make_sdk"]


# Defects known elsewhere


def test_regression_1_disjoint_files_have_no_effect_conflict() -> None:
    """Writing one file and deleting another is no conflict: effects have a place."""
    assert contested(plan(A, ["a"]), plan(B, ["b"], commands=[command("drop_it", "delete", text="Drop it")])) == set()


def test_regression_2_order_is_found_in_any_order() -> None:
    """A need is found whichever of the two is listed first."""
    two = plan(A, ["a.txt"]), plan(B, ["b.txt"], evidence=["scan://a.txt"])
    assert all(contested(*some) == {("medium", "a.txt", (A, B))} for some in permutations(two))


def test_regression_3_ids_are_no_substrings() -> None:
    """An id that is the beginning of another is not meant by it; declared needs are heard, circles noticed."""
    short, longer = plan("abcdef", ["a"]), plan("abcdef_more", ["b"])
    citing = plan("third_one", ["c"], evidence=[f"intent://{longer.id}"])
    assert contested(short, longer, citing) == {("medium", longer.id, ("abcdef_more", "third_one"))}
    assert contested(short, longer, plan("third_one", ["c"], evidence=[longer.id], depends_on=[longer.id])) == set()


def test_regression_4_a_lock_against_none() -> None:
    """A lock on /src/api clashes with a writer there who locks nothing."""
    found = contested(plan(A, commands=[reader()], locked=["/src/api"]), plan(B, ["src/api/a.py"], lock="none"))
    assert found == {("medium", "src/api", (A, B))}


def test_regression_5_paths_end_at_segments() -> None:
    """A lock on /src/api does not reach /src/api2."""
    assert (
        contested(plan(A, commands=[reader()], locked=["/src/api"]), plan(B, ["/src/api2/x.py"], lock="none")) == set()
    )


def test_regression_6_budgets_of_all() -> None:
    """Twenty intents of 10 dollars exceed a limit of 100, though no two of them do."""
    cheap = Budgets(max_files=0, max_commits=0, max_tokens=0, max_cost_usd=10)
    some = [plan(f"number_{n:02d}", [f"{n}.py"], budgets=cheap) for n in range(20)]
    (found,) = contested(*some, policy=Policy(max_cost_usd=100))
    assert found[:2] == ("high", "budgets.max_cost_usd")


def test_regression_7_modes_in_either_order() -> None:
    """The clash of modes does not depend on who is listed first."""
    two = plan(A, ["a"], mode="full_auto"), plan(B, ["b"])
    assert all(contested(*some) == {("low", "interaction.mode", (A, B))} for some in permutations(two))


def test_regression_8_the_environment_counts() -> None:
    """A deploy to production has the highest scope risk."""
    outcome = judged(plan(A, ["a"], commands=[DEPLOY]), plan(B, ["b"]), env="prod")
    assert outcome.result.evaluation.risk_comparison.matrix[0].dimensions.scope_risk == 100


def test_regression_9_equal_risks_dominate_nobody() -> None:
    """Equal risks are incomparable; none of the two dominates the other."""
    said = judged(plan(A, ["a"]), plan(B, ["b"])).result.evaluation.risk_comparison
    assert (said.dominance, len(said.incomparable)) == ((), 1)


def test_regression_10_ids_do_not_depend_on_what_came_before() -> None:
    """Evaluating something else in between changes no id and no byte."""
    first = judged(plan(A, ["x"]), plan(B, ["x"])).files()
    judged(plan(A, ["y"]), plan(B, ["y"], priority=4))
    assert judged(plan(A, ["x"]), plan(B, ["x"])).files() == first


def test_regression_11_writing_is_per_resource() -> None:
    """Two readers of x have no conflict there though one of them writes elsewhere."""
    busy = plan(A, ["x", "y"], commands=[reader("Look at x"), command(text="Change y")])
    assert contested(busy, plan(B, ["x"], commands=[reader()])) == set()


def test_regression_12_unrelated_intents_are_not_superseded() -> None:
    """An override supersedes the losers of its component alone, and alters no input."""
    winner, loser, other = plan(A, ["x"], priority=9), plan(B, ["x"], priority=1), plan("cccccc", ["y"], priority=5)
    before = msgspec.json.encode(winner)
    merged = judged(winner, loser, other).merged_intent
    assert merged is not None
    assert merged.lineage.supersedes == (loser.id,)
    assert merged.lineage.derived_from == (winner.id, other.id)
    assert msgspec.json.encode(winner) == before


def test_regression_13_questions_are_protected() -> None:
    """Changing a question breaks the content checksum."""
    result = judged(plan(A, ["x"], priority=1), plan(B, ["x"], priority=1)).result
    assert result.metadata is not None
    forged = replace(result, requires_questions=(replace(result.requires_questions[0], condition="Is it?"),))
    assert checksums.content_checksum(forged) != result.metadata.content_checksum


def test_regression_14_the_order_of_priorities(told: Told) -> None:
    """Status comes last: a newer draft goes before an older approved plan, and says by which key."""
    draft = plan(A, ["x"], status="draft", created="2026-02-01T00:00:00Z")
    outcome = judged(draft, plan(B, ["x"], status="approved"))
    assert outcome.merged_intent is not None
    assert outcome.merged_intent.lineage.derived_from == (draft.id,)
    told(outcome.result.evaluation.merge_plan.operations[1].evidence)


# Laws


@pytest.mark.req("GV-12")
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_list_is_no_input(case: Case, chance: Random) -> None:
    """However the intents and their ids are listed, every file has the same bytes."""
    shuffled, ids = list(case.intents), list(case.intent_set.intent_ids)
    chance.shuffle(shuffled)
    chance.shuffle(ids)
    other = replace(case.intent_set, intent_ids=tuple(ids))
    assert (
        evaluate(other, shuffled, case.policy).files() == evaluate(case.intent_set, case.intents, case.policy).files()
    )


@pytest.mark.req("GV-12", "GV-13")
@given(cases())
def test_every_document_is_valid(case: Case) -> None:
    """What comes out is valid by its schema, sealed, forbids execution, and holds no payload."""
    outcome = evaluate(case.intent_set, case.intents, case.policy)
    kinds = {
        "result.json": "evaluation_result",
        "merge_plan.json": "merge_plan",
        "merged_intent.json": "intent",
        "question_pack.json": "question_pack",
    }
    for name, content in outcome.files().items():
        data = msgspec.json.decode(content)
        # The plans that are drawn name odd paths, and what is merged of them names the same.
        found = [f for f in validate(kinds[name], content, policy=case.policy) if f.code != "checklist.targets"]
        assert is_valid(found) or case.policy.registry, name
        assert schema_findings(kinds[name], data) == [], name
        assert not payload_findings(data)
    result = outcome.result
    assert msgspec.json.decode(outcome.files()["result.json"], type=EvaluationResult) == result
    assert result.constraints.execution == "forbidden"
    assert result.checksum == checksums.result_checksum(result)
    assert result.metadata is not None
    assert result.metadata.content_checksum == checksums.content_checksum(result)
    assert set(result.input.intent_checksums) == set(case.intent_set.intent_ids)


def test_checksums_of_what_is_not_ascii() -> None:
    """The checksums are right for any letters."""
    odd = plan(A, ["src/ä.py"]), plan(B, ["src/ä.py"])
    result = judged(*odd).result
    assert result.checksum == checksums.result_checksum(result)
    assert result.metadata is not None
    assert result.metadata.content_checksum == checksums.content_checksum(result)


@pytest.mark.req("GV-12")
def test_the_hash_seed_is_no_input() -> None:
    """Processes with different hash seeds write the same bytes, and the naive evaluator comes to the same verdicts."""
    program = (
        "from hashlib import sha256\n"
        "from random import Random\n"
        "from tests.governance.strategies import draw_case\n"
        "from tests.governance import reference_merge\n"
        "from volition.governance.evaluator import evaluate\n"
        "for seed in range(10):\n"
        "    case = draw_case(Random(seed))\n"
        "    naive = reference_merge.evaluate(case.intent_set, case.intents, case.policy)\n"
        "    print(sorted(map(repr, naive.conflicts)), naive.strategy, sorted(naive.lost), sorted(naive.asked))\n"
        "    print(naive.merged and naive.merged.commands, naive.matrix, sorted(naive.dominance))\n"
        "    for name, content in evaluate(case.intent_set, case.intents, case.policy).files().items():\n"
        "        print(seed, name, sha256(content).hexdigest())\n"
    )
    said = under_hash_seeds(program, "0", "4242")
    assert len(said) == 1
    assert said.pop().count(b"result.json") == 10


@pytest.mark.req("GV-12")
def test_the_clock_is_an_argument() -> None:
    """A result is dated as its set unless a time is given, which changes neither its id nor what it says."""
    two = plan(A, ["x"]), plan(B, ["y"])
    usual, later = evaluate(set_of(two), two), evaluate(set_of(two), two, now="2027-01-01T00:00:00Z")
    assert (usual.result.created_at, later.result.created_at) == (NOW, "2027-01-01T00:00:00Z")
    assert usual.result.id == later.result.id
    assert usual.result.evaluation == later.result.evaluation


@pytest.mark.req("GV-21")
def test_the_policy_stands_in_the_result() -> None:
    """The result contains the hash of the policy, also of the built-in one."""
    two, other = (plan(A, ["x"]), plan(B, ["y"])), Policy(max_files=400)
    for policy in (BUILT_IN, other):
        metadata = judged(*two, policy=policy).result.metadata
        assert metadata is not None
        assert metadata.policy_hash == policy.hash
    assert judged(*two).result.id != judged(*two, policy=other).result.id


@pytest.mark.req("GV-01", "GV-02")
def test_what_cannot_be_evaluated_is_refused_at_once(told: Told) -> None:
    """Missing, foreign, repeated, dead and too many intents, and another project, are reported together."""
    good, dead, foreign = plan(A, ["x"]), plan(B, ["y"], status="rejected"), plan("cccccc", project="other")
    given_set = set_of([good, dead, plan("dddddd")])
    with pytest.raises(InvalidInput) as refused:
        evaluate(given_set, [good, dead, foreign])
    said = {problem.what: problem.where.partition(", ")[2] for problem in refused.value.problems}
    assert said == {
        "intent_dddddd is missing": "",
        "intent_cccccc is not in the set": "",
        "the intent is rejected": "intent_bbbbbb, $.status",
        "the intent belongs to the project 'other'": "intent_cccccc, $.scope.project_id",
    }
    with pytest.raises(InvalidInput, match="is duplicated"):
        evaluate(set_of([good, plan("dddddd")]), [good, good])
    with told.raises(InvalidInput):
        evaluate(replace(given_set, intent_ids=(good.id,)), [good])


def test_what_was_loaded_is_evaluated_as_it_is() -> None:
    """A loaded set needs no list of intents beside it."""
    two = plan(A, ["x"]), plan(B, ["x"])
    assert evaluate(Loaded(set_of(two), two)).files() == judged(*two).files()


def crowd(count: int) -> list[IntentDocument]:
    return [
        plan(
            f"number_{n:04d}",
            [f"src/{n // 2}.py", "README.md"],
            commands=[command(text=f"Change src/{n // 2}.py"), reader("Look at README.md")],
        )
        for n in range(count)
    ]


@pytest.mark.req("GV-19")
def test_beyond_the_limit_nothing_is_merged(told: Told) -> None:
    """More intents than can be merged are refused, or without the limit judged: conflicts, clusters and the riskiest."""
    many = crowd(SET_LIMIT + 2)
    with told.raises(InvalidInput):
        judged(*many)
    outcome = evaluate(set_of(many), many, limit=False)
    assert (outcome.strategy, outcome.merged_intent, outcome.merge_plan, outcome.questions) == (
        "reject",
        None,
        None,
        (),
    )
    assert len(outcome.clusters) == len(many) // 2
    assert outcome.result.evaluation.risk_comparison.dominance == ()
    assert len(outcome.result.evaluation.risk_comparison.matrix) == len(many)
    assert len(outcome.riskiest) == len(many)
    assert len([c for c in outcome.conflicts if c.type == "resource_conflict"]) == len(many) // 2
