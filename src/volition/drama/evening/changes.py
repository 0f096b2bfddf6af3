"""Changes: each sets one part of the state and writes it down. What stays as it is, is not written down.

`set_own`, `set_entry` and `set_member` set any part, by its table and its number in the declaration of `EveningState`.
The test is `before != after` and not a difference of bits, so that a negative zero never takes the place of a zero.
What a change depends on by chance is drawn here too: every draw is a function of the seed, the tick, who draws, what for,
and about what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from volition.core.chance import stream, uniform, word
from volition.drama.evening.log import (
    OF_BUDGET,
    OF_COMMITMENT,
    OF_DRINKS,
    OF_STRESS,
    PART_AFFECTION,
    PART_ALCOHOL,
    PART_ANSWERED,
    PART_EMOTIONS,
    PART_GRIEVANCE,
    PART_GROUNDS,
    PART_KNOWS,
    PART_NEEDS,
    PART_PEAKS,
    PART_QUESTIONS,
    PART_STUNG,
    PART_SUSPECTS,
    PART_TRUST,
    note,
    note_strain,
)
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.sets import has
from volition.drama.evening.tables import FOR_OVERHEAR
from volition.drama.rules.passing import grievance_after, spread
from volition.drama.rules.physics import affection_after, clash_stress, emotion_after, trust_after

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.record import Name, PeopleSets
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

Number = TypeVar("Number", int, float)
"""What a part of the state holds. Compiled laws of any number are compiled for each width of it that records have."""


def in_room(evening: EveningState, tables: ScenarioTables, room: int) -> int:
    """Everybody in a room, as a set."""
    people = 0
    for who in range(tables.people):
        people |= (evening.room[who] == room) << who
    return people


def set_own(log: EveningLog, numbers: list[Number], part: int, who: int, after: Number, reason: int) -> None:
    """Set `who`'s number in a part that has one for each person: `set_own(log, evening.task, PART_TASK, who, ...)`."""
    set_number(log, numbers, who, part, who, NONE, NONE, after, reason)


def set_entry(
    log: EveningLog, table: list[list[Number]], part: int, who: int, key: int, after: Number, reason: int
) -> None:
    """Set one entry of `who`'s row in a part; its columns are people, emotions, needs or secrets."""
    set_number(log, table[who], key, part, who, key, NONE, after, reason)


def set_number(
    log: EveningLog,
    numbers: list[Number],
    place: int,
    part: int,
    who: int,
    key: int,
    other: int,
    after: Number,
    reason: int,
) -> None:
    """Set one of `numbers`, and write down which it is: `who`'s, and `key` and `other` where a part has them."""
    before = numbers[place]
    if before != after:
        numbers[place] = after
        note(log, part, who, key, other, before, after, reason)


def set_member(
    log: EveningLog,
    sets: PeopleSets,
    place: int,
    part: int,
    who: int,
    whom: int,
    other: int,
    after: int,
    reason: int,
) -> None:
    """Put `whom` into one of `sets`, or take them out, and write down which it is: `who`'s, and `other`."""
    before = int(has(sets[place], whom))
    if before != after:
        sets[place] ^= 1 << whom
        note(log, part, who, whom, other, before, after, reason)


def change_trust(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, whom: int, change: float, reason: int
) -> None:
    """Let `who` trust another more or less."""
    after = trust_after(evening.trust[who][whom], change, tables.rules.physics)
    set_entry(log, evening.trust, PART_TRUST, who, whom, after, reason)


def change_affection(evening: EveningState, log: EveningLog, who: int, whom: int, change: float, reason: int) -> None:
    """Let `who` like another more or less."""
    after = affection_after(evening.affection[who][whom], change)
    set_entry(log, evening.affection, PART_AFFECTION, who, whom, after, reason)


def change_emotion(evening: EveningState, log: EveningLog, who: int, emotion: int, change: float, reason: int) -> None:
    """Let an emotion rise or fall."""
    after = emotion_after(evening.emotions[who][emotion], change)
    set_entry(log, evening.emotions, PART_EMOTIONS, who, emotion, after, reason)


def change_grievance(evening: EveningState, log: EveningLog, who: int, whom: int, change: float, reason: int) -> None:
    """Let `who` hold more or less against another, and remember the most it ever was."""
    after = grievance_after(evening.grievance[who][whom], change)
    set_entry(log, evening.grievance, PART_GRIEVANCE, who, whom, after, reason)
    if after > evening.peaks[who][whom]:
        set_entry(log, evening.peaks, PART_PEAKS, who, whom, after, reason)


def add_ground(evening: EveningState, log: EveningLog, who: int, whom: int, reason: int) -> None:
    """Give `who` a ground to confront another."""
    set_entry(log, evening.grounds, PART_GROUNDS, who, whom, evening.grounds[who][whom] + 1, reason)


def see_that_knows(evening: EveningState, log: EveningLog, who: int, whom: int, secret: int, reason: int) -> None:
    """Let `who` think that another knows a secret."""
    see_that_suspects(evening, log, who, whom, secret, 0, reason)
    set_member(log, evening.knows[who], secret, PART_KNOWS, who, whom, secret, 1, reason)


def see_that_suspects(
    evening: EveningState, log: EveningLog, who: int, whom: int, secret: int, after: int, reason: int
) -> None:
    """Let `who` think that another suspects a secret, or no longer does."""
    set_member(log, evening.suspects[who], secret, PART_SUSPECTS, who, whom, secret, after, reason)


def set_stung(evening: EveningState, log: EveningLog, who: int, whom: int, after: float, reason: int) -> None:
    """Let another's wrong wait for an answer since this minute, or be answered to their face."""
    set_entry(log, evening.stung, PART_STUNG, who, whom, after, reason)
    set_answered(evening, log, who, whom, 0, reason)


def set_answered(evening: EveningState, log: EveningLog, who: int, whom: int, after: int, reason: int) -> None:
    """Remember that another's wrong was answered, but not to their face, or that it was not."""
    set_member(log, evening.answered, who, PART_ANSWERED, who, whom, NONE, after, reason)


def set_question(
    evening: EveningState, log: EveningLog, asked: int, asker: int, secret: int, after: int, reason: int
) -> None:
    """Remember at which tick `asked` was asked about a secret, or that the question is answered."""
    set_number(log, evening.questions[asked][asker], secret, PART_QUESTIONS, asked, asker, secret, after, reason)


def drink_glass(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, reason: int) -> None:
    """Let `who` drink a glass; it also adds to the need that glasses add to."""
    rules, need = tables.rules, tables.glass_need
    set_own(log, evening.alcohol, PART_ALCOHOL, who, min(1.0, evening.alcohol[who] + rules.acts.glass), reason)
    evening.drinks[who] += 1
    note_strain(log, who, OF_DRINKS, 1.0, reason)
    if rules.departures.needs != 0.0 and need != NONE:
        set_entry(
            log, evening.needs, PART_NEEDS, who, need, evening.needs[who][need] + rules.wants.glass_relief, reason
        )


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
            heard = is_within_earshot(evening, tables, who, room, source)
            amount = clash_stress(has(parties, who), here == room, heard, tables.rules.physics)
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
