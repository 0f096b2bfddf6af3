"""Evening-v0: guests of an evening as PettingZoo agents; everybody else decides with their own mind.

The action 0 leaves a choice to the person's own mind; every other action is an act of the scenario, always the same one.
An act that the person would have chosen anyway is theirs, and is not recorded as played. So an evening in which agents do
what the persons would have done is the ordinary evening, to the byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from msgspec import structs
from pettingzoo import ParallelEnv

from volition.core.errors import InvalidInput, Problems, check_known, format_value, refuse
from volition.drama import Evening, Mind, Scenario, load_scenario
from volition.drama.evening.ending import GOES_ON, stop_of
from volition.drama.evening.person import AgentState
from volition.drama.evening.tick import decides
from volition.drama.mind.custom import gather
from volition.drama.stage.causes import Causes
from volition.drama.stage.record import PLAYER, declare
from volition.drama.stage.run import begin_run, ending
from volition.drama.stage.stage import Stage
from volition.drama.world.model import DEPARTED, Action
from volition.gym.episode import MOST_SEED
from volition.gym.evening_observation import EveningColumns
from volition.gym.options import NOT_OFFERED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.arbitration import Decision
    from volition.drama import PerceivedState
    from volition.drama.mind.custom import Constraints, CustomMind, Terms
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run

__all__ = ["EveningEnv", "ease", "parallel_env"]

OWN: Final = "own"
"""What the action 0 means: the person's own mind chooses."""
EveningReward: TypeAlias = Callable[[AgentState, AgentState], float]
"""A person's own state before a tick and after it -> the reward of the agent who plays them."""
Infos: TypeAlias = dict[str, dict[str, Any]]
Seen: TypeAlias = dict[str, dict[str, Any]]


def ease(before: AgentState, after: AgentState) -> float:
    """The reward by default: how much calmer a tick left a person. It is stress that fell plus composure that rose."""
    return (before.pacing.stress - after.pacing.stress) + (after.pacing.composure - before.pacing.composure)


def parallel_env(
    scenario: str | Scenario = "dinner-party",
    guests: Sequence[str] | None = None,
    seed: int = 0,
    *,
    max_ticks: int | None = None,
    reward: EveningReward = ease,
    minds: Mapping[str, CustomMind] | None = None,
    terms: Terms = (),
    constraints: Constraints = (),
) -> EveningEnv:
    """An evening whose `guests` are agents, by default all people of the scenario, which is a name, a file or an object.

    `seed` is that of the first evening, unless `reset` is given another; later ones are drawn from it. After `max_ticks`
    an evening is truncated. `minds`, `terms` and `constraints` take part as in `play`.

    >>> env = parallel_env("dinner-party", ("victor",), seed=8)
    >>> _, infos = env.reset()
    >>> infos["victor"]["candidates"][:3]
    ['chat:lydia', 'chat:thorne', 'chat:all']
    """
    return EveningEnv(
        load_scenario(scenario) if isinstance(scenario, str) else scenario,
        guests,
        seed,
        max_ticks=max_ticks,
        reward=reward,
        mind=lambda loaded: Mind(loaded, gather(minds, terms, constraints)),
    )


