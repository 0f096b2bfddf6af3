"""Weighing acts: the score sheet of what may be chosen, and what many of its acts have in common.

A score is the sum of seven terms and of noise. Every term is a leaf or a sum of leaves, so a score is exact in any order
of addition. Acts are put down in the order in which minds offer them, for of equals the first wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.evening.perceive import is_unforgiven, recently
from volition.drama.evening.record import (
    COUNT,
    FLAG,
    OFFERED,
    PEOPLE_SET,
    REAL,
    SECRET_SET,
    Ints,
    Reals,
    RealTable,
    part,
    record,
)
from volition.drama.evening.sets import has
from volition.drama.evening.state import FEAR, SECRETS, SHAME, SUSPICION
from volition.drama.evening.tables import ACTS, FLAWS
from volition.drama.rules.flaws import AT_CLOSENESS, active_triggers
from volition.drama.rules.pacing import barred_by_budget, barred_by_recovery, consistency, masking, quiet
from volition.drama.rules.situation import recency, restraint
from volition.drama.rules.utility import alcohol_pull

if TYPE_CHECKING:
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

TERMS: Final = ("utility", "flaws", "pacing", "bonds", "alcohol", "movement", "situation", "noise")
UTILITY, OF_FLAWS, OF_PACING, BONDS, ALCOHOL, MOVEMENT, SITUATION, NOISE = range(len(TERMS))

SITUATION_ITEMS: Final = (
    "recency", "restraint", "making_up", "lie", "telling", "denounce", "protect", "politeness", "grievance", "wrong",
    "swallow", "cold", "ally", "chill", "fatigue", "suspicion", "move", "move_again", "flight", "manners", "away", "crowd",
    "company", "course", "task", "unrest", "drink", "leaving", "comfort", "slam", "owed", "seek", "forgive", "break_with",
    "stake",
)  # fmt: skip
"""What the situation may add to an act, in the order of display; an item for each need follows."""
(
    RECENCY, RESTRAINT, MAKING_UP, LIE_ITEM, TELLING, DENOUNCE, PROTECT, POLITENESS, GRIEVANCE, WRONG,
    SWALLOW, COLD, ALLY, CHILL, FATIGUE, SUSPECTED, MOVE_COST, MOVE_AGAIN, FLIGHT, MANNERS, AWAY, CROWD,
    COMPANY, COURSE, OF_TASK, UNREST, DRINK, LEAVING, COMFORT, SLAM, OWED, SEEK, FORGIVE, BREAK_WITH,
    STAKE,
) = range(len(SITUATION_ITEMS))  # fmt: skip
OF_NEED: Final = len(SITUATION_ITEMS)
"""The item of the first need."""


VETOES: Final = ("", "owed", "broken_with", "passage", "unforgiven")
"""Why an act may not be chosen apart from pacing; the constants below are their places.

