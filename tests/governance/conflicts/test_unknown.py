"""Plans of unknown scope: who writes and names nothing may write anything, and nobody calls that low."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given

from tests.governance.plans import claimed, command, contested, judged, plan, reader
from tests.governance.strategies import Case, cases
from volition.governance.claims.footprint import footprint_of
from volition.governance.documents.policy import Policy
from volition.governance.evaluator import evaluate
from volition.governance.explanation import explain_result
from volition.governance.live.index import Collision, ConflictIndex
from volition.governance.paths.names import UNKNOWN
from volition.governance.settlement.priority import Priority

A, B, C = "aaaaaa", "bbbbbb", "cccccc"


@pytest.mark.req("GV-23")
def test_who_names_nothing_clashes_with_every_lock() -> None:
    """A lock clashes with a writer that names no file, whatever that one locks, and lets one in that only reads."""
    holder = plan(A, commands=[reader()], locked=["src/api"])
    for lock in ("none", "task"):
        for some in permutations([holder, plan(B, lock=lock)]):
            assert contested(*some) == {("medium", UNKNOWN, (A, B))}
    assert contested(holder, plan(B, commands=[reader()], lock="none")) == set()


@pytest.mark.req("GV-23")
def test_in_production_it_clashes_with_every_writer() -> None:
    """In prod a writer that names nothing clashes with all writers, in one conflict; elsewhere that is a warning."""
    some = [plan(A), plan(B, ["b.py"]), plan(C, ["c.py"], commands=[reader()]), plan("dddddd", ["d.py"])]
    assert contested(*some, env="prod") == {("high", UNKNOWN, (A, B, "dddddd"))}
    assert contested(*some, env="dev") == {("low", UNKNOWN, (A, B, "dddddd"))}
    strict = Policy(severities={"resource_unknown": "critical"})
    assert contested(*some, env="dev", policy=strict) == {("critical", UNKNOWN, (A, B, "dddddd"))}
    (found,) = judged(*some, env="prod").conflicts
    assert "intent_aaaaaa#adjust_it: write" in found.evidence_refs
    assert "intent_aaaaaa writes and names no target" in (found.description or "")


@pytest.mark.req("GV-23")
def test_two_that_name_nothing_are_not_merged_in_production() -> None:
    """Two writers without targets are never merged unasked in prod, and their blast radius is not called 0."""
    outcome = judged(plan(A, priority=1), plan(B, priority=1), env="prod")
    assert outcome.strategy == "reject"
    for row in outcome.result.evaluation.risk_comparison.matrix:
        assert row.unknown == ("scope_risk", "blast_radius")
        assert (row.dimensions.scope_risk, row.dimensions.blast_radius) == (100, 100)
        assert row.texts()[1:3] == ("unknown", "unknown")
    assert "(30, unknown, unknown, 90)" in explain_result(outcome.result)


@pytest.mark.req("GV-23")
def test_a_text_that_names_a_file_says_what_is_written() -> None:
    """A plan without targets whose command names a file is not unknown; with a further command that names none it is."""
    naming = command("one_thing", text="Rewrite docs/guide.md")
    assert set(claimed(plan(A, commands=[naming]))) == {"docs/guide.md"}
    assert not footprint_of(plan(A, commands=[naming])).is_unknown()
    assert set(claimed(plan(A, commands=[naming, command("another", text="Tidy up")]))) == {"docs/guide.md", UNKNOWN}
    assert footprint_of(plan(A, commands=[naming, command("another", text="Tidy up")], areas=["docs"])).is_unknown()


@pytest.mark.req("GV-23")
def test_nobody_wins_by_a_risk_that_nobody_knows() -> None:
    """A plan of unknown scope never goes before another by its risk, however low it declares it."""
    unknown, known = plan(A, risk="low"), plan(B, ["b.py"], risk="high")
    policy = Policy(priority_order=("risk",))
    priority = Priority([footprint_of(unknown), footprint_of(known)], policy)
    assert priority.decides(0, 1) is None
    assert priority.decides(1, 0) is None
    assert judged(unknown, known, env="prod", policy=policy).strategy == "reject"


@pytest.mark.req("GV-23")
@given(cases())
def test_the_unknown_is_never_less_risky(case: Case) -> None:
    """On every set: who may write anything has the highest scope risk and blast radius, is marked, and is dominated in
    these by nobody; and an override by risk never has it as its winner.
    """
    outcome = evaluate(case.intent_set, case.intents, case.policy)
    unknown = {intent.id for intent in case.intents if footprint_of(intent).is_unknown()}
    for row in outcome.result.evaluation.risk_comparison.matrix:
        assert bool(row.unknown) == (row.intent_id in unknown)
        assert row.intent_id not in unknown or row.dimensions.scope_risk == row.dimensions.blast_radius == 100
    for loss in outcome.result.losses:
        assert loss.rule != "risk" or loss.lost_to not in unknown


@pytest.mark.req("GV-23", "GV-19")
def test_the_index_knows_who_may_write_anything() -> None:
    """A plan without targets collides with every lock and every writer on its way, and they with it."""
    index = ConflictIndex(env="prod")
    index.add(plan(A, commands=[reader()], locked=["src"]))
    index.add(plan(B, ["b.py"]))
    assert index.add(plan(C)) == [
        Collision("resource_unknown", "high", UNKNOWN, ("intent_bbbbbb",)),
        Collision("constraint_lock", "medium", UNKNOWN, ("intent_aaaaaa",)),
    ]
    late = plan("dddddd", ["d.py"])
    assert index.check(late) == [Collision("resource_unknown", "high", UNKNOWN, ("intent_cccccc",))]
    index.remove("intent_cccccc")
    assert index.check(late) == []
