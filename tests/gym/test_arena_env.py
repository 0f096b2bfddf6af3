"""Arena-v0: any executor as a Gymnasium environment, with the pilot's vetoes as its mask."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env, data_equivalence
from msgspec.structs import replace

from tests.execution.client.bridges import PATIENT, served
from tests.execution.transports.stream_bridge import Toy
from tests.gym.walks import CELLS, CLOSET, LEDGE, action, walk
from volition.arbitration import Constraint
from volition.core.errors import InvalidInput
from volition.execution import Bridge, HandshakeFailed
from volition.execution.executor.server import ExecutorServer
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ArenaExecutor
from volition.execution.worlds.pilot import PILOT, Spot
from volition.execution.worlds.pilot.situation import Me, PilotSituation
from volition.gym import COLUMNS, OPTIONS, ArenaEnv, ArenaVector

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution import Outcome
    from volition.execution.wire.frames import StateFrame
    from volition.execution.worlds.arena import ArenaMap


@contextmanager
def arena_at_a_socket(map: ArenaMap = CELLS, hz: float = 50.0) -> Iterator[str]:
    """An arena in another thread, in its own time, which cannot be reset."""
    game = ArenaExecutor(Arena(map), hz=hz)
    game.about = replace(game.about, resets=False)
    with ExecutorServer.listen("tcp://127.0.0.1:0", game, timing=PATIENT).running() as at:
        yield str(at)


def test_the_official_checker_is_content() -> None:
    """Gymnasium's own checker finds nothing, not even a warning, in what `make` returns."""
    env = gymnasium.make("volition.gym:volition/Arena-v0", map="foundry", max_steps=20)
    check_env(env.unwrapped)
    env.close()


@pytest.mark.req("EX-25")
def test_same_seed_and_actions_same_episodes() -> None:
    """On an embedded arena the same seed and actions give the same observations, rewards and infos, over resets without
    a seed too; another seed gives others."""
    with closing(ArenaEnv(max_steps=25)) as one, closing(ArenaEnv(max_steps=25)) as other:
        walks = [list(walk(one, 60, seed=7)), list(walk(other, 60, seed=7)), list(walk(other, 60, seed=8))]
    assert data_equivalence(walks[0], walks[1], exact=True)
    assert not data_equivalence(walks[1], walks[2], exact=True)
    assert all(step[0] in one.observation_space for step in walks[0])


def test_an_observation_says_what_its_columns_are_called() -> None:
    """Each number of an observation is found by its name, and the ground is what lies around the actor."""
    with closing(ArenaEnv(map=LEDGE, goal=Spot(7.5, 1.5))) as env:
        seen = dict(zip(COLUMNS, env.reset(seed=1)[0].tolist(), strict=True))
    assert (seen["actor.x"], seen["actor.y"]) == (3.5 / 64, 1.5 / 64)
    assert seen["goal.dx"] == seen["opponent.dx"] == 4 / 64
    assert (seen["actor.facing.east"], seen["opponent.facing.west"], seen["opponent.mode.patrol"]) == (1, 1, 1)
    assert (seen["ground.known"], seen["ground.hazard.+1+0"], seen["ground.hazard.+0+1"]) == (1, 1, 0)
    assert (seen["ground.wall.+0-1"], seen["ground.wall.-1+0"]) == (1, 0)


def test_vetoes_have_the_names_of_constraints() -> None:
    """What is vetoed is masked, and info names every constraint that does so; what is not offered is masked without."""
    calm = PILOT.with_intention(Constraint("calm", lambda option: option.name == "PRIMARY_ATTACK"))
    with closing(ArenaEnv(map=LEDGE, composite=calm)) as env:
        _, info = env.reset(seed=1)
        mask, vetoes = dict(zip(OPTIONS, info["action_mask"].tolist(), strict=True)), info["vetoes"]
    assert vetoes["attack"] == ["calm"]
    assert vetoes["move:east:1"] == ["hazard"]
    assert vetoes["move:north:1"] == ["wall"]
    assert vetoes["release"] == ["posture"]
    assert all(not mask[option] for option in vetoes)
    assert {option for option in OPTIONS if not mask[option]} - vetoes.keys() == {
        *("move:out", "move:leap", "move:way", "move:turn")
    }
    assert mask["wait"]
    assert mask["move:south:1"]


