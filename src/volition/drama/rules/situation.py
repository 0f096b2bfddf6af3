"""The situation in the score: restraint, quarrels, rooms, courses and needs, each a departure from the specification.

Every term is a leaf or a sum of leaves, and 0.0 if its setting in `Departures` is 0: with all of them off, a score is that
of the specification to the last bit. Terms without an act as a parameter apply to a SOCIAL_MOVE, or to any act.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, LIE, REVEAL
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Departures, Leaving, Situation


def _remaining(share: float, span: float) -> float:
    """What is left of something that fades from 1 to 0 within the first `span` of an evening of which a share is over."""
    if share >= span:
        return 0.0
    return 1.0 - share / span


def recency(dramatic: bool, age: int, departures: Departures) -> float:
    """Against repeating an act of `age` ticks ago; an age below 1 means that there is none."""
    cost = departures.recency_dramatic if dramatic else departures.recency
    if 1 <= age <= departures.recency_ticks:
        return leaf(-(cost * (1.0 + departures.recency_slope * (departures.recency_ticks - age))))
    return 0.0


def restraint(dramatic: bool, share: float, departures: Departures) -> float:
    """Against dramatic acts early in the evening, of which a share is over."""
    if dramatic:
        return leaf(-(departures.opening_restraint * _remaining(share, departures.opening_share)))
    return 0.0


def politeness(act: int, share: float, departures: Departures) -> float:
    """Against CONFLICT: the amount by which politeness exceeds the restraint, which is counted separately."""
    if act == CONFLICT:
        polite = leaf(-(departures.politeness * _remaining(share, departures.politeness_share)))
        return min(0.0, polite - restraint(True, share, departures))
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
    """Against giving away a secret by REVEAL or CONFIDE.

    A holder pays the whole cost if committed to conceal it, and a share otherwise. Anybody else pays more, the higher
    their highest `affection` for a holder, and the less `harm` the secret does to themselves.
    """
    if act not in (REVEAL, CONFIDE):
        return 0.0
    cost = departures.telling_cost
    if holds:
        return leaf(-cost) if conceals else leaf(-(cost * situation.telling_open))
    return leaf(-(cost * max(0.0, affection))) + leaf(-(cost * (1.0 - harm)))


def denouncing(act: int, resentment: float, departures: Departures) -> float:
    """Towards a REVEAL about a person whom the speaker distrusts or holds something against, by how much."""
    if act == REVEAL:
        return leaf(departures.denounce * resentment)
    return 0.0


def protecting(act: int, about_protege: bool, departures: Departures) -> float:
    """Against giving away a secret of a person whom the speaker is committed to protect."""
    if act in (REVEAL, CONFIDE) and about_protege:
        return leaf(-departures.protect)
    return 0.0


def grievance_pull(act: int, grievance: float, departures: Departures) -> float:
    """Towards CONFLICT with a person, by the grievance against them."""
    if act == CONFLICT:
        return leaf(departures.grievance * grievance)
    return 0.0


def outrage(grievance: float, answered: bool, departures: Departures, situation: Situation) -> float:
    """Towards CONFLICT with a person whose wrong is not yet answered to their face."""
    share = situation.wrong_answered if answered else 1.0
    return leaf(departures.outrage * share * _sting(grievance, situation))


def owing(minutes: float, departures: Departures, situation: Situation) -> float:
    """Towards a scene about a wrong that has been open for some minutes: more and more, whoever it is."""
    return leaf(departures.owed * min(1.0, minutes / situation.owed_minutes))


def staking(gravity: float, affection: float, departures: Departures) -> float:
    """Towards a scene about what does harm: the more harm, and the closer the person who did it, the more."""
    return leaf(departures.stake * gravity * max(0.0, affection))


def forgiving(affection: float, grievance: float, departures: Departures, situation: Situation) -> float:
    """Towards forgiving a wrong: by affection, and more where not much is held against who did it."""
    return leaf(departures.forgive * (affection + situation.forgiving - grievance))


def breaking_with(trust: float, grievance: float, departures: Departures) -> float:
    """Towards breaking with somebody who did a wrong: by what is held against them, and by how little trust is left."""
    return leaf(departures.break_with * (grievance - max(0.0, trust)))


def seeking(departures: Departures) -> float:
    """Towards the room where somebody is taken to be whose wrong is open."""
    return leaf(departures.seek)


def going_cold(grievance: float, departures: Departures, situation: Situation) -> float:
    """Towards turning away from a person whose wrong is not yet answered at all."""
    return leaf(departures.cold * _sting(grievance, situation))


def _sting(grievance: float, situation: Situation) -> float:
    """How much a wrong stings: a part in any case, and more by the grievance."""
    return situation.wrong_least + (1.0 - situation.wrong_least) * grievance


def swallowing(confronts: bool, swallows: bool, departures: Departures) -> float:
    """Against confronting, and towards turning away, for those who have a flaw that makes them swallow a wrong."""
    if swallows:
        return leaf(-departures.swallow) if confronts else leaf(departures.swallow)
    return 0.0


def ally_pull(open_wrong: bool, departures: Departures) -> float:
    """Towards telling a trusted person, while another's wrong is not yet answered."""
    if open_wrong:
        return leaf(departures.ally)
    return 0.0


def chill(grievance: float, departures: Departures) -> float:
    """Against kind words, confidences and service, by the grievance against those they are for."""
    return leaf(-(departures.chill * grievance))


def fatigue_cost(act: int, fatigue: float, departures: Departures) -> float:
    """Against another CONFLICT between the same two people, by how tired of it they are."""
    if act == CONFLICT:
        return leaf(-(departures.fatigue * fatigue))
    return 0.0


