"""Laws of checksums: every part of a state counts, wherever it stands, and nothing else does."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.evening.casts import invented
from tests.drama.evening.stepping import InterpretedSteps
from volition.core.chance import MASK_64
from volition.drama.evening.checksum import checksum
from volition.drama.evening.record import copy_plain, parts_of
from volition.drama.evening.state import EveningState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.tables import ScenarioTables


@cache
def _player() -> InterpretedSteps:
    """A small evening with secrets, needs and a thing, in full swing."""
    player = InterpretedSteps(invented(4, most_people=3, most_rooms=3), logged=False)
    player.begin(3)
    for _ in range(25):
        player.tick()
    return player


def _played() -> tuple[EveningState, ScenarioTables]:
    """An evening after 25 ticks, which a test may change, and its house."""
    return copy_plain(_player().evening, EveningState), _player().tables


def _rows(held: Any) -> Iterator[list[Any]]:
    """Every innermost list."""
    if isinstance(held[0], list):
        for one in held:
            yield from _rows(one)
    else:
        yield held


@pytest.mark.parametrize("part", parts_of(EveningState), ids=lambda part: part.name)
def test_every_number_of_the_state_counts_and_no_other(part: Any) -> None:
    """Whatever number of the state proper changes, the checksum is another; memory and scratch do not count."""
    (evening, tables), name = _played(), part.name
    held = getattr(evening, name)
    before, counts = checksum(evening, tables), part.delta is not None or name == "seed"
    assert 0 <= before <= MASK_64
    if not isinstance(held, list):
        setattr(evening, name, held + 1)
        assert (checksum(evening, tables) != before) == counts
        return
    for row in _rows(held):
        for place, number in enumerate(row):
            row[place] = number + 1
            assert (checksum(evening, tables) != before) == counts, place
            row[place] = number
    assert checksum(evening, tables) == before


def test_where_a_number_stands_counts() -> None:
    """The same numbers in other places have another checksum, and so has a zero of the other sign."""
    evening, tables = _played()
    before = checksum(evening, tables)
    evening.trust[0], evening.trust[1] = evening.trust[1], evening.trust[0]
    assert checksum(evening, tables) != before
    evening.trust[0], evening.trust[1] = evening.trust[1], evening.trust[0]
    assert evening.trust[0][0] == 0.0
    evening.trust[0][0] = -0.0
    assert checksum(evening, tables) != before
