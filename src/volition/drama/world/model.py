"""What is: the definition of an evening, which never changes, and its state, which does.

A definition (`Scenario` and all that it holds) is frozen. A state is made of plain, mutable objects; only the stage
changes it, through deltas, and minds only read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from volition.drama.rules.catalog import Belief

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.rules.catalog import Effect, EventType, Trigger
    from volition.drama.rules.tables import Goals

DEPARTED = "departed"
"""Where those are who have left."""


@dataclass(frozen=True, slots=True)
class Room:
    """A place. `overhears` are the rooms that can be heard from here, each with its probability."""

    id: str
    name: str
    privacy: float
    capacity: int
    adjacent: tuple[str, ...]
    overhears: Mapping[str, float]
    description: str = ""


@dataclass(frozen=True, slots=True)
class Secret:
    """Something true that not everybody knows. `harm` is how much each person would suffer by it, 0 to 1."""

    id: str
    description: str
    holders: tuple[str, ...]
    about: str | None
    content: str
    weight: float
    knowers: tuple[str, ...]
    suspecters: tuple[str, ...]
    harm: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Flaw:
    """What bends somebody's choices; `target` is whom a fixation is on."""

    kind: str
    strength: float
    trigger: Trigger
    effect: Effect
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Commitment:
    """What somebody has bound themselves to: to conceal or expose a secret, or to protect a person."""

    kind: Literal["conceal", "expose", "protect"]
    secret: str | None = None
    person: str | None = None


@dataclass(slots=True)
class Bond:
    """How one person stands to another."""

    trust: float
    affection: float
    obligation: float


@dataclass(slots=True)
class PacingState:
    """The six numbers that give drama its rhythm."""

    dramatic_budget: float = 1.0
    stress: float = 0.0
    composure: float = 1.0
    commitment: float = 0.0
    recovery_timer: int = 0
    suppression_count: int = 0


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as the evening begins. `goals` stand in the order of `catalog.GOALS`."""

    id: str
    name: str
    role: str
    goals: Goals
    closeness: Mapping[str, float]
    bonds: Mapping[str, tuple[float, float, float]]
    flaws: tuple[Flaw, ...]
    commitments: tuple[Commitment, ...]
    stress: float
    composure: float
    commitment: float
    emotions: Mapping[str, float]
    room: str
    sensitivity: float = 1.0
    resident: bool = False


@dataclass(frozen=True, slots=True)
class Evening:
    """How the evening is set: where people gather and leave, who serves, when, and what each room is good for.

    `needs` are the rooms that each is for, `need_rates` how fast it grows per tick where that is not the usual, and
    `glass_need` the one that every glass adds to.
    """

    gathering: str
    exit: str
    kitchen: str | None
    minutes: float
    ticks: int
    time_scale: float
    servers: tuple[str, ...]
    courses: tuple[float, ...]
    pours: tuple[float, ...]
    needs: Mapping[str, str]
    need_rates: Mapping[str, float]
    glass_need: str | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """The whole definition of an evening: people, rooms, secrets, setting and rules, with a hash of what it says.

    `rules` are the numbers of scenarios/rules.toml with this scenario's own in place; `known` are the pairs
    (who, whom, secret) of which `who` thinks at the start that `whom` knows the secret.
    """

    id: str
    name: str
    description: str
    rooms: Mapping[str, Room]
    people: Mapping[str, Person]
    secrets: Mapping[str, Secret]
    evening: Evening
    rules: Mapping[str, Mapping[str, Any]]
    known: frozenset[tuple[str, str, str]]
    hash: str


@dataclass(slots=True)
class AgentState:
    """Somebody now. What is kept by other people's ids has an entry only where there is something to keep."""

    id: str
    location: str
    pacing: PacingState
    emotions: dict[str, float]
    bonds: dict[str, Bond]
    beliefs: dict[str, Belief]
    alcohol: float = 0.0
    knows: set[tuple[str, str]] = field(default_factory=set)  # (whom, secret): this agent thinks that they know it
    sightings: dict[str, tuple[str, int]] = field(default_factory=dict)  # whom -> (room, since which tick) as last seen
    grievance: dict[str, float] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)  # whom -> the greatest grievance there was
    reconciled: set[str] = field(default_factory=set)  # with whom it was made up
    grounds: dict[str, int] = field(default_factory=dict)
    fatigue: dict[str, float] = field(default_factory=dict)
    confronted: dict[str, int] = field(default_factory=dict)  # whom -> tick of the last confrontation by this agent
    confronted_by: dict[str, int] = field(default_factory=dict)
    questions: dict[tuple[str, str], int] = field(default_factory=dict)  # (asker, secret) -> tick
    challenged: int | None = None  # tick of the last challenge
    lied: set[tuple[str, str]] = field(default_factory=set)  # (whom, secret): a lie that was tried
    planted: dict[str, str] = field(default_factory=dict)  # secret -> who planted the false belief
    wronged: set[str] = field(default_factory=set)  # who was harmed by an exposed secret of this agent
    needs: dict[str, float] = field(default_factory=dict)
    task: str | None = None  # "fetch", "serve" or "pour"
    task_since: float | None = None  # minute at which it was given
    recent: list[tuple[int, str]] = field(default_factory=list)  # (tick, candidate id) of the last acts
    moved: int | None = None  # tick of the last move
    away: float | None = None  # minute at which this agent left the gathering
    last_scene: float | None = None  # minute of the last catastrophe that this agent knows of
    broken: bool = False
    thrown_out: bool = False


