"""The TacticalInterpreter: the spec's decision over a tile map."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.test_tilemap import cells, maps
from tests.arbitration.votes import scores_of
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.interpreter import Move, StaleMap, TacticalInterpreter
from volition.arbitration.tilemap import Position, TileMap
from volition.arbitration.tiles import avoid, hold, reach
from volition.core.errors import InvalidInput

pytestmark = pytest.mark.req("AR-20")

SAFETY = Constraint("safety", avoid("hazard"))


def seeking(target: Position, *, around: tuple[str, ...] = ("hazard",)) -> CompositeIntention:
    return CompositeIntention(SAFETY, Heuristic("goal", reach(target, around), weight=1.0, priority=10))


def test_the_specs_scenario() -> None:
    """On the hazard grid the actor walks around the hazard, never onto it, and holds at the target."""
    interpreter = TacticalInterpreter(
        TileMap.parse(
            """
            .....
            .~~~.
            .....
            """
        )
    )
    position, path = (0, 1), []
    for _ in range(7):
        decision = interpreter.decide(position, seeking((4, 1)))
        if decision.payload is not None:
            position = decision.payload.destination
            path.append(decision.payload.direction)
    assert path == ["north", "east", "east", "east", "east", "south"]
    assert (decision.kind, decision.rule, decision.payload) == ("hold", "stay_chosen", None)
    first = interpreter.decide((0, 1), seeking((4, 1)))
    assert first.payload == Move("north", (0, 0))
    assert first.reason.rule == "order"
    assert first.reason.tied == ("north", "south")
    assert first.reason.voted_by == ("goal",)
    assert first.reason.vetoed_by == ("safety",)
    assert first.reason.vetoed_count == 1
    assert first.reason.final_scores == {"north": 1.0, "south": 1.0}


@given(maps, st.data())
def test_never_a_vetoed_or_blocked_tile(world: TileMap, data: st.DataObject) -> None:
    """Whatever the map, a move leads to an offered tile that is neither wall nor hazard; all vetoed is a fail."""
    ground = [cell for cell in cells(world) if world.tag(cell) != "wall"]
    if not ground:
        return
    position, target = data.draw(st.sampled_from(ground)), data.draw(st.sampled_from(cells(world)))
    decision = TacticalInterpreter(world).decide(position, seeking(target))
    safe = [tile for tile in world.moves(position) if tile.tag != "hazard"]
    if decision.payload is not None:
        assert decision.payload.destination in [tile.position for tile in safe]
        assert decision.kind == "move"
    elif safe:
        assert decision.kind == "hold"
        assert world.tag(position) != "hazard"
    else:
        assert (decision.kind, decision.rule) == ("fail", "all_candidates_vetoed")


@pytest.mark.req("AR-06")
@pytest.mark.parametrize("on_impossible", ["hold", "fail"])
def test_hold_is_never_the_vetoed_act(on_impossible: str) -> None:
    """Defect 1.2: on a hazard among hazards, holding would be the forbidden act, so the answer is fail."""
    interpreter = TacticalInterpreter(TileMap.parse("~~~"))
    decision = interpreter.decide((1, 0), seeking((0, 0)), on_impossible=on_impossible)  # type: ignore[arg-type]
    assert (decision.kind, decision.payload, decision.rule) == ("fail", None, "all_candidates_vetoed")
    assert decision.reason.vetoed_count == 3


@pytest.mark.req("AR-06")
def test_walled_in_and_safe_is_a_hold_for_the_right_reason() -> None:
    """Defect 1.2, second half: a safe cell between walls holds because staying is allowed, not because of a veto."""
    decision = TacticalInterpreter(TileMap.parse("###\n#.#\n###")).decide((1, 1), seeking((1, 1)))
    assert (decision.kind, decision.rule) == ("hold", "stay_chosen")
    assert decision.reason.rule == "only_survivor"
    assert decision.reason.vetoed_count == 0


def test_walls_are_never_candidates() -> None:
    """Defect 1.3: a wall towards the target is not offered, however well it would score."""
    decision = TacticalInterpreter(TileMap.parse(".#.\n...")).decide((0, 0), seeking((2, 0)))
    assert decision.payload == Move("south", (0, 1))
    assert "east" not in decision.decision.trace.survivors


@pytest.mark.req("AR-09")
def test_an_unreachable_target_makes_nobody_wander() -> None:
    """Defect 1.4: where no path leads, reach casts no vote, and the faintest wish to stay decides."""
    world = TileMap.parse("..#.")
    goal = Heuristic("goal", reach((3, 0)))
    calm = Heuristic("calm", hold(), weight=0.01)
    decision = TacticalInterpreter(world).decide((1, 0), CompositeIntention(goal, calm))
    assert (decision.kind, decision.rule) == ("hold", "stay_chosen")
    assert decision.reason.voted_by == ("calm",)
    assert scores_of(decision.decision, "west") == {"goal": None, "calm": -1.0}


def test_hold_as_a_constraint_keeps_the_actor_in_place() -> None:
    """A hold order forbids every move, and staying is what is left."""
    composite = CompositeIntention(Constraint("order", hold()), Heuristic("goal", reach((2, 0))))
    decision = TacticalInterpreter(TileMap.parse("...")).decide((0, 0), composite)
    assert (decision.kind, decision.rule, decision.reason.vetoed_by) == ("hold", "stay_chosen", ("order",))


def test_a_stale_map_is_refused() -> None:
    """A caller who saw another version than the one that decides gets no decision; the decision carries its version."""
    interpreter = TacticalInterpreter(TileMap.parse("..", version=4))
    assert interpreter.decide((0, 0), seeking((1, 0)), map_version=4).map_version == 4
    for seen in (3, 5):
        with pytest.raises(StaleMap, match=f"saw map version {seen}"):
            interpreter.decide((0, 0), seeking((1, 0)), map_version=seen)
    assert issubclass(StaleMap, InvalidInput)


def test_updates_only_go_forward() -> None:
    """A newer map replaces the old one; one that is not newer is refused and changes nothing."""
    interpreter = TacticalInterpreter(TileMap.parse("..", version=4))
    newer = TileMap.parse(".~", version=5)
    interpreter.update(newer)
    assert interpreter.map is newer
    for version in (5, 4):
        with pytest.raises(StaleMap, match="already known"):
            interpreter.update(TileMap.parse("..", version=version))
    assert interpreter.map is newer
    decision = interpreter.decide((0, 0), seeking((1, 0), around=()))
    assert (decision.kind, decision.map_version, decision.decision.version) == ("hold", 5, 5)


@pytest.mark.parametrize(("position", "what"), [((1, 0), "is in a wall"), ((5, 5), "is not on the map")])
def test_nobody_stands_in_a_wall(position: Position, what: str) -> None:
    """A position in a wall or outside the map is an error."""
    with pytest.raises(InvalidInput, match=what):
        TacticalInterpreter(TileMap.parse(".#.")).decide(position, seeking((2, 0)))


def test_the_tie_margin_is_passed_on() -> None:
    """Within the margin the moves tie, and the first offered wins."""
    world = TileMap.parse("...")
    composite = CompositeIntention(Heuristic("goal", reach((0, 0)), weight=0.1))
    moves = [TacticalInterpreter(world).decide((1, 0), composite, tie_margin=margin).payload for margin in (0.0, 1.0)]
    assert moves == [Move("west", (0, 0)), Move("east", (2, 0))]


def test_data() -> None:
    """A tactical decision is plain data, payload and reason included."""
    data = TacticalInterpreter(TileMap.parse("..", version=2)).decide((0, 0), seeking((1, 0))).to_data()
    again = json.loads(json.dumps(data))
    assert again["kind"] == "move"
    assert again["payload"] == {"direction": "east", "destination": [1, 0]}
    assert again["map_version"] == 2
