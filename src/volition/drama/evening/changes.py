"""Changes: each sets one part of the state and writes it down. What stays as it is, is not written down.

The test is `before != after` and not a difference of bits, so that a negative zero never takes the place of a zero.
What a change depends on by chance is drawn here too: every draw is a function of the seed, the tick, who draws, what for,
and about what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import stream, uniform, word
from volition.drama.evening.log import (
    OF_BUDGET,
    OF_COMMITMENT,
    OF_DRINKS,
    OF_STRESS,
    note,
    note_strain,
    part_number,
)
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.sets import has
from volition.drama.evening.tables import FOR_OVERHEAR
from volition.drama.rules.passing import grievance_after, spread
from volition.drama.rules.physics import affection_after, clash_stress, emotion_after, trust_after

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.record import Name
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_ROOM, _EMOTIONS, _ALCOHOL, _NEEDS = map(part_number, ("room", "emotions", "alcohol", "needs"))
_TASK, _TASK_SINCE, _MOVED, _AWAY = map(part_number, ("task", "task_since", "moved", "away"))
_CHALLENGED, _BELIEF, _KNOWS, _SUSPECTS = map(part_number, ("challenged", "belief", "knows", "suspects"))
_STUNG, _ANSWERED, _COURSE_SEEN, _WRONG = map(part_number, ("stung", "answered", "course_seen", "wrong"))
_FORGIVEN, _BROKE_WITH, _ARRIVAL, _CARRIES = map(part_number, ("forgiven", "broke_with", "arrival", "carries"))
_SLAMMED, _SHUNNED, _COMFORTED = map(part_number, ("slammed", "shunned", "comforted"))
_TRUST, _AFFECTION, _GRIEVANCE, _PEAKS = map(part_number, ("trust", "affection", "grievance", "peaks"))
_FATIGUE, _GROUNDS, _QUESTIONS, _PLANTED = map(part_number, ("fatigue", "grounds", "questions", "planted"))


def in_room(evening: EveningState, tables: ScenarioTables, room: int) -> int:
    """Everybody in a room, as a set."""
    people = 0
    for who in range(tables.people):
        people |= (evening.room[who] == room) << who
    return people


def change_trust(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, whom: int, change: float, reason: int
) -> None:
    """Let `who` trust another more or less."""
    before = evening.trust[who][whom]
    after = trust_after(before, change, tables.rules.physics)
    if before != after:
        evening.trust[who][whom] = after
        note(log, _TRUST, who, whom, NONE, before, after, reason)


def change_affection(evening: EveningState, log: EveningLog, who: int, whom: int, change: float, reason: int) -> None:
    """Let `who` like another more or less."""
    before = evening.affection[who][whom]
    after = affection_after(before, change)
    if before != after:
        evening.affection[who][whom] = after
        note(log, _AFFECTION, who, whom, NONE, before, after, reason)


def set_emotion(evening: EveningState, log: EveningLog, who: int, emotion: int, after: float, reason: int) -> None:
    """Set how much of an emotion `who` feels."""
    before = evening.emotions[who][emotion]
    if before != after:
        evening.emotions[who][emotion] = after
        note(log, _EMOTIONS, who, emotion, NONE, before, after, reason)


def change_emotion(evening: EveningState, log: EveningLog, who: int, emotion: int, change: float, reason: int) -> None:
    """Let an emotion rise or fall."""
    set_emotion(evening, log, who, emotion, emotion_after(evening.emotions[who][emotion], change), reason)


def change_grievance(evening: EveningState, log: EveningLog, who: int, whom: int, change: float, reason: int) -> None:
    """Let `who` hold more or less against another, and remember the most it ever was."""
    after = grievance_after(evening.grievance[who][whom], change)
    set_grievance(evening, log, who, whom, after, reason)
    most = evening.peaks[who][whom]
    if after > most:
        evening.peaks[who][whom] = after
        note(log, _PEAKS, who, whom, NONE, most, after, reason)


def set_grievance(evening: EveningState, log: EveningLog, who: int, whom: int, after: float, reason: int) -> None:
    """Set how much `who` holds against another."""
    before = evening.grievance[who][whom]
    if before != after:
        evening.grievance[who][whom] = after
        note(log, _GRIEVANCE, who, whom, NONE, before, after, reason)


def set_fatigue(evening: EveningState, log: EveningLog, who: int, whom: int, after: float, reason: int) -> None:
    """Let `who` be so tired of quarrelling with another."""
    before = evening.fatigue[who][whom]
    if before != after:
        evening.fatigue[who][whom] = after
        note(log, _FATIGUE, who, whom, NONE, before, after, reason)


def set_grounds(evening: EveningState, log: EveningLog, who: int, whom: int, after: int, reason: int) -> None:
    """Set how many unused grounds `who` has to confront another."""
    before = evening.grounds[who][whom]
    if before != after:
        evening.grounds[who][whom] = after
        note(log, _GROUNDS, who, whom, NONE, before, after, reason)


def add_ground(evening: EveningState, log: EveningLog, who: int, whom: int, reason: int) -> None:
    """Give `who` a ground to confront another."""
    set_grounds(evening, log, who, whom, evening.grounds[who][whom] + 1, reason)


def set_belief(evening: EveningState, log: EveningLog, who: int, secret: int, after: int, reason: int) -> None:
    """Let `who` believe this of a secret."""
    before = evening.belief[who][secret]
    if before != after:
        evening.belief[who][secret] = after
        note(log, _BELIEF, who, secret, NONE, before, after, reason)


def see_that_knows(evening: EveningState, log: EveningLog, who: int, whom: int, secret: int, reason: int) -> None:
    """Let `who` think that another knows a secret."""
    see_that_suspects(evening, log, who, whom, secret, 0, reason)
    if not has(evening.knows[who][secret], whom):
        evening.knows[who][secret] |= 1 << whom
        note(log, _KNOWS, who, whom, secret, 0, 1, reason)


def see_that_suspects(
    evening: EveningState, log: EveningLog, who: int, whom: int, secret: int, after: int, reason: int
) -> None:
    """Let `who` think that another suspects a secret, or no longer does."""
    before = has(evening.suspects[who][secret], whom)
    if before != after:
        evening.suspects[who][secret] ^= 1 << whom
        note(log, _SUSPECTS, who, whom, secret, before, after, reason)


def set_stung(evening: EveningState, log: EveningLog, who: int, whom: int, after: float, reason: int) -> None:
    """Let another's wrong wait for an answer since this minute, or be answered to their face."""
    before = evening.stung[who][whom]
    if before != after:
        evening.stung[who][whom] = after
        note(log, _STUNG, who, whom, NONE, before, after, reason)
    set_answered(evening, log, who, whom, 0, reason)


