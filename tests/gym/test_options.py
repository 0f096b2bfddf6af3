"""The actions of Arena-v0 are the pilot's options, whatever the situation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given

from tests.execution.worlds.pilot.maps import arena_maps
from volition.execution.wire.frames import StateFrame
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.pilot import DefeatOpponent
from volition.execution.worlds.pilot.candidates import options
from volition.execution.worlds.pilot.situation import ArenaPerception
from volition.execution.worlds.pilot.view import AttemptMemory, View
from volition.gym import OPTIONS

if TYPE_CHECKING:
    from volition.execution.worlds.arena import ArenaMap


@given(arena_maps())
def test_every_option_is_an_action(map: ArenaMap) -> None:
    """Whatever the pilot may consider, on any map, is one of the actions, each once, and in their order."""
    arena = Arena(map)
    frame = StateFrame(seq=1, tick=0, episode=1, full=True, data=arena.state())
    offered = [one.id for one in options(View(ArenaPerception().perceive(frame), DefeatOpponent(), AttemptMemory()))]
    assert offered == [option for option in OPTIONS if option in offered]
    assert len(OPTIONS) == 35
