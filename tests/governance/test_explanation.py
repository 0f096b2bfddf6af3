"""Results in words: complete, stable, and for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.governance.plans import judged, plan
from tests.governance.strategies import Case, cases
from volition.governance.evaluator import evaluate
from volition.governance.explanation import compare_results, explain_result

if TYPE_CHECKING:
    from tests.sentences import Told


@pytest.mark.req("GV-12")
@given(cases())
def test_everything_is_told(case: Case) -> None:
    """The explanation of a result contains every conflict, step, risk and option, and ends with one newline."""
    result = evaluate(case.intent_set, case.intents, case.policy).result
    text = explain_result(result)
    for conflict in result.evaluation.conflicts:
        assert (conflict.description or "") in text
    for question in result.requires_questions:
        assert all(option.label in text for option in question.options)
    assert all(f"{row.intent_id}: {row.overall_risk}" in text for row in result.evaluation.risk_comparison.matrix)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.req("GV-12")
@given(cases())
def test_every_conflict_explains_itself(case: Case) -> None:
    """A conflict says who, on what, and the ways out, unless nothing is left to do: an order is declared, or different parts
    of a file are written. It has evidence and resolutions, and an id of its own."""
    conflicts = evaluate(case.intent_set, case.intents, case.policy).conflicts
    assert len({conflict.conflict_id for conflict in conflicts}) == len(conflicts)
    for conflict in conflicts:
        text = conflict.description or ""
        assert conflict.intent_ids[0] in text
        assert "Ways out: " in text or text.endswith(("as declared.", "so they do not clash."))
        assert conflict.resource_ref is None or conflict.resource_ref.removeprefix("file:") in text
        assert conflict.evidence_refs
        assert conflict.resolutions


def test_a_difference_is_what_changed(told: Told) -> None:
    """Two results differ in what is new, gone and changed; a result does not differ from itself."""
    one, other, third = plan("aaaaaa", ["x"], risk="low"), plan("bbbbbb", ["x"], priority=1), plan("cccccc", ["y"])
    tied = plan("aaaaaa", ["x"], priority=1)
    before, after = judged(one, other, third).result, judged(tied, other).result
    assert not compare_results(before, before)
    assert str(compare_results(before, before)) == "no difference"
    found = compare_results(before, after)
    assert found.strategy == ("override_by_priority", "reject")
    assert found.intents_removed == ("intent_cccccc",)
    assert found.intents_changed == ("intent_aaaaaa",)
    assert found.risks_changed == ("intent_aaaaaa",)
    assert found.questions == (0, 1)
    again = compare_results(after, before)
    assert again.intents_added == ("intent_cccccc",)
    told(again)
    (new,) = compare_results(judged(one, third).result, judged(one, other).result).conflicts_added
    assert new.endswith("(high resource_conflict, x)")
