"""Order conflicts: needs that nobody has declared, and circles that no order resolves."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.plans import command, contested, judged, plan, reader
from volition.governance.conflicts.graphs import circles
from volition.governance.documents.policy import Policy, Registry
from volition.governance.drafts.plan import Plan
from volition.governance.evaluator import evaluate
from volition.governance.merge.coordinator import coordinate

if TYPE_CHECKING:
    from tests.sentences import Told

A, B, C = "aaaaaa", "bbbbbb", "cccccc"
SCHEMA = plan(A, ["api/schema.json"])
CITES = "factpack://file_scan/api/schema.json"


@pytest.mark.req("GV-05")
def test_citing_what_another_makes_is_a_need() -> None:
    """Evidence that points at what another intent makes is an order conflict, whichever is listed first."""
    sdk = plan(B, ["sdk"], evidence=[CITES])
    for some in permutations([SCHEMA, sdk]):
        assert contested(*some) == {("medium", "api/schema.json", (A, B))}


@pytest.mark.req("GV-05")
@pytest.mark.parametrize(
    ("made", "cited", "about"),
    [
        ({"modules": ["shop.cart"]}, "file://shop/cart.py", "module:shop.cart"),
        ({"modules": ["shop.cart"]}, "scan://x/src/shop/cart/items.py", "module:shop.cart"),
        ({"modules": ["shop"]}, "file:src/shop/cart.py#L3", "module:shop"),
        ({"modules": ["pay"]}, "file://lib/pay.py", "module:pay"),
        ({"files": ["shop/cart.py"]}, "module://shop.cart", "shop/cart.py"),
        ({"files": ["src/shop/cart"]}, "see shop.cart.items.", "src/shop/cart"),
        ({"files": ["src/shop/cart.py"]}, "see shop.cart.Item", "src/shop/cart.py"),
        ({"files": ["src/shop"]}, "module://shop.cart", "src/shop"),
        ({"files": ["lib/pay.py"]}, "module:pay", "lib/pay.py"),
        ({"files": ["src/*.py"]}, "file:src/a.py#Cart", "src/*.py"),
        ({"files": ["src/a.py#Cart"]}, "src/a.py#Cart.add:12", "src/a.py#Cart"),
        ({"modules": ["service:api"]}, "service://api", "service:api"),
    ],
)
def test_a_file_and_its_module_are_cited_alike(made: dict[str, list[str]], cited: str, about: str) -> None:
    """Evidence that cites a file needs who makes the module that is that file, and the reverse; it is quoted."""
    policy = Policy(modules={"pay": "lib/pay.py"})
    for some in permutations([plan(A, **made), plan(B, ["sdk"], evidence=[cited])]):  # type: ignore[arg-type]
        assert contested(*some, policy=policy, kind="order") == {("medium", about, (A, B))}
        (found,) = judged(*some, policy=policy).conflicts
        assert f"intent_bbbbbb#evidence_refs: {cited}" in found.evidence_refs


@pytest.mark.req("GV-05")
@pytest.mark.parametrize(
    ("made", "cited"),
    [
        ({"files": ["src/cart.py"]}, "file://lib/cart.py"),
        ({"files": ["src/cart.py"]}, "cart.json."),
        ({"files": ["src/cart.py"]}, "note://cart"),
        ({"files": ["shop/cart.py"]}, "scan://shop.carts"),
        ({"modules": ["shop.cart"]}, "file://shop/carts.py"),
        ({"modules": ["shop.cart.items"]}, "file://shop/cart.py"),
        ({"files": ["src/a.py#Cart"]}, "file://src/a.py#L1-L9"),
        ({"files": ["src/a.py#L1-L9"]}, "file://src/a.py#L5-L20"),
        ({"files": ["README.md"]}, "file://cart/README.md"),
        ({"files": ["lib/pay.py"]}, "pay.card"),
        ({"files": ["shop/cart.py"]}, "module://shop.{cart,order}"),
        ({"files": ["src"]}, "module://."),
    ],
)
def test_what_only_sounds_alike_is_not_cited(made: dict[str, list[str]], cited: str) -> None:
    """The name of a file is no dotted name, a single word is no file, and what is larger does not cite what it holds."""
    assert contested(plan(A, **made), plan(B, ["sdk"], evidence=[cited])) == set()  # type: ignore[arg-type]


@pytest.mark.req("GV-05")
def test_who_writes_the_file_of_a_module_does_not_need_it() -> None:
    """Who writes the file that is a module, and cites either, has a resource conflict with its maker and no order conflict."""
    for cited in ("file://shop/cart.py", "module://shop.cart"):
        two = plan(A, modules=["shop.cart"]), plan(B, ["src/shop/cart.py"], evidence=[cited])
        assert contested(*two, kind="order") == set()


@pytest.mark.req("GV-05")
def test_a_command_may_cite_too() -> None:
    """The evidence of a command counts like the evidence of the intent."""
    sdk = plan(B, ["sdk"], commands=[command(refs=[CITES], text="Make sdk")])
    assert contested(SCHEMA, sdk) == {("medium", "api/schema.json", (A, B))}


@pytest.mark.req("GV-05")
def test_a_declared_need_is_no_conflict() -> None:
    """What metadata.depends_on or lineage.derived_from declares is not flagged."""
    assert contested(SCHEMA, plan(B, ["sdk"], evidence=[CITES], depends_on=[SCHEMA.id])) == set()
    assert contested(SCHEMA, plan(B, ["sdk"], evidence=[CITES], derived_from=[SCHEMA.id])) == set()


@pytest.mark.req("GV-05")
def test_ids_are_matched_whole() -> None:
    """Evidence that names an intent is a need of that intent and of none whose id is a part of it."""
    longer = plan("aaaaaab", ["other"])
    sdk = plan(B, ["sdk"], evidence=[f"intent://{longer.id}/output"])
    assert contested(SCHEMA, longer, sdk) == {("medium", longer.id, ("aaaaaab", B))}


@pytest.mark.req("GV-05")
def test_who_writes_it_too_does_not_need_it() -> None:
    """Two writers of one file that both cite it have a resource conflict and no order conflict."""
    two = [plan(name, ["api/schema.json"], evidence=[CITES]) for name in (A, B)]
    assert contested(*two, kind="order") == set()


@pytest.mark.req("GV-05")
def test_who_relies_on_what_is_removed_comes_first() -> None:
    """Nobody can need what another only deletes: who names it as evidence, or reads it, comes before it is gone, unless it
    declares to come after."""
    gone = plan(A, ["api/schema.json"], commands=[command("drop_it", "delete", text="Drop it")])
    cites = plan(B, ["sdk"], commands=[command("make_sdk")], evidence=[CITES])
    reads = plan(B, ["api/schema.json"], commands=[command("make_sdk", "read", text="Look at it")])
    assert contested(gone, cites) == {("medium", "api/schema.json", (A, B))}
    assert contested(gone, reads) == {("medium", "api/schema.json", (A, B))}
    assert contested(gone, reads, kind="order") == set()
    for some, order in (
        ((gone, cites), ["make_sdk", "drop_it"]),
        ((gone, reads), ["make_sdk", "drop_it"]),
        ((gone, plan(B, ["sdk"], commands=cites.planned_commands, evidence=[CITES], depends_on=[gone.id])), ["drop_it", "make_sdk"]),
    ):  # fmt: skip
        merged = judged(*some).merged_intent
        assert merged is not None
        assert [one.command_id for one in merged.planned_commands] == order


@pytest.mark.req("GV-05")
def test_removals_close_a_circle() -> None:
    """Two that each rely on what the other removes wait for each other."""
    drop = command("drop_it", "delete", text="Drop it")
    two = [
        plan(name, [mine], commands=[drop], evidence=[f"file://{yours}"])
        for name, mine, yours in ((A, "a.txt", "b.txt"), (B, "b.txt", "a.txt"))
    ]
    assert ("high", None, (A, B)) in contested(*two)


@pytest.mark.req("GV-05")
def test_who_writes_across_the_edge_of_what_is_made_does_not_need_it() -> None:
    """Who writes something that meets what another makes, whichever of the two is larger, does not wait for it."""
    two = plan(A, ["**/*.py"]), plan(B, modules=["shop.cart"], evidence=["file://src/a.py"])
    assert contested(*two, kind="order") == set()


@pytest.mark.req("GV-05")
def test_a_bound_resource_is_written_or_read_as_a_whole() -> None:
    """Who reads one file of a service in its analysis and writes another one writes that service: it does not only study
    what others make there."""
    policy = Policy(bindings={"service:api": ("api/a.py", "api/b.py", "api/c.py")})
    work = [command("write_it", text="change api/a.py"), reader("look at api/b.py")]
    studies = plan(B, ["api/a.py", "api/b.py"], commands=work, phases=("analysis",))
    makes = plan(A, ["api/c.py"], phases=("implementation",))
    assert contested(makes, studies, policy=policy, kind="order") == set()


@pytest.mark.req("GV-05")
def test_phases_show_a_need() -> None:
    """What one implements and another reads in its analysis is a need; without the phases it is none."""
    making, studying = ("implementation",), ("analysis",)
    for phases, found in ((studying, {("medium", "src/a.py", (A, B))}), (("review",), set())):
        one = plan(A, ["src/a.py"], phases=making)  # type: ignore[arg-type]
        other = plan(B, ["src/a.py"], commands=[reader()], phases=phases)  # type: ignore[arg-type]
        assert contested(one, other, kind="order") == found


@pytest.mark.req("GV-27")
@pytest.mark.parametrize("changed", ["a.py#f", "a.py"])
@pytest.mark.parametrize("read", ["a.py#f", "a.py", "."])
@pytest.mark.parametrize("taken", [{"renames": {"a.py#f": "a.py#g"}}, {"removes": ["a.py#f"]}])
def test_who_only_reads_comes_before_a_rename(changed: str, read: str, taken: dict[str, Any]) -> None:
    """A plan that only reads what another renames, or rewrites without a part of it, comes first: that is no circle."""
    rename = Plan("Rename it", files=[changed], commands=["rename_it: write: give it another name"], **taken)
    outcome = evaluate([rename, Plan("Measure it", reads=[read], commands=["measure_it: read: measure it"])])
    assert (outcome.strategy, outcome.questions) == ("merge_union", ())
    assert outcome.merged_intent is not None
    (edge,) = coordinate(outcome.merged_intent).edges
    assert (edge.before, edge.after) == ("node_0001", "node_0002")
    assert [node.command_id for node in coordinate(outcome.merged_intent).nodes] == ["measure_it", "rename_it"]


@pytest.mark.req("GV-27")
def test_who_reads_the_old_and_the_new_is_in_a_circle() -> None:
    """A plan that reads one thing that another removes and a different one that it makes can come neither first nor after."""
    both = ["write_it: create: write b.py", "drop_it: delete: delete a.py"]
    move = Plan("Move it", files=["a.py", "b.py"], commands=both)
    compare = Plan("Compare them", reads=["a.py", "b.py"], commands=["compare_them: read: compare the two"])
    assert any(one.resource_ref is None and one.severity == "high" for one in evaluate([move, compare]).conflicts)


@pytest.mark.req("GV-05")
def test_the_registry_shows_a_need() -> None:
    """A command that requires what another intent's command produces needs it, unless its own intent produces it."""
    registry = Registry(
        commands=("make_schema", "make_sdk"), requires={"make_sdk": ("schema",)}, produces={"make_schema": ("schema",)}
    )
    policy = Policy(registry=registry)
    make, use = command("make_schema", text="Do it"), command("make_sdk", text="Do it")
    one, other = plan(A, ["a"], commands=[make]), plan(B, ["b"], commands=[use])
    assert contested(other, one, policy=policy) == {("medium", "artifact:schema", (A, B))}
    assert contested(plan(B, ["b"], commands=[make, use]), one, policy=policy) == set()


