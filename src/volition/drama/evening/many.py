"""Many evenings one after the other: the loop that is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.deciding import decide
from volition.drama.evening.ending import GOES_ON, ending_of, stop_of
from volition.drama.evening.look import clear_looks, look
from volition.drama.evening.measure import begin_measures, end_measures, measure_tick
from volition.drama.evening.perceive import survey
from volition.drama.evening.story import begin_story, follow_story
from volition.drama.evening.tension import feel_tick, look_on
from volition.drama.evening.tick import begin_tick, carry_out, decides, open_evening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.look import EveningLooks, EveningSpreads
    from volition.drama.evening.measure import EveningMeasures
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.record import RealCube
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.tension import EveningMoments
    from volition.drama.evening.terms import AddTerms
    from volition.drama.evening.weigh import ScoreSheet


def play_evenings(
    evenings: Sequence[EveningState],
    packed_tables: Sequence[ScenarioTables],
    logs: Sequence[EveningLog],
    seen: Sequence[Perceived],
    sheets: Sequence[ScoreSheet],
    moments: Sequence[EveningMoments],
    measures: Sequence[EveningMeasures],
    looks: Sequence[EveningLooks],
    spreads: Sequence[EveningSpreads],
    added: RealCube,
    add_terms: AddTerms,
    ticks: int,
    steps: int,
    opens: bool,
    stops: list[int],
    endings: list[int],
) -> None:
    """Play each evening for at most `ticks` ticks, and at most `steps` from where it is.

    Where it `opens`, evenings begin; else they go on. `stops` and `endings` get why each stopped and how it ended, and
    GOES_ON where it did not. All share the tables, one log, one perception and one score sheet. Custom terms that are laws are added
    by `add_terms`, where the sheet says that there are any. `added` is what others add to the acts of the next tick: then
    `steps` is one.

    Where there are `measures`, `looks` and `spreads`, one of each for an evening, evenings are measured: the log must be on and
    the sheet looked at, and measures that had too little room say so by `overflow`. Moments are remembered for each
    evening, or one memory serves all, where evenings are played to their ends.
    """
    tables, log = packed_tables[0], logs[0]
    measuring = len(measures) > 0
    for number in range(len(evenings)):
        evening = evenings[number]
        if opens:
            open_evening(evening, tables)
            if measuring:
                begin_measures(evening, tables, moments[number % len(moments)], measures[number])
                begin_story(tables, measures[number])
                clear_looks(tables, looks[number], spreads[number])
        stop, left = stop_of(evening, tables, ticks), steps
        while stop == GOES_ON and left > 0:
            if measuring:
                look_on(evening, tables, moments[number % len(moments)])
            begin_tick(evening, tables, log)
            survey(evening, tables, seen[0])
            for who in range(tables.people):
                if decides(evening, who):
                    decide(evening, tables, who, seen[0], sheets[0], added, number, add_terms)
                    if measuring:
                        look(evening, tables, who, sheets[0], looks[number], spreads[number])
            carry_out(evening, tables, log)
            if measuring:
                measure(evening, tables, log, moments[number % len(moments)], measures[number], spreads[number])
            stop = stop_of(evening, tables, ticks)
            left -= 1
        stops[number] = stop
        endings[number] = ending_of(evening, tables, stop)
        if measuring and stop != GOES_ON:
            end_measures(evening, endings[number], moments[number % len(moments)], measures[number])


def measure(
    evening: EveningState,
    tables: ScenarioTables,
    log: EveningLog,
    moments: EveningMoments,
    measures: EveningMeasures,
    spreads: EveningSpreads,
) -> None:
    """Measure a tick that has passed."""
    feel_tick(tables, log, moments)
    measure_tick(evening, tables, log, moments, measures)
    follow_story(evening, tables, log, moments, measures)
    if log.overflow != 0 or moments.overflow != 0 or spreads.overflow != 0:
        measures.overflow = 1
    log.overflow = 0
