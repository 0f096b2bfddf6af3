"""One tick: who breaks, what everybody else chooses, how that is resolved, and how it leaves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import stream, uniform, word
from volition.drama.evening.acts import perform
from volition.drama.evening.breaking import burst, find_breaking
from volition.drama.evening.clock import draw_circumstances, ring
from volition.drama.evening.log import END_OF_TICK, PART_MINUTES, PART_TICK, clear_log, note
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.resolve import resolve
from volition.drama.evening.sets import has
from volition.drama.evening.settle import call_for_service, settle
from volition.drama.evening.state import clear_tick
from volition.drama.evening.tables import FOR_MOOD, FOR_NEED, FOR_NEED_START
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, LIE, REVEAL, SOCIAL_MOVE
from volition.drama.rules.passing import need_start, spread, tick_length
from volition.drama.rules.physics import clamp

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_CLASH = 1 << CONFLICT | 1 << REVEAL
_EXCHANGE = 1 << CONFIDE | 1 << LIE | 1 << SOCIAL_MOVE


def draw_needs(evening: EveningState, tables: ScenarioTables) -> None:
    """Draw what is drawn once for a whole evening, as of its first tick: how fast everybody's needs grow."""
    for who in range(tables.people):
        key = stream(evening.seed, 0, tables.person_name[who], tables.purpose[FOR_NEED])
        for need in range(tables.needs):
            evening.need_share[who][need] = uniform(word(key, tables.need_name[need]))


def open_evening(evening: EveningState, tables: ScenarioTables) -> None:
    """Let an evening begin from how the scenario sets it: needs and moods are somewhere, and all see who is there."""
    draw_circumstances(evening, tables)
    draw_needs(evening, tables)
    draw_moods(evening, tables)
    for me in range(tables.people):
        if tables.rules.departures.needs != 0.0:
            key = stream(evening.seed, 0, tables.person_name[me], tables.purpose[FOR_NEED_START])
            for need in range(tables.needs):
                evening.needs[me][need] = need_start(uniform(word(key, tables.need_name[need])), tables.rules.wants)
        for other in range(tables.people):
            if other != me and evening.room[other] == evening.room[me] != DEPARTED:
                evening.seen_in[me][other] = evening.room[other]
                evening.seen_since[me][other] = 0


def draw_moods(evening: EveningState, tables: ScenarioTables) -> None:
    """Let people arrive in the mood of this evening: somewhat more or less strained, and fond of each other."""
    mood = tables.rules.departures.mood
    if mood == 0.0:
        return
    for me in range(tables.people):
        key = stream(evening.seed, 0, tables.person_name[me], tables.purpose[FOR_MOOD])
        for other in range(tables.people):
            shift = spread(-mood, mood, uniform(word(key, tables.person_name[other])))
            if other == me:
                evening.stress[me] = clamp(evening.stress[me] + 0.5 * shift, 0.0, 1.0)
            else:
                evening.trust[me][other] = clamp(evening.trust[me][other] + shift, -1.0, 1.0)
                evening.affection[me][other] = clamp(evening.affection[me][other] + shift, -1.0, 1.0)


def begin_tick(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
    """Clear what the last tick left, and find who breaks in this one."""
    clear_tick(evening, tables.people, tables.moves)
    clear_log(log)
    find_breaking(evening, tables)


def decides(evening: EveningState, who: int) -> bool:
    """Whether `who` has a choice this tick: those who left, or who break, have none."""
    return evening.room[who] != DEPARTED and not has(evening.breaking, who)


def carry_out(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
    """Let happen what everybody chose, and the tick end."""
    resolve(evening, tables)
    for place in range(evening.outbursts):
        burst(evening, tables, log, evening.outburst_of[place])
    for place in range(evening.proposals):
        perform(evening, tables, log, evening.order[place])
    ring(evening, tables, log)
    end_tick(evening, tables, log)


def end_tick(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
    """Let time pass: pacing is paid first, tasks are given last, when the clock shows the next tick."""
    happened = evening.happened
    length = tick_length(
        has(happened, CATASTROPHE),
        happened & _CLASH != 0,
        happened & _EXCHANGE != 0,
        tables.time_scale,
        tables.rules.time,
    )
    evening.length = length
    log.settled = log.deltas
    noted = log.on
    if log.brief != 0:
        log.on = 0
    settle(evening, tables, log)
    if length != 0.0:
        note(log, PART_MINUTES, NONE, NONE, NONE, evening.minutes, evening.minutes + length, END_OF_TICK)
    note(log, PART_TICK, NONE, NONE, NONE, evening.tick, evening.tick + 1, END_OF_TICK)
    evening.minutes += length
    evening.tick += 1
    call_for_service(evening, tables, log)
    log.on = noted
