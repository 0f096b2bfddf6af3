"""Modules that may be a file elsewhere: what names cannot decide is said, and a row in the policy decides it."""

from __future__ import annotations

from functools import partial

import pytest

from tests.governance.plans import command, contested, judged, plan, reader, set_of
from tests.work import calls
from volition.governance.documents.policy import Policy
from volition.governance.evaluator import evaluate

A, B, C = "aaaaaa", "bbbbbb", "cccccc"
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
    assert [set(near) for near in outcome._verdict.field.near] == [{1, 2}, {0}, {0}]
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
