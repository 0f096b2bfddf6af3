"""The ground as the pilot knows it: what the way of a body meets, and how far it is on ways that no hazard lies on."""

from __future__ import annotations

from math import dist, inf, isclose, sqrt
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.execution.worlds.pilot.maps import rows
from volition.execution.worlds.pilot.ground import (
    BRINK,
    LEAP_COST,
    MARGIN,
    DistanceField,
    Ground,
    centre,
    field_to,
    tile_of,
)

if TYPE_CHECKING:
    from volition.execution.worlds.arena.ground import Tile


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


CHANNEL = Ground(("#######", "#..~..#", "#..~..#", "#######"))


def relaxed(ground: Ground, target: Tile) -> dict[Tile, float]:
    """The same distances without leaps, by going over all tiles until nothing changes any more."""
    far = dict.fromkeys(ground.safe, inf)
    if target in far:
        far[target] = 0.0
    changed = True
    while changed:
        changed = False
        for x, y in ground.safe:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if {(x + dx, y + dy), (x + dx, y), (x, y + dy)} <= ground.safe:
                        through = far[(x + dx, y + dy)] + (sqrt(2) if dx and dy else float(bool(dx or dy)))
                        if through < far[(x, y)] - 1e-12:
                            far[(x, y)], changed = through, True
    return far


@given(rows(), st.data())
def test_distances_are_the_shortest(drawn: list[str], data: st.DataObject) -> None:
    """Every distance is the one that plain relaxation over all tiles finds."""
    ground = Ground(tuple(drawn))
    target = (data.draw(st.integers(1, ground.width - 2)), data.draw(st.integers(1, ground.height - 2)))
    field, slow = DistanceField(ground, target), relaxed(ground, target)
    for tile, far in slow.items():
        assert field[tile] == far == inf or isclose(field[tile], far, abs_tol=1e-9)


@given(rows(), st.data())
def test_waypoints_lead_there_and_past_no_hazard(drawn: list[str], data: st.DataObject) -> None:
    """Going from waypoint to waypoint arrives, and no leg of the way meets a hazard or a wall."""
    ground = Ground(tuple(drawn))
    target = (data.draw(st.integers(1, ground.width - 2)), data.draw(st.integers(1, ground.height - 2)))
    tile = data.draw(st.sampled_from(sorted(ground.safe) or [target]))
    place, goal, field = centre(tile), centre(target), DistanceField(ground, target)
    if field[tile] == inf:
        assert field.waypoint(place, goal) is None
        return
    for _ in range(200):
        if dist(place, goal) < 0.05:
            break
        following = field.waypoint(place, goal)
        assert following is not None
        assert ground.meets_hazard(place, following) == []
        assert ground.meets_wall(place, following) is None
        place = following
    assert dist(place, goal) < 0.05


def test_a_leap_is_a_way() -> None:
    """Over one hazard leads a leap, from the brink, for those who can; others have no way."""
    target = (5, 1)
    assert DistanceField(CHANNEL, target)[(1, 1)] == inf
    field = DistanceField(CHANNEL, target, can_leap=True)
    assert field[(2, 1)] == 0.5 + LEAP_COST + 1.0
    assert field.waypoint(centre((2, 1)), centre(target)) == (3.0 - BRINK, 1.5)
    assert field.leap_from(centre((2, 1)), centre(target)) is None
    leap = field.leap_from((3.0 - BRINK, 1.5), centre(target))
    assert leap is not None
    assert (leap.heading, leap.far, tile_of(leap.landing)) == ("east", (4, 1), (4, 1))


def test_no_leap_over_two_hazards_or_under_a_beam() -> None:
    """There is no way over what a leap cannot cross, or where there is no room to jump."""
    for row in ("#.~~.#", "#-~..#", "#.~-.#"):
        ground = Ground(("######", row, "######"))
        assert DistanceField(ground, (4, 1), can_leap=True)[(1, 1)] == inf


def test_a_short_way_around_is_taken() -> None:
    """Where a way around is shorter than a leap counts for, nobody leaps."""
    ground = Ground(("#####", "#.~.#", "#...#", "#####"))
    field = DistanceField(ground, (3, 1), can_leap=True)
    assert field.waypoint(centre((1, 1)), centre((3, 1))) == centre((1, 2))


def test_a_goal_in_a_hazard_has_no_way() -> None:
    """Nothing leads into a hazard."""
    assert field_to(CHANNEL, (3, 1), True)[(2, 1)] == inf