def set_wrong(evening: EveningState, log: EveningLog, who: int, whom: int, after: int, reason: int) -> None:
    """Remember what another's wrong is, or that it is none any more."""
    before = evening.wrong[who][whom]
    if before != after:
        evening.wrong[who][whom] = after
        note(log, _WRONG, who, whom, NONE, before, after, reason)


def mark_forgiven(evening: EveningState, log: EveningLog, who: int, whom: int, reason: int) -> None:
    """Remember that `who` has forgiven another."""
    if not has(evening.forgiven[who], whom):
        evening.forgiven[who] |= 1 << whom
        note(log, _FORGIVEN, who, whom, NONE, 0, 1, reason)


def mark_broken_with(evening: EveningState, log: EveningLog, who: int, whom: int, reason: int) -> None:
    """Remember that `who` has broken with another."""
    if not has(evening.broke_with[who], whom):
        evening.broke_with[who] |= 1 << whom
        note(log, _BROKE_WITH, who, whom, NONE, 0, 1, reason)


def set_arrival(evening: EveningState, log: EveningLog, who: int, after: float, reason: int) -> None:
    """Remember when `who` comes, or that they are not expected any more."""
    before = evening.arrival[who]
    if before != after:
        evening.arrival[who] = after
        note(log, _ARRIVAL, who, NONE, NONE, before, after, reason)


