"""Laws of stopping and of hearing proposals, in states that few evenings reach: they are the stage's."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from tests.drama.evening.casts import READINGS, invented, shipped
from volition.drama.evening.building import house_of
from volition.drama.evening.ending import ENDINGS, GOES_ON, STOPS, ending_of, stop_of
from volition.drama.evening.players import InterpretedPlayer
from volition.drama.evening.resolve import rank_proposals
from volition.drama.evening.views import state_of
from volition.drama.rules.tables import tables_of
from volition.drama.stage.ending import ending, stop_reason
from volition.drama.world.model import DEPARTED, begin

if TYPE_CHECKING:
    from volition.drama.world.model import Scenario, WorldState


def _late(chance: Random, scenario: Scenario) -> WorldState:
    """A state near an end: people gone, spent, thrown out or made up, at an hour about the last."""
    world, evening = begin(scenario), scenario.evening
    world.minutes = chance.choice([0.0, evening.minutes - 5.0, evening.minutes])
    world.tick, world.catastrophes = chance.choice([0, evening.ticks - 1, evening.ticks]), chance.randint(0, 1)
    staying, spent, calm = chance.randint(0, len(world.agents)), chance.random() < 0.5, chance.random() < 0.5
    for place, me in enumerate(chance.sample(list(world.agents.values()), len(world.agents))):
        me.location = me.location if place < staying else DEPARTED
        me.thrown_out = chance.random() < 0.1
        me.last_scene = None if calm else chance.choice([None, max(0.0, world.minutes - 3.0), 0.0])
        me.pacing.recovery_timer, me.pacing.stress = (3, 0.01) if spent else (chance.randint(0, 1), 0.4)
        others = [other for other in world.agents if other != me.id]
        me.reconciled = {other for other in others if chance.random() < 0.1}
        me.grievance = {other: chance.choice([0.05, 0.9]) for other in others if chance.random() < 0.1}
    return world


def test_an_evening_stops_and_ends_as_on_the_stage() -> None:
    """In hundreds of late states: the same reason to stop, and the same ending, and every one of them comes up."""
    chance, seen = Random(1), set()
    scenarios = [*(shipped(name, by_the_letter=letter) for name, letter in READINGS), *map(invented, range(6))]
    for scenario in scenarios:
        house, tables = house_of(scenario), tables_of(scenario.rules)
        for _ in range(120):
            world = _late(chance, scenario)
            evening, ticks = state_of(world), chance.choice([10, scenario.evening.ticks])
            stop, why = stop_of(evening, house, ticks), stop_reason(world, tables, ticks)
            assert (STOPS[stop] or None) == why
            if why is not None:
                assert ENDINGS[ending_of(evening, house, stop)] == ending(world, why, tables).kind
                seen |= {STOPS[stop], ENDINGS[ending_of(evening, house, stop)]}
    assert seen == {*ENDINGS, *STOPS[GOES_ON + 1 :]}


def test_of_equal_proposals_a_draw_decides_and_then_the_order_of_the_scenario() -> None:
    """Proposals of one class and score are heard by their draws; the same draw leaves them in the scenario's order."""
    player = InterpretedPlayer(shipped("dinner-party", by_the_letter=True))
    player.begin(1)
    evening, house = player.evening, player.house
    orders = set()
    for tick in range(60):
        evening.tick = tick
        for who in range(house.people):
            evening.choice[who], evening.score[who], evening.priority[who] = house.think, 0.5, 1
        rank_proposals(evening, house)
        order = evening.order[: evening.proposals]
        assert order == sorted(range(house.people), key=lambda who: evening.tie[who])
        orders.add(tuple(order))
    assert len(orders) > 30


def test_without_sigma_there_is_no_noise() -> None:
    """Where the rules have no noise, seeds draw the same first choices."""
    scenario = shipped("dinner-party", by_the_letter=True)
    quiet = {**scenario.rules, "noise": {"sigma": 0.0}}
    choices = []
    for seed in (1, 2, 3):
        player = InterpretedPlayer(replace(scenario, rules=quiet), logged=False)
        player.begin(seed)
        player.tick()
        choices.append((player.evening.choice, player.evening.score))
    assert choices[0] == choices[1] == choices[2]
