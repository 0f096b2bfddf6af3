"""The golden evenings: two thousand of them, compiled, are what they always were.

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

EACH = 500
GOLDEN = {
    (DINNER, False): "394699f90d9dfa959f48533721bc125348085a20e2e32bdff6d3436e18a7cbaf",
    (DINNER, True): "95bd05cdae87f31cc4a93579303e2fcb1a783e8aa492c2b7d5be9f866f79fbed",
    (STATION, False): "87265007bfec798c8780b23463d3ea0c54017ecb66a2d215b496daecaba6d967",
    (STATION, True): "f014deb3c1e516dbe6e1cfdb547d1991ce53ffec445b7da265fed89d7d088c1f",
}


def _digests(played: PlayedEvenings) -> list[str]:
    return [played.digest(number) + played.ending(number) for number in range(len(played))]


@pytest.mark.parametrize(("name", "by_the_letter"), GOLDEN)
def test_two_thousand_evenings_are_what_they_were(name: str, by_the_letter: bool) -> None:
    """The last states and endings of 500 evenings of each scenario and reading have one hash."""
    pytest.importorskip("numba")
    scenario = shipped(name, by_the_letter=by_the_letter)
    digests = _digests(play_many(scenario, range(EACH), engine="compiled"))
    assert sha256("".join(digests).encode()).hexdigest() == GOLDEN[name, by_the_letter]
