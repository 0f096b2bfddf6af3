"""What quiet acts are worth: words, looks, moves, handling things, and gestures towards a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.perceive import awaits_passage, is_at_peace, recently
from volition.drama.evening.record import NONE
from volition.drama.evening.sets import has
from volition.drama.evening.state import ANGER, FETCH, SERVE, SHAME, SUSPICION
from volition.drama.evening.tables import CLOSE_CHAT, SLAMMING, TO_CHAT, TO_WATCH
from volition.drama.evening.weigh import (
    ALLOWED,
    AWAY,
    BREAK_WITH,
    CHILL,
    COLD,
    COMFORT,
    COMPANY,
    COURSE,
    CROWD,
    DRINK,
    FLIGHT,
    FORGIVE,
    HAS_PASSAGE,
    LEAVING,
    MAKING_UP,
    MANNERS,
    MOVE_AGAIN,
    MOVE_COST,
    OF_NEED,
    OF_TASK,
    OWED,
    RESTRAINT,
    SEEK,
    SLAM,
    SWALLOW,
    UNREST,
    add_candidate,
    itemise,
    veto_last,
    veto_of,
    veto_of_closeness,
)
from volition.drama.rules.catalog import CHAT, INTERNAL, OBSERVE, PHYSICAL, SOCIAL_MOVE
from volition.drama.rules.pacing import relief
from volition.drama.rules.situation import (
    away_pull,
    breaking_with,
    chill,
    comforting,
    company,
    course_window,
    crowd,
    departure_pull,
    drinking,
    exit_pull,
    flight,
    forgiving,
    going_cold,
    making_up,
    manners,
    move_again,
    move_cost,
    need_pull,
    need_use,
    owing,
    seeking,
    slam_pull,
    swallowing,
    task_pull,
    unrest,
)
from volition.drama.rules.utility import bond_pull, follow_pull, group

if TYPE_CHECKING:
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.weigh import ScoreSheet


def offer_words(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """CHAT with each of those here, and with all of them."""
    rules, worth, flaws = tables.rules, tables.worth[me][CHAT], tables.bias[me][sheet.offered][CHAT]
    close, towards = tables.close[me][CLOSE_CHAT], tables.towards[me][sheet.offered][TO_CHAT]
    affection, confronted_by, shame = evening.affection[me], evening.confronted_by[me], evening.emotions[me][SHAME]
    pace = sheet.calm + sheet.steady[tables.stance[me][CHAT]]
    wanted = felt = resented = 0.0
    for place in range(seen.company):
        other = seen.other[place]
        bond = bond_pull(CHAT, 0.0, affection[other], 0.0, rules.bonds)
        wanted += close[other]
        felt += bond
        situation = 0.0
        if tables.departs != 0:
            owes = confronted_by[other] >= 0 or has(evening.wronged[me], other)
            situation = itemise(sheet, MAKING_UP, making_up(CHAT, owes, shame, rules.departures, rules.situation))
            situation += itemise(sheet, CHILL, chill(evening.grievance[me][other], rules.departures))
            resented += evening.grievance[me][other]
        veto = veto_of(sheet, other)
        if veto == ALLOWED or sheet.itemised != 0:
            bias = flaws + towards[other]
            add_candidate(sheet, tables.chat + other, worth + close[other], bias, pace, bond, 0.0, 0.0, situation)
            veto_last(sheet, veto)
    if seen.company < 2:
        return
    normalise = rules.departures.normalise_groups
    bias = flaws if normalise != 0 else flaws + towards[seen.other[0]]
    wanted = group(wanted, seen.company, normalise)
    felt = group(felt, seen.company, normalise)
    situation = 0.0
    if tables.departs != 0:
        situation = itemise(sheet, CHILL, chill(resented / seen.company, rules.departures))
    add_candidate(sheet, tables.chat_to_all, worth + wanted, bias, pace, felt, 0.0, 0.0, situation)


def offer_looks(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """OBSERVE each of those here, and the room."""
    worth, flaws = tables.worth[me][OBSERVE], tables.bias[me][sheet.awake][OBSERVE]
    towards, pace = tables.towards[me][sheet.awake][TO_WATCH], sheet.calm + sheet.steady[tables.stance[me][OBSERVE]]
    for place in range(seen.company):
        other = seen.other[place]
        add_candidate(sheet, tables.observe + other, worth, flaws + towards[other], pace, 0.0, 0.0, 0.0, 0.0)
    add_candidate(sheet, tables.look_around, worth, flaws, pace, 0.0, 0.0, 0.0, 0.0)


def offer_moves(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """SOCIAL_MOVE through each door behind which there is a place left."""
    rules, here, stress = tables.rules, evening.room[me], evening.stress[me]
    flaws = tables.bias[me][sheet.awake][SOCIAL_MOVE]
    steady = sheet.calm + sheet.steady[tables.stance[me][SOCIAL_MOVE]]
    relieved = relief(SOCIAL_MOVE, stress, 1.0, False, rules.pacing)
    hiding = tables.hiding[(stress > rules.movement.stress_above) + 2 * seen.pending]
    company = tables.company[me]
    if tables.departs != 0:
        price_moves(evening, tables, me, seen, sheet)
    serves = evening.task[me] == SERVE and here == tables.gathering  # nobody walks off with the dishes
    for door in range(0 if serves else tables.doors[here]):
        room = tables.door[here][door]
        heads, pull, there, followed = 0, hiding[room], seen.there[room], seen.followed[room]
        for other in range(tables.people if there != 0 else 0):
            near = company[other]
            heads += has(there, other)
            pull += near if has(there, other) else 0.0
        for other in range(tables.people if followed != 0 else 0):
            if has(followed, other):
                pull += follow_pull(evening.trust[me][other], evening.emotions[me][SUSPICION], rules.movement)
        if heads < tables.capacity[room]:
            pace = steady + (relieved if tables.privacy[room] > rules.pacing.private_above else 0.0)
            situation = 0.0
            if tables.departs != 0:
                situation = situation_of_move(evening, tables, me, seen, sheet, room, heads)
            add_candidate(sheet, tables.move + room, tables.moving[me][room], flaws, pace, 0.0, 0.0, pull, situation)


def price_moves(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Work out what stands against a move, wherever it leads: serving, being thrown out and flight excuse from manners."""
    departures, leaves = tables.rules.departures, evening.room[me] == tables.gathering
    moved = evening.tick - evening.moved[me] if evening.moved[me] >= 0 else 0
    flees = departures.flight != 0.0 and sheet.dreaded & seen.present != 0
    excused = evening.task[me] != NONE or evening.thrown_out[me] != 0 or flees
    sheet.move_cost = move_cost(departures)
    sheet.move_again = move_again(moved, departures)
    sheet.manners = manners(leaves, excused, seen.company, departures, tables.rules.situation)


