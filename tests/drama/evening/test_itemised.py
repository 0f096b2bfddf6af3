"""Laws of weighing: what is on offer, and what each term says of it, are the mind's own, item by item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.casts import READINGS, invented, shipped
from volition.drama.evening.choose import add_noise, weigh
from volition.drama.evening.perceive import perceive
from volition.drama.evening.players import InterpretedPlayer
from volition.drama.evening.record import DEPARTED
from volition.drama.evening.views import ScenarioNames, world_of
from volition.drama.evening.weigh import TERMS
from volition.drama.mind.mind import Mind, _Sheet
from volition.drama.mind.perception import perceive as perceived_by_mind
from volition.drama.stage.logged import play_logged
from volition.drama.stage.replay import steps

if TYPE_CHECKING:
    from volition.drama.world.model import Scenario, WorldState


def _check(scenario: Scenario, mind: Mind, player: InterpretedPlayer, world: WorldState, seed: int) -> int:
    """Compare everybody's desk with the mind's sheet; how many acts were weighed."""
    acts, weighed, evening = ScenarioNames(scenario).acts, 0, player.evening
    player.desk.itemised = 1
    for who, me in enumerate(world.agents.values()):
        if evening.room[who] == DEPARTED:
            continue
        perceive(evening, player.house, who, player.seen)
        weigh(evening, player.house, who, player.seen, player.desk)
        add_noise(evening, player.house, who, player.desk)
        seen, desk = perceived_by_mind(world, me.id, mind.tables), player.desk
        offered = mind.repertoire.candidates(me, seen)
        assert [acts[desk.act[place]] for place in range(desk.acts)] == [action.id for action in offered]
        sheet = _Sheet(mind, me, seen, seed)
        for term, name in enumerate(TERMS):
            assert desk.terms[term][: desk.acts] == sheet.column(name, offered), name
        for place in range(desk.acts):
            assert sum(desk.terms[term][place] for term in range(len(TERMS))) == desk.worth[place]
        weighed += desk.acts
    player.desk.itemised = 0
    return weighed


def _check_evening(scenario: Scenario, seed: int, ticks: int) -> int:
    mind, player, weighed = Mind(scenario), InterpretedPlayer(scenario, logged=False), 0
    player.begin(seed)
    for replayed, _ in steps(play_logged(scenario, seed, ticks=ticks)):
        world = world_of(player.evening, scenario, replayed.recent)
        weighed += _check(scenario, mind, player, world, seed)
        player.tick()
    return weighed


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_every_term_is_the_minds_own(name: str, by_the_letter: bool) -> None:
    """The desk holds the mind's candidates in their order, every term to the bit, and worths are the sums of terms."""
    assert _check_evening(shipped(name, by_the_letter=by_the_letter), 7, 40) > 1000


@pytest.mark.parametrize("seed", range(9))
def test_so_it_is_in_invented_evenings(seed: int) -> None:
    """In scenarios of any size and under odd rules the desk is the mind's sheet."""
    assert _check_evening(invented(seed), seed, 12) > 0


def test_weighing_item_by_item_changes_nothing() -> None:
    """An evening whose desk is itemised is the same evening: barred acts are weighed and never chosen."""
    scenario = shipped("dinner-party")
    players = [InterpretedPlayer(scenario, logged=False) for _ in range(2)]
    players[1].desk.itemised = 1
    for player in players:
        player.begin(3)
    for _ in range(50):
        for player in players:
            player.tick()
        assert players[0].evening.choice == players[1].evening.choice
