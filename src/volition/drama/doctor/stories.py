"""Many evenings together as stories: who quarrels, what comes out, who reacts, and how varied it all is."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.company.measures import FirstAct, Measures, Story
    from volition.drama.world.model import Scenario


K = TypeVar("K")


class FlawFigures(NamedTuple):
    """A flaw in numbers: the share of its bearer's choices that it changes, and of evenings in which it never wakes."""

    who: str
    place: int
    sways: float
    sleeps: float


class PooledStories:
    """The stories of one or more evenings of one scenario; all of them were measured as stories."""

    def __init__(self, records: Sequence[Measures], scenario: Scenario) -> None:
        self.records, self.scenario = records, scenario
        self.stories: list[Story] = [record.story for record in records if record.story is not None]

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
        made: Counter[str] = Counter()
        for story in self.stories:
            made.update(story.made)
        return _shares(made, self.scenario.people, made.total())

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
        lied = [record.story for record in self.records if record.events.get("LIE") and record.story is not None]
        return sum(story.found_out > 0 for story in lied) / max(1, len(lied))

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

    @property
    def poured_amid_rows(self) -> float:
        """The share of the rounds of wine that were poured amid a row."""
        return sum(story.pours_amid_rows for story in self.stories) / max(1, sum(story.pours for story in self.stories))

    @cached_property
    def flaws(self) -> list[FlawFigures]:
        """Every flaw; the one that changes least comes first."""
        found: list[FlawFigures] = []
        for who, person in self.scenario.people.items():
            looks = [record.looks for record in self.records if who in record.looks.decided]
            decided = max(1, sum(one.decided[who] for one in looks))
            for place in range(len(person.flaws)):
                sways = sum(one.swayed[who][place] for one in looks) / decided
                sleeps = sum(not one.awake[who][place] for one in looks) / max(1, len(looks))
                found.append(FlawFigures(who, place, sways, sleeps))
        return sorted(found, key=lambda flaw: (flaw.sways, flaw.who, flaw.place))


def _shares(counts: Counter[K], every: Iterable[K], whole: int) -> dict[K, float]:
    """The share of the whole that each has, the smallest first."""
    return {key: counts[key] / max(1, whole) for key in sorted(every, key=lambda key: (counts[key], str(key)))}
