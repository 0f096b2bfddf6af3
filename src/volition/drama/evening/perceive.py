"""What a person decides from: their own state, and what they perceive and believe of the world.

With the rule `knowledge = "perceived"` nothing comes in here that the person cannot see, remember or guess, so changing
anything else cannot change their decision. In an omniscient house, the specification's own reading, others' beliefs and
places are read directly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.record import (
    COUNT,
    DEPARTED,
    FLAG,
    NONE,
    PEOPLE_SET,
    PRESENT,
    REAL,
    SECRET_SET,
    Ints,
    part,
    record,
)
from volition.drama.evening.sets import has
from volition.drama.evening.state import ANGER, PEOPLE, ROOMS, SECRETS, SHAME
from volition.drama.evening.tables import WHEN
from volition.drama.rules.catalog import Belief
from volition.drama.rules.pacing import barred_by_budget, barred_by_recovery
from volition.drama.rules.situation import leave_desire

if TYPE_CHECKING:
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_UNKNOWN, _SUSPECTS, _BELIEVES_TRUE, _BELIEVES_FALSE = (int(belief) for belief in Belief)


@record
class Perceived:
    """The world as one person has it this tick."""

    # How things are, for all who perceive them now.
    inside: Ints = part(PEOPLE_SET, ROOMS)  # who is in each room
    moved: int = part(PEOPLE_SET)  # who moved recently
    went: Ints = part(PEOPLE_SET, ROOMS)  # who moved recently to each room
    believing: Ints = part(PEOPLE_SET, SECRETS)  # who holds each secret true, where minds are open
    suspecting: Ints = part(PEOPLE_SET, SECRETS)  # who suspects each secret, where minds are open

    # What one of them perceives of it.
    present: int = part(PEOPLE_SET)  # the others in the room
    company: int = part(COUNT)  # how many others are in the room
    other: Ints = part(PRESENT, PEOPLE)  # who they are
    told: int = part(SECRET_SET)  # the secrets that one holds true
    suspected: int = part(SECRET_SET)  # the secrets that one suspects
    there: Ints = part(PEOPLE_SET, ROOMS)  # who is taken to be in each room
    followed: Ints = part(PEOPLE_SET, ROOMS)  # who just went to each room
    knowing: Ints = part(PEOPLE_SET, SECRETS)  # who is taken to know each secret
    curious: Ints = part(PEOPLE_SET, SECRETS)  # to whom a lie about each secret may be worth telling
    status_threat: int = part(FLAG)
    exposure: int = part(FLAG)  # a secret is at risk, or its coming out would hurt a person here
    challenged: int = part(FLAG)
    scene: int = part(FLAG)  # there was a scene here recently
    pending: int = part(FLAG)  # something dramatic is on one's mind
    wish: float = part(REAL)  # how much one wants to leave


def recently(at: int, tick: int, ticks: int) -> bool:
    """Whether a tick, if it ever was, is at most `ticks` ticks ago."""
    return at >= 0 and tick - at <= ticks


def is_unforgiven(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether a wrong of `other` had its scene, and was neither forgiven nor made up for."""
    kept = tables.rules.departures.unforgiven != 0
    return kept and evening.wrong[me][other] != NONE and evening.stung[me][other] < 0.0


