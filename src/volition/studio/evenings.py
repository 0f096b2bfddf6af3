"""An evening as pages draw it: who was there, what happened and where, and what was decided; each made once and kept."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import NotPossible
from volition.drama.audience.deeds import describe_interference
from volition.drama.audience.floor_plan import FloorPlan, draw_plan
from volition.drama.audience.prose import short_names
from volition.drama.audience.reasons import ChoiceReason, ChoiceWords
from volition.drama.audience.tension import GENRES
from volition.drama.audience.timeline import (
    ChoiceShape,
    ClosingPart,
    EndingShape,
    EventShape,
    TickShape,
    Unfolding,
    choice_shape,
    ending_shape,
)
from volition.drama.rules.catalog import GOALS, EventType
from volition.drama.stage.causes import effects
from volition.drama.world.model import Secret  # noqa: TC001  msgspec reads the annotations
from volition.studio.audience import Audience, audience_of
from volition.studio.cache import Cache
from volition.studio.decisions import DecisionShape, WhatIfAsked, WhatIfShape, decision_shape, what_if_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.arbitration import Decision
    from volition.drama.playing.evening import Evening
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Action, Person, Scenario

DECISIONS_KEPT: Final = 256
"""How many decisions of an evening are kept in memory."""


class FlawShape(Struct, frozen=True):
    """A flaw of a person: what sets it off, and what it does."""

    kind: str
    """The kind of flaw."""
    strength: float
    """How strong it is, 0 to 1."""
    trigger: str
    """What sets it off."""
    effect: str
    """What it leads to."""
    target: str | None
    """At whom it is aimed, if at anybody."""


class PersonShape(Struct, frozen=True):
    """Somebody; `number` counts from 0 and is the same in all evenings of a scenario: pages choose colours by it."""

    id: str
    """The id of the person."""
    number: int
    """The number by which pages choose colours, from 0 on."""
    name: str
    """The full name."""
    short: str
    """The name that fits a small place."""
    role: str
    """The role in the evening."""
    goals: dict[str, float]
    """How much each goal matters, 0 to 1."""
    flaws: list[FlawShape]
    """The person's flaws."""
    commitments: list[str]
    """What the person is committed to."""
    resident: bool
    """Whether the person lives here."""


class ScenarioShape(Struct, frozen=True):
    """A scenario in short."""

    id: str
    """The id of the scenario."""
    name: str
    """Its name."""
    description: str
    """What it is about."""
    hash: str
    """The hash of its content."""
    minutes: float
    """How long an evening lasts at most."""
    ticks: int
    """How many ticks an evening has at most."""
    people: list[str]
    """The ids of the people."""
    rooms: list[str]
    """The ids of the rooms."""
    secrets: list[str]
    """The ids of the secrets."""


class Stay(Struct, frozen=True):
    """Somebody was in a room from one tick up to, but not including, another; "departed" is not a room."""

    room: str
    """The id of the room, or `departed`."""
    first: int
    """The first tick there."""
    until: int
    """The tick of leaving."""
    start: float
    """When it begins, in minutes."""
    end: float
    """When it ends, in minutes."""


class InterferenceShape(Struct, frozen=True):
    """What somebody vetoed, forced or set by hand; `text` has ids, `words` has names."""

    at: int
    """The tick."""
    kind: str
    """Whether something was vetoed, forced or set."""
    agent: str
    """Whose act or state it was."""
    what: str
    """The act, or the part of the state."""
    text: str
    """The same, with ids."""
    words: str
    """The same, with names."""


