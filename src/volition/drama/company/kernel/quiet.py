"""What quiet acts are worth: words, looks, moves and handling things, in the subset of Python that Numba compiles.

Every `offer` function appends candidates to the desk, in the order in which a mind offers them, and returns their number
so far. Sums of leaves are exact, so the order of addition does not matter.
"""

from __future__ import annotations

from typing import Any

from volition.drama.company.kernel.layout import (
    CHAT_ALL,
    CHAT_AT,
    COURSE,
    DRINK_AT,
    EXCUSED,
    INTERNAL_AT,
    LEAVE_AT,
    MOVE_AT,
    NEED_AT,
    NEEDS,
    OBSERVE_AT,
    OBSERVE_ROOM,
    PENDING,
    PEOPLE,
    SLAM_AT,
    TASK_AT,
)
from volition.drama.company.kernel.tables import CLOSE_CHAT, SLAMMING, TO_CHAT, TO_WATCH
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import CHAT, INTERNAL, OBSERVE, PHYSICAL, SOCIAL_MOVE
from volition.drama.rules.movement import follow_pull, privacy_pull
from volition.drama.rules.pacing import relief
from volition.drama.rules.situation import (
    away_pull,
    company,
    course_window,
    crowd,
    departure_pull,
    exit_pull,
    making_up,
    manners,
    move_again,
    move_cost,
    need_pull,
    need_use,
    slam_pull,
    task_pull,
)
from volition.drama.rules.utility import group


