"""Evenings measured from their records: the readable definition of `Measures`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.drama.audience.gauge import tension_of
from tests.drama.batch.onlooker import Onlooker
from tests.drama.batch.stories import story_of
from volition.drama.audience.tension import halves, minutes_of
from volition.drama.batch.measures import CALM, Measures, Mood, Row, digest_of_world
from volition.drama.evening.components import mean_of
from volition.drama.rules.catalog import CATASTROPHE, CLOCK, DRAMATIC, SOCIAL_MOVE
from volition.drama.rules.catastrophe import potential
from volition.drama.stage.run import run
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import Intention
    from volition.drama.audience.tension import EventTension
    from volition.drama.batch.measures import Looks
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario


class Meter:
    """Plays evenings of one scenario and measures them; what they share is made once.

    `terms` are custom intentions that take part in every decision.
    """

    def __init__(self, scenario: Scenario, terms: Sequence[Intention] = (), ticks: int | None = None) -> None:
        self.scenario, self.mind, self.ticks = scenario, Onlooker(scenario, terms), ticks

    def measure(self, seed: int) -> Measures:
        """Play the evening of a seed, and measure it."""
        strain = _Strain(self.scenario, self.mind)
        self.mind.begin()
        played = run(self.scenario, seed, ticks=self.ticks, mind=self.mind, on_tick=strain.look)
        return _measures(played, strain, self.mind.looks())


class _Strain:
    """How close everybody came to breaking."""

    def __init__(self, scenario: Scenario, mind: Onlooker) -> None:
        self.physics = mind.rules.physics
        self.composure = {id: person.composure for id, person in scenario.people.items()}
        self.potential = dict.fromkeys(scenario.people, 0.0)
        self.world: WorldState | None = None

    def look(self, world: WorldState, record: TickRecord) -> None:
        self.world = world
        for id, me in world.agents.items():
            pacing = me.pacing
            if me.location != DEPARTED:
                near = potential(pacing.stress, pacing.commitment, pacing.suppression_count, self.physics)
                self.composure[id] = min(self.composure[id], pacing.composure)
                self.potential[id] = max(self.potential[id], near)


def _measures(played: Run, strain: _Strain, looks: Looks) -> Measures:
    events = played.events
    counts = Counter(event.type.name for event in events)
    minutes = minutes_of(played)
    moments, rows = tension_of(played), _rows(played)
    tense = halves(moments, minutes)
    return Measures(
        seed=played.seed,
        minutes=minutes,
        ticks=len(played.ticks),
        ending=played.ending.kind if played.ending is not None else "",
        events=dict(sorted(counts.items())),
        first_drama=next((event.tick for event in events if event.type in DRAMATIC), None),
        rooms=tuple(sorted({event.room for event in events if event.type not in (SOCIAL_MOVE, CLOCK)})),
        catastrophes=tuple((event.source, event.minutes) for event in events if event.type == CATASTROPHE),
        composure=strain.composure,
        potential=strain.potential,
        glasses=sum(strain.number == "drinks" for event in events for strain in event.strains),
        left=played.left,
        tension=(tense.first_without_clock, tense.second_without_clock),
        row=max(rows, key=lambda row: row.times, default=Row(0, "", "")),
        repeats=1.0 - len(rows) / sum(row.times for row in rows) if rows else 0.0,
        looks=looks,
        mood=_mood(moments),
        state=digest_of_world(strain.world or played.opening_state()),
        story=story_of(played),
    )


def _mood(moments: Sequence[EventTension]) -> Mood:
    tense = [moment.value for moment in moments]
    irony = [moment.components.irony_density for moment in moments]
    count = len(moments)
    return Mood(mean_of(sum(tense), count), max(tense), mean_of(sum(irony), count), max(irony)) if moments else CALM


def _rows(played: Run) -> list[Row]:
    """Everybody's acts, grouped into series of the same act; what counts is what a choice became."""
    rows: list[Row] = []
    last: dict[str, Row] = {}
    for record in played.ticks:
        for who, choice in record.choices.items():
            act = choice.id if choice.became == "done" else choice.became
            row = last.get(who)
            if row is not None and row.act == act:
                last[who] = replace(row, times=row.times + 1)
            else:
                rows += [row] if row is not None else []
                last[who] = Row(1, who, act)
    return [*rows, *last.values()]
