"""The golden evenings: two thousand of them, compiled, are what they always were."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest

from tests.drama import golden
from tests.drama.evening.casts import READINGS

if TYPE_CHECKING:
    from tests.sentences import Told


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_two_thousand_evenings_are_what_they_were(name: str, by_the_letter: bool) -> None:
    """The last states and endings of 500 evenings of each scenario and reading have one hash."""
    pytest.importorskip("numba")
    expected = golden.golden()[golden.name_of(name, by_the_letter=by_the_letter)]
    played = golden.play(name, by_the_letter=by_the_letter)
    if golden.evenings(played) != expected:
        pytest.fail(golden.which_changed(played, name, by_the_letter=by_the_letter))


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_a_change_of_an_evening_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, by_the_letter: bool, told: Told
) -> None:
    """The recorded evenings are as they are played; where a record differs, the first difference is named."""
    assert golden.what_changed(name, by_the_letter=by_the_letter).endswith(": as recorded")
    called, recorded = golden.name_of(name, by_the_letter=by_the_letter), golden.recorded()
    ticks = [*recorded[called]["ticks"]]
    ticks[7] = deepcopy(ticks[7])
    ticks[7][0], ticks[7][1]["events"][0]["room"] = 0, "nowhere"
    other = {**recorded, called: {**recorded[called], "ticks": ticks}}
    monkeypatch.setattr(golden, "recorded", lambda: other)
    told(golden.what_changed(name, by_the_letter=by_the_letter))
