"""Evening-v0: guests as PettingZoo agents, in evenings that stay exact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from volition.arbitration import constraint
from volition.core.errors import InvalidInput
from volition.drama import Evening, play, scenario
from volition.drama.world.settings import Setting, apply_settings
from volition.gym import evening_v0
from volition.gym.evening_v0 import EveningEnv, ease, parallel_env

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.drama import Action

PARTY = scenario("dinner-party")
SHORT = apply_settings(PARTY, [Setting("evening.ticks", None, 24)])


def play_by_chance(env: EveningEnv, *, seed: int = 0, masked: float = 0.0) -> list[Any]:
    """Play an evening with drawn actions, of which some may be masked; what every step returned."""
    chance = np.random.default_rng(seed)
    seen, infos = env.reset()
    steps: list[Any] = [(seen, infos)]
    while env.agents:
        actions = {}
        for who in env.agents:
            mask = seen[who]["action_mask"]
            wild = chance.random() < masked
            actions[who] = int(chance.integers(len(mask)) if wild else chance.choice(np.flatnonzero(mask)))
        steps.append(env.step(actions))
        seen = steps[-1][0]
    return steps


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a recorded evening."""
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.filterwarnings("error")
def test_the_official_checkers_are_content() -> None:
    """PettingZoo's own tests find nothing, not even a warning: with one guest, with all, and with an evening cut off."""
    parallel_api_test(parallel_env(PARTY, ("victor",), max_ticks=30), num_cycles=40)
    parallel_api_test(parallel_env(PARTY, max_ticks=10), num_cycles=20)
    parallel_seed_test(lambda: parallel_env(PARTY, ("victor", "diana")), num_cycles=3)


@pytest.mark.parametrize(("guests", "by_name"), [(("victor",), False), (None, True)])
def test_who_does_what_they_would_do_changes_nothing(
    guests: tuple[str, ...] | None, by_name: bool, tmp_path: Path
) -> None:
    """If every agent takes what the person's own mind would choose, by its name or by leaving it to that mind, the evening
    is the ordinary one, to the byte."""
    env = parallel_env(SHORT, guests, 8)
    _, infos = env.reset()
    while env.agents:
        own = {who: infos[who]["own"] if by_name and infos[who]["own"] else "own" for who in env.agents}
        *_, infos = env.step({who: env.acts.index(act) for who, act in own.items()})
    evening = env.evening if env.evening.is_over else env.evening.play_on()
    evening.save(tmp_path / "agents")
    play(SHORT, 8).save(tmp_path / "ordinary")
    assert files_of(tmp_path / "agents") == files_of(tmp_path / "ordinary")


def test_the_record_of_agents_is_exact(tmp_path: Path) -> None:
    """What agents chose is recorded as played: loaded without them, it is verified, and why is answered."""
    env = parallel_env(SHORT, ("victor", "diana"), 8)
    play_by_chance(env, masked=0.1)
    env.evening.save(tmp_path / "run")
    evening = Evening.load(tmp_path / "run")
    assert evening.verify() == len(evening.run.ticks)
    assert evening.run.custom.minds == {"diana": "the player", "victor": "the player"}


def test_a_branch_keeps_what_agents_chose(tmp_path: Path) -> None:
    """A fork of an evening of two agents is the same with their environment and from the record alone; and it can be
    played on without them."""
    env = parallel_env(SHORT, ("victor", "diana"), 8, max_ticks=12)
    play_by_chance(env)
    env.evening.save(tmp_path / "run")
    loaded = Evening.load(tmp_path / "run")
    forbidden = loaded.run.ticks[2].choices["elena"].id
    branches = [evening.fork(2, veto=forbidden, agent="elena", ticks=12).run for evening in (env.evening, loaded)]
    assert branches[0].ticks == branches[1].ticks
    assert any(tick.played == ("diana", "victor") for tick in branches[0].ticks[3:])
    assert loaded.play_on().run.ticks == env.evening.play_on().run.ticks


def test_a_choice_of_an_agent_is_explained(tmp_path: Path) -> None:
    """In the loaded record the constraint `played` says what an agent chose, and what the person would have done."""
    env = parallel_env(PARTY, ("victor",), 8)
    _, infos = env.reset()
    own = infos["victor"]["own"]
    other = next(act for act in infos["victor"]["candidates"] if act != own)
    env.step({"victor": env.acts.index(other)})
    env.evening.save(tmp_path / "run")
    decision = Evening.load(tmp_path / "run").decision(0, "victor")
    assert decision.id == other
    assert decision.tally.vetoed_by(own) == {"played": f"the player chose {other}"}
    assert decision.what_if(without="played", shadow=True).after == own


def test_same_seed_same_evening() -> None:
    """The same seed and actions give the same observations, rewards and infos; later evenings are drawn from the seed."""
    one, other = (parallel_env(PARTY, ("victor",), 5, max_ticks=15) for _ in range(2))
    for number in range(2):
        walks = [play_by_chance(env, seed=number) for env in (one, other)]
        assert repr(walks[0]) == repr(walks[1])
    first, second = parallel_env(PARTY, ("victor",), 5), parallel_env(PARTY, ("victor",), 6)
    assert first.reset(seed=6)[1] == second.reset()[1]


