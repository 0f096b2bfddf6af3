"""What a mind keeps changes nothing from one decision to the next, and what is kept by the kind of an act may be."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drama.mind.departing import SHIPPED, departing_worlds, live_through, present
from tests.drama.worlds import worlds
from volition.drama.evening.world import begin
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import EFFECTS
from volition.drama.rules.tables import tables_of
from volition.drama.rules.utility import conflict_effects, move_effects, telling_effects

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.rules.tables import Profile

some = settings(deadline=None)
evenings = st.one_of(worlds(), departing_worlds())


@pytest.mark.req("DE-01")
@some
@given(evenings, st.integers(0, 2**32))
def test_a_mind_that_has_decided_decides_like_a_new_one(world: WorldState, seed: int) -> None:
    """Decisions are independent: after others, in other states, a mind decides like a new one."""
    used, chance = Mind(world.scenario), Random(seed)
    for _ in range(2):
        for agent in present(world):
            again, first = (mind.decide(world, agent.id, seed) for mind in (used, Mind(world.scenario)))
            assert again.tally.candidates == first.tally.candidates
            assert (again.trace, again.reason) == (first.trace, first.reason)
        live_through(chance, world)
        for agent in world.agents.values():
            agent.location = chance.choice(list(world.scenario.rooms))
            agent.pacing.stress, agent.emotions["anger"] = chance.random(), chance.random()
            for bond in agent.bonds.values():
                bond.trust = chance.uniform(-1.0, 1.0)


@pytest.mark.req("DE-06", "DE-15")
@pytest.mark.parametrize("seed", [None, 7])
def test_the_shadow_of_a_veto_is_what_it_would_be_without(seed: int | None) -> None:
    """Shadow scores of a forbidden act are what the terms would give if the gate were open."""
    mind, world = Mind(SHIPPED), begin(SHIPPED)
    for name, agent in world.agents.items():
        free = mind.decide(world, name, seed)
        agent.pacing.recovery_timer = 2
        held = mind.decide(world, name, seed)
        scores = dict(zip(free.trace.survivors, free.trace.scores, strict=True))
        for id in held.trace.vetoed:
            assert tuple(held.shadow(id).scores.values()) == scores[id]
        if held.trace.vetoed:
            opened = held.what_if(without="recovery", shadow=True).decision
            assert (opened.id, opened.trace.totals) == (free.id, free.trace.totals)


@pytest.mark.req("DE-04", "DE-05")
@given(st.tuples(*[st.floats(-1, 1)] * len(EFFECTS)), st.floats(-1, 1))
def test_nothing_changes_what_an_act_does_for_status(profile: Profile, value: float) -> None:
    """Neither place nor secret nor person changes the status effect of a kind of act, so it is kept by the kind."""
    context, status = tables_of(SHIPPED.rules).context, EFFECTS.index("status")
    for adjusted in (move_effects, telling_effects, conflict_effects):
        assert adjusted(profile, value, context)[status] == profile[status]
