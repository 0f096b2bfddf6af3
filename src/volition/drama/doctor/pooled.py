"""Many evenings together: the shares and sums that targets and symptoms are based on, of their shape and of their stories."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from statistics import fmean
from statistics import median as median_of
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from volition.core.errors import refuse
from volition.drama.batch.measures import FirstAct, Measures, Spread, Story

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.drama.world.model import Scenario

K = TypeVar("K")
LASTS: Final = 0.8
"""The share of its minutes that an evening should last."""


class FlawFigures(Struct, frozen=True):
    """A flaw in numbers: the share of its bearer's choices that it changes, and of evenings in which it never wakes."""

    who: str
    place: int
    sways: float
    sleeps: float


class PooledStories:
    """The stories of one or more evenings of one scenario."""

    def __init__(self, records: Sequence[Measures], scenario: Scenario) -> None:
        self.records, self.scenario = records, scenario
        self.stories: list[Story] = [record.story for record in records]

    @cached_property
    def secrets(self) -> dict[str, float]:
        """The share of evenings in which each secret comes out, the smallest first."""
        out = Counter(secret for story in self.stories for secret in story.out)
        return _shares(out, self.scenario.secrets, len(self.stories))

    @cached_property
    def pairs(self) -> dict[tuple[str, str], float]:
        """The share of the conflicts that each pair has, the smallest first; pairs without any are left out."""
        counts: Counter[tuple[str, str]] = Counter()
        for story in self.stories:
            for who, rows in story.conflicts.items():
                for whom, times in rows.items():
                    counts[min(who, whom), max(who, whom)] += times
        return _shares(counts, counts, counts.total())

    @cached_property
    def starters(self) -> dict[str, float]:
        """The share of evenings in which each person starts a conflict, the smallest first."""
        started = Counter(who for story in self.stories for who, rows in story.conflicts.items() if rows)
        return _shares(started, self.scenario.people, len(self.stories))

    @cached_property
    def makers(self) -> dict[str, float]:
        """The share of the events that each person makes, the smallest first."""
        events: Counter[str] = Counter()
        for story in self.stories:
            events.update(story.made)
        return _shares(events, self.scenario.people, events.total())

    @cached_property
    def firsts(self) -> dict[FirstAct, float]:
        """The share of evenings that begin with each dramatic act, the smallest first."""
        firsts = Counter(story.first for story in self.stories if story.first is not None)
        return _shares(firsts, firsts, len(self.stories))

    @cached_property
    def driven_off(self) -> dict[str, float]:
        """The share of evenings in which each person is thrown out or storms off, the smallest first."""
        driven = Counter(who for story in self.stories for who in story.driven_off)
        return _shares(driven, self.scenario.people, len(self.stories))

    @property
    def lied(self) -> float:
        """The share of evenings with a lie."""
        return sum(record.events.get("LIE", 0) > 0 for record in self.records) / len(self.records)

    @property
    def found_out(self) -> float:
        """The share of evenings with a lie in which one that was believed is found out."""
        with_lies = [record.story for record in self.records if record.events.get("LIE")]
        return sum(story.found_out > 0 for story in with_lies) / max(1, len(with_lies))

    @cached_property
    def answers(self) -> tuple[int, ...]:
        """All wrongs, by the whole minutes until they were answered."""
        return tuple(map(sum, zip(*(story.answers for story in self.stories), strict=True)))

    def answered_within(self, minutes: int) -> float:
        """The share of wrongs that were answered in fewer minutes; 1 if there were none."""
        wrongs = sum(self.answers)
        return sum(self.answers[:minutes]) / wrongs if wrongs else 1.0

    @property
    def median_answer(self) -> float:
        """The minutes within which half of the wrongs were answered; 0 if there were none."""
        return next(
            (minute + 1.0 for minute in range(len(self.answers)) if self.answered_within(minute + 1) >= 0.5), 0.0
        )

    @property
    def stale(self) -> int:
        """How many truths came out before people who all knew them."""
        return sum(story.stale for story in self.stories)

    @cached_property
    def remained(self) -> dict[tuple[str, ...], float]:
        """How often each set of people was left at the end, the rarest first."""
        sets = Counter(story.remained for story in self.stories)
        return _shares(sets, sets, len(self.stories))

    @cached_property
    def first_out(self) -> dict[str, float]:
        """How often each secret was the first that somebody learned, the rarest first; of the evenings in which one was."""
        firsts = Counter(story.first_out for story in self.stories if story.first_out is not None)
        return _shares(firsts, firsts, firsts.total())

    @property
    def settled(self) -> float:
        """The share of wrongs, learned half an hour before the end, that got their scene; 1 if there were none."""
        owed = sum(story.owed for story in self.stories)
        return sum(story.settled for story in self.stories) / owed if owed else 1.0

    @cached_property
    def subjects(self) -> tuple[float, ...]:
        """The shares of confrontations about nothing, a secret and a wrong; all 0 if there were none."""
        counts = [sum(column) for column in zip(*(story.subjects for story in self.stories), strict=True)]
        return tuple(count / max(1, sum(counts)) for count in counts)

    @property
    def with_subject(self) -> float:
        """The share of confrontations that are about something; 1 if there were none."""
        return 1.0 - self.subjects[0]

    @property
    def poured_amid_rows(self) -> float:
        """The share of the rounds of wine that were poured amid a row."""
        return sum(story.pours_amid_rows for story in self.stories) / max(1, sum(story.pours for story in self.stories))

    @cached_property
    def flaws(self) -> list[FlawFigures]:
        """Every flaw; the one that changes least comes first."""
        figures: list[FlawFigures] = []
        evenings = [record.looks for record in self.records]
        for who, person in self.scenario.people.items():
            decided = max(1, sum(looks.decided[who] for looks in evenings))
            for place in range(len(person.flaws)):
                sways = sum(looks.swayed[who][place] for looks in evenings) / decided
                sleeps = sum(not looks.awake[who][place] for looks in evenings) / len(evenings)
                figures.append(FlawFigures(who, place, sways, sleeps))
        return sorted(figures, key=lambda flaw: (flaw.sways, flaw.who, flaw.place))


