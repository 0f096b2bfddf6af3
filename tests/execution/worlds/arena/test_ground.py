"""The ground of the arena: the grid, the one search over it, and maps with every mistake in one."""

from __future__ import annotations

from collections import deque
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.worlds.pilot.maps import rows
from volition.core.errors import InvalidInput
from volition.execution.worlds.arena import ArenaMap, read_map, shipped_map
from volition.execution.worlds.arena.ground import LEGEND, SHIPPED_MAPS, WALL, TileGrid, parse_map, search
from volition.execution.worlds.arena.rules import AHEAD

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution.worlds.arena.ground import Tile


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


GOOD = "; a comment\nname: room\n\n#####\n#@~-#\n#..&#\n#####\n"


def problems_of(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        parse_map(text, "m")
    return [f"{problem.what} @ {problem.where}" for problem in caught.value.problems]


def test_a_map() -> None:
    """Comments and empty lines are skipped, and all starts become floor."""
    read = parse_map(GOOD)
    assert (read.name, read.rows) == ("room", ("#####", "#.~-#", "#...#", "#####"))
    assert (read.actor_starts, read.opponent_starts) == (((1, 1),), ((3, 2),))


def test_a_map_may_have_several_starts() -> None:
    """Every `@` and every `&` is a start, row by row, and all are floor; the text of a map reads as that map."""
    read = parse_map("name: room\n#####\n#&@.#\n#@.@#\n#.&&#\n#####")
    assert read.rows[1:4] == ("#...#",) * 3
    assert (read.actor_starts, read.opponent_starts) == (((2, 1), (1, 2), (3, 2)), ((1, 1), (2, 3), (3, 3)))
    assert parse_map(read.to_text()) == read


def test_line_ends_of_any_system() -> None:
    """CRLF and blanks at the ends of lines change nothing."""
    assert parse_map(GOOD.replace("\n", " \r\n")) == parse_map(GOOD)


def test_all_mistakes_arrive_at_once() -> None:
    """Every mistake is named, by line and column counted from 1."""
    assert problems_of("name: My Room\n\n####\n#@?.\n#@#\n####") == [
        "the name is 'My Room' @ m, line 1",
        "'?' is not in the legend @ m, line 4, column 3",
        "the border has a gap @ m, line 4, column 4",
        "the row is 3 wide, and the first one 4 @ m, line 5",
        "there is no '&' on the map @ m",
    ]


def test_the_smallest_mistakes() -> None:
    """No name, no rows, and a map that is too large are mistakes."""
    assert problems_of("")[:2] == ["the map has no name @ m, line 1", "the map is 0 wide and 0 high @ m"]
    large = "\n".join(["name: m", "#" * 65, "#@&" + "." * 61 + "#", "#" * 65])
    assert problems_of(large) == ["the map is 65 wide and 3 high @ m"]


@given(st.text(alphabet="#.~-@&\n;nameroom: x", max_size=200))
def test_any_text_is_a_map_or_a_refusal(text: str) -> None:
    """Whatever the text, there is a map whose border is closed, or an InvalidInput."""
    try:
        read = parse_map(text)
    except InvalidInput:
        return
    assert set("".join(read.rows)) <= set(LEGEND)
    assert set(read.rows[0] + read.rows[-1]) == {"#"}


@pytest.mark.parametrize("name", SHIPPED_MAPS)
def test_the_shipped_maps(name: str) -> None:
    """Every shipped map reads, under its own name."""
    assert shipped_map(name).name == name


def test_a_map_that_is_not_there(tmp_path: Path, told: Told) -> None:
    """A missing file, a file that is not text, and an unknown name are refused with a remedy."""
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    for path in (tmp_path / "none.txt", tmp_path / "bad.txt"):
        with told.raises(InvalidInput):
            read_map(path)
    with told.raises(InvalidInput):
        shipped_map("cortyard")
    (tmp_path / "good.txt").write_text(GOOD)
    assert read_map(tmp_path / "good.txt") == parse_map(GOOD)


def test_where_a_tile_begins() -> None:
    """A tile holds its upper and left edge, and not its lower and right one; beyond the map all is wall."""
    read = parse_map(GOOD)
    assert [read.tile(x, 1000) for x in (999, 1000, 1999, 2000, 2999, 3000, 3999, 4000, 99999)] == list("#..~~--##")
    assert [read.tile(1000, y) for y in (-1, 999, 1000, 2999, 3000, 4000)] == list("##..##")
    assert read.contains(4999, 3999)
    assert not any((read.contains(5000, 0), read.contains(0, 4000), read.contains(-1, 0)))


@pytest.mark.parametrize("tiles", list(product("#.", repeat=4)), ids="".join)
def test_a_step_is_free_where_no_corner_is_cut(tiles: tuple[str, ...]) -> None:
    """Over a corner of any four tiles, a step is free exactly where both ways around it meet no wall at any point."""
    map = ArenaMap(("####", f"#{tiles[0]}{tiles[1]}#", f"#{tiles[2]}{tiles[3]}#", "####"), "corner", (), ())
    for x, y, to_x, to_y in product((1990, 1999, 2000, 2010), repeat=4):
        if map.tile(x, y) == WALL:
            continue
        xs, ys = range(min(x, to_x), max(x, to_x) + 1), range(min(y, to_y), max(y, to_y) + 1)
        around = [*((each, y) for each in xs), *((each, to_y) for each in xs)]
        around += [*((x, each) for each in ys), *((to_x, each) for each in ys)]
        free = all(map.tile(*point) != WALL for point in around)
        assert map.passable(x, y, to_x - x, to_y - y, WALL) == free
