"""Laws of asking: whoever asks about a choice gets the numbers that the laws chose by, term by term, to the bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.casts import READINGS, invented, shipped
from tests.drama.evening.stepping import CompiledSteps, InterpretedSteps
from volition.core.compiling import can_compile
from volition.drama.evening.names import names_of
from volition.drama.evening.record import NONE
from volition.drama.evening.weigh import TERMS
from volition.drama.evening.world import WorldState
from volition.drama.mind.mind import Appraisal, Mind
from volition.drama.stage.replay import steps
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from tests.drama.evening.stepping import Stepping
    from volition.drama.world.model import Scenario


def _ask(player: Stepping, scenario: Scenario, seed: int, ticks: int) -> int:
    """Ask about every choice of an evening, of the state before it; how many there were."""
    mind, asked = Mind(scenario), 0
    player.begin(seed)
    for replayed, _ in steps(run(scenario, seed, ticks=ticks, mind=mind)):
        world = WorldState(player.state(), names_of(scenario), replayed.recent).copy()
        player.tick()
        evening = player.state()
        for who, id in enumerate(mind.names.people):
            if evening.choice[who] != NONE:
                decision, asked = mind.decide(world, id, seed), asked + 1
                tally, appraisal = decision.tally, decision.tally.context
                assert isinstance(appraisal, Appraisal)
                assert decision.id == mind.names.acts[evening.choice[who]]
                assert tally.totals[tally.winner or 0] == evening.score[who]
                for act, total in zip(tally.survivors, tally.totals, strict=True):
                    terms = [appraisal.column(term, [act])[0] for term in TERMS]
                    assert sum(terms) == sum(reversed(terms)) == total
                    assert sum(value for _, value in appraisal.items_of(act)) == terms[TERMS.index("situation")]
    return asked


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_the_sum_of_what_is_asked_is_the_total_of_the_choice(name: str, by_the_letter: bool) -> None:
    """For every compiled choice the arbiter chooses the same act, and its columns add up to the same bits."""
    if not can_compile():
        pytest.skip("nothing is compiled here")
    scenario = shipped(name, by_the_letter=by_the_letter)
    assert _ask(CompiledSteps(scenario), scenario, 7, 20) > 75


@pytest.mark.parametrize("seed", range(6))
def test_so_it_is_in_invented_evenings(seed: int) -> None:
    """In scenarios of any size and under odd rules too."""
    scenario = invented(seed)
    assert _ask(InterpretedSteps(scenario), scenario, seed, 8) > 0


def test_weighing_item_by_item_changes_nothing() -> None:
    """An evening whose desk is itemised is the same evening: barred acts are weighed and never chosen."""
    scenario = shipped("dinner-party")
    players = [InterpretedSteps(scenario, logged=False) for _ in range(2)]
    players[1].sheet.itemised = 1
    for player in players:
        player.begin(3)
    for _ in range(50):
        for player in players:
            player.tick()
        assert players[0].evening.choice == players[1].evening.choice
