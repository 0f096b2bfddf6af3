"""Rows read by name: the measures that a mind's onlooker and the audience find in the same evening, to the bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.drama.company.meter import Meter
from tests.drama.evening.casts import READINGS, invented, shipped
from volition.drama.company.reading import RowReader
from volition.drama.evening.play_many import play_many
from volition.drama.evening.rows import row_type
from volition.drama.world.model import Scenario  # noqa: TC001 - the signature of a helper

pytestmark = pytest.mark.req("DE-13", "DE-19")


def _check(scenario: Scenario, seeds: list[int], ticks: int | None = None) -> None:
    rows = play_many(scenario, seeds, engine="interpreted", ticks=ticks, measures=True).measures
    meter = Meter(scenario)
    for seed, read in zip(seeds, RowReader(scenario).read(rows), strict=True):
        assert repr(read) == repr(meter.measure(seed))


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_rows_are_what_the_readable_definitions_give(name: str, by_the_letter: bool) -> None:
    """Counts, tension and irony from the log, and looks from every decision's tally, are what the laws measured."""
    _check(shipped(name, by_the_letter=by_the_letter), [4])


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_so_they_are_for_invented_evenings(seed: int) -> None:
    """So they are for scenarios that nobody wrote, some with more people than packed records have room for."""
    _check(invented(seed, most_people=8 if seed % 3 else 17), [seed])


@pytest.mark.req("DE-24")
def test_rows_of_an_earlier_version() -> None:
    """Rows that were stored before evenings were measured as stories are read as they are, without one."""
    scenario = shipped("dinner-party")
    rows = play_many(scenario, [1], engine="interpreted", ticks=9, measures=True).measures
    earlier = np.zeros(1, row_type(len(scenario.people), 2))
    for name in earlier.dtype.names or ():
        earlier[name] = rows.row[name]
    now, then = (next(RowReader(scenario).read(replace(rows, row=row))) for row in (rows.row, earlier))
    assert then.story is None
    plain = replace(now.looks, decided={}, awake={}, swayed={})
    assert repr(then) == repr(replace(now, story=None, looks=plain))
