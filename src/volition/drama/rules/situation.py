"""The situation in the score: restraint, quarrels, rooms, courses and needs, each a departure from the specification.

Every term is a leaf or a sum of leaves, and 0.0 where its setting in `Departures` is 0, so that with all of them off a
score is the specification's to the last bit. Those that name no act are for a SOCIAL_MOVE, or for whatever act they
are asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, LIE, REVEAL
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Departures, Leaving, Situation


def _fading(minute: float, span: float) -> float:
    """What is left at a minute of something that is whole at first and gone after `span` minutes."""
    if minute >= span:
        return 0.0
    return 1.0 - minute / span


def recency(dramatic: bool, age: int, departures: Departures) -> float:
    """Against doing what one did `age` ticks ago; an age below 1 says that one did not."""
    cost = departures.recency_dramatic if dramatic else departures.recency
    if 1 <= age <= departures.recency_ticks:
        return leaf(-(cost * (1.0 + departures.recency_slope * (departures.recency_ticks - age))))
    return 0.0


def restraint(dramatic: bool, minute: float, departures: Departures) -> float:
    """Against dramatic acts while the evening is young."""
    if dramatic:
        return leaf(-(departures.opening_restraint * _fading(minute, departures.opening_minutes)))
    return 0.0


def politeness(act: int, minute: float, departures: Departures) -> float:
    """Against CONFLICT: by how much politeness outweighs the restraint that is counted already."""
    if act == CONFLICT:
        polite = leaf(-(departures.politeness * _fading(minute, departures.politeness_minutes)))
        return min(0.0, polite - restraint(True, minute, departures))
    return 0.0


def telling_cost(
    act: int,
    holds: bool,
    conceals: bool,
    affection: float,
    harm: float,
    departures: Departures,
    situation: Situation,
) -> float:
    """Against giving a secret away by REVEAL or CONFIDE.

    A holder pays the whole cost if bound to conceal it and a share if not. Anybody else pays by the highest `affection`
    for a holder, and by how little `harm` the secret does to oneself.
    """
    if act not in (REVEAL, CONFIDE):
        return 0.0
    cost = departures.telling_cost
    if holds:
        return leaf(-cost) if conceals else leaf(-(cost * situation.telling_open))
    return leaf(-(cost * max(0.0, affection))) + leaf(-(cost * (1.0 - harm)))


def telling_holder(act: int, listener_holds: bool, departures: Departures) -> float:
    """Against a REVEAL to somebody whose own secret it is."""
    if act == REVEAL and listener_holds:
        return leaf(-departures.telling_holder)
    return 0.0


def grievance_pull(act: int, grievance: float, departures: Departures) -> float:
    """Towards CONFLICT with somebody, by the grievance against them."""
    if act == CONFLICT:
        return leaf(departures.grievance * grievance)
    return 0.0


def fatigue_cost(act: int, fatigue: float, departures: Departures) -> float:
    """Against another CONFLICT of the same two, by how tired of it they are."""
    if act == CONFLICT:
        return leaf(-(departures.fatigue * fatigue))
    return 0.0


def suspicion_pull(act: int, suspects: bool, departures: Departures) -> float:
    """Towards CONFLICT with the holder of a secret that one suspects."""
    if act == CONFLICT and suspects:
        return leaf(departures.suspicion_pull)
    return 0.0


def lie_pull(act: int, departures: Departures) -> float:
    """Towards a LIE, once there is occasion for one."""
    if act == LIE:
        return leaf(departures.lie_pull)
    return 0.0


def making_up(act: int, wronged: bool, shame: float, departures: Departures, situation: Situation) -> float:
    """Towards a CHAT with somebody who confronted one, or whom one's exposed secret harmed, out of shame."""
    if act == CHAT and wronged and shame > situation.ashamed:
        return leaf(departures.making_up)
    return 0.0