def offer_words(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """CHAT with everybody here, one by one and all together."""
    offered, here, count, worths, slots = desk["offered"], desk["here"], desk["count"], desk["worths"], desk["slots"]
    base = who["worth"][CHAT] + who["biases"][offered, CHAT] + desk["calm"] + desk["steady"][who["stances"][CHAT]]
    person, owes = int(me["person"]), int(me["owes"])
    wanted = felt = 0.0
    for place in range(count):
        other = here[place]
        affection = me["affection"][other - (other > person)]
        close, bond = who["close"][CLOSE_CHAT, other], bond_pull(CHAT, 0.0, affection, 0.0, weights.bonds)
        wanted += close
        felt += bond
        worth = base + close + bond + who["towards"][offered, TO_CHAT, other]
        if house["departs"]:
            worth += making_up(CHAT, owes >> other & 1 != 0, me["shame"], weights.departures, weights.situation)
        worths[made], slots[made] = worth, CHAT_AT + other
        made += 1
    if count < 2:
        return made
    normalise = weights.departures.normalise_groups
    worth = base + group(wanted, count, normalise) + group(felt, count, normalise)
    if not normalise:
        worth += who["towards"][offered, TO_CHAT, here[0]]
    worths[made], slots[made] = worth, CHAT_ALL
    return made + 1


def offer_looks(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """OBSERVE everybody here, and the room."""
    awake, worths, slots = desk["awake"], desk["worths"], desk["slots"]
    base = (
        who["worth"][OBSERVE] + who["biases"][awake, OBSERVE] + desk["calm"] + desk["steady"][who["stances"][OBSERVE]]
    )
    for place in range(desk["count"]):
        other = desk["here"][place]
        worths[made], slots[made] = base + who["towards"][awake, TO_WATCH, other], OBSERVE_AT + other
        made += 1
    worths[made], slots[made] = base, OBSERVE_ROOM
    return made + 1


def offer_moves(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """SOCIAL_MOVE to each adjacent room with a free place."""
    base = who["biases"][desk["awake"], SOCIAL_MOVE] + desk["calm"] + desk["steady"][who["stances"][SOCIAL_MOVE]]
    start, stress, pending = me["room"], me["stress"], me["signs"] & PENDING != 0
    for door in range(house["doors"][start]):
        room = house["to"][start, door]
        there = int(me["there"][room])
        heads = 0
        for other in range(PEOPLE):
            heads += there >> other & 1
        if heads >= house["capacity"][room]:
            continue
        privacy = house["privacy"][room]
        worth = base + who["moving"][room] + relief(SOCIAL_MOVE, stress, privacy, False, weights.pacing)
        worth += privacy_pull(stress, pending, privacy, weights.movement) + who["company"][there]
        followed = int(me["followed"][room])
        if followed:
            worth += follow_pulls(me, followed, weights.movement)
        if house["departs"]:
            worth += move_pull(me, house, weights, room, desk["count"], heads)
        desk["worths"][made], desk["slots"][made] = worth, MOVE_AT + room
        made += 1
    return made


def follow_pulls(me: Any, followed: int, movement: Any) -> float:
    person, pull = int(me["person"]), 0.0
    for other in range(PEOPLE):
        if followed >> other & 1:
            pull += follow_pull(me["trust"][other - (other > person)], me["suspicion"], movement)
    return pull


def move_pull(me: Any, house: Any, weights: Any, room: int, here: int, there: int) -> float:
    """What the situation adds to a move."""
    departures, table, signs = weights.departures, weights.situation, int(me["signs"])
    returns, leaves = room == house["gathering"], me["room"] == house["gathering"]
    since = 0.0 if signs & COURSE else -1.0
    task = int(me["task"])
    goal = house["kitchen"] if task == 0 else house["gathering"]
    pull = move_cost(departures) + move_again(int(me["moved"]), departures)
    pull += manners(leaves, signs & EXCUSED != 0, here, departures, table)
    pull += away_pull(returns, me["away"], departures)
    pull += crowd(there, here, departures) + company(here, there, departures)
    pull += course_window(returns, leaves, since, departures)
    pull += task_pull(task < 3 and goal == room, departures)
    if room == house["exit"]:
        pull += exit_pull(me["wish"])
    for need in range(NEEDS):
        if house["needs"][need] == room:
            pull += need_pull(me["needs"][need], departures, table)
    return pull


def offer_handling(me: Any, who: Any, house: Any, weights: Any, desk: Any, made: int) -> int:
    """INTERNAL and every PHYSICAL act; slamming a door is dramatic, so the gates apply to it."""
    awake, calm, steady, worths, slots = desk["awake"], desk["calm"], desk["steady"], desk["worths"], desk["slots"]
    base = who["worth"][INTERNAL] + who["biases"][awake, INTERNAL] + calm + steady[who["stances"][INTERNAL]]
    worths[made], slots[made] = base, INTERNAL_AT
    made += 1
    base = who["worth"][PHYSICAL] + who["biases"][awake, PHYSICAL] + calm + steady[who["stances"][PHYSICAL]]
    if me["alcohol"] < weights.candidates.drink_below:
        worths[made] = base + relief(PHYSICAL, me["stress"], 0.0, True, weights.pacing)
        slots[made] = DRINK_AT
        made += 1
    if not house["departs"]:
        return made
    departures, room, task = weights.departures, me["room"], int(me["task"])
    if departures.courses != 0.0 and task < 3:
        goal = house["kitchen"] if task == 0 else house["gathering"]
        if goal == room:
            worths[made], slots[made] = base + task_pull(True, departures), TASK_AT + task
            made += 1
    if departures.needs != 0.0:
        for need in range(NEEDS):
            if house["needs"][need] == room and me["needs"][need] > departures.need_use:
                worths[made], slots[made] = base + need_use(me["needs"][need], departures), NEED_AT + need
                made += 1
    if departures.slam != 0.0 and me["anger"] > departures.slam and not desk["barred"]:
        worth = who["worth"][SLAMMING] + who["biases"][awake, SLAMMING] + desk["stir"]
        worths[made] = worth + steady[who["stances"][SLAMMING]] + slam_pull(me["anger"], departures)
        slots[made] = SLAM_AT
        made += 1
    if room == house["exit"] and me["wish"] > 0.0:
        worths[made], slots[made] = base + departure_pull(me["wish"], weights.leaving), LEAVE_AT
        made += 1
    return made
