"""When an evening is over, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.evening.record import DEPARTED
from volition.drama.evening.sets import has
from volition.drama.evening.state import ANGER

if TYPE_CHECKING:
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

STOPS: Final = (
    "",
    "the hour is late",
    "it was to be no longer",
    "it has gone on for long enough",
    "only those who live here are left",
    "hardly anybody is left",
    "everybody is spent",
)
"""Why an evening stops; the constants below are their places."""
GOES_ON, LATE, BROKEN_OFF, LONG_ENOUGH, RESIDENTS_LEFT, HARDLY_ANYBODY, SPENT = range(len(STOPS))

ENDINGS: Final = (
    "thrown_out",
    "broke_up",
    "only_two_left",
    "guests_left",
    "reconciliation",
    "thinned_out",
    "ran_its_course",
    "broken_off",
)
"""Every way in which an evening ends; the constants below are their places."""
(
    END_THROWN_OUT,
    END_BROKE_UP,
    END_ONLY_TWO_LEFT,
    END_GUESTS_LEFT,
    END_RECONCILIATION,
    END_THINNED_OUT,
    END_RAN_ITS_COURSE,
    END_BROKEN_OFF,
) = range(len(ENDINGS))

_FEW = 2


def stop_of(evening: EveningState, tables: ScenarioTables, ticks: int) -> int:
    """Why an evening of at most `ticks` ticks stops now; GOES_ON while it does not."""
    rules, present, guests, spent = tables.rules, 0, 0, True
    if evening.minutes >= tables.last_minute:
        return LATE
    if evening.tick >= ticks:
        return BROKEN_OFF if ticks < tables.last_tick else LONG_ENOUGH
    for who in range(tables.people):
        if evening.room[who] != DEPARTED:
            present += 1
            guests += int(tables.resident[who] == 0)
            spent = spent and evening.timer[who] > 0 and evening.stress[who] < rules.leaving.spent_stress
    if rules.departures.leaving != 0:
        if present > 0 and guests == 0:
            return RESIDENTS_LEFT
        return HARDLY_ANYBODY if present <= _FEW else GOES_ON
    if present < _FEW:
        return HARDLY_ANYBODY
    return SPENT if spent else GOES_ON


def ending_of(evening: EveningState, tables: ScenarioTables, stop: int) -> int:
    """How an evening ended that stopped for this reason."""
    if stop == BROKEN_OFF:
        return END_BROKEN_OFF
    late = evening.minutes >= tables.last_minute or evening.tick >= tables.last_tick
    left, present, thrown_out, scene = 0, 0, False, -1.0
    for who in range(tables.people):
        gone = evening.room[who] == DEPARTED
        left += int(gone)
        present += int(not gone)
        thrown_out = thrown_out or (gone and evening.thrown_out[who] != 0)
        scene = max(scene, evening.last_scene[who])
    if thrown_out:
        return END_THROWN_OUT
    if not late and stop != SPENT:
        if scene >= 0.0 and evening.minutes - scene <= tables.rules.leaving.broke_up_minutes:
            return END_BROKE_UP
        return END_ONLY_TWO_LEFT if present == _FEW else END_GUESTS_LEFT
    if is_reconciled(evening, tables):
        return END_RECONCILIATION
    if left >= _FEW and evening.catastrophes > 0:
        return END_THINNED_OUT
    return END_RAN_ITS_COURSE


def is_reconciled(evening: EveningState, tables: ScenarioTables) -> bool:
    """Whether two who are still here made up, nobody here resents another, and at most one has left in bitterness."""
    made_up, bitter = False, 0
    for who in range(tables.people):
        gone = evening.room[who] == DEPARTED
        bitter += int(gone and is_bitter(evening, tables, who))
        for whom in range(tables.people):
            if not gone and evening.room[whom] != DEPARTED:
                made_up = made_up or has(evening.reconciled[who], whom)
                if evening.grievance[who][whom] > tables.rules.leaving.resented:
                    return False
    return made_up and bitter < _FEW


def is_bitter(evening: EveningState, tables: ScenarioTables, who: int) -> bool:
    """Whether `who` is very angry, or holds much against another: as they left, for feelings of the gone do not fade."""
    most = evening.emotions[who][ANGER]
    for whom in range(tables.people):
        most = max(most, evening.grievance[who][whom])
    return most > tables.rules.leaving.resented
