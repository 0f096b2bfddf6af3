"""Resource conflicts: who, on what, how grave, and never without a writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.governance.plans import command, contested, judged, plan, reader
from volition.governance.documents.policy import Policy

if TYPE_CHECKING:
    from tests.sentences import Told

A, B = "aaaaaa", "bbbbbb"
DELETING = command("drop_it", "delete", text="Away with it")


@pytest.mark.req("GV-03")
@pytest.mark.parametrize(
    ("mine", "yours", "severity"),
    [
        (reader(), command(), "medium"),
        (command(), command(), "high"),
        (command(), DELETING, "critical"),
        (DELETING, command(), "critical"),
        (DELETING, DELETING, "high"),
    ],
)
def test_the_severity_table(mine: object, yours: object, severity: str) -> None:
    """Reader and writer clash at medium, writers at high, writer and deleter at critical, deleters like writers."""
    one, two = plan(A, ["src/a.py"], commands=[mine]), plan(B, ["src/a.py"], commands=[yours])  # type: ignore[list-item]
    assert contested(one, two, kind="resource") == {(severity, "src/a.py", (A, B))}


@pytest.mark.req("GV-03")
def test_readers_never_conflict() -> None:
    """Any number of readers of one resource have no conflict."""
    assert contested(*(plan(f"reader_{n}", ["src/a.py"], commands=[reader()]) for n in range(5))) == set()


@pytest.mark.req("GV-03")
def test_writing_elsewhere_is_no_writing_here() -> None:
    """Two readers of one file have no conflict there because one of them writes another file."""
    one = plan(A, ["src/a.py", "src/b.py"], commands=[reader("Look at src/a.py"), command(text="Change src/b.py")])
    assert contested(one, plan(B, ["src/a.py"], commands=[reader()])) == set()


@pytest.mark.req("GV-03")
def test_a_shared_area_is_no_conflict() -> None:
    """Two writers of different files in one area have no conflict."""
    assert contested(plan(A, ["src/a.py"], areas=["backend"]), plan(B, ["src/b.py"], areas=["backend"])) == set()


@pytest.mark.req("GV-03")
@pytest.mark.parametrize(
    ("outer", "inner", "means"),
    [("src", "src/api/a.py", "src"), ("./src/", "src//a.py", "src"), (".", "README.md", ".")],
)
def test_a_folder_conflicts_with_what_is_in_it(outer: str, inner: str, means: str) -> None:
    """A folder and a file in it are contested, under the folder's name."""
    (conflict,) = judged(plan(A, [outer]), plan(B, [inner])).conflicts
    assert (conflict.severity, conflict.resource_ref) == ("high", means)


@pytest.mark.req("GV-03")
def test_modules_are_contained_by_dotted_parts() -> None:
    """`shop` holds `shop.cart` and not `shopping`."""
    assert contested(plan(A, modules=["shop"]), plan(B, modules=["shop.cart"])) == {("high", "module:shop", (A, B))}
    assert contested(plan(A, modules=["shop"]), plan(B, modules=["shopping"])) == set()


@pytest.mark.req("GV-03")
def test_services_conflict_by_name() -> None:
    """Two writers of one service clash; services hold nothing."""
    assert contested(plan(A, modules=["service:api"]), plan(B, modules=["service:api"])) == {
        ("high", "service:api", (A, B))
    }
    assert contested(plan(A, modules=["service:api"]), plan(B, modules=["service:api.v2"])) == set()


@pytest.mark.req("GV-19")
def test_a_resource_is_one_group(told: Told) -> None:
    """However many contest a resource, it is one conflict with all members."""
    crowd = [plan(f"number_{n:02d}", ["package.json"]) for n in range(15)]
    (conflict,) = [c for c in judged(*crowd).conflicts if c.type == "resource_conflict"]
    assert conflict.intent_ids == tuple(sorted(intent.id for intent in crowd))
    told(conflict.description)


@pytest.mark.req("GV-19")
def test_a_folder_with_many_inside_is_one_group() -> None:
    """A claimed folder is one conflict however many work inside it, and those inside do not clash with each other."""
    inside = [plan(f"number_{n}", [f"src/{n}.py"]) for n in range(5)]
    assert contested(*inside) == set()
    (conflict,) = judged(plan("the_folder", ["src"]), *inside).conflicts
    assert len(conflict.intent_ids) == 6


@pytest.mark.req("GV-03")
def test_more_than_ten_shared_are_critical() -> None:
    """Two intents that meet on more than ten resources clash critically on all of them; ten are not enough."""
    files = [f"src/{n}.py" for n in range(11)]
    for count, severity in ((11, "critical"), (10, "medium")):
        found = contested(plan(A, files[:count]), plan(B, files[:count], commands=[reader()]), kind="resource")
        assert found == {(severity, name, (A, B)) for name in files[:count]}


@pytest.mark.req("GV-03")
def test_crowds_are_found_among_others() -> None:
    """Who shares more than ten resources is found though each of them is contested by others too."""
    files = [f"src/{n}.py" for n in range(13)]
    others = [plan(f"other_{n:02d}", files[n : n + 2]) for n in range(12)]
    found = judged(plan(A, files[:12]), plan(B, files[1:]), *others).conflicts
    assert {c.resource_ref for c in found if c.severity == "critical"} == set(files[1:12])
    found = judged(plan(A, files[:11]), plan(B, files[1:12]), *others).conflicts
    assert {c.severity for c in found} == {"high"}


@pytest.mark.req("GV-07")
def test_complementary_writers_clash_at_medium() -> None:
    """A hint that two writers complement each other lets them be united; a deleter is nobody's complement."""
    one, two = plan(A, ["src/a.py"]), plan(B, ["src/a.py"])
    hint = [(two.id, one.id)]
    assert contested(one, two, complementary=hint) == {("medium", "src/a.py", (A, B))}
    assert judged(one, two, complementary=hint).strategy == "merge_union"
    deleter = plan(B, ["src/a.py"], commands=[DELETING])
    assert contested(one, deleter, complementary=hint, kind="resource") == {("critical", "src/a.py", (A, B))}


def test_a_hint_speaks_of_its_pair_alone() -> None:
    """A third writer still clashes gravely with both of a complementary pair."""
    three = [plan(name, ["src/a.py"]) for name in (A, B, "cccccc")]
    outcome = judged(*three, complementary=[(three[0].id, three[1].id)])
    assert outcome.conflicts[0].severity == "high"
    assert len(outcome.clusters[0]) == 3


@pytest.mark.req("GV-21")
def test_a_policy_sets_severities() -> None:
    """A policy's severity for a rule replaces the rule's own."""
    mild = Policy(severities={"resource_write_write": "low"})
    assert contested(plan(A, ["x.py"]), plan(B, ["x.py"]), policy=mild) == {("low", "x.py", (A, B))}
