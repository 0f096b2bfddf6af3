"""Random evenings: small scenarios under the literal rules, and states of them that crowd round every threshold.

Values come from short grids that hold each threshold of the rules, a little less, a little more, and some odd decimals:
a comparison that is off by its equality shows at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.drama.rulebook import RULES
from volition.drama.rules.catalog import CONTENT, EMOTIONS, FLAWS, Belief, Effect, EventType, Trigger
from volition.drama.world.model import (
    DEPARTED,
    Commitment,
    Evening,
    Flaw,
    Happening,
    Person,
    Room,
    Scenario,
    Secret,
    begin,
)

if TYPE_CHECKING:
    from volition.drama.world.model import AgentState, WorldState

PEOPLE = ("uma", "nat", "zoe", "abe", "ola", "ivy", "ben")
ROOMS = ("hall", "den", "yard", "attic", "nook", "porch")
REMEMBERED = (
    EventType.CONFLICT,
    EventType.CONFLICT,
    EventType.CATASTROPHE,
    EventType.REVEAL,
    EventType.CHAT,
)
SECRETS = ("will", "debt", "alias", "plot", "ring")

desires = st.sampled_from([0.0, 0.17, 0.3, 0.5, 0.59, 0.6, 0.61, 0.73, 1.0])
closeness = st.sampled_from([-1.0, -0.37, 0.0, 0.13, 0.29, 0.3, 0.31, 0.77, 1.0])
trusts = st.sampled_from([-1.0, -0.31, -0.3, -0.01, 0.0, 0.01, 0.4, 0.41, 0.5, 0.51, 0.83])
affections = st.sampled_from([-1.0, -0.43, 0.0, 0.19, 0.67, 1.0])
obligations = st.sampled_from([0.0, 0.23, 0.71, 1.0])
strengths = st.sampled_from([0.1, 0.47, 0.8, 1.0])
feelings = {
    "anger": st.sampled_from([0.0, 0.2, 0.21, 0.3, 0.31, 0.9]),
    "shame": st.sampled_from([0.0, 0.2, 0.21, 0.3, 0.31, 0.9]),
    "suspicion": st.sampled_from([0.0, 0.4, 0.41, 0.9]),
}
privacies = st.sampled_from([0.0, 0.1, 0.29, 0.3, 0.3, 0.5, 0.51, 0.83, 1.0])
weights = st.sampled_from([0.0, 0.31, 0.5, 0.8, 1.0])
stresses = st.sampled_from([0.0, 0.27, 0.5, 0.51, 0.6, 0.61, 1.0])
composures = st.sampled_from([0.05, 0.39, 0.4, 0.41, 0.87, 1.0])
promises = st.sampled_from([0.0, 0.4, 0.41, 0.5, 0.51, 0.77, 0.93])
budgets = st.sampled_from([0.0, 0.19, 0.2, 0.21, 0.39, 0.4, 0.41, 0.77, 0.9, 1.0])
timers = st.sampled_from([0, 0, 0, 0, 0, 0, 1, 4])
drinks = st.sampled_from([0.0, 0.0, 0.14, 0.15, 0.16, 0.6, 0.94, 0.95, 1.0])


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Two to seven people, one to six rooms and up to five secrets, with goals, bonds, flaws and commitments."""
    people = tuple(draw(st.permutations(PEOPLE)))[: draw(st.integers(2, 7))]
    rooms = ROOMS[: draw(st.integers(1, 6))]
    secrets = tuple(draw(st.permutations(SECRETS)))[: draw(st.sampled_from([0, 1, 2, 3, 4, 5, 5]))]
    evening = Evening(
        rooms[0], rooms[-1], draw(st.sampled_from([None, *rooms])), 150.0, 300, 1.0, people[:2], (), (), {}
    )
    return Scenario(
        "random",
        "A random evening",
        "",
        _rooms(draw, rooms),
        {id: _person(draw, id, people, rooms, secrets) for id in people},
        {id: _secret(draw, id, people) for id in secrets},
        evening,
        RULES,
        frozenset(),
        "random",
    )


def _rooms(draw: st.DrawFn, ids: tuple[str, ...]) -> dict[str, Room]:
    doors = [(one, other) for one in ids for other in ids if one <= other]  # even one that leads back to its own room
    open_doors = {door for door in doors if draw(st.integers(0, 2))}
    return {
        id: Room(
            id,
            id.title(),
            draw(privacies),
            draw(st.integers(1, 7)),
            tuple(other for other in ids if (id, other) in open_doors or (other, id) in open_doors),
            {},
        )
        for id in ids
    }