def test_vetoes_have_the_names_of_constraints() -> None:
    """What a gate or a constraint forbids is masked under its name; what nobody offers is masked without one."""

    @constraint
    def teetotal(act: Action) -> bool:
        return act.id == "physical:drink"

    env = parallel_env(SHORT, ("victor",), 8, constraints=[teetotal])
    named: set[str] = set()
    for seen, *_, infos in play_by_chance(env, seed=3):
        info, mask = infos["victor"], dict(zip(env.acts, seen["victor"]["action_mask"].tolist(), strict=True))
        named.update(name for names in info["vetoes"].values() for name in names)
        assert [act for act, allowed in mask.items() if allowed] == [
            "own",
            *sorted(info["candidates"], key=env.acts.index),
        ]
        assert not any(mask[act] for act in info["vetoes"])
    assert {"recovery", "teetotal"} <= named


def test_a_masked_action_is_left_to_the_person() -> None:
    """An agent who takes what is not on offer does nothing: the person acts by their own mind, and info says why."""
    env = parallel_env(PARTY, ("victor",), 8)
    _, infos = env.reset()
    own = infos["victor"]["own"]
    *_, infos = env.step({"victor": env.acts.index("chat:victor") if "chat:victor" in env.acts else len(env.acts) - 1})
    assert infos["victor"]["vetoed"] == ["not_offered"]
    assert infos["victor"]["act"] == own
    assert env.evening.run.ticks[0].played == ()
    *_, infos = env.step({})
    assert "vetoed" not in infos["victor"]


def test_nobody_sees_into_others() -> None:
    """Another's stress, feelings, bonds and beliefs can be anything: what a guest observes and is offered stays the same."""
    env = parallel_env(PARTY, ("victor",), 8)
    seen, infos = env.reset()
    for _ in range(5):
        seen, *_, infos = env.step({})
    evening, me = env._stage.evening, env.mind.names.person["victor"]
    for other in range(len(PARTY.people)):
        if other != me:
            evening.stress[other], evening.composure[other], evening.budget[other] = 0.87, 0.13, 0.2
            evening.emotions[other] = [0.9] * len(evening.emotions[other])
            evening.trust[other] = [-0.7] * len(evening.trust[other])
            evening.belief[other] = [1] * len(evening.belief[other])
            evening.needs[other] = [0.99] * len(evening.needs[other])
    env._look()
    assert np.array_equal(env._observe(["victor"])["victor"]["observation"], seen["victor"]["observation"])
    assert np.array_equal(env._observe(["victor"])["victor"]["action_mask"], seen["victor"]["action_mask"])
    assert env._info("victor") | {"act": infos["victor"]["act"]} == infos["victor"]


def test_an_observation_says_what_its_columns_are_called() -> None:
    """Each number of an observation is found by its name; a secret that somebody never heard of is nothing in it."""
    env = parallel_env(PARTY, seed=8)
    seen, _ = env.reset()
    offer = Evening.begin(PARTY, 8, "victor").offer()
    assert offer is not None
    row = dict(zip(env.columns["victor"].names, seen["victor"]["observation"].tolist(), strict=True))
    assert row["me.stress"] == pytest.approx(offer.me.pacing.stress)
    assert row["elena.trust"] == pytest.approx(offer.me.bonds["elena"].trust)
    assert {other for other in PARTY.people if row.get(f"{other}.present")} == {*offer.perceived.visible_agents}
    unheard = [secret for secret in PARTY.secrets if secret not in offer.me.beliefs]
    assert unheard
    assert not any(value for name, value in row.items() for secret in unheard if secret in name)
    assert len({len(columns.names) for columns in env.columns.values()}) == 1


def test_a_guest_who_leaves_is_done() -> None:
    """A guest's part ends when they have left, and with the evening; until then the others play on."""
    env = parallel_env(PARTY, ("diana", "victor"), 10)
    env.reset()
    ended: dict[str, bool] = {"diana": False}
    while not ended["diana"]:
        *_, ended, _, infos = env.step({})
    assert infos["diana"]["act"] == "physical:leave"
    assert not ended["victor"]
    assert env.agents == ["victor"]
    while env.agents:
        seen, rewards, ended, cut, infos = env.step({})
        assert rewards.keys() == seen.keys() == {"victor"}
    assert ended == {"victor": True}
    assert cut == {"victor": False}
    assert infos["victor"]["ending"] == play(PARTY, 10).run.ending.kind  # type: ignore[union-attr]


def test_rewards_add_up_to_how_calm_somebody_became() -> None:
    """By default the rewards of an evening are what its end left of composure and took of stress; a function replaces it."""
    env = parallel_env(PARTY, ("victor",), 8, max_ticks=20)
    total = sum(step[1]["victor"] for step in play_by_chance(env)[1:])
    evening = env.evening
    before, after = (evening.state(tick).agents["victor"] for tick in (evening.first, evening.last))
    assert total == pytest.approx(ease(before, after))
    counted = parallel_env(PARTY, ("victor",), 8, max_ticks=3, reward=lambda before, after: 1.0)
    assert sum(step[1]["victor"] for step in play_by_chance(counted)[1:]) == 3.0


def test_what_does_not_fit_is_refused(told: Told) -> None:
    """Everything that is wrong is said at once: unknown or repeated guests, a guest with a mind from outside, limits."""
    with pytest.raises(InvalidInput) as caught:
        parallel_env(PARTY, ("victor", "victor", "nobody"), max_ticks=0, minds={"victor": lambda offer: None})
    assert {problem.where for problem in caught.value.problems} == {"guests", "minds", "max_ticks"}
    env = parallel_env(PARTY, "victor")
    assert env.possible_agents == ["victor"]
    with told.raises(InvalidInput):
        env.step({})
    with told.raises(InvalidInput):
        _ = env.evening
    env.reset()
    with told.raises(InvalidInput):
        env.step({"victor": 999})
    assert env.acts[0] == evening_v0.OWN
