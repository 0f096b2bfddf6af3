"""Looks: what a decision was like besides its winner, in the subset of Python that Numba compiles.

Sums of leaves are exact, so a total without one of its terms is the total minus that term.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from volition.drama.company.kernel.layout import (
    BONDS,
    CHAT_ALL,
    CONFIDE_AT,
    CONFLICT_AT,
    FLAWS_AWAKE,
    INTERNAL_AT,
    LIE_AT,
    OBSERVE_AT,
    OBSERVE_ROOM,
    PEOPLE,
    REVEAL_AT,
    SECRETS,
    SLAM_AT,
    TERMS,
)
from volition.drama.company.kernel.tables import SLAMMING, TO_ADDRESS, TO_CHAT, TO_WATCH
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    INTERNAL,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
)
from volition.drama.rules.utility import group


def look(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int, best: int, found: Any) -> None:
    """Write a look at the decision on the desk into `found`; the desk already contains its noise."""
    worths, slots, parts = desk["worths"], desk["slots"], desk["parts"]
    found["made"], found["internal"], found["dramatic"], found["gap"] = made, np.nan, np.nan, np.nan
    for place in range(made):
        slot, total = slots[place], worths[place]
        found["totals"][place] = total
        parts[BONDS, place] = bond_part(me, weights, desk, slot)
        parts[FLAWS_AWAKE, place] = flaw_part(who, weights, desk, slot)
        if slot == INTERNAL_AT:
            found["internal"] = total
        if house["dramatic"][slot] != 0 and not total <= found["dramatic"]:
            found["dramatic"] = total
        if place != best and not worths[best] - total >= found["gap"]:
            found["gap"] = worths[best] - total
    found["bias"] = parts[FLAWS_AWAKE, best]
    for term in range(TERMS):
        first = 0
        for place in range(1, made):
            if worths[place] - parts[term, place] > worths[first] - parts[term, first]:
                first = place
        found["hung"][term] = first != best


def addressee(slot: int) -> int:
    """The person whom a dramatic act addresses."""
    if slot >= LIE_AT:
        return (slot - LIE_AT) // SECRETS
    if slot >= CONFIDE_AT:
        return (slot - CONFIDE_AT) // SECRETS
    if slot >= CONFLICT_AT:
        return slot - CONFLICT_AT
    return (slot - REVEAL_AT) % PEOPLE


def dramatic_kind(slot: int) -> int:
    """The kind of a dramatic act."""
    if slot >= LIE_AT:
        return LIE
    if slot >= CONFIDE_AT:
        return CONFIDE
    return CONFLICT if slot >= CONFLICT_AT else REVEAL


def bond_part(me: Any, weights: Any, desk: Any, slot: int) -> float:
    """What bonds add to an act."""
    person = int(me["person"])
    if slot < CHAT_ALL:
        return bond_pull(CHAT, 0.0, me["affection"][slot - (slot > person)], 0.0, weights.bonds)
    if slot == CHAT_ALL:
        felt, count = 0.0, desk["count"]
        for place in range(count):
            other = desk["here"][place]
            felt += bond_pull(CHAT, 0.0, me["affection"][other - (other > person)], 0.0, weights.bonds)
        return group(felt, count, weights.departures.normalise_groups)
    if slot < REVEAL_AT:
        return 0.0
    other = addressee(slot)
    seat = other - (other > person)
    trust, affection, obligation = me["trust"][seat], me["affection"][seat], me["obligation"][seat]
    return bond_pull(dramatic_kind(slot), trust, affection, obligation, weights.bonds)


def flaw_part(who: Any, weights: Any, desk: Any, slot: int) -> float:
    """What flaws add to an act."""
    awake, offered = desk["awake"], desk["offered"]
    if slot < CHAT_ALL:
        return float(who["biases"][offered, CHAT] + who["towards"][offered, TO_CHAT, slot])
    if slot == CHAT_ALL:
        towards = 0.0 if weights.departures.normalise_groups else who["towards"][offered, TO_CHAT, desk["here"][0]]
        return float(who["biases"][offered, CHAT] + towards)
    if slot < OBSERVE_ROOM:
        return float(who["biases"][awake, OBSERVE] + who["towards"][awake, TO_WATCH, slot - OBSERVE_AT])
    if slot < REVEAL_AT:
        return float(who["biases"][awake, quiet_kind(slot)])
    kind = dramatic_kind(slot)
    open_ = offered if kind == CONFIDE else awake
    return float(who["biases"][open_, kind] + who["towards"][open_, TO_ADDRESS, addressee(slot)])


def quiet_kind(slot: int) -> int:
    """The kind of an act that addresses nobody."""
    if slot == OBSERVE_ROOM:
        return OBSERVE
    if slot < INTERNAL_AT:
        return SOCIAL_MOVE
    if slot == INTERNAL_AT:
        return INTERNAL
    return SLAMMING if slot == SLAM_AT else PHYSICAL
