"""Everybody's decisions in many states at once: what each would choose now, without anything happening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.choose import add_noise, add_noise_of, best_of, take_best, weigh
from volition.drama.evening.perceive import perceive_person, survey
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.record import IntTable, Name, RealCube, RealTable
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.terms import AddTerms
    from volition.drama.evening.weigh import ScoreSheet


def decide(
    evening: EveningState,
    tables: ScenarioTables,
    me: int,
    seen: Perceived,
    sheet: ScoreSheet,
    added: RealCube,
    number: int,
    add_terms: AddTerms,
) -> None:
    """Let `me` choose by what they make out of a survey, and write the choice into the evening."""
    perceive_person(evening, tables, me, seen)
    weigh_all(evening, tables, me, seen, sheet, added, number, add_terms)
    add_noise(evening, tables, me, sheet)
    take_best(evening, tables, me, seen, sheet)


def weigh_all(
    evening: EveningState,
    tables: ScenarioTables,
    me: int,
    seen: Perceived,
    sheet: ScoreSheet,
    added: RealCube,
    number: int,
    add_terms: AddTerms,
) -> None:
    """Weigh every act that `me` may choose, with what custom terms add.

    Those that are laws add it themselves, where the sheet says that there are any. What others add to each act of each
    person in each evening is in `added`, where there is any; it is rounded to the grain of scores.
    """
    weigh(evening, tables, me, seen, sheet)
    if sheet.custom != 0:
        add_terms(evening, tables, me, seen, sheet)
    if len(added) > 0:
        for place in range(sheet.acts):
            sheet.worth[place] += leaf(added[number][me][sheet.act[place]])


def decide_everything(
    evenings: Sequence[EveningState],
    packed_tables: Sequence[ScenarioTables],
    seen: Sequence[Perceived],
    sheets: Sequence[ScoreSheet],
    added: RealCube,
    add_terms: AddTerms,
    seeds: Sequence[Name],
    acts: IntTable,
    totals: RealTable,
) -> None:
    """Write everybody's choice in each state and its score, and change no state; those who left choose nothing.

    There is a seed of the noise for each state.
    """
    tables, sheet = packed_tables[0], sheets[0]
    for number in range(len(evenings)):
        evening = evenings[number]
        survey(evening, tables, seen[0])
        for who in range(tables.people):
            acts[number][who] = NONE
            if evening.room[who] != DEPARTED:
                perceive_person(evening, tables, who, seen[0])
                weigh_all(evening, tables, who, seen[0], sheet, added, number, add_terms)
                add_noise_of(tables, who, seeds[number], evening.tick, sheet)
                best = best_of(tables, sheet)
                acts[number][who] = sheet.act[best]
                totals[number][who] = sheet.worth[best]
