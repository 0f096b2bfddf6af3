"""Laws of views: a world of objects, its plain state and its packed one say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.drama.evening.casts import READINGS, invented, shipped
from tests.drama.evening.stepping import InterpretedSteps
from volition.drama.evening.building import sizes_of
from volition.drama.evening.limits import LARGE, LIMITS
from volition.drama.evening.record import bytes_of, packed_type, parts_of, read_packed, write_packed
from volition.drama.evening.state import EveningState
from volition.drama.evening.tick import draw_needs
from volition.drama.evening.views import state_of, world_of
from volition.drama.stage.run import run
from volition.drama.stage.state import state_to_data

if TYPE_CHECKING:
    from volition.drama.world.model import Scenario, WorldState


def _check_round_trip(scenario: Scenario, seed: int) -> int:
    sizes, packed = sizes_of(scenario), np.zeros(1, packed_type(EveningState, LIMITS[LARGE]))
    ticks = []

    def check(world: WorldState, _: object) -> None:
        write_packed(packed[0], state_of(world, seed), EveningState, sizes)
        again = world_of(read_packed(packed[0], EveningState, sizes), scenario, world.recent)
        assert state_to_data(again) == state_to_data(world)
        ticks.append(world.tick)

    run(scenario, seed, on_tick=check, ticks=60)
    return len(ticks)


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_packed_and_back_a_world_says_the_same(name: str, by_the_letter: bool) -> None:
    """Object to packed to view gives the same JSON after every tick."""
    assert _check_round_trip(shipped(name, by_the_letter=by_the_letter), 5) > 20


@pytest.mark.parametrize("seed", range(4))
def test_so_it_does_for_invented_evenings(seed: int) -> None:
    """Object to packed to view gives the same JSON for scenarios of any size."""
    assert _check_round_trip(invented(seed), seed) > 0


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_a_state_can_be_taken_up_anywhere(name: str, by_the_letter: bool) -> None:
    """From the world of objects at any tick, the evening goes on as it went on: nothing that counts is lost."""
    scenario, seed = shipped(name, by_the_letter=by_the_letter), 11
    states: list[EveningState] = []
    run(scenario, seed, ticks=60, on_tick=lambda world, _: states.append(state_of(world, seed)))
    player = InterpretedSteps(scenario, logged=False)
    for now, then in zip(states[::3], states[1::3], strict=False):
        draw_needs(now, player.tables)
        player.evening = now
        player.tick()
        for part in parts_of(EveningState):
            if part.delta is not None:
                assert bytes_of(now, part, player.sizes) == bytes_of(then, part, player.sizes), (now.tick, part.name)
