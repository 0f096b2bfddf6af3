"""avoid, reach and hold over a tile world."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.test_tilemap import cells, maps, relaxed
from volition.arbitration.tilemap import Position, TileMap, TileSituation
from volition.arbitration.tiles import Avoid, HoldStill, Reach, avoid, hold, reach
from volition.core.errors import InvalidInput, Problems

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.arbitration.intent import Intent, Kind

pytestmark = pytest.mark.req("AR-18")

WHERE = "intentions[1].intent"
tags = st.sampled_from(["hazard", "water", "grass"])


def ask(intent: Intent, kind: Kind, world: TileMap, position: Position) -> dict[str, Any]:
    moves = world.moves(position)
    names = [move.id for move in moves]
    return dict(zip(names, intent.ask(kind, moves, names, TileSituation(world, position)), strict=True))


def votes(intent: Intent, world: TileMap, position: Position) -> dict[str, Any]:
    return ask(intent, "heuristic", world, position)


def vetoes(intent: Intent, world: TileMap, position: Position) -> dict[str, Any]:
    return ask(intent, "constraint", world, position)


def test_avoid_forbids_the_tagged_tiles() -> None:
    """avoid vetoes exactly the tiles with its tags, staying included, and says what is there."""
    world = TileMap.parse(".~.\n.o.")
    assert vetoes(avoid("hazard"), world, (0, 0)) == {"east": "hazard at (1, 0)", "south": False, "stay": False}
    assert vetoes(avoid("hazard", "water"), world, (1, 0)) == {
        "east": False,
        "south": "water at (1, 1)",
        "west": False,
        "stay": "hazard at (1, 0)",
    }


def test_a_misspelt_tag_is_no_permission(told: Told) -> None:
    """A tag that the map's legend does not know is an error with the nearest known one."""
    world = TileMap.parse("..")
    with told.raises(InvalidInput):
        vetoes(avoid("hazzard"), world, (0, 0))
    with told.raises(InvalidInput):
        votes(reach((1, 0), around=["hazzard"]), world, (0, 0))


@given(maps, st.booleans(), st.data())
def test_reach_is_progress_by_path_distance(world: TileMap, around_hazard: bool, data: st.DataObject) -> None:
    """A step scores by the sign of the path distance it gains, and reach abstains on all where no path leads."""
    around = ("hazard",) if around_hazard else ()
    ground = [cell for cell in cells(world) if world.tag(cell) != "wall"]
    if not ground:
        return
    position, target = data.draw(st.sampled_from(ground)), data.draw(st.sampled_from(cells(world)))
    field = relaxed(world, target, around)
    ways = [move.position for move in world.moves(position)]
    here = field.get(position, min((field[way] + 1 for way in ways if way in field), default=None))
    for move, vote in votes(reach(target, around), world, position).items():
        there = next(tile.position for tile in world.moves(position) if tile.id == move)
        if here is None:
            assert vote is None
        elif there == position:
            assert vote == 0.0
        else:
            gain = here - field.get(there, here + 1)
            assert vote == float((gain > 0) - (gain < 0))


def test_reach_goes_around() -> None:
    """With a tag to go around, the step through it is worse than the detour; without, it is the shorter way."""
    world = TileMap.parse("..~..\n.....")
    assert votes(reach((4, 0), around=["hazard"]), world, (1, 0)) == {"east": -1, "south": 1, "west": -1, "stay": 0}
    assert votes(reach((4, 0)), world, (1, 0)) == {"east": 1, "south": -1, "west": -1, "stay": 0}


def test_reach_finds_the_way_off_bad_ground() -> None:
    """Standing on ground that the path would not cross, the way off it is a step nearer."""
    world = TileMap.parse(".~~..")
    assert votes(reach((4, 0), around=["hazard"]), world, (2, 0)) == {"east": 1, "west": -1, "stay": 0}


@pytest.mark.parametrize("target", [(2, 0), (3, 0), (4, 0)])
def test_an_unreachable_target_abstains(target: Position) -> None:
    """A target that is a wall, of a tag to go around, or behind them, gets no votes at all: not zeros."""
    world = TileMap.parse("..#~.")
    assert set(votes(reach(target, around=["hazard"]), world, (1, 0)).values()) == {None}