class EveningShape(Struct, frozen=True):
    """A run without the states of its ticks. `last` is the tick after the last: its state is the state at the end.

    `minutes` has an entry for each tick from `first` to `last`. `closing` tells how it ended, and is empty before that.
    `live` says that it is being played now, here or by
    another process; `stoppable`, that this studio plays it and can stop it.
    """

    id: str
    """The id of the run."""
    live: bool
    """Whether it is being played now."""
    stoppable: bool
    """Whether this studio can stop it."""
    scenario: ScenarioShape
    """The scenario."""
    seed: int
    """The seed."""
    rules: int
    """The version of the rules."""
    first: int
    """The first tick."""
    last: int
    """The tick after the last."""
    minutes: list[float]
    """When each tick begins, in minutes."""
    ending: EndingShape | None
    """How it ended; null while it goes on."""
    closing: list[ClosingPart]
    """How it is told to have ended; empty while it goes on."""
    interference: list[InterferenceShape]
    """What was done by hand."""
    people: list[PersonShape]
    """The people."""
    secrets: list[Secret]
    """The secrets."""
    plan: FloorPlan
    """The floor plan."""
    types: list[str]
    """All types of events that there are."""
    events: list[EventShape]
    """Everything that happened."""
    threads: dict[str, list[Stay]]
    """Where each person was, stay by stay."""
    summary: dict[str, Any]
    """The evening in numbers."""


class Chosen(Struct, frozen=True):
    """A choice of an evening with its decision, and its `reason` in words; `situation` itemises what the situation added
    to the winner. `played_by` is who chose in place of the person's own mind, if anybody did."""

    run: str
    """The id of the run."""
    tick: int
    """The tick."""
    agent: str
    """Who chose."""
    choice: ChoiceShape
    """What was chosen, and what it became."""
    reason: ChoiceReason
    """Why, for the card of a guest."""
    played_by: str | None
    """Who chose for them; null where they did."""
    situation: dict[str, float]
    """What the situation added to the winner, item by item."""
    decision: DecisionShape
    """The decision."""


class OpenEvening:
    """An evening under an id, with everything that pages ask for repeatedly."""

    def __init__(self, id: str, evening: Evening, *, live: bool = False, stoppable: bool = False) -> None:
        self.id = id
        self.evening = evening
        self.live = live
        self.stoppable = stoppable
        self._decisions = Cache["Decision[Action]"](DECISIONS_KEPT)
        self._chosen = Cache[Chosen](DECISIONS_KEPT)
        self._audiences = Cache[Audience](len(GENRES))
        self._lock = RLock()

    @cached_property
    def plan(self) -> FloorPlan:
        return draw_plan(self.evening.scenario)

    @cached_property
    def _timeline(self) -> tuple[list[TickShape], list[EventShape], list[ClosingPart]]:
        with self._lock:
            run = self.evening.run
            unfolding = Unfolding(run, self.plan)
            steps = [unfolding.step(record) for record in run.ticks]
            ticks = [*(tick for tick, _ in steps), unfolding.now()]
            later = effects(run.events)
            events = [replace(event, effects=later[event.id]) for _, some in steps for event in some]
            return ticks, events, unfolding.closing(run)

    @property
    def ticks(self) -> list[TickShape]:
        """Every tick with its bonds, and the state at the end."""
        return self._timeline[0]

    @cached_property
    def shape(self) -> EveningShape:
        """Everything but the states of the ticks."""
        evening = self.evening
        ticks, events, closing = self._timeline
        scenario = evening.scenario
        names = short_names(scenario)
        return EveningShape(
            id=self.id,
            live=self.live,
            stoppable=self.stoppable,
            scenario=scenario_shape(scenario),
            seed=evening.seed,
            rules=evening.run.rules,
            first=evening.first,
            last=evening.last,
            minutes=[tick.minutes for tick in ticks],
            ending=ending_shape(evening.ending),
            closing=closing,
            interference=[interference_shape(scenario, each) for each in evening.run.interference],
            people=[_person(person, number, names) for number, person in enumerate(scenario.people.values())],
            secrets=list(scenario.secrets.values()),
            plan=self.plan,
            types=[kind.name for kind in EventType],
            events=events,
            threads={who: _stays(who, ticks) for who in scenario.people},
            summary=evening.summary().to_data(),
        )

    @cached_property
    def shape_json(self) -> bytes:
        return msgspec.json.encode(self.shape)

    @cached_property
    def ticks_json(self) -> bytes:
        """The ticks without bonds: what a page needs to scrub through the evening."""
        return msgspec.json.encode([replace(tick, bonds=None) for tick in self.ticks])

    def audience(self, genre: str) -> Audience:
        """What it meant, as a genre weighs it."""
        return self._audiences.get(genre, lambda: audience_of(self.evening, genre))

    def require_ended(self) -> Evening:
        """The evening; NotPossible while it goes on, because what mattered in it may change yet."""
        if self.live:
            raise NotPossible.of(
                f"{self.id} goes on",
                where="the address",
                expected="an evening that is over",
                remedy="ask when it has ended",
            )
        return self.evening

    def decision(self, tick: int, agent: str) -> Decision[Action]:
        """What somebody decided at a tick, decided again once and then kept."""
        return self._decisions.get((tick, agent), lambda: self.evening.decision(tick, agent))

    def choice(self, tick: int, agent: str) -> Chosen:
        """A choice with its decision."""
        return self._chosen.get((tick, agent), lambda: self._explain_choice(tick, agent))

    def _explain_choice(self, tick: int, agent: str) -> Chosen:
        evening, decision = self.evening, self.decision(tick, agent)
        record = evening.run.ticks[tick - evening.first]
        words = ChoiceWords(evening.scenario, agent)
        return Chosen(
            run=self.id,
            tick=tick,
            agent=agent,
            choice=choice_shape(evening.scenario, agent, record.choices[agent]),
            reason=words.reason(decision),
            played_by=evening.run.custom.player_of(agent) if agent in record.played else None,
            situation=dict([] if decision.id is None else evening.situation(tick, agent, decision.id)),
            decision=decision_shape(decision, words),
        )

    def what_if(self, tick: int, agent: str, asked: WhatIfAsked) -> WhatIfShape:
        """The same choice with other weights."""
        return what_if_shape(self.decision(tick, agent), asked, ChoiceWords(self.evening.scenario, agent))


