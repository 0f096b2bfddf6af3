"""The TacticalInterpreter: the spec's decision over a tile map."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.test_tilemap import cells, maps, relaxed
from tests.arbitration.votes import scores_of
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.interpreter import StaleMap, TacticalDecision, TacticalInterpreter, TileMove
from volition.arbitration.tilemap import Position, TileMap
from volition.arbitration.tiles import avoid, hold, reach
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-20")

SAFETY = Constraint("safety", avoid("hazard"))


def seeking(target: Position) -> CompositeIntention:
    """The specification's own composite."""
    return CompositeIntention(SAFETY, Heuristic("goal", reach(target), weight=1.0, priority=10))


def walk(world: TileMap, position: Position, composite: CompositeIntention, **settings: Any) -> list[TacticalDecision]:
    """Every decision of a walker until it stays where it is, or comes back to where it was."""
    interpreter, seen = TacticalInterpreter(world), {position}
    decisions = [interpreter.decide(position, composite, **settings)]
    while (payload := decisions[-1].payload) is not None and payload.destination not in seen:
        seen.add(payload.destination)
        decisions.append(interpreter.decide(payload.destination, composite, **settings))
    return decisions


@st.composite
def errands(draw: st.DrawFn) -> tuple[TileMap, Position, list[Position]]:
    """A map with ground to start from, and some targets on it."""
    world = draw(maps.filter(lambda world: any(world.tag(cell) != "wall" for cell in cells(world))))
    start = draw(st.sampled_from([cell for cell in cells(world) if world.tag(cell) != "wall"]))
    return world, start, draw(st.lists(st.sampled_from(cells(world)), min_size=1, max_size=3))


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
    assert first.payload == TileMove("north", (0, 0))
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
    assert decision.payload == TileMove("south", (0, 1))
    assert "east" not in decision.decision.trace.survivors


@pytest.mark.req("AR-22")
@given(errands(), st.floats(0, 2), st.sampled_from([None, 10]))
def test_the_specs_walker_arrives_or_says_why_not(
    errand: tuple[TileMap, Position, list[Position]], tie_margin: float, priority: int | None
) -> None:
    """avoid + reach takes a shortest safe path to the target, or holds and says that no path leads there.

    No other intention is needed, whatever the tie margin; on bad ground it first gets off it where it can.
    """
    world, start, (target, *_) = errand
    goal = Heuristic("goal", reach(target), priority=priority)
    steps = walk(world, start, CompositeIntention(SAFETY, goal), tie_margin=tie_margin)
    way = relaxed(world, target, ("hazard",))
    safe = [tile.position for tile in world.moves(start) if tile.tag != "hazard"]
    last = steps[-1]
    assert last.payload is None
    if not safe:
        assert (last.kind, last.rule, len(steps)) == ("fail", "all_candidates_vetoed", 1)
        return
    if world.tag(start) == "hazard":  # one step off bad ground, which the vetoes force
        start, steps = steps[0].payload.destination, steps[1:]  # type: ignore[union-attr]
    assert last.kind == "hold"
    if start not in way:
        assert [(step.rule, step.unreachable) for step in steps] == [("target_unreachable", {"goal": target})]
        assert f"goal finds no path to {target}" in str(last)
    elif tie_margin < 1 or priority is not None:
        assert len(steps) == way[start] + 1
        assert (last.rule, last.unreachable) == ("stay_chosen", {})


@pytest.mark.req("AR-22")
@given(errands(), st.lists(st.integers(0, 8), min_size=3, max_size=3), st.booleans())
def test_no_walker_oscillates(errand: tuple[TileMap, Position, list[Position]], weights: list[int], lazy: bool) -> None:
    """However many targets pull with whatever weights, no walker comes back to where it was: every walk ends."""
    world, start, targets = errand
    goals = [
        Heuristic(f"goal {number}", reach(target), weight=weight / 4)
        for number, (target, weight) in enumerate(zip(targets, weights, strict=False))
    ]
    calm = [Heuristic("calm", hold(), weight=0.1)] if lazy else []
    assert walk(world, start, CompositeIntention(SAFETY, *goals, *calm))[-1].payload is None


@pytest.mark.req("AR-22")
def test_a_target_out_of_reach_does_not_hide_another() -> None:
    """Of two targets the one with a path is walked to, and the other is named all the same."""
    world = TileMap.parse("...#.")
    there = CompositeIntention(Heuristic("far", reach((4, 0)), weight=5.0), Heuristic("near", reach((2, 0))))
    step = TacticalInterpreter(world).decide((1, 0), there)
    assert (step.payload, step.rule, step.unreachable) == (TileMove("east", (2, 0)), "highest_total", {"far": (4, 0)})
    held = TacticalInterpreter(world).decide((2, 0), there)
    assert (held.kind, held.rule, held.unreachable) == ("hold", "target_unreachable", {"far": (4, 0)})


