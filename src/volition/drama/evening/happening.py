"""An event: who saw it, what they remember of it, and who overheard it from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import in_room, overhears
from volition.drama.evening.learning import hint
from volition.drama.evening.log import OVERHEARD, begin_event, end_event
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.sets import has
from volition.drama.rules.catalog import (
    CATASTROPHE,
    CONFLICT,
    LIE,
    OBSERVE,
    REVEAL,
    SOCIAL_MOVE,
)
from volition.drama.rules.physics import recovery_lock

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables


def happen(
    evening: EveningState,
    tables: ScenarioTables,
    log: EveningLog,
    kind: int,
    source: int,
    targets: int,
    room: int,
    act: int,
    secret: int,
    out: int,
    stated: int,
) -> None:
    """Make an event of what was just done: it has its effects already, so witnesses are those still here.

    `secret` is what the act is about, `out` what came out beside it, and `stated` what was said to somebody's face; no
    event has two of them.
    """
    witnesses = in_room(evening, tables, room) & ~(targets | 1 << source)
    said = max(secret, out, stated)
    overheard = 0
    if (said != NONE and kind != LIE) or (is_loud(kind) and tables.rules.departures.earshot != 0):
        overheard = overhearing(evening, tables, room, source)
    if log.on != 0:
        log.event_act[log.events] = act
        log.event_out[log.events] = out
    end_event(log, kind, source, targets, room, secret, witnesses, overheard)
    count_for_pacing(evening, tables, kind, source, targets, witnesses, act)
    remember(evening, tables, kind, source, targets, room, act, said, witnesses)
    heard = log.events - 1
    for who in range(tables.people):
        if said != NONE and has(overheard, who):
            overhear(evening, tables, log, who, said, heard)


def overhearing(evening: EveningState, tables: ScenarioTables, room: int, source: int) -> int:
    """Those elsewhere who catch what is said in a room."""
    people = 0
    for who in range(tables.people):
        if evening.room[who] != DEPARTED and who != source and overhears(evening, tables, who, room, source):
            people |= 1 << who
    return people


def is_loud(kind: int) -> bool:
    """Whether others hear such an event even where nothing is said that they could learn."""
    return kind in (CONFLICT, CATASTROPHE)


def overhear(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, secret: int, heard: int) -> None:
    """Let `who` catch a secret; where it is new to them, that is a separate event."""
    begin_event(log)
    if hint(evening, tables, log, who, secret, OVERHEARD):
        if log.on != 0:
            log.event_heard[log.events] = heard
        end_event(log, OBSERVE, who, 0, evening.room[who], secret, 0, 0)


def count_for_pacing(
    evening: EveningState, tables: ScenarioTables, kind: int, source: int, targets: int, witnesses: int, act: int
) -> None:
    """Note what the end of the tick must know of an event."""
    physics, slams = tables.rules.physics, act == tables.slam
    evening.happened |= 1 << kind
    evening.witnesses[source] |= witnesses
    lock = physics.recovery_minor if slams else recovery_lock(kind, physics)
    evening.lock[source] = max(evening.lock[source], lock)
    if kind == CATASTROPHE or tables.dramatic[act] != 0:
        evening.dramatic |= 1 << source
    if kind in (CONFLICT, CATASTROPHE):
        evening.fought |= targets | 1 << source
        evening.unrest |= targets | 1 << source | witnesses


def shames(tables: ScenarioTables, secret: int, who: int) -> bool:
    """Whether a truth that comes out lowers `who` in others' eyes: it is about them, theirs, or at their cost."""
    return tables.about[secret] == who or has(tables.holders[secret], who) or tables.harm[who][secret] > 0.0


def remember(
    evening: EveningState,
    tables: ScenarioTables,
    kind: int,
    source: int,
    targets: int,
    room: int,
    act: int,
    said: int,
    witnesses: int,
) -> None:
    """Let those present remember an event, as far as perception ever asks for it.

    What lowers a person in others' eyes is a quarrel of theirs, an outburst, a truth that shames them, or a lie of theirs
    that is not believed. Whom one saw quarrel, or break down, is collected and counts from the next tick on: nobody takes a
    side within a tick.
    """
    tick, parties = evening.tick, targets | 1 << source
    seen_by = parties | witnesses
    if kind == LIE and has(evening.failed, source):
        evening.threat_at[source][room] = tick
    if kind == SOCIAL_MOVE:
        at = tick % tables.moves
        evening.moved_from[at][source] = room
        evening.moved_to[at][source] = tables.destination[act]
        evening.moved_seen[at][source] = seen_by
        evening.went_to[source] = tables.destination[act]
    if kind in (CONFLICT, CATASTROPHE):
        evening.clash_at[room] = tick
    if kind in (CONFLICT, CATASTROPHE, REVEAL):
        for who in range(tables.people):
            if has(seen_by, who):
                evening.scene_at[who][room] = tick
                quarrels = kind == CONFLICT and has(parties, who)
                breaks = kind == CATASTROPHE and who == source
                if quarrels or breaks or (said != NONE and shames(tables, said, who)):
                    evening.threat_at[who][room] = tick
                if kind == CONFLICT and has(witnesses, who) and not is_hint(tables, act, said):
                    evening.sided[who] |= parties
                if kind == CATASTROPHE and who != source and tables.rules.departures.comfort != 0.0:
                    evening.sided[who] |= 1 << source


def is_hint(tables: ScenarioTables, act: int, said: int) -> bool:
    """Whether a confrontation is about a secret and says nothing openly: nobody need take a side in it."""
    return said == NONE and tables.confront_about <= act < tables.confront_wrong