def scenario_shape(scenario: Scenario) -> ScenarioShape:
    evening = scenario.evening
    return ScenarioShape(
        scenario.id,
        scenario.name,
        scenario.description,
        scenario.hash,
        evening.minutes,
        evening.ticks,
        list(scenario.people),
        list(scenario.rooms),
        list(scenario.secrets),
    )


def interference_shape(scenario: Scenario, done: Interference) -> InterferenceShape:
    words = f"at tick {done.at} {describe_interference(scenario, done)}"
    return InterferenceShape(done.at, done.kind, done.agent, done.what, str(done), words)


def _stays(who: str, ticks: list[TickShape]) -> list[Stay]:
    """Where somebody was: one stay for each stretch in one room."""
    begun = [
        place
        for place, tick in enumerate(ticks)
        if not place or tick.people[who].room != ticks[place - 1].people[who].room
    ]
    return [
        Stay(
            ticks[first].people[who].room,
            ticks[first].tick,
            ticks[until].tick,
            ticks[first].minutes,
            ticks[until].minutes,
        )
        for first, until in pairwise([*begun, len(ticks) - 1])
    ]


def _person(person: Person, number: int, names: Mapping[str, str]) -> PersonShape:
    return PersonShape(
        id=person.id,
        number=number,
        name=person.name,
        short=names[person.id],
        role=person.role,
        goals=dict(zip(GOALS, person.goals, strict=True)),
        flaws=[
            FlawShape(flaw.kind, flaw.strength, flaw.trigger.name.lower(), flaw.effect.name.lower(), flaw.target)
            for flaw in person.flaws
        ],
        commitments=[f"{each.kind} {each.secret or each.person}" for each in person.commitments],
        resident=person.resident,
    )
