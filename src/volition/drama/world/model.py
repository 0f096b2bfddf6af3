"""The definition of an evening, which never changes, and its state, which does.

A definition (`Scenario` and its parts) is frozen. A state consists of mutable objects; only the stage changes it, through
deltas, and minds only read it.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the studio's API describes secrets by their annotations
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from volition.drama.rules.catalog import Belief, Effect, EventType, Trigger

if TYPE_CHECKING:
    from volition.drama.rules.tables import Goals

DEPARTED = "departed"
"""The location of people who have left."""


@dataclass(frozen=True, slots=True)
class Room:
    """A room. `overhears` maps the rooms that can be heard from here to their probabilities; `tags` are for words."""

    id: str
    name: str
    privacy: float
    capacity: int
    adjacent: tuple[str, ...]
    overhears: Mapping[str, float]
    description: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Secret:
    """Something true that not everybody knows. `harm` is how much it would hurt each person, 0 to 1."""

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
    """What biases somebody's choices; `target` is the person a fixation is on."""

    kind: str
    strength: float
    trigger: Trigger
    effect: Effect
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Commitment:
    """What somebody is committed to: to conceal or expose a secret, or to protect a person."""

    kind: Literal["conceal", "expose", "protect"]
    secret: str | None = None
    person: str | None = None


class Bond(Struct, array_like=True):
    """How one person feels about another."""

    trust: float
    affection: float
    obligation: float


class PacingState(Struct, array_like=True):
    """The six numbers of a person's pacing."""

    dramatic_budget: float = 1.0
    stress: float = 0.0
    composure: float = 1.0
    commitment: float = 0.0
    recovery_timer: int = 0
    suppression_count: int = 0


@dataclass(frozen=True, slots=True)
class Person:
    """A person at the beginning of the evening. `goals` are in the order of `catalog.GOALS`.

    `pronouns`, `familiar`, `voice` and `relations` are for words: they change nothing that happens.
    """

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
    pronouns: str | tuple[str, ...] = "they"
    familiar: str = ""
    voice: tuple[str, ...] = ()
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EveningSetup:
    """The setup of an evening: where people gather and leave, who serves, when, and which rooms meet which needs.

    `needs` maps each need to its room, `need_rates` overrides how fast a need grows per tick, and `glass_need` is the need
    that every glass adds to.
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
    """The whole definition of an evening: people, rooms, secrets, setup and rules, with a hash of its content.

    `rules` are the numbers of scenarios/rules.toml with this scenario's changes; `known` contains (who, whom, secret) if
    `who` thinks at the start that `whom` knows the secret. `setting` and `phrases` are for words, and not in the hash.
    """

    id: str
    name: str
    description: str
    rooms: Mapping[str, Room]
    people: Mapping[str, Person]
    secrets: Mapping[str, Secret]
    evening: EveningSetup
    rules: Mapping[str, Mapping[str, Any]]
    known: frozenset[tuple[str, str, str]]
    hash: str
    setting: tuple[str, ...] = ()
    phrases: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class AgentState:
    """The current state of a person. Maps and sets have entries only where there is something to store."""

    id: str
    location: str
    pacing: PacingState
    emotions: dict[str, float]
    bonds: dict[str, Bond]
    beliefs: dict[str, Belief]
    alcohol: float = 0.0
    knows: set[tuple[str, str]] = field(default_factory=set)  # (whom, secret): this agent thinks that they know it
    suspects: set[tuple[str, str]] = field(default_factory=set)  # the same: this agent thinks that they suspect it
    sightings: dict[str, tuple[str, int]] = field(
        default_factory=dict
    )  # whom -> (room, since which tick), as last seen
    grievance: dict[str, float] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)  # whom -> the greatest grievance so far
    stung: dict[str, float] = field(default_factory=dict)  # whom -> since which minute their wrong waits for an answer
    answered: set[str] = field(default_factory=set)  # those whose wrong was answered, but not to their face
    reconciled: set[str] = field(default_factory=set)  # those who made up with this agent
    grounds: dict[str, int] = field(default_factory=dict)
    fatigue: dict[str, float] = field(default_factory=dict)
    confronted: dict[str, int] = field(default_factory=dict)  # whom -> tick of the last confrontation by this agent
    confronted_by: dict[str, int] = field(default_factory=dict)
    questions: dict[tuple[str, str], int] = field(default_factory=dict)  # (asker, secret) -> tick
    challenged: int | None = None  # tick of the last challenge
    lied: set[tuple[str, str]] = field(default_factory=set)  # (whom, secret): a lie that was not believed
    planted: dict[str, str] = field(default_factory=dict)  # secret -> who planted the false belief
    wronged: set[str] = field(default_factory=set)  # those who were harmed by an exposed secret of this agent
    needs: dict[str, float] = field(default_factory=dict)
    task: str | None = None  # "fetch", "serve" or "pour"
    task_since: float | None = None  # minute at which the task was given
    recent: list[tuple[int, str]] = field(default_factory=list)  # (tick, candidate id), the oldest first
    moved: int | None = None  # tick of the last move
    away: float | None = None  # minute at which this agent left the gathering
    last_scene: float | None = None  # minute of the last catastrophe that this agent knows of
    course_seen: float | None = None  # minute at which the course was served that this agent has seen
    broken: bool = False
    thrown_out: bool = False


class Happening(Struct, frozen=True, array_like=True):
    """An event as its witnesses remember it: the mind's view of the recent past."""

    tick: int
    type: EventType
    source: str
    targets: tuple[str, ...]
    room: str
    secret: str | None = None
    destination: str | None = None
    seen_by: tuple[str, ...] = ()
    failed: bool = False  # a lie that was not believed


@dataclass(slots=True)
class WorldState:
    """The current state of an evening."""

    scenario: Scenario
    agents: dict[str, AgentState]
    tick: int = 0
    minutes: float = 0.0
    recent: list[Happening] = field(default_factory=list)
    catastrophes: int = 0
    course_served: float | None = None  # minute at which the course on the table was served
    courses: int = 0  # how many courses have been called for
    pours: int = 0  # how many rounds of wine have been called for


class Action(NamedTuple):
    """Something that an agent may do, or has chosen to do: a candidate.

    `id` is readable and follows a fixed grammar (`chat:PERSON`, `chat:all`, `observe:room`, `move:ROOM`,
    `reveal:SECRET:PERSON`). `focus` is the person watched, `destination` where a move leads, `manner` which PHYSICAL
    act it is. `utility_score` and `priority_class` are set once it is chosen.
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
    """The state at the beginning of an evening."""
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