@dataclass(frozen=True, slots=True)
class Happening:
    """An event as those who saw it remember it; the mind's view of the recent past."""

    tick: int
    type: EventType
    source: str
    targets: tuple[str, ...]
    room: str
    secret: str | None = None
    destination: str | None = None
    seen_by: tuple[str, ...] = ()


@dataclass(slots=True)
class WorldState:
    """The evening now."""

    scenario: Scenario
    agents: dict[str, AgentState]
    tick: int = 0
    minutes: float = 0.0
    recent: list[Happening] = field(default_factory=list)
    catastrophes: int = 0
    course_served: float | None = None  # minute at which the course on the table was served
    courses: int = 0  # how many courses, and
    pours: int = 0  # how many rounds have been called for


class Action(NamedTuple):
    """Something an agent may do, or has chosen to do: one candidate.

    `id` is readable and follows a fixed grammar (`chat:PERSON`, `chat:all`, `observe:room`, `move:ROOM`,
    `reveal:SECRET:PERSON`). `focus` is who is watched, `destination` where a move leads, `manner` which PHYSICAL act it
    is. `utility_score` and `priority_class` are set on what was chosen.
    """

    id: str
    agent_id: str
    action_type: EventType
    target_agents: tuple[str, ...]
    location_id: str
    is_dramatic: bool
    focus: str | None = None
    destination: str | None = None
    secret_id: str | None = None
    manner: str | None = None
    utility_score: float | None = None
    priority_class: int | None = None


def begin(scenario: Scenario) -> WorldState:
    """The state in which an evening begins."""
    agents = {}
    for person in scenario.people.values():
        beliefs = {
            secret.id: Belief.BELIEVES_TRUE
            if person.id in secret.knowers
            else Belief.SUSPECTS
            if person.id in secret.suspecters
            else Belief.UNKNOWN
            for secret in scenario.secrets.values()
        }
        agents[person.id] = AgentState(
            person.id,
            person.room,
            PacingState(stress=person.stress, composure=person.composure, commitment=person.commitment),
            dict(person.emotions),
            {other: Bond(*bond) for other, bond in person.bonds.items()},
            beliefs,
            knows={(whom, secret) for who, whom, secret in scenario.known if who == person.id},
            grounds=dict.fromkeys(person.bonds, 1),
        )
    return WorldState(scenario, agents)
