"""One evening in numbers, as rows of measured evenings are read."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  measures are read by these types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.company.spread import Spread  # noqa: TC001  as above
from volition.drama.evening.building import sizes_of
from volition.drama.evening.record import digest_of
from volition.drama.evening.state import EveningState
from volition.drama.evening.views import state_of
from volition.drama.rules.catalog import DRAMATIC

if TYPE_CHECKING:
    from volition.drama.world.model import WorldState


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
class Looks:
    """All decisions of an evening in numbers; scores are totals as played, with noise.

    `won` counts the winners by type, `hung` the decisions that would have had another winner without each of the terms.
    `internal`, `winners` and `all` are the totals of INTERNAL, of the winners, and of everything that was not vetoed;
    `dramatic` has the best dramatic total of each decision that offered one. `gaps` are those between winner and
    runner-up, `biases` the absolute values of what flaws added to winners. `decided` counts everybody's decisions, and
    `awake` and `swayed`, for each of their flaws, those with it awake, and those that would have had another winner
    without it.
    """

    decisions: int
    won: Mapping[str, int]
    hung: Mapping[str, int]
    internal: Spread
    winners: Spread
    all: Spread
    dramatic: Spread
    gaps: Spread
    biases: Spread
    decided: Mapping[str, int] = field(default_factory=dict)
    awake: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    swayed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


class FirstAct(NamedTuple):
    """The first dramatic act of an evening: whose, of which type, and towards whom."""

    who: str
    kind: str
    whom: str


@dataclass(frozen=True, slots=True)
class Story:
    """One evening as a story, in numbers.

    `made` counts everybody's events and `conflicts` who confronted whom. `out` are the secrets that somebody learned;
    `stale` counts truths that came out before people who all knew them. `driven_off` were thrown out, or left within ten
    minutes after a row of theirs. Of the lies, `seen_through` were not believed, and `found_out` were believed until the
    truth came out.

    `answers` counts the wrongs that somebody learned of, by the whole minutes from when they met who did it until they
    confronted them or turned away, told somebody, broke, slammed a door or left. Its last entry counts those without that
    within fifteen minutes; a wrong is left out where the evening, or somebody's stay, ended before.

    `pours` counts the rounds of wine, and `pours_amid_rows` those within three ticks of a row or an outburst in the room;
    in ensembles of earlier versions both are 0.
    """

    made: Mapping[str, int]
    conflicts: Mapping[str, Mapping[str, int]]
    first: FirstAct | None
    out: tuple[str, ...]
    stale: int
    driven_off: tuple[str, ...]
    seen_through: int
    found_out: int
    answers: tuple[int, ...]
    pours: int = 0
    pours_amid_rows: int = 0


@dataclass(frozen=True, slots=True)
class Measures:
    """One evening in numbers.

    `events` are counts by type, `first_drama` is the tick of the first dramatic act. `rooms` are those that saw an act
    other than a move. `catastrophes` are (who, minute) in order; `composure` is the lowest and `potential` the highest
    value that each person reached, at the ends of ticks. `tension` is the mean without the clock in the first and in the
    second half of the minutes. `row` is the longest series of one act by one person, and `repeats` the share of acts
    that the same person had just done before. `story` is None in ensembles of earlier versions. `state` is the digest of
    the last state; equal evenings have equal ones.
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


def digest_of_world(world: WorldState) -> str:
    """One short name for a state, as `play_many` gives it to the last state of an evening."""
    return digest_of(state_of(world), EveningState, sizes_of(world.scenario))
