"""The coordinator: every planned command once, in an order that all edges allow, and nothing that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given

from tests.governance.plans import command, judged, plan, reader
from tests.governance.strategies import Case, cases
from volition.governance.documents.policy import Policy, Registry
from volition.governance.documents.redlines import payload_findings
from volition.governance.evaluator import evaluate
from volition.governance.merge.coordinator import PHASES, coordinate

if TYPE_CHECKING:
    from tests.sentences import Told


@pytest.mark.req("GV-18", "GV-13")
@given(cases())
def test_the_graph_is_ordered_and_acyclic(case: Case) -> None:
    """Nodes are the planned commands, each once; every edge leads forward and has a reason; nothing is executable."""
    merged = evaluate(case.intent_set, case.intents, case.policy).merged_intent
    if merged is None:
        return
    graph = coordinate(merged)
    assert sorted(node.command_id for node in graph.nodes) == sorted(c.command_id for c in merged.planned_commands)
    place = {node.node_id: n for n, node in enumerate(graph.nodes)}
    assert all(place[edge.before] < place[edge.after] and edge.reason for edge in graph.edges)
    assert len({(edge.before, edge.after) for edge in graph.edges}) == len(graph.edges)
    assert not payload_findings(msgspec.to_builtins(graph))


@pytest.mark.req("GV-18")
def test_phases_come_in_order(told: Told) -> None:
    """Commands that do not meet come in the order of their phases."""
    commands = [
        command("ship_it", "deploy", text="Ship service:web now"),
        command("change_it", text="Change src/a.py"),
        reader("Look at docs/x.md"),
    ]
    intent = plan(
        "the_plan",
        ["src/a.py", "docs/x.md"],
        ["service:web"],
        commands,
        phases=("analysis", "implementation", "release"),
    )
    graph = coordinate(intent)
    assert [node.phase for node in graph.nodes] == ["analysis", "implementation", "release"]
    assert [(edge.before, edge.after) for edge in graph.edges] == [
        ("node_0001", "node_0002"),
        ("node_0002", "node_0003"),
    ]
    told(*(edge.reason for edge in graph.edges))


@pytest.mark.req("GV-18")
def test_what_meets_keeps_the_order_of_the_plan(told: Told) -> None:
    """Two commands on one resource keep their order though their phases say otherwise."""
    intent = plan("the_plan", ["x"], commands=[command("first_one"), reader()], phases=("analysis", "implementation"))
    graph = coordinate(intent)
    assert [node.command_id for node in graph.nodes] == ["first_one", "look_at_it"]
    told(graph.edges[0].reason)


@pytest.mark.req("GV-18")
def test_the_registry_orders_commands(told: Told) -> None:
    """What a command requires comes before it, though the plan lists them otherwise and both write one file."""
    make, use = command("make_it", text="Make a.txt"), command("use_it", text="Use b.txt")
    registry = Registry(
        commands=("make_it", "use_it"), requires={"use_it": ("thing",)}, produces={"make_it": ("thing",)}
    )
    policy = Policy(registry=registry)
    for files, commands in ((["a.txt", "b.txt"], [use, make]), (["a.txt"], [command("use_it"), command("make_it")])):
        graph = coordinate(plan("the_plan", files, commands=commands), policy)
        assert [node.command_id for node in graph.nodes] == ["make_it", "use_it"]
        assert [(edge.before, edge.after) for edge in graph.edges] == [("node_0001", "node_0002")]
        told(graph.edges[0].reason)


@pytest.mark.req("GV-18")
def test_the_graph_as_text(told: Told) -> None:
    """The Graphviz text names every node and edge, quoted."""
    outcome = judged(plan("aaaaaa", ["a"]), plan("bbbbbb", ["a"], commands=[reader("Look at it")]))
    assert outcome.merged_intent is not None
    text = coordinate(outcome.merged_intent).to_dot()
    assert text.startswith(f'digraph "{outcome.merged_intent.id}" {{')
    told(text)


def test_every_phase_has_its_place() -> None:
    """A command whose phase the intent does not have goes to the next one that it has, else to the last."""
    for phases, expected in ((("review",), "review"), (("design",), "design"), (("setup", "operations"), "operations")):
        assert coordinate(plan("the_plan", ["x"], phases=phases)).nodes[0].phase == expected  # type: ignore[arg-type]
    assert PHASES[0] == "setup"
