"""Risk: the four tables, and what it means to be riskier."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.plans import command, judged, plan
from volition.governance.claims.footprint import footprint_of
from volition.governance.documents.policy import BUILT_IN, Policy
from volition.governance.risk import assess, compare, front

if TYPE_CHECKING:
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.result import RiskRow

FILES = [f"src/{n}.py" for n in range(200)]
PLANS = st.builds(
    lambda n, count, effect, refs: plan(
        f"number_{n:03d}",
        FILES[:count],
        commands=[command("do_it", effect, text="Do it")],
        evidence=[f"note://{r}" for r in range(refs)],
    ),
    st.integers(0, 999),
    st.integers(0, 60),
    st.sampled_from(["read", "write", "deploy", "security"]),
    st.integers(1, 25),
)


def assessed(intent: IntentDocument, env: Env, policy: Policy) -> RiskRow:
    """The risk of an intent."""
    return assess(footprint_of(intent), env, policy)


@pytest.mark.req("GV-11")
@pytest.mark.parametrize(
    ("effect", "risk"),
    [("read", 0), ("write", 30), ("create", 30), ("network", 40), ("deploy", 70), ("rollback", 70), ("data", 80), ("delete", 85), ("security", 90)],
)  # fmt: skip
def test_effects(effect: Any, risk: int) -> None:
    """The effects risk is the highest of any effect, and 0 without commands."""
    intent = plan(
        "the_plan", commands=[command("look_at", "read", text="Look"), command("do_it", effect, text="Do it")]
    )
    assert assessed(intent, "local", BUILT_IN).dimensions.effects_risk == risk
    assert assessed(plan("no_command", commands=[]), "local", BUILT_IN).dimensions.effects_risk == 0


@pytest.mark.req("GV-11", "GV-28")
@pytest.mark.parametrize(
    ("text", "risk"),
    [("Create it", 30), ("Deploy it", 30), ("Roll back and create it", 30), ("Remove it", 30), ("Adjust it", 30)],
)
def test_a_declared_effect_binds(text: str, risk: int) -> None:
    """The risk of a command is that of the effects that it declares, whatever its words say."""
    said = plan("the_plan", commands=[command("do_it", "write", text=text)])
    assert assessed(said, "local", BUILT_IN).dimensions.effects_risk == risk
    graver = plan("the_plan", commands=[command("do_it", "security", text=text)])
    assert assessed(graver, "local", BUILT_IN).dimensions.effects_risk == 90
    looking = plan("the_plan", commands=[command("look_at", "read", "network", text=text)])
    assert assessed(looking, "local", BUILT_IN).dimensions.effects_risk == 40


@pytest.mark.req("GV-11")
@pytest.mark.parametrize(("env", "base"), [("local", 10), ("dev", 20), ("staging", 50), ("prod", 100)])
def test_scope(env: Any, base: int) -> None:
    """The scope risk is the environment's times the number of targets, at least one and at most 100."""
    looking = plan("the_plan", commands=[command("look_at_it", "read", text="Look")])
    assert assessed(looking, env, BUILT_IN).dimensions.scope_risk == base
    for count in (1, 2, 4, 50):
        assert assessed(plan("the_plan", FILES[:count]), env, BUILT_IN).dimensions.scope_risk == min(
            100, base * max(1, count)
        )


@pytest.mark.req("GV-11")
@pytest.mark.parametrize(("count", "risk"), [(0, 0), (1, 10), (5, 10), (6, 30), (20, 30), (21, 60), (50, 60), (51, 90)])
def test_blast_radius(count: int, risk: int) -> None:
    """The blast radius goes by the number of different targets, however they are spelled."""
    files = FILES[:count] + [f"./{name}" for name in FILES[:count]]
    commands = None if files else [command("look_at_it", "read", text="Look")]
    assert assessed(plan("the_plan", files, commands=commands), "local", BUILT_IN).dimensions.blast_radius == risk


@pytest.mark.req("GV-11")
def test_criticality_weighs_the_blast_radius() -> None:
    """The most critical area of an intent weighs its blast radius, up to 100; an area that is not named counts 1."""
    policy = Policy(criticality={"security": 2.5, "docs": 0.5})

    def weigh(count: int, areas: Any) -> float:
        return assessed(plan("the_plan", FILES[:count], areas=areas), "local", policy).dimensions.blast_radius

    assert weigh(1, ["security", "docs"]) == 25
    assert weigh(60, ["security"]) == 100
    assert weigh(1, ["docs"]) == 5
    assert weigh(1, ["docs", "ops"]) == 10


@pytest.mark.req("GV-11")
@pytest.mark.parametrize(("count", "risk"), [(1, 90), (5, 90), (6, 60), (10, 60), (11, 30), (20, 30), (21, 10)])
def test_unknowns(count: int, risk: int) -> None:
    """Unknowns go by the number of different references; the same one twice is one."""
    refs = [f"note://{n}" for n in range(count)]
    assert assessed(plan("the_plan", evidence=refs + refs), "local", BUILT_IN).dimensions.unknowns == risk


@pytest.mark.req("GV-11", "GV-21")
@given(st.lists(PLANS, min_size=2, max_size=6, unique_by=lambda intent: intent.id))
def test_dominance_is_riskier_or_equal_everywhere(intents: list[Any]) -> None:
    """One dominates another when it is riskier or equal in all and riskier in one; all other pairs are incomparable."""
    said = compare([assessed(intent, "dev", BUILT_IN) for intent in sorted(intents, key=lambda i: i.id)])
    of = {row.intent_id: row.dimensions for row in said.matrix}

    def covers(a: str, b: str) -> bool:
        return all(getattr(of[a], name) >= getattr(of[b], name) for name in of[a].__struct_fields__)

    pairs = {(d.intent_a, d.intent_b): d.relationship for d in said.dominance}
    for a, b in combinations(sorted(of), 2):
        if of[a] != of[b] and (covers(a, b) or covers(b, a)):
            assert pairs[a, b] == ("A_dominates_B" if covers(a, b) else "B_dominates_A")
        else:
            assert (a, b) in said.incomparable
            assert (a, b) not in pairs
    dominated = {b for a, b in permutations(of, 2) if of[a] != of[b] and covers(a, b)}
    assert set(front(said)) == set(of) - dominated
    assert [row.overall_risk for row in said.matrix] == [i.risk.overall for i in sorted(intents, key=lambda i: i.id)]


@pytest.mark.req("GV-11")
def test_equals_are_incomparable() -> None:
    """Two intents of equal risk dominate nobody."""
    said = judged(plan("one_of_it", ["a"]), plan("other_one", ["b"])).result.evaluation.risk_comparison
    assert (said.dominance, said.incomparable) == ((), (("intent_one_of_it", "intent_other_one"),))
