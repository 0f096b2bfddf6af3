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
    """Something true that not everybody knows. `harm` is how much it would hurt each person, 0 to 1.

    `implies` maps other secrets to "knows" or "suspects": what who learns this one then believes of them at once.
    """

    id: str
    """The id of the secret."""
    description: str
    """What it is, for people."""
    holders: tuple[str, ...]
    """Whose secret it is."""
    about: str | None
    """Who it is about, if anybody."""
    content: str
    """The kind of secret, by which words for it are chosen."""
    weight: float
    """How grave it is, 0 to 1."""
    knowers: tuple[str, ...]
    """Who else knows it from the start."""
    suspecters: tuple[str, ...]
    """Who suspects it from the start."""
    harm: Mapping[str, float]
    """How much it would hurt each person, 0 to 1."""
    implies: Mapping[str, str] = field(default_factory=dict)
    """What whoever learns it then believes of other secrets."""


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

    `pronouns`, `familiar`, `voice` and `relations` are for words: they change nothing that happens. `mind` names a language
    model that may decide for them, where whoever plays the evening lets it.
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
    mind: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """What must be so for an event of the clock; every part that is given has to hold.

    `known` maps secrets to people who all know them; `out` are secrets that somebody has learned since the beginning;
    `here` and `gone` are people in the house and people who left it; `forgiven` maps people to those whom they have
    forgiven; `carries` maps things to who has them; `within` maps people to the room in which they are; `outbursts` is the least number of outbursts; `chance` is drawn by the
    seed, once for the evening.
    """

    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    out: tuple[str, ...] = ()
    here: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    forgiven: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    carries: Mapping[str, str] = field(default_factory=dict)
    within: Mapping[str, str] = field(default_factory=dict)
    outbursts: int = 0
    chance: float = 1.0


@dataclass(frozen=True, slots=True)
class ClockEvent:
    """Something that comes to the house by the clock: when it is due, under which conditions, and what it does.

    It happens at the first tick from `minute` on at which `when` holds and `unless` does not, and never after `until`.
    It does exactly one thing: people `arrive` in `room`, people `depart` together, `news` of a secret is read out in
    `room`, the thing `hands` goes `to` a person, the evening `ends` under a name, or it only has `lines`. `by` is the
    person whom it reaches first.
    """

    id: str
    minute: float
    until: float
    when: Condition = Condition()
    unless: Condition | None = None
    by: str | None = None
    room: str | None = None
    arrive: tuple[str, ...] = ()
    depart: tuple[str, ...] = ()
    news: str | None = None
    hands: str | None = None
    to: str | None = None
    ends: str | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A small difference between evenings, which the seed draws with its `chance`.

    `late` maps people to the minute at which they come; `words` are two who quarrelled on the way; `rooms` maps people to
    where they are at the beginning; `suspects` maps people to a secret of which they have caught wind.
    """

    id: str
    chance: float
    late: Mapping[str, float] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    rooms: Mapping[str, str] = field(default_factory=dict)
    suspects: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EveningSetup:
    """The setup of an evening: where people gather and leave, who serves, when, and which rooms meet which needs.

    `needs` maps each need to its room, `need_rates` overrides how fast a need grows per tick, and `glass_need` is the need
    that every glass adds to. `things` maps what can change hands to who has it at the beginning.
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
    things: Mapping[str, str] = field(default_factory=dict)
    events: tuple[ClockEvent, ...] = ()
    circumstances: tuple[Circumstance, ...] = ()

    @property
    def drinks(self) -> bool:
        """Whether there is anything to drink."""
        return bool(self.pours)


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
    hinted: bool = False  # a quarrel in which nothing was said openly


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
