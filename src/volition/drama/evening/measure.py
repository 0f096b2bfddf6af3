"""One evening in numbers, measured from the log of each tick while it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.evening.components import mean_of
from volition.drama.evening.log import OF_DRINKS
from volition.drama.evening.record import (
    ACT,
    COUNT,
    DEPARTED,
    FLAG,
    MINUTE,
    NAME,
    NONE,
    PEOPLE_SET,
    PERSON,
    REAL,
    ROOM_SET,
    SECRET,
    SECRET_SET,
    TICK,
    Ints,
    IntTable,
    Reals,
    RealTable,
    part,
    record,
)
from volition.drama.evening.sets import has
from volition.drama.evening.state import PEOPLE
from volition.drama.evening.tables import EVENT_KINDS
from volition.drama.rules.catalog import CATASTROPHE, CLOCK, CONFIDE, CONFLICT, LIE, REVEAL, SOCIAL_MOVE
from volition.drama.rules.catastrophe import potential

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.tension import EveningMoments

MEASURES_VERSION: Final = 5
"""Incremented whenever the same evening would give other measures."""

BREAKDOWNS: Final = "breakdowns"
"""How many catastrophes there is room for."""

ANSWER_MINUTES: Final = 15
"""A wrong that is not answered within this many minutes counts as not answered."""
STORM_MINUTES: Final = 10.0
"""Who leaves within this many minutes after a row of theirs storms off."""
SCENE_TICKS: Final = 3
"""A round of wine within this many ticks of a row or an outburst in the room is poured amid it."""
OWED_MINUTES: Final = 30.0
"""A wrong that is open for this long should have got its scene."""
OVERDUE: Final = -3.0
"""In place of the minute since which a scene is owed: it has been for too long."""
ABOUT_NOTHING, ABOUT_SECRET, ABOUT_WRONG = range(3)
"""What confrontations are about, as they are counted."""
UNWRONGED: Final = -1.0
UNMET: Final = -2.0
"""In place of the minute at which a person met who wronged them: there is no wrong, or they have not met yet."""


@record
class EveningMeasures:
    """One evening in numbers. Means are over its events; a number that there is not is -1."""

    overflow: int = part(FLAG, scratch=True)  # whether the evening needed more room than there is: nothing here counts
    seed: int = part(NAME)
    minutes: float = part(REAL)
    ticks: int = part(COUNT)
    ending: int = part(COUNT)

    # What happened.
    events: Ints = part(COUNT, EVENT_KINDS)
    first_drama: int = part(TICK)
    rooms: int = part(ROOM_SET)  # those that saw an act other than a move
    glasses: int = part(COUNT)
    left: int = part(COUNT)  # how many left
    left_as: Ints = part(PERSON, PEOPLE)  # who left, the first first
    most_breakdowns: int = part(COUNT, scratch=True)
    breakdowns: int = part(COUNT)  # how many broke
    broke: Ints = part(PERSON, BREAKDOWNS, scratch=True)  # who broke
    broke_at: Reals = part(MINUTE, BREAKDOWNS, scratch=True)  # the minute at which each of them broke
    composure: Reals = part(REAL, PEOPLE)  # the lowest at the end of a tick
    potential: Reals = part(REAL, PEOPLE)  # the highest at the end of a tick

    # What it felt like.
    tension: float = part(REAL)
    most_tension: float = part(REAL)
    irony: float = part(REAL)
    most_irony: float = part(REAL)
    first_half: float = part(REAL)  # tension without the clock, in the first half of the minutes
    second_half: float = part(REAL)  # the same in the second half

    # What makes it a story.
    made: Ints = part(COUNT, PEOPLE)  # the events of each person
    conflicts: IntTable = part(COUNT, PEOPLE, PEOPLE)  # who confronted whom, how often
    first_by: int = part(PERSON)  # whose the first dramatic act was
    first_kind: int = part(COUNT)  # the kind of the first dramatic act
    first_to: int = part(PERSON)  # towards whom the first dramatic act was
    out: int = part(SECRET_SET)  # the secrets that were learned
    stale: int = part(COUNT)  # truths that came out before people who all knew them
    driven_off: int = part(PEOPLE_SET)  # who was thrown out or stormed off
    seen_through: int = part(COUNT)  # lies that nobody believed
    found_out: int = part(COUNT)  # lies believed until the truth came out
    answers: Ints = part(COUNT, ANSWER_MINUTES + 1)  # wrongs by minutes to an answer; last: none
    first_out: int = part(SECRET)  # the secret that somebody learned first
    remained: int = part(PEOPLE_SET)  # who was still there at the end
    quarrels: Ints = part(COUNT, 3)  # what confrontations were about: nothing, a secret, a wrong
    owed: int = part(COUNT)  # wrongs that were open for half an hour, or got their scene
    settled: int = part(COUNT)  # those of them that got their scene
    pours: int = part(COUNT)  # rounds of wine
    pours_amid_rows: int = part(COUNT)  # rounds of wine poured amid a row
    opened_at: RealTable = part(MINUTE, PEOPLE, PEOPLE, scratch=True)  # since when a scene about a wrong is owed
    rowed_at: Reals = part(MINUTE, PEOPLE, scratch=True)  # when each last had a row
    wronged_at: RealTable = part(MINUTE, PEOPLE, PEOPLE, scratch=True)  # when each met who did an unanswered wrong

    # Acts that were repeated again and again.
    acts: int = part(COUNT)
    series: int = part(COUNT)  # series of one act by one person
    longest: int = part(COUNT)  # how often the act of the longest series was done
    longest_who: int = part(PERSON)
    longest_act: int = part(ACT)
    appeared: int = part(COUNT, scratch=True)  # how many have acted yet
    appeared_as: Ints = part(PERSON, PEOPLE, scratch=True)  # who has acted, the first first
    act: Ints = part(ACT, PEOPLE, scratch=True)  # what each did last
    times: Ints = part(COUNT, PEOPLE, scratch=True)  # how many times in a row each did it


def begin_measures(
    evening: EveningState, tables: ScenarioTables, moments: EveningMoments, measures: EveningMeasures
) -> None:
    """Begin with an evening that is open."""
    moments.overflow = 0
    moments.events = 0
    moments.tension = 0.0
    moments.irony = 0.0
    moments.most_tension = 0.0
    moments.most_irony = 0.0
    measures.overflow = 0
    measures.seed = evening.seed
    for kind in range(EVENT_KINDS):
        measures.events[kind] = 0
    measures.first_drama = NONE
    measures.rooms = 0
    measures.glasses = 0
    measures.left = 0
    measures.breakdowns = 0
    measures.acts = 0
    measures.series = 0
    measures.longest = 0
    measures.longest_who = NONE
    measures.longest_act = NONE
    measures.appeared = 0
    for who in range(tables.people):
        measures.left_as[who] = NONE
        measures.composure[who] = evening.composure[who]
        measures.potential[who] = 0.0
        measures.act[who] = NONE
        measures.times[who] = 0


def measure_tick(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, moments: EveningMoments, measures: EveningMeasures
) -> None:
    """Measure a tick that has passed: its events by their rows, its acts, and how everybody is at its end."""
    for row in range(log.events):
        measure_event(tables, log, row, moments, measures)
    for strain in range(log.strains):
        measures.glasses += int(log.strain_number[strain] == OF_DRINKS)
    for place in range(tables.people):
        who = tables.by_name[place]
        if evening.choice[who] != NONE:
            measure_act(measures, who, evening.became[who])
    for who in range(tables.people):
        if evening.room[who] != DEPARTED:
            near = potential(
                evening.stress[who], evening.commitment[who], evening.suppression[who], tables.rules.physics
            )
            measures.composure[who] = min(measures.composure[who], evening.composure[who])
            measures.potential[who] = max(measures.potential[who], near)


def measure_event(
    tables: ScenarioTables, log: EveningLog, row: int, moments: EveningMoments, measures: EveningMeasures
) -> None:
    """Count an event."""
    kind, source = log.event_kind[row], log.event_source[row]
    measures.events[kind] += 1
    if measures.first_drama == NONE and kind in (REVEAL, CONFLICT, CONFIDE, LIE):
        measures.first_drama = moments.tick
    if kind not in (SOCIAL_MOVE, CLOCK):
        measures.rooms |= 1 << log.event_room[row]
    if kind == CATASTROPHE:
        if measures.breakdowns >= measures.most_breakdowns:
            measures.overflow = 1
            return
        measures.broke[measures.breakdowns] = source
        measures.broke_at[measures.breakdowns] = moments.minutes
        measures.breakdowns += 1
    for who in range(tables.people):
        if leaves(tables, log, row, who):
            measures.left_as[measures.left] = who
            measures.left += 1


def leaves(tables: ScenarioTables, log: EveningLog, row: int, who: int) -> bool:
    """Whether `who` leaves in an event: alone, or together with others."""
    if log.event_act[row] == tables.leave:
        return who == log.event_source[row]
    event = log.event_clock[row]
    if event < 0 or event >= tables.clock_events or tables.departs_then[event] == 0:
        return False
    return has((log.event_targets[row] | 1 << log.event_source[row]), who)


def measure_act(measures: EveningMeasures, who: int, act: int) -> None:
    """Count what `who` did, and whether they had just done the same."""
    if measures.times[who] == 0:
        measures.appeared_as[measures.appeared] = who
        measures.appeared += 1
    if measures.act[who] != act:
        end_series(measures, who)
        measures.series += 1
        measures.times[who] = 0
    measures.act[who] = act
    measures.times[who] += 1
    measures.acts += 1


def end_series(measures: EveningMeasures, who: int) -> None:
    """Let `who`'s series of one act end; of the longest, the first to end counts."""
    if measures.times[who] > measures.longest:
        measures.longest = measures.times[who]
        measures.longest_who = who
        measures.longest_act = measures.act[who]


def end_measures(evening: EveningState, ending: int, moments: EveningMoments, measures: EveningMeasures) -> None:
    """Measure an evening as a whole, now that it is over."""
    measures.minutes = evening.minutes
    measures.ticks = evening.tick
    measures.ending = ending
    for who in range(len(evening.room)):
        measures.remained |= (evening.room[who] >= 0) << who
    for place in range(measures.appeared):
        end_series(measures, measures.appeared_as[place])
    early, late, early_calm, late_calm = 0, 0, 0.0, 0.0
    for event in range(moments.events):
        if moments.minute[event] < evening.minutes / 2.0:
            early += 1
            early_calm += moments.calm[event]
        else:
            late += 1
            late_calm += moments.calm[event]
    measures.tension = mean_of(moments.tension, moments.events)
    measures.most_tension = moments.most_tension
    measures.irony = mean_of(moments.irony, moments.events)
    measures.most_irony = moments.most_irony
    measures.first_half = mean_of(early_calm, early)
    measures.second_half = mean_of(late_calm, late)
