"""What the clock brings, at the end of a tick: people who arrive or leave together, news, things that change hands, an end.

An event of the clock happens once, at the first tick at which it is due and its condition holds. What it does to people
goes through the same laws as what they do to each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import stream, uniform, word
from volition.drama.evening.changes import in_room, set_entry, set_own
from volition.drama.evening.learning import tell
from volition.drama.evening.log import (
    BY_CLOCK,
    PART_ARRIVAL,
    PART_AWAY,
    PART_CARRIES,
    PART_ROOM,
    PART_RUNG,
    begin_event,
    end_event,
    note,
)
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.sets import has
from volition.drama.evening.state import ANGER
from volition.drama.evening.tables import FOR_CIRCUMSTANCE, FOR_CLOCK, UNLESS, WHEN
from volition.drama.rules.beliefs import belief_when_hinted
from volition.drama.rules.catalog import CLOCK, Belief
from volition.drama.rules.physics import clamp

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_BELIEVES_TRUE = int(Belief.BELIEVES_TRUE)


def draw_circumstances(evening: EveningState, tables: ScenarioTables) -> None:
    """Let the evening begin with what its seed draws: who comes late, who had words on the way, and who is where."""
    opening = tables.rules.opening
    for event in range(tables.clock_events):
        for who in range(tables.people):
            if has(tables.arrives[event], who):
                evening.room[who] = DEPARTED
                evening.arrival[who] = tables.clock_minute[event]
    for place in range(tables.chances):
        key = stream(evening.seed, 0, tables.chance_name[place], tables.purpose[FOR_CIRCUMSTANCE])
        if uniform(word(key, tables.chance_name[place])) < tables.chance[place]:
            for who in range(tables.people):
                if tables.begins_in[place][who] != NONE and evening.arrival[who] < 0.0:
                    evening.room[who] = tables.begins_in[place][who]
                    evening.away[who] = -1.0 if evening.room[who] == tables.gathering else 0.0
                secret = tables.suspects_then[place][who]
                if secret != NONE:
                    evening.belief[who][secret] = int(belief_when_hinted(evening.belief[who][secret]))
                if tables.late[place][who] >= 0.0:
                    evening.room[who] = DEPARTED
                    evening.arrival[who] = tables.late[place][who]
                for whom in range(tables.people):
                    parties = 1 << who | 1 << whom
                    if who != whom and tables.had_words[place] & parties == parties:
                        evening.trust[who][whom] = clamp(evening.trust[who][whom] - opening.words_trust, -1.0, 1.0)
                        evening.grievance[who][whom] = opening.words_grievance
                        evening.peaks[who][whom] = opening.words_grievance
                        evening.emotions[who][ANGER] = clamp(
                            evening.emotions[who][ANGER] + opening.words_anger, 0.0, 1.0
                        )


def ring(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
    """Let everything happen that is due now."""
    for event in range(tables.clock_events):
        if not has(evening.rung, event) and is_due(evening, tables, event):
            bring(evening, tables, log, event)
    for who in range(tables.people):
        if evening.arrival[who] >= 0.0 and evening.arrival[who] <= evening.minutes and not is_called(tables, who):
            begin_event(log)
            come_in(evening, tables, log, 1 << who, tables.gathering)
            end_clock_event(evening, tables, log, NONE, who, 0, tables.gathering, NONE)


def is_called(tables: ScenarioTables, who: int) -> bool:
    """Whether it is an event of the clock that brings somebody."""
    expected = 0
    for event in range(tables.clock_events):
        expected |= tables.arrives[event]
    return has(expected, who)


def is_due(evening: EveningState, tables: ScenarioTables, event: int) -> bool:
    """Whether an event happens now: in its time, under its condition, and where somebody is there to bring or hear it.

    Two of whom one has broken with the other do not leave together, and a thing changes hands where both are.
    """
    if not tables.clock_minute[event] <= evening.minutes <= tables.clock_until[event]:
        return False
    if not is_so(evening, tables, event, WHEN):
        return False
    if tables.has_condition[event][UNLESS] != 0 and is_so(evening, tables, event, UNLESS):
        return False
    if has_broken_pair(evening, tables, tables.departs_then[event]):
        return False
    return is_handed_over_here(evening, tables, event) and bearer_of(evening, tables, event) != NONE


def is_so(evening: EveningState, tables: ScenarioTables, event: int, side: int) -> bool:
    """Whether every part of one of an event's conditions holds."""
    if tables.has_condition[event][side] == 0:
        return True
    key = stream(evening.seed, 0, tables.clock_name[event], tables.purpose[FOR_CLOCK])
    if uniform(word(key, tables.clock_name[event])) >= tables.likely[event][side]:
        return False
    if evening.catastrophes < tables.outbursts[event][side]:
        return False
    for secret in range(tables.secrets):
        knowing = knowing_of(evening, tables, secret)
        if tables.must_know[event][side][secret] & ~knowing != 0:
            return False
        if has(tables.must_be_out[event][side], secret) and knowing & ~tables.knew[secret] == 0:
            return False
    for who in range(tables.people):
        gone = evening.room[who] == DEPARTED
        if has(tables.must_be_here[event][side], who) and gone:
            return False
        if has(tables.must_be_gone[event][side], who) and not (gone and evening.arrival[who] < 0.0):
            return False
        if tables.must_forgive[event][side][who] & ~evening.forgiven[who] != 0:
            return False
        room = tables.must_be_in[event][side][who]
        if room != NONE and evening.room[who] != room:
            return False
    for thing in range(tables.things):
        owner = tables.must_carry[event][side][thing]
        if owner != NONE and evening.carries[owner][thing] == 0.0:
            return False
    return True


