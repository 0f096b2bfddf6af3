"""The kernel of a graphics processor: a thread for each evening.

A thread plays one evening after the other in its own memory, where neighbours' numbers lie side by side; the tables of the
scenario are shared. Threads of a block go in step, from one step of a tick to the next: the laws are much more code than a
multiprocessor keeps at hand, so it pays that all read the same page. `cuda` compiles what is here, and `device` launches it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from volition.drama.evening.acts import perform
from volition.drama.evening.breaking import burst
from volition.drama.evening.checksum import checksum
from volition.drama.evening.choose import choose
from volition.drama.evening.clock import ring
from volition.drama.evening.ending import GOES_ON, ending_of, stop_of
from volition.drama.evening.look import SPREADS, clear_looks, look
from volition.drama.evening.many import measure
from volition.drama.evening.measure import begin_measures, end_measures
from volition.drama.evening.perceive import perceive_person, survey
from volition.drama.evening.resolve import resolve
from volition.drama.evening.rows import TALLY
from volition.drama.evening.story import begin_story
from volition.drama.evening.tension import look_on
from volition.drama.evening.tick import begin_tick, decides, end_tick, open_evening

# Filled in where this is compiled: numba.cuda, whether evenings are measured, the compiler's types of a thread's records,
# and the room in those records.
cuda: Any = None
MEASURED = False
STATE: Any = None
PERCEIVED: Any = None
SHEET: Any = None
MOST_EVENTS = MOST_DELTAS = MOST_STRAINS = MOST_HAPPENINGS = MOST_BREAKDOWNS = MOST_HUNDREDTHS = 0

KINDS: Final = len(SPREADS)
EACH: Final = TALLY.itemsize


def play_grid(
    start: Any, blank: Any, packed_tables: Any, logs: Any, moments: Any, spreads: Any, seeds: Any, ticks: Any, taken: Any,
    stops: Any, endings: Any, checksums: Any, measures: Any, looks: Any, tallies: Any, tally_from: Any, tally: Any,
) -> None:  # fmt: skip
    """Play evenings while there are any; a tick is that of `many`, with a stop for all after each step.

    Where it measures, every thread has a log, moments and spreads, and tallies are listed as evenings end.
    """
    evenings, seen, sheets = cuda.local.array(1, STATE), cuda.local.array(1, PERCEIVED), cuda.local.array(1, SHEET)
    slot = cuda.grid(1) if MEASURED else 0
    evening, tables, log, moment, spread = evenings[0], packed_tables[0], logs[slot], moments[slot], spreads[slot]
    if MEASURED:
        make_room(log, moment, spread)
    sheets[0] = blank[0]
    number, is_open = cuda.atomic.add(taken, 0, 1), False
    while cuda.syncthreads_or(np.int32(number < len(seeds))):
        plays = False
        if number < len(seeds):
            if not is_open:
                evenings[0] = start[0]
                evening.seed = seeds[number]
                open_evening(evening, tables)
                is_open = True
                if MEASURED:
                    measures[number].most_breakdowns = MOST_BREAKDOWNS
                    begin_measures(evening, tables, moment, measures[number])
                    begin_story(tables, measures[number])
                    clear_looks(tables, looks[number], spread)
            stop = stop_of(evening, tables, ticks)
            plays = stop == GOES_ON
            if not plays:
                stops[number] = stop
                endings[number] = ending_of(evening, tables, stop)
                checksums[number] = checksum(evening, tables)
                if MEASURED:
                    end_measures(evening, endings[number], moment, measures[number])
                    tallies[number] = count_tallies(spread)
                    tally_from[number] = cuda.atomic.add(taken, 1, tallies[number])
                    if (tally_from[number] + tallies[number]) * EACH <= len(tally):
                        list_tallies(spread, tally, tally_from[number])
                    else:
                        measures[number].overflow = 1
                number, is_open = cuda.atomic.add(taken, 0, 1), False
        if plays:
            if MEASURED:
                look_on(evening, tables, moment)
            begin_tick(evening, tables, log)
            survey(evening, tables, seen[0])
        for who in range(tables.people):
            cuda.syncthreads()
            decides_now = plays and decides(evening, who)
            if decides_now:
                perceive_person(evening, tables, who, seen[0])
            cuda.syncthreads()
            if decides_now:
                choose(evening, tables, who, seen[0], sheets[0])
            if MEASURED:
                cuda.syncthreads()
                if decides_now:
                    look(evening, tables, who, sheets[0], looks[number], spread)
        cuda.syncthreads()
        if plays:
            resolve(evening, tables)
            for place in range(evening.outbursts):
                burst(evening, tables, log, evening.outburst_of[place])
        for place in range(tables.people):
            cuda.syncthreads()
            if plays and place < evening.proposals:
                perform(evening, tables, log, evening.order[place])
        cuda.syncthreads()
        if plays:
            ring(evening, tables, log)
            end_tick(evening, tables, log)
        if MEASURED:
            cuda.syncthreads()
            if plays:
                measure(evening, tables, log, moment, measures[number], spread)


def make_room(log: Any, moment: Any, spread: Any) -> None:
    """Say in the records of a thread how much room there is in them."""
    log.on = 1
    log.brief = 1
    log.overflow = 0
    log.most_events = MOST_EVENTS
    log.most_deltas = MOST_DELTAS
    log.most_strains = MOST_STRAINS
    moment.most = MOST_HAPPENINGS
    spread.hundredths = MOST_HUNDREDTHS


def count_tallies(spread: Any) -> Any:
    """How many hundredths of all spreads have a count."""
    count = 0
    for which in range(KINDS):
        for place in range(MOST_HUNDREDTHS):
            count += int(spread.spread[which][place] != 0)
    return count


def list_tallies(spread: Any, tally: Any, first: Any) -> None:
    """List the counts from this entry on, byte by byte, since the numbers of an entry are not aligned."""
    at = first * EACH
    for which in range(KINDS):
        for place in range(MOST_HUNDREDTHS):
            count = spread.spread[which][place]
            if count != 0:
                tally[at] = which
                for byte in range(4):
                    tally[at + 1 + byte] = (place - MOST_HUNDREDTHS // 2) >> 8 * byte & 255
                    tally[at + 5 + byte] = count >> 8 * byte & 255
                at += EACH


HELPERS: Final = (make_room, count_tallies, list_tallies)
