"""The golden evenings: ten thousand of them, compiled, and some of them interpreted, are what they always were.

Whoever changes an evening raises RULES_VERSION and writes the new hashes here.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.casts import DINNER, STATION, shipped
from volition.drama.evening.play_many import play_many

if TYPE_CHECKING:
    from volition.drama.evening.played import PlayedEvenings

EACH = 2500
INTERPRETED = (0, 700, 2499)
GOLDEN = {
    (DINNER, False): "1b877ca752e8038c7249985c27627f3b2b9dfcded6875ab844bea68c0b9bb7f7",
    (DINNER, True): "6cfbb698a941473ac2f7dbd6eb79cd4347974486b05e90b2ee6a31011cde2156",
    (STATION, False): "692e335a6a75b449288c3d6bb7dcbbf619f2b56bc57794f2a2eb9e3174c7bd81",
    (STATION, True): "75317b2389825c3945fd0d9b646718a0820229f59334d12838afb75288208c32",
}


def _digests(played: PlayedEvenings) -> list[str]:
    return [played.digest(number) + played.ending(number) for number in range(len(played))]


@pytest.mark.parametrize(("name", "by_the_letter"), GOLDEN)
def test_ten_thousand_evenings_are_what_they_were(name: str, by_the_letter: bool) -> None:
    """The last states and endings of 2500 evenings of each scenario and reading have one hash, whoever plays them."""
    pytest.importorskip("numba")
    scenario = shipped(name, by_the_letter=by_the_letter)
    digests = _digests(play_many(scenario, range(EACH), engine="compiled"))
    interpreted = _digests(play_many(scenario, INTERPRETED, engine="interpreted"))
    assert interpreted == [digests[seed] for seed in INTERPRETED]
    assert sha256("".join(digests).encode()).hexdigest() == GOLDEN[name, by_the_letter]
