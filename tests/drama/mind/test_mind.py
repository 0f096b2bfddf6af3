"""The mind as an arbitration: gates veto, noise is keyed, priority has classes, and lonely or exhausted people stay quiet."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.drama.mind.perceived import perceive
from tests.drama.worlds import moved_to, worlds
from volition.arbitration.why_answers import Vetoed
from volition.core.chance import gauss, stream, uid, word
from volition.drama.evening.world import WorldState, begin
from volition.drama.mind.bounds import power_of_two
from volition.drama.mind.mind import Mind, select_action
from volition.drama.rules.catalog import DRAMATIC, Effect, EventType, Trigger
from volition.drama.rules.leaf import leaf
from volition.drama.world.model import Flaw, Scenario
from volition.drama.world.scenario import literal, load_scenario

some = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
GRAMMAR = re.compile(
    r"chat:\w+|observe:\w+|move:\w+|internal|physical:\w+|(reveal|confide|lie):\w+:\w+|conflict:\w+", re.ASCII
)


def with_rules(scenario: Scenario, **changes: Any) -> Scenario:
    """The scenario with other departures."""
    departures = {**scenario.rules["departures"], **changes}
    return replace(scenario, rules={**scenario.rules, "departures": departures})


@pytest.fixture(scope="module", params=["dinner-party", "literal"])
def mind(request: pytest.FixtureRequest) -> Mind:
    scenario = load_scenario("dinner-party")
    return Mind(literal(scenario) if request.param == "literal" else scenario)


def first(mind: Mind) -> str:
    return next(iter(mind.scenario.people))


@pytest.mark.req("DE-01")
@some
@given(worlds(), st.integers(0, 2**64))
def test_deciding_changes_nothing_and_gives_one_act(world: WorldState, seed: int) -> None:
    """The answer is one of the candidates with its score and class, and the world is unchanged."""
    before = deepcopy(world)
    mind = Mind(world.scenario)
    for agent in world.agents.values():
        if agent.location not in world.scenario.rooms:
            continue
        action = select_action(agent, perceive(world, agent.id), world, mind=mind, seed=seed)
        decision = mind.decide(world, agent.id, seed)
        assert action is not None
        assert action.id == decision.id
        assert action.utility_score == max(decision.trace.totals)
        assert action.priority_class in (1, 2, 3)
    assert world == before


@pytest.mark.req("DE-02")
@some
@given(worlds())
def test_ids_follow_the_grammar_and_are_unique(world: WorldState) -> None:
    """Every candidate has a unique readable id that follows the fixed grammar and agrees with its fields."""
    mind = Mind(world.scenario)
    for name, agent in world.agents.items():
        if agent.location not in world.scenario.rooms:
            continue
        tally = mind.decide(world, name).tally
        assert len(set(tally.ids)) == len(tally.ids)
        for action in tally.candidates:
            assert GRAMMAR.fullmatch(action.id), action.id
            assert name not in action.target_agents
            parts = action.id.split(":")
            assert action.secret_id == (parts[1] if len(parts) == 3 else None)
            assert action.destination == (parts[1] if parts[0] == "move" else None)


@pytest.mark.req("DE-06", "DE-02", "DE-15")
@pytest.mark.parametrize(
    ("field", "value", "gate"), [("recovery_timer", 2, "recovery"), ("dramatic_budget", 0.19, "budget")]
)
def test_gates_veto_and_say_so(mind: Mind, field: str, value: float, gate: str) -> None:
    """An exhausted or recovering agent keeps its dramatic candidates, vetoed by the gate; quiet ones are unaffected."""
    world = begin(mind.scenario)
    name = max(world.agents, key=lambda agent: len(mind.decide(world, agent).tally.candidates))
    free = mind.decide(world, name)
    setattr(world.agents[name].pacing, field, value)
    held = mind.decide(world, name)
    assert held.tally.ids == free.tally.ids
    dramatic = {action.id for action in held.tally.candidates if action.action_type in DRAMATIC}
    assert set(held.trace.vetoed) == dramatic
    assert dramatic
    for id in dramatic:
        answer = held.why_not(id)
        assert isinstance(answer, Vetoed)
        assert list(answer.by) == [gate]


@pytest.mark.req("DE-10")
@some
@given(worlds(), st.integers(0, 2**32))
def test_votes_are_the_terms_to_the_last_bit(world: WorldState, seed: int) -> None:
    """weight * score is a multiple of 2^-44, so a total is the same in any order of addition."""
    mind = Mind(world.scenario)
    for name, agent in world.agents.items():
        if agent.location not in world.scenario.rooms:
            continue
        trace = mind.decide(world, name, seed).trace
        for row, total in zip(trace.contributions, trace.totals, strict=True):
            assert all((part * 2.0**44).is_integer() for part in row)
            assert sum(row) == sum(reversed(row)) == total


@pytest.mark.req("DE-08")
def test_noise_belongs_to_what_it_is_for(mind: Mind) -> None:
    """Taking people or rooms away changes nobody's noise but the vanished candidates'; time, person and seed do."""
    world = begin(mind.scenario)
    name = first(mind)

    def noises(seed: int = 7) -> dict[str, float]:
        trace = mind.decide(world, name, seed).trace
        column = trace.voters.index("noise")
        return {id: row[column] for id, row in zip(trace.survivors, trace.contributions, strict=True)}

    full = noises()
    for other in [person for person in world.agents if person != name][:3]:
        world.agents[other].location = "departed"
    fewer = noises()
    assert len(fewer) < len(full)
    assert fewer == {id: full[id] for id in fewer}
    assert all(noises(8)[id] != fewer[id] for id in fewer)
    world.tick += 1
    assert all(value != fewer[id] for id, value in noises().items())


@pytest.mark.req("DE-23")
@pytest.mark.parametrize(("gap", "share"), [(0.03, 0.416), (0.13, 0.179), (0.30, 0.017)])
def test_noise_flips_as_often_as_the_spec_says(gap: float, share: float) -> None:
    """At gaps .03, .13 and .30 noise of sigma .1 reverses two candidates in 42, 18 and 2 percent of cases."""
    trials = 20_000
    flips = 0
    for tick in range(trials):
        key = stream(1, tick, uid("somebody"), uid("noise"))
        ahead, behind = (leaf(0.1 * gauss(word(key, uid(act)))) for act in ("ahead", "behind"))
        flips += ahead + gap < behind
    error = (share * (1 - share) / trials) ** 0.5
    assert abs(flips / trials - share) < 4 * error


@pytest.mark.req("DE-11")
def test_urgency(mind: Mind) -> None:
    """A CONFLICT above stress .6 is of class 3, other dramatic acts of class 2, the rest of class 1."""
    from volition.drama.rules.pacing import priority_class

    table = mind.rules.pacing
    for kind in EventType:
        if kind == EventType.CATASTROPHE:
            continue
        for stress in (0.0, 0.6, 0.61):
            expected = 3 if kind == EventType.CONFLICT and stress > 0.6 else 2 if kind in DRAMATIC else 1
            assert priority_class(kind, kind in DRAMATIC, stress, table) == expected


@pytest.mark.req("DE-15")
def test_alone_there_is_nobody_to_address(mind: Mind) -> None:
    """Alone, only thinking, handling, moving and looking around are left."""
    world = begin(mind.scenario)
    name = first(mind)
    evening = mind.scenario.evening
    world.agents[name].location = next(room for room in mind.scenario.rooms if room != evening.gathering)
    kinds = {action.action_type for action in mind.decide(world, name).tally.candidates}
    assert kinds <= {EventType.INTERNAL, EventType.PHYSICAL, EventType.SOCIAL_MOVE, EventType.OBSERVE}


@pytest.mark.req("DE-15", "DE-05")
def test_opposing_flaws_add_up(mind: Mind) -> None:
    """Opposing flaws sum to what each would add alone."""
    scenario, name = mind.scenario, first(mind)
    towards = Flaw("loyalty", 0.6, Trigger.LOSS_IMMINENT, Effect.ESCALATE_CONFLICT)
    away = Flaw("cowardice", 0.7, Trigger.LOSS_IMMINENT, Effect.AVOID_CONFRONTATION)

    def pulls(*flaws: Flaw) -> dict[str, float]:
        person = replace(scenario.people[name], flaws=flaws)
        bent = Mind(replace(scenario, people={**scenario.people, name: person}))
        world = begin(bent.scenario)
        agent = world.agents[name]
        agent.pacing.stress, agent.pacing.commitment, agent.emotions["anger"] = 0.9, 0.9, 1.0
        agent.grievance = dict.fromkeys(agent.bonds, 1.0)
        trace = bent.decide(world, name).trace
        column = trace.voters.index("flaws")
        return {id: row[column] for id, row in zip(trace.survivors, trace.contributions, strict=True)}

    both, one, other = pulls(towards, away), pulls(towards), pulls(away)
    assert any(id.startswith("conflict:") for id in both)
    assert both == {id: one[id] + other[id] for id in both}
    assert any(one[id] > 0 > other[id] for id in both)


@pytest.mark.req("DE-16")
@some
@given(worlds(), st.data())
def test_what_cannot_be_perceived_changes_nothing(world: WorldState, data: st.DataObject) -> None:
    """With knowledge = perceived, others' minds and unseen places do not affect the decision."""
    scenario = with_rules(world.scenario, knowledge="perceived", grievance=0.35, lie_when_asked=True, crowd_pull=0.05)
    world = moved_to(world, scenario)
    mind = Mind(scenario)
    names = [name for name, agent in world.agents.items() if agent.location in scenario.rooms]
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    before = mind.decide(world, name, 5)
    other_world = deepcopy(world)
    here = world.agents[name].location
    for other, agent in other_world.agents.items():
        if other == name:
            continue
        agent.pacing.stress, agent.pacing.commitment = data.draw(st.floats(0, 1)), data.draw(st.floats(0, 1))
        agent.emotions = {emotion: data.draw(st.floats(0, 1)) for emotion in agent.emotions}
        agent.beliefs = (
            {
                secret: data.draw(st.sampled_from(list(type(next(iter(agent.beliefs.values()))))))
                for secret in agent.beliefs
            }
            if agent.beliefs
            else {}
        )
        agent.grievance[name] = 1.0
        for bond in agent.bonds.values():
            bond.trust = data.draw(st.floats(-1, 1))
        if agent.location != here:
            elsewhere = [room for room in [*scenario.rooms, "departed"] if room != here]
            agent.location = data.draw(st.sampled_from(elsewhere))
    after = mind.decide(other_world, name, 5)
    assert (after.trace, after.reason) == (before.trace, before.reason)


def test_a_limit_is_a_power_of_two() -> None:
    """The limit of a term is the least power of two that is not below its bound, and at least 1."""
    assert [power_of_two(bound) for bound in (0.0, 1.0, 1.1, 16.0, 17.0)] == [1.0, 1.0, 2.0, 16.0, 32.0]


@pytest.mark.req("AR-14", "AR-21")
def test_weights_are_shares_of_what_the_scenario_says(mind: Mind) -> None:
    """Every term has weight 1 and says what it adds; doubling a weight doubles that, and the decision can be pickled."""
    decision = mind.decide(begin(mind.scenario), first(mind), seed=3)
    assert {entry.weight for entry in decision.composite.heuristics} == {1.0}
    twice = decision.what_if(weights={"utility": 2}).decision
    place = decision.composite.voters.index("utility")
    assert [row[place] for row in twice.trace.contributions] == [2 * row[place] for row in decision.trace.contributions]
    assert pickle.loads(pickle.dumps(decision)).trace == decision.trace
