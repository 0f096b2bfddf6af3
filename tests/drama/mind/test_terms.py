"""The mind under the literal rules against the oracle, on random evenings: candidates, terms, vetoes and winners."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drama import literal, readings
from tests.drama.mind.perceived import perceive
from tests.drama.party import TABLE
from tests.drama.traces import elena_under_pressure
from tests.drama.worlds import moved_to, worlds
from volition.drama.evening.tables import FLAWS
from volition.drama.mind.mind import Mind, select_action
from volition.drama.rules.catalog import CHOSEN, DRAMATIC, Belief, Effect, EventType, Trigger
from volition.drama.world.model import DEPARTED, Flaw, Happening

if TYPE_CHECKING:
    from volition.arbitration.decision import Decision
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Action

VOTERS = ("alcohol", "bonds", "flaws", "movement", "noise", "pacing", "situation", "utility")
TERMS = ("utility", "flaws", "pacing", "bonds", "alcohol", "movement")
NEAR = 1e-12
CLEAR = 1e-9
UNIT = 2.0**44

random_worlds = settings(deadline=None)
fewer_worlds = settings(deadline=None)


class Verdict(NamedTuple):
    """The oracle's values for one candidate."""

    action: Action
    terms: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.terms.values())


def present(world: WorldState) -> list[AgentState]:
    """Those who decide."""
    return [agent for agent in world.agents.values() if agent.location != DEPARTED]


def expected(world: WorldState, agent: AgentState) -> dict[str, Verdict]:
    """The oracle's values for everything that somebody might do, whatever the gates."""
    perception = readings.perceive(agent, world)
    every = literal.generate_candidate_actions(agent, perception, world, rationed=False)
    return {
        action.id: Verdict(action, literal.terms(agent, action, perception, world))
        for action in literal.prune_candidates(every, agent)
    }


def contributions(decision: Decision[Action]) -> dict[str, dict[str, float]]:
    """The weighted votes for each candidate that nothing forbade."""
    trace = decision.trace
    assert trace.voters == VOTERS
    return {
        id: dict(zip(trace.voters, row, strict=True))
        for id, row in zip(trace.survivors, trace.contributions, strict=True)
    }


@pytest.mark.req("DE-02")
@random_worlds
@given(worlds())
def test_the_same_candidates(world: WorldState) -> None:
    """The mind offers what the specification generates, in its order, with its fields; gates filter nothing."""
    mind = Mind(world.scenario)
    for agent in present(world):
        offered = mind.appraise(agent, perceive(world, agent.id), None).actions
        assert offered == [verdict.action for verdict in expected(world, agent).values()]
        trace = mind.decide(world, agent.id).trace
        assert sorted(trace.survivors + trace.vetoed) == sorted(action.id for action in offered)


@pytest.mark.req("DE-03")
@random_worlds
@given(worlds())
def test_nothing_that_pruning_drops_is_offered(world: WorldState) -> None:
    """Nobody addresses themselves, tells or denies what they do not believe, or moves to where they are."""
    mind = Mind(world.scenario)
    for agent in present(world):
        for action in mind.appraise(agent, perceive(world, agent.id), None).actions:
            assert agent.id not in action.target_agents
            assert action.destination != agent.location
            if action.action_type in (EventType.REVEAL, EventType.CONFIDE, EventType.LIE):
                assert action.secret_id is not None
                assert agent.beliefs[action.secret_id] == Belief.BELIEVES_TRUE


@pytest.mark.req("DE-04", "DE-05", "DE-06", "DE-07", "DE-09", "DE-10")
@random_worlds
@given(worlds())
def test_the_same_terms(world: WorldState) -> None:
    """Without noise, each term of each candidate that is not vetoed is the oracle's."""
    mind = Mind(world.scenario)
    for agent in present(world):
        oracle = expected(world, agent)
        for id, votes in contributions(mind.decide(world, agent.id)).items():
            assert {name: votes[name] for name in TERMS} == pytest.approx(oracle[id].terms, abs=NEAR, rel=0), id


@pytest.mark.req("DE-05")
@settings(max_examples=4, deadline=None)
@given(worlds(), st.sampled_from([0.1, 0.47, 0.8]))
def test_every_flaw(world: WorldState, strength: float) -> None:
    """Each of the eight triggers with each of the eight effects biases every act, gated or not, like the oracle."""
    if not present(world):
        return
    agent = max(present(world), key=lambda someone: len(expected(world, someone)))
    scenario = world.scenario
    oracle_sees, mind_sees = readings.perceive(agent, world), perceive(world, agent.id)
    actions = [verdict.action for verdict in expected(world, agent).values()]
    target = next((other.id for other in oracle_sees.visible_agents), None)
    groups = [tuple(Effect)[first : first + FLAWS] for first in range(0, len(Effect), FLAWS)]
    for trigger, effects in product(Trigger, groups):
        # As many as a person may have, each of another strength: what two of them add cannot be mistaken for each other.
        flaws = tuple(Flaw("pride", strength / 2**n, trigger, effect, target) for n, effect in enumerate(effects))
        person = replace(scenario.people[agent.id], flaws=flaws)
        bent = moved_to(world, replace(scenario, people={**scenario.people, agent.id: person}))
        biases = Mind(bent.scenario).appraise(agent, mind_sees, None).column("flaws", [action.id for action in actions])
        for action, found in zip(actions, biases, strict=True):
            bias = literal.flaw_bias(agent, action, oracle_sees, bent)
            assert found == pytest.approx(bias, abs=NEAR, rel=0), (flaws, action.id)


