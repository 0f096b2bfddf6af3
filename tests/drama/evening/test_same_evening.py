"""The law of the one source: the evening that it plays is the stage's own, to the byte of its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from tests.drama.evening.casts import READINGS, invented, shipped
from volition.drama.evening.building import sizes_of
from volition.drama.evening.players import InterpretedPlayer
from volition.drama.evening.record import digest_of
from volition.drama.evening.state import EveningState
from volition.drama.evening.views import state_of
from volition.drama.stage.archive import tick_to_data
from volition.drama.stage.logged import play_logged
from volition.drama.stage.replay import state_at
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario


def difference(ours: Run, theirs: Run) -> str | None:
    """Where two runs differ first, in bytes as a ledger holds them; None where they are the same."""
    for one, other in zip(ours.ticks, theirs.ticks, strict=False):
        mine, its = tick_to_data(one), tick_to_data(other)
        if orjson.dumps(mine) != orjson.dumps(its):
            return f"tick {one.tick}: {', '.join(key for key in its if mine[key] != its[key]) or 'order or type'}"
    if len(ours.ticks) != len(theirs.ticks):
        return f"{len(ours.ticks)} ticks, not {len(theirs.ticks)}"
    if orjson.dumps(ours.opening) != orjson.dumps(theirs.opening):
        return "the opening"
    return None if ours.ending == theirs.ending else "the ending"


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
@pytest.mark.parametrize("seed", [1, 12, 13, 2**63 + 9])
def test_the_same_log_as_the_stage(name: str, by_the_letter: bool, seed: int) -> None:
    """Choices, scores, events, deltas, strains, causes, opening and ending: every byte is the stage's."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    assert difference(play_logged(scenario, seed), run(scenario, seed)) is None


@pytest.mark.parametrize("seed", range(24))
def test_so_it_is_for_invented_evenings(seed: int) -> None:
    """Scenarios up to the limits and beyond, under odd rules, are played as the stage plays them."""
    scenario = invented(seed, most_people=8 if seed % 3 else 12)
    assert difference(play_logged(scenario, seed), run(scenario, seed)) is None


@pytest.mark.parametrize("ticks", [0, 1, 17])
def test_a_shorter_evening_is_broken_off_alike(ticks: int) -> None:
    """An evening of at most so many ticks stops and ends as on the stage."""
    scenario = shipped("dinner-party")
    assert difference(play_logged(scenario, 4, ticks=ticks), run(scenario, 4, ticks=ticks)) is None


def _last(scenario: Scenario, seed: int) -> tuple[Run, InterpretedPlayer]:
    played, player = play_logged(scenario, seed), InterpretedPlayer(scenario, logged=False)
    player.begin(seed)
    for _ in played.ticks:
        player.tick()
    return played, player


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_the_log_leads_to_the_last_state(name: str, by_the_letter: bool) -> None:
    """The opening and the deltas of the log, applied by a replay that asks no rule, give the last state."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    played, player = _last(scenario, 8)
    replayed = state_of(state_at(played, len(played.ticks)), 8)
    sizes = sizes_of(scenario)
    assert digest_of(replayed, EveningState, sizes) == digest_of(player.state(), EveningState, sizes)
