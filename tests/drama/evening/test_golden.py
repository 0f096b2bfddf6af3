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
    (DINNER, False): "080c42fa7300d934627a3723b8b34f93d2378a922b94ad819fcc994d814a325b",
    (DINNER, True): "4fd324d2523c276dcab7de4f33697a1d1736043e1b6f04bda356d55b96079cc5",
    (STATION, False): "03c4f7553816cce3f0cc0e7033554972ba7ba1e10c62a7ca6a3017c3a11fccdb",
    (STATION, True): "96b8abf5818b43b3c523676b91aefef31d8877cec977cf574901236a71e1814d",
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
