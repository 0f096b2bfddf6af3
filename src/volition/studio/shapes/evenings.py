"""An evening as pages draw it: the people, what happened, and everybody's state at every tick."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from volition.drama.world.model import Secret  # noqa: TC001
from volition.studio.shapes.decisions import DecisionShape  # noqa: TC001
from volition.studio.shapes.house import FloorPlan, Point  # noqa: TC001


class FlawShape(Struct, frozen=True):
    kind: str
    strength: float
    trigger: str
    effect: str
    target: str | None


class PersonShape(Struct, frozen=True):
    """Somebody; `number` counts from 0 and is the same in all evenings of a scenario: pages choose colours by it."""

    id: str
    number: int
    name: str
    short: str
    role: str
    goals: dict[str, float]
    flaws: list[FlawShape]
    commitments: list[str]
    resident: bool


class ScenarioShape(Struct, frozen=True):
    """A scenario in short."""

    id: str
    name: str
    description: str
    hash: str
    minutes: float
    ticks: int
    people: list[str]
    rooms: list[str]
    secrets: list[str]


class Change(Struct, frozen=True):
    """One change of state, as events carry it; `key` is whose or which, `attribute` the field of a bond."""

    kind: str
    agent: str
    key: Any
    before: Any
    after: Any
    reason: str
    attribute: str | None


class StrainShape(Struct, frozen=True):
    agent: str
    number: str
    amount: float
    reason: str


class EventShape(Struct, frozen=True):
    """Something that happened. `text` puts it into words; `causes` are earlier events, `effects` later ones that name it.
    `secret` is the one that was told or lied about, `secrets` are all that it is about."""

    id: str
    tick: int
    minutes: float
    type: str
    dramatic: bool
    source: str
    targets: tuple[str, ...]
    room: str
    text: str
    causes: tuple[str, ...]
    effects: tuple[str, ...]
    witnesses: tuple[str, ...]
    overheard: tuple[str, ...]
    focus: str | None
    destination: str | None
    secret: str | None
    secrets: list[str]
    manner: str | None
    details: dict[str, Any]
    changes: list[Change]
    strains: list[StrainShape]


class Stay(Struct, frozen=True):
    """Somebody was in a room from one tick up to, but not including, another; "departed" is not a room."""

    room: str
    first: int
    until: int
    start: float
    end: float


class EndingShape(Struct, frozen=True):
    kind: str
    stopped: str
    tick: int
    minutes: float
    because: str


class InterferenceShape(Struct, frozen=True):
    """What somebody vetoed, forced or set by hand."""

    at: int
    kind: str
    agent: str
    what: str
    text: str


class EveningShape(Struct, frozen=True):
    """A run without the states of its ticks. `last` is the tick after the last: its state is the state at the end.

    `minutes` has an entry for each tick from `first` to `last`. `live` says that it is being played now, here or by
    another process; `stoppable`, that this studio plays it and can stop it.
    """

    id: str
    live: bool
    stoppable: bool
    scenario: ScenarioShape
    seed: int
    rules: int
    first: int
    last: int
    minutes: list[float]
    ending: EndingShape | None
    interference: list[InterferenceShape]
    people: list[PersonShape]
    secrets: list[Secret]
    plan: FloorPlan
    types: list[str]
    events: list[EventShape]
    threads: dict[str, list[Stay]]
    summary: dict[str, Any]


class ChoiceShape(Struct, frozen=True):
    """What somebody chose in this tick; `became` is "done", or the act that it was turned into."""

    id: str
    score: float
    priority: int
    became: str
    because: str | None


class PacingShape(Struct, frozen=True):
    """The six numbers of a person's pacing, by name; records have them as a list."""

    dramatic_budget: float
    stress: float
    composure: float
    commitment: float
    recovery_timer: int
    suppression_count: int


class BondShape(Struct):
    """How one person feels about another, by name; records have it as a list."""

    trust: float
    affection: float
    obligation: float


class PersonNow(Struct, frozen=True):
    """Somebody before a tick; `at` is where to draw them. `choice` is None for those who left or broke, and at the end."""

    room: str
    at: Point
    pacing: PacingShape
    emotions: dict[str, float]
    alcohol: float
    broken: bool
    choice: ChoiceShape | None


BeliefName = Literal["unknown", "suspects", "believes_true", "believes_false"]


class TickShape(Struct, frozen=True):
    """The state before a tick, and what happened in it: `events` are ids. Only a single tick has `bonds`."""

    tick: int
    minutes: float
    length: float
    people: dict[str, PersonNow]
    beliefs: dict[str, dict[str, BeliefName]]
    events: list[str]
    bonds: dict[str, dict[str, BondShape]] | None = None


class MomentShape(Struct, frozen=True):
    """The tension of one event; `components`, and their `shares` in it, are in the order of `Audience.components`."""

    event: str
    tick: int
    minutes: float
    components: tuple[float, ...]
    shares: tuple[float, ...]
    tension: float
    tension_without_clock: float
    irony: float
    collapse: float | None


class SceneShape(Struct, frozen=True):
    id: str
    type: str
    room: str
    participants: list[str]
    start: float
    end: float
    events: list[str]
    tension: list[float]
    theme: str | None


class BeatShape(Struct, frozen=True):
    event: str
    part: str
    tension: float
    repaired: bool


class ArcShape(Struct, frozen=True):
    protagonist: str
    beats: list[BeatShape]
    start: float
    end: float
    qualities: dict[str, float]
    score: float


class Audience(Struct, frozen=True):
    """What an evening meant, as a genre weighs it; `genres` are all presets with their weights."""

    genre: str
    genres: dict[str, dict[str, float]]
    components: tuple[str, ...]
    moments: list[MomentShape]
    scenes: list[SceneShape]
    arcs: list[ArcShape]


class Chosen(Struct, frozen=True):
    """A choice of an evening with its decision; `situation` itemises what the situation added to the winner."""

    run: str
    tick: int
    agent: str
    choice: ChoiceShape
    situation: dict[str, float]
    decision: DecisionShape
