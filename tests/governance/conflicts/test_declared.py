"""A declared order settles a clash: plans that write the same thing are merged in that order, and nobody is asked."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.governance.plans import command, judged, plan
from volition.governance import ConflictIndex
from volition.governance.conflicts.declared import DeclaredOrder
from volition.governance.documents.policy import Policy

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.governance import EvaluationOutcome, IntentDocument
    from volition.governance.documents.intent import Effect

A, B, C, D = "aaaaaa", "bbbbbb", "cccccc", "dddddd"


def after(name: str) -> dict[str, Any]:
    """What makes a plan come after another."""
    return {"depends_on": [f"intent_{name}"]}


def grave(outcome: EvaluationOutcome) -> set[str]:
    """What is contested at high or critical severity."""
    return {str(c.resource_ref) for c in outcome.conflicts if c.severity in {"high", "critical"}}


def sequence(outcome: EvaluationOutcome) -> list[str]:
    """The commands of the merged plan, in order."""
    assert outcome.merged_intent is not None
    return [one.command_id for one in outcome.merged_intent.planned_commands]


SAME: dict[str, dict[str, Any]] = {
    "one file": {"files": ["src/a.py"]},
    "one folder": {"files": ["src"]},
    "one part": {"files": ["src/a.py#Cart.add"]},
    "one migration chain": {"files": ["db/migrations/{0}.sql"]},
    "one state of Terraform": {"files": ["infra/{0}.tf"]},
    "one service": {"modules": ["service:checkout"]},
    "many files": {"files": [f"src/{n}.py" for n in range(12)]},
}


def two(what: dict[str, Any], effect: Effect = "write", **later: Any) -> tuple[IntentDocument, IntentDocument]:
    """Two plans that claim the same: the one that comes first has the later id, so that no other order explains it."""
    first: dict[str, Any] = {key: [one.format("first") for one in names] for key, names in what.items()}
    then: dict[str, Any] = {key: [one.format("then") for one in names] for key, names in what.items()}
    early = plan(B, commands=[command("early", effect, text="Do it")], **first)
    return early, plan(A, commands=[command("late", effect, text="Do it")], **then, **(later or after(B)))


@pytest.mark.req("GV-03", "GV-05")
@pytest.mark.parametrize("env", ["local", "prod"])
@pytest.mark.parametrize("effect", ["write", "deploy"])
@pytest.mark.parametrize("what", SAME.values(), ids=list(SAME))
def test_a_declared_order_settles(what: dict[str, Any], effect: Effect, env: str, told: Told) -> None:
    """Two that write one thing, or one exclusive state, are merged in the declared order; without it a person is asked."""
    early, late = two(what, effect)
    outcome = judged(early, late, env=env)
    assert (outcome.strategy, outcome.questions, grave(outcome)) == ("merge_union", (), set())
    assert {c.severity for c in outcome.conflicts} == {"medium"}
    assert sequence(outcome) == ["early", "late"]
    assert all("merge_union" in conflict.resolutions for conflict in outcome.conflicts)
    told(*sorted({(conflict.description or "").rpartition("; ")[2] for conflict in outcome.conflicts}))
    assert judged(*two(what, effect, depends_on=[]), env=env).strategy == "reject"


@pytest.mark.req("GV-05")
def test_the_answer_names_both_and_the_order(told: Told) -> None:
    """The conflict says who writes what, and who comes after whom; there is nothing to do about it."""
    (conflict,) = judged(plan(A, ["src/a.py"]), plan(B, ["src/a.py"], **after(A))).conflicts
    told(conflict.description)
    chain = [plan(A, ["src/a.py"]), plan(B, ["src/a.py"], **after(A)), plan(C, ["src/a.py"], **after(B))]
    (conflict,) = judged(*chain).conflicts
    told(conflict.description)


@pytest.mark.req("GV-05")
def test_a_derivation_is_an_order() -> None:
    """What lineage.derived_from declares counts as metadata.depends_on does."""
    outcome = judged(plan(B, ["src/a.py"]), plan(A, ["src/a.py"], derived_from=["intent_bbbbbb"]))
    assert (outcome.strategy, grave(outcome)) == ("merge_union", set())


@pytest.mark.req("GV-05")
@pytest.mark.parametrize("by", ["depends_on", "derived_from"])
def test_an_order_goes_through_others(by: str) -> None:
    """A plan that comes after one that comes after a third comes after the third, whatever is between them writes, and also
    if what is between them gives way."""

    def later(name: str) -> dict[str, Any]:
        return {by: [f"intent_{name}"]}

    last = plan(A, ["src/a.py"], commands=[command("last")], **later(B))
    between = plan(B, ["src/b.py"], commands=[command("between")], priority=1, **later(C))
    first = plan(C, ["src/a.py"], commands=[command("first")])
    outcome = judged(last, between, first)
    assert (outcome.strategy, sequence(outcome)) == ("merge_union", ["first", "between", "last"])
    if by == "derived_from":
        rival = plan(D, ["src/b.py"], commands=[command("rival")], priority=2)
        outcome = judged(last, between, first, rival)
        assert (outcome.strategy, grave(outcome)) == ("override_by_priority", {"src/b.py"})
        assert sequence(outcome).index("first") < sequence(outcome).index("last")
        merged = outcome.merged_intent
        assert merged is not None
        assert merged.metadata is not None
        places = {one.command_id: at for at, one in enumerate(merged.planned_commands)}
        (link,) = [one for one in merged.metadata.order if one.after == places["last"]]
        assert (link.before, "as declared" in link.reason) == (places["first"], True)


@pytest.mark.req("GV-07")
def test_only_who_is_in_an_order_is_settled() -> None:
    """Of three who write one file, the third is still asked about with each of the other two; a total order is none."""
    first, then, other = plan(A, ["x.py"]), plan(B, ["x.py"], **after(A)), plan(C, ["x.py"])
    outcome = judged(first, then, other)
    assert grave(outcome) == {"x.py"}
    (question,) = outcome.questions
    labels = [option.label for option in question.options]
    assert labels[:2] == ["Keep intent_aaaaaa and intent_bbbbbb", "Keep intent_cccccc"]
    assert judged(first, then, plan(C, ["x.py"], **after(B))).strategy == "merge_union"
    forked = judged(first, then, plan(C, ["x.py"], **after(A)))
    (question,) = forked.questions
    assert [option.label for option in question.options][:2] == ["Keep intent_bbbbbb", "Keep intent_cccccc"]


@pytest.mark.req("GV-05")
def test_declarations_in_a_circle_settle_nothing() -> None:
    """Plans that each say that they come after the other are in no order: they clash as they would without, and are asked."""
    outcome = judged(plan(A, ["x.py"], **after(B)), plan(B, ["x.py"], **after(A)))
    assert outcome.strategy == "reject"
    assert {c.severity for c in outcome.conflicts} == {"high"}
    assert {str(c.resource_ref) for c in outcome.conflicts} == {"x.py", "None"}
    three = [plan(A, ["x.py"], **after(C)), plan(B, ["y.py"], **after(A)), plan(C, ["x.py"], **after(B))]
    assert "x.py" in grave(judged(*three))


@pytest.mark.req("GV-03", "GV-27")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (plan(A, ["x.py"], commands=[command("one", "delete")]), {"files": ["x.py"]}),
        (plan(A, ["x.py"], commands=[command("one", "create")]), {"files": ["x.py"], "commands": [command("two", "delete")]}),
        (plan(A, ["x.py"], commands=[command("one", "deploy")]), {"files": ["x.py"], "commands": [command("two", "rollback")]}),
        (plan(A, targets={"removes": ("x.py",)}), {"files": ["y.py"], "targets": {"reads": ("x.py",)}}),
        (plan(A, targets={"renames": {"x.py": "z.py"}}), {"files": ["y.py"], "targets": {"reads": ("x.py",)}}),
        (plan(A, targets={"renames": {"x.py": "z.py"}}), {"files": ["x.py"]}),
        (plan(A, commands=[], locked=["x.py"]), {"files": ["x.py"]}),
        (plan(A, ["y.py"], locked=["."]), {"files": ["x.py"]}),
    ],
    ids=["deleted", "created and deleted", "deployed and rolled back", "removed", "renamed", "moved", "frozen", "all frozen"],
)  # fmt: skip
def test_no_order_mends_a_contradiction(one: IntentDocument, other: dict[str, Any]) -> None:
    """What one takes away, undoes or freezes for another is asked about, whichever of the two is declared to come first."""
    assert judged(one, plan(B, **other, **after(A))).strategy == "reject"
    changed = plan(A, one.scope.targets.files, commands=one.planned_commands, **after(B))
    early = {
        "scope": one.scope,
        "constraints": one.constraints,
    }

    assert judged(replace(changed, **early), plan(B, **other)).strategy == "reject"


@pytest.mark.req("GV-27")
def test_a_rename_and_who_works_on_the_new_name_after_it() -> None:
    """Who comes after a rename and changes the new name is merged behind it."""
    moved = plan(B, targets={"renames": {"x.py": "z.py"}}, commands=[command("move")])
    outcome = judged(moved, plan(A, ["z.py"], commands=[command("change")], **after(B)))
    assert (outcome.strategy, sequence(outcome)) == ("merge_union", ["move", "change"])


@pytest.mark.req("GV-27")
def test_a_lock_that_is_grave_by_policy_is_still_asked_about() -> None:
    """An order does not open a lock that the policy calls grave."""
    holder = plan(A, ["src/a.py"], locked=["src"])
    strict = Policy(severities={"constraint_lock": "high"})
    outcome = judged(holder, plan(B, ["src/a.py"], **after(A)), policy=strict)
    assert (outcome.strategy, grave(outcome)) == ("reject", {"src"})


@pytest.mark.req("GV-05")
def test_a_severity_of_the_policy_holds_where_there_is_no_order() -> None:
    """What the policy calls critical, or low, is at most medium in a declared order."""
    for level, expected in (("critical", "medium"), ("medium", "medium"), ("low", "low")):
        policy = Policy(severities={"resource_write_write": level})  # type: ignore[dict-item]
        (conflict,) = judged(plan(A, ["x.py"]), plan(B, ["x.py"], **after(A)), policy=policy).conflicts
        assert conflict.severity == expected


@pytest.mark.req("GV-10")
def test_an_order_that_goes_through_others_is_the_only_one_offered() -> None:
    """Where two of a question are in a declared order through a plan outside of it, all of them are offered in that order."""
    last = plan(A, ["x.py", "y.py"], derived_from=["intent_bbbbbb"])
    between, first = plan(B, ["b.py"], derived_from=["intent_cccccc"]), plan(C, ["x.py", "z.py"])
    rival = plan(D, ["y.py", "z.py"])
    (question,) = judged(last, between, first, rival).questions
    (turn,) = [option.label for option in question.options if option.label.startswith("One after")]
    assert turn.index(first.id) < turn.index(last.id)


@pytest.mark.req("GV-19")
def test_the_live_index_knows_the_order() -> None:
    """In the index too, plans in a declared order collide at medium severity, directly or through another one, and again
    gravely once the one between them is gone; such a collision is marked, because the two cannot work at the same time."""
    index = ConflictIndex()
    first, between = plan(C, ["x.py"]), plan(B, ["b.py"], **after(C))
    last = plan(A, ["x.py"], **after(B))
    for one in (first, between):
        index.add(one)
    assert [(c.severity, c.intent_ids, c.in_order) for c in index.check(last)] == [("medium", (first.id,), True)]
    index.remove(between.id)
    assert [(c.severity, c.in_order) for c in index.check(last)] == [("high", False)]
    index.add(last)
    assert [(c.severity, c.in_order) for c in index.add(between)] == []
    assert [(c.severity, c.intent_ids, c.in_order) for c in index.check(first)] == [("medium", (last.id,), True)]


@st.composite
def graphs(draw: st.DrawFn) -> list[frozenset[int]]:
    """What each of some plans declares to come before it."""
    size = draw(st.integers(2, 7))
    some = st.frozensets(st.integers(0, size - 1), max_size=3)
    return [draw(some) - {number} for number in range(size)]


def reaches(one: int, other: int, before: list[frozenset[int]]) -> bool:
    """Whether one comes after another by some chain of declarations, found by trying all chains."""
    rest = [n for n in range(len(before)) if n not in {one, other}]
    chains = (chain for size in range(len(rest) + 1) for chain in permutations(rest, size))
    return any(all(b in before[a] for a, b in zip((one, *c), (*c, other), strict=True)) for c in chains)


@given(graphs())
def test_an_order_is_a_chain_one_way(before: list[frozenset[int]]) -> None:
    """One plan comes after another if a chain of declarations says so and none says the opposite."""
    order = DeclaredOrder(before)
    for one, other in permutations(range(len(before)), 2):
        wanted = reaches(one, other, before) and not reaches(other, one, before)
        assert order.comes_after(one, other) == wanted


@given(graphs(), st.data())
def test_who_is_in_no_order_is_connected(before: list[frozenset[int]], data: st.DataObject) -> None:
    """Two groups fall into the parts that their pairs in no order connect, one of each group."""
    order = DeclaredOrder(before)
    some = st.lists(st.sampled_from(range(len(before))), unique=True, min_size=1)
    left, right = data.draw(some), data.draw(some)
    for mine, yours in ((left, right), (left, left)):
        pairs = [
            {one, other}
            for one in mine
            for other in yours
            if one != other and not order.comes_after(one, other) and not order.comes_after(other, one)
        ]
        parts: list[set[int]] = []
        for pair in pairs:
            met = [part for part in parts if part & pair]
            parts = [part for part in parts if part not in met] + [pair.union(*met)]
        assert sorted(map(sorted, order.free_parts(mine, yours))) == sorted(map(sorted, parts))
