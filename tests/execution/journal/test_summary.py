"""Deaths are counted once, from states: a drive, the summary of its journal and the page say the same."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.worlds.pilot.test_play import RING, by_chance
from volition.execution import connect
from volition.execution.journal.summary import DeathCount, summarise_journal
from volition.execution.worlds.pilot import Pilot, drive

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.req("EX-16")


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from([True, False, None])), max_size=30))
def test_a_death_is_a_dead_state_after_a_living_one_of_its_episode(seen: list[tuple[int, bool | None]]) -> None:
    """However states come, the count is that of pairs of neighbours, alive and then dead, within an episode."""
    deaths = DeathCount()
    for episode, alive in seen:
        deaths.see_state(episode, {"actor": {} if alive is None else {"alive": alive}})
    telling = [one for one in seen if one[1] is not None]
    pairs = pairwise(telling)
    assert deaths.count == sum(one == (two[0], True) and two[1] is False for one, two in pairs)


def test_results_count_where_states_do_not_say() -> None:
    """Of an executor whose states say nothing of life, the results are counted, a row of dead ones as one death; where states
    say it, results add nothing."""
    silent, telling = DeathCount(), DeathCount()
    for died in (False, True, True, False, True):
        silent.see_result(died=died)
    telling.see_state(1, {"actor": {"alive": True}})
    telling.see_result(died=True)
    assert (silent.count, telling.count) == (2, 0)
    telling.see_state(1, {"actor": {"alive": False}})
    assert telling.count == 1


def test_a_drive_and_its_journal_agree(tmp_path: Path) -> None:
    """A policy that acts by chance is killed, and goes on trying; the drive and its journal count one death."""
    with connect("embedded", map=RING, seed=1, journal=tmp_path / "journal") as body:
        course = drive(body, 150, pilot=Pilot(by_chance(1)))
    assert summarise_journal(tmp_path / "journal").deaths == course.deaths == 1
