"""Spelling: one thing has one name, however a plan writes it."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.plans import claimed, command, contested, plan, reader
from volition.governance.claims.index import LivePlaceIndex, PlaceIndex
from volition.governance.claims.spelling import Spelling
from volition.governance.documents.effects import WRITES
from volition.governance.documents.policy import Policy

A, B = "aaaaaa", "bbbbbb"
SEGMENT = st.sampled_from(["shop", "cart", "src", "pay", "lib", "a.py", "cart.py", "pay.py", "x.md"])
PATHS = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join) | st.just(".")
NAMES = [".".join(parts) for size in (1, 2, 3) for parts in product(("shop", "cart", "src", "pay", "lib"), repeat=size)]
POLICIES = st.sampled_from([Policy(), Policy(modules={"pay": "lib/pay.py", "shop.cart": "src", "shop": "./"})])


@pytest.mark.req("GV-03")
@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ({"files": ["src\\a.py"]}, {"files": ["src/a.py"]}, "src/a.py"),
        ({"files": [".\\src\\x\\..\\a.py"]}, {"files": ["./src//a.py"]}, "src/a.py"),
        ({"files": ["C:\\work\\shop\\a.py"], "root": "C:\\work\\shop"}, {"files": ["a.py"]}, "a.py"),
        ({"modules": ["shop.cart"]}, {"files": ["shop/cart.py"]}, "module:shop.cart"),
        ({"modules": ["shop.cart"]}, {"files": ["src/shop/cart/__init__.py"]}, "module:shop.cart"),
        ({"modules": ["shop"]}, {"files": ["shop/cart.py"]}, "module:shop"),
        ({"modules": ["shop.cart"]}, {"files": ["shop"]}, "shop"),
    ],
)
def test_two_spellings_are_one_thing(one: dict[str, object], other: dict[str, object], shared: str) -> None:
    """Separators, dots and the two ways to name a module make no difference: two writers of it clash."""
    assert contested(plan(A, **one), plan(B, **other)) == {("high", shared, (A, B))}  # type: ignore[arg-type]


@pytest.mark.req("GV-03")
def test_case_is_what_the_policy_says() -> None:
    """Names that differ by case alone are two things, unless the policy says that case is ignored; so in texts and evidence."""
    two = plan(A, ["src/Api.py"]), plan(B, ["src/api.py"])
    assert contested(*two) == set()
    assert contested(*two, policy=Policy(ignore_case=True)) == {("high", "src/api.py", (A, B))}
    citing = plan(B, ["b.py"], evidence=["scan://SRC/API.py"])
    assert contested(two[0], citing, policy=Policy(ignore_case=True)) == {("medium", "src/api.py", (A, B))}


@pytest.mark.req("GV-03")
def test_texts_name_a_target_in_any_spelling() -> None:
    """A target is named by its path with other separators and needless dots, and in other letters where case is ignored."""
    files, rest = ["src/a.py", "src/B.py"], reader("look at src/B.py")
    for text in ("scan:src\\a.py", "see .\\src\\a.py", "scan ./src//a.py"):
        found = claimed(plan(A, files, commands=[command(text=text), rest]))
        assert {name for name, claim in found.items() if claim & WRITES} == {"src/a.py"}
    loose = Policy(ignore_case=True)
    found = claimed(plan(A, files, commands=[command(text="Change SRC/b.PY"), reader("look at src/a.py")]), loose)
    assert {name for name, claim in found.items() if claim & WRITES} == {"src/b.py"}
    assert set(claimed(plan(A, ["x.py"], commands=[command(text="Also adapt LIB/C.py")]), loose)) == {
        "x.py",
        "lib/c.py",
    }
    two = plan(A, modules=["Shop.Cart"]), plan(B, modules=["shop.cart"])
    assert contested(*two) == set()
    assert contested(*two, policy=loose) == {("high", "module:shop.cart", (A, B))}
    locked = plan(A, commands=[reader()], locked=["SRC"]), plan(B, ["src/a.py"])
    assert contested(*locked, policy=loose) == {("medium", "src", (A, B))}


@pytest.mark.req("GV-03")
def test_a_policy_says_where_a_module_lies() -> None:
    """A module that lies elsewhere is found there when a policy says so."""
    two = plan(A, modules=["billing.tax"]), plan(B, ["services/billing/tax.py"])
    assert contested(*two) == {("low", "place:billing.tax", (A, B))}
    policy = Policy(modules={"billing": "services/billing"})
    assert contested(*two, policy=policy) == {("high", "module:billing.tax", (A, B))}
    rooted = plan(A, modules=["shop.cart"]), plan(B, ["cart.py"])
    assert contested(*rooted, policy=Policy(modules={"shop": "."})) == {("high", "module:shop.cart", (A, B))}


@pytest.mark.req("GV-03")
@pytest.mark.parametrize("text", ["Also adapt src/b.py.", "Fix (src\\b.py) too", "See ./src//b.py, then go on"])
def test_a_text_that_names_a_file_claims_it(text: str) -> None:
    """A command whose text names a file outside its scope claims it, beside what it claims anyway."""
    mine = plan(A, ["src/a.py"], commands=[command(text=text)])
    assert set(claimed(mine)) == {"src/a.py", "src/b.py"}
    assert contested(mine, plan(B, ["src/b.py"])) == {("high", "src/b.py", (A, B))}
    assert contested(mine, plan(B, ["src/b.py"], commands=[reader()])) == {("medium", "src/b.py", (A, B))}


@pytest.mark.parametrize(
    "text",
    ["Use Node.js 1.2 and/or client/server, see https://x.org/a.html", "Look at ../other/b.py", "All of *.py e.g."],
)
def test_not_every_word_with_a_dot_is_a_file(text: str) -> None:
    """Versions, frameworks, addresses, and what lies outside of the project claim nothing."""
    assert set(claimed(plan(A, ["src/a.py"], commands=[command(text=text)]))) == {"src/a.py"}


@pytest.mark.req("GV-04")
def test_a_policy_binds_a_service_to_what_deploys_it() -> None:
    """Deploying a service clashes with a rollback by way of its file where the policy says that both are one."""
    ship = plan(A, modules=["service:checkout"], commands=[command("ship_it", "deploy", text="Ship it")])
    undo = plan(B, ["deploy/checkout.yaml"], commands=[command("undo_it", "rollback", text="Undo it")])
    assert contested(ship, undo) == set()
    for bound in ("deploy/checkout.yaml", "deploy"):
        policy = Policy(bindings={"service:checkout": (bound,)})
        assert ("critical", "service:checkout", (A, B)) in contested(ship, undo, kind="effect", policy=policy)
        locking = plan(B, commands=[reader()], locked=["deploy/checkout.yaml"])
        assert contested(ship, locking, policy=policy) == {("medium", "service:checkout", (A, B))}


CLAIMS = PATHS | st.sampled_from([
    "src/*", "src/*.py", "**/cart.py", "{shop,lib}/cart.py", "shop/**", "src/shop/ca?t.py", "*.py", "**/*.md",
    "src/a.py#Cart", "src/a.py#Cart.add", "src/a.py#Order", "src/a.py#L1-L9", "src/a.py#L5-L20", "src/*.py#Cart",
    "module:shop", "module:shop.cart", "module:pay", "module:lib/pay", "service:api", "service:*",
])  # fmt: skip


@pytest.mark.req("GV-25", "GV-26")
@given(st.sets(CLAIMS | st.sampled_from(NAMES).map("module:{}".format), max_size=8), POLICIES)
def test_an_index_finds_all_that_meet(among: set[str], policy: Policy) -> None:
    """Of all pairs of resources an index finds exactly those that meet, each once, whatever was added and removed before."""
    spelling = Spelling(policy)
    wanted = {frozenset(pair) for pair in combinations(among, 2) if spelling.meets(*pair)}
    pairs = list(PlaceIndex(spelling, among).pairs())
    assert {frozenset(pair) for pair in pairs} == wanted
    assert len(pairs) == len(wanted)
    live = LivePlaceIndex(spelling)
    for resource in sorted(among):
        live.add(resource)
    for resource in among:
        assert {other for _, other in live.meeting(resource)} == {
            resource,
            *(other for pair in wanted if resource in pair for other in pair),
        }
        assert all(place in {resource, other} for place, other in live.meeting(resource))
    for resource in sorted(among):
        live.remove(resource)
    assert not live._plain
    assert not live._at
    assert not live._children
    assert not live._stems


@pytest.mark.req("GV-25")
@given(CLAIMS, CLAIMS, POLICIES)
def test_meeting_is_mutual(one: str, other: str, policy: Policy) -> None:
    """Two resources meet at one of them, whichever is asked about first; a resource meets itself."""
    spelling = Spelling(policy)
    assert spelling.outer(one, other) == spelling.outer(other, one)
    assert spelling.outer(one, other) in {one, other, None}
    assert spelling.outer(one, one) == one
