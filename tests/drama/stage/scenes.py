"""A small house for hand-made states: five people, four rooms and three secrets."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from tests.drama.evening.laws import Hand, follow, mind_of, perform
from tests.drama.readings import action_of
from tests.drama.rulebook import RULES
from volition.arbitration import CompositeIntention, Heuristic, arbitrate
from volition.arbitration.intent import Function
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import EMOTIONS, INTERNAL, Effect, EventType, Trigger
from volition.drama.rules.pacing import priority_class
from volition.drama.stage.causes import Causes
from volition.drama.stage.stage import Stage
from volition.drama.world.model import EveningSetup, Flaw, Person, Room, Scenario, Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from volition.arbitration import Decision
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.mind.outside import Advice
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.rules.tables import Tables
    from volition.drama.stage.events import TickRecord
    from volition.drama.world.model import Action

PEOPLE = ("ann", "ben", "cas", "dov", "eve")
RESIDENTS = ("ann", "ben")
HALL, NOOK, PORCH, YARD = "hall", "nook", "porch", "yard"
WILL, RING, DEBT = "will", "ring", "debt"
SENSITIVITY = {"ann": 1.0, "ben": 1.5, "cas": 0.5, "dov": 1.0, "eve": 2.0}
FLAWS = {"ann": "pride", "ben": "loyalty", "cas": "ambition", "dov": "cowardice", "eve": "vanity"}

FULL = {
    "knowledge": "perceived", "grounds": True, "grievance": 0.35, "courses": 0.9, "needs": 1.0, "leaving": True,
    "making_up": 0.2, "probing": 1.0, "conversations": True, "consequences": True, "feelings": True,
    "forced_truth": True, "confide_commitment": True, "uphold": True, "threshold_rise": 0.3, "hush": True,
    "throwing_out": True,
}  # fmt: skip
"""The departures of the stage, all on."""

ROOMS = {
    HALL: Room(HALL, "the hall", 0.1, 5, (NOOK, PORCH, YARD), {}),
    NOOK: Room(NOOK, "the nook", 0.6, 2, (HALL,), {HALL: 0.5}),
    PORCH: Room(PORCH, "the porch", 0.2, 4, (HALL,), {}),
    YARD: Room(YARD, "the yard", 0.8, 3, (HALL,), {}),
}
SECRETS = {
    WILL: Secret(
        WILL, "the will", ("ann",), "ann", "financial", 1.0, ("ann", "dov"), ("eve",), {"ben": 1.0, "cas": 0.5}
    ),
    RING: Secret(RING, "the ring", ("ben",), "cas", "plan", 0.4, ("ben",), (), {}),
    DEBT: Secret(DEBT, "the debt", ("ben", "cas"), "cas", "financial", 0.6, ("ben", "cas"), ("dov",), {"ann": 0.5}),
}
EVENING = EveningSetup(
    gathering=HALL,
    exit=PORCH,
    kitchen=NOOK,
    minutes=150.0,
    ticks=300,
    time_scale=1.0,
    servers=("ann", "ben"),
    courses=(10.0, 40.0),
    pours=(20.0,),
    needs={"air": YARD},
    need_rates={},
    glass_need="air",
)


def house(*, literal: bool = False, **departures: Any) -> Scenario:
    """The house with all the departures of the stage, or to the letter; named ones may differ."""
    return _house(literal, tuple(sorted(departures.items())))


@cache
def _house(literal: bool, departures: tuple[tuple[str, Any], ...]) -> Scenario:
    people = {id: _person(id) for id in PEOPLE}
    departed = {**RULES["departures"], **({} if literal else FULL), **dict(departures)}
    rules = {**RULES, "departures": departed}
    return Scenario("house", "A house", "", ROOMS, people, SECRETS, EVENING, rules, frozenset(), "by hand")


def scene(*, literal: bool = False, **departures: Any) -> WorldState:
    """The house as an evening begins there: all in the hall, needs at 0."""
    world = begin(house(literal=literal, **departures))
    for me in world.agents.values():
        me.needs = dict.fromkeys(EVENING.needs, 0.0)
    return world


def rules_in_force(world: WorldState) -> Tables:
    """The tables of the rules in force."""
    return mind_of(world.scenario).rules


def hand(world: WorldState, seed: int = 1) -> Hand:
    return Hand(world, seed)


def act(world: WorldState, who: str, kind: EventType, *targets: str, score: float = 0.5, **fields: Any) -> Action:
    """An act as it is chosen: with its score, and with the class that it has by somebody's stress."""
    me = world.agents[who]
    action = action_of(me, kind, *targets, **fields)
    urgency = priority_class(kind, action.is_dramatic, me.pacing.stress, rules_in_force(world).pacing)
    return action._replace(utility_score=score, priority_class=urgency)


def done(world: WorldState, action: Action, seed: int = 1) -> Hand:
    """Perform an act, and return what was written down."""
    made = Hand(world, seed)
    perform(made, action)
    return made


class ScriptedStage(Stage):
    """A stage on which a function decides for everybody, from their own state and what they perceive."""

    decide: Callable[[AgentState, PerceivedState], Decision[Action]]

    def tick(self, given: Mapping[str, str] | None = None) -> TickRecord:
        return super().tick(dict.fromkeys(self.mind.names.people, ""))

    def _ask(self, who: int, given: str | None = None, advice: Advice | None = None) -> Decision[Action]:
        return self.decide(self._person(who), self._perceive(who))


def staged(world: WorldState, actions: Iterable[Action] = (), seed: int = 1) -> TickRecord:
    """A tick in which these acts are chosen, and everybody else does nothing; the world follows."""
    script = {action.agent_id: action for action in actions}

    def decide(me: AgentState, perceived: PerceivedState) -> Decision[Action]:
        action = script.get(me.id) or act(world, me.id, INTERNAL)
        return arbitrate([action], CompositeIntention(Heuristic("script", Function(lambda _: action.utility_score))))

    stage = ScriptedStage(world, mind_of(world.scenario), seed, Causes())
    stage.decide = decide
    record = stage.tick()
    follow(world, stage.evening)
    world.recent = stage.world.recent
    return record


def asked(hand: Hand, who: str, number: str) -> float:
    """The sum of the strains on one number of somebody."""
    return sum(strain.amount for strain in hand.strains if strain.agent == who and strain.number == number)


def trusts(world: WorldState) -> Mapping[tuple[str, str], float]:
    return {(who, whom): bond.trust for who, me in world.agents.items() for whom, bond in me.bonds.items()}


def _person(id: str) -> Person:
    others = [other for other in PEOPLE if other != id]
    return Person(
        id,
        id.title(),
        "somebody",
        (0.5, 0.5, 0.7, 0.5, 0.5, 0.5),
        dict.fromkeys(others, 0.2),
        dict.fromkeys(others, (0.2, 0.1, 0.0)),
        (
            Flaw(FLAWS[id], 0.8, Trigger.STATUS_THREAT, Effect.OVERCOMMIT),
            Flaw("guilt", 0.2, Trigger.REJECTION, Effect.OVERCOMMIT),
        ),
        (),
        0.2,
        0.8,
        0.3,
        dict.fromkeys(EMOTIONS, 0.0),
        HALL,
        SENSITIVITY[id],
        id in RESIDENTS,
    )
