"""The log of one tick as rows of numbers: events, what each changed, and whom it strained.

The laws write rows while they act; `codec` reads them. A log has a fixed number of rows for a tick. One that would
need more says so by `overflow`, and then nothing of it counts.
"""

from __future__ import annotations

from typing import Final

from volition.drama.evening.record import (
    ACT,
    CAUSE,
    COUNT,
    FLAG,
    NONE,
    PEOPLE_SET,
    PERSON,
    REAL,
    ROOM,
    SECRET,
    SECRET_SET,
    TICK,
    Ints,
    Reals,
    Sizes,
    new_plain,
    part,
    parts_of,
    record,
)
from volition.drama.evening.state import NEEDS, PEOPLE, RECENT, EveningState

EVENTS: Final = "events"
DELTAS: Final = "deltas"
STRAINS: Final = "strains"

REASONS: Final = (
    "talked", "asked", "asked in public", "made up", "position", "side", "watched", "moved", "revealed", "confided",
    "caught", "lied", "lied to", "answered", "seen through", "learned", "lie found out", "judged", "betrayed", "resolved",
    "harmed", "exposed", "confronted", "was confronted", "quarrelled", "forced out", "thrown out", "drank", "fetched",
    "served", "slammed", "saw a door slammed", "left", "used", "broke", "saw an outburst", "burst out", "overheard",
    "end of tick", "looked", "called", "lapsed", "conflict", "catastrophe", "reveal", "confide", "lie", "set by hand",
    "shunned", "was shunned", "comforted", "was wronged", "answer", "protected", "stated", "hinted at", "implied",
    "forgave", "was forgiven", "broke with", "was left", "clock",
)  # fmt: skip
"""Why something changed; the constants below are their places."""
(
    TALKED, ASKED, ASKED_IN_PUBLIC, MADE_UP, POSITION, SIDE, WATCHED, MOVED, REVEALED, CONFIDED,
    CAUGHT, LIED, LIED_TO, ANSWERED, SEEN_THROUGH, LEARNED, LIE_FOUND_OUT, JUDGED, BETRAYED, RESOLVED,
    HARMED, EXPOSED, CONFRONTED, WAS_CONFRONTED, QUARRELLED, FORCED_OUT, THROWN_OUT, DRANK, FETCHED,
    SERVED, SLAMMED, SAW_A_DOOR_SLAMMED, LEFT, USED, BROKE, SAW_AN_OUTBURST, BURST_OUT, OVERHEARD,
    END_OF_TICK, LOOKED, CALLED, LAPSED, BY_CONFLICT, BY_CATASTROPHE, BY_REVEAL, BY_CONFIDE, BY_LIE, SET_BY_HAND,
    SHUNNED, WAS_SHUNNED, COMFORTED, WAS_WRONGED, BY_ANSWER, PROTECTED, STATED_ALOUD, HINTED, IMPLIED,
    FORGAVE, WAS_FORGIVEN, BROKE_WITH, WAS_LEFT, BY_CLOCK,
) = range(len(REASONS))  # fmt: skip

STRAINED: Final = ("stress", "commitment", "budget", "drinks")
"""What an event may ask of a person's pacing."""
OF_STRESS, OF_COMMITMENT, OF_BUDGET, OF_DRINKS = range(len(STRAINED))

STANCE, SIDES, RECONCILED, BELIEVED, SEEN, THROWN, SWALLOWED, KNEW, MENDED, STATED, REPEATED = (
    1 << bit for bit in range(11)
)
"""What only some events have, as bits of `flags`; a lie has either BELIEVED or SEEN."""


