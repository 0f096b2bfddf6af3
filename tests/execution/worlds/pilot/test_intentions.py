"""What a pilot must not do and what it prefers, one rule at a time, and what the votes make of a scene together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.execution.worlds.pilot.maps import rows, scene
from volition.arbitration import arbitrate
from volition.execution.wire.intents import Evade, Move, PrimaryAttack, Stop
from volition.execution.wire.results import make_result
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.ground import parse_map
from volition.execution.worlds.pilot import PILOT, PilotOption, Spot
from volition.execution.worlds.pilot.candidates import options
from volition.execution.worlds.pilot.ground import Ground, distance
from volition.execution.worlds.pilot.intentions import BLIND_STEP, CONSTRAINTS, HEURISTICS
from volition.execution.worlds.pilot.situation import Abilities, Foe, Me
from volition.execution.worlds.pilot.view import AttemptMemory, View

if TYPE_CHECKING:
    from tests.sentences import Told

RULES: dict[str, Any] = {entry.id: entry for entry in CONSTRAINTS}
CHANNEL = ("########", "#..~...#", "#..~~..#", "########")


def forbidden(rule: str, view: View) -> set[str]:
    """The options that a rule forbids."""
    return {option.id for option in options(view) if RULES[rule](option, view)}


def move(view: View, dx: float, dy: float = 0.0) -> PilotOption:
    x, y = view.situation.me.place
    return PilotOption("move:test", Move((dx, dy, 0)), (((x, y), (x + dx, y + dy)),), 1)


def test_hazards_are_met_on_the_whole_way(told: Told) -> None:
    """A move over a hazard to the floor behind it is forbidden, and so is one into it; one away from it is not."""
    view = scene(*CHANNEL, me=(2.5, 1.5))
    over, into = (RULES["hazard"](move(view, far), view) for far in (2.0, 1.0))
    assert over
    assert into
    told(over)
    assert not RULES["hazard"](move(view, -1.0), view)


@pytest.mark.parametrize(("flight", "allowed"), [(1.2, True), (1.1, False), (0.0, False)])
def test_over_a_hazard_only_as_far_as_the_flight_carries(flight: float, allowed: bool) -> None:
    """In the air a way may lead over a hazard that it leaves, with a margin, before the body can come down."""
    view = scene(*CHANNEL, me=Me((2.9, 1.5), in_air=True, flight=flight))
    assert bool(RULES["hazard"](move(view, 1.4), view)) is not allowed


def test_a_flight_does_not_end_in_a_hazard(told: Told) -> None:
    """However long the flight, a way that ends in a hazard is forbidden: there the body comes down."""
    view = scene(*CHANNEL, me=Me((2.9, 1.5), in_air=True, flight=9.0))
    landing = RULES["hazard"](move(view, 0.6), view)
    assert landing
    told(landing)


def test_out_of_a_hazard_and_not_into_the_next(told: Told) -> None:
    """From within a hazard a way may lead out of it, through the rest of it, and not into another one."""
    view = scene("########", "#~~.~..#", "########", me=(1.5, 1.5))
    assert not RULES["hazard"](move(view, 2.0), view)
    still_in, another = (RULES["hazard"](move(view, far), view) for far in (1.0, 4.0))
    assert still_in
    assert another
    told(still_in, another)


def test_evading_is_judged_by_where_it_may_lead() -> None:
    """An EVADE away from the opponent and into a hazard is forbidden, also where the opponent might yet step aside."""
    ground = ("######", "#....#", "#.~..#", "#....#", "######")
    assert "evade" in forbidden("hazard", scene(*ground, me=(3.3, 2.5), foe=(4.5, 2.5)))
    assert "evade" not in forbidden("hazard", scene(*ground, me=(2.5, 1.5), foe=(3.6, 1.4)))
    assert "evade" in forbidden("hazard", scene(*ground, me=(2.5, 1.5), foe=(2.8, 1.3)))


def test_an_evade_that_may_lead_anywhere_is_feared_near_hazards(told: Told) -> None:
    """Where nobody knows how far an EVADE carries, it is forbidden near any hazard."""
    view = scene(*CHANNEL, me=(1.5, 1.5), foe=(2.5, 1.5))
    careful = replace(view, situation=structs.replace(view.situation, abilities=Abilities()))
    feared = RULES["hazard"](PilotOption("evade", Evade()), careful)
    assert feared
    told(feared)


def test_walls_and_beams_are_in_the_way(told: Told) -> None:
    """No way into a wall; in the air none under a beam."""
    view = scene("######", "#..-.#", "######", me=(1.5, 1.5))
    assert forbidden("wall", view) >= {"move:north:1", "move:west:1", "move:south-east:1"}
    assert "move:east:1" not in forbidden("wall", view)
    flying = scene("######", "#..-.#", "######", me=Me((2.5, 1.5), in_air=True, flight=1.0))
    beam = RULES["wall"](move(flying, 1.0), flying)
    assert beam
    told(beam)


def test_without_a_map_a_pilot_takes_short_steps() -> None:
    """Where no map is known nothing long, no EVADE and no JUMP is allowed; with a map this rule is silent."""
    view = scene(me=(1.5, 1.5), foe=(4.5, 1.5))
    allowed = [option for option in options(view) if not RULES["blind"](option, view)]
    assert max(distance(*way) for option in allowed for way in option.ways) <= BLIND_STEP + 1e-9
    assert {"evade", "jump"} <= forbidden("blind", view)
    assert forbidden("blind", scene(*CHANNEL, me=(1.5, 1.5))) == set()


@pytest.mark.parametrize(
    ("me", "ruled_out"),
    [
        (Me((1.5, 1.5)), {"release"}),
        (Me((1.5, 1.5), holding=True), {"attack", "evade", "jump", "hold"}),
        (Me((1.5, 1.5), in_air=True), {"evade", "hold", "jump", "release"}),
    ],
)
def test_postures(me: Me, ruled_out: set[str]) -> None:
    """What a posture rules out is not asked for, and nothing else is ruled out."""
    assert forbidden("posture", scene(*CHANNEL, me=me)) == ruled_out


def test_of_the_dead_and_the_busy_nothing_is_asked() -> None:
    """A dead actor, or one in the middle of a manoeuvre, is left alone: waiting and STOP are always allowed."""
    for me in (Me((1.5, 1.5), alive=False, health=0.0, holding=True), Me((1.5, 1.5), busy=True)):
        view = scene(*CHANNEL, me=me)
        assert {option.id for option in options(view)} - forbidden("posture", view) == {"wait", "stop"}


def test_only_what_the_executor_offers() -> None:
    """An intent that the welcome does not name is never chosen."""
    view = scene(*CHANNEL, me=(1.5, 1.5), supported=frozenset({"STOP", "MOVE"}))
    left = {option.name for option in options(view)} - {
        option.name for option in options(view) if option.id in forbidden("supported", view)
    }
    assert left == {None, "STOP", "MOVE"}


def test_no_retry_that_would_be_refused() -> None:
    """After a first attempt and three retries, all options of that intent in that direction are out, and no others."""
    memory = AttemptMemory()
    view = scene(*CHANNEL, me=(1.5, 1.5), foe=Foe((2.5, 1.5)), memory=memory)
    for length in (0.2, 0.5, 1.0, 1.5):
        assert forbidden("retry", view) == set()
        memory.note("move:east:1", Move((length, 0, 0)), make_result("FAILURE", "BLOCKED"))
    assert forbidden("retry", view) >= {"move:east:0.2", "move:east:0.5", "move:east:1"}
    assert not any(id.startswith(("move:west", "move:north", "move:south")) for id in forbidden("retry", view))
    memory.note("stop", Stop(), make_result())
    assert forbidden("retry", view) == set()


VOTES: dict[str, Any] = {entry.id: entry for entry in HEURISTICS}
HALL = ("##########", *["#........#"] * 6, "##########")


def votes(name: str, view: View) -> dict[str, float | None]:
    return {option.id: VOTES[name](option, view) for option in options(view)}


def chosen(view: View) -> str | None:
    return arbitrate(options(view), PILOT, context=view).id


def test_the_way_around_counts_and_not_the_straight_line() -> None:
    """Behind a wall the way is the one around it: the step that looks nearer is the one voted down."""
    view = scene("#######", "#..#..#", "#..#..#", "#.....#", "#######", me=(2.5, 1.5), goal=Spot(4.5, 1.5))
    voted = votes("reach", view)
    assert voted["move:south:1"] == 1.0
    assert (voted["move:north:0.2"] or 0.0) < 0.0


def test_what_cannot_be_reached_is_not_run_after() -> None:
    """Where no way leads to the goal nobody votes for a way."""
    view = scene("#######", "#..#..#", "#######", me=(1.5, 1.5), goal=Spot(4.5, 1.5))
    assert {vote for id, vote in votes("reach", view).items() if id.startswith("move")} == {None}


def test_an_attack_is_made_within_reach_and_ahead() -> None:
    """In reach and ahead: attack. In reach and behind: turn first. Out of reach: go."""
    assert chosen(scene(*HALL, me=(3.5, 3.5), foe=(4.8, 3.5))) == "attack"
    turning = chosen(scene(*HALL, me=Me((3.5, 3.5), facing="west"), foe=(4.8, 3.5)))
    assert turning in {"move:turn", "move:east:0.2", "move:south-east:0.2"}
    going = chosen(scene(*HALL, me=(1.5, 3.5), foe=(7.5, 3.5)))
    assert going in {"move:east:1", "move:way"}


def test_an_opponent_on_the_diagonal_is_turned_to() -> None:
    """In a corner, with the opponent beside the body after every step of a fifth of a tile or more, a nudge turns it."""
    view = scene(*HALL, me=Me((1.089, 6.799), facing="west"), foe=Foe((1.75, 6.05), harmless=True))
    assert chosen(view) == "move:turn"
    (turn,) = [option for option in options(view) if option.id == "move:turn"]
    assert view.hits_from(turn.end((1.089, 6.799)), "north")


def test_a_move_takes_as_long_as_the_pilot_counts_on() -> None:
    """On open ground a MOVE in any heading ends after the ticks of its option: a blow is stepped away from in time."""
    counted = 0
    for option in options(scene(*HALL, me=(4.5, 3.5), foe=(8.5, 6.5))):
        if option.name == "MOVE":
            arena = Arena(parse_map("\n".join(["name: hall", *HALL[:3], "#...@...&#", *HALL[4:]])))
            arena.attempt("MOVE", option.intent.parameters if option.intent else None, 1)
            ended = next(tick for tick in range(1, 20) if arena.step().results)
            counted += 1
            assert (option.id, ended) == (option.id, option.ticks)
    assert counted >= 24


def test_nobody_strikes_through_a_wall() -> None:
    """An opponent within reach behind a wall is not attacked."""
    view = scene("#####", "#.#.#", "#...#", "#####", me=(1.95, 1.5), foe=(3.05, 1.5))
    assert votes("attack", view)["attack"] == -1.0


def test_a_blow_is_stepped_away_from() -> None:
    """A blow that is about to fall: the pilot is out of its reach by then."""
    view = scene(*HALL, me=(3.5, 3.5), foe=Foe((4.3, 3.5), blow_in=4))
    without = replace(view, memory=AttemptMemory(tried={"attack": 0}, moment=0))
    id = chosen(without)
    option = next(option for option in options(without) if option.id == id)
    assert option.ticks <= 4
    end = option.end((3.5, 3.5))
    assert abs(end[0] - 4.3) + abs(end[1] - 3.5) > 1.2


def test_a_cornered_pilot_puts_up_its_guard() -> None:
    """Without a way out and without stamina to evade, a guard is the best option, and it is released afterwards."""
    closet = ("####", "#..#", "####")
    me = Me((1.1, 1.5), facing="west", stamina=0.2)
    assert chosen(scene(*closet, me=me, foe=Foe((2.0, 1.5), blow_in=1))) == "hold"
    holding = Me((1.1, 1.5), facing="west", holding=True)
    assert chosen(scene(*closet, me=holding, foe=Foe((2.0, 1.5), blow_in=1))) == "wait"
    assert chosen(scene(*closet, me=holding, foe=Foe((2.0, 1.5), harmless=True))) == "release"


def test_strength_is_not_spent_where_there_is_none() -> None:
    """An attack without enough stamina is not made."""
    view = scene(*HALL, me=Me((3.5, 3.5), facing="east", stamina=0.1), foe=(4.8, 3.5))
    assert chosen(view) != "attack"


def test_the_hurt_keep_away() -> None:
    """Hurt, a pilot votes for the distance; unhurt, or while the opponent is harmless, it has no opinion."""
    hurt = Me((3.5, 3.5), facing="east", health=0.2)
    voted = votes("caution", scene(*HALL, me=hurt, foe=(4.5, 3.5)))
    assert (voted["move:west:1"] or 0.0) > 0.0 > (voted["move:east:0.5"] or 0.0)
    assert {*votes("caution", scene(*HALL, me=hurt, foe=Foe((4.5, 3.5), harmless=True))).values()} == {None}
    assert {*votes("caution", scene(*HALL, me=(3.5, 3.5), foe=(4.5, 3.5))).values()} == {None}


@pytest.mark.req("EX-07")
def test_what_just_failed_is_not_tried_at_once() -> None:
    """After a COOLDOWN or BLOCKED the policy chooses something else, and the old choice again when the memory fades."""
    memory = AttemptMemory()
    memory.see(1, 0)
    view = scene(*HALL, me=(3.5, 3.5), foe=(4.8, 3.5), memory=memory)
    assert chosen(view) == "attack"
    memory.note("attack", PrimaryAttack(), make_result("FAILURE", "COOLDOWN"))
    assert chosen(view) != "attack"
    for tick in range(1, 9):
        memory.see(1, tick)
    assert chosen(view) == "attack"


def test_out_of_retries_a_pilot_begins_again() -> None:
    """Where an intent has used up its retries and nothing else is worth doing, STOP makes room for it."""
    memory = AttemptMemory()
    for _ in range(4):
        memory.note("strike", PrimaryAttack(), make_result("FAILURE", "COOLDOWN"))
    assert chosen(scene(*HALL, me=(3.5, 3.5), foe=(4.8, 3.5), memory=memory)) == "stop"


def test_a_sliding_body_is_stopped() -> None:
    """A body that moves with nothing to do is told to stop."""
    view = scene(*HALL, me=Me((3.5, 3.5), sliding=True), foe=Foe((7.5, 3.5), alive=False, health=0.0))
    assert chosen(view) == "stop"


@given(
    rows(),
    st.tuples(st.floats(1.0, 7.9), st.floats(1.0, 4.9)),
    st.tuples(st.floats(1.0, 7.9), st.floats(1.0, 4.9)),
    st.data(),
)
def test_every_scene_has_a_decision(
    drawn: list[str], me: tuple[float, float], foe: tuple[float, float], data: st.DataObject
) -> None:
    """In any scene, with or without a map, something is chosen, and every option can be asked about."""
    body = Me(
        me,
        health=data.draw(st.floats(0.01, 1.0)),
        stamina=data.draw(st.floats(0.0, 1.0)),
        facing=data.draw(st.sampled_from(["east", "south", "west", "north", None])),
        holding=data.draw(st.booleans()),
        in_air=data.draw(st.booleans()),
        flight=data.draw(st.floats(0.0, 2.0)),
    )
    other = Foe(foe, blow_in=data.draw(st.none() | st.integers(0, 6)))
    view = scene(*(drawn if data.draw(st.booleans()) else ()), me=body, foe=data.draw(st.sampled_from([None, other])))
    decision = arbitrate(options(view), PILOT, context=view)
    assert decision.kind == "act"
    assert decision.why().text
    for option in options(view):
        assert decision.why_not(option.id).text
    assert view.situation.ground is None or isinstance(view.situation.ground, Ground)
