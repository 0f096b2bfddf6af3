"""The golden evenings: two thousand of them, compiled, are what they always were."""

from __future__ import annotations

import pytest

from tests.drama import golden
from tests.drama.evening.casts import READINGS


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_two_thousand_evenings_are_what_they_were(name: str, by_the_letter: bool) -> None:
    """The last states and endings of 500 evenings of each scenario and reading have one hash.

    With it, that of the ten thousand evenings of a benchmark is written again.
    """
    pytest.importorskip("numba")
    called = golden.name_of(name, by_the_letter=by_the_letter, count=golden.EACH)
    assert golden.evenings(name, by_the_letter=by_the_letter, count=golden.EACH) == golden.golden()[called]