@record
class EveningLog:
    """The rows of one tick."""

    on: int = part(FLAG)  # whether anything is written down
    brief: int = part(FLAG)  # whether the ends of ticks are left out, which nothing is measured by
    overflow: int = part(FLAG)
    events: int = part(COUNT)
    deltas: int = part(COUNT)
    strains: int = part(COUNT)
    most_events: int = part(COUNT)
    most_deltas: int = part(COUNT)
    most_strains: int = part(COUNT)
    settled: int = part(COUNT)  # the first delta of the end of the tick

    event_kind: Ints = part(COUNT, EVENTS)
    event_source: Ints = part(PERSON, EVENTS)
    event_targets: Ints = part(PEOPLE_SET, EVENTS)
    event_room: Ints = part(ROOM, EVENTS)
    event_act: Ints = part(ACT, EVENTS)
    event_secret: Ints = part(SECRET, EVENTS)
    event_out: Ints = part(SECRET, EVENTS)  # a secret that came out beside the one that it is about
    event_witnesses: Ints = part(PEOPLE_SET, EVENTS)
    event_overheard: Ints = part(PEOPLE_SET, EVENTS)
    event_flags: Ints = part(COUNT, EVENTS)
    event_about: Ints = part(CAUSE, EVENTS)  # what a quarrel is about, or which wrong a scene is about
    event_clock: Ints = part(TICK, EVENTS)  # which event of the clock it is
    event_question: Ints = part(SECRET, EVENTS)
    event_found: Ints = part(SECRET_SET, EVENTS)
    event_caught: Ints = part(PEOPLE_SET, EVENTS)
    event_breakdown: Ints = part(COUNT, EVENTS)
    event_heard: Ints = part(COUNT, EVENTS)  # the event that was overheard
    event_delta: Ints = part(COUNT, EVENTS)  # the first delta of the event
    event_strain: Ints = part(COUNT, EVENTS)  # the first strain of the event

    delta_part: Ints = part(COUNT, DELTAS)  # the place of a part in `EveningState`
    delta_agent: Ints = part(PERSON, DELTAS)
    delta_key: Ints = part(COUNT, DELTAS)
    delta_other: Ints = part(COUNT, DELTAS)
    delta_before: Reals = part(REAL, DELTAS)
    delta_after: Reals = part(REAL, DELTAS)
    delta_reason: Ints = part(COUNT, DELTAS)

    strain_agent: Ints = part(PERSON, STRAINS)
    strain_number: Ints = part(COUNT, STRAINS)
    strain_amount: Reals = part(REAL, STRAINS)
    strain_reason: Ints = part(COUNT, STRAINS)


def new_log(sizes: Sizes, *, on: bool = True, brief: bool = False) -> EveningLog:
    """A plain log with room for any tick of a scenario of these sizes, so that it never overflows."""
    rows = _most(sizes)
    log = new_plain(EveningLog, rows if on else dict.fromkeys(rows, 1))
    log.on, log.brief = int(on), int(brief)
    log.most_events, log.most_deltas, log.most_strains = rows[EVENTS], rows[DELTAS], rows[STRAINS]
    return log


def _most(sizes: Sizes) -> Sizes:
    """No tick has more rows: everybody does one thing, all hear it, and each learns it from as many holders."""
    people = sizes[PEOPLE]
    event = 10 * people * people + 40 * people + 50
    ending = people * (4 * people + sizes[NEEDS] + 2 * sizes[RECENT] + 20) + 20
    return {EVENTS: people * (people + 1) + 1, DELTAS: people * event + ending, STRAINS: people * event}


_NUMBERS: Final = {part.name: number for number, part in enumerate(parts_of(EveningState))}


def part_number(name: str) -> int:
    """The place of a part in `EveningState`: how rows of deltas name it."""
    return _NUMBERS[name]


