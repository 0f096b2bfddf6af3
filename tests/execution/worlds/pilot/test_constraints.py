"""What a pilot must not do, one rule at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.execution.worlds.pilot.maps import scene
from volition.execution.wire.intents import Evade, Move, Stop
from volition.execution.wire.results import make_result
from volition.execution.worlds.pilot import AttemptMemory, Foe, Me, PilotOption, View, options
from volition.execution.worlds.pilot.constraints import BLIND_STEP, CONSTRAINTS
from volition.execution.worlds.pilot.situation import Abilities, distance

RULES: dict[str, Any] = {entry.id: entry for entry in CONSTRAINTS}
CHANNEL = ("########", "#..~...#", "#..~~..#", "########")


def forbidden(rule: str, view: View) -> set[str]:
    """The options that a rule forbids."""
    return {option.id for option in options(view) if RULES[rule](option, view)}


def move(view: View, dx: float, dy: float = 0.0) -> PilotOption:
    x, y = view.situation.me.place
    return PilotOption("move:test", Move((dx, dy, 0)), (((x, y), (x + dx, y + dy)),), 1)


def test_hazards_are_met_on_the_whole_way() -> None:
    """A move over a hazard to the floor behind it is forbidden, and so is one into it; one away from it is not."""
    view = scene(*CHANNEL, me=(2.5, 1.5))
    assert RULES["hazard"](move(view, 2.0), view) == "the way meets the hazard at (3, 1)"
    assert RULES["hazard"](move(view, 1.0), view)
    assert not RULES["hazard"](move(view, -1.0), view)


@pytest.mark.parametrize(("flight", "allowed"), [(1.2, True), (1.1, False), (0.0, False)])
def test_over_a_hazard_only_as_far_as_the_flight_carries(flight: float, allowed: bool) -> None:
    """In the air a way may lead over a hazard that it leaves, with a margin, before the body can come down."""
    view = scene(*CHANNEL, me=Me((2.9, 1.5), in_air=True, flight=flight))
    assert bool(RULES["hazard"](move(view, 1.4), view)) is not allowed


def test_a_flight_does_not_end_in_a_hazard() -> None:
    """However long the flight, a way that ends in a hazard is forbidden: there the body comes down."""
    view = scene(*CHANNEL, me=Me((2.9, 1.5), in_air=True, flight=9.0))
    assert RULES["hazard"](move(view, 0.6), view) == "it would land in the hazard at (3, 1)"


def test_out_of_a_hazard_and_not_into_the_next() -> None:
    """From within a hazard a way may lead out of it, through the rest of it, and not into another one."""
    view = scene("########", "#~~.~..#", "########", me=(1.5, 1.5))
    assert not RULES["hazard"](move(view, 2.0), view)
    assert RULES["hazard"](move(view, 1.0), view) == "the way does not lead out of the hazard"
    assert RULES["hazard"](move(view, 4.0), view) == "the way out meets another hazard at (4, 1)"


def test_evading_is_judged_by_where_it_may_lead() -> None:
    """An EVADE away from the opponent and into a hazard is forbidden, also where the opponent might yet step aside."""
    ground = ("######", "#....#", "#.~..#", "#....#", "######")
    assert "evade" in forbidden("hazard", scene(*ground, me=(3.3, 2.5), foe=(4.5, 2.5)))
    assert "evade" not in forbidden("hazard", scene(*ground, me=(2.5, 1.5), foe=(3.6, 1.4)))
    assert "evade" in forbidden("hazard", scene(*ground, me=(2.5, 1.5), foe=(2.8, 1.3)))


def test_an_evade_that_may_lead_anywhere_is_feared_near_hazards() -> None:
    """Where nobody knows how far an EVADE carries, it is forbidden near any hazard."""
    view = scene(*CHANNEL, me=(1.5, 1.5), foe=(2.5, 1.5))
    careful = replace(view, situation=replace(view.situation, abilities=Abilities()))
    assert RULES["hazard"](PilotOption("evade", Evade()), careful) == "it may lead into the hazard at (3, 1)"


def test_walls_and_beams_are_in_the_way() -> None:
    """No way into a wall; in the air none under a beam."""
    view = scene("######", "#..-.#", "######", me=(1.5, 1.5))
    assert forbidden("wall", view) >= {"move:north:1", "move:west:1", "move:south-east:1"}
    assert "move:east:1" not in forbidden("wall", view)
    flying = scene("######", "#..-.#", "######", me=Me((2.5, 1.5), in_air=True, flight=1.0))
    assert RULES["wall"](move(flying, 1.0), flying) == "a beam at (3, 1), in the air"


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
