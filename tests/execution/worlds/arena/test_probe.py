"""The arena's probe: where a MOVE that it names leads."""

from __future__ import annotations

import pytest

from tests.execution.worlds.arena.plays import play
from volition.execution.worlds.arena.probe import ArenaProbe


@pytest.mark.parametrize("to_x", [-661, 661])
@pytest.mark.parametrize("to_y", [-700, 700])
def test_after_a_turn_a_swing_hits(to_x: int, to_y: int) -> None:
    """The way that turns the actor to its target is so short that a target near the diagonal is ahead afterwards."""
    fight = play(".....", ".....", "..@..", ".....", "&....")
    actor, opponent = fight.arena._actor, fight.arena._opponent
    opponent.x, opponent.y = actor.x + to_x, actor.y + to_y
    turn = ArenaProbe().turn(fight.arena.state(), to_target=True)
    assert turn is not None
    fight.attempt("MOVE", *turn)
    assert fight.until_result().status == "SUCCESS"
    (swing,) = fight.attempt("PRIMARY_ATTACK").results
    assert swing.result.outcomes.damage_dealt == 25.0
