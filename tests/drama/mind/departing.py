"""Random evenings with every departure on, and states of them in which much has happened already."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.drama.worlds import moved_to, worlds
from volition.drama.world.model import DEPARTED
from volition.drama.world.scenario import load_scenario

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Scenario

SHIPPED = load_scenario("dinner-party")
NEEDS = ("air", "smoke")
KNOWLEDGE = ("perceived", "omniscient")


@st.composite
def departing_worlds(draw: st.DrawFn) -> WorldState:
    """A random state under the rules of the shipped evening, with either kind of knowledge."""
    world = draw(worlds())
    chance = draw(st.builds(Random, st.integers(0, 2**32)))
    world = moved_to(world, _departing(chance, world.scenario, draw(st.sampled_from(KNOWLEDGE))))
    live_through(chance, world)
    return world


def present(world: WorldState) -> list[AgentState]:
    """Those who decide."""
    return [agent for agent in world.agents.values() if agent.location != DEPARTED]


def _departing(chance: Random, scenario: Scenario, knowledge: str) -> Scenario:
    rules = {**SHIPPED.rules, "departures": {**SHIPPED.rules["departures"], "knowledge": knowledge}}
    rooms, people = list(scenario.rooms), list(scenario.people)
    secrets = {
        id: replace(secret, harm={person: chance.choice([0.0, 0.3, 0.9]) for person in people})
        for id, secret in scenario.secrets.items()
    }
    evening = replace(scenario.evening, needs={need: chance.choice(rooms) for need in NEEDS}, pours=(20.0,))
    return replace(scenario, rules=rules, secrets=secrets, evening=evening)


def live_through(chance: Random, world: WorldState) -> None:
    """Give everybody memories, grievances, needs and tasks; some have just moved back and forth."""
    world.recent += [happening for happening in world.recent if chance.random() < 0.2]
    world.minutes = chance.choice([0.0, 5.0, 20.0, 60.0, 100.0, 149.5])
    world.course_served = chance.choice([None, 0.0, max(0.0, world.minutes - 3.0)])
    for agent in world.agents.values():
        _remember(chance, world, agent)


def _remember(chance: Random, world: WorldState, me: AgentState) -> None:
    tick, minutes, rooms = world.tick, world.minutes, list(world.scenario.rooms)
    others = [other for other in world.agents if other != me.id]
    pairs = [(other, secret) for other in others for secret in world.scenario.secrets]

    def some(share: float) -> list[str]:
        return [other for other in others if chance.random() < share]

    me.knows = {pair for pair in pairs if chance.random() < 0.2}
    me.suspects = {pair for pair in pairs if chance.random() < 0.2}
    me.lied = {pair for pair in pairs if chance.random() < 0.2}
    me.questions = {pair: max(0, tick - chance.randint(0, 9)) for pair in pairs if chance.random() < 0.3}
    me.sightings = {other: (chance.choice([*rooms, DEPARTED]), tick) for other in some(0.7)}
    me.grievance = {other: chance.choice([0.1, 0.3, 0.5, 1.0]) for other in some(0.5)}
    me.stung = {other: max(0.0, minutes - chance.choice([3.0, 30.0])) for other in some(0.3)}
    me.answered = {other for other in me.stung if chance.random() < 0.3}
    me.grounds = {other: chance.randint(0, 2) for other in some(0.7)}
    me.fatigue = {other: chance.choice([0.1, 0.5]) for other in some(0.3)}
    me.confronted = {other: max(0, tick - chance.randint(0, 40)) for other in some(0.4)}
    me.confronted_by = {other: max(0, tick - chance.randint(0, 9)) for other in some(0.3)}
    me.wronged = set(some(0.3))
    me.challenged = chance.choice([None, max(0, tick - 2), max(0, tick - 30)])
    needs = {need: chance.choice([0.1, 0.4, 0.7, 1.0]) for need in NEEDS}
    me.needs = {need: felt for need, felt in needs.items() if need in world.scenario.evening.needs}
    me.task = chance.choice([None, None, "fetch", "serve", "pour"])
    me.moved = chance.choice([None, max(0, tick - 1), max(0, tick - 5)])
    me.away, me.last_scene = (chance.choice([None, max(0.0, minutes - 4.0)]) for _ in range(2))
    me.course_seen = chance.choice([None, 0.0, max(0.0, minutes - 3.0)])
    me.broken, me.thrown_out = chance.random() < 0.3, chance.random() < 0.2
    acts = ["internal", "observe:room", "physical:drink", f"chat:{others[0]}", f"move:{rooms[0]}"]
    acts += [f"reveal:{secret}:{others[-1]}" for secret in world.scenario.secrets]
    done = [(max(0, tick - chance.randint(1, 6)), id) for id in chance.choices(acts, k=chance.randint(0, 4))]
    me.recent = sorted(done, key=lambda one: one[0])
    me.wrong = {other: _wrong(chance, world, other) for other in me.stung}
    me.broke_with, me.forgiven = set(some(0.15)), set(some(0.15))
    me.slammed = chance.choice([None, None, max(0.0, minutes - 3.0)])
    me.shunned, me.comforted = (
        {other: max(0.0, minutes - chance.choice([2.0, 30.0])) for other in some(0.3)} for _ in range(2)
    )


def _wrong(chance: Random, world: WorldState, other: str) -> str:
    """What somebody could have done to another."""
    sorts = ["harm", "lie", "exposure"] if world.scenario.secrets else []
    sort = chance.choice([*sorts, "attack"])
    return f"{sort}:{other if sort == 'attack' else chance.choice(list(world.scenario.secrets))}"