def _secret(draw: st.DrawFn, id: str, people: tuple[str, ...]) -> Secret:
    holder = draw(st.sampled_from(people))
    others = [person for person in people if person != holder]
    stands = {person: draw(st.sampled_from(["knows", "suspects", "neither"])) for person in others}
    return Secret(
        id,
        f"the {id}",
        (holder,),
        draw(st.sampled_from([None, *people])),
        draw(st.sampled_from(CONTENT)),
        draw(weights),
        (holder, *(person for person in others if stands[person] == "knows")),
        tuple(person for person in others if stands[person] == "suspects"),
        {},
    )


def _person(
    draw: st.DrawFn, id: str, people: tuple[str, ...], rooms: tuple[str, ...], secrets: tuple[str, ...]
) -> Person:
    others = [other for other in people if other != id]
    return Person(
        id,
        id.title(),
        "guest",
        (draw(desires), draw(desires), draw(desires), draw(desires), draw(desires), draw(desires)),
        {other: draw(closeness) for other in others},
        {other: (draw(trusts), draw(affections), draw(obligations)) for other in others},
        tuple(_flaw(draw, people) for _ in range(draw(st.sampled_from([0, 2, 3, 3, 3])))),
        tuple(_commitment(draw, people, secrets) for _ in range(draw(st.integers(0, 3)))),
        0.0,
        1.0,
        0.0,
        {emotion: draw(feelings[emotion]) if emotion in feelings else 0.5 for emotion in EMOTIONS},
        rooms[0],
    )


def _flaw(draw: st.DrawFn, people: tuple[str, ...]) -> Flaw:
    return Flaw(
        draw(st.sampled_from(FLAWS)),
        draw(strengths),
        draw(st.sampled_from(Trigger)),
        draw(st.sampled_from(Effect)),
        draw(st.sampled_from([None, *people])),
    )


def _commitment(draw: st.DrawFn, people: tuple[str, ...], secrets: tuple[str, ...]) -> Commitment:
    if not secrets or draw(st.integers(0, 5)) == 0:
        return Commitment("protect", person=draw(st.sampled_from(people)))
    return Commitment(
        draw(st.sampled_from(["conceal", "conceal", "conceal", "expose"])), draw(st.sampled_from(secrets))
    )


@st.composite
def worlds(draw: st.DrawFn) -> WorldState:
    """A state of a random scenario: people dispersed, at odds with their first beliefs, with a few ticks behind them."""
    world = begin(draw(scenarios()))
    world.tick = draw(st.sampled_from([0, 4, 40]))
    rooms = tuple(world.scenario.rooms)
    for agent in world.agents.values():
        _unsettle(draw, agent, rooms)
    if world.tick:
        _remember(draw, world, rooms)
    return world


def _unsettle(draw: st.DrawFn, agent: AgentState, rooms: tuple[str, ...]) -> None:
    pacing = agent.pacing
    agent.location = draw(st.sampled_from([rooms[0], rooms[0], rooms[0], *rooms, DEPARTED]))
    pacing.dramatic_budget, pacing.recovery_timer = draw(budgets), draw(timers)
    pacing.stress, pacing.composure, pacing.commitment = draw(stresses), draw(composures), draw(promises)
    agent.alcohol = draw(drinks)
    for secret in agent.beliefs:
        if draw(st.booleans()):
            agent.beliefs[secret] = draw(st.sampled_from([Belief.BELIEVES_TRUE, *Belief]))


def _remember(draw: st.DrawFn, world: WorldState, rooms: tuple[str, ...]) -> None:
    """What happened up to four ticks ago; whoever moved is not always still where they went."""
    people, ages = tuple(world.agents), st.integers(1, min(4, world.tick))
    for age in draw(st.lists(ages, max_size=4)):
        source = draw(st.sampled_from(people))
        targets = tuple(other for other in people if other != source)[:1]
        room = draw(st.sampled_from([rooms[0], *rooms]))
        world.recent.append(Happening(world.tick - age, draw(st.sampled_from(REMEMBERED)), source, targets, room))
    for agent in world.agents.values():
        if draw(st.booleans()):
            agent.moved = world.tick - draw(ages)
            goal = draw(st.sampled_from([agent.location if agent.location in rooms else rooms[0], *rooms]))
            start = draw(st.sampled_from(rooms))
            world.recent.append(Happening(agent.moved, EventType.SOCIAL_MOVE, agent.id, (), start, destination=goal))
    world.recent.sort(key=lambda happening: happening.tick)
