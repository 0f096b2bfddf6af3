"""The golden evenings: ten thousand of them, compiled, and some of them interpreted, are what they always were."""

from __future__ import annotations

import pytest

from tests.drama.evening.casts import READINGS, shipped
from tests.drama.golden import EACH, golden, hash_of, last_states, name_of
from volition.drama.evening.play_many import play_many

INTERPRETED = (0, 700, 2499)


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_ten_thousand_evenings_are_what_they_were(name: str, by_the_letter: bool) -> None:
    """The last states and endings of 2500 evenings of each scenario and reading have one hash, whoever plays them."""
    pytest.importorskip("numba")
    scenario = shipped(name, by_the_letter=by_the_letter)
    compiled = last_states(play_many(scenario, range(EACH), engine="compiled"))
    interpreted = last_states(play_many(scenario, INTERPRETED, engine="interpreted"))
    assert interpreted == [compiled[seed] for seed in INTERPRETED]
    assert hash_of(compiled) == golden()[name_of(name, by_the_letter=by_the_letter)]
