"""Random evenings: small scenarios under the literal rules, and states with values around every threshold.

Values come from short grids that hold each threshold of the rules, a little less, a little more, and some odd decimals:
a comparison that is wrong at equality shows up at once. Hypothesis draws how many people, rooms and secrets there are,
and so can shrink them; the hundreds of values come from one number that it draws too, which keeps worlds cheap and
independent of one another.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.drama.rulebook import RULES
from volition.drama.evening.person import PERSON_PARTS
from volition.drama.evening.world import WORLD_PARTS, begin
from volition.drama.rules.catalog import CONTENT, EMOTIONS, FLAWS, Belief, Effect, EventType, Trigger
from volition.drama.world.model import (
    DEPARTED,
    Commitment,
    EveningSetup,
    Flaw,
    Happening,
    Person,
    Room,
    Scenario,
    Secret,
)

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState

PEOPLE = ("uma", "nat", "zoe", "abe", "ola", "ivy", "ben")
ROOMS = ("hall", "den", "yard", "attic", "nook", "porch")
SECRETS = ("will", "debt", "alias", "plot", "ring")
REMEMBERED = (EventType.CONFLICT, EventType.CONFLICT, EventType.CATASTROPHE, EventType.REVEAL, EventType.CHAT)

DESIRES = (0.0, 0.17, 0.3, 0.5, 0.59, 0.6, 0.61, 0.73, 1.0)
CLOSENESS = (-1.0, -0.37, 0.0, 0.13, 0.29, 0.3, 0.31, 0.77, 1.0)
TRUST = (-1.0, -0.31, -0.3, -0.29, -0.01, 0.0, 0.01, 0.39, 0.4, 0.41, 0.5, 0.51, 0.83, 1.0)
AFFECTION = (-1.0, -0.43, 0.0, 0.19, 0.67, 1.0)
OBLIGATION = (0.0, 0.23, 0.71, 1.0)
STRENGTHS = (0.0, 0.1, 0.47, 0.8, 1.0)
FEELINGS = (0.0, 0.19, 0.2, 0.21, 0.29, 0.3, 0.31, 0.4, 0.41, 0.9, 1.0)
PRIVACY = (0.0, 0.1, 0.29, 0.3, 0.31, 0.5, 0.51, 0.83, 1.0)
WEIGHTS = (0.0, 0.31, 0.5, 0.8, 1.0)
STRESS = (0.0, 0.27, 0.5, 0.51, 0.6, 0.61, 1.0)
COMPOSURE = (0.05, 0.39, 0.4, 0.41, 0.87, 1.0)
COMMITMENT = (0.0, 0.4, 0.41, 0.5, 0.51, 0.93, 1.0)
BUDGETS = (0.0, 0.19, 0.2, 0.21, 0.39, 0.4, 0.41, 0.77, 1.0)
TIMERS = (0, 0, 0, 0, 0, 1, 4)
ALCOHOL = (0.0, 0.0, 0.14, 0.15, 0.16, 0.6, 0.94, 0.95, 1.0)

chances = st.builds(Random, st.integers(0, 2**32))


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Two to seven people, one to six rooms and up to five secrets, with goals, bonds, flaws and commitments."""
    people, rooms, secrets = draw(st.integers(2, 7)), draw(st.integers(1, 6)), draw(st.integers(0, 5))
    return _scenario(draw(chances), people, ROOMS[:rooms], secrets)


def moved_to(world: WorldState, scenario: Scenario) -> WorldState:
    """The state of a world as a state of another scenario with the same people, rooms, secrets and needs."""
    other = begin(scenario)
    for part in (*WORLD_PARTS, "recent"):
        setattr(other, part, getattr(world, part))
    for id, me in world.agents.items():
        for part in PERSON_PARTS:
            setattr(other.agents[id], part, getattr(me, part))
    return other


@st.composite
def worlds(draw: st.DrawFn) -> WorldState:
    """A state of a random scenario: people dispersed, at odds with their first beliefs, with a few ticks behind them."""
    world = begin(draw(scenarios()))
    world.tick = draw(st.sampled_from([0, 4, 40]))
    chance = draw(chances)
    rooms = tuple(world.scenario.rooms)
    for agent in world.agents.values():
        _unsettle(chance, agent, rooms)
    if world.tick:
        _remember(chance, world, rooms)
    return world


def _scenario(chance: Random, headcount: int, rooms: tuple[str, ...], matters: int) -> Scenario:
    people, secrets = tuple(chance.sample(PEOPLE, headcount)), tuple(chance.sample(SECRETS, matters))
    kitchen = chance.choice([None, *rooms])
    return Scenario(
        "random",
        "A random evening",
        "",
        _rooms(chance, rooms),
        {id: _person(chance, id, people, rooms, secrets) for id in people},
        {id: _secret(chance, id, people) for id in secrets},
        EveningSetup(rooms[0], rooms[-1], kitchen, 150.0, 300, 1.0, people[:2], (), (), {}, {}, None),
        RULES,
        frozenset(),
        "random",
    )


