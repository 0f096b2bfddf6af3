"""An episode of one body: what it observes, what it may do, and what became of what it did.

Single and vector environments share it, and how an episode begins; they differ only in how they send intents and get states. The pilot's parts do the
work: its perception reads states, its constraints veto, its memory knows what the bridge would refuse, its judge says
whether the goal is met. Only the choice is the agent's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from volition.core.errors import InvalidInput, Problems, format_value, refuse
from volition.execution.journal.reward import Reward, RewardFunction, RewardWeights, fault_of
from volition.execution.wire.frames import RESET
from volition.execution.worlds.arena.rules import TICK_MS
from volition.execution.worlds.pilot import PILOT, DefeatOpponent, Pilot
from volition.execution.worlds.pilot.judge import Goal, parse_goal
from volition.execution.worlds.pilot.situation import ArenaPerception
from volition.gym.arena_observation import arena_space, observe_arena
from volition.gym.options import NUMBERS, OPTIONS, constraints_of, mask_of, refused_by, vetoes_of

if TYPE_CHECKING:
    import numpy as np
    from gymnasium.spaces import Space
    from numpy.typing import NDArray

    from volition.arbitration import CompositeIntention, Decision
    from volition.execution.transports.address import Address
    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import Outcome
    from volition.execution.worlds.pilot import PilotOption
    from volition.execution.worlds.pilot.judge import Judged
    from volition.execution.worlds.pilot.situation import Perception, PilotSituation

Observe: TypeAlias = Callable[[Any], Any]
"""The data of a state -> an observation in the space that is given with it."""
Step: TypeAlias = tuple[Any, float, bool, bool, dict[str, Any]]

DEADLINE: Final = 2.5
"""Seconds for any intent: longer than the longest MOVE stays open."""
MAX_STEPS: Final = 400
PATIENCE: Final = 200
"""States that are awaited until a dead body lives again, of an executor that cannot be reset."""
MOST_SEED: Final = 2**31
"""Seeds that are drawn are below it."""
GOAL_REWARD: Final = 1.0
"""Added in the step after which later states show that the goal is met."""
WEIGHTS: Final = RewardWeights(positive=0.0)
"""The journal's reward, without its small reward of every success: an agent would live on that, and reach nothing."""


@dataclass(frozen=True, slots=True)
class ArenaTask:
    """What is asked of a body, and how it is observed and rewarded; the same in every episode."""

    goal: Goal
    composite: CompositeIntention
    perception: Callable[[], Perception]
    observe: Observe | None
    space: Space[Any]
    reward: RewardFunction
    max_steps: int | None

    @classmethod
    def of(
        cls,
        *,
        goal: Goal | str = "opponent",
        composite: CompositeIntention | None = None,
        perception: Callable[[], Perception] | None = None,
        observe: Observe | None = None,
        observation_space: Space[Any] | None = None,
        reward: RewardFunction | None = None,
        max_steps: int | None = MAX_STEPS,
    ) -> ArenaTask:
        """Check the arguments of an environment; InvalidInput lists everything that is wrong."""
        problems = Problems()
        if (observe is None) != (observation_space is None):
            problems.add(
                "one of observe and observation_space is missing",
                where="observe",
                expected="a function from the data of a state to an array, and the space of these arrays",
                remedy="give both, or neither for the states of the arena",
            )
        if max_steps is not None and (isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1):
            problems.add(
                f"max_steps is {format_value(max_steps)}",
                where="max_steps",
                expected="a whole number, 1 or more, or None for no limit",
                remedy="leave it out to take the default",
            )
        read = problems.attempt(lambda: parse_goal(goal)) if isinstance(goal, str) else goal
        problems.raise_if_any(InvalidInput)
        return cls(
            read or DefeatOpponent(),
            constraints_of(PILOT if composite is None else composite),
            ArenaPerception if perception is None else perception,
            observe,
            arena_space() if observation_space is None else observation_space,
            WEIGHTS if reward is None else reward,
            max_steps,
        )


