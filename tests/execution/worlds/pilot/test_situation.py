"""Perception: what the states of the arena say, and what they leave out."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from volition.core.errors import InvalidInput
from volition.execution.wire.frames import StateFrame
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.pilot import Pilot
from volition.execution.worlds.pilot.situation import ArenaPerception, Perception


def frame(data: Any, *, seq: int = 1, episode: int = 1) -> StateFrame:
    return StateFrame(seq=seq, tick=0, episode=episode, full=True, data=data)


def test_the_arena_is_read() -> None:
    """Places are in tiles, health and stamina are shares, and the map is known."""
    yard = replace(shipped_map("courtyard"), actor_starts=((2, 2),), opponent_starts=((12, 7),))
    seen = ArenaPerception().perceive(frame(Arena(yard).state()))
    assert isinstance(ArenaPerception(), Perception)
    assert (seen.me.place, seen.me.health, seen.me.stamina, seen.me.facing) == ((2.5, 2.5), 1.0, 1.0, "east")
    assert seen.foe is not None
    assert seen.foe.place == (12.5, 7.5)
    assert seen.ground is not None
    assert seen.ground.is_hazard((12, 3))


def test_the_map_is_remembered_within_an_episode() -> None:
    """A state without a map keeps the one that is known; in another episode nothing is known until it is shown."""
    arena, perception = Arena(shipped_map("courtyard")), ArenaPerception()
    full, short = arena.state(), arena.state(full=False)
    assert perception.perceive(frame(short)).ground is None
    assert perception.perceive(frame(full)).ground is not None
    assert perception.perceive(frame(short, seq=2)).ground is not None
    assert perception.perceive(frame(short, seq=3, episode=2)).ground is None


def test_a_flight_is_counted_with_a_tick_to_spare() -> None:
    """A body in the air is carried at least as far as is said, even if the next intent comes a tick late."""
    arena, perception = Arena(shipped_map("courtyard")), ArenaPerception()
    arena.attempt("JUMP", None, 1)
    arena.step()
    seen = perception.perceive(frame(arena.state()))
    start = arena.state()["actor"]["x"] / 1000
    arena.step()
    arena.attempt("MOVE", {"vector": [3, 0, 0]}, 2)
    while arena.state()["actor"]["air"]:
        arena.step()
    assert seen.me.in_air
    assert start + seen.me.flight == pytest.approx(arena.state()["actor"]["x"] / 1000)


@pytest.mark.req("EX-02")
def test_cooldowns_of_the_state_are_not_looked_at() -> None:
    """Whatever clocks a state shows, the pilot understands and decides the same."""
    state = Arena(shipped_map("courtyard")).state()
    other = deepcopy(state)
    other["actor"]["cooldowns"] = {"attack": 9, "evade": 19, "jump": 7}
    without = deepcopy(state)
    del without["actor"]["cooldowns"]
    seen = [ArenaPerception().perceive(frame(each)) for each in (state, other, without)]
    assert seen[0] == seen[1] == seen[2]
    assert len({Pilot().decide(each).id for each in seen}) == 1


@pytest.mark.parametrize("data", [None, [], {}, {"actor": {"x": "2"}}, {"actor": None, "opponent": None}])
def test_other_states_are_refused_with_a_remedy(data: Any) -> None:
    """A state that is not the arena's is refused, and the error says what to give the pilot instead."""
    with pytest.raises(InvalidInput, match="Perception"):
        ArenaPerception().perceive(frame(data))
