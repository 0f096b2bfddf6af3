"""A whole evening in the shapes that pages draw, each made once and kept with the evening."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from volition.drama.audience.arcs import arcs_of
from volition.drama.audience.casting import short_names
from volition.drama.audience.genres import GENRES, Components, shares, weights_of
from volition.drama.audience.scenes import segment
from volition.drama.audience.tension import minutes_of
from volition.drama.audience.viewing import view
from volition.drama.rules.catalog import GOALS, EventType
from volition.drama.stage.causes import effects
from volition.studio.decisions import decision_shape
from volition.studio.house import plan_of
from volition.studio.memory import Memory
from volition.studio.shapes.evenings import (
    ArcShape,
    Audience,
    BeatShape,
    Chosen,
    EndingShape,
    EveningShape,
    EventShape,
    FlawShape,
    InterferenceShape,
    MomentShape,
    PersonShape,
    ScenarioShape,
    SceneShape,
    SecretShape,
    Stay,
    TickShape,
)
from volition.studio.shapes.plays import ComparisonShape
from volition.studio.unfolding import Unfolding, choice_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.arbitration import Decision
    from volition.drama.audience.viewing import Viewed
    from volition.drama.comparison import Comparison
    from volition.drama.evening import Evening
    from volition.drama.stage.events import Ending
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Action, Commitment, Person, Scenario

DECISIONS_KEPT: Final = 256


class Shown:
    """An evening under an id, with everything that pages ask of it again and again."""

    def __init__(self, id: str, evening: Evening, *, live: bool = False, stoppable: bool = False) -> None:
        self.id = id
        self.evening = evening
        self.live = live
        self.stoppable = stoppable
        self._decisions = Memory["Decision[Action]"](DECISIONS_KEPT)
        self._chosen = Memory[Chosen](DECISIONS_KEPT)
        self._audiences = Memory[Audience](len(GENRES))
        self._lock = RLock()

    @cached_property
    def plan(self) -> Any:
        return plan_of(self.evening.scenario)

    @cached_property
    def _unfolded(self) -> tuple[list[TickShape], list[EventShape]]:
        with self._lock:
            run = self.evening.run
            unfolding = Unfolding(run, self.plan)
            steps = [unfolding.step(record) for record in run.ticks]
            ticks = [*(tick for tick, _ in steps), unfolding.now()]
            later = effects(run.events)
            events = [replace(event, effects=list(later[event.id])) for _, some in steps for event in some]
            return ticks, events

    @property
    def ticks(self) -> list[TickShape]:
        """Every tick with its bonds, and the state at the end."""
        return self._unfolded[0]

    @cached_property
    def brief_ticks(self) -> list[TickShape]:
        """The same without bonds: what a page needs to scrub through."""
        return [replace(tick, bonds=None) for tick in self.ticks]

    @cached_property
    def shape(self) -> EveningShape:
        """All but the states of the ticks."""
        evening = self.evening
        ticks, events = self._unfolded
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
            interference=[interference_shape(one) for one in evening.run.interference],
            people=[_person(person, number, names) for number, person in enumerate(scenario.people.values())],
            secrets=[_secret(secret) for secret in scenario.secrets.values()],
            plan=self.plan,
            types=[kind.name for kind in EventType],
            events=events,
            threads={who: _stays(who, ticks) for who in scenario.people},
            summary=evening.summary().to_data(),
        )

    @cached_property
    def shape_json(self) -> bytes:
        """The shape as it is sent."""
        return msgspec.json.encode(self.shape)

    @cached_property
    def ticks_json(self) -> bytes:
        """All ticks as they are sent."""
        return msgspec.json.encode(self.brief_ticks)

    def audience(self, genre: str) -> Audience:
        """What it meant, as a genre weighs it."""
        return self._audiences.get(genre, lambda: _audience(self.evening, genre))

    def decision(self, tick: int, agent: str) -> Decision[Action]:
        """What somebody decided at a tick, decided again once and then kept."""
        return self._decisions.get((tick, agent), lambda: self.evening.decision(tick, agent))

    def chosen(self, tick: int, agent: str) -> Chosen:
        """A choice with its decision, drawn once."""
        return self._chosen.get((tick, agent), lambda: self._choice(tick, agent))

    def _choice(self, tick: int, agent: str) -> Chosen:
        evening, decision = self.evening, self.decision(tick, agent)
        choice = evening.run.ticks[tick - evening.first].choices[agent]
        items = [] if decision.id is None else evening.situation(tick, agent, decision.id)
        return Chosen(self.id, tick, agent, choice_shape(choice), dict(items), decision_shape(decision))


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


def ending_shape(ending: Ending | None) -> EndingShape | None:
    return None if ending is None else EndingShape(*ending)


def interference_shape(one: Interference) -> InterferenceShape:
    return InterferenceShape(one.at, one.kind, one.agent, one.what, str(one))


def comparison_shape(found: Comparison) -> ComparisonShape:
    """Two evenings side by side."""
    one, two = found.endings
    broke, gone = found.broke
    return ComparisonShape(
        parted=found.parted,
        choices=list(found.choices),
        endings=(ending_shape(one), ending_shape(two)),
        events=found.events,
        broke=(list(broke), list(gone)),
        left=dict(found.left),
        beliefs=[(*key, *pair) for key, pair in found.beliefs.items()],
        trust=[(*key, *pair) for key, pair in found.trust.items()],
        text=str(found),
    )


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


def _audience(evening: Evening, genre: str) -> Audience:
    viewed = view(evening.run, genre)
    scenario = evening.scenario
    scenes = segment(viewed, scenario)
    arcs = arcs_of(viewed, tuple(scenario.people), minutes_of(evening.run))
    return Audience(
        genre=genre,
        genres={name: weights._asdict() for name, weights in GENRES.items()},
        components=list(Components._fields),
        moments=[_moment(one, weights_of(genre)) for one in viewed],
        scenes=[SceneShape(**scene.to_data()) for scene in scenes],
        arcs=[
            ArcShape(
                arc.protagonist,
                [BeatShape(beat.event, beat.part.value, beat.tension, beat.repaired) for beat in arc.beats],
                arc.start,
                arc.end,
                dict(arc.qualities),
                arc.score,
            )
            for arc in arcs
        ],
    )


def _moment(one: Viewed, weights: Components) -> MomentShape:
    moment = one.moment
    return MomentShape(
        event=moment.event,
        tick=one.event.tick,
        minutes=moment.minutes,
        components=list(moment.components),
        shares=list(shares(moment.components, weights)),
        tension=moment.value,
        tension_without_clock=moment.value_without_clock,
        irony=one.irony,
        collapse=None if one.collapse is None else one.collapse.drop,
    )


def _person(person: Person, number: int, names: dict[str, str]) -> PersonShape:
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
        commitments=list(_commitments(person.commitments)),
        resident=person.resident,
    )


def _commitments(commitments: Iterable[Commitment]) -> Iterable[str]:
    return (f"{one.kind} {one.secret or one.person}" for one in commitments)


def _secret(secret: Any) -> SecretShape:
    return SecretShape(
        id=secret.id,
        description=secret.description,
        content=secret.content,
        weight=secret.weight,
        about=secret.about,
        holders=list(secret.holders),
        knowers=list(secret.knowers),
        suspecters=list(secret.suspecters),
        harm=dict(secret.harm),
    )
