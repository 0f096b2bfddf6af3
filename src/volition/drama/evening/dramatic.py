"""What dramatic acts are worth: telling, confronting, confiding and lying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.perceive import is_at_peace, is_open_between, recently
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.stance import gravity_of, subject_of
from volition.drama.evening.state import ANGER, FEAR, SHAME, SUSPICION
from volition.drama.evening.tables import (
    CLOSE_CONFIDE,
    CLOSE_CONFLICT,
    CLOSE_DISTRUST,
    CLOSE_LIE,
    CLOSE_REVEAL,
    TO_ADDRESS,
)
from volition.drama.evening.weigh import (
    ALLOWED,
    ALLY,
    CHILL,
    DENOUNCE,
    FATIGUE,
    GRIEVANCE,
    LIE_ITEM,
    OWED,
    POLITENESS,
    PROTECT,
    RESTRAINT,
    STAKE,
    SUSPECTED,
    SWALLOW,
    TELLING,
    WRONG,
    add_candidate,
    itemise,
    veto_last,
    veto_of_closeness,
)
from volition.drama.rules.catalog import CONFIDE, CONFLICT, LIE, REVEAL
from volition.drama.rules.pacing import relief
from volition.drama.rules.situation import (
    ally_pull,
    chill,
    denouncing,
    fatigue_cost,
    grievance_pull,
    lie_pull,
    outrage,
    owing,
    politeness,
    protecting,
    staking,
    suspicion_pull,
    swallowing,
    telling_cost,
)
from volition.drama.rules.utility import bond_pull

if TYPE_CHECKING:
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.weigh import ScoreSheet

_TELLINGS = 3


def price_tellings(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Work out what it costs to give away each secret that one may tell, and what draws to it."""
    rules = tables.rules
    sheet.shielded = 0
    for secret in range(tables.secrets):
        sheet.denounced[secret] = 0.0
        if has(seen.told, secret):
            holds, conceals = has(tables.holds[me], secret), has(tables.conceals[me], secret)
            fondness = fondness_for_holders(evening, tables, me, secret)
            if tables.protects[me] & tables.holders[secret] != 0:
                sheet.shielded |= 1 << secret
            if not holds:
                sheet.denounced[secret] = resentment_of_holders(evening, tables, me, secret)
            sheet.telling_cost[secret] = telling_cost(
                REVEAL, holds, conceals, fondness, tables.harm[me][secret], rules.departures, rules.situation
            )


def fondness_for_holders(evening: EveningState, tables: ScenarioTables, me: int, secret: int) -> float:
    """The most that `me` likes another who holds a secret; 0 where nobody else does."""
    fondness, nobody = 0.0, True
    for place in range(tables.holder_count[secret]):
        holder = tables.holder[secret][place]
        if holder != me:
            affection = evening.affection[me][holder]
            if nobody or affection > fondness:
                fondness = affection
            nobody = False
    return fondness


def resentment_of_holders(evening: EveningState, tables: ScenarioTables, me: int, secret: int) -> float:
    """The most that `me` distrusts, or holds against, another who holds a secret; 0 where they do neither."""
    most = 0.0
    for place in range(tables.holder_count[secret]):
        holder = tables.holder[secret][place]
        if holder != me:
            most = max(most, evening.grievance[me][holder], -evening.trust[me][holder])
    return most