def set_slammed(evening: EveningState, log: EveningLog, who: int, reason: int) -> None:
    """Remember that `who` slams a door now."""
    before = evening.slammed[who]
    if before != evening.minutes:
        evening.slammed[who] = evening.minutes
        note(log, _SLAMMED, who, NONE, NONE, before, evening.minutes, reason)


def set_shunned(evening: EveningState, log: EveningLog, who: int, whom: int, reason: int) -> None:
    """Remember that `who` turns away from another now."""
    before = evening.shunned[who][whom]
    if before != evening.minutes:
        evening.shunned[who][whom] = evening.minutes
        note(log, _SHUNNED, who, whom, NONE, before, evening.minutes, reason)


def set_comforted(evening: EveningState, log: EveningLog, who: int, whom: int, reason: int) -> None:
    """Remember that `who` stands by another now."""
    before = evening.comforted[who][whom]
    if before != evening.minutes:
        evening.comforted[who][whom] = evening.minutes
        note(log, _COMFORTED, who, whom, NONE, before, evening.minutes, reason)


def set_carried(evening: EveningState, log: EveningLog, who: int, thing: int, after: float, reason: int) -> None:
    """Give `who` a thing, or take it."""
    before = evening.carries[who][thing]
    if before != after:
        evening.carries[who][thing] = after
        note(log, _CARRIES, who, thing, NONE, before, after, reason)


def set_answered(evening: EveningState, log: EveningLog, who: int, whom: int, after: int, reason: int) -> None:
    """Remember that another's wrong was answered, but not to their face, or that it was not."""
    before = has(evening.answered[who], whom)
    if before != after:
        evening.answered[who] ^= 1 << whom
        note(log, _ANSWERED, who, whom, NONE, before, after, reason)


def set_course_seen(evening: EveningState, log: EveningLog, who: int, after: float, reason: int) -> None:
    """Remember when the course was served that `who` sees on the table."""
    before = evening.course_seen[who]
    if before != after:
        evening.course_seen[who] = after
        note(log, _COURSE_SEEN, who, NONE, NONE, before, after, reason)


def set_planted(evening: EveningState, log: EveningLog, who: int, secret: int, after: int, reason: int) -> None:
    """Remember who planted `who`'s false belief of a secret, or that nobody did."""
    before = evening.planted[who][secret]
    if before != after:
        evening.planted[who][secret] = after
        note(log, _PLANTED, who, secret, NONE, before, after, reason)


def set_question(
    evening: EveningState, log: EveningLog, asked: int, asker: int, secret: int, after: int, reason: int
) -> None:
    """Remember at which tick somebody was asked about a secret, or that the question is answered."""
    before = evening.questions[asked][asker][secret]
    if before != after:
        evening.questions[asked][asker][secret] = after
        note(log, _QUESTIONS, asked, asker, secret, before, after, reason)


def set_challenged(evening: EveningState, log: EveningLog, who: int, reason: int) -> None:
    """Remember that `who` is challenged now."""
    before = evening.challenged[who]
    if before != evening.tick:
        evening.challenged[who] = evening.tick
        note(log, _CHALLENGED, who, NONE, NONE, before, evening.tick, reason)


def set_room(evening: EveningState, log: EveningLog, who: int, after: int, reason: int) -> None:
    """Put `who` into another room, or out of the house."""
    before = evening.room[who]
    if before != after:
        evening.room[who] = after
        note(log, _ROOM, who, NONE, NONE, before, after, reason)


def set_moved(evening: EveningState, log: EveningLog, who: int, reason: int) -> None:
    """Remember that somebody moves now."""
    before = evening.moved[who]
    if before != evening.tick:
        evening.moved[who] = evening.tick
        note(log, _MOVED, who, NONE, NONE, before, evening.tick, reason)


def set_away(evening: EveningState, log: EveningLog, who: int, after: float, reason: int) -> None:
    """Remember the minute at which `who` left the gathering, or that they are back."""
    before = evening.away[who]
    if before != after:
        evening.away[who] = after
        note(log, _AWAY, who, NONE, NONE, before, after, reason)