@pytest.mark.req("EX-12")
@pytest.mark.parametrize("option", ["move:east:1", "release", "move:out"])
def test_a_masked_action_is_not_sent(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An action that is vetoed or not on offer sends nothing, costs nothing, and says who refused it; a tick passes."""
    sent: list[Any] = []
    execute = Bridge.execute

    def record(bridge: Bridge, intent: Any, **more: Any) -> Outcome:
        sent.append(intent)
        return execute(bridge, intent, **more)

    monkeypatch.setattr(Bridge, "execute", record)
    with closing(ArenaEnv(map=LEDGE)) as env:
        _, info = env.reset(seed=1)
        before, tick = info["vetoes"], info["tick"]
        _, reward, terminated, truncated, info = env.step(action(option))
        assert sent == []
        assert info["vetoed"] == before.get(option, ["not_offered"])
        assert (reward, terminated, truncated, info["option"], info["label"]) == (0.0, False, False, "", "")
        assert info["tick"] > tick
        _, _, _, _, info = env.step(action("move:south:0.5"))
        assert [intent.name for intent in sent] == ["MOVE"]
        assert "vetoed" not in info


@pytest.mark.req("EX-12")
@pytest.mark.parametrize("map", ["courtyard", "foundry"])
def test_no_action_leads_into_a_hazard(map: str) -> None:
    """Whatever an agent chooses, masked or not: its body never stands in a hazard."""
    here = COLUMNS.index("ground.hazard.+0+0")
    air = COLUMNS.index("actor.air")
    with closing(ArenaEnv(map=map)) as env:
        steps = list(walk(env, 250, seed=11, masked=0.5))
    assert all(not step[0][here] or step[0][air] for step in steps)


def test_a_goal_is_rewarded_when_states_show_it() -> None:
    """A place that is reached ends the episode with a reward of 1, and success by itself is worth nothing."""
    with closing(ArenaEnv(goal="5.5,3.5")) as env:
        env.reset(seed=7)
        rewards = []
        for _ in range(40):
            _, reward, terminated, _, info = env.step(action("move:way"))
            rewards.append(reward)
            if terminated:
                break
    assert (info["verdict"], info["reward"]) == ("met", {"goal": 1.0})
    assert rewards == [0.0] * (len(rewards) - 1) + [1.0]


def test_who_only_waits_pays_for_every_wound() -> None:
    """A body that waits is hit: its wounds cost as much as in an attempt, its death 1, and the episode ends with it."""
    with closing(ArenaEnv(map=CLOSET, max_steps=None)) as env:
        env.reset(seed=7)
        total, terminated = 0.0, False
        while not terminated:
            _, reward, terminated, _, info = env.step(action("wait"))
            total += reward
    assert total == pytest.approx(-2.0)
    assert (info["verdict"], info["reward"]["death"]) == ("lost", -1.0)


def test_an_episode_is_cut_off() -> None:
    """After `max_steps` it is truncated and not terminated; so it is by Gymnasium's own limit."""
    made = gymnasium.make("volition/Arena-v0", max_steps=3)
    limited = gymnasium.make("volition/Arena-v0", max_steps=None, max_episode_steps=3)
    for env in (made, limited):
        env.reset(seed=1)
        assert [env.step(action("stop"))[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
        env.close()


def test_an_executor_that_cannot_be_reset(told: Told) -> None:
    """A seed is refused with a remedy; without one the body goes on where it is."""
    with arena_at_a_socket() as place, closing(ArenaEnv(place)) as env:
        with told.raises(InvalidInput):
            env.reset(seed=3)
        _, info = env.reset()
        assert "seed" not in info
        _, _, _, _, info = env.step(action("move:east:0.5"))
        assert info["label"] == "positive"
        later, _ = env.reset()
        assert later[COLUMNS.index("actor.x")] > 1.5 / 64


@pytest.mark.parametrize("many", [False, True])
def test_a_lost_executor_is_named_as_lost(tmp_path: Path, *, many: bool) -> None:
    """Where the executor is gone, a reset says that it cannot be reached, alone and in a vector; no seed is blamed."""
    game = ArenaExecutor(Arena(CELLS))
    with ExecutorServer.listen(f"unix:{tmp_path}/s", game, timing=PATIENT).running() as at:
        env = ArenaVector(1, str(at)) if many else ArenaEnv(str(at))
        env.reset(seed=1)
    if isinstance(env, ArenaEnv) and env._bridge is not None:
        env._bridge.tend()  # it notices now, and not only when its keeper looks
    with closing(env), pytest.raises(HandshakeFailed):
        env.reset(seed=1)


def test_a_body_that_died_is_awaited() -> None:
    """An executor that cannot be reset brings its actor back by itself: the next episode begins with a living one."""
    with arena_at_a_socket(CLOSET, hz=500.0) as place, closing(ArenaEnv(place, max_steps=None)) as env:
        env.reset()
        while not env.step(action("wait"))[2]:
            pass
        seen, _ = env.reset()
        assert seen[COLUMNS.index("actor.alive")] == 1


@pytest.mark.req("EX-25")
def test_the_past_leaves_no_trace() -> None:
    """An episode with a seed is the same whatever was played before it on the connection."""
    with closing(ArenaEnv(max_steps=20)) as fresh, closing(ArenaEnv(max_steps=20)) as used:
        expected = list(walk(fresh, 40, seed=7))
        list(walk(used, 33, seed=3, masked=0.8))
        assert data_equivalence(list(walk(used, 40, seed=7)), expected, exact=True)


class _ToyPerception:
    """Reads the states of a toy, which says nothing but the time."""

    def perceive(self, frame: StateFrame) -> PilotSituation:
        return PilotSituation(frame.seq, frame.tick, frame.episode, Me((0.0, 0.0)))


def test_another_schema_is_observed_as_the_user_says() -> None:
    """Other states are refused with what to give; with a function, its space and a perception, they are observed."""
    space = Box(0.0, 1e9, (1,), np.float64)
    observe = lambda data: np.array([data["tick"]], dtype=np.float64)  # noqa: E731
    with served(Toy(hz=200)) as place:
        with closing(ArenaEnv(place)) as env, pytest.raises(InvalidInput, match="Perception"):
            env.reset()
        with closing(ArenaEnv(place, observe=observe, observation_space=space, perception=_ToyPerception)) as env:
            first, info = env.reset()
            assert "blind" in info["vetoes"]["jump"]
            second, *_, info = env.step(action("move:east:0.5"))
            assert second > first
            assert first in space
            assert info["label"] == "positive"


def test_everything_wrong_is_said_at_once(told: Told) -> None:
    """Arguments that contradict each other are refused together; so is an action that is none, and a step before a reset."""
    with pytest.raises(InvalidInput) as caught:
        ArenaEnv(observe=len, max_steps=0, goal="somewhere")
    assert [problem.where for problem in caught.value.problems] == ["observe", "max_steps", "goal"]
    with closing(ArenaEnv()) as env:
        with told.raises(InvalidInput):
            env.step(0)
        env.reset(seed=1)
        with told.raises(InvalidInput):
            env.step(35)


def test_the_arena_is_drawn() -> None:
    """In the mode `ansi` the arena is rendered as text, with the map that only full states hold."""
    env = gymnasium.make("volition/Arena-v0", map=CLOSET, render_mode="ansi")
    env.reset(seed=1)
    env.step(action("wait"))
    drawn = str(env.render())
    assert "#>" in drawn
    assert "tick 1" in drawn
    env.close()