def _rooms(chance: Random, ids: tuple[str, ...]) -> dict[str, Room]:
    """Rooms with doors both ways, now and then one that leads back to its own room."""
    doors = {(one, other) for one in ids for other in ids if one <= other and chance.random() < 0.6}
    return {
        id: Room(
            id,
            id.title(),
            chance.choice(PRIVACY),
            chance.randint(1, 7),
            tuple(other for other in ids if (id, other) in doors or (other, id) in doors),
            {},
        )
        for id in ids
    }


def _secret(chance: Random, id: str, people: tuple[str, ...]) -> Secret:
    holder, *others = chance.sample(people, len(people))
    stands = {person: chance.choice(["knows", "suspects", "neither"]) for person in others}
    return Secret(
        id,
        f"the {id}",
        (holder,),
        chance.choice([None, *people]),
        chance.choice(CONTENT),
        chance.choice(WEIGHTS),
        (holder, *(person for person in others if stands[person] == "knows")),
        tuple(person for person in others if stands[person] == "suspects"),
        {},
    )


def _person(
    chance: Random, id: str, people: tuple[str, ...], rooms: tuple[str, ...], secrets: tuple[str, ...]
) -> Person:
    others = [other for other in people if other != id]
    safety, status, secrecy, truth, autonomy, loyalty = chance.choices(DESIRES, k=6)
    return Person(
        id,
        id.title(),
        "guest",
        (safety, status, secrecy, truth, autonomy, loyalty),
        {other: chance.choice(CLOSENESS) for other in others},
        {other: _bond(chance) for other in others},
        tuple(_flaw(chance, people) for _ in range(chance.randint(0, 3))),
        tuple(_commitment(chance, people, secrets) for _ in range(chance.randint(0, 3))),
        chance.choice(STRESS),
        chance.choice(COMPOSURE),
        chance.choice(COMMITMENT),
        {emotion: chance.choice(FEELINGS) for emotion in EMOTIONS},
        rooms[0],
    )


def _bond(chance: Random) -> tuple[float, float, float]:
    return chance.choice(TRUST), chance.choice(AFFECTION), chance.choice(OBLIGATION)


def _flaw(chance: Random, people: tuple[str, ...]) -> Flaw:
    return Flaw(
        chance.choice(FLAWS),
        chance.choice(STRENGTHS),
        chance.choice(list(Trigger)),
        chance.choice(list(Effect)),
        chance.choice([None, *people]),
    )


def _commitment(chance: Random, people: tuple[str, ...], secrets: tuple[str, ...]) -> Commitment:
    if not secrets or chance.random() < 0.2:
        return Commitment("protect", person=chance.choice(people))
    return Commitment("conceal" if chance.random() < 0.7 else "expose", chance.choice(secrets))


def _unsettle(chance: Random, agent: AgentState, rooms: tuple[str, ...]) -> None:
    pacing = agent.pacing
    agent.location = chance.choice([rooms[0], rooms[0], rooms[0], *rooms, DEPARTED])
    pacing.dramatic_budget, pacing.recovery_timer = chance.choice(BUDGETS), chance.choice(TIMERS)
    pacing.stress, pacing.composure = chance.choice(STRESS), chance.choice(COMPOSURE)
    pacing.commitment = chance.choice(COMMITMENT)
    agent.alcohol = chance.choice(ALCOHOL)
    agent.emotions = {emotion: chance.choice(FEELINGS) for emotion in EMOTIONS}
    for other in agent.bonds:
        agent.bonds[other] = _bond(chance)
    for secret in agent.beliefs:
        if chance.random() < 0.5:
            agent.beliefs[secret] = chance.choice(list(Belief))


def _remember(chance: Random, world: WorldState, rooms: tuple[str, ...]) -> None:
    """What happened recently, and who saw it; people who moved are not always still where they went."""
    people, secrets = tuple(world.agents), (None, *world.scenario.secrets)
    for _ in range(chance.randint(0, 6)):
        source, target = chance.sample(people, 2)
        tick, kind, room = max(0, world.tick - chance.randint(1, 7)), chance.choice(REMEMBERED), chance.choice(rooms)
        seen_by = _seen(chance, people, source, target)
        world.recent.append(Happening(tick, kind, source, (target,), room, chance.choice(secrets), seen_by=seen_by))
    for agent in world.agents.values():
        if chance.random() < 0.5:
            agent.moved = max(0, world.tick - chance.randint(1, 4))
            start, goal = chance.choice(rooms), chance.choice(rooms)
            if chance.random() < 0.5 and agent.location in rooms:
                goal = agent.location
            seen_by = _seen(chance, people, agent.id)
            world.recent.append(
                Happening(agent.moved, EventType.SOCIAL_MOVE, agent.id, (), start, destination=goal, seen_by=seen_by)
            )
    world.recent.sort(key=lambda happening: happening.tick)


def _seen(chance: Random, people: tuple[str, ...], *parties: str) -> tuple[str, ...]:
    return (*parties, *(who for who in people if who not in parties and chance.random() < 0.6))
