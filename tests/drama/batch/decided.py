"""A company compared with the mind: states to decide in, and the choices of both."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tests.drama import worlds
from tests.drama.mind.departing import _departing, live_through
from tests.drama.mind.perceived import perceive
from volition.drama.batch.decider import NOTHING, BatchDecider
from volition.drama.evening.world import begin
from volition.drama.mind.mind import Mind, chosen_action
from volition.drama.stage.run import run
from volition.drama.world.model import DEPARTED
from volition.drama.world.scenario import literal, load_scenario

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.drama.world.model import Action, Scenario

SHIPPED = ("dinner-party", "winter-station")


class Choice(NamedTuple):
    """A decision by both: the action with its total and class, and whether it was a tie."""

    by_mind: Action | None
    by_batch: Action | None
    tied: bool = False

    @property
    def agree(self) -> bool:
        """Whether they are the same, the total bit for bit."""
        if self.by_mind is None or self.by_batch is None:
            return self.by_mind is self.by_batch
        return self.by_mind == self.by_batch and _bits(self.by_mind) == _bits(self.by_batch)


def _bits(action: Action) -> str:
    assert action.utility_score is not None
    return action.utility_score.hex()


def choices(scenario: Scenario, states: Iterable[WorldState], seed: int | None) -> list[Choice]:
    """What both choose for everybody in some states of a scenario; the company in one call."""
    mind, decider, every = Mind(scenario), BatchDecider(scenario), list(states)
    packed = decider.pack(every)
    acts, totals = decider.decide(packed, seed)
    found = []
    deciders = [(number, who, me) for number, state in enumerate(every) for who, me in enumerate(state.agents.values())]
    for number, who, me in deciders:
        state, by_mind, tied = every[number], None, False
        if me.location != DEPARTED:
            decision = mind.choose(me, perceive(state, me.id), seed)
            by_mind, tied = chosen_action(decision, me, mind), decision.tally.rule == "order"
        assert (acts[number, who] == NOTHING) == (me.location == DEPARTED)
        by_batch = decider.action(packed[number], who, int(acts[number, who]), float(totals[number, who]))
        found.append(Choice(by_mind, by_batch, tied))
    return found


@cache
def shipped(name: str, *, by_the_letter: bool) -> Scenario:
    """A shipped scenario, as it is or by the letter."""
    scenario = load_scenario(name)
    return literal(scenario) if by_the_letter else scenario


def played(scenario: Scenario, seed: int, every: int) -> list[WorldState]:
    """The states after the first tick of an evening and every so many more."""
    states: list[WorldState] = []

    def keep(world: WorldState, record: TickRecord) -> None:
        if record.tick % every == 0:
            states.append(world.copy())

    run(scenario, seed, on_tick=keep)
    return states


def invented(seed: int, *, departing: bool) -> list[WorldState]:
    """Some states of one random scenario, by the letter or with every departure on, with either kind of knowledge."""
    chance = Random(seed)
    rooms = worlds.ROOMS[: chance.randint(1, 6)]
    scenario = worlds._scenario(chance, chance.randint(2, 7), rooms, chance.randint(0, 5))
    if departing:
        scenario = _departing(chance, scenario, chance.choice(["perceived", "omniscient"]))
    return [unsettled(chance, scenario, departing=departing) for _ in range(6)]


def unsettled(chance: Random, scenario: Scenario, *, departing: bool) -> WorldState:
    """A random state of a scenario."""
    world = begin(scenario)
    world.tick = 40 if departing else chance.choice([0, 4, 40])  # what is remembered was at a tick from 0 on
    for agent in world.agents.values():
        worlds._unsettle(chance, agent, tuple(scenario.rooms))
    if world.tick:
        worlds._remember(chance, world, tuple(scenario.rooms))
    if departing:
        live_through(chance, world)
        for agent in world.agents.values():
            _sharpen(chance, agent, world)
        _begin_at_nought(world)
    return world


def _begin_at_nought(world: WorldState) -> None:
    """Let nothing be remembered from before the first minute, and events in the order in which they happened."""
    world.recent.sort(key=lambda happening: happening.tick)
    if world.course_served is not None and world.course_served < 0.0:
        world.course_served = None
    for me in world.agents.values():
        me.away = None if me.away is None or me.away < 0.0 else me.away
        me.last_scene = None if me.last_scene is None or me.last_scene < 0.0 else me.last_scene


def _sharpen(chance: Random, me: AgentState, world: WorldState) -> None:
    """Ages and needs at the thresholds of the shipped departures, where errors by one show up."""
    rules, tick = world.scenario.rules["departures"], world.tick
    others = [other for other in world.agents if other != me.id]
    me.confronted = {
        other: tick - rules["ground_ticks"] + chance.randint(-1, 1) for other in others if chance.random() < 0.5
    }
    me.grounds = {other: chance.randint(0, 1) for other in others}
    me.moved = chance.choice([None, tick - rules["move_again_ticks"] + chance.randint(-1, 1)])
    ages = sorted(chance.choices(range(1, 5), k=3), reverse=True)
    me.recent = [(tick - age, chance.choice(["internal", "chat:all"])) for age in ages]
    me.needs = {need: chance.choice([0.0, rules["need_use"], 0.31, 0.5, 0.9]) for need in world.scenario.evening.needs}