def _shares(counts: Counter[K], every: Iterable[K], whole: int) -> dict[K, float]:
    """The share of the whole that each has, the smallest first."""
    return {key: counts[key] / max(1, whole) for key in sorted(every, key=lambda key: (counts[key], str(key)))}


class PooledEvenings:
    """The measures of one or more evenings of one scenario."""

    def __init__(self, records: Sequence[Measures], scenario: Scenario) -> None:
        if not records:
            refuse(
                "there is no evening to examine",
                where="records",
                expected="the measures of one evening or more",
                remedy="play some first",
            )
        self.records, self.scenario = records, scenario

    @cached_property
    def stories(self) -> PooledStories:
        """The evenings as stories."""
        return PooledStories(self.records, self.scenario)

    @property
    def size(self) -> float:
        """How much can happen in an evening: people times minutes, relative to six people and 150 minutes."""
        return len(self.scenario.people) * self.scenario.evening.minutes / 900.0

    def share(self, holds: Callable[[Measures], bool]) -> float:
        """The share of evenings for which a condition holds."""
        return sum(map(holds, self.records)) / len(self.records)

    def mean(self, number: Callable[[Measures], float]) -> float:
        return fmean(map(number, self.records))

    def median(self, number: Callable[[Measures], float]) -> float:
        return median_of(map(number, self.records))

    def count(self, *kinds: str) -> int:
        """The number of events of these types."""
        return sum(record.events.get(kind, 0) for record in self.records for kind in kinds)

    def share_of_events(self, kind: str) -> float:
        """The share of all events that are of a type."""
        return self.count(kind) / max(1, sum(record.event_count for record in self.records))

    def spread(self, name: str) -> Spread:
        """A spread of `Looks`, over all evenings."""
        return Spread.together(getattr(record.looks, name) for record in self.records)

    @cached_property
    def decisions(self) -> int:
        return sum(record.looks.decisions for record in self.records)

    def share_won(self, kind: str) -> float:
        """The share of decisions that an act of this type won."""
        return sum(record.looks.won.get(kind, 0) for record in self.records) / max(1, self.decisions)

    def share_hung(self, term: str) -> float:
        """The share of decisions that would have had another winner without a term."""
        return sum(record.looks.hung[term] for record in self.records) / max(1, self.decisions)

    @cached_property
    def catastrophes(self) -> dict[str, float]:
        """Everybody's share of the catastrophes, the largest first; all 0 if there were none."""
        counts = Counter(who for record in self.records for who, _ in record.catastrophes)
        everybody = sorted(self.scenario.people, key=lambda who: (-counts[who], who))
        return {who: counts[who] / max(1, counts.total()) for who in everybody}

    @property
    def unbroken(self) -> list[str]:
        """Those who never broke."""
        return [who for who, share in self.catastrophes.items() if not share]

    def composure_of(self, who: str) -> float:
        """The median of a person's least composure."""
        return self.median(lambda record: record.composure[who])

    @property
    def undone(self) -> float:
        """The share of people whose composure falls, at some time, below what keeps them from breaking."""
        people, gate = len(self.scenario.people), self.scenario.rules["physics"]["catastrophe_gate"]
        return self.mean(lambda record: sum(low < gate for low in record.composure.values()) / people)

    @property
    def potential(self) -> float:
        """The median of the greatest potential of an evening."""
        return self.median(lambda record: max(record.potential.values(), default=0.0))

    @property
    def ran_out(self) -> float:
        """The share of evenings that ran out of ticks before they lasted as long as they should."""
        ticks, least = self.scenario.evening.ticks, LASTS * self.scenario.evening.minutes
        return self.share(lambda record: record.ticks >= ticks and record.minutes < least)

    @property
    def dramatic_acts(self) -> float:
        """The mean number of dramatic acts."""
        return self.mean(lambda record: record.dramatic_acts)

    @cached_property
    def commonest_row(self) -> tuple[str, str]:
        """Who did what most often in a row, in most evenings."""
        longest = Counter((record.row.who, record.row.act) for record in self.records)
        return min(longest, key=lambda row: (-longest[row], row))

    @cached_property
    def rooms(self) -> dict[str, float]:
        """The share of evenings in which each room saw an act other than a move, the smallest first."""
        used = Counter(room for record in self.records for room in record.rooms)
        return {
            room: used[room] / len(self.records) for room in sorted(self.scenario.rooms, key=lambda id: (used[id], id))
        }

    @cached_property
    def endings(self) -> dict[str, float]:
        """The share of evenings with each kind of ending, the largest first."""
        kinds = Counter(record.ending for record in self.records)
        return {kind: kinds[kind] / len(self.records) for kind in sorted(kinds, key=lambda kind: (-kinds[kind], kind))}