def situation_of_move(
    evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet, room: int, heads: int
) -> float:
    """What the situation adds to a move to a room with this many people."""
    departures, table, minutes = tables.rules.departures, tables.rules.situation, evening.minutes
    returns, leaves = room == tables.gathering, evening.room[me] == tables.gathering
    away = minutes - evening.away[me] if evening.away[me] >= 0.0 else 0.0
    since = minutes - evening.course_seen[me] if evening.course_seen[me] >= 0.0 else -1.0
    dreaded_here, dreaded_there = sheet.dreaded & seen.present != 0, sheet.dreaded & seen.there[room] != 0
    carries = evening.task[me] != NONE and room_of_task(tables, evening.task[me]) == room
    pull = itemise(sheet, MOVE_COST, sheet.move_cost)
    pull += itemise(sheet, MOVE_AGAIN, sheet.move_again)
    pull += itemise(sheet, FLIGHT, flight(dreaded_here, dreaded_there, departures))
    pull += itemise(sheet, MANNERS, sheet.manners)
    pull += itemise(sheet, AWAY, away_pull(returns, away, departures))
    pull += itemise(sheet, CROWD, crowd(heads, seen.company, departures))
    pull += itemise(sheet, COMPANY, company(seen.company, heads, departures))
    pull += itemise(sheet, COURSE, course_window(returns, leaves, since, departures))
    if carries:
        pull += task_worth(evening, tables, me, seen, sheet)
    if departures.seek != 0.0 and sheet.owed & seen.there[room] & ~seen.present != 0:
        pull += itemise(sheet, SEEK, seeking(departures))
    if room == tables.exit:
        pull += itemise(sheet, LEAVING, exit_pull(seen.wish))
    for need in range(tables.needs):
        if tables.need_room[need] == room:
            pull += itemise(sheet, OF_NEED + need, need_pull(evening.needs[me][need], departures, table))
    return pull


