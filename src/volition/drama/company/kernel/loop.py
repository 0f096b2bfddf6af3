"""The loop over deciders: it computes what every act is worth, draws noise, and keeps the best.

It is written in the subset of Python that Numba compiles, and never builds a candidate: an act is a number and a slot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from volition.core.chance_arrays import _gauss as gauss
from volition.core.chance_arrays import _stream as stream
from volition.core.chance_arrays import _word as word
from volition.drama.company.kernel.dramatic import (
    list_told,
    offer_confidences,
    offer_conflicts,
    offer_lies,
    offer_reveals,
    price_tellings,
)
from volition.drama.company.kernel.layout import (
    CHALLENGED,
    FLAWS,
    NOBODY,
    NOISE,
    NOTHING,
    PEOPLE,
    RECENT,
    RISK,
    SCENE,
    SLOTS,
    THREAT,
    TRIGGERS,
    UNKNOWN,
)
from volition.drama.company.kernel.look import look
from volition.drama.company.kernel.quiet import offer_handling, offer_looks, offer_moves, offer_words
from volition.drama.rules.alcohol import alcohol_pull
from volition.drama.rules.catalog import CHAT, OBSERVE
from volition.drama.rules.flaws import trigger_active
from volition.drama.rules.leaf import leaf
from volition.drama.rules.pacing import barred_by_budget, barred_by_recovery, consistency, masking, quiet
from volition.drama.rules.situation import recency, restraint


def choose_many(
    records: Any, seeds: Any, ticks: Any, purpose: Any, sigma: float, added: Any,
    people: Any, houses: Any, weighing: Any, desks: Any, chosen: Any, totals: Any, looks: Any,
) -> None:  # fmt: skip
    """Write the slot and the total of everybody's best act into `chosen` and `totals`.

    `seeds` and `ticks` have one number for each or one for all; `added` has a row of slots for each, or is empty.
    `houses`, `weighing` and `desks` have one entry; `looks` has one for each, or is empty.
    """
    house, weights, desk = houses[0], weighing[0], desks[0]
    names, worths, slots = house["slots"], desk["worths"], desk["slots"]
    for decider in range(len(records)):
        me = records[decider]
        if me["room"] >= house["rooms"] or me["person"] >= house["people"]:
            chosen[decider], totals[decider] = NOTHING if me["room"] == NOBODY else UNKNOWN, np.nan
            continue
        who = people[me["person"]]
        made = weigh(me, who, house, weights, desk)
        if house["departs"]:
            remember(me, house, weights, desk, made)
        if len(added):
            for place in range(made):
                worths[place] += leaf(added[decider, slots[place]])
        key = stream(seeds[decider * (len(seeds) > 1)], ticks[decider * (len(ticks) > 1)], who["uid"], purpose)
        if sigma != 0.0:
            # Noise for every act: skipping those that it could not make the best costs more in branches than it saves.
            for place in range(made):
                worths[place] += leaf(sigma * gauss(word(key, names[slots[place]])))
        best, total = 0, worths[0]
        for place in range(1, made):
            if worths[place] > total:
                best, total = place, worths[place]
        chosen[decider], totals[decider] = slots[best], total
        if len(looks):
            for place in range(made):
                drawn = leaf(sigma * gauss(word(key, names[slots[place]]))) if sigma != 0.0 else 0.0
                desk["parts"][NOISE, place] = drawn
            look(me, who, house, weights, desk, made, best, looks[decider])


def weigh(me: Any, who: Any, house: Any, weights: Any, desk: Any) -> int:
    """Compute what every act that may be chosen is worth, before noise; what gates forbid is left out."""
    take_in(me, who, house, weights, desk)
    made = offer_words(me, who, house, weights, desk, 0)
    made = offer_looks(me, who, house, weights, desk, made)
    made = offer_moves(me, who, house, weights, desk, made)
    made = offer_handling(me, who, house, weights, desk, made)
    if desk["barred"] or desk["count"] == 0:
        return made
    list_told(me, desk)
    if desk["tellings"] == 0:
        return offer_conflicts(me, who, house, weights, desk, made)
    if house["departs"]:
        price_tellings(me, who, house, weights, desk)
    made = offer_reveals(me, who, house, weights, desk, made)
    made = offer_conflicts(me, who, house, weights, desk, made)
    made = offer_confidences(me, who, house, weights, desk, made)
    return offer_lies(me, who, house, weights, desk, made)


def take_in(me: Any, who: Any, house: Any, weights: Any, desk: Any) -> None:
    """Compute what many acts have in common."""
    pacing, present, count = weights.pacing, int(me["present"]), 0
    for other in range(PEOPLE):
        desk["here"][count] = other
        count += present >> other & 1
    desk["count"] = count
    desk["awake"], desk["offered"] = flaws_awake(me, who, weights.flaws)
    for stance in range(1, 4):
        desk["steady"][stance] = consistency(me["commitment"], stance & 1 != 0, stance & 2 != 0, pacing)
    desk["calm"] = quiet(False, me["budget"], pacing)
    desk["barred"] = barred_by_recovery(True, me["recovery"]) or barred_by_budget(True, me["budget"], pacing)
    stir = masking(True, house["privacy"][me["room"]], me["composure"], pacing)
    stir += alcohol_pull(True, me["alcohol"], weights.alcohol)
    if house["departs"]:
        stir += restraint(True, me["minutes"], weights.departures)
    desk["stir"] = stir


def flaws_awake(me: Any, who: Any, flaws: Any) -> tuple[int, int]:
    """The sets of flaws that are active for any act, and for an offer of closeness."""
    always = triggers_active(me, OBSERVE, flaws)
    intimate = triggers_active(me, CHAT, flaws)
    awake = offered = 0
    for place in range(FLAWS):
        trigger = who["triggers"][place]
        awake |= (always >> trigger & 1) << place
        offered |= (intimate >> trigger & 1) << place
    return awake, offered


def triggers_active(me: Any, kind: int, flaws: Any) -> int:
    """The set of active triggers while an act of this kind towards somebody is considered."""
    signs, active = int(me["signs"]), 0
    threat, risk = signs & THREAT != 0, signs & RISK != 0
    challenged, scene = signs & CHALLENGED != 0, signs & SCENE != 0
    suspicion, shame, stress, commitment = me["suspicion"], me["shame"], me["stress"], me["commitment"]
    for trigger in range(TRIGGERS):
        wakes = trigger_active(
            trigger, kind, True, suspicion, shame, stress, commitment, threat, risk, challenged, scene, flaws
        )
        active |= int(wakes) << trigger
    return active


def remember(me: Any, house: Any, weights: Any, desk: Any, made: int) -> None:
    """Add the cost of repeating recent acts."""
    more = desk["more"]
    for place in range(RECENT):
        slot = int(me["lately"][place])
        if slot < SLOTS:
            more[slot] = recency(house["dramatic"][slot] != 0, int(me["ages"][place]), weights.departures)
    for place in range(made):
        desk["worths"][place] += more[desk["slots"][place]]
    for place in range(RECENT):
        slot = int(me["lately"][place])
        if slot < SLOTS:
            more[slot] = 0.0