(
    PART_TICK, PART_MINUTES, PART_CATASTROPHES, PART_COURSE_SERVED, PART_COURSES, PART_POURS, PART_RUNG, PART_BUDGET,
    PART_STRESS, PART_COMPOSURE, PART_COMMITMENT, PART_TIMER, PART_SUPPRESSION, PART_ROOM, PART_EMOTIONS,
    PART_ALCOHOL, PART_NEEDS, PART_TASK, PART_TASK_SINCE, PART_MOVED, PART_AWAY, PART_LAST_SCENE, PART_COURSE_SEEN,
    PART_CHALLENGED, PART_SLAMMED, PART_ARRIVAL, PART_CARRIES, PART_BROKEN, PART_THROWN_OUT, PART_RECENTS, PART_RECENT_ACT, PART_RECENT_TICK, PART_TRUST,
    PART_AFFECTION, PART_OBLIGATION, PART_GRIEVANCE, PART_PEAKS, PART_STUNG, PART_SHUNNED, PART_COMFORTED, PART_WRONG, PART_FATIGUE, PART_GROUNDS,
    PART_CONFRONTED, PART_CONFRONTED_BY, PART_SEEN_IN, PART_SEEN_SINCE, PART_RECONCILED, PART_WRONGED, PART_ANSWERED, PART_FORGIVEN, PART_BROKE_WITH,
    PART_BELIEF, PART_KNOWS, PART_SUSPECTS, PART_LIED, PART_PLANTED, PART_QUESTIONS,
) = [number for number, part in enumerate(parts_of(EveningState)) if part.delta is not None]  # fmt: skip
"""The places in `EveningState` of the parts that deltas change, in its order: how rows of deltas name them."""


def clear_log(log: EveningLog) -> None:
    """Begin the rows of a tick."""
    log.events = 0
    log.deltas = 0
    log.strains = 0


def begin_event(log: EveningLog) -> None:
    """Begin the row of an event that may come; `end_event` keeps it."""
    if log.on == 0:
        return
    if log.events >= log.most_events:
        log.overflow = 1
        log.events = log.most_events - 1
    row = log.events
    log.event_act[row] = NONE
    log.event_out[row] = NONE
    log.event_flags[row] = 0
    log.event_about[row] = NONE
    log.event_clock[row] = NONE
    log.event_question[row] = NONE
    log.event_found[row] = 0
    log.event_caught[row] = 0
    log.event_breakdown[row] = NONE
    log.event_heard[row] = NONE
    log.event_delta[row] = log.deltas
    log.event_strain[row] = log.strains


def end_event(
    log: EveningLog, kind: int, source: int, targets: int, room: int, secret: int, witnesses: int, overheard: int
) -> None:
    """Keep the row of an event."""
    if log.on == 0:
        return
    row = log.events
    log.event_kind[row] = kind
    log.event_source[row] = source
    log.event_targets[row] = targets
    log.event_room[row] = room
    log.event_secret[row] = secret
    log.event_witnesses[row] = witnesses
    log.event_overheard[row] = overheard
    log.events = row + 1


def flag_event(log: EveningLog, flag: int) -> None:
    """Mark the event that is going on."""
    if log.on:
        log.event_flags[log.events] |= flag


def note_subject(log: EveningLog, cause: int) -> None:
    """Write down what the event that is going on is about."""
    if log.on:
        log.event_about[log.events] = cause


def note(
    log: EveningLog, part: int, agent: int, key: int, other: int, before: float, after: float, reason: int
) -> None:
    """Write down a change of a part; `key` and `other` say which entry of an agent's part it was."""
    if log.on == 0:
        return
    row = log.deltas
    if row >= log.most_deltas:
        log.overflow = 1
        return
    log.delta_part[row] = part
    log.delta_agent[row] = agent
    log.delta_key[row] = key
    log.delta_other[row] = other
    log.delta_before[row] = before
    log.delta_after[row] = after
    log.delta_reason[row] = reason
    log.deltas = row + 1


def note_strain(log: EveningLog, agent: int, number: int, amount: float, reason: int) -> None:
    """Write down what an event asks of `agent`."""
    if log.on == 0:
        return
    row = log.strains
    if row >= log.most_strains:
        log.overflow = 1
        return
    log.strain_agent[row] = agent
    log.strain_number[row] = number
    log.strain_amount[row] = amount
    log.strain_reason[row] = reason
    log.strains = row + 1
