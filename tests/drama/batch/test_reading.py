"""Rows read by name: the measures that a mind's onlooker and the audience find in the same evening, to the bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.batch.meter import Meter
from tests.drama.evening.casts import DINNER, READINGS, invented, shipped
from volition.drama.batch.reading import RowReader
from volition.drama.evening.play_many import play_many

if TYPE_CHECKING:
    from volition.drama.world.model import Scenario

pytestmark = pytest.mark.req("DE-13", "DE-19")


def _check(scenario: Scenario, seeds: list[int], ticks: int | None = None) -> None:
    rows = play_many(scenario, seeds, engine="interpreted", ticks=ticks, measures=True).measures
    meter = Meter(scenario, ticks=ticks)
    for seed, read in zip(seeds, RowReader(scenario).read(rows), strict=True):
        assert repr(read) == repr(meter.measure(seed))


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_rows_are_what_the_readable_definitions_give(name: str, by_the_letter: bool) -> None:
    """Counts, tension and irony from the log, and looks from every decision's tally, are what the laws measured: of a whole
    evening, and of the first ticks of others."""
    whole = (name, by_the_letter) == (DINNER, False)
    _check(shipped(name, by_the_letter=by_the_letter), [4], ticks=None if whole else 25)


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_so_they_are_for_invented_evenings(seed: int) -> None:
    """So they are for scenarios that nobody wrote, some with more people than packed records have room for."""
    _check(invented(seed, most_people=8 if seed % 3 else 17), [seed], ticks=12)