Kind words, comfort and confidences are withheld from who did a wrong until there was a scene about it, and for good from
whom one has broken with; comfort and confidences are withheld after the scene, too, until the wrong is forgiven or made up
for; and who leaves together with others does not leave before.
"""
ALLOWED, SCENE_IS_OWED, HAS_BROKEN, HAS_PASSAGE, NOT_FORGIVEN = range(len(VETOES))


@record
class ScoreSheet:
    """What a person weighs: the acts that may be chosen and their worths, and what these share."""

    itemised: int = part(FLAG)  # whether every term is written down, and barred acts too
    looked_at: int = part(FLAG)  # whether the terms that a look asks for are written down
    acts: int = part(COUNT)  # how many acts there are
    act: Ints = part(OFFERED, ACTS)  # which acts
    worth: Reals = part(REAL, ACTS)  # what each act is worth
    terms: RealTable = part(REAL, len(TERMS), ACTS)  # what each act is worth, term by term
    vetoed: Ints = part(COUNT, ACTS)  # why each act may not be chosen, where the sheet is itemised
    custom: int = part(FLAG)  # whether there are custom terms
    beyond: int = part(FLAG)  # whether a custom term said more than it may
    again: Reals = part(REAL, ACTS)  # what stands against acts done recently; 0 for all others
    explained: int = part(FLAG)  # whether the items of the situation are written down as well
    items: RealTable = part(REAL, 1, 1)  # a row for each; who asks makes room for them
    barred: int = part(FLAG)  # whether a gate forbids dramatic acts
    awake: int = part(COUNT)  # the set of flaws awake at any act
    offered: int = part(COUNT)  # the set of flaws awake at an offer of closeness
    calm: float = part(REAL)  # what the pace adds to quiet acts
    mask: float = part(REAL)  # what the mask takes from dramatic acts
    alcohol: float = part(REAL)
    restraint: float = part(REAL)
    move_cost: float = part(REAL)  # what stands against any move
    move_again: float = part(REAL)  # what stands against a move so soon after the last
    manners: float = part(REAL)  # what stands against a move out of the gathering
    steady: Reals = part(REAL, 4)  # what commitment adds, by how an act stands to it
    telling_cost: Reals = part(REAL, SECRETS)
    denounced: Reals = part(REAL, SECRETS)  # how much one resents who holds each secret
    shielded: int = part(SECRET_SET)  # the secrets of those whom one protects
    open: int = part(PEOPLE_SET)  # those whose wrong waits for any answer at all
    dreaded: int = part(PEOPLE_SET)  # those whom one avoids
    owed: int = part(PEOPLE_SET)  # those with whom a scene about their wrong is owed
    severed: int = part(PEOPLE_SET)  # those with whom one has broken
    unforgiven: int = part(PEOPLE_SET)  # those whose wrong was confronted, and not forgiven


def add_candidate(
    sheet: ScoreSheet,
    act: int,
    utility: float,
    flaws: float,
    pacing: float,
    bonds: float,
    alcohol: float,
    movement: float,
    situation: float,
) -> None:
    """Put an act on the sheet, with what each term says of it."""
    place = sheet.acts
    sheet.act[place] = act
    sheet.worth[place] = utility + flaws + pacing + bonds + alcohol + movement + situation
    if sheet.itemised != 0:
        sheet.vetoed[place] = ALLOWED
        write_terms(sheet, utility, flaws, pacing, bonds, alcohol, movement, situation)
    elif sheet.looked_at != 0:
        sheet.terms[OF_FLAWS][place] = flaws
        sheet.terms[BONDS][place] = bonds
        sheet.terms[NOISE][place] = 0.0
    sheet.acts = place + 1


def veto_of(sheet: ScoreSheet, other: int) -> int:
    """Why kind words are withheld from `other`, if they are."""
    if has(sheet.owed, other):
        return SCENE_IS_OWED
    if has(sheet.severed, other):
        return HAS_BROKEN
    return ALLOWED


def veto_of_closeness(sheet: ScoreSheet, other: int) -> int:
    """Why comfort and confidences are withheld from `other`, if they are."""
    veto = veto_of(sheet, other)
    if veto == ALLOWED and has(sheet.unforgiven, other):
        return NOT_FORGIVEN
    return veto


def veto_last(sheet: ScoreSheet, veto: int) -> None:
    """Say why the act that was put down last may not be chosen."""
    if sheet.itemised != 0:
        sheet.vetoed[sheet.acts - 1] = veto


def write_terms(
    sheet: ScoreSheet,
    utility: float,
    flaws: float,
    pacing: float,
    bonds: float,
    alcohol: float,
    movement: float,
    situation: float,
) -> None:
    """Write down what each term says of the next act, for an explanation."""
    place, terms = sheet.acts, sheet.terms
    terms[UTILITY][place] = utility
    terms[OF_FLAWS][place] = flaws
    terms[OF_PACING][place] = pacing
    terms[BONDS][place] = bonds
    terms[ALCOHOL][place] = alcohol
    terms[MOVEMENT][place] = movement
    terms[SITUATION][place] = situation
    terms[NOISE][place] = 0.0


def itemise(sheet: ScoreSheet, item: int, value: float) -> float:
    """Write down an item of what the situation adds to the next act, where the sheet explains; the value again."""
    if sheet.explained != 0:
        sheet.items[item][sheet.acts] = value
    return value


def clear_sheet(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Clear the sheet, and work out what many acts have in common."""
    rules, pacing, budget = tables.rules, tables.rules.pacing, evening.budget[me]
    sheet.acts = 0
    wake_flaws(evening, tables, me, seen, sheet)
    sheet.steady[0] = 0.0
    for stance in range(1, 4):
        sheet.steady[stance] = consistency(evening.commitment[me], stance & 1 != 0, stance & 2 != 0, pacing)
    sheet.calm = quiet(False, budget, pacing)
    sheet.barred = int(barred_by_recovery(True, evening.timer[me]) or barred_by_budget(True, budget, pacing))
    sheet.mask = masking(True, tables.privacy[evening.room[me]], evening.composure[me], pacing)
    sheet.alcohol = alcohol_pull(True, evening.alcohol[me], rules.alcohol)
    sheet.restraint = 0.0
    sheet.open = 0
    sheet.dreaded = 0
    sheet.owed = 0
    sheet.severed = 0
    sheet.unforgiven = 0
    if tables.departs != 0:
        sheet.restraint = restraint(True, evening.minutes / tables.last_minute, rules.departures)
        recall_wrongs(evening, tables, me, sheet)


