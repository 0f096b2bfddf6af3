"""The naive evaluator: its own laws, and that the evaluator people use agrees with it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.governance import reference, reference_sides
from tests.governance.reference_merge import (
    Group,
    Loss,
    Merged,
    Verdict,
    capacity_clashes,
    components,
    evaluate,
    grouped,
    sourced,
)
from tests.governance.strategies import Case, cases, draw_case, draw_intent
from volition.governance import evaluator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.documents.intent import IntentDocument


SETS = (0, 1, 3, 4, 8, 11, 13, 17, 33, 43, 70, 85)
"""Seeds of sets of every kind. The agreement of the two evaluators sees many more; a law of the naive one needs few."""


@cache
def judged_sets() -> tuple[tuple[Case, Verdict], ...]:
    """Random sets, and what the naive evaluator says of them: judged once for all of its laws."""
    drawn = [draw_case(Random(seed)) for seed in SETS]
    return tuple((case, judged(case)) for case in drawn)


def plain(outcome: evaluator.EvaluationOutcome) -> Verdict:
    """What the evaluator came to, in the reference's terms."""
    ids = list(outcome.result.input.intent_checksums)
    verdict = outcome._draft.verdict if outcome._draft else None
    lost = set()
    for loser, (winner, key) in verdict.lost.items() if verdict else ():
        assert winner is not None
        lost.add(Loss(ids[loser], ids[winner], key))
    evaluation = outcome.result.evaluation
    risks = evaluation.risk_comparison
    return Verdict(
        conflicts=frozenset(
            Group(conflict.type, conflict.severity, conflict.resource_ref, conflict.intent_ids)
            for conflict in evaluation.conflicts
        ),
        strategy=evaluation.merge_plan.strategy,
        lost=frozenset(lost),
        asked=frozenset(
            tuple(ids[number] for number in open_question.members)
            for open_question in (verdict.open_questions if verdict else ())
        ),
        merged=plainly(outcome.merged_intent) if outcome.merged_intent else None,
        matrix=tuple((row.intent_id, row.overall_risk, structs.astuple(row.dimensions)) for row in risks.matrix),
        dominance=frozenset((pair.intent_a, pair.intent_b, pair.relationship) for pair in risks.dominance),
        incomparable=frozenset(risks.incomparable),
    )


def plainly(intent: IntentDocument) -> Merged:
    """A merged intent, in the reference's terms."""
    lock = intent.constraints.lock_scope
    return Merged(
        commands=intent.planned_commands,
        workflows=frozenset(intent.selected_workflows),
        agents=frozenset(intent.selected_agents),
        evidence=frozenset(intent.evidence_refs),
        reviews=frozenset(intent.risk.requires_review),
        budgets=structs.astuple(intent.budgets),
        risk=intent.risk.overall,
        mode=intent.interaction.mode,
        question_budget=intent.interaction.question_budget,
        lock=(lock.mode, frozenset(lock.paths)),
        lineage=(intent.lineage.derived_from, intent.lineage.supersedes),
    )


@pytest.mark.req("GV-20")
@given(cases())
def test_the_evaluator_agrees(case: Case) -> None:
    """The evaluator that people use comes to the same verdict as the naive one on every set."""
    outcome = evaluator.evaluate(case.intent_set, case.intents, case.policy)
    expected, found = judged(case), plain(outcome)
    for name in Verdict.__slots__:
        assert getattr(found, name) == getattr(expected, name), name
    result = outcome.result
    assert len(found.conflicts) == len(result.evaluation.conflicts)
    assert bool(result.requires_questions) == bool(expected.asked)
    said = " ".join(operation.evidence for operation in result.evaluation.merge_plan.operations)
    for loss in expected.lost if expected.merged else ():
        assert f"{loss.winner} goes before {loss.loser}, decided by {loss.key}" in said
    if outcome.merged_intent is not None:
        assert outcome.merged_intent.id.startswith("intent_merged_")
        assert outcome.merged_intent.id not in case.intent_set.intent_ids


@pytest.mark.req("GV-19", "GV-20")
@settings(max_examples=4)
@given(st.randoms(use_true_random=True))
def test_the_evaluator_agrees_on_large_sets(chance: Random) -> None:
    """Beyond what can be merged, both find the same conflicts and connect the same intents."""
    ids = [f"intent_many{number:03d}" for number in range(chance.choice((21, 26)))]
    case = draw_case(chance)
    manner = {"calm": chance.random() < 0.6, "wide": chance.random() < 0.2}
    intents = [draw_intent(chance, name, ids, case.policy, **manner) for name in ids]
    intent_set = structs.replace(case.intent_set, intent_ids=tuple(ids))
    found = [*reference.clashes(intent_set, intents, case.policy), *capacity_clashes(intents, case.policy)]
    outcome = evaluator.evaluate(intent_set, intents, case.policy, limit=False)
    assert outcome.clusters == tuple(components(found))
    told = {Group(c.type, c.severity, c.resource_ref, c.intent_ids) for c in outcome.conflicts}
    assert told == set(grouped(found))


@pytest.mark.req("GV-09", "GV-14")
@given(cases())
def test_a_merged_intent_is_valid(case: Case) -> None:
    """What several intents become is an intent like any other: read back, it passes every constraint of its type."""
    merged = evaluator.evaluate(case.intent_set, case.intents, case.policy).merged_intent
    if merged is not None:
        assert msgspec.json.decode(msgspec.json.encode(merged), type=type(merged)) == merged
        assert merged.lineage.derived_from


