"""The golden evenings: ten thousand of them, compiled, are what they always were."""

from __future__ import annotations

import pytest

from tests.drama import golden
from tests.drama.evening.casts import READINGS


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_ten_thousand_evenings_are_what_they_were(name: str, by_the_letter: bool) -> None:
    """The last states and endings of 2 500 evenings of each scenario and reading have one hash."""
    pytest.importorskip("numba")
    expected = golden.golden()[golden.name_of(name, by_the_letter=by_the_letter)]
    assert golden.evenings(name, by_the_letter=by_the_letter) == expected
