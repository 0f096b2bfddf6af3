"""The order of a merged plan: everything that the evaluation called an order, no circle, and no reason that is not true."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from msgspec.structs import replace

from tests.governance.plans import command, judged, plan, reader
from tests.governance.reference import declared_by, needs
from tests.governance.reference_sides import side_of
from tests.governance.strategies import Case, cases
from volition.core.errors import InvalidInput
from volition.governance.claims.extract import command_claims
from volition.governance.claims.footprint import footprint_of
from volition.governance.claims.spelling import spelling_of
from volition.governance.documents.intent import CommandLink, commands_of
from volition.governance.documents.policy import Policy, Registry
from volition.governance.evaluator import evaluate
from volition.governance.merge.coordinator import coordinate
from volition.governance.merge.ordering import contested_place

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.governance.documents.intent import Command, IntentDocument
    from volition.governance.merge.coordinator import ExecutionGraph

A, B, C = "intent_aaaaaa", "intent_bbbbbb", "intent_cccccc"
MAKE, USE = command("make_it", text="Make it"), command("use_it", text="Use it")
REGISTRY = Registry(commands=("make_it", "use_it"), requires={"use_it": ("thing",)}, produces={"make_it": ("thing",)})


def order_of(graph: ExecutionGraph) -> set[tuple[str, str]]:
    """All pairs of nodes of which one comes before the other, however far."""
    found = {(edge.before, edge.after) for edge in graph.edges}
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


def named(graph: ExecutionGraph) -> dict[str, tuple[str, str]]:
    """Node -> its plan and its command."""
    return {node.node_id: (node.intent_id, node.command_id) for node in graph.nodes}


@pytest.mark.req("GV-22")
def test_a_deploy_comes_before_the_test_that_depends_on_it(told: Told) -> None:
    """A declared order holds against the phases of two plans: what is only looked at afterwards comes afterwards."""
    phases = ("analysis", "implementation", "release")
    deploy = plan(A, modules=["service:api"], commands=[command("ship_it", "deploy", text="Ship it")], phases=phases)  # type: ignore[arg-type]
    smoke = plan(B, ["reports/smoke.md"], commands=[reader()], depends_on=[A], phases=phases)  # type: ignore[arg-type]
    merged = judged(smoke, deploy).merged_intent
    assert merged is not None
    graph = coordinate(merged)
    assert [(node.intent_id, node.command_id) for node in graph.nodes] == [(A, "ship_it"), (B, "look_at_it")]
    assert [(edge.before, edge.after) for edge in graph.edges] == [("node_0001", "node_0002")]
    told(*(edge.reason for edge in graph.edges), *graph.nodes[1].waits)
    assert graph.nodes[1].agents == ("worker",)


@pytest.mark.req("GV-22")
@pytest.mark.parametrize("by", ["depends_on", "evidence", "id", "registry", "phases"])
def test_every_order_between_plans_is_one_between_all_their_commands(by: str) -> None:
    """Whatever says that one plan comes first, each of its commands comes before each of the other, without a policy."""
    making = [MAKE, command("more_of_it", text="More of it")]
    maker = plan(B, ["gen/made.json"], commands=making, phases=["implementation" if by == "phases" else "review"])
    taker = {
        "depends_on": plan(A, ["src/a.py"], commands=[command("taking", text="Go on"), reader()], depends_on=[B]),
        "evidence": plan(
            A, ["src/a.py"], commands=[command("taking", text="Go on")], evidence=["scan://gen/made.json"]
        ),
        "id": plan(A, ["src/a.py"], commands=[command("taking", text="Go on")], evidence=[f"result of {B}"]),
        "registry": plan(A, ["src/a.py"], commands=[USE]),
        "phases": plan(A, ["gen"], commands=[reader(), reader("Look again")], phases=["analysis"]),
    }[by]
    merged = judged(maker, taker, policy=Policy(registry=REGISTRY)).merged_intent
    assert merged is not None
    graph = coordinate(merged)
    nodes, order = named(graph), order_of(graph)
    first = [node for node, (of, _) in nodes.items() if of == B]
    then = [node for node, (of, _) in nodes.items() if of == A]
    assert set(product(first, then)) <= order
    assert len(first) == 2
    assert len(then) == len(taker.planned_commands)


@pytest.mark.req("GV-22")
def test_unrelated_plans_are_not_ordered() -> None:
    """A command claims what its own plan claims, so two plans that share nothing wait for nothing, in any phase."""
    one = plan(A, ["a.py"], commands=[command("one_thing", text="Do it")], phases=["release"])
    other = plan(B, ["b.py"], commands=[command("other_thing", text="Do it")], phases=["analysis"])
    merged = judged(one, other).merged_intent
    assert merged is not None
    assert coordinate(merged).edges == ()


@pytest.mark.req("GV-22")
def test_an_order_goes_through_a_plan_without_commands(told: Told) -> None:
    """Who waits for a plan that does nothing waits for those for whom that one waits, and the reason names both."""
    merged = judged(
        plan(A, ["a.py"]), plan(B, ["b.py"], commands=[], depends_on=[A]), plan(C, ["c.py"], depends_on=[B])
    ).merged_intent
    assert merged is not None
    graph = coordinate(merged)
    (edge,) = graph.edges
    assert [named(graph)[node][0] for node in (edge.before, edge.after)] == [A, C]
    told(edge.reason)


@pytest.mark.req("GV-22")
def test_one_command_id_in_two_plans_is_two_commands() -> None:
    """Commands of one id stay apart in the merged plan and in its graph, each with its plan."""
    merged = judged(plan(A, ["a.py"]), plan(B, ["b.py"], commands=[command(text="Something else")])).merged_intent
    assert merged is not None
    assert [(one.source, one.command_id) for one in merged.planned_commands] == [(A, "adjust_it"), (B, "adjust_it")]
    assert set(named(coordinate(merged)).values()) == {(A, "adjust_it"), (B, "adjust_it")}


@pytest.mark.req("GV-22")
def test_an_exclusive_environment_orders_what_is_merged_into_it(told: Told) -> None:
    """Two deploys of different services that a policy merges into one exclusive environment come one after the other."""
    ship = [command("ship_it", "deploy", text="Ship it")]
    policy = Policy(exclusive_envs=("staging",), severities={"effect_exclusive": "medium"})
    two = plan(A, modules=["service:api"], commands=ship), plan(B, modules=["service:web"], commands=ship)
    merged = judged(*two, policy=policy, env="staging").merged_intent
    assert merged is not None
    graph = coordinate(merged)
    (edge,) = graph.edges
    assert [named(graph)[node][0] for node in (edge.before, edge.after)] == [A, B]
    told(edge.reason)


@pytest.mark.req("GV-22")
def test_a_merged_plan_that_is_merged_again_keeps_its_order() -> None:
    """In a second round the order of the first one holds, every command keeps its plan, and claims what that claimed."""
    first = judged(plan(A, ["a.py"], depends_on=[B]), plan(B, ["b.py"])).merged_intent
    assert first is not None
    third = plan(C, ["b.py"], commands=[reader()])
    outcome = judged(first, third)
    merged = outcome.merged_intent
    assert merged is not None
    graph = coordinate(merged)
    nodes = {of: node for node, (of, _) in named(graph).items()}
    order = order_of(graph)
    assert set(nodes) == {A, B, C}
    assert (nodes[B], nodes[A]) in order
    assert (nodes[C], nodes[B]) in order or (nodes[B], nodes[C]) in order
    assert not {f"both use {name}" for name in ("a.py",)} & {edge.reason.partition(",")[0] for edge in graph.edges}


@pytest.mark.req("GV-22", "GV-23")
def test_a_merge_does_not_make_an_unknown_scope_known() -> None:
    """Who may write anything may still write anything when it is merged with plans that name their files."""
    first = judged(plan(A, ["a.py"]), plan(B)).merged_intent
    assert first is not None
    locking = plan(C, commands=[reader()], locked=["src"])
    (found,) = [one for one in judged(first, locking).conflicts if one.type == "constraint_conflict"]
    assert found.resource_ref == "scope:unknown"
    assert [row.unknown for row in judged(first, locking).result.evaluation.risk_comparison.matrix] == [
        () if intent == C else ("scope_risk", "blast_radius") for intent in sorted((first.id, C))
    ]


@pytest.mark.req("GV-22")
def test_an_order_that_cannot_be_is_refused(told: Told) -> None:
    """A merged plan whose order was changed into a circle, or beyond its commands, has no graph."""
    merged = judged(plan(A, ["a.py"], depends_on=[B]), plan(B, ["b.py"])).merged_intent
    assert merged is not None
    assert merged.metadata is not None
    back = CommandLink(before=1, after=0, reason="by hand")
    for more in (back, replace(back, before=0, after=7)):
        broken = replace(merged, metadata=replace(merged.metadata, order=(*merged.metadata.order, more)))
        with told.raises(InvalidInput):
            coordinate(broken)


def sources_of(intent: IntentDocument) -> set[str]:
    """The plans of which an intent is made, and itself."""
    return {intent.id, *(part.intent_id for part in (intent.metadata.parts if intent.metadata else ()))}


def claims_of_command(intent: IntentDocument, one: Command, policy: Policy) -> dict[str, int]:
    """What one command of a plan claims."""
    return command_claims(footprint_of(intent, policy), policy)[commands_of(intent).index(one)]


@pytest.mark.req("GV-22")
@given(cases())
def test_the_graph_holds_every_order_and_no_other(case: Case) -> None:
    """On every set: all nodes of a plan come after those of each plan that it needs; nodes that clash are ordered; there
    is no circle; phases order nodes of one plan; and what is said to be used by both is.
    """
    policy = case.policy
    merged = evaluate(case.intent_set, case.intents, policy).merged_intent
    if merged is None:
        return
    graph = coordinate(merged)
    order, at = order_of(graph), {node.node_id: n for n, node in enumerate(graph.nodes)}
    assert all(at[edge.before] < at[edge.after] and edge.reason for edge in graph.edges)
    assert sorted(node.place for node in graph.nodes) == list(range(len(merged.planned_commands)))
    kept = [intent for intent in case.intents if intent.id in merged.lineage.derived_from]
    if len(set.union(*map(sources_of, kept))) < sum(map(len, map(sources_of, kept))):
        return  # the same earlier plan lives on in two of these, and nobody comes before itself
    owner = {source: intent for intent in kept for source in sources_of(intent)}
    nodes = {node.node_id: owner[node.intent_id] for node in graph.nodes}
    claims = {
        node.node_id: claims_of_command(nodes[node.node_id], merged.planned_commands[node.place], policy)
        for node in graph.nodes
    }
    sides = {intent.id: side_of(intent, policy) for intent in kept}
    for one, other in permutations(kept, 2):
        if one.id in declared_by(other) or any(needs(sides[one.id], sides[other.id], policy)):
            earlier, later = ([node for node, of in nodes.items() if of is plan] for plan in (one, other))
            assert set(product(earlier, later)) <= order, (one.id, other.id)
    for first, then in combinations(nodes, 2):
        if contested_place(claims[first], claims[then], spelling_of(policy)):
            assert (first, then) in order, (first, then)
    by_plan = {node.node_id: node.intent_id for node in graph.nodes}
    for edge in graph.edges:
        if " comes before " in edge.reason:
            assert by_plan[edge.before] == by_plan[edge.after]
        if edge.reason.startswith("both use ") or "names no target" in edge.reason:
            assert contested_place(claims[edge.before], claims[edge.after], spelling_of(policy))


@pytest.mark.req("GV-22")
def test_what_the_registry_orders_inside_a_plan_is_carried_too(told: Told) -> None:
    """The merged plan knows which of one plan's commands come first by the registry, though no policy is available."""
    inner = plan(A, ["a.py", "b.py"], commands=[replace(USE, intent="Use a.py"), replace(MAKE, intent="Make b.py")])
    merged = judged(inner, plan(B, ["c.py"]), policy=Policy(registry=REGISTRY)).merged_intent
    assert merged is not None
    graph = coordinate(merged)
    (edge,) = graph.edges
    assert [named(graph)[node][1] for node in (edge.before, edge.after)] == ["make_it", "use_it"]
    told(edge.reason)


@pytest.mark.req("GV-22")
def test_commands_that_the_policy_binds_to_one_resource_are_ordered(told: Told) -> None:
    """Two commands that touch one service, one of them by way of a file that the policy binds to it, come one after the other."""
    policy = Policy(bindings={"service:checkout": ("deploy/checkout.yaml",)})
    two = plan(A, modules=["service:checkout"]), plan(B, ["deploy/checkout.yaml"])
    merged = judged(*two, policy=policy, complementary=[(A, B)]).merged_intent
    assert merged is not None
    graph = coordinate(merged, policy)
    (edge,) = graph.edges
    assert [named(graph)[node][0] for node in (edge.before, edge.after)] == [A, B]
    told(edge.reason)