def suspicion_pull(act: int, suspects: bool, departures: Departures) -> float:
    """Towards CONFLICT with the holder of a suspected secret."""
    if act == CONFLICT and suspects:
        return leaf(departures.suspicion_pull)
    return 0.0


def lie_pull(act: int, departures: Departures) -> float:
    """Towards a LIE, when there is a reason for one."""
    if act == LIE:
        return leaf(departures.lie_pull)
    return 0.0


def making_up(act: int, wronged: bool, shame: float, departures: Departures, situation: Situation) -> float:
    """Towards a CHAT, out of shame, with a person who confronted the speaker or was harmed by the speaker's secret."""
    if act == CHAT and wronged and shame > situation.ashamed:
        return leaf(departures.making_up)
    return 0.0


def comforting(affection: float, protects: bool, departures: Departures) -> float:
    """Towards comforting a person after a quarrel, by affection for them; more for a protector: a sum of leaves."""
    kindness = leaf(departures.comfort * max(0.0, affection))
    return kindness + leaf(departures.protect) if protects else kindness


def drinking(stress: float, at_hand: bool, departures: Departures, situation: Situation) -> float:
    """Towards a glass where there is one, by stress."""
    if at_hand:
        return leaf(departures.drinking * max(0.0, stress - situation.thirst))
    return 0.0


def unrest(scene: bool, departures: Departures) -> float:
    """Against serving where there was just a scene."""
    if scene:
        return leaf(-departures.unrest)
    return 0.0


def flight(dreaded_here: bool, dreaded_there: bool, departures: Departures) -> float:
    """Away from a dreaded person, to where they are not; and not to where they are."""
    if dreaded_there:
        return leaf(-departures.flight)
    if dreaded_here:
        return leaf(departures.flight)
    return 0.0


def move_cost(departures: Departures) -> float:
    """Against moving at all."""
    return leaf(-departures.move_cost)


def move_again(age: int, departures: Departures) -> float:
    """Against moving if the last move was `age` ticks ago; an age below 1 means that there was none."""
    if 1 <= age <= departures.move_again_ticks:
        return leaf(-departures.move_again)
    return 0.0


def manners(leaves: bool, excused: bool, others: int, departures: Departures, situation: Situation) -> float:
    """Against leaving the gathering and the `others` there, unless excused by serving or departing."""
    if leaves and not excused:
        company = min(1.0, others / situation.manners_company)
        return leaf(-(departures.manners * (situation.manners_least + situation.manners_most * company)))
    return 0.0


def away_pull(returns: bool, minutes_away: float, departures: Departures) -> float:
    """Back to the gathering, the more the longer a person has been away."""
    if returns:
        return leaf(min(departures.away_most, departures.away_pull * minutes_away))
    return 0.0


def crowd(there: int, here: int, departures: Departures) -> float:
    """Towards the people in the other room, minus a share for the people in this one: a sum of leaves."""
    pull = min(departures.crowd_pull_most, departures.crowd_pull * there)
    push = min(departures.crowd_push_most, departures.crowd_push * here)
    return leaf(pull) - leaf(push)


def company(here: int, there: int, departures: Departures) -> float:
    """From being alone to company."""
    if here == 0 and there > 0:
        return leaf(departures.company)
    return 0.0


def task_pull(serves: bool, departures: Departures) -> float:
    """Towards an act that serves the person's task."""
    if serves:
        return leaf(departures.courses)
    return 0.0


def slam_pull(anger: float, departures: Departures) -> float:
    """Towards slamming a door, by anger."""
    return leaf(departures.slam_pull * anger)


def course_window(returns: bool, leaves: bool, since: float, departures: Departures) -> float:
    """Towards the gathering, and against leaving it, while a course is on the table, served `since` minutes ago.

    A negative `since` means that none was served.
    """
    if 0.0 <= since <= departures.course_minutes:
        if returns:
            return leaf(departures.course_window)
        if leaves:
            return leaf(-departures.course_window)
    return 0.0


def need_pull(need: float, departures: Departures, situation: Situation) -> float:
    """Towards the room where a need can be met, once it is felt."""
    return leaf(departures.needs * max(0.0, need - situation.need_felt))


def need_use(need: float, departures: Departures) -> float:
    """Towards the PHYSICAL act that meets a need: a sum of leaves."""
    if departures.needs > 0.0:
        return leaf(departures.need_base) + leaf(departures.need_use * need)
    return 0.0


def leave_desire(
    share: float,
    since_scene: float,
    broken: bool,
    stress: float,
    thrown_out: bool,
    wronged: float,
    departures: Departures,
    leaving: Leaving,
) -> float:
    """How much a guest wants to leave when a share of the evening is over: a leaf; 0 or less means not at all.

    `since_scene` is the time since the last catastrophe in minutes, negative if there was none; `wronged` is the greatest
    grievance for a wrong that is not yet answered to the other's face. It is 1 for a person who was thrown out.
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
    desire += leaving.wronged * wronged
    if share > leaving.late_from:
        desire += leaving.late * ((share - leaving.late_from) / leaving.late_share)
    return leaf(desire - leaving.decency * _remaining(share, leaving.decency_share))


def exit_pull(desire: float) -> float:
    """Towards the room with the exit, by the desire to leave."""
    return max(0.0, leaf(desire))


def departure_pull(desire: float, leaving: Leaving) -> float:
    """Towards departing, in the room with the exit; 0 without a desire to leave."""
    if desire > 0.0:
        return leaf(leaving.departure) + leaf(desire)
    return 0.0
