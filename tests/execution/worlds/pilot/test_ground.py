"""The ground: what the way of a body meets on it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.execution.worlds.pilot.maps import rows
from volition.execution.worlds.pilot.ground import MARGIN, Ground, tile_of

POOL = Ground(("#######", "#.....#", "#.~...#", "#.....#", "#######"))
PLACES = st.tuples(st.floats(1.0, 8.0), st.floats(1.0, 5.0))
PARTS = 400


@given(rows(), PLACES, PLACES)
def test_no_hazard_on_the_way_is_missed(drawn: list[str], start: tuple[float, float], end: tuple[float, float]) -> None:
    """Walking the way in small parts finds no hazard that the ground did not name."""
    ground = Ground(tuple(drawn))
    met = {meeting.tile for meeting in ground.meets_hazard(start, end)}
    for part in range(1, PARTS):
        share = part / PARTS
        tile = tile_of((start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share))
        assert tile in met or not ground.is_hazard(tile)


@given(rows(), PLACES, PLACES)
def test_what_is_met_is_near(drawn: list[str], start: tuple[float, float], end: tuple[float, float]) -> None:
    """A tile that the ground names is touched by the way within the margin, at the shares that it names."""
    for meeting in Ground(tuple(drawn)).meets_hazard(start, end):
        share = (meeting.enters + meeting.leaves) / 2
        x, y = start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
        column, row = meeting.tile
        assert max(column - x, x - column - 1, row - y, y - row - 1) <= MARGIN + 1e-9


def test_the_whole_way_counts() -> None:
    """A way from floor to floor over a hazard meets it, and one beside it does not."""
    assert [meeting.tile for meeting in POOL.meets_hazard((1.5, 2.5), (4.5, 2.5))] == [(2, 2)]
    assert POOL.meets_hazard((1.5, 1.5), (4.5, 1.5)) == []


def test_a_margin_is_kept() -> None:
    """A way that passes a hazard more closely than the margin meets it."""
    assert POOL.meets_hazard((1.5, 2.0 - MARGIN / 2), (4.5, 2.0 - MARGIN / 2)) != []
    assert POOL.meets_hazard((1.5, 2.0 - 2 * MARGIN), (4.5, 2.0 - 2 * MARGIN)) == []


def test_who_is_near_already_may_go_along_and_away() -> None:
    """A body within the margin of a hazard may go along it or away from it, and not nearer."""
    near = 2.0 - MARGIN / 2
    assert POOL.meets_hazard((2.5, near), (3.5, near)) == []
    assert POOL.meets_hazard((2.5, near), (2.5, near - 0.5)) == []
    assert POOL.meets_hazard((2.5, near), (2.7, near + 0.01)) != []


def test_walls_hide() -> None:
    """A line of sight ends at a wall."""
    ground = Ground(("#####", "#.#.#", "#...#", "#####"))
    assert not ground.sees((1.5, 1.5), (3.5, 1.5))
    assert ground.sees((1.5, 2.5), (3.5, 2.5))