def recall_wrongs(evening: EveningState, tables: ScenarioTables, me: int, sheet: ScoreSheet) -> None:
    """Recall whose wrong waits for an answer, and whom one avoids.

    One avoids anyone who did a wrong that one swallows, or whose recent confrontation frightened one or woke a coward.
    """
    ticks, afraid = tables.rules.memory.challenge, evening.emotions[me][FEAR] > tables.rules.situation.afraid
    sheet.severed = evening.broke_with[me]
    for other in range(tables.people):
        if evening.stung[me][other] >= 0.0:
            if not has(evening.answered[me], other):
                sheet.open |= 1 << other
            if tables.rules.departures.owed != 0.0:
                sheet.owed |= 1 << other
            if tables.swallows[me] != 0:
                sheet.dreaded |= 1 << other
        elif (afraid or tables.flees[me] != 0) and recently(evening.confronted_by[me][other], evening.tick, ticks):
            sheet.dreaded |= 1 << other
        if is_unforgiven(evening, tables, me, other):
            sheet.unforgiven |= 1 << other


def wake_flaws(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Find the flaws that are awake at any act, and those that are while closeness is offered."""
    awake = offered = 0
    suspicion = evening.emotions[me][SUSPICION]
    if tables.rules.departures.evidence != 0 and has_evidence(tables, me, seen):
        suspicion = 1.0
    active = active_triggers(
        suspicion,
        evening.emotions[me][SHAME],
        evening.stress[me],
        evening.commitment[me],
        seen.status_threat != 0,
        seen.exposure != 0,
        seen.challenged != 0,
        seen.scene != 0,
        tables.rules.flaws,
    )
    for place in range(FLAWS):
        trigger = tables.trigger[me][place]
        awake |= has(active, trigger) << place
        offered |= has(active | AT_CLOSENESS, trigger) << place
    sheet.awake = awake
    sheet.offered = offered


def has_evidence(tables: ScenarioTables, me: int, seen: Perceived) -> bool:
    """Whether a person here holds a secret that `me` suspects or knows, and that wrongs them."""
    for secret in range(tables.secrets):
        aware = has(seen.told | seen.suspected, secret)
        if aware and tables.harm[me][secret] > 0.0 and tables.holders[secret] & seen.present & ~(1 << me) != 0:
            return True
    return False


def add_recency(evening: EveningState, tables: ScenarioTables, me: int, sheet: ScoreSheet) -> None:
    """Add what stands against doing the same to the same person again: of several times, the last one counts."""
    recent, ticks, same, again = evening.recent_act[me], evening.recent_tick[me], tables.same, sheet.again
    for place in range(evening.recents[me]):  # the oldest stand first
        act = same[recent[place]]
        again[act] = recency(tables.dramatic[act] != 0, evening.tick - ticks[place], tables.rules.departures)
    acts, worth = sheet.act, sheet.worth
    for offered in range(sheet.acts):
        worth[offered] += again[same[acts[offered]]]
    write_recency(tables, sheet)
    for place in range(evening.recents[me]):
        again[same[recent[place]]] = 0.0


def write_recency(tables: ScenarioTables, sheet: ScoreSheet) -> None:
    """Write down what stands against doing the same again, where the sheet explains."""
    if sheet.itemised != 0:
        for offered in range(sheet.acts):
            sheet.terms[SITUATION][offered] += sheet.again[tables.same[sheet.act[offered]]]
    if sheet.explained != 0:
        for offered in range(sheet.acts):
            sheet.items[RECENCY][offered] += sheet.again[tables.same[sheet.act[offered]]]
