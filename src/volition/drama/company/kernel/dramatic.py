"""What dramatic acts are worth: telling, confronting, confiding and lying, in the subset of Python that Numba compiles.

As in `quiet`, each function appends candidates in the order in which a mind offers them.
"""

from __future__ import annotations

from typing import Any

from volition.drama.company.kernel.layout import CONFIDE_AT, CONFLICT_AT, LIE_AT, PEOPLE, REVEAL_AT, SECRETS
from volition.drama.company.kernel.tables import (
    CLOSE_CONFIDE,
    CLOSE_CONFLICT,
    CLOSE_LIE,
    CLOSE_REVEAL,
    TO_ADDRESS,
)
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import CONFIDE, CONFLICT, LIE, REVEAL
from volition.drama.rules.pacing import relief
from volition.drama.rules.situation import lie_pull, politeness, suspicion_pull, telling_cost, telling_holder


def list_told(me: Any, desk: Any) -> None:
    """List the secrets that may be told."""
    count, true = 0, int(me["told"])
    for secret in range(SECRETS):
        desk["told"][count] = secret
        count += true >> secret & 1
    desk["tellings"] = count


def price_tellings(me: Any, who: Any, house: Any, weights: Any, desk: Any) -> None:
    """Compute what it costs to give away each secret."""
    person = int(me["person"])
    for number in range(desk["tellings"]):
        secret = desk["told"][number]
        fondness, holders = 0.0, int(house["holders"][secret])
        nobody = True
        for other in range(PEOPLE):
            if holders >> other & 1 and other != person:
                affection = me["affection"][other - (other > person)]
                if nobody or affection > fondness:
                    fondness = affection
                nobody = False
        holds, conceals = who["holds"] >> secret & 1 != 0, who["conceals"] >> secret & 1 != 0
        harm = who["harm"][secret]
        desk["costs"][secret] = telling_cost(
            REVEAL, holds, conceals, fondness, harm, weights.departures, weights.situation
        )


def offer_reveals(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """REVEAL each secret to everybody here who is thought not to know it."""
    person, awake, here, count = int(me["person"]), desk["awake"], desk["here"], desk["count"]
    steady, replies, worths, slots = desk["steady"], desk["replies"], desk["worths"], desk["slots"]
    base, departs = who["biases"][awake, REVEAL] + desk["stir"], house["departs"] != 0
    for place in range(count):
        other = here[place]
        bond = bond_pull(REVEAL, me["trust"][other - (other > person)], 0.0, 0.0, weights.bonds)
        replies[place] = who["close"][CLOSE_REVEAL, other] + bond + who["towards"][awake, TO_ADDRESS, other]
    for number in range(desk["tellings"]):
        secret = desk["told"][number]
        worth = base + who["telling"][0, secret] + steady[who["about"][0, secret]]
        knowing, holders = int(me["knowing"][secret]), 0
        if departs:
            worth += desk["costs"][secret]
            holders = int(house["holders"][secret])
        for place in range(count):
            other = here[place]
            if knowing >> other & 1 == 0:
                worths[made], slots[made] = worth + replies[place], REVEAL_AT + secret * PEOPLE + other
                if departs:
                    worths[made] += telling_holder(REVEAL, holders >> other & 1 != 0, weights.departures)
                made += 1
    return made


def offer_conflicts(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """CONFLICT with everybody here who provoked it or is distrusted, if there is something to quarrel about."""
    departures, limits, person = weights.departures, weights.candidates, int(me["person"])
    provoked, groundless = int(me["provoked"]), int(me["groundless"])
    if departures.grievance == 0.0:
        provoked = 255 if me["anger"] > limits.conflict_anger else 0
    awake, departs = desk["awake"], house["departs"] != 0
    base = who["biases"][awake, CONFLICT] + desk["stir"] + desk["steady"][who["stances"][CONFLICT]]
    if departs:
        base += politeness(CONFLICT, me["minutes"], departures)
    for place in range(desk["count"]):
        other = desk["here"][place]
        seat = other - (other > person)
        trust = me["trust"][seat]
        if (provoked >> other & 1 == 0 and not trust < limits.conflict_trust) or groundless >> other & 1:
            continue
        sharp = int(trust < house["distrust"])
        worth = base + who["quarrelling"][sharp] + who["close"][CLOSE_CONFLICT + sharp, other]
        worth += bond_pull(CONFLICT, trust, me["affection"][seat], 0.0, weights.bonds)
        worth += who["towards"][awake, TO_ADDRESS, other]
        if departs:
            worth += me["quarrel"][seat]
            worth += suspicion_pull(CONFLICT, me["suspects"] & house["held"][other] != 0, departures)
        desk["worths"][made], desk["slots"][made] = worth, CONFLICT_AT + other
        made += 1
    return made


def offer_confidences(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """CONFIDE each secret to everybody here who is trusted and thought not to know it."""
    person, offered, departs = int(me["person"]), desk["offered"], house["departs"] != 0
    base = who["biases"][offered, CONFIDE] + desk["stir"] + relief(CONFIDE, me["stress"], 0.0, False, weights.pacing)
    for place in range(desk["count"]):
        other = desk["here"][place]
        seat = other - (other > person)
        trust = me["trust"][seat]
        if trust > weights.candidates.confide_trust:
            reply = base + bond_pull(CONFIDE, trust, 0.0, me["obligation"][seat], weights.bonds)
            reply += who["close"][CLOSE_CONFIDE, other] + who["towards"][offered, TO_ADDRESS, other]
            for number in range(desk["tellings"]):
                secret = desk["told"][number]
                if me["knowing"][secret] >> other & 1 == 0:
                    worth = reply + who["telling"][1, secret] + desk["steady"][who["about"][1, secret]]
                    if departs:
                        worth += desk["costs"][secret]
                    desk["worths"][made], desk["slots"][made] = worth, CONFIDE_AT + other * SECRETS + secret
                    made += 1
    return made


def offer_lies(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """LIE about each secret to everybody here who is curious."""
    person = int(me["person"])
    awake = desk["awake"]
    base = who["worth"][LIE] + who["biases"][awake, LIE] + desk["stir"]
    if house["departs"]:
        base += lie_pull(LIE, weights.departures)
    asked = 0
    for number in range(desk["tellings"]):
        asked |= int(me["curious"][desk["told"][number]])
    for place in range(desk["count"]):
        other = desk["here"][place]
        if asked >> other & 1:
            seat = other - (other > person)
            reply = base + bond_pull(LIE, me["trust"][seat], me["affection"][seat], 0.0, weights.bonds)
            reply += who["close"][CLOSE_LIE, other] + who["towards"][awake, TO_ADDRESS, other]
            for number in range(desk["tellings"]):
                secret = desk["told"][number]
                if me["curious"][secret] >> other & 1:
                    desk["worths"][made] = reply + desk["steady"][who["about"][2, secret]]
                    desk["slots"][made] = LIE_AT + other * SECRETS + secret
                    made += 1
    return made