@pytest.mark.req("AR-09", "AR-22")
def test_what_has_no_path_abstains() -> None:
    """Where no path leads, reach casts no vote, and the decision still weighs what others say."""
    world = TileMap.parse("..#.")
    calm = Heuristic("calm", hold(), weight=0.01)
    decision = TacticalInterpreter(world).decide((1, 0), CompositeIntention(Heuristic("goal", reach((3, 0))), calm))
    assert (decision.kind, decision.rule) == ("hold", "stay_chosen")
    assert decision.reason.voted_by == ("calm",)
    assert scores_of(decision.decision, "west") == {"goal": None, "calm": -1.0}


@pytest.mark.req("AR-21", "AR-22")
def test_what_is_decided_is_what_is_asked_about() -> None:
    """The decision holds the composite as it walked, so that asking about it is deciding again with that composite."""
    world = TileMap.parse("..~.\n....")
    decision = TacticalInterpreter(world).decide((1, 0), seeking((3, 0))).decision
    routed = decision.tally.composite
    assert routed["goal"].intent == reach((3, 0), ["hazard"])
    again = TacticalInterpreter(world).decide((1, 0), routed.without("safety")).decision
    then = decision.what_if(without="safety", shadow=True)
    assert (then.after, then.decision.reason) == (again.id, again.reason)


@pytest.mark.req("AR-22")
def test_an_interpreter_decides_as_a_new_one_would(told: Told) -> None:
    """Other composites in between, and newer maps, leave nothing behind in an interpreter: each is taken as it is."""
    world = TileMap.parse("..~.\n....")
    interpreter, there, back = TacticalInterpreter(world), seeking((3, 0)), seeking((0, 1))
    for composite in (there, back, there):
        fresh = TacticalInterpreter(world).decide((1, 0), composite)
        assert interpreter.decide((1, 0), composite).to_data() == fresh.to_data()
    interpreter.update(TileMap.parse("..~\n...", version=1))
    with told.raises(InvalidInput):
        interpreter.decide((1, 0), there)


def test_what_the_map_does_not_know_is_named_by_its_intention(told: Told) -> None:
    """Misspelt tags and targets off the map are refused before anything is decided, all at once, each by its id."""
    composite = CompositeIntention(
        Constraint("safety", avoid("hazzard")), Heuristic("goal", reach((9, 9), around=["watter"]))
    )
    with pytest.raises(InvalidInput) as caught:
        TacticalInterpreter(TileMap.parse("..")).decide((0, 0), composite)
    assert [(problem.where, problem.what) for problem in caught.value.problems] == [
        ("constraint 'safety'", "the map knows no 'hazzard'"),
        ("heuristic 'goal'", "the map knows no 'watter'"),
        ("heuristic 'goal'", "the target (9, 9) is not on the map"),
    ]
    told(caught.value)


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
    decision = interpreter.decide((0, 0), seeking((1, 0)))
    assert (decision.kind, decision.map_version, decision.decision.version) == ("hold", 5, 5)


@pytest.mark.parametrize(("position", "what"), [((1, 0), "is in a wall"), ((5, 5), "is not on the map")])
def test_nobody_stands_in_a_wall(position: Position, what: str) -> None:
    """A position in a wall or outside the map is an error."""
    with pytest.raises(InvalidInput, match=what):
        TacticalInterpreter(TileMap.parse(".#.")).decide(position, seeking((2, 0)))


def test_the_tie_margin_is_passed_on() -> None:
    """Within the margin the moves tie, and staying, which is offered first, wins."""
    world = TileMap.parse("...")
    composite = CompositeIntention(Heuristic("goal", reach((0, 0)), weight=0.1))
    moves = [TacticalInterpreter(world).decide((1, 0), composite, tie_margin=margin).payload for margin in (0.0, 1.0)]
    assert moves == [TileMove("west", (0, 0)), None]


def test_data() -> None:
    """A tactical decision is plain data, payload and reason included."""
    data = TacticalInterpreter(TileMap.parse("..", version=2)).decide((0, 0), seeking((1, 0))).to_data()
    again = json.loads(json.dumps(data))
    assert again["kind"] == "move"
    assert again["payload"] == {"direction": "east", "destination": [1, 0]}
    assert again["map_version"] == 2
