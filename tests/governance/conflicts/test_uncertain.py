"""What names leave uncertain: who writes and names nothing may write anything, and a module may be a file elsewhere."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.governance.plans import claimed, command, contested, judged, plan, reader, set_of
from tests.governance.strategies import Case, cases
from tests.work import calls
from volition.governance.claims.footprint import footprint_of
from volition.governance.documents.policy import Policy
from volition.governance.evaluator import evaluate
from volition.governance.explanation import explain_result
from volition.governance.live.index import Collision, ConflictIndex
from volition.governance.paths.names import UNKNOWN
from volition.governance.settlement.priority import Priority

if TYPE_CHECKING:
    from tests.sentences import Told

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
def test_in_production_it_clashes_with_every_writer(told: Told) -> None:
    """In prod a writer that names nothing clashes with all writers, in one conflict; elsewhere that is a warning."""
    some = [plan(A), plan(B, ["b.py"]), plan(C, ["c.py"], commands=[reader()]), plan("dddddd", ["d.py"])]
    assert contested(*some, env="prod") == {("high", UNKNOWN, (A, B, "dddddd"))}
    assert contested(*some, env="dev") == {("low", UNKNOWN, (A, B, "dddddd"))}
    strict = Policy(severities={"resource_unknown": "critical"})
    assert contested(*some, env="dev", policy=strict) == {("critical", UNKNOWN, (A, B, "dddddd"))}
    (found,) = judged(*some, env="prod").conflicts
    assert "intent_aaaaaa#adjust_it: write" in found.evidence_refs
    told(found.description)


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


MODULE = plan(A, modules=["shop.cart"])


@pytest.mark.req("GV-23")
@pytest.mark.parametrize(
    "path",
    [
        "lib/shop/cart.py",
        "a/b/shop/cart",
        "lib/shop/cart/__init__.py",
        "lib\\shop\\cart.py",
        "lib/shop/cart/items.py",
        "lib/shop/cart.ts",
        "lib/shop/cart.py#Cart",
    ],
)
def test_what_names_cannot_decide_is_said(path: str) -> None:
    """A path that ends like a module, in a folder that no table names, is a conflict of low severity with evidence; all
    the same the plans are united."""
    outcome = judged(MODULE, plan(B, [path]), env="prod")
    (found,) = outcome.conflicts
    assert (found.severity, found.resource_ref) == ("low", "place:shop.cart")
    assert found.evidence_refs == ("intent_aaaaaa#adjust_it: write", "intent_bbbbbb#adjust_it: write")
    said = found.description or ""
    assert f"module:shop.cart may be {path.replace(chr(92), '/')}" in said
    assert "names.modules" in said
    assert outcome.strategy == "merge_union"


@pytest.mark.req("GV-23")
@pytest.mark.parametrize(
    "path", ["lib/cart.py", "lib/myshop/cart.py", "lib/shop/cart.md", "lib/shop/x/cart.py", "cart.py"]
)
def test_another_ending_is_another_thing(path: str) -> None:
    """Only whole segments make a module's name, and all of them: nothing is said of what ends otherwise."""
    assert contested(MODULE, plan(B, [path])) == set()


@pytest.mark.req("GV-23")
def test_a_row_decides() -> None:
    """Where the policy says where the module lies, or one that holds it, it is that place or it is not; nothing is low."""
    two = MODULE, plan(B, ["lib/shop/cart.py"])
    assert contested(*two, policy=Policy(modules={"shop": "lib/shop"})) == {("high", "module:shop.cart", (A, B))}
    assert contested(*two, policy=Policy(modules={"shop.cart": "src/shop/cart.py"})) == set()
    assert contested(*two, policy=Policy(modules={"shop.cart.items": "x"})) == {("low", "place:shop.cart", (A, B))}


@pytest.mark.req("GV-23")
def test_one_of_them_must_write() -> None:
    """Two who only read have nothing to compare, and nobody is compared with itself."""
    reading = plan(B, ["lib/shop/cart.py"], commands=[reader()])
    assert contested(MODULE, reading) == {("low", "place:shop.cart", (A, B))}
    assert contested(plan(A, modules=["shop.cart"], commands=[reader()]), reading) == set()
    assert contested(plan(A, ["lib/shop/cart.py"], ["shop.cart"]), plan(B, ["b.py"])) == set()


@pytest.mark.req("GV-23")
def test_a_policy_may_call_it_grave() -> None:
    """A policy that sets the severity makes it a matter of priority, or a question, among those who may clash alone."""
    strict = Policy(severities={"resource_unplaced": "high"})
    plans = MODULE, plan(B, ["lib/shop/cart.py"]), plan(C, ["old/shop/cart.py"])
    outcome = judged(*plans, policy=strict)
    assert outcome.strategy == "reject"
    assert outcome._draft is not None
    assert [set(near) for near in outcome._draft.verdict.relations.near] == [{1, 2}, {0}, {0}]
    assert contested(*plans, policy=strict) == {("high", "place:shop.cart", (A, B, C))}


@pytest.mark.req("GV-19")
def test_it_costs_no_pairs() -> None:
    """Twice as many modules and paths that end alike take about twice the steps."""

    def steps(size: int) -> int:
        # Names of another run would be in the caches.
        work = [command(text="Do it")]
        plans = [plan(f"module_{n:04d}", modules=[f"m{size}_{n}.cart"], commands=work) for n in range(size)]
        plans += [plan(f"path_{n:04d}", [f"lib/m{size}_{n}/cart.py"], commands=work) for n in range(size)]
        return calls(partial(evaluate, set_of(plans), plans, limit=False))

    steps(10)
    assert steps(200) < 2.5 * steps(100)