class EveningEnv(ParallelEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """An evening, tick by tick; `parallel_env` makes one. `evening` is the record so far, as an Evening."""

    metadata: dict[str, Any] = {"name": "evening_v0", "render_modes": [], "is_parallelizable": True}  # noqa: RUF012

    def __init__(
        self,
        scenario: Scenario,
        guests: Sequence[str] | None,
        seed: int,
        *,
        max_ticks: int | None,
        reward: EveningReward,
        mind: Callable[[Scenario], Mind],
    ) -> None:
        self.scenario, self.mind = scenario, mind(scenario)
        self.possible_agents = _check_guests(scenario, guests, self.mind, max_ticks)
        self.agents: list[str] = []
        self.render_mode = None
        self.acts: tuple[str, ...] = (OWN, *self.mind.names.acts)
        self.columns = {who: EveningColumns(scenario, who) for who in self.possible_agents}
        mask = Box(0, 1, (len(self.acts),), np.int8)
        self.observation_spaces = {
            who: Dict({"observation": columns.space, "action_mask": mask}) for who, columns in self.columns.items()
        }
        self.action_spaces = {who: Discrete(len(self.acts)) for who in self.possible_agents}
        self._seed: int | None = seed
        self._chance = np.random.default_rng(seed)
        self._max_ticks, self._reward = max_ticks, reward
        self._number = {act: number for number, act in enumerate(self.acts)}
        self._begun: Run | None = None

    def observation_space(self, agent: str) -> Dict:
        """The space of a guest's observations: `observation`, whose columns have names, and `action_mask`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The space of a guest's actions: `acts` says what each means."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, Infos]:
        """Begin an evening; there are no options."""
        if seed is not None:
            self._seed, self._chance = seed, np.random.default_rng(seed)
        chosen, self._seed = int(self._chance.integers(MOST_SEED)) if self._seed is None else self._seed, None
        self._begun, world = begin_run(self.scenario, chosen, self.mind)
        self._stage = Stage(world, self.mind, chosen, Causes())
        self._records: list[TickRecord] = []
        self._stop = stop_of(self._stage.evening, self._stage.tables, self.scenario.evening.ticks)
        self.agents = [*self.possible_agents]
        self._look()
        return self._observe(self.agents), {who: self._info(who) | {"seed": chosen} for who in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[Seen, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Play a tick. A guest without an action, or with one that is masked, acts by their own mind."""
        if self._begun is None:
            refuse("no evening has begun", where="step", expected="a call of reset before it", remedy="reset it first")
        playing, stage = self.agents, self._stage
        refused = {who: self._refusal(who, actions) for who in playing}
        chosen = {who: self.acts[int(actions[who])] for who in playing if who in actions and not refused[who]}
        acts = {who: act for who, act in chosen.items() if act not in (OWN, self._own(who))}
        before = {who: self._person(who) for who in playing}
        record = stage.tick(acts)
        self._records.append(record)
        self._stop = stop_of(stage.evening, stage.tables, self.scenario.evening.ticks)
        over = self._stop != GOES_ON
        after = {who: self._person(who) for who in playing}
        ended = {who: over or after[who].has_left for who in playing}
        cut = self._max_ticks is not None and len(self._records) >= self._max_ticks
        self.agents = [] if cut else [who for who in playing if not ended[who]]
        self._look()
        infos = {}
        for who in playing:
            act = record.choices.get(who)
            infos[who] = self._info(who) | {"act": "" if act is None else act.id}
            infos[who] |= {"vetoed": refused[who]} if refused[who] else {}
            infos[who] |= (
                {"ending": ending(self.scenario, stage.evening, stage.tables, self._stop).kind} if over else {}
            )
        return (
            self._observe(playing),
            {who: float(self._reward(before[who], after[who])) for who in playing},
            ended,
            {who: cut and not ended[who] for who in playing},
            infos,
        )

    @property
    def evening(self) -> Evening:
        """The evening so far: it answers why and why not, is replayed, saved, told and played on like any other."""
        if self._begun is None:
            refuse("no evening has begun", where="evening", expected="a call of reset", remedy="reset it first")
        stage, custom = self._stage, declare(self.mind.custom)
        players = dict.fromkeys(
            (who for record in self._records for who in record.played if who not in self.mind.minds), PLAYER
        )
        minds = dict(sorted({**custom.minds, **players}.items()))
        closing = None if self._stop == GOES_ON else ending(self.scenario, stage.evening, stage.tables, self._stop)
        run = replace(
            self._begun, ticks=tuple(self._records), ending=closing, custom=structs.replace(custom, minds=minds)
        )
        return Evening(run, self.mind)

    def _look(self) -> None:
        """Let the next tick begin, if there is one, and everybody who is an agent weigh what they may do."""
        stage, people = self._stage, self.mind.names.person
        self._decisions: dict[str, Decision[Action]] = {}
        if self._stop == GOES_ON:
            stage.open_tick()
            deciding = [who for who in self.agents if decides(stage.evening, people[who])]
            self._decisions = {who: stage.decision_of(who) for who in deciding}

    def _person(self, who: str) -> AgentState:
        return self._stage.world.agents[who].copy()

    def _own(self, who: str) -> str | None:
        """What the mind of `who` would choose."""
        return self._decisions[who].id if who in self._decisions else None

    def _refusal(self, who: str, actions: Mapping[str, int]) -> list[str]:
        """Why the action of a guest may not be taken: the constraints that veto it, or that it is not offered."""
        action = actions.get(who, 0)
        if not 0 <= action < len(self.acts):
            refuse(
                f"the action of {who} is {format_value(action)}",
                where="step",
                expected=f"a whole number from 0 to {len(self.acts) - 1}",
                remedy="take one that the action_mask allows",
            )
        act, decision = self.acts[int(action)], self._decisions.get(who)
        if act == OWN:
            return []
        if decision is None or act not in decision.tally.ids:
            return [NOT_OFFERED]
        return list(decision.tally.vetoed_by(act))

    def _observe(self, agents: Sequence[str]) -> Seen:
        evening = self._stage.evening
        return {
            who: {
                "observation": self.columns[who].row(self._person(who), self._perception(who), evening.minutes),
                "action_mask": self._mask(who),
            }
            for who in agents
        }

    def _perception(self, who: str) -> PerceivedState | None:
        """What `who` perceives; None for a person who has left."""
        if who in self._decisions:
            perceived: PerceivedState = self._decisions[who].tally.context.perceived
            return perceived
        gone = self._person(who).location == DEPARTED
        return None if gone else self.mind.perceive(self._stage.world, who)

    def _mask(self, who: str) -> np.ndarray[Any, np.dtype[np.int8]]:
        mask = np.zeros(len(self.acts), dtype=np.int8)
        mask[0] = 1
        if who in self._decisions:
            mask[[self._number[act] for act in self._decisions[who].tally.survivors]] = 1
        return mask

    def _info(self, who: str) -> dict[str, Any]:
        decision, evening = self._decisions.get(who), self._stage.evening
        tally = None if decision is None else decision.tally
        return {
            "candidates": [] if tally is None else list(tally.survivors),
            "vetoes": {} if tally is None else {act: list(tally.vetoed_by(act)) for act in tally.vetoed},
            "own": self._own(who) or "",
            "tick": evening.tick,
            "minutes": evening.minutes,
        }


def _check_guests(scenario: Scenario, guests: Sequence[str] | None, mind: Mind, max_ticks: int | None) -> list[str]:
    """The guests, each once; InvalidInput lists everything that is wrong."""
    problems = Problems()
    names = [*scenario.people] if guests is None else [guests] if isinstance(guests, str) else [*guests]
    for who in names:
        problems.attempt(lambda who=who: check_known("person", who, scenario.people, where="guests"))  # type: ignore[misc]
        if who in mind.minds:
            problems.add(
                f"{who} is a guest, and has a mind from outside",
                where="minds",
                expected="one of both",
                remedy=f"leave {who} out of one",
            )
    if not names or len({*names}) < len(names):
        problems.add(
            f"the guests are {format_value(names)}",
            where="guests",
            expected="one person or more, each once",
            remedy="leave it out to play all of them",
        )
    if max_ticks is not None and (isinstance(max_ticks, bool) or not isinstance(max_ticks, int) or max_ticks < 1):
        problems.add(
            f"max_ticks is {format_value(max_ticks)}",
            where="max_ticks",
            expected="a whole number, 1 or more, or None for the whole evening",
            remedy="leave it out",
        )
    problems.raise_if_any(InvalidInput)
    return names
