"""What dramatic acts are worth: telling, confronting, confiding and lying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.house import (
    CLOSE_CONFIDE,
    CLOSE_CONFLICT,
    CLOSE_DISTRUST,
    CLOSE_LIE,
    CLOSE_REVEAL,
    TO_ADDRESS,
)
from volition.drama.evening.state import ANGER, FEAR, SHAME, SUSPICION
from volition.drama.evening.weigh import (
    ALLY,
    CHILL,
    DENOUNCE,
    FATIGUE,
    GRIEVANCE,
    LIE_ITEM,
    POLITENESS,
    PROTECT,
    RESTRAINT,
    SUSPECTED,
    SWALLOW,
    TELLING,
    WRONG,
    itemise,
    put_down,
)
from volition.drama.rules.bonds import bond_pull
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
    politeness,
    protecting,
    suspicion_pull,
    swallowing,
    telling_cost,
)

if TYPE_CHECKING:
    from volition.drama.evening.house import House
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.weigh import Desk

_TELLINGS = 3


def price_tellings(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """Work out what it costs to give away each secret that one may tell, and what draws to it."""
    rules = house.rules
    desk.shielded = 0
    for secret in range(house.secrets):
        desk.denounced[secret] = 0.0
        if seen.told >> secret & 1:
            holds, conceals = house.holds[me] >> secret & 1 != 0, house.conceals[me] >> secret & 1 != 0
            fondness = fondness_for_holders(evening, house, me, secret)
            if house.protects[me] & house.holders[secret] != 0:
                desk.shielded |= 1 << secret
            if not holds:
                desk.denounced[secret] = resentment_of_holders(evening, house, me, secret)
            desk.telling_cost[secret] = telling_cost(
                REVEAL, holds, conceals, fondness, house.harm[me][secret], rules.departures, rules.situation
            )


def fondness_for_holders(evening: EveningState, house: House, me: int, secret: int) -> float:
    """The most that somebody likes another who holds a secret; 0 where nobody else does."""
    fondness, nobody = 0.0, True
    for place in range(house.holder_count[secret]):
        holder = house.holder[secret][place]
        if holder != me:
            affection = evening.affection[me][holder]
            if nobody or affection > fondness:
                fondness = affection
            nobody = False
    return fondness


def resentment_of_holders(evening: EveningState, house: House, me: int, secret: int) -> float:
    """The most that somebody distrusts, or holds against, another who holds a secret; 0 where they do neither."""
    most = 0.0
    for place in range(house.holder_count[secret]):
        holder = house.holder[secret][place]
        if holder != me:
            most = max(most, evening.grievance[me][holder], -evening.trust[me][holder])
    return most


def offer_reveals(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """REVEAL of each secret to each of those here who is not taken to know it."""
    rules, flaws, trust = house.rules, house.bias[me][desk.awake][REVEAL], evening.trust[me]
    departures = rules.departures
    close, towards = house.close[me][CLOSE_REVEAL], house.towards[me][desk.awake][TO_ADDRESS]
    for secret in range(house.secrets):
        unknowing = seen.present * (seen.told >> secret & 1) & ~seen.knowing[secret]
        if unknowing != 0:
            act = house.reveal + secret * house.people
            worth, pace = house.telling[me][0][secret], desk.mask + desk.steady[house.telling_stance[me][0][secret]]
            for place in range(seen.company):
                other = seen.other[place]
                if unknowing >> other & 1:
                    situation = 0.0
                    if house.departs != 0:
                        shielded = desk.shielded >> secret & 1 != 0
                        situation = itemise(desk, RESTRAINT, desk.restraint)
                        situation += itemise(desk, TELLING, desk.telling_cost[secret])
                        situation += itemise(desk, DENOUNCE, denouncing(REVEAL, desk.denounced[secret], departures))
                        situation += itemise(desk, PROTECT, protecting(REVEAL, shielded, departures))
                    bond = bond_pull(REVEAL, trust[other], 0.0, 0.0, rules.bonds)
                    bias = flaws + towards[other]
                    put_down(desk, act + other, worth + close[other], bias, pace, bond, desk.alcohol, 0.0, situation)


def offer_conflicts(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """CONFLICT with each of those here who provoked it or is not trusted, where there is something to quarrel about."""
    rules, departures, flaws = house.rules, house.rules.departures, house.bias[me][desk.awake][CONFLICT]
    pace = desk.mask + desk.steady[house.stance[me][CONFLICT]]
    for place in range(seen.company):
        other = seen.other[place]
        trust = evening.trust[me][other]
        if provokes(evening, house, me, other) and has_ground(evening, house, me, other):
            sharp = int(trust < rules.context.distrust)
            close = CLOSE_DISTRUST if sharp != 0 else CLOSE_CONFLICT
            situation = 0.0
            if house.departs != 0:
                held, tired = evening.grievance[me][other], max(0.0, evening.fatigue[me][other])
                suspects = seen.suspected & house.holds[other] != 0
                if is_outraged(evening, house, me, other):
                    answered, swallows = evening.answered[me] >> other & 1 != 0, house.swallows[me] != 0
                    situation = itemise(desk, WRONG, outrage(held, answered, departures, rules.situation))
                    situation += itemise(desk, SWALLOW, swallowing(True, swallows, departures))
                else:
                    share = evening.minutes / house.last_minute
                    situation = itemise(desk, RESTRAINT, desk.restraint)
                    situation += itemise(desk, POLITENESS, politeness(CONFLICT, share, departures))
                situation += itemise(desk, GRIEVANCE, grievance_pull(CONFLICT, held, departures))
                situation += itemise(desk, FATIGUE, fatigue_cost(CONFLICT, tired, departures))
                situation += itemise(desk, SUSPECTED, suspicion_pull(CONFLICT, suspects, departures))
            put_down(
                desk,
                house.confront + other,
                house.quarrelling[me][sharp] + house.close[me][close][other],
                flaws + house.towards[me][desk.awake][TO_ADDRESS][other],
                pace,
                bond_pull(CONFLICT, trust, evening.affection[me][other], 0.0, rules.bonds),
                desk.alcohol,
                0.0,
                situation,
            )


def provokes(evening: EveningState, house: House, me: int, other: int) -> bool:
    """Whether somebody may be confronted: distrusted, or the cause of a grievance; in the literal reading, of any anger."""
    departures, limits = house.rules.departures, house.rules.candidates
    if evening.trust[me][other] < limits.conflict_trust or is_outraged(evening, house, me, other):
        return True
    if departures.grievance != 0.0:
        return evening.grievance[me][other] > departures.grievance_above
    return evening.emotions[me][ANGER] > limits.conflict_anger


def is_outraged(evening: EveningState, house: House, me: int, other: int) -> bool:
    """Whether somebody has done one a wrong that is not yet answered to their face."""
    return house.rules.departures.outrage != 0.0 and evening.stung[me][other] >= 0.0


def has_ground(evening: EveningState, house: House, me: int, other: int) -> bool:
    """Whether there is something to quarrel about: an unused ground, or a last time that is long ago."""
    departures, last = house.rules.departures, evening.confronted[me][other]
    if departures.grounds == 0 or evening.grounds[me][other] != 0:
        return True
    return last >= 0 and evening.tick - last >= departures.ground_ticks


def offer_confidences(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """CONFIDE each secret to each of those here who is trusted and not taken to know it, and a feeling to all of them."""
    rules, flaws = house.rules, house.bias[me][desk.offered][CONFIDE]
    eased = desk.mask + relief(CONFIDE, evening.stress[me], 0.0, False, rules.pacing)
    feels = has_feeling(evening, house, me)
    for place in range(seen.company):
        other = seen.other[place]
        trust = evening.trust[me][other]
        if trust > rules.candidates.confide_trust:
            bond = bond_pull(CONFIDE, trust, 0.0, evening.obligation[me][other], rules.bonds)
            bias = flaws + house.towards[me][desk.offered][TO_ADDRESS][other]
            for secret in range(house.secrets):
                if seen.told >> secret & ~(seen.knowing[secret] >> other) & 1:
                    situation = 0.0
                    if house.departs != 0:
                        shielded = desk.shielded >> secret & 1 != 0
                        situation = situation_of_confiding(evening, house, me, desk, other)
                        situation += itemise(desk, TELLING, desk.telling_cost[secret])
                        situation += itemise(desk, PROTECT, protecting(CONFIDE, shielded, rules.departures))
                    put_down(
                        desk,
                        house.confide + other * house.secrets + secret,
                        house.telling[me][1][secret] + house.close[me][CLOSE_CONFIDE][other],
                        bias,
                        eased + desk.steady[house.telling_stance[me][1][secret]],
                        bond,
                        desk.alcohol,
                        0.0,
                        situation,
                    )
            if feels:
                situation = situation_of_confiding(evening, house, me, desk, other) if house.departs != 0 else 0.0
                put_down(
                    desk,
                    house.confide_feeling + other,
                    house.worth[me][CONFIDE] + house.close[me][CLOSE_CONFIDE][other],
                    bias,
                    eased + desk.steady[house.stance[me][CONFIDE]],
                    bond,
                    desk.alcohol,
                    0.0,
                    situation,
                )


def situation_of_confiding(evening: EveningState, house: House, me: int, desk: Desk, other: int) -> float:
    """What the situation adds to any confidence: a wrong that waits for an answer outweighs restraint."""
    departures, ally = house.rules.departures, desk.open & ~(1 << other) != 0
    held_back = 0.0 if ally and departures.ally != 0.0 else desk.restraint
    situation = itemise(desk, RESTRAINT, held_back) + itemise(desk, ALLY, ally_pull(ally, departures))
    return situation + itemise(desk, CHILL, chill(evening.grievance[me][other], departures))


def has_feeling(evening: EveningState, house: House, me: int) -> bool:
    """Whether there is a feeling to confide."""
    felt, above = evening.emotions[me], house.rules.situation.felt
    troubled = max(felt[ANGER], felt[FEAR], felt[SHAME], felt[SUSPICION])
    return house.rules.departures.confide_feelings != 0 and troubled > above


def offer_lies(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """LIE about each secret to each of those here who is curious."""
    rules, worth, flaws = house.rules, house.worth[me][LIE], house.bias[me][desk.awake][LIE]
    pull, curious = (lie_pull(LIE, rules.departures) if house.departs != 0 else 0.0), 0
    for secret in range(house.secrets):
        curious |= seen.curious[secret]
    if curious == 0:
        return
    for place in range(seen.company):
        other = seen.other[place]
        for secret in range(house.secrets if curious >> other & 1 else 0):
            if seen.told >> secret & seen.curious[secret] >> other & 1:
                restraint = itemise(desk, RESTRAINT, desk.restraint)
                put_down(
                    desk,
                    house.lie + other * house.secrets + secret,
                    worth + house.close[me][CLOSE_LIE][other],
                    flaws + house.towards[me][desk.awake][TO_ADDRESS][other],
                    desk.mask + desk.steady[house.telling_stance[me][_TELLINGS - 1][secret]],
                    bond_pull(LIE, evening.trust[me][other], evening.affection[me][other], 0.0, rules.bonds),
                    desk.alcohol,
                    0.0,
                    restraint + itemise(desk, LIE_ITEM, pull),
                )
