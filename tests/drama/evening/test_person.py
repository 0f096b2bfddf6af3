"""Laws of views: what a person and a world show is the record, and the record packed says the same."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.drama.evening.casts import READINGS, invented, shipped
from tests.drama.evening.stepping import InterpretedSteps
from tests.drama.stage.scenes import DEBT, HALL, NOOK, WILL, scene
from volition.drama.evening.building import sizes_of
from volition.drama.evening.limits import LARGE, LIMITS
from volition.drama.evening.names import names_of
from volition.drama.evening.person import PERSON_PARTS, AgentState
from volition.drama.evening.record import bytes_of, packed_type, parts_of, read_packed, write_packed
from volition.drama.evening.state import PACING, RECENT_ACTS, SIGHTINGS, WORLD, EveningState
from volition.drama.evening.tick import draw_needs
from volition.drama.evening.world import WORLD_PARTS, WorldState
from volition.drama.rules.catalog import Belief
from volition.drama.stage.run import run
from volition.drama.stage.state import state_to_data

if TYPE_CHECKING:
    from volition.drama.world.model import Scenario


def test_every_part_of_the_state_is_shown_once() -> None:
    """Each part of the record that a delta changes belongs to one property of a person, or is one of the world."""
    parts = [part for part in parts_of(EveningState) if part.delta is not None]
    several = {PACING: "pacing", SIGHTINGS: "sightings", RECENT_ACTS: "recent", "bond": "bonds"}
    shown = {several[part.delta] for part in parts if part.delta in several}
    for name in PERSON_PARTS:
        part = getattr(vars(AgentState)[name], "part", None)
        if name not in shown:
            shown.add(part if isinstance(part, str) else getattr(part, "name", ""))
    alone = {part.name for part in parts if part.delta not in (*several, WORLD)}
    assert shown == {*several.values(), *alone}
    assert {part.name for part in parts if part.delta == WORLD} == set(WORLD_PARTS)


@pytest.mark.parametrize(
    ("part", "written", "shown"),
    [
        ("location", NOOK, NOOK),
        ("task", "pour", "pour"),
        ("away", 3, 3.0),
        ("challenged", None, None),
        ("broken", True, True),
        ("grievance", {"ben": 0.5, "eve": 0.0}, {"ben": 0.5}),
        ("stung", {"cas": 0.0}, {"cas": 0.0}),
        ("grounds", {"cas": 2}, {"ben": 0, "cas": 2, "dov": 0, "eve": 0}),
        ("questions", {("ben", WILL): 4}, {("ben", WILL): 4}),
        ("planted", {WILL: "dov"}, {WILL: "dov"}),
        ("sightings", {"ben": (HALL, 3)}, {"ben": (HALL, 3)}),
        ("wronged", {"ben", "eve"}, {"ben", "eve"}),
        ("lied", {("ben", WILL), ("eve", DEBT)}, {("ben", WILL), ("eve", DEBT)}),
        ("recent", [(1, "internal")], ((1, "internal"),)),
    ],
)
def test_what_is_written_is_shown(part: str, written: Any, shown: Any) -> None:
    """A part can be replaced as a whole; what is then shown is what the record holds, and no copy changes with it."""
    world = scene()
    copy, me = deepcopy(world), world.agents["ann"]
    setattr(me, part, written)
    assert getattr(me, part) == shown
    assert getattr(AgentState(world.evening, me.who, names_of(world.scenario)), part) == shown
    assert me == me.copy()
    assert copy == scene()


def test_a_view_writes_into_the_record() -> None:
    """Entries are set, added and removed through a view; what is always there cannot be removed."""
    me = scene().agents["ann"]
    me.grievance["ben"], me.beliefs[DEBT], me.bonds["ben"].trust = 0.5, Belief.SUSPECTS, -0.25
    me.knows.add(("ben", WILL))
    me.knows |= {("eve", WILL)}
    assert (me.evening.grievance[0][1], me.evening.belief[0][2], me.evening.trust[0][1]) == (
        0.5,
        Belief.SUSPECTS,
        -0.25,
    )
    assert me.evening.knows[0][0] == 0b10010
    del me.grievance["ben"]
    me.knows.discard(("ben", WILL))
    assert (dict(me.grievance), set(me.knows)) == ({}, {("eve", WILL)})
    with pytest.raises(TypeError):
        del me.emotions["anger"]
    with pytest.raises(KeyError):
        me.grievance["nobody"] = 0.5
    assert "ann" not in me.bonds
    assert list(me.bonds) == ["ben", "cas", "dov", "eve"]


def _check_round_trip(scenario: Scenario, seed: int) -> int:
    sizes, packed = sizes_of(scenario), np.zeros(1, packed_type(EveningState, LIMITS[LARGE]))
    ticks = []

    def check(world: WorldState, _: object) -> None:
        write_packed(packed[0], world.evening, EveningState, sizes)
        again = WorldState(read_packed(packed[0], EveningState, sizes), world.names, world.recent)
        assert state_to_data(again) == state_to_data(world)
        ticks.append(world.tick)

    run(scenario, seed, on_tick=check, ticks=24)
    return len(ticks)


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_packed_and_back_a_world_says_the_same(name: str, by_the_letter: bool) -> None:
    """A packed record, read again, gives the same JSON after every tick."""
    assert _check_round_trip(shipped(name, by_the_letter=by_the_letter), 5) > 20


@pytest.mark.parametrize("seed", range(4))
def test_so_it_does_for_invented_evenings(seed: int) -> None:
    """A packed record, read again, gives the same JSON for scenarios of any size."""
    assert _check_round_trip(invented(seed), seed) > 0


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_a_state_can_be_taken_up_anywhere(name: str, by_the_letter: bool) -> None:
    """From the world at any tick, the evening goes on as it went on: nothing that counts is lost."""
    scenario, seed = shipped(name, by_the_letter=by_the_letter), 11
    states: list[EveningState] = []
    run(scenario, seed, ticks=60, on_tick=lambda world, _: states.append(world.state(seed)))
    player = InterpretedSteps(scenario, logged=False)
    for now, then in zip(states[::3], states[1::3], strict=False):
        draw_needs(now, player.tables)
        player.evening = now
        player.tick()
        for part in parts_of(EveningState):
            if part.delta is not None:
                assert bytes_of(now, part, player.sizes) == bytes_of(then, part, player.sizes), (now.tick, part.name)
