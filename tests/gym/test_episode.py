"""An episode of a body, without a connection: states in, steps out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.gym.walks import CLOSET, action
from volition.arbitration import arbitrate
from volition.core.errors import InvalidInput
from volition.execution import connect
from volition.execution.journal.reward import Reward
from volition.execution.wire.frames import StateFrame, Welcome
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.pilot import PILOT
from volition.gym import OPTIONS, ArenaEnv
from volition.gym.episode import ArenaEpisode, ArenaTask


def frame(seq: int, **actor: Any) -> StateFrame:
    """A state of the closet in which something is different about the actor."""
    data = Arena(CLOSET).state()
    return StateFrame(seq=seq, tick=seq, episode=1, full=True, data={**data, "actor": {**data["actor"], **actor}})


def welcome(session: str) -> Welcome:
    """What an arena says of itself, in a session."""
    with connect("embedded") as bridge:
        assert bridge.welcome is not None
        return msgspec.structs.replace(bridge.welcome, session=session)


def test_a_new_connection_is_not_compared_with_the_old() -> None:
    """States of another connection count from the beginning: a death that one shows ends the episode, whatever their
    numbers, and an old state of the same connection shows nothing."""
    first = welcome("s-1")
    for now, over in ((first, False), (welcome("s-2"), True)):
        episode = ArenaEpisode(ArenaTask.of(), frame(50), first)
        episode.choose(action("wait"))
        *_, terminated, _, info = episode.finish_step(frame(3, alive=False, health=0), None, now)
        assert (terminated, info["verdict"]) == (over, "lost" if over else "open")


def test_a_reward_function_is_held_to_the_journals_law() -> None:
    """A custom reward replaces that of the attempt; one that is not a finite Reward is refused."""
    for reward, fault in (
        (lambda _: Reward.of({"mine": 0.5}), ""),
        (lambda _: Reward.of({"x": float("nan")}), "finite"),
    ):
        env = ArenaEnv(reward=reward)
        env.reset(seed=1)
        if fault:
            with pytest.raises(InvalidInput, match=fault):
                env.step(action("stop"))
        else:
            assert env.step(action("stop"))[4]["reward"] == {"mine": 0.5}
        env.close()


@pytest.mark.parametrize("map", ["courtyard", "foundry"])
def test_what_the_pilot_would_do_wins(map: str) -> None:
    """The environment offers all that a good policy needs: who takes the pilot's choices defeats the opponent, unhurt."""
    env = ArenaEnv(map=map)
    env.reset(seed=7)
    total, terminated, truncated = 0.0, False, False
    while not (terminated or truncated):
        assert env._episode is not None
        tally = env._episode._decision.tally
        choice = arbitrate(tally.candidates, PILOT, context=tally.context).id or "wait"
        assert env.action_masks()[OPTIONS.index(choice)]
        _, reward, terminated, truncated, info = env.step(OPTIONS.index(choice))
        total += reward
        assert "received" not in info["reward"]
    env.close()
    assert info["verdict"] == "met"
    assert total > 1.0