def move_cost(departures: Departures) -> float:
    """Against moving at all."""
    return leaf(-departures.move_cost)


def move_again(age: int, departures: Departures) -> float:
    """Against moving when the last move was `age` ticks ago; an age below 1 says that there was none."""
    if 1 <= age <= departures.move_again_ticks:
        return leaf(-departures.move_again)
    return 0.0


def manners(leaves: bool, excused: bool, others: int, departures: Departures, situation: Situation) -> float:
    """Against leaving the gathering and the `others` there; who serves or departs is excused."""
    if leaves and not excused:
        company = min(1.0, others / situation.manners_company)
        return leaf(-(departures.manners * (situation.manners_least + situation.manners_most * company)))
    return 0.0


def away_pull(returns: bool, minutes_away: float, departures: Departures) -> float:
    """Back to the gathering, the longer one has been away."""
    if returns:
        return leaf(min(departures.away_most, departures.away_pull * minutes_away))
    return 0.0


def crowd(there: int, here: int, departures: Departures) -> float:
    """Towards the people in the other room, less for the others in this one: a sum of leaves."""
    pull = min(departures.crowd_pull_most, departures.crowd_pull * there)
    push = min(departures.crowd_push_most, departures.crowd_push * here)
    return leaf(pull) - leaf(push)


def company(here: int, there: int, departures: Departures) -> float:
    """From being alone to company."""
    if here == 0 and there > 0:
        return leaf(departures.company)
    return 0.0


def task_pull(serves: bool, departures: Departures) -> float:
    """Towards an act that carries on one's task of serving."""
    if serves:
        return leaf(departures.courses)
    return 0.0


def slam_pull(anger: float, departures: Departures) -> float:
    """Towards slamming a door, by how angry one is."""
    return leaf(departures.slam_pull * anger)


def course_window(returns: bool, leaves: bool, since: float, departures: Departures) -> float:
    """To the gathering and not away from it while a course is on the table, served `since` minutes ago.

    A negative `since` says that none was served.
    """
    if 0.0 <= since <= departures.course_minutes:
        if returns:
            return leaf(departures.course_window)
        if leaves:
            return leaf(-departures.course_window)
    return 0.0


def need_pull(need: float, departures: Departures, situation: Situation) -> float:
    """To the room where a need can be met, once it is felt."""
    return leaf(departures.needs * max(0.0, need - situation.need_felt))


def need_use(need: float, departures: Departures) -> float:
    """Towards the PHYSICAL act that meets a need: a sum of leaves."""
    if departures.needs > 0.0:
        return leaf(departures.need_base) + leaf(departures.need_use * need)
    return 0.0


def leave_desire(
    minute: float,
    since_scene: float,
    broken: bool,
    stress: float,
    thrown_out: bool,
    departures: Departures,
    leaving: Leaving,
) -> float:
    """How much a guest wants to leave: a leaf, and not at all below 0.

    `since_scene` are the minutes since the last catastrophe, negative where there was none. Who is thrown out wants to
    leave and nothing else: 1.
    """
    if not departures.leaving:
        return 0.0
    if thrown_out:
        return 1.0
    desire = leaving.stress * max(0.0, stress - leaving.stress_above)
    if 0.0 <= since_scene <= leaving.scene_minutes:
        desire += leaving.scene
    if broken:
        desire += leaving.broken
    if minute > leaving.late_from:
        desire += leaving.late * ((minute - leaving.late_from) / leaving.late_minutes)
    return leaf(desire - leaving.decency * _fading(minute, leaving.decency_minutes))


def exit_pull(desire: float) -> float:
    """To the room of the exit, by the desire to leave."""
    return max(0.0, leaf(desire))


def departure_pull(desire: float, leaving: Leaving) -> float:
    """Towards a departure, in the room of the exit; 0 for who does not want to leave."""
    if desire > 0.0:
        return leaf(leaving.departure) + leaf(desire)
    return 0.0
