"""What quiet acts are worth: words, looks, moves and handling things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.house import CLOSE_CHAT, SLAMMING, TO_CHAT, TO_WATCH
from volition.drama.evening.record import NONE
from volition.drama.evening.state import ANGER, FETCH, SHAME, SUSPICION
from volition.drama.evening.weigh import (
    AWAY,
    CHILL,
    COMPANY,
    COURSE,
    CROWD,
    DRINK,
    FLIGHT,
    LEAVING,
    MAKING_UP,
    MANNERS,
    MOVE_AGAIN,
    MOVE_COST,
    OF_NEED,
    OF_TASK,
    RESTRAINT,
    SLAM,
    UNREST,
    itemise,
    put_down,
)
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import CHAT, INTERNAL, OBSERVE, PHYSICAL, SOCIAL_MOVE
from volition.drama.rules.movement import follow_pull
from volition.drama.rules.pacing import relief
from volition.drama.rules.situation import (
    away_pull,
    chill,
    company,
    course_window,
    crowd,
    departure_pull,
    drinking,
    exit_pull,
    flight,
    making_up,
    manners,
    move_again,
    move_cost,
    need_pull,
    need_use,
    slam_pull,
    task_pull,
    unrest,
)
from volition.drama.rules.utility import group

if TYPE_CHECKING:
    from volition.drama.evening.house import House
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.weigh import Desk


def offer_words(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """CHAT with each of those here, and with all of them."""
    rules, worth, flaws = house.rules, house.worth[me][CHAT], house.bias[me][desk.offered][CHAT]
    close, towards = house.close[me][CLOSE_CHAT], house.towards[me][desk.offered][TO_CHAT]
    affection, confronted_by, shame = evening.affection[me], evening.confronted_by[me], evening.emotions[me][SHAME]
    pace = desk.calm + desk.steady[house.stance[me][CHAT]]
    wanted = felt = resented = 0.0
    for place in range(seen.company):
        other = seen.other[place]
        bond = bond_pull(CHAT, 0.0, affection[other], 0.0, rules.bonds)
        wanted += close[other]
        felt += bond
        situation = 0.0
        if house.departs != 0:
            owes = confronted_by[other] >= 0 or evening.wronged[me] >> other & 1 != 0
            situation = itemise(desk, MAKING_UP, making_up(CHAT, owes, shame, rules.departures, rules.situation))
            situation += itemise(desk, CHILL, chill(evening.grievance[me][other], rules.departures))
            resented += evening.grievance[me][other]
        bias = flaws + towards[other]
        put_down(desk, house.chat + other, worth + close[other], bias, pace, bond, 0.0, 0.0, situation)
    if seen.company < 2:
        return
    normalise = rules.departures.normalise_groups
    bias = flaws if normalise != 0 else flaws + towards[seen.other[0]]
    wanted = group(wanted, seen.company, normalise)
    felt = group(felt, seen.company, normalise)
    situation = 0.0
    if house.departs != 0:
        situation = itemise(desk, CHILL, chill(resented / seen.company, rules.departures))
    put_down(desk, house.chat_to_all, worth + wanted, bias, pace, felt, 0.0, 0.0, situation)


def offer_looks(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """OBSERVE each of those here, and the room."""
    worth, flaws = house.worth[me][OBSERVE], house.bias[me][desk.awake][OBSERVE]
    towards, pace = house.towards[me][desk.awake][TO_WATCH], desk.calm + desk.steady[house.stance[me][OBSERVE]]
    for place in range(seen.company):
        other = seen.other[place]
        put_down(desk, house.observe + other, worth, flaws + towards[other], pace, 0.0, 0.0, 0.0, 0.0)
    put_down(desk, house.look_around, worth, flaws, pace, 0.0, 0.0, 0.0, 0.0)


def offer_moves(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """SOCIAL_MOVE through each door behind which there is a place left."""
    rules, here, stress = house.rules, evening.room[me], evening.stress[me]
    flaws = house.bias[me][desk.awake][SOCIAL_MOVE]
    steady = desk.calm + desk.steady[house.stance[me][SOCIAL_MOVE]]
    relieved = relief(SOCIAL_MOVE, stress, 1.0, False, rules.pacing)
    hiding = house.hiding[(stress > rules.movement.stress_above) + 2 * seen.pending]
    company = house.company[me]
    if house.departs != 0:
        price_moves(evening, house, me, seen, desk)
    for door in range(house.doors[here]):
        room = house.door[here][door]
        heads, pull, there, followed = 0, hiding[room], seen.there[room], seen.followed[room]
        for other in range(house.people if there != 0 else 0):
            near = company[other]
            heads += there >> other & 1
            pull += near if there >> other & 1 else 0.0
        for other in range(house.people if followed != 0 else 0):
            if followed >> other & 1:
                pull += follow_pull(evening.trust[me][other], evening.emotions[me][SUSPICION], rules.movement)
        if heads < house.capacity[room]:
            pace = steady + (relieved if house.privacy[room] > rules.pacing.private_above else 0.0)
            situation = 0.0
            if house.departs != 0:
                situation = situation_of_move(evening, house, me, seen, desk, room, heads)
            put_down(desk, house.move + room, house.moving[me][room], flaws, pace, 0.0, 0.0, pull, situation)


def price_moves(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """Work out what stands against a move, wherever it leads: serving, being thrown out and flight excuse from manners."""
    departures, leaves = house.rules.departures, evening.room[me] == house.gathering
    moved = evening.tick - evening.moved[me] if evening.moved[me] >= 0 else 0
    flees = departures.flight != 0.0 and desk.dreaded & seen.present != 0
    excused = evening.task[me] != NONE or evening.thrown_out[me] != 0 or flees
    desk.move_cost = move_cost(departures)
    desk.move_again = move_again(moved, departures)
    desk.manners = manners(leaves, excused, seen.company, departures, house.rules.situation)


def situation_of_move(
    evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk, room: int, heads: int
) -> float:
    """What the situation adds to a move to a room with this many people."""
    departures, table, minutes = house.rules.departures, house.rules.situation, evening.minutes
    returns, leaves = room == house.gathering, evening.room[me] == house.gathering
    away = minutes - evening.away[me] if evening.away[me] >= 0.0 else 0.0
    since = minutes - evening.course_seen[me] if evening.course_seen[me] >= 0.0 else -1.0
    dreaded_here, dreaded_there = desk.dreaded & seen.present != 0, desk.dreaded & seen.there[room] != 0
    carries = evening.task[me] != NONE and room_of_task(house, evening.task[me]) == room
    pull = itemise(desk, MOVE_COST, desk.move_cost)
    pull += itemise(desk, MOVE_AGAIN, desk.move_again)
    pull += itemise(desk, FLIGHT, flight(dreaded_here, dreaded_there, departures))
    pull += itemise(desk, MANNERS, desk.manners)
    pull += itemise(desk, AWAY, away_pull(returns, away, departures))
    pull += itemise(desk, CROWD, crowd(heads, seen.company, departures))
    pull += itemise(desk, COMPANY, company(seen.company, heads, departures))
    pull += itemise(desk, COURSE, course_window(returns, leaves, since, departures))
    if carries:
        pull += task_worth(evening, house, me, seen, desk)
    if room == house.exit:
        pull += itemise(desk, LEAVING, exit_pull(seen.wish))
    for need in range(house.needs):
        if house.need_room[need] == room:
            pull += itemise(desk, OF_NEED + need, need_pull(evening.needs[me][need], departures, table))
    return pull


def task_worth(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> float:
    """What a task adds to an act that serves it: less after a scene, and where there is somebody whom one resents."""
    departures, resented = house.rules.departures, 0.0
    for place in range(seen.company):
        resented = max(resented, evening.grievance[me][seen.other[place]])
    pull = itemise(desk, OF_TASK, task_pull(True, departures))
    pull += itemise(desk, UNREST, unrest(seen.scene != 0, departures))
    return pull + itemise(desk, CHILL, chill(resented, departures))


def room_of_task(house: House, task: int) -> int:
    """Where a task is carried on: courses are fetched in the kitchen, all else is done where people gather."""
    if task == FETCH:
        return house.kitchen
    return house.gathering


def offer_handling(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """INTERNAL and every PHYSICAL act."""
    rules, departures = house.rules, house.rules.departures
    pace = desk.calm + desk.steady[house.stance[me][INTERNAL]]
    put_down(
        desk, house.think, house.worth[me][INTERNAL], house.bias[me][desk.awake][INTERNAL], pace, 0.0, 0.0, 0.0, 0.0
    )
    worth, flaws = house.worth[me][PHYSICAL], house.bias[me][desk.awake][PHYSICAL]
    pace = desk.calm + desk.steady[house.stance[me][PHYSICAL]]
    if evening.alcohol[me] < rules.candidates.drink_below:
        eased = pace + relief(PHYSICAL, evening.stress[me], 0.0, True, rules.pacing)
        situation = 0.0
        if house.departs != 0:
            at_hand = evening.room[me] == house.gathering
            pull = drinking(evening.stress[me], at_hand, departures, rules.situation)
            situation = itemise(desk, DRINK, pull)
        put_down(desk, house.drink, worth, flaws, eased, 0.0, 0.0, 0.0, situation)
    if house.departs == 0:
        return
    room, task = evening.room[me], evening.task[me]
    if departures.courses != 0.0 and task != NONE and room_of_task(house, task) == room:
        situation = task_worth(evening, house, me, seen, desk)
        put_down(desk, house.do_task + task, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
    if departures.needs != 0.0:
        for need in range(house.needs):
            wanted = evening.needs[me][need]
            if house.need_room[need] == room and wanted > departures.need_use:
                situation = itemise(desk, OF_NEED + need, need_use(wanted, departures))
                put_down(desk, house.use + need, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
    offer_slam(evening, house, me, desk)
    if room == house.exit and seen.wish > 0.0:
        situation = itemise(desk, LEAVING, departure_pull(seen.wish, rules.leaving))
        put_down(desk, house.leave, worth, flaws, pace, 0.0, 0.0, 0.0, situation)


def offer_slam(evening: EveningState, house: House, me: int, desk: Desk) -> None:
    """A slammed door is dramatic, so the gates bar it, and the mask and the early hour weigh on it."""
    departures, anger = house.rules.departures, evening.emotions[me][ANGER]
    if departures.slam == 0.0 or anger <= departures.slam or (desk.barred != 0 and desk.itemised == 0):
        return
    pace = desk.mask + desk.steady[house.stance[me][SLAMMING]]
    situation = itemise(desk, RESTRAINT, desk.restraint) + itemise(desk, SLAM, slam_pull(anger, departures))
    flaws = house.bias[me][desk.awake][SLAMMING]
    put_down(desk, house.slam, house.worth[me][SLAMMING], flaws, pace, 0.0, desk.alcohol, 0.0, situation)
