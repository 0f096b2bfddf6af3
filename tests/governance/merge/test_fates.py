"""What becomes of each cluster: as the merged intent has it, or as the questions do."""

from __future__ import annotations

from hypothesis import given

from tests.governance.plans import judged, plan
from tests.governance.strategies import Case, cases
from volition.governance.evaluator import evaluate
from volition.governance.merge.fates import fates
from volition.governance.verdict import Verdict


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
    matters = Verdict(case.intent_set, intents, case.policy).matters
    asked = {tuple(intents[number].id for number in open_question.members) for open_question in matters}
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