def task_worth(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> float:
    """What a task adds to an act that serves it: less after a scene, and in the company of a person whom `me` resents."""
    departures, resented = tables.rules.departures, 0.0
    for place in range(seen.company):
        resented = max(resented, evening.grievance[me][seen.other[place]])
    pull = itemise(sheet, OF_TASK, task_pull(True, departures))
    pull += itemise(sheet, UNREST, unrest(seen.scene != 0, departures))
    return pull + itemise(sheet, CHILL, chill(resented, departures))


def room_of_task(tables: ScenarioTables, task: int) -> int:
    """Where a task is carried on: courses are fetched in the kitchen, all else is done where people gather."""
    if task == FETCH:
        return tables.kitchen
    return tables.gathering


def offer_handling(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """INTERNAL and every PHYSICAL act."""
    rules, departures = tables.rules, tables.rules.departures
    pace = sheet.calm + sheet.steady[tables.stance[me][INTERNAL]]
    add_candidate(
        sheet,
        tables.think,
        tables.worth[me][INTERNAL],
        tables.bias[me][sheet.awake][INTERNAL],
        pace,
        0.0,
        0.0,
        0.0,
        0.0,
    )
    worth, flaws = tables.worth[me][PHYSICAL], tables.bias[me][sheet.awake][PHYSICAL]
    pace = sheet.calm + sheet.steady[tables.stance[me][PHYSICAL]]
    at_hand = evening.room[me] == tables.gathering
    has_glass = tables.departs == 0 or (tables.drinks != 0 and (at_hand or evening.alcohol[me] > 0.0))
    if has_glass and evening.alcohol[me] < rules.candidates.drink_below:
        eased = pace + relief(PHYSICAL, evening.stress[me], 0.0, True, rules.pacing)
        situation = 0.0
        if tables.departs != 0:
            pull = drinking(evening.stress[me], at_hand, departures, rules.situation)
            situation = itemise(sheet, DRINK, pull)
        add_candidate(sheet, tables.drink, worth, flaws, eased, 0.0, 0.0, 0.0, situation)
    if tables.departs == 0:
        return
    room, task = evening.room[me], evening.task[me]
    if departures.courses != 0.0 and task != NONE and room_of_task(tables, task) == room:
        situation = task_worth(evening, tables, me, seen, sheet)
        add_candidate(sheet, tables.do_task + task, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
    if departures.needs != 0.0:
        for need in range(tables.needs):
            wanted = evening.needs[me][need]
            if tables.need_room[need] == room and wanted > departures.need_use:
                situation = itemise(sheet, OF_NEED + need, need_use(wanted, departures))
                add_candidate(sheet, tables.use + need, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
    offer_slam(evening, tables, me, sheet)
    passage = HAS_PASSAGE if awaits_passage(evening, tables, me) else ALLOWED
    if room == tables.exit and seen.wish > 0.0 and (passage == ALLOWED or sheet.itemised != 0):
        offer_leaving(tables, me, sheet, departure_pull(seen.wish, rules.leaving))
        veto_last(sheet, passage)


def offer_leaving(tables: ScenarioTables, me: int, sheet: ScoreSheet, pull: float) -> None:
    """Leaving for good, with what pulls `me` out of the house."""
    worth, flaws = tables.worth[me][PHYSICAL], tables.bias[me][sheet.awake][PHYSICAL]
    pace = sheet.calm + sheet.steady[tables.stance[me][PHYSICAL]]
    add_candidate(sheet, tables.leave, worth, flaws, pace, 0.0, 0.0, 0.0, itemise(sheet, LEAVING, pull))


def offer_slam(evening: EveningState, tables: ScenarioTables, me: int, sheet: ScoreSheet) -> None:
    """A slammed door is dramatic, so the gates bar it, and the mask and the early hour weigh on it."""
    departures, anger = tables.rules.departures, evening.emotions[me][ANGER]
    if departures.slam == 0.0 or anger <= departures.slam or (sheet.barred != 0 and sheet.itemised == 0):
        return
    if not is_fresh(evening, tables, evening.slammed[me]):
        return
    pace = sheet.mask + sheet.steady[tables.stance[me][SLAMMING]]
    situation = itemise(sheet, RESTRAINT, sheet.restraint) + itemise(sheet, SLAM, slam_pull(anger, departures))
    flaws = tables.bias[me][sheet.awake][SLAMMING]
    add_candidate(sheet, tables.slam, tables.worth[me][SLAMMING], flaws, pace, 0.0, sheet.alcohol, 0.0, situation)


def offer_gestures(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """PHYSICAL acts towards each of those here: for who did a wrong, and for who was just in a quarrel."""
    departures, worth, flaws = (
        tables.rules.departures,
        tables.worth[me][PHYSICAL],
        tables.bias[me][sheet.awake][PHYSICAL],
    )
    pace = sheet.calm + sheet.steady[tables.stance[me][PHYSICAL]]
    for place in range(seen.company):
        other = seen.other[place]
        held = evening.grievance[me][other]
        if departures.cold != 0.0 and has(sheet.open, other) and is_fresh(evening, tables, evening.shunned[me][other]):
            situation = itemise(sheet, COLD, going_cold(held, departures, tables.rules.situation))
            situation += itemise(sheet, SWALLOW, swallowing(False, tables.swallows[me] != 0, departures))
            add_candidate(sheet, tables.shun + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
        shaken = recently(evening.sided_at[me][other], evening.tick, tables.rules.memory.conflict)
        veto = veto_of_closeness(sheet, other)
        shaken = shaken and is_fresh(evening, tables, evening.comforted[me][other])
        if departures.comfort != 0.0 and shaken and (veto == ALLOWED or sheet.itemised != 0):
            protects = has(tables.protects[me], other)
            situation = itemise(sheet, COMFORT, comforting(evening.affection[me][other], protects, departures))
            situation += itemise(sheet, CHILL, chill(held, departures))
            add_candidate(sheet, tables.comfort + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
            veto_last(sheet, veto)
        if has(sheet.owed, other):
            offer_settling(evening, tables, me, sheet, other)
        elif has(sheet.unforgiven, other):
            offer_forgiving(evening, tables, me, sheet, other)


def is_fresh(evening: EveningState, tables: ScenarioTables, last: float) -> bool:
    """Whether a gesture that was last made at some minute, or never, can be made again without looking like a habit."""
    return last < 0.0 or evening.minutes - last >= tables.rules.departures.gestures


def offer_settling(evening: EveningState, tables: ScenarioTables, me: int, sheet: ScoreSheet, other: int) -> None:
    """The two ways to settle a wrong without a quarrel: forgiving it after a while, out of fondness, and breaking.

    Neither is for who has done the other a wrong, and nobody breaks with whom they made peace. Breaking is dramatic, so the
    gates bar it, and the mask weighs on it; the early hour does not.
    """
    rules, departures = tables.rules, tables.rules.departures
    if has(evening.wronged[me], other):
        return
    worth, flaws = tables.worth[me][PHYSICAL], tables.bias[me][sheet.awake][PHYSICAL]
    held, waited = evening.grievance[me][other], evening.minutes - evening.stung[me][other]
    fond = evening.affection[me][other] > 0.0
    pace = sheet.calm + sheet.steady[tables.stance[me][PHYSICAL]]
    if departures.forgive != 0.0 and fond and waited >= rules.situation.forgive_minutes:
        situation = itemise(sheet, FORGIVE, forgiving(evening.affection[me][other], held, departures, rules.situation))
        situation += itemise(sheet, OWED, owing(waited, departures, rules.situation))
        add_candidate(sheet, tables.forgive + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
    peaceful = is_at_peace(evening, tables, me, other)
    if departures.break_with != 0.0 and not peaceful and (sheet.barred == 0 or sheet.itemised != 0):
        situation = itemise(sheet, BREAK_WITH, breaking_with(evening.trust[me][other], held, departures))
        situation += itemise(sheet, OWED, owing(waited, departures, rules.situation))
        pace = sheet.mask + sheet.steady[tables.stance[me][PHYSICAL]]
        add_candidate(sheet, tables.break_with + other, worth, flaws, pace, 0.0, sheet.alcohol, 0.0, situation)


def offer_forgiving(evening: EveningState, tables: ScenarioTables, me: int, sheet: ScoreSheet, other: int) -> None:
    """Forgiving a wrong that had its scene: out of fondness, when the last quarrel is long ago."""
    rules, departures, held = tables.rules, tables.rules.departures, evening.grievance[me][other]
    quarrelled = recently(evening.confronted[me][other], evening.tick, departures.ground_ticks)
    fond = evening.affection[me][other] > 0.0
    if departures.forgive == 0.0 or quarrelled or not fond or has(evening.wronged[me], other):
        return
    situation = itemise(sheet, FORGIVE, forgiving(evening.affection[me][other], held, departures, rules.situation))
    worth, flaws = tables.worth[me][PHYSICAL], tables.bias[me][sheet.awake][PHYSICAL]
    pace = sheet.calm + sheet.steady[tables.stance[me][PHYSICAL]]
    add_candidate(sheet, tables.forgive + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