def set_task(evening: EveningState, log: EveningLog, who: int, after: int, reason: int) -> None:
    """Give `who` a task, or take it."""
    before = evening.task[who]
    if before != after:
        evening.task[who] = after
        note(log, _TASK, who, NONE, NONE, before, after, reason)


def set_task_since(evening: EveningState, log: EveningLog, who: int, after: float, reason: int) -> None:
    """Remember the minute at which `who` was given their task, or that they have none."""
    before = evening.task_since[who]
    if before != after:
        evening.task_since[who] = after
        note(log, _TASK_SINCE, who, NONE, NONE, before, after, reason)


def set_need(evening: EveningState, log: EveningLog, who: int, need: int, after: float, reason: int) -> None:
    """Set how much `who` needs something."""
    before = evening.needs[who][need]
    if before != after:
        evening.needs[who][need] = after
        note(log, _NEEDS, who, need, NONE, before, after, reason)


def drink_glass(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, reason: int) -> None:
    """Let `who` drink a glass; it also adds to the need that glasses add to."""
    rules, before = tables.rules, evening.alcohol[who]
    after = min(1.0, before + rules.acts.glass)
    if before != after:
        evening.alcohol[who] = after
        note(log, _ALCOHOL, who, NONE, NONE, before, after, reason)
    evening.drinks[who] += 1
    note_strain(log, who, OF_DRINKS, 1.0, reason)
    if rules.departures.needs != 0.0 and tables.glass_need != NONE:
        more = evening.needs[who][tables.glass_need] + rules.wants.glass_relief
        set_need(evening, log, who, tables.glass_need, more, reason)


def strain_stress(evening: EveningState, log: EveningLog, who: int, amount: float, reason: int) -> None:
    """Ask stress of `who`, to be paid at the end of the tick."""
    if amount != 0.0:
        evening.stress_gain[who] += amount
        note_strain(log, who, OF_STRESS, amount, reason)


def strain_commitment(evening: EveningState, log: EveningLog, who: int, amount: float, reason: int) -> None:
    """Commit `who` more, at the end of the tick."""
    if amount != 0.0:
        evening.commitment_gain[who] += amount
        note_strain(log, who, OF_COMMITMENT, amount, reason)


def strain_budget(evening: EveningState, log: EveningLog, who: int, amount: float, reason: int) -> None:
    """Ask something of `who`'s budget, at the end of the tick."""
    if amount != 0.0:
        evening.cost[who] += amount
        note_strain(log, who, OF_BUDGET, amount, reason)


def strain_by_clash(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, room: int, source: int, parties: int, reason: int
) -> None:
    """The stress of a confrontation or an outburst, for those in it, around it and within earshot of it."""
    for who in range(tables.people):
        here = evening.room[who]
        if here != DEPARTED:
            overhears = is_within_earshot(evening, tables, who, room, source)
            amount = clash_stress(has(parties, who), here == room, overhears, tables.rules.physics)
            strain_stress(evening, log, who, amount, reason)


def is_within_earshot(evening: EveningState, tables: ScenarioTables, who: int, room: int, source: int) -> bool:
    """Whether a row in another room strains `who`: where they overhear it; in the literal reading, wherever they could."""
    if tables.rules.departures.earshot == 0:
        return has(tables.hears[evening.room[who]], room)
    return overhears(evening, tables, who, room, source)


def overhears(evening: EveningState, tables: ScenarioTables, who: int, room: int, source: int) -> bool:
    """Whether `who` catches what `source` says in another room."""
    chance = tables.overhears[evening.room[who]][room]
    return chance != 0.0 and draw(evening, tables, who, FOR_OVERHEAR, tables.person_name[source]) < chance


def draw(evening: EveningState, tables: ScenarioTables, who: int, purpose: int, name: Name) -> float:
    """A number in [0, 1) that is drawn for this tick, person, purpose and name alone."""
    return uniform(word(stream(evening.seed, evening.tick, tables.person_name[who], tables.purpose[purpose]), name))


def draw_between(
    evening: EveningState, tables: ScenarioTables, least: float, most: float, who: int, purpose: int, name: Name
) -> float:
    """A number from the least to the most, drawn in the same way."""
    return spread(least, most, draw(evening, tables, who, purpose, name))