class ArenaEpisode:
    """One episode of a body, from the state that it begins with."""

    def __init__(self, task: ArenaTask, frame: StateFrame, welcome: Welcome | None) -> None:
        self.task, self.frame, self.welcome = task, frame, welcome
        self.steps = 0
        self.map: Any = None
        self._pilot = Pilot(task.composite, task.goal, perception=task.perception())
        self._began, self._first_tick = frame.episode, frame.tick
        self._refused: list[str] = []
        self._option: PilotOption | None = None
        self._take_up(frame)
        self._pilot.judge.begin(self._situation)

    def first(self, seed: int | None) -> tuple[Any, dict[str, Any]]:
        """The first observation, and its info."""
        return self._observe(), self._info() | ({} if seed is None else {"seed": seed})

    def choose(self, action: int) -> AnyIntent | None:
        """The intent to send; None where nothing is to be sent, because the action is to wait, or is masked."""
        if not 0 <= action < len(OPTIONS):
            refuse(
                f"the action is {format_value(action)}",
                where="step",
                expected=f"a whole number from 0 to {len(OPTIONS) - 1}",
                remedy="take one that info['action_mask'] allows",
            )
        name, tally = OPTIONS[action], self._decision.tally
        self._refused = refused_by(self._decision, name)
        self._option = None if self._refused else tally.left[tally.survivors.index(name)]
        return None if self._option is None else self._option.intent

    def finish_step(self, frame: StateFrame, outcome: Outcome | None, welcome: Welcome | None) -> Step:
        """What became of the chosen option, from a state after it; the judge says whether the goal is met.

        `welcome` is that of the connection now: states of another one are not compared with those before.
        """
        if welcome is not None and self.welcome is not None and welcome.session != self.welcome.session:
            self.welcome = welcome
            self._pilot.judge.forget()
        self.steps += 1
        option, memory = self._option, self._pilot.memory
        if option is not None:
            memory.last = option.id
            if option.intent is not None and outcome is not None:
                memory.note(option.id, option.intent, outcome.result, sent=outcome.sent is not None)
        self._take_up(frame)
        judged = self._pilot.judge.see(self._situation)
        reward = self._reward(judged, outcome)
        terminated = judged.verdict != "open" or judged.died or frame.episode != self._began
        truncated = self.task.max_steps is not None and self.steps >= self.task.max_steps
        info = self._info() | {
            "option": "" if option is None else option.id,
            "label": "" if outcome is None else outcome.label,
            "detail": "" if outcome is None else outcome.detail,
            "verdict": judged.verdict,
            "because": judged.because,
            "reward": dict(reward.parts),
        }
        if self._refused:
            info["vetoed"] = self._refused
        return self._observe(), reward.total, terminated, truncated, info

    @property
    def mask(self) -> NDArray[np.int8]:
        """1 for each action that may be taken now."""
        return mask_of(self._decision, NUMBERS)

    def _take_up(self, frame: StateFrame) -> None:
        """Look at a state, and find out what may be done in it."""
        self.frame = frame
        if isinstance(frame.data, dict) and "map" in frame.data:
            self.map = frame.data["map"]
        self._situation: PilotSituation = self._pilot.perception.perceive(frame)
        self._pilot.memory.see(self._situation.episode, self._situation.tick)
        self._decision: Decision[PilotOption] = self._pilot.decide(self._situation, self.welcome, version=frame.seq)

    def _observe(self) -> Any:
        if self.task.observe is None:
            return observe_arena(self.frame.data, self._situation, self.task.goal)
        return self.task.observe(self.frame.data)

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.mask,
            "vetoes": vetoes_of(self._decision),
            "tick": self.frame.tick - self._first_tick,
        }

    def _reward(self, judged: Judged, outcome: Outcome | None) -> Reward:
        """The reward of the attempt, or what happened to a body that waited; and of the goal."""
        parts: dict[str, float] = {}
        if outcome is not None:
            reward = self.task.reward(outcome)
            if fault := fault_of(reward, outcome.result):
                refuse(
                    f"the reward function answered: {fault}",
                    where="reward",
                    expected="a finite Reward, below 0 for a FAILURE",
                    remedy="see docs/journal.md",
                )
            parts |= reward.parts
        else:
            parts |= {"received": -judged.harm} if judged.harm else {}
            parts |= {"death": WEIGHTS.death} if judged.died else {}
        if judged.verdict == "met":
            parts["goal"] = GOAL_REWARD
        return Reward.of(parts)


def episode_seed(
    address: str | Address, welcome: Welcome | None, seed: int | None, chance: np.random.Generator
) -> int | None:
    """The seed to reset an executor with: the one given, or one that is drawn.

    None if the executor cannot be reset: then the body goes on where it is, and a seed is refused.
    """
    if welcome is None or RESET in welcome.features:  # a lost executor is dialled again by the reset itself
        return int(chance.integers(MOST_SEED)) if seed is None else seed
    if seed is not None:
        raise InvalidInput.of(
            f"the executor at {address} cannot begin an episode with the seed {seed}",
            where="reset",
            expected=f"an executor with the feature {RESET!r}",
            remedy="reset it without a seed: then the body goes on where it is",
        )
    return None


def is_alive(frame: StateFrame | None) -> bool:
    """Whether a state shows a living actor, or does not say."""
    actor: Any = frame.data.get("actor") if frame is not None and isinstance(frame.data, dict) else None
    return not isinstance(actor, dict) or actor.get("alive") is not False


def two_ticks(welcome: Welcome | None) -> float:
    """Seconds in which at least one tick passes; where an executor has no tick rate, as in the arena."""
    return 2 * (1 / welcome.tick_hz if welcome is not None and welcome.tick_hz else TICK_MS / 1000)


def later_state(known: StateFrame | None, outcome: Outcome | None, seen: StateFrame) -> StateFrame | None:
    """The newest state that is known, where it is later than the one that was seen."""
    sent = None if outcome is None else outcome.next_state
    frames = [frame for frame in (known, sent) if frame is not None]
    newest = max(frames, key=lambda frame: frame.seq, default=None)
    return newest if newest is not None and newest.seq > seen.seq else None
