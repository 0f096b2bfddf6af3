"""The live index: it says what the evaluation says of two plans, and forgets what is removed."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.governance.plans import claimed, command, plan, reader
from tests.governance.reference import IN_TURNS, said_orders
from tests.governance.strategies import Case, cases
from tests.work import calls
from volition.core.errors import InvalidInput
from volition.governance.conflicts.contests import add_claims
from volition.governance.conflicts.detection import find
from volition.governance.conflicts.ledger import CONSTRAINT, EFFECT, RESOURCE
from volition.governance.documents.intent import GRAVE, LEVELS
from volition.governance.documents.policy import Policy
from volition.governance.live.index import Collision, ConflictIndex

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.governance.documents.intent import IntentDocument


@pytest.mark.req("GV-19")
def test_a_collision_names_rule_resource_and_plans() -> None:
    """Adding a plan returns its collisions: the other plans, the resource, the rule and its severity."""
    index = ConflictIndex()
    assert index.add(plan("aaaaaa", ["src/a.py"])) == []
    assert index.add(plan("bbbbbb", ["src"])) == [Collision("resource_write_write", "high", "src", ("intent_aaaaaa",))]
    assert index.check(plan("cccccc", ["src/a.py"], commands=[reader()])) == [
        Collision("resource_read_write", "medium", "src", ("intent_bbbbbb",)),
        Collision("resource_read_write", "medium", "src/a.py", ("intent_aaaaaa",)),
    ]
    assert len(index) == 2


@pytest.mark.req("GV-03")
def test_modules_and_files_collide() -> None:
    """A module collides with the files that it consists of and with the folders that hold it, whichever comes first; one
    that the policy puts at the project's root collides with every file."""
    rooted = Policy(modules={"shop": "."})
    for policy, module, path, shared in (
        (Policy(), "shop.cart", "src/shop/cart.py", "module:shop.cart"),
        (Policy(), "shop.cart", "shop", "shop"),
        (rooted, "shop", "docs/a.md", "module:shop"),
    ):
        two = plan("aaaaaa", modules=[module]), plan("bbbbbb", [path])
        for one, other in (two, two[::-1]):
            index = ConflictIndex(policy)
            index.add(one)
            assert index.add(other) == [Collision("resource_write_write", "high", shared, (one.id,))]


OTHERS = {"constraint_budget", "constraint_capacity", "resource_many", "resource_unplaced"}
"""Rules that are the evaluation's alone: what needs the whole set, and what cannot be decided."""


def collisions(index: ConflictIndex, intent: IntentDocument) -> dict[tuple[str, str], tuple[set[str], int]]:
    """What the index says of a plan: kind and resource -> the rules, and the highest severity; orders left out."""
    found: dict[tuple[str, str], tuple[set[str], int]] = {}
    for one in index.check(intent):
        kind = one.rule.partition("_")[0]
        if kind != "order":
            rules, severity = found.get((kind, one.resource), (set(), 0))
            found[kind, one.resource] = ({*rules, one.rule}, max(severity, LEVELS.index(one.severity)))
    return found


@given(cases())
def test_the_index_agrees_with_the_evaluation(case: Case) -> None:
    """For two plans, the index finds what detection finds, by the same rules and as severe; only orders, crowds, sums of
    the whole set and modules that may be files elsewhere are left to the evaluation."""
    env = case.intent_set.context.env
    kinds = {RESOURCE: "resource", EFFECT: "effect", CONSTRAINT: "constraint"}
    for one, other in combinations(sorted(case.intents, key=lambda intent: intent.id), 2):
        index = ConflictIndex(case.policy, env)
        index.add(one)
        claims: dict[str, list[int]] = {}
        for number, intent in enumerate((one, other)):
            add_claims(claims, number, claimed(intent, case.policy))
        findings, _ = find((one, other), claims, env, case.policy)
        said = collisions(index, other)
        wanted = [finding for finding in findings if finding.kind in kinds and finding.rules - OTHERS]
        assert said.keys() == {(kinds[finding.kind], finding.about) for finding in wanted}
        for finding in wanted:
            rules, severity = said[kinds[finding.kind], str(finding.about)]
            assert rules == finding.rules - OTHERS
            assert severity == finding.severity or "resource_many" in finding.rules


@given(cases())
def test_many_plans_collide_as_each_two_do(case: Case) -> None:
    """With an index of many plans a plan has the collisions that it has with each of them alone, and no others; only where
    some of them put the two in an order, which lets both have their way, it is no worse than medium."""
    *others, last = case.intents
    said = said_orders(case.intents)
    env = case.intent_set.context.env
    index = ConflictIndex(case.policy, env)
    apart = set()
    for other in others:
        index.add(other)
        alone = ConflictIndex(case.policy, env)
        alone.add(other)
        in_turn = bool({(other.id, last.id), (last.id, other.id)} & said)
        for c in alone.check(last):
            milder = in_turn and c.rule in IN_TURNS and c.severity in GRAVE
            apart |= {(c.rule, "medium" if milder else c.severity, c.resource, name) for name in c.intent_ids}
    assert {(c.rule, c.severity, c.resource, name) for c in index.check(last) for name in c.intent_ids} == apart


@given(cases())
def test_what_is_removed_is_forgotten(case: Case) -> None:
    """After removing a plan the index is as if it had never been there."""
    index, never = ConflictIndex(), ConflictIndex()
    first, *rest = case.intents
    for intent in case.intents:
        index.add(intent)
    index.remove(first.id)
    for intent in rest:
        never.add(intent)
    assert first.id not in index
    for intent in case.intents:
        assert index.check(intent) == never.check(intent)
    for intent in rest:
        index.remove(intent.id)
    places = index._places
    assert [index._plans, index._direct, index._marked] == [{}, {}, {}]
    assert [places._at, places._children, places._parts] == [{}, {}, {}]


def test_a_plan_is_there_once(told: Told) -> None:
    """A plan cannot be added twice or removed when it is not there; checking it does not make it its own enemy."""
    index = ConflictIndex()
    one = plan("aaaaaa", ["src/a.py"])
    index.add(one)
    assert index.check(one) == []
    with told.raises(InvalidInput):
        index.add(one)
    with told.raises(InvalidInput):
        index.remove("intent_bbbbbb")
    assert list(index) == [one.id]


@pytest.mark.req("GV-19")
def test_adding_does_not_grow_with_the_number_of_plans() -> None:
    """Adding a plan to two thousand takes about as many steps as adding it to two hundred."""
    index = ConflictIndex()
    steps = []
    for n in range(2_000):
        intent = plan(f"number_{n:05d}", [f"src/{n % 50}/{n}.py"], commands=[command(text="Do it")])
        steps.append(calls(partial(index.add, intent)))
    assert max(steps[-100:]) < 2 * max(steps[100:200])
