"""Safety is decided before sending: no intent that leads into a hazard known here reaches the executor."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.execution.worlds.pilot.bodies import ArenaBody
from tests.execution.worlds.pilot.maps import arena_map, arena_maps
from volition.arbitration import Heuristic
from volition.arbitration.intent import Function
from volition.execution.wire.intents import Evade, Move
from volition.execution.worlds.arena import shipped_map
from volition.execution.worlds.arena.ground import HAZARD
from volition.execution.worlds.arena.rules import TILE
from volition.execution.worlds.pilot import PILOT, DefeatOpponent, Pilot, PilotOption, Spot, drive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from volition.arbitration import CompositeIntention
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import Outcome
    from volition.execution.worlds.arena import Arena, ArenaMap
    from volition.execution.worlds.pilot.judge import Goal
    from volition.execution.worlds.pilot.view import View

PARTS = 200
PIT = arena_map("########", "#@.~..&#", "#..~...#", "########")
"""The straight way leads through a hazard, and there is no way around."""


class SpiedBody(ArenaBody):
    """An executor that looks, at every intent that arrives, where carrying it out would lead."""

    def __init__(self, ground: ArenaMap, seed: int = 0) -> None:
        super().__init__(ground, seed)
        self.burnt: list[str] = []
        self.crossed: list[str] = []

    def execute(self, intent: AnyIntent, /, *, deadline: float = 0.5, based_on: int | None = None) -> Outcome:
        if isinstance(intent, Move | Evade):
            where = f"{intent} at {self.arena.state()['actor']}"
            self.burnt += [where for burns in [_burns(self.arena, intent)] if burns]
            self.crossed += [where for crosses in [_crosses(self.arena, intent)] if crosses]
        return super().execute(intent, deadline=deadline, based_on=based_on)


def _burns(arena: Arena, intent: Move | Evade) -> bool:
    """Whether the actor comes to stand in a hazard when the intent is carried out to its end in a copy of the world."""
    world = deepcopy(arena, {id(arena.map): arena.map})
    world.attempt(intent.name, intent.parameters, 10**6)
    for _ in range(60):
        world.step()
        state = world.state(full=False)
        actor = state["actor"]
        if not actor["air"] and world.map.tile(actor["x"], actor["y"]) == HAZARD:
            return True
        if not state["open"] and not actor["air"]:
            return False
    return False


def _crosses(arena: Arena, intent: Move | Evade) -> bool:
    """Whether the straight way of a MOVE that begins on the ground touches a hazard anywhere."""
    actor = arena.state(full=False)["actor"]
    if not isinstance(intent, Move) or actor["air"]:
        return False
    dx, dy = (part * TILE for part in intent.vector[:2])
    places = ((actor["x"] + dx * part / PARTS, actor["y"] + dy * part / PARTS) for part in range(PARTS + 1))
    return any(arena.map.tile(int(x), int(y)) == HAZARD for x, y in places)


def driven(
    ground: ArenaMap, seed: int, steps: int, goal: Goal, composite: CompositeIntention | None = None
) -> SpiedBody:
    body = SpiedBody(ground, seed)
    drive(body, steps, pilot=Pilot(composite, goal))
    return body


@st.composite
def goals(draw: st.DrawFn, ground: ArenaMap) -> Goal:
    """The opponent, or any place on the map: the middle of a hazard too."""
    if draw(st.booleans()):
        return DefeatOpponent()
    width, height = len(ground.rows[0]), len(ground.rows)
    return Spot(draw(st.integers(1, width - 2)) + 0.5, draw(st.integers(1, height - 2)) + 0.5)


@pytest.mark.req("EX-12")
@given(arena_maps(), st.integers(0, 2**53 - 1), st.data())
def test_no_move_into_a_known_hazard_reaches_the_executor(ground: ArenaMap, seed: int, data: st.DataObject) -> None:
    """On any map and with any goal, no intent that arrives leads into a hazard, and the actor is never in one."""
    body = driven(ground, seed, 40, data.draw(goals(ground)))
    assert body.burnt == []
    assert body.crossed == []
    for state in body.states:
        assert state["actor"]["air"] or ground.tile(state["actor"]["x"], state["actor"]["y"]) != HAZARD


@pytest.mark.req("EX-12")
@settings(max_examples=12)
@given(arena_maps(), st.integers(0, 2**20))
@example(PIT, 0)
def test_however_much_somebody_wants_it(ground: ArenaMap, seed: int) -> None:
    """A heuristic that only wants long moves, in a random order at every step, gets none into a hazard."""

    def restless(options: list[PilotOption], view: View) -> Iterator[float]:
        turn = view.memory.moment + seed
        return (((turn * 7919 + place * 104729) % 1000) / 500 - 1.0 for place, _ in enumerate(options))

    wild = PILOT.without([entry.id for entry in PILOT.heuristics])
    wanting = Heuristic("restless", Function(restless, batch=True), weight=100.0)
    body = driven(ground, seed, 40, DefeatOpponent(), type(PILOT)(*wild, wanting))
    assert body.burnt == []
    assert body.crossed == []


@pytest.mark.req("EX-12")
def test_the_veto_names_the_hazard(told: Told) -> None:
    """Asked why not, the decision names the constraint and the tile."""
    body = ArenaBody(PIT)
    step = Pilot(goal=Spot(6.5, 1.5)).step(body)
    vetoed = step.decision.why_not("move:east:1")
    assert "hazard" not in vetoed.text
    while step.situation.me.place[0] < 2.0:
        step = (pilot := Pilot(goal=Spot(6.5, 1.5))).step(body)
    vetoed = pilot.step(body).decision.why_not("move:east:1")
    told(vetoed.text)


def test_the_spy_sees_what_it_should() -> None:
    """Without the constraint a pilot that wants to go east walks into the pit, and the spy says so."""
    straight = type(PILOT)(
        *PILOT.without("hazard").without(["reach"]), Heuristic("east", lambda option: float(option.id == "move:east:1"))
    )
    body = driven(PIT, 0, 10, Spot(6.5, 1.5), straight)
    assert body.crossed
    assert body.burnt


def test_a_pit_is_leapt() -> None:
    """Where a leap is the only way, it is taken, and nothing is burnt."""
    body = SpiedBody(PIT)
    course = drive(body, 40, pilot=Pilot(goal=Spot(5.5, 2.5)))
    assert (course.verdict, body.burnt, body.crossed) == ("met", [], [])


def test_out_of_a_hazard_leads_a_way() -> None:
    """An actor in a hazard leaves it in the next step, and does not go further in."""
    ground = arena_map("#########", "#@~~~~~.#", "#.~~~~~&#", "#########")
    body = ArenaBody(ground)
    body.arena.attempt("MOVE", {"vector": [1.2, 0, 0]}, 10**6)
    for _ in range(6):
        body.arena.step()
    body.refresh()
    step = Pilot().step(body)
    assert step.decision.id is not None
    assert step.decision.id.startswith("move:")
    assert step.after is not None
    assert step.situation.ground is not None
    assert step.situation.ground.is_safe((int(step.after.me.place[0]), int(step.after.me.place[1])))


@pytest.mark.parametrize("name", ["courtyard", "foundry"])
def test_shipped_maps_burn_nobody(name: str) -> None:
    """On the shipped maps no step of a whole drive leads into a hazard."""
    body = driven(shipped_map(name), 5, 120, DefeatOpponent())
    assert (body.burnt, body.crossed) == ([], [])