def knowing_of(evening: EveningState, tables: ScenarioTables, secret: int) -> int:
    """Everybody who knows a secret."""
    people = 0
    for who in range(tables.people):
        people |= (evening.belief[who][secret] == _BELIEVES_TRUE) << who
    return people


def bearer_of(evening: EveningState, tables: ScenarioTables, event: int) -> int:
    """Whom an event reaches first: the person it names, if they are there, or the first whom it concerns; none if nobody is.

    News needs somebody in its room who does not know it yet.
    """
    concerned, knowing, news = 0, 0, tables.news[event]
    for who in range(tables.people):
        here = evening.room[who] != DEPARTED
        concerned |= here << who
        if news != NONE and evening.room[who] != tables.clock_room[event]:
            concerned &= ~(1 << who)
        elif news != NONE and evening.belief[who][news] == _BELIEVES_TRUE:
            knowing |= 1 << who
        if has(tables.arrives[event], who) and evening.arrival[who] >= 0.0:
            concerned |= 1 << who
    if tables.arrives[event] != 0:
        concerned &= tables.arrives[event]
    if tables.departs_then[event] != 0:
        concerned &= tables.departs_then[event]
    if tables.receiver[event] != NONE:
        concerned &= 1 << tables.receiver[event]
    if news != NONE and concerned & ~knowing == 0:
        return NONE
    by = tables.clock_by[event]
    if by != NONE and has(concerned, by):
        return by
    for who in range(tables.people):
        if has(concerned & ~knowing, who):
            return who
    return NONE


def is_handed_over_here(evening: EveningState, tables: ScenarioTables, event: int) -> bool:
    """Whether who has the thing that an event is about, if anybody, is where it is handed over."""
    receiver = tables.receiver[event]
    for who in range(tables.people if receiver != NONE else 0):
        if evening.carries[who][tables.thing[event]] != 0.0 and evening.room[who] != evening.room[receiver]:
            return False
    return True


def has_broken_pair(evening: EveningState, tables: ScenarioTables, people: int) -> bool:
    """Whether these are two, one of whom has broken with the other; a larger company bears it."""
    count, breaks = 0, False
    for who in range(tables.people):
        count += has(people, who)
        breaks = breaks or (has(people, who) and evening.broke_with[who] & people != 0)
    return count == 2 and breaks


def bring(evening: EveningState, tables: ScenarioTables, log: EveningLog, event: int) -> None:
    """Let an event of the clock happen."""
    bearer, room = bearer_of(evening, tables, event), tables.clock_room[event]
    begin_event(log)
    note(log, PART_RUNG, NONE, NONE, NONE, evening.rung, evening.rung | 1 << event, BY_CLOCK)
    evening.rung |= 1 << event
    targets, secret = 0, NONE
    if tables.arrives[event] != 0:
        targets = come_in(evening, tables, log, tables.arrives[event], room)
    elif tables.departs_then[event] != 0:
        targets = go_together(evening, tables, log, tables.departs_then[event], bearer)
    elif tables.news[event] != NONE:
        secret, targets = tables.news[event], in_room(evening, tables, room)
        tell(evening, tables, log, secret, bearer, targets, True, BY_CLOCK)
    elif tables.thing[event] != NONE:
        targets = hand_over(evening, tables, log, tables.thing[event], tables.receiver[event])
    else:
        room = evening.room[bearer]
    end_clock_event(evening, tables, log, event, bearer, targets & ~(1 << bearer), room, secret)


def come_in(evening: EveningState, tables: ScenarioTables, log: EveningLog, people: int, room: int) -> int:
    """Let those who are expected come in; who did."""
    came = 0
    for who in range(tables.people):
        if has(people, who) and evening.arrival[who] >= 0.0:
            set_own(log, evening.arrival, PART_ARRIVAL, who, -1.0, BY_CLOCK)
            set_own(log, evening.room, PART_ROOM, who, room, BY_CLOCK)
            set_own(log, evening.away, PART_AWAY, who, -1.0 if room == tables.gathering else evening.minutes, BY_CLOCK)
            came |= 1 << who
    return came


def go_together(evening: EveningState, tables: ScenarioTables, log: EveningLog, people: int, first: int) -> int:
    """Let those who are still here leave together, before everybody's eyes; who did."""
    gone = 0
    for who in range(tables.people):
        if has(people, who) and evening.room[who] != DEPARTED:
            set_own(log, evening.room, PART_ROOM, who, DEPARTED, BY_CLOCK)
            gone |= 1 << who
    for who in range(tables.people):
        if has(gone, who):
            evening.witnesses[who] = (1 << tables.people) - 1
            evening.went_to[who] = NONE
    return gone


def hand_over(evening: EveningState, tables: ScenarioTables, log: EveningLog, thing: int, receiver: int) -> int:
    """Let a thing go to `receiver`; from whom and to whom it went."""
    parties = 1 << receiver
    for who in range(tables.people):
        if who != receiver and evening.carries[who][thing] != 0.0:
            set_entry(log, evening.carries, PART_CARRIES, who, thing, 0.0, BY_CLOCK)
            parties |= 1 << who
    set_entry(log, evening.carries, PART_CARRIES, receiver, thing, 1.0, BY_CLOCK)
    return parties


def end_clock_event(
    evening: EveningState,
    tables: ScenarioTables,
    log: EveningLog,
    event: int,
    source: int,
    targets: int,
    room: int,
    secret: int,
) -> None:
    """Keep the row of an event of the clock; `event` is none for somebody who comes late."""
    if log.on != 0:
        log.event_clock[log.events] = event if event != NONE else tables.clock_events
    witnesses = in_room(evening, tables, room) & ~(targets | 1 << source)
    end_event(log, CLOCK, source, targets, room, secret, witnesses, 0)
