"""One evening in numbers, measured while it is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003  measures are read by these types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.audience.tension import halves, minutes_of, tension
from volition.drama.company.onlooker import Looks, Onlooker
from volition.drama.company.story import Story, story_of
from volition.drama.evening.building import sizes_of
from volition.drama.evening.components import mean_of
from volition.drama.evening.record import digest_of
from volition.drama.evening.state import EveningState
from volition.drama.evening.views import state_of
from volition.drama.rules.catalog import CATASTROPHE, DRAMATIC, SOCIAL_MOVE
from volition.drama.rules.catastrophe import potential
from volition.drama.stage.run import run
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import Intention
    from volition.drama.audience.tension import EventTension
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario, WorldState


class Mood(NamedTuple):
    """Tension and irony of an evening: the means over its events, and the greatest of any event.

    `tension` includes the clock; irony is the density of what those present do not know.
    """

    tension: float = 0.0
    most_tension: float = 0.0
    irony: float = 0.0
    most_irony: float = 0.0


CALM: Final = Mood()


class Row(NamedTuple):
    """How many times in a row somebody did the same thing; `act` is the id of an act."""

    times: int
    who: str
    act: str


@dataclass(frozen=True, slots=True)
class Measures:
    """One evening in numbers.

    `events` are counts by type, `first_drama` is the tick of the first dramatic act. `rooms` are those that saw an act
    other than a move. `catastrophes` are (who, minute) in order; `composure` is the lowest and `potential` the highest
    value that each person reached, at the ends of ticks. `tension` is the mean without the clock in the first and in the
    second half of the minutes. `row` is the longest series of one act by one person, and `repeats` the share of acts
    that the same person had just done before. `story` is None in ensembles of earlier versions. `state` is the digest of the last state; equal evenings have equal ones.
    """

    seed: int
    minutes: float
    ticks: int
    ending: str
    events: Mapping[str, int]
    first_drama: int | None
    rooms: tuple[str, ...]
    catastrophes: tuple[tuple[str, float], ...]
    composure: Mapping[str, float]
    potential: Mapping[str, float]
    glasses: int
    left: tuple[str, ...]
    tension: tuple[float, float]
    row: Row
    repeats: float
    looks: Looks
    mood: Mood = CALM
    state: str = ""
    story: Story | None = None

    @property
    def event_count(self) -> int:
        return sum(self.events.values())

    @property
    def dramatic_acts(self) -> int:
        """The number of dramatic acts."""
        return sum(self.events.get(kind.name, 0) for kind in DRAMATIC)


class Meter:
    """Plays evenings of one scenario and measures them; what they share is made once.

    `terms` are custom intentions that take part in every decision. Without any, `play_many` gives the same measures
    faster.
    """

    def __init__(self, scenario: Scenario, terms: Sequence[Intention] = ()) -> None:
        self.scenario, self.mind = scenario, Onlooker(scenario, terms)

    def measure(self, seed: int) -> Measures:
        """Play the evening of a seed, and measure it."""
        strain = _Strain(self.scenario, self.mind)
        self.mind.begin()
        played = run(self.scenario, seed, mind=self.mind, on_tick=strain.look)
        return _measures(played, strain, self.mind.looks())


class _Strain:
    """How close everybody came to breaking."""

    def __init__(self, scenario: Scenario, mind: Onlooker) -> None:
        self.physics = mind.tables.physics
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
    moments, rows = tension(played), _rows(played)
    tense = halves(moments, minutes)
    return Measures(
        seed=played.seed,
        minutes=minutes,
        ticks=len(played.ticks),
        ending=played.ending.kind if played.ending is not None else "",
        events=dict(sorted(counts.items())),
        first_drama=next((event.tick for event in events if event.type in DRAMATIC), None),
        rooms=tuple(sorted({event.room for event in events if event.type != SOCIAL_MOVE})),
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


def digest_of_world(world: WorldState) -> str:
    """One short name for a state, as `play_many` gives it to the last state of an evening."""
    return digest_of(state_of(world), EveningState, sizes_of(world.scenario))


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
                last[who] = row._replace(times=row.times + 1)
            else:
                rows += [row] if row is not None else []
                last[who] = Row(1, who, act)
    return [*rows, *last.values()]