def test_a_target_outside_the_map_is_an_error(told: Told) -> None:
    """A target that is not on the map is an error, not an unreachable place."""
    with told.raises(InvalidInput):
        votes(reach((9, 9)), TileMap.parse(".."), (0, 0))


def test_hold_is_both_kinds() -> None:
    """hold forbids every move as a constraint, and as a heuristic votes for staying and against moving."""
    world = TileMap.parse("...")
    assert vetoes(hold(), world, (1, 0)) == {"east": "holding at (1, 0)", "west": "holding at (1, 0)", "stay": False}
    assert votes(hold(), world, (1, 0)) == {"east": -1.0, "west": -1.0, "stay": 1.0}


@pytest.mark.parametrize("intent", [avoid("hazard"), reach((0, 0)), hold()])
def test_the_context_is_a_situation(intent: Any, told: Told) -> None:
    """Without a map and a position these intents refuse to answer."""
    with told.raises(InvalidInput):
        list(intent.ask(intent.kinds[0], [], [], None))


@pytest.mark.req("AR-02")
@given(
    st.one_of(
        st.builds(lambda named: avoid(*named), st.sets(tags, min_size=1)),
        st.builds(reach, st.tuples(st.integers(), st.integers()), st.sets(tags)),
        st.builds(hold),
    )
)
def test_round_trip(intent: Any) -> None:
    """An intent survives JSON exactly: equal, with the same hash."""
    problems = Problems()
    again = type(intent).from_data(json.loads(json.dumps(intent.to_data())), WHERE, problems)
    assert not len(problems)
    assert again == intent
    assert hash(again) == hash(intent)


def test_the_specs_data() -> None:
    """The forms of the specification's example are read."""
    problems = Problems()
    assert Avoid.from_data({"avoid": "hazard"}, WHERE, problems) == avoid("hazard")
    assert Avoid.from_data({"avoid": ["water", "hazard"]}, WHERE, problems) == avoid("hazard", "water")
    assert Reach.from_data({"reach": [3, 1]}, WHERE, problems) == reach((3, 1))
    assert Reach.from_data({"reach": [3, 1], "around": "hazard"}, WHERE, problems) == reach((3, 1), ["hazard"])
    assert HoldStill.from_data({"hold": True}, WHERE, problems) == hold()
    assert not len(problems)


@pytest.mark.parametrize(
    ("kind", "data", "places"),
    [
        (Avoid, {"avoid": []}, [".avoid"]),
        (Avoid, {"avoid": ["hazard", 3]}, [".avoid[1]"]),
        (Avoid, {"avoid": 3}, [".avoid"]),
        (Avoid, {"avoid": ""}, [".avoid"]),
        (Avoid, {"avoids": "hazard"}, ["", ".avoids"]),
        (Reach, {"reach": [1.5, 0], "around": [1]}, [".reach", ".around[0]"]),
        (Reach, {"reach": [1]}, [".reach"]),
        (Reach, {"reach": [True, False]}, [".reach"]),
        (Reach, {"reach": [1, 2], "via": [3, 4]}, [".via"]),
        (HoldStill, {"hold": False}, [".hold"]),
        (HoldStill, {"hold": 1}, [".hold"]),
    ],
)
def test_every_problem_has_its_path(kind: Any, data: Any, places: list[str]) -> None:
    """The reader finds all that is wrong at once, each with its path."""
    problems = Problems()
    assert kind.from_data(data, WHERE, problems) is None
    assert [problem.where for problem in problems] == [f"{WHERE}{place}" for place in places]


@pytest.mark.parametrize(
    "make",
    [avoid, lambda: avoid(""), lambda: avoid(3), lambda: reach((1, 2, 3)), lambda: reach((1, 2), around=[3])],  # type: ignore[arg-type,list-item]
)
def test_misuse_in_python_is_refused(make: Any) -> None:
    """The same laws hold for what is made in Python."""
    with pytest.raises(InvalidInput):
        make()