def judged(case: Case, intents: Sequence[IntentDocument] | None = None) -> Verdict:
    return evaluate(case.intent_set, case.intents if intents is None else intents, case.policy)


def test_the_laws_see_every_kind_of_set() -> None:
    """Among the sets are merged ones, with losers and without, and ones with questions, over circles and over other things."""
    verdicts = [verdict for _, verdict in judged_sets()]
    assert {(bool(each.merged), bool(each.lost)) for each in verdicts} == {
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    }
    assert {any(group.resource_ref is None for group in each.conflicts) for each in verdicts if each.asked} == {
        True,
        False,
    }


def test_order_of_the_list_is_no_input() -> None:
    """However the intents are listed, the verdict is the same."""
    chance = Random(0)
    for case, verdict in judged_sets():
        shuffled = list(case.intents)
        chance.shuffle(shuffled)
        assert judged(case, shuffled) == verdict


def test_another_intent_removes_no_conflict() -> None:
    """What some intents contest they still contest, as severely at least, when one more joins them.

    What nobody produced is another matter: the one who joins may produce it.
    """
    for case, verdict in judged_sets():
        fewer = judged(case, case.intents[:-1])
        more = verdict.conflicts
        for group in fewer.conflicts:
            if (group.resource_ref or "").startswith("artifact:"):
                continue
            assert any(
                other.type == group.type
                and other.resource_ref == group.resource_ref
                and set(group.intent_ids) <= set(other.intent_ids)
                and reference.LEVELS.index(other.severity) >= reference.LEVELS.index(group.severity)
                for other in more
            ), group


def test_nothing_is_merged_while_anything_is_asked() -> None:
    """No priority outranks an open question: where one is left there is no merged intent at all."""
    for _, verdict in judged_sets():
        assert (verdict.merged is None) == bool(verdict.asked) == (verdict.strategy == "reject")
        circles = [set(group.intent_ids) for group in verdict.conflicts if group.resource_ref is None]
        for circle in circles:
            assert any(circle <= set(members) for members in verdict.asked)


@settings(max_examples=len(SETS))
@given(cases())
def test_clashes_are_symmetric(case: Case) -> None:
    """Whoever is named first, two intents clash over the same things by the same rules."""
    env, policy = case.intent_set.context.env, case.policy
    one, other = (reference_sides.side_of(intent, policy) for intent in case.intents[:2])

    def found(a: reference_sides.Side, b: reference_sides.Side) -> set[reference.Clash]:
        clashes = [
            *reference.resource_clashes(a, b, policy, complementary=False),
            *reference.effect_clashes(a, b, env, policy),
            *reference.mode_clashes(a, b, policy),
            *reference.lock_clashes(a, b, policy),
            *reference.unknown_clashes(a, b, env, policy),
            *reference.unplaced_clashes(a, b, policy),
            *reference.shared_clashes(a, b, policy),
        ]
        return {replace(clash, members=tuple(sorted(clash.members))) for clash in clashes}

    assert found(one, other) == found(other, one)


def test_everybody_is_accounted_for_once() -> None:
    """A merged intent comes from all but the losers, supersedes the losers alone, and a loser clashed with its own."""
    for case, verdict in judged_sets():
        if verdict.merged is None:
            continue
        losers = [loss.loser for loss in verdict.lost]
        assert len(losers) == len(set(losers))
        present = {intent.id for intent in case.intents}
        derived_from, supersedes = verdict.merged.lineage
        assert present & set(supersedes) == set(losers)
        assert present & set(derived_from) == present - set(losers)
        severe = [set(group.intent_ids) for group in verdict.conflicts if group.severity in {"high", "critical"}]
        for loss in verdict.lost:
            assert any({loss.loser, loss.winner} <= group for group in severe)
            assert loss.winner in derived_from


def test_a_loser_leaves_nothing_executable() -> None:
    """Commands and agents of a merged intent are those of its sources; evidence and reviews are everybody's."""
    for case, verdict in judged_sets():
        merged = verdict.merged
        if merged is None:
            continue
        kept = [intent for intent in case.intents if intent.id in merged.lineage[0]]
        assert set(merged.commands) == {command for intent in kept for command in sourced(intent)}
        assert len(set(merged.commands)) == len(merged.commands)
        assert merged.agents == {agent for intent in kept for agent in intent.selected_agents}
        assert merged.evidence == {ref for intent in case.intents for ref in intent.evidence_refs}
        assert merged.reviews == {review for intent in case.intents for review in intent.risk.requires_review}


@pytest.mark.req("GV-11")
def test_dominance_is_an_order() -> None:
    """Every pair is compared once; dominance has no circle, and equal risks are incomparable."""
    for _, verdict in judged_sets():
        rows = {name: vector for name, _, vector in verdict.matrix}
        assert all(0 <= value <= 100 for vector in rows.values() for value in vector)
        pairs = [(a, b) for a, b, _ in verdict.dominance] + list(verdict.incomparable)
        assert len(pairs) == len(set(pairs)) == len(rows) * (len(rows) - 1) // 2
        for a, b, relation in verdict.dominance:
            risky, calm = (a, b) if relation == "A_dominates_B" else (b, a)
            assert sum(rows[risky]) > sum(rows[calm])
        assert all((a, b) in verdict.incomparable for a, b in pairs if rows[a] == rows[b])
