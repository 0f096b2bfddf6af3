"""One evening in numbers, as rows of measured evenings are read.

Distributions are counts by hundredths: small enough to send, and to add up over thousands of evenings.
"""

from __future__ import annotations

from collections import Counter
from math import floor
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.drama.evening.building import sizes_of
from volition.drama.evening.record import digest_of
from volition.drama.evening.state import EveningState
from volition.drama.rules.catalog import DRAMATIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.drama.evening.world import WorldState

BANDS: Final = ("< 0.0", "0.0 - 0.3", "0.3 - 0.5", "0.5 - 0.7", "0.7 - 0.9", ">= 0.9")
"""The score ranges of the tuning guide (specification 7.1)."""

_EDGES: Final = (0, 30, 50, 70, 90)


class Spread(Struct, frozen=True):
    """How many numbers fall into each hundredth; `counts[42]` are those from 0.42 up to, but not including, 0.43."""

    counts: Mapping[int, int] = {}

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of some numbers.

        >>> Spread.of([0.421, 0.427, -0.001]).counts
        {-1: 1, 42: 2}
        """
        return cls(dict(sorted(Counter([floor(value * 100.0) for value in values]).items())))

    @classmethod
    def together(cls, spreads: Iterable[Spread]) -> Spread:
        """The spread of all the numbers of several spreads."""
        counts: Counter[int] = Counter()
        for spread in spreads:
            counts.update(spread.counts)
        return cls(dict(sorted(counts.items())))

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return sum(self.counts.values())

    def quantile(self, share: float) -> float | None:
        """The number below which this share lies, as if each hundredth were filled evenly; None if there are no numbers.

        >>> Spread({40: 1, 41: 2, 50: 1}).quantile(0.5)
        0.415
        """
        wanted, seen = share * self.count, 0
        for hundredth, count in self.counts.items():
            if seen + count >= wanted:
                return round((hundredth + (wanted - seen) / count) / 100.0, 6)
            seen += count
        return None

    def share_from(self, least: float) -> float:
        """The share of numbers from `least` on, which is a multiple of a hundredth."""
        from_ = round(least * 100.0)
        return _part(sum(count for hundredth, count in self.counts.items() if hundredth >= from_), self.count)

    def bands(self) -> dict[str, float]:
        """The share of numbers in each of the bands.

        >>> Spread({-5: 1, 30: 2, 90: 1}).bands()["0.3 - 0.5"]
        0.5
        """
        counts = dict.fromkeys(BANDS, 0)
        for hundredth, count in self.counts.items():
            counts[BANDS[sum(hundredth >= edge for edge in _EDGES)]] += count
        return {band: _part(count, self.count) for band, count in counts.items()}


def _part(count: int, whole: int) -> float:
    return count / whole if whole else 0.0


class Mood(Struct, frozen=True):
    """Tension and irony of an evening: the means over its events, and the greatest of any event.

    `tension` includes the clock; irony is the density of what those present do not know.
    """

    tension: float = 0.0
    most_tension: float = 0.0
    irony: float = 0.0
    most_irony: float = 0.0


CALM: Final = Mood()


class Row(Struct, frozen=True):
    """How many times in a row `who` did the same thing; `act` is the id of an act."""

    times: int
    who: str
    act: str


class Looks(Struct, frozen=True):
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
    decided: Mapping[str, int]
    awake: Mapping[str, tuple[int, ...]]
    swayed: Mapping[str, tuple[int, ...]]


class FirstAct(Struct, frozen=True):
    """The first dramatic act of an evening: whose, of which type, and towards whom."""

    who: str
    kind: str
    whom: str

    def __str__(self) -> str:
        return f"{self.who} {self.kind} {self.whom}"


class Story(Struct, frozen=True):
    """One evening as a story, in numbers.

    `made` counts everybody's events and `conflicts` who confronted whom. `out` are the secrets that were learned;
    `stale` counts truths that came out before people who all knew them. `driven_off` were thrown out, or left within ten
    minutes after a row of theirs. Of the lies, `seen_through` were not believed, and `found_out` were believed until the
    truth came out.

    `answers` counts the wrongs that people learned of, by the whole minutes from when they met who did it until they
    confronted them or turned away, told another person, broke, slammed a door or left. Its last entry counts those without that
    within fifteen minutes; a wrong is left out where the evening, or the person's stay, ended before.

    `pours` counts the rounds of wine, and `pours_amid_rows` those within three ticks of a row or an outburst in the room.

    `first_out` is the secret that somebody learned first, and `remained` are those who were still there at the end.
    `subjects` counts confrontations by what they were about: nothing, a secret, a wrong. Of the wrongs that were learned
    half an hour before the end, `owed` counts those that were settled or open for as long, and `settled` those that got
    their scene.
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
    pours: int
    pours_amid_rows: int
    first_out: str | None = None
    remained: tuple[str, ...] = ()
    subjects: tuple[int, int, int] = (0, 0, 0)
    owed: int = 0
    settled: int = 0


class Measures(Struct, frozen=True):
    """One evening in numbers.

    `events` are counts by type, `first_drama` is the tick of the first dramatic act. `rooms` are those that saw an act
    other than a move. `catastrophes` are (who, minute) in order; `composure` is the lowest and `potential` the highest
    value that each person reached, at the ends of ticks. `tension` is the mean without the clock in the first and in the
    second half of the minutes. `row` is the longest series of one act by one person, and `repeats` the share of acts
    that the same person had just done before. `state` is the digest of the last state; equal evenings have equal ones.
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
    story: Story
    mood: Mood = CALM
    state: str = ""

    @property
    def event_count(self) -> int:
        return sum(self.events.values())

    @property
    def dramatic_acts(self) -> int:
        """The number of dramatic acts."""
        return sum(self.events.get(kind.name, 0) for kind in DRAMATIC)


def digest_of_world(world: WorldState) -> str:
    """One short name for a state, as `play_many` gives it to the last state of an evening."""
    return digest_of(world.evening, EveningState, sizes_of(world.scenario))