def is_at_peace(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether `me` has made peace with `other`, and nothing has happened since that ends it."""
    return tables.rules.departures.peace != 0 and has(evening.forgiven[me] | evening.reconciled[me], other)


def is_open_between(evening: EveningState, tables: ScenarioTables, me: int, other: int, secret: int) -> bool:
    """Whether a secret was said before `me` and `other`, so that neither can ask about it, hint at it or deny it."""
    return tables.rules.departures.said_ticks != 0 and has(evening.knows[me][secret], other)


def perceive(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """Write what `me` perceives into `seen`."""
    survey(evening, tables, seen)
    perceive_person(evening, tables, me, seen)


def survey(evening: EveningState, tables: ScenarioTables, seen: Perceived) -> None:
    """Write down what is the same for all who perceive now: who is where and, where minds are open, who believes what."""
    for room in range(tables.rooms):
        seen.inside[room] = 0
        seen.went[room] = 0
    for who in range(tables.people):
        if evening.room[who] != DEPARTED:
            seen.inside[evening.room[who]] |= 1 << who
    moved, at = 0, evening.tick % tables.moves
    for _ in range(tables.rules.memory.move):
        at = at - 1 if at > 0 else tables.moves - 1
        for who in range(tables.people):
            to = evening.moved_to[at][who]
            if to >= 0:
                moved |= 1 << who
                seen.went[to] |= 1 << who
    seen.moved = moved
    if tables.omniscient != 0:
        for secret in range(tables.secrets):
            believing = suspecting = 0
            for who in range(tables.people):
                belief = evening.belief[who][secret]
                believing |= (belief == _BELIEVES_TRUE) << who
                suspecting |= (belief == _SUSPECTS) << who
            seen.believing[secret] = believing
            seen.suspecting[secret] = suspecting


def perceive_person(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """Write what `me` makes out of what was surveyed."""
    _look_around(evening, tables, me, seen)
    classify_own_beliefs(evening, tables, me, seen)
    if tables.omniscient != 0:
        _read_places(tables, me, seen)
        _read_minds(evening, tables, me, seen)
    else:
        _recall_moves(evening, tables, me, seen)
        _recall_places(evening, tables, me, seen)
        _guess_minds(evening, tables, me, seen)
    _find_the_curious(evening, tables, me, seen)
    seen.wish = wish_to_leave(evening, tables, me)


def wish_to_leave(evening: EveningState, tables: ScenarioTables, me: int) -> float:
    """How much `me` wants to go; those who live here go only because of a wrong, and read literally nobody leaves."""
    if tables.rules.departures.leaving == 0:
        return 0.0
    rules, minutes = tables.rules, evening.minutes
    since = minutes - evening.last_scene[me] if evening.last_scene[me] >= 0.0 else -1.0
    broken, thrown_out, wronged = evening.broken[me] != 0, evening.thrown_out[me] != 0, 0.0
    for other in range(tables.people):
        if evening.stung[me][other] >= 0.0 or (rules.departures.owed != 0.0 and has(evening.broke_with[me], other)):
            wronged = max(wronged, evening.grievance[me][other])
    least = rules.departures.walking_out
    if tables.resident[me] != 0 and (least == 0.0 or wronged < least):
        return 0.0
    share = minutes / tables.last_minute
    return leave_desire(share, since, broken, evening.stress[me], thrown_out, wronged, rules.departures, rules.leaving)


def awaits_passage(evening: EveningState, tables: ScenarioTables, me: int) -> bool:
    """Whether `me` is sure to leave together with others at an hour that is still to come, and was not thrown out."""
    if evening.thrown_out[me] != 0:
        return False
    for event in range(tables.clock_events):
        pending = not has(evening.rung, event) and evening.minutes <= tables.clock_until[event]
        sure = tables.has_condition[event][WHEN] == 0
        if pending and sure and has(tables.departs_then[event], me):
            return True
    return False


def _look_around(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """See who else is in the room."""
    present, company = seen.inside[evening.room[me]] & ~(1 << me), 0
    for other in range(tables.people):
        seen.other[company] = other  # and the next one in the same place, if this one is not here
        company += has(present, other)
    seen.present = present
    seen.company = company


def classify_own_beliefs(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """Sort the secrets by what one believes of them."""
    told = suspected = 0
    for secret in range(tables.secrets):
        belief = evening.belief[me][secret]
        told |= (belief == _BELIEVES_TRUE) << secret
        suspected |= (belief == _SUSPECTS) << secret
    seen.told = told
    seen.suspected = suspected


def _recall_moves(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """Recall who just went where: those who left this room before one's eyes."""
    for room in range(tables.rooms):
        seen.followed[room] = 0
    if seen.moved & ~(1 << me) == 0:
        return
    for back in range(1, tables.rules.memory.move + 1):
        at = (evening.tick - back) % tables.moves
        for other in range(tables.people):
            to = evening.moved_to[at][other]
            before_me = evening.moved_from[at][other] == evening.room[me]
            if to >= 0 and other != me and before_me and has(evening.moved_seen[at][other], me):
                seen.followed[to] |= 1 << other


def _read_places(tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """The specification's reading: one knows where all others are, and who just went where."""
    for room in range(tables.rooms):
        seen.there[room] = seen.inside[room] & ~(1 << me)
        seen.followed[room] = seen.went[room] & ~(1 << me)


def _recall_places(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """Take the others to be where they were last seen; this room one sees."""
    here = evening.room[me]
    for room in range(tables.rooms):
        seen.there[room] = 0
    for other in range(tables.people):
        place = evening.seen_in[me][other]
        if place >= 0 and not has(seen.present, other):
            seen.there[place] |= 1 << other
    seen.there[here] = seen.present


def _read_minds(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """The specification's reading: minds see others' beliefs as they are, and feelings stand for what caused them."""
    rules, at_risk, told = tables.rules, 0, seen.told
    for secret in range(tables.secrets):
        others, believing, suspecting = seen.present * (told & 1), seen.believing[secret], seen.suspecting[secret]
        seen.knowing[secret] = others & believing
        seen.curious[secret] = others & (suspecting | tables.seekers)
        at_risk |= others & (believing | suspecting)
        told >>= 1
    shame, anger = evening.emotions[me][SHAME], evening.emotions[me][ANGER]
    seen.status_threat = int(shame > rules.flaws.threat_shame or anger > rules.flaws.threat_anger)
    seen.exposure = int(at_risk != 0)
    seen.challenged = int(seen.present != 0)
    seen.scene = int(recently(evening.clash_at[evening.room[me]], evening.tick, rules.memory.conflict))
    seen.pending = int(at_risk != 0 and tables.secrecy[me] > rules.movement.pending_secrecy)


def _guess_minds(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """What can be seen, was told, or is remembered."""
    rules, tick, here = tables.rules, evening.tick, evening.room[me]
    for secret in range(tables.secrets):
        seen.knowing[secret] = thought_to_know(evening, tables, me, secret)
        seen.curious[secret] = 0
        if has(seen.told, secret):
            seen.curious[secret] = seen.present & ~evening.lied[me][secret] & ~seen.knowing[secret]
    at_risk = _is_at_risk(evening, tables, me, seen)
    seen.status_threat = int(_is_threatened(evening, tables, me, seen))
    seen.exposure = int(at_risk or _would_hurt(tables, me, seen))
    seen.challenged = int(recently(evening.challenged[me], tick, rules.memory.challenge))
    seen.scene = int(recently(evening.scene_at[me][here], tick, rules.memory.conflict))
    seen.pending = int(_is_pending(evening, tables, me, seen, at_risk))


def thought_to_know(evening: EveningState, tables: ScenarioTables, me: int, secret: int) -> int:
    """Those whom `me` takes to know a secret: who was told before them, and, if they know it, its holders."""
    known = evening.knows[me][secret]
    if tables.rules.departures.theory_of_mind != 0 and evening.belief[me][secret] == _BELIEVES_TRUE:
        known |= tables.holders[secret] & ~(1 << me)
    return known


def _is_threatened(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> bool:
    """Recently, here: something that lowers me in others' eyes, or a challenge by a person of standing."""
    ticks, tick = tables.rules.memory.challenge, evening.tick
    if recently(evening.threat_at[me][evening.room[me]], tick, ticks):
        return True
    for place in range(seen.company):
        other = seen.other[place]
        if tables.status[other] >= tables.status[me]:
            if recently(evening.confronted_by[me][other], tick, ticks):
                return True
            for secret in range(tables.secrets):
                if recently(evening.questions[me][other][secret], tick, ticks):
                    return True
    return False


def _is_at_risk(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> bool:
    """A question was asked about a secret that I know, or a person here knows it whom I do not trust with it."""
    rules = tables.rules
    for secret in range(tables.secrets):
        if has(seen.told, secret):
            not_holders = ~tables.holders[secret]
            knowing = evening.knows[me][secret] & seen.present & not_holders
            if rules.departures.theory_of_mind != 0 and evening.suspects[me][secret] & seen.present & not_holders != 0:
                return True
            for other in range(tables.people):
                if has(not_holders, other):
                    if recently(evening.questions[me][other][secret], evening.tick, rules.memory.question):
                        return True
                    if has(knowing, other) and evening.trust[me][other] <= rules.movement.pending_trust:
                        return True
    return False


def _would_hurt(tables: ScenarioTables, me: int, seen: Perceived) -> bool:
    """A person here would be hurt by a secret that I hold."""
    for place in range(seen.company):
        for held in range(tables.held_count[me]):
            if tables.harm[seen.other[place]][tables.held[me][held]] > 0.0:
                return True
    return False


def _is_pending(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, at_risk: bool) -> bool:
    """Whether something dramatic is on one's mind that the gates would let pass."""
    rules, departures = tables.rules, tables.rules.departures
    if departures.pending_strict != 0 and evening.minutes < departures.pending_share * tables.last_minute:
        return False
    if barred_by_budget(True, evening.budget[me], rules.pacing) or barred_by_recovery(True, evening.timer[me]):
        return False
    if at_risk and tables.secrecy[me] > rules.movement.pending_secrecy:
        return True
    return departures.pending_strict != 0 and _has_confidant(evening, tables, me, seen)


def _has_confidant(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> bool:
    """A person here or last seen elsewhere is trusted, and not thought to know something that may be told."""
    untold = seen.told & ~tables.conceals[me]
    for other in range(tables.people):
        near = has(seen.present, other) or evening.seen_in[me][other] >= 0
        if other != me and near and evening.trust[me][other] > tables.rules.movement.pending_trust:
            for secret in range(tables.secrets):
                if has(untold, secret) and not has(seen.knowing[secret], other):
                    return True
    return False


def _find_the_curious(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived) -> None:
    """Keep to whom a lie is worth telling: for the secretive alone, and where it needs a question, those who asked.

    Anyone thought to suspect the secret need not ask again.
    """
    departures = tables.rules.departures
    secretive = tables.secrecy[me] >= tables.rules.candidates.lie_secrecy
    if secretive and departures.lie_when_asked == 0 and departures.said_ticks == 0:
        return
    for secret in range(tables.secrets):
        curious = seen.curious[secret] if secretive and not _is_known_here(tables, seen, secret) else 0
        suspecting = evening.suspects[me][secret] if departures.theory_of_mind != 0 else 0
        silent = curious & ~suspecting if departures.lie_when_asked != 0 else 0
        for other in range(tables.people if silent != 0 else 0):
            if has(silent, other):
                asked = recently(evening.questions[me][other][secret], evening.tick, departures.lie_ticks)
                curious &= ~((not asked) << other)
        seen.curious[secret] = curious


def _is_known_here(tables: ScenarioTables, seen: Perceived, secret: int) -> bool:
    """Whether most of those here are taken to have learned a secret, so that nobody would deny it before them."""
    aware = 0
    for place in range(seen.company):
        aware += has(seen.knowing[secret] & ~tables.knew[secret], seen.other[place])
    return tables.rules.departures.said_ticks != 0 and 2 * aware > seen.company
