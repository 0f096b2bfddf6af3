"""From packed rows of measured evenings to `Measures`, which have names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.drama.batch.measures import FirstAct, Looks, Measures, Mood, Row, Spread, Story
from volition.drama.evening.look import HUNG, SPREADS
from volition.drama.evening.names import endings_of, names_of
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.rules.catalog import CHOSEN, EventType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.drama.evening.rows import MeasureRows
    from volition.drama.world.model import Scenario

_KIND: Final = [kind.name for kind in EventType]
_KINDS: Final = [(kind.name, int(kind)) for kind in sorted(EventType, key=lambda kind: kind.name)]
_CHOSEN: Final = [(kind.name, int(kind)) for kind in sorted(CHOSEN, key=lambda kind: kind.name)]


class RowReader:
    """Reads the rows of evenings of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._names, self._endings = names_of(scenario), endings_of(scenario)

    def read(self, rows: MeasureRows) -> Iterator[Measures]:
        """The measures of every row, in order.

        A column is turned into numbers as a whole: 8 times as fast as a row at a time (`benchmarks/tricks.py`).
        """
        names, broke, broke_from = rows.row.dtype.names or (), rows.broke.tolist(), rows.broke_from.tolist()
        columns, spreads = [rows.row[name].tolist() for name in names], _spreads(rows)
        for number, cells in enumerate(zip(*columns, strict=True)):
            row: dict[str, Any] = dict(zip(names, cells, strict=True))
            some = spreads[number * len(SPREADS) : (number + 1) * len(SPREADS)]
            yield self._measures(row, broke[broke_from[number] : broke_from[number + 1]], some)

    def _measures(self, row: dict[str, Any], broke: Sequence[Any], spreads: Sequence[Spread]) -> Measures:
        names = self._names
        return Measures(
            seed=row["seed"],
            minutes=row["minutes"],
            ticks=row["ticks"],
            ending=self._endings[row["ending"]],
            events={name: row["events"][kind] for name, kind in _KINDS if row["events"][kind]},
            first_drama=row["first_drama"] if row["first_drama"] >= 0 else None,
            rooms=tuple(sorted(room for place, room in enumerate(names.rooms) if has(row["rooms"], place))),
            catastrophes=tuple((names.people[who], minute) for who, minute in broke),
            composure=dict(zip(names.people, row["composure"], strict=True)),
            potential=dict(zip(names.people, row["potential"], strict=True)),
            glasses=row["glasses"],
            left=tuple(names.people[who] for who in row["left_as"][: row["left"]]),
            tension=(row["first_half"], row["second_half"]),
            row=self._longest(row),
            repeats=1.0 - row["series"] / row["acts"] if row["acts"] else 0.0,
            looks=_looks(row, spreads, names.people),
            story=self._story(row),
            mood=Mood(row["tension"], row["most_tension"], row["irony"], row["most_irony"]),
            state=bytes(row["state"]).hex(),
        )

    def _story(self, row: dict[str, Any]) -> Story:
        people, first = self._names.people, row["first_kind"]
        rivals = {
            who: {whom: times for whom, times in zip(people, counts, strict=True) if times}
            for who, counts in zip(people, row["conflicts"], strict=True)
        }
        return Story(
            made=dict(zip(people, row["made"], strict=True)),
            conflicts=rivals,
            first=None if first == NONE else FirstAct(people[row["first_by"]], _KIND[first], people[row["first_to"]]),
            out=tuple(secret for place, secret in enumerate(self._names.secrets) if has(row["out"], place)),
            stale=row["stale"],
            driven_off=tuple(who for place, who in enumerate(people) if has(row["driven_off"], place)),
            seen_through=row["seen_through"],
            found_out=row["found_out"],
            answers=tuple(row["answers"]),
            pours=row["pours"],
            pours_amid_rows=row["pours_amid_rows"],
            first_out=None if row["first_out"] == NONE else self._names.secrets[row["first_out"]],
            remained=self._names.members(row["remained"]),
            subjects=tuple(row["quarrels"]),
            owed=row["owed"],
            settled=row["settled"],
        )

    def _longest(self, row: dict[str, Any]) -> Row:
        if not row["acts"]:
            return Row(0, "", "")
        return Row(row["longest"], self._names.people[row["longest_who"]], self._names.acts[row["longest_act"]])


def _spreads(rows: MeasureRows) -> list[Spread]:
    """The spreads of every row, one row after the other; tallies are in the order of their spreads."""
    whose = np.repeat(np.arange(len(rows)), rows.row["tallies"]) * len(SPREADS) + rows.tally["spread"]
    ends = np.cumsum(np.bincount(whose, minlength=len(rows) * len(SPREADS))).tolist()
    hundredths, counts = rows.tally["hundredth"].tolist(), rows.tally["count"].tolist()
    return [
        Spread(dict(zip(hundredths[first:end], counts[first:end], strict=True)))
        for first, end in zip([0, *ends], ends, strict=False)
    ]


def _looks(row: dict[str, Any], spreads: Sequence[Spread], people: Sequence[str]) -> Looks:
    return Looks(
        row["decisions"],
        {name: row["won"][kind] for name, kind in _CHOSEN if row["won"][kind]},
        dict(zip(HUNG, row["hung"], strict=True)),
        **dict(zip(SPREADS, spreads, strict=True)),
        decided=dict(zip(people, row["decided"], strict=True)),
        awake=dict(zip(people, map(tuple, row["awake"]), strict=True)),
        swayed=dict(zip(people, map(tuple, row["swayed"]), strict=True)),
    )