@pytest.mark.req("DE-05", "DE-09")
@pytest.mark.parametrize("age", range(1, 6))
def test_how_long_things_stay_in_mind(age: int) -> None:
    """A conflict activates cowardice for three ticks; somebody trusted is followed for two."""
    world = elena_under_pressure(conflict=False)
    world.recent = [
        Happening(world.tick - age, EventType.CONFLICT, "thorne", ("victor",), TABLE),
        Happening(world.tick - age, EventType.SOCIAL_MOVE, "diana", (), TABLE, destination="balcony"),
    ]
    votes = contributions(Mind(world.scenario).decide(world, "elena"))
    oracle = expected(world, world.agents["elena"])
    assert votes["move:kitchen"]["flaws"] == pytest.approx(0.15 if age <= 3 else 0.0, abs=NEAR)
    assert votes["move:balcony"]["movement"] == pytest.approx(0.73 if age <= 2 else 0.53, abs=NEAR)
    for id, verdict in oracle.items():
        assert {name: votes[id][name] for name in TERMS} == pytest.approx(verdict.terms, abs=NEAR, rel=0)


@pytest.mark.req("DE-10")
@fewer_worlds
@given(worlds(), st.none() | st.integers(0, 2**32))
def test_situation_is_silent_and_sums_are_exact(world: WorldState, seed: int | None) -> None:
    """With every departure off, situation is exactly 0; every contribution is a multiple of 2^-44, whatever the seed."""
    mind = Mind(world.scenario)
    for agent in present(world):
        decision = mind.decide(world, agent.id, seed)
        for id, total in zip(decision.trace.survivors, decision.trace.totals, strict=True):
            votes = contributions(decision)[id]
            assert votes["situation"] == 0.0
            assert all((vote * UNIT).is_integer() for vote in votes.values())
            assert total == sum(votes.values()) == sum(reversed(votes.values()))


@pytest.mark.req("DE-06", "DE-02")
@random_worlds
@given(worlds())
def test_gates_veto(world: WorldState) -> None:
    """What the specification blocks by -1000 is vetoed, by the gate that is closed, and nothing else is."""
    mind = Mind(world.scenario)
    for agent in present(world):
        decision = mind.decide(world, agent.id)
        closed = literal.gates_closed(agent.pacing)
        blocked = {id for id, verdict in expected(world, agent).items() if verdict.terms["pacing"] == literal.BLOCKED}
        trace = decision.trace
        assert set(trace.vetoed) == blocked
        assert set(decision.reason.vetoed_by) == (closed if blocked else set())
        for verdicts in trace.verdicts:
            assert {judge for judge, verdict in zip(trace.judges, verdicts, strict=True) if verdict} == closed


@pytest.mark.req("DE-10")
@random_worlds
@given(worlds())
def test_the_same_winner(world: WorldState) -> None:
    """If the oracle's best act is clearly better than the rest, the mind chooses it, with its score and class."""
    mind = Mind(world.scenario)
    for agent in present(world):
        best = literal.select_action(agent, readings.perceive(agent, world), world, lambda action: 0.0)
        perception = perceive(world, agent.id)
        chosen = select_action(agent, perception, world, mind=mind, seed=None)
        assert best is not None
        assert best.utility_score is not None
        assert chosen is not None
        assert chosen.utility_score == pytest.approx(best.utility_score, abs=NEAR * 10, rel=0)
        rivals = [verdict.total for id, verdict in expected(world, agent).items() if id != best.id]
        if all(best.utility_score - total > CLEAR for total in rivals):
            assert chosen.id == best.id == mind.decide(world, agent.id).id
            assert chosen.priority_class == best.priority_class


@pytest.mark.req("DE-08")
@fewer_worlds
@given(worlds(), st.integers(0, 2**32))
def test_noise_is_nobody_elses_business(world: WorldState, seed: int) -> None:
    """A seed changes the noise alone, and a candidate keeps its noise when the room and the others change."""
    mind = Mind(world.scenario)
    agent = present(world)[0] if present(world) else None
    if agent is None:
        return
    silent, noisy = (contributions(mind.decide(world, agent.id, given)) for given in (None, seed))
    other = copy.deepcopy(world)
    for someone in other.agents.values():
        if someone.id != agent.id:
            someone.location = DEPARTED
    alone = contributions(mind.decide(other, agent.id, seed))
    for id, votes in noisy.items():
        assert {**votes, "noise": 0.0} == silent[id]
        if id in alone:
            assert votes["noise"] == alone[id]["noise"]
    assert any(votes["noise"] for votes in noisy.values())


@pytest.mark.req("DE-01")
@fewer_worlds
@given(worlds(), st.none() | st.integers(0, 2**32))
def test_deciding_changes_nothing(world: WorldState, seed: int | None) -> None:
    """A decision does not change the world, and deciding again gives the same result."""
    mind, before = Mind(world.scenario), copy.deepcopy(world)
    for agent in present(world):
        assert mind.decide(world, agent.id, seed).trace == mind.decide(world, agent.id, seed).trace
    assert world == before


def test_random_worlds_reach_everything() -> None:
    """The random evenings offer every kind of act, activate flaws, close gates, and make every term contribute."""
    kinds: set[EventType] = set()
    spoken: set[str] = set()
    gates: set[frozenset[str]] = set()

    @settings(database=None, derandomize=True, deadline=None)
    @given(worlds())
    def look(world: WorldState) -> None:
        for agent in present(world):
            gates.add(frozenset(literal.gates_closed(agent.pacing)))
            for verdict in expected(world, agent).values():
                kinds.add(verdict.action.action_type)
                spoken.update(name for name, value in verdict.terms.items() if value not in (0.0, literal.BLOCKED))

    look()
    assert kinds == set(CHOSEN)
    assert kinds > DRAMATIC
    assert spoken == set(TERMS)
    assert len(gates) == 4