def offer_reveals(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """REVEAL of each secret to each of those here who is not taken to know it."""
    rules, flaws, trust = tables.rules, tables.bias[me][sheet.awake][REVEAL], evening.trust[me]
    departures = rules.departures
    close, towards = tables.close[me][CLOSE_REVEAL], tables.towards[me][sheet.awake][TO_ADDRESS]
    for secret in range(tables.secrets):
        unknowing = seen.present & ~seen.knowing[secret] if has(seen.told, secret) else 0
        if unknowing != 0:
            act = tables.reveal + secret * tables.people
            worth, pace = tables.telling[me][0][secret], sheet.mask + sheet.steady[tables.telling_stance[me][0][secret]]
            for place in range(seen.company):
                other = seen.other[place]
                if has(unknowing, other):
                    situation = 0.0
                    if tables.departs != 0:
                        shielded = has(sheet.shielded, secret)
                        situation = itemise(sheet, RESTRAINT, sheet.restraint)
                        situation += itemise(sheet, TELLING, sheet.telling_cost[secret])
                        situation += itemise(sheet, DENOUNCE, denouncing(REVEAL, sheet.denounced[secret], departures))
                        situation += itemise(sheet, PROTECT, protecting(REVEAL, shielded, departures))
                    bond = bond_pull(REVEAL, trust[other], 0.0, 0.0, rules.bonds)
                    bias = flaws + towards[other]
                    add_candidate(
                        sheet, act + other, worth + close[other], bias, pace, bond, sheet.alcohol, 0.0, situation
                    )


def offer_conflicts(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """CONFLICT with each of those here who provoked it or is not trusted, where there is something to quarrel about.

    It is about their wrong, if one waits for an answer; else about each secret of theirs that `me` could bring up; and
    about nothing in particular where there is none of these and the last quarrel of the two is long ago, or where quarrels
    have no subjects.
    """
    for place in range(seen.company):
        other = seen.other[place]
        if provokes(evening, tables, me, other) and has_ground(evening, tables, me, other):
            subjects = 0
            if tables.rules.departures.subjects != 0:
                if evening.wrong[me][other] != NONE and evening.stung[me][other] >= 0.0:
                    offer_conflict(evening, tables, me, seen, sheet, other, tables.confront_wrong + other, 0)
                    continue
                subjects = secrets_to_bring_up(evening, tables, me, seen, other)
                for secret in range(tables.secrets if subjects != 0 else 0):
                    if has(subjects, secret):
                        act = tables.confront_about + other * tables.secrets + secret
                        offer_conflict(evening, tables, me, seen, sheet, other, act, 1 << secret)
            if subjects == 0 and may_attack(evening, tables, me, other):
                offer_conflict(evening, tables, me, seen, sheet, other, tables.confront + other, seen.suspected)


def secrets_to_bring_up(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, other: int) -> int:
    """The secrets of `other` that `me` could quarrel about: those that `me` suspects, and those known and harmful to `me`
    or that `me` is committed to expose. After peace was made what is known is not brought up again, and what was said
    before both only after a long time."""
    own, harmful, last = tables.holds[other] & ~tables.holds[me], tables.exposes[me], evening.confronted[me][other]
    for secret in range(tables.secrets):
        if is_open_between(evening, tables, me, other, secret):
            again = has(seen.told, secret) and not recently(last, evening.tick, tables.rules.departures.said_ticks - 1)
            own &= ~((not again) << secret)
    if has(evening.forgiven[me] | evening.reconciled[me], other):
        return own & seen.suspected
    for secret in range(tables.secrets):
        harmful |= (tables.harm[me][secret] > 0.0) << secret
    return own & (seen.suspected | seen.told & harmful)


def offer_conflict(
    evening: EveningState,
    tables: ScenarioTables,
    me: int,
    seen: Perceived,
    sheet: ScoreSheet,
    other: int,
    act: int,
    secrets: int,
) -> None:
    """One way to confront `other`; `secrets` are those that it could be about."""
    rules, departures, flaws = tables.rules, tables.rules.departures, tables.bias[me][sheet.awake][CONFLICT]
    pace, trust = sheet.mask + sheet.steady[tables.stance[me][CONFLICT]], evening.trust[me][other]
    sharp = int(trust < rules.context.distrust)
    close = CLOSE_DISTRUST if sharp != 0 else CLOSE_CONFLICT
    situation = 0.0
    if tables.departs != 0:
        held, tired = evening.grievance[me][other], max(0.0, evening.fatigue[me][other])
        suspects = secrets & seen.suspected & tables.holds[other] != 0
        if is_outraged(evening, tables, me, other):
            answered, swallows = has(evening.answered[me], other), tables.swallows[me] != 0
            waited = evening.minutes - evening.stung[me][other]
            situation = itemise(sheet, WRONG, outrage(held, answered, departures, rules.situation))
            situation += itemise(sheet, SWALLOW, swallowing(True, swallows, departures))
            situation += itemise(sheet, OWED, owing(waited, departures, rules.situation))
        else:
            share = evening.minutes / tables.last_minute
            situation = itemise(sheet, RESTRAINT, sheet.restraint)
            situation += itemise(sheet, POLITENESS, politeness(CONFLICT, share, departures))
        situation += itemise(sheet, GRIEVANCE, grievance_pull(CONFLICT, held, departures))
        situation += itemise(sheet, FATIGUE, fatigue_cost(CONFLICT, tired, departures))
        situation += itemise(sheet, SUSPECTED, suspicion_pull(CONFLICT, suspects, departures))
        gravity = gravity_of(tables, me, subject_of(evening, tables, me, act))
        situation += itemise(sheet, STAKE, staking(gravity, evening.affection[me][other], departures))
    add_candidate(
        sheet,
        act,
        tables.quarrelling[me][sharp] + tables.close[me][close][other],
        flaws + tables.towards[me][sheet.awake][TO_ADDRESS][other],
        pace,
        bond_pull(CONFLICT, trust, evening.affection[me][other], 0.0, rules.bonds),
        sheet.alcohol,
        0.0,
        situation,
    )


def provokes(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether `other` may be confronted: distrusted, or the cause of a grievance; in the literal reading, of any anger."""
    departures, limits = tables.rules.departures, tables.rules.candidates
    if evening.trust[me][other] < limits.conflict_trust or is_outraged(evening, tables, me, other):
        return True
    if departures.grievance != 0.0:
        return evening.grievance[me][other] > departures.grievance_above
    return evening.emotions[me][ANGER] > limits.conflict_anger


def is_outraged(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether `other` has done `me` a wrong that is not yet answered to their face."""
    return tables.rules.departures.outrage != 0.0 and evening.stung[me][other] >= 0.0


def has_ground(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether there is something to quarrel about: an unused ground, or a last time that is long ago."""
    departures, last = tables.rules.departures, evening.confronted[me][other]
    if departures.grounds == 0 or evening.grounds[me][other] != 0:
        return True
    return last >= 0 and evening.tick - last >= departures.ground_ticks


def may_attack(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether `me` could quarrel with `other` about nothing in particular: not at peace, nor just after another quarrel,
    and only where there is dislike, or was a grievance."""
    least = tables.rules.departures.malice
    if is_old_quarrel(evening, tables, me, other) or is_at_peace(evening, tables, me, other):
        return False
    held = evening.peaks[me][other] >= least or evening.wrong[me][other] != NONE
    return least == 0.0 or held or evening.affection[me][other] < 0.0


def is_old_quarrel(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether a quarrel of these two about nothing in particular would only be the last one again, whoever began it."""
    departures, last = tables.rules.departures, max(evening.confronted[me][other], evening.confronted_by[me][other])
    return departures.subjects != 0 and recently(last, evening.tick, departures.ground_ticks)


def offer_confidences(
    evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet
) -> None:
    """CONFIDE each secret to each of those here who is trusted and not taken to know it, and a feeling to all of them."""
    rules, flaws = tables.rules, tables.bias[me][sheet.offered][CONFIDE]
    eased = sheet.mask + relief(CONFIDE, evening.stress[me], 0.0, False, rules.pacing)
    feels = has_feeling(evening, tables, me)
    for place in range(seen.company):
        other = seen.other[place]
        trust, veto = evening.trust[me][other], veto_of_closeness(sheet, other)
        if trust > rules.candidates.confide_trust and (veto == ALLOWED or sheet.itemised != 0):
            bond = bond_pull(CONFIDE, trust, 0.0, evening.obligation[me][other], rules.bonds)
            bias = flaws + tables.towards[me][sheet.offered][TO_ADDRESS][other]
            for secret in range(tables.secrets):
                if has(seen.told, secret) and not has(seen.knowing[secret], other):
                    situation = 0.0
                    if tables.departs != 0:
                        shielded = has(sheet.shielded, secret)
                        situation = situation_of_confiding(evening, tables, me, sheet, other)
                        situation += itemise(sheet, TELLING, sheet.telling_cost[secret])
                        situation += itemise(sheet, PROTECT, protecting(CONFIDE, shielded, rules.departures))
                    add_candidate(
                        sheet,
                        tables.confide + other * tables.secrets + secret,
                        tables.telling[me][1][secret] + tables.close[me][CLOSE_CONFIDE][other],
                        bias,
                        eased + sheet.steady[tables.telling_stance[me][1][secret]],
                        bond,
                        sheet.alcohol,
                        0.0,
                        situation,
                    )
                    veto_last(sheet, veto)
            if feels:
                situation = situation_of_confiding(evening, tables, me, sheet, other) if tables.departs != 0 else 0.0
                add_candidate(
                    sheet,
                    tables.confide_feeling + other,
                    tables.worth[me][CONFIDE] + tables.close[me][CLOSE_CONFIDE][other],
                    bias,
                    eased + sheet.steady[tables.stance[me][CONFIDE]],
                    bond,
                    sheet.alcohol,
                    0.0,
                    situation,
                )
                veto_last(sheet, veto)


def situation_of_confiding(
    evening: EveningState, tables: ScenarioTables, me: int, sheet: ScoreSheet, other: int
) -> float:
    """What the situation adds to any confidence: a wrong that waits for an answer outweighs restraint."""
    departures, ally = tables.rules.departures, sheet.open & ~(1 << other) != 0
    held_back = 0.0 if ally and departures.ally != 0.0 else sheet.restraint
    situation = itemise(sheet, RESTRAINT, held_back) + itemise(sheet, ALLY, ally_pull(ally, departures))
    return situation + itemise(sheet, CHILL, chill(evening.grievance[me][other], departures))


def has_feeling(evening: EveningState, tables: ScenarioTables, me: int) -> bool:
    """Whether there is a feeling to confide."""
    felt, above = evening.emotions[me], tables.rules.situation.felt
    troubled = max(felt[ANGER], felt[FEAR], felt[SHAME], felt[SUSPICION])
    return tables.rules.departures.confide_feelings != 0 and troubled > above


def offer_lies(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """LIE about each secret to each of those here who is curious."""
    rules, worth, flaws = tables.rules, tables.worth[me][LIE], tables.bias[me][sheet.awake][LIE]
    pull, curious = (lie_pull(LIE, rules.departures) if tables.departs != 0 else 0.0), 0
    for secret in range(tables.secrets):
        curious |= seen.curious[secret]
    if curious == 0:
        return
    for place in range(seen.company):
        other = seen.other[place]
        for secret in range(tables.secrets if has(curious, other) else 0):
            if has(seen.told, secret) and has(seen.curious[secret], other):
                restraint = itemise(sheet, RESTRAINT, sheet.restraint)
                add_candidate(
                    sheet,
                    tables.lie + other * tables.secrets + secret,
                    worth + tables.close[me][CLOSE_LIE][other],
                    flaws + tables.towards[me][sheet.awake][TO_ADDRESS][other],
                    sheet.mask + sheet.steady[tables.telling_stance[me][_TELLINGS - 1][secret]],
                    bond_pull(LIE, evening.trust[me][other], evening.affection[me][other], 0.0, rules.bonds),
                    sheet.alcohol,
                    0.0,
                    restraint + itemise(sheet, LIE_ITEM, pull),
                )
