"""However large the numbers of the rules are, every decision can be made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.drama.mind.departing import departing_worlds, present
from tests.drama.worlds import chances, moved_to
from volition.drama.mind.mind import Mind
from volition.drama.world.rulebook import LARGEST, LONGEST, WORDS, limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from volition.drama.evening.world import WorldState

    Rules = Mapping[str, Mapping[str, Any]]

SECTIONS = (
    "effects", "context", "flaws", "pacing", "bonds", "alcohol", "movement", "noise", "candidates", "situation", "leaving",
    "departures", "grievance", "wants", "time", "memory",
)  # fmt: skip
"""The rules that a mind reads."""
WITHOUT_SHRINKING = tuple(phase for phase in Phase if phase is not Phase.shrink)
"""Whole rulebooks shrink for minutes, and to nothing that says more."""


def rules(chance: Random, given: Rules, share: float) -> Rules:
    """Rules, a share of which has any value that a scenario may give."""

    def drawn(section: str, rule: str, value: Any) -> Any:
        if (section, rule) in WORDS or chance.random() >= share:
            return value
        if isinstance(value, list):
            return [chance.uniform(-LARGEST, LARGEST) for _ in value]
        if isinstance(value, bool):
            return chance.random() < 0.8
        if isinstance(value, int):
            return chance.randint(0, int(LONGEST))
        low, high = limits(section, rule)
        return chance.choice((low, high, chance.uniform(low, high)))

    return {
        section: {rule: drawn(section, rule, value) for rule, value in entries.items()}
        if section in SECTIONS
        else entries
        for section, entries in given.items()
    }


@pytest.mark.req("DE-10")
@settings(deadline=None, phases=WITHOUT_SHRINKING)
@given(
    departing_worlds(),
    chances,
    st.sampled_from([0.02, 0.2, 1.0]),
    st.none() | st.integers(0, 2**32),
)
def test_no_rules_are_too_large_for_a_decision(
    world: WorldState, chance: Random, share: float, seed: int | None
) -> None:
    """With any numbers that a scenario may give, no term exceeds its bounds: everybody can decide, in any state."""
    drawn = rules(chance, world.scenario.rules, share)
    world = moved_to(world, replace(world.scenario, rules=drawn))
    mind = Mind(world.scenario)
    for agent in present(world):
        mind.decide(world, agent.id, seed)
