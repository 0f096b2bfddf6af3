"""The grid of tiles, and the one search over it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.execution.worlds.pilot.maps import rows
from volition.core.errors import InvalidInput
from volition.execution.worlds.arena.facing import AHEAD
from volition.execution.worlds.arena.grid import TileGrid, search

if TYPE_CHECKING:
    from volition.execution.worlds.arena.grid import Tile


def test_an_unknown_tile_is_a_hazard() -> None:
    """A character without a meaning is a hazard, and beyond the edge all is wall."""
    grid = TileGrid(("#?X.#",))
    assert (grid.is_hazard((1, 0)), grid.is_hazard((2, 0)), grid.is_wall((3, 1))) == (True, True, True)
    assert (grid.is_safe((3, 0)), grid.is_safe((3, 1)), grid.is_hazard((-1, 0))) == (True, False, False)


@pytest.mark.parametrize("lines", [(), ("",), ("##", "#")])
def test_rows_have_one_length(lines: tuple[str, ...]) -> None:
    """Rows of different lengths, and no rows at all, are refused."""
    with pytest.raises(InvalidInput, match="one length"):
        TileGrid(lines)


@given(rows())
def test_equal_steps_are_searched_breadth_first(drawn: list[str]) -> None:
    """Where all steps are equally long, tiles, order, distances and paths are those of a plain queue."""
    grid, start = TileGrid(tuple(drawn)), (1, 1)

    def around(tile: Tile) -> list[Tile]:
        steps = [(tile[0] + dx, tile[1] + dy) for dx, dy in AHEAD.values()]
        return [step for step in steps if grid.is_safe(step)]

    queue, seen, expected = deque([(start, 0.0, start)]), {start}, []
    while queue:
        tile, far, _ = found = queue.popleft()
        expected.append(found)
        for step in around(tile):
            if step not in seen:
                seen.add(step)
                queue.append((step, far + 1.0, tile))
    assert list(search(start, lambda tile: [(1.0, step) for step in around(tile)])) == expected
