"""Many evenings together: the shares and sums that targets and symptoms are based on."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from statistics import fmean
from statistics import median as median_of
from typing import TYPE_CHECKING, Final

from volition.core.errors import refuse
from volition.drama.company.spread import Spread
from volition.drama.doctor.stories import PooledStories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.drama.company.measures import Measures
    from volition.drama.world.model import Scenario

LASTS: Final = 0.8
"""The share of its minutes that an evening should last."""


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
    def stories(self) -> PooledStories | None:
        """The evenings as stories; None if some of them were not measured as such."""
        if any(record.story is None for record in self.records):
            return None
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
        """The median of somebody's least composure."""
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
