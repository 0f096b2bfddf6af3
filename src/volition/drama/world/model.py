"""The definition of an evening, which never changes: its people, rooms, secrets, setup and rules.

Its state, which does change, is in `drama.evening`.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the studio's API describes secrets by their annotations
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from volition.drama.rules.catalog import Effect, EventType, Trigger  # noqa: TC001  read by annotations

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
    """What biases a person's choices; `target` is the person a fixation is on."""

    kind: str
    strength: float
    trigger: Trigger
    effect: Effect
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Commitment:
    """What a person is committed to: to conceal or expose a secret, or to protect a person."""

    kind: Literal["conceal", "expose", "protect"]
    secret: str | None = None
    person: str | None = None


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
