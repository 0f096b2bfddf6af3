"""The tile world: what its text means, what it offers, and its distances against brute force."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.arbitration.tilemap import LEGEND, Position, Tile, TileMap
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told

maps = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda size: st.lists(st.text("#.~", min_size=size[0], max_size=size[0]), min_size=size[1], max_size=size[1]).map(
        lambda rows: TileMap.parse("\n".join(rows))
    )
)


def cells(world: TileMap) -> list[Position]:
    return list(product(range(world.width), range(world.height)))


def relaxed(world: TileMap, target: Position, around: tuple[str, ...]) -> dict[Position, int]:
    """Distances by the definition alone: relax every pair of neighbours until nothing changes."""
    ground = [cell for cell in cells(world) if world.tag(cell) not in ("wall", *around)]
    far = len(ground) + 1
    found = {cell: 0 if cell == target else far for cell in ground}
    for _ in ground:
        for a, b in product(ground, ground):
            if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1:
                found[a] = min(found[a], found[b] + 1)
    return {cell: distance for cell, distance in found.items() if distance < far}


@pytest.mark.req("AR-18")
@given(maps, st.data())
def test_distances_are_the_shortest(world: TileMap, data: st.DataObject) -> None:
    """Breadth-first distances equal those of brute force, for every target, with and without tags to go around."""
    target = data.draw(st.sampled_from(cells(world)))
    for around in ((), ("hazard",)):
        assert world.distances(target, around) == relaxed(world, target, around)


@pytest.mark.req("AR-18")
@given(maps)
def test_moves_are_never_into_walls_or_outside(world: TileMap) -> None:
    """From any ground the offer is staying, then the neighbours that are ground, in the fixed order; never a wall."""
    names = {(0, 0): "stay", (0, -1): "north", (1, 0): "east", (0, 1): "south", (-1, 0): "west"}
    for x, y in cells(world):
        if world.tag((x, y)) == "wall":
            with pytest.raises(InvalidInput, match="is in a wall"):
                world.moves((x, y))
            continue
        near = {(x + dx, y + dy): name for (dx, dy), name in names.items()}
        expected = [
            Tile(name, there, world.tag(there))
            for there, name in near.items()
            if there in world and world.tag(there) != "wall"
        ]
        assert list(world.moves((x, y))) == expected
        assert expected[0].id == "stay"


def test_parse() -> None:
    """A text map is read by row and column, with its indentation dropped, its legend extended, and its version."""
    world = TileMap.parse(
        """
        #.~
        !,o
        """,
        legend={"!": "fire"},
        version=3,
    )
    assert world.rows == (("wall", "floor", "hazard"), ("fire", "grass", "water"))
    assert (world.width, world.height, world.version) == (3, 2, 3)
    assert world.tag((2, 0)) == "hazard"
    assert world.tags == {*LEGEND.values(), "fire"}
    assert TileMap.parse(" .\n. ", legend={" ": "void"}).rows == (("void", "floor"), ("floor", "void"))
    assert TileMap.parse(".#\r\n..\r\n") == TileMap.parse(".#\n..")


def test_all_errors_of_a_map_arrive_at_once() -> None:
    """Ragged rows and unknown characters are all named, by row and column."""
    with pytest.raises(InvalidInput) as caught:
        TileMap.parse("...\n.?\n..!.")
    assert [problem.where for problem in caught.value.problems] == [
        "map, row 1, column 2",
        "map, row 1, column 1",
        "map, row 2, column 3",
        "map, row 2, column 2",
    ]


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_map_is_refused(text: str) -> None:
    """A map has at least one tile."""
    with pytest.raises(InvalidInput, match="empty"):
        TileMap.parse(text)


@pytest.mark.parametrize("legend", [{"ab": "x"}, {"": "x"}, {"a": ""}, {"a": 1}, {1: "x"}])
def test_a_legend_has_single_characters(legend: Any) -> None:
    """A legend maps single characters to tags."""
    with pytest.raises(InvalidInput, match="means"):
        TileMap.parse(".", legend=legend)


@pytest.mark.parametrize("rows", [(), ((),), (("floor",), ("floor", "floor"))])
def test_rows_are_of_one_width(rows: Any, told: Told) -> None:
    """A map made without text obeys the same law."""
    with told.raises(InvalidInput):
        TileMap(rows)


@pytest.mark.parametrize("position", [(3, 0), (0, 2), (-1, 0), (0.0, 0), [0, 0], (True, 0), (0,), "ab"])
def test_outside_is_an_error(position: Any, told: Told) -> None:
    """A position that is not on the map is refused, with the map's size; so is a target."""
    world = TileMap.parse("...\n...")
    for ask in (world.moves, world.tag, world.distances):
        with told.raises(InvalidInput):
            ask(position)


def test_fields_are_computed_once() -> None:
    """The distances for a target and tags are computed once, whatever the order of the tags; few are kept."""
    world = TileMap.parse("." * 100)
    field = world.distances((0, 0), ["hazard", "water"])
    assert world.distances((0, 0), ("water", "hazard", "water")) is field
    assert world.distances((0, 0)) is not field
    for x in range(100):
        world.distances((x, 0))
    assert len(world._fields) == 64
    assert world.distances((0, 0), ["hazard", "water"]) == field


def test_the_cache_is_not_part_of_the_map() -> None:
    """Maps are equal and hash alike by rows and version, whatever was asked of them."""
    asked, fresh = TileMap.parse(".."), TileMap.parse("..")
    asked.distances((0, 0))
    assert (asked, hash(asked)) == (fresh, hash(fresh))
    assert TileMap.parse("..", version=1) != fresh
