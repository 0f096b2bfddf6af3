"""The kernel chooses what the mind chooses: twenty thousand decisions, winner and total to the last bit."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.drama.company.kernel.decided import SHIPPED, choices, invented, played, shipped
from volition.drama.company.kernel import SLOTS, Kernel
from volition.drama.mind.mind import Mind
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from tests.drama.company.kernel.decided import Choice

EVENINGS = {True: 3, False: 4}
"""How many are played by the letter, and as they ship."""
SCENARIOS = 200
MORE_SCENARIOS = 120
LIFT = 40.0
KINDS = {"chat", "observe", "move", "internal", "physical", "reveal", "conflict", "confide", "lie"}
MANNERS = {
    False: {"physical:drink"},
    True: {f"physical:{manner}" for manner in ("drink", "fetch", "serve", "pour", "air", "smoke", "slam", "leave")},
}


def label(id: str) -> str:
    """A label that distinguishes acts with different formulas."""
    word = id.split(":", maxsplit=1)[0]
    return id if word == "physical" or id in {"chat:all", "observe:room"} else word


def check(found: list[Choice]) -> int:
    """Every decision is the same; counts those that were made."""
    wrong = [choice for choice in found if not choice.agree]
    assert not wrong, wrong[0]
    return sum(choice.by_mind is not None for choice in found)


@pytest.mark.req("DE-21")
@pytest.mark.parametrize("by_the_letter", [True, False], ids=["letter", "departing"])
@pytest.mark.parametrize("name", SHIPPED)
def test_along_played_evenings(name: str, by_the_letter: bool) -> None:
    """In every state of played evenings of both shipped scenarios the two choose the same, with noise and without."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    states = played(scenario, range(1, EVENINGS[by_the_letter] + 1))
    assert check(choices(scenario, states, 7)) + check(choices(scenario, states[::4], None)) > 2_500


@pytest.mark.req("DE-21")
@pytest.mark.parametrize("departing", [False, True], ids=["letter", "departing"])
def test_in_random_scenarios(departing: bool) -> None:
    """In random states of random scenarios, with values around every threshold, the two choose the same.

    Every kind of act is chosen, and some of the best totals are tied, so the test is not vacuous.
    """
    found: list[Choice] = []
    for seed in range(SCENARIOS):
        states = invented(seed, departing=departing)
        found += choices(states[0].scenario, states, None if seed % 4 == 0 else seed)
    assert check(found) > 4_000
    assert {choice.by_mind.id.split(":")[0] for choice in found if choice.by_mind is not None} == KINDS
    assert any(choice.tied for choice in found)


@pytest.mark.req("DE-21")
@pytest.mark.parametrize("departing", [False, True], ids=["letter", "departing"])
def test_acts_that_do_not_win(departing: bool) -> None:
    """Any act that is lifted above all others has the mind's total; an act that the mind does not offer cannot be lifted."""
    chance, lifted_so_far = Random(4), Counter[str]()
    for seed in range(1000, 1000 + MORE_SCENARIOS):
        states = invented(seed, departing=departing)
        mind, kernel = Mind(states[0].scenario), Kernel(states[0].scenario)
        deciders = [(state, me) for state in states for me in state.agents.values()]
        number = {slot.id: place for place, slot in kernel.slots.items()}
        lifts, absent = np.zeros((len(deciders), SLOTS)), np.full((len(deciders), SLOTS), LIFT)
        lifted: list[tuple[int, float, int] | None] = []
        for row, (state, me) in enumerate(deciders):
            tally = mind.decide(state, me.id, seed).tally if me.location != DEPARTED else None
            if tally is None or tally.winner is None:
                lifted.append(None)
                continue
            labels = list(map(label, tally.survivors))
            rarest = min(sorted(set(labels)), key=lambda label: lifted_so_far[label])
            place = chance.choice([place for place, other in enumerate(labels) if other == rarest])
            lifted_so_far[rarest] += 1
            slot = number[tally.survivors[place]]
            lifts[row, slot] = LIFT
            absent[row, [number[id] for id in tally.survivors]] = 0.0
            lifted.append((slot, tally.totals[place] + LIFT, number[tally.survivors[tally.winner]]))
        records, ticks = kernel.pack(states), [state.tick for state, _ in deciders]
        slots, totals = kernel.decide(records, seed, ticks, term=lambda _, lifts=lifts: lifts)  # type: ignore[misc]
        kept, _ = kernel.decide(records, seed, ticks, term=lambda _, absent=absent: absent)  # type: ignore[misc]
        for row, told in enumerate(lifted):
            if told is not None:
                assert (slots[row], totals[row], kept[row]) == told, deciders[row][1].id
    assert set(lifted_so_far) >= (KINDS - {"physical"}) | MANNERS[departing] | {"chat:all", "observe:room"}
    assert min(lifted_so_far.values()) >= 15, lifted_so_far