@pytest.mark.req("GV-05")
def test_what_nobody_produces_is_a_conflict(told: Told) -> None:
    """A requirement of the registry that no plan of the set meets is an order conflict that names who requires it."""
    policy = Policy(registry=Registry(commands=("make_sdk",), requires={"make_sdk": ("schema",)}))
    other = plan(A, ["a"])
    taker = plan(B, ["b"], commands=[command("make_sdk", text="Do it")])
    assert contested(taker, other, policy=policy) == {("medium", "artifact:schema", (A, B))}
    (found,) = judged(taker, other, policy=policy).conflicts
    assert found.type == "order_conflict"
    assert found.evidence_refs == ("intent_bbbbbb#make_sdk: requires schema",)
    told(found.description)
    strict = Policy(registry=policy.registry, severities={"order_unmet": "high"})
    assert judged(taker, other, policy=strict).clusters == (("intent_aaaaaa", "intent_bbbbbb"),)


@pytest.mark.req("GV-05")
def test_a_circle_is_high_and_asks() -> None:
    """Needs in a circle are of high severity, are never merged, whatever the priorities, and are asked about."""
    three = [
        plan(A, ["a.txt"], evidence=["scan://c.txt"], priority=1),
        plan(B, ["b.txt"], evidence=["scan://a.txt"], priority=2),
        plan(C, ["c.txt"], evidence=["scan://b.txt"], priority=3),
    ]
    outcome = judged(*three)
    assert ("high", None, (A, B, C)) in contested(*three)
    assert outcome.strategy == "reject"
    assert len(outcome.questions) == 1
    assert outcome.merged_intent is None


@pytest.mark.req("GV-05")
def test_declared_needs_close_a_circle() -> None:
    """A declared need against the direction of a cited one is a circle."""
    one = plan(A, ["a.txt"], depends_on=["intent_bbbbbb"])
    assert contested(one, plan(B, ["b.txt"], evidence=["scan://a.txt"])) >= {("high", None, (A, B))}


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20))
def test_circles_are_those_of_brute_force(edges: set[tuple[int, int]]) -> None:
    """Two nodes are in one circle exactly if each can be reached from the other."""
    after = [[b for a, b in edges if a == node] for node in range(7)]
    reach = set(edges)
    while more := {(a, d) for a, b in reach for c, d in reach if b == c} - reach:
        reach |= more
    wanted = {tuple(sorted(b for b in range(7) if b == a or ((a, b) in reach and (b, a) in reach))) for a in range(7)}
    assert {tuple(circle) for circle in circles(after, 7)} == {circle for circle in wanted if len(circle) > 1}
