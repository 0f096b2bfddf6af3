"""The state of an evening as one record: everything that can change, and what a tick needs to remember of itself."""

from __future__ import annotations

from typing import Final

from volition.drama.evening.record import (
    ACT,
    AMOUNT,
    BELIEF,
    CAUSE,
    COUNT,
    FLAG,
    LEVEL,
    MINUTE,
    NAME,
    PACE,
    PEOPLE_SET,
    PERSON,
    REAL,
    ROOM,
    SECRET,
    TASK,
    TICK,
    IntCube,
    Ints,
    IntTable,
    Reals,
    RealTable,
    part,
    record,
)
from volition.drama.rules.catalog import EMOTIONS

PEOPLE: Final = "people"
ROOMS: Final = "rooms"
SECRETS: Final = "secrets"
NEEDS: Final = "needs"
RECENT: Final = "recent"
"""How many acts a person remembers having done."""
MOVES: Final = "moves"
"""For how many ticks moves are remembered, the current one included."""
FEELINGS: Final = len(EMOTIONS)

ANGER, FEAR, HOPE, SHAME, AFFECTION, SUSPICION = range(FEELINGS)
"""The emotions, as places in a person's row of them."""

TASKS: Final = ("fetch", "serve", "pour")
FETCH, SERVE, POUR = range(len(TASKS))

THINGS: Final = "things"
"""What can change hands."""

SORTS: Final = ("harm", "lie", "exposure", "attack", "secret")
"""What a wrong can be: a secret that harms me, a lie to me about one, mine told by another, or an attack on somebody whom
I protect. A quarrel may also be about a secret that is no wrong to who begins it."""
OF_HARM, OF_LIE, OF_EXPOSURE, OF_ATTACK, OF_SECRET = range(len(SORTS))
_OBJECTS: Final = 64
"""More than there are secrets or people."""

WORLD: Final = "world"
PACING: Final = "pacing"
SIGHTINGS: Final = "sightings"
RECENT_ACTS: Final = "recent"
"""Kinds of deltas that change several parts at once, or no person's."""


@record
class EveningState:
    """An evening now. Rows stand in the order of the scenario's people.

    A part with `delta` is the state proper: deltas of that kind change it. What follows is memory that perception
    needs, and then the scratch of one tick.
    """

    seed: int = part(NAME)

    # The evening.
    tick: int = part(COUNT, delta=WORLD)
    minutes: float = part(REAL, delta=WORLD)
    catastrophes: int = part(COUNT, delta=WORLD)
    course_served: float = part(MINUTE, delta=WORLD)
    courses: int = part(COUNT, delta=WORLD)
    pours: int = part(COUNT, delta=WORLD)
    rung: int = part(COUNT, delta=WORLD)  # the events of the clock that have happened, a bit each

    # Everybody: the six numbers of pacing first, in the order of `Pace`.
    budget: Reals = part(REAL, PEOPLE, delta=PACING)
    stress: Reals = part(REAL, PEOPLE, delta=PACING)
    composure: Reals = part(REAL, PEOPLE, delta=PACING)
    commitment: Reals = part(REAL, PEOPLE, delta=PACING)
    timer: Ints = part(PACE, PEOPLE, delta=PACING)
    suppression: Ints = part(PACE, PEOPLE, delta=PACING)
    room: Ints = part(ROOM, PEOPLE, delta="location")
    emotions: RealTable = part(REAL, PEOPLE, FEELINGS, delta="emotion")
    alcohol: Reals = part(REAL, PEOPLE, delta="alcohol")
    needs: RealTable = part(REAL, PEOPLE, NEEDS, delta="needs")
    task: Ints = part(TASK, PEOPLE, delta="task")
    task_since: Reals = part(MINUTE, PEOPLE, delta="task_since")
    moved: Ints = part(TICK, PEOPLE, delta="moved")
    away: Reals = part(MINUTE, PEOPLE, delta="away")
    last_scene: Reals = part(MINUTE, PEOPLE, delta="last_scene")
    course_seen: Reals = part(
        MINUTE, PEOPLE, delta="course_seen"
    )  # when the course that the person has seen was served
    challenged: Ints = part(TICK, PEOPLE, delta="challenged")
    slammed: Reals = part(MINUTE, PEOPLE, delta="slammed")  # when each last slammed a door
    arrival: Reals = part(MINUTE, PEOPLE, delta="arrival")  # when somebody comes who is not here yet
    carries: RealTable = part(AMOUNT, PEOPLE, THINGS, delta="carries")  # 1 for what somebody has
    broken: Ints = part(FLAG, PEOPLE, delta="broken")
    thrown_out: Ints = part(FLAG, PEOPLE, delta="thrown_out")
    recents: Ints = part(COUNT, PEOPLE, delta=RECENT_ACTS)  # how many acts are remembered
    recent_act: IntTable = part(ACT, PEOPLE, RECENT, delta=RECENT_ACTS)  # which acts, the oldest first
    recent_tick: IntTable = part(TICK, PEOPLE, RECENT, delta=RECENT_ACTS)  # the ticks of these acts

    # Between people: one's own row, the other's column.
    trust: RealTable = part(REAL, PEOPLE, PEOPLE, delta="bond")
    affection: RealTable = part(REAL, PEOPLE, PEOPLE, delta="bond")
    obligation: RealTable = part(REAL, PEOPLE, PEOPLE, delta="bond")
    grievance: RealTable = part(AMOUNT, PEOPLE, PEOPLE, delta="grievance")
    peaks: RealTable = part(AMOUNT, PEOPLE, PEOPLE, delta="peaks")  # the greatest grievance there was
    stung: RealTable = part(MINUTE, PEOPLE, PEOPLE, delta="stung")  # since when the other's wrong waits for an answer
    shunned: RealTable = part(MINUTE, PEOPLE, PEOPLE, delta="shunned")  # when one last turned away from the other
    comforted: RealTable = part(MINUTE, PEOPLE, PEOPLE, delta="comforted")  # when one last stood by the other
    wrong: IntTable = part(CAUSE, PEOPLE, PEOPLE, delta="wrong")  # what that wrong is
    fatigue: RealTable = part(LEVEL, PEOPLE, PEOPLE, delta="fatigue")  # none for two who never quarrelled
    grounds: IntTable = part(COUNT, PEOPLE, PEOPLE, delta="grounds")
    confronted: IntTable = part(TICK, PEOPLE, PEOPLE, delta="confronted")
    confronted_by: IntTable = part(TICK, PEOPLE, PEOPLE, delta="confronted_by")
    seen_in: IntTable = part(ROOM, PEOPLE, PEOPLE, delta=SIGHTINGS)  # where the other was last seen
    seen_since: IntTable = part(TICK, PEOPLE, PEOPLE, delta=SIGHTINGS)  # since when the other was seen there
    reconciled: Ints = part(PEOPLE_SET, PEOPLE, delta="reconciled")
    wronged: Ints = part(PEOPLE_SET, PEOPLE, delta="wronged")
    answered: Ints = part(PEOPLE_SET, PEOPLE, delta="answered")  # whose wrong was answered, but not to their face
    forgiven: Ints = part(PEOPLE_SET, PEOPLE, delta="forgiven")  # whom one has forgiven a wrong
    broke_with: Ints = part(PEOPLE_SET, PEOPLE, delta="broke_with")  # with whom one has broken

    # Secrets.
    belief: IntTable = part(BELIEF, PEOPLE, SECRETS, delta="belief")
    knows: IntTable = part(PEOPLE_SET, PEOPLE, SECRETS, delta="knows")  # who is thought to know it
    suspects: IntTable = part(PEOPLE_SET, PEOPLE, SECRETS, delta="suspects")  # who is thought to suspect it
    lied: IntTable = part(PEOPLE_SET, PEOPLE, SECRETS, delta="lied")  # to whom a lie was tried in vain
    planted: IntTable = part(PERSON, PEOPLE, SECRETS, delta="planted")  # who planted a false belief
    questions: IntCube = part(TICK, PEOPLE, PEOPLE, SECRETS, delta="questions")  # when the second asked the first

    # Constant for a seed: how fast each need grows in each person.
    need_share: RealTable = part(REAL, PEOPLE, NEEDS)

    # What people remember of recent events, each as the last tick at which it happened.
    scene_at: IntTable = part(TICK, PEOPLE, ROOMS)  # a quarrel, an outburst or a truth seen in this room
    threat_at: IntTable = part(TICK, PEOPLE, ROOMS)  # something here that lowers me in others' eyes
    clash_at: Ints = part(TICK, ROOMS)  # a quarrel or an outburst here, seen or not
    sided_at: IntTable = part(TICK, PEOPLE, PEOPLE)  # a quarrel or an outburst of theirs that I saw
    moved_from: IntTable = part(ROOM, MOVES, PEOPLE)  # from where each moved, by tick modulo the length
    moved_to: IntTable = part(ROOM, MOVES, PEOPLE)  # to where, likewise
    moved_seen: IntTable = part(PEOPLE_SET, MOVES, PEOPLE)  # who saw the move, likewise

    # This tick: what its events ask of everybody's pacing.
    stress_gain: Reals = part(REAL, PEOPLE)
    commitment_gain: Reals = part(REAL, PEOPLE)
    cost: Reals = part(REAL, PEOPLE)
    drinks: Ints = part(COUNT, PEOPLE)
    lock: Ints = part(COUNT, PEOPLE)
    dramatic: int = part(PEOPLE_SET)  # who acted dramatically
    failed: int = part(PEOPLE_SET)  # whose lie was not believed
    fought: int = part(PEOPLE_SET)  # who was in a quarrel or an outburst
    unrest: int = part(PEOPLE_SET)  # who was in one or was there
    happened: int = part(COUNT)  # the kinds of events there were, a bit each
    length: float = part(REAL)  # how many minutes the tick took
    witnesses: Ints = part(PEOPLE_SET, PEOPLE)  # who saw what each person did
    went_to: Ints = part(ROOM, PEOPLE)  # where each person went
    sided: Ints = part(PEOPLE_SET, PEOPLE)  # whose quarrel each person saw and was not in

    # This tick: who breaks, what the others choose, and how that is resolved.
    breaking: int = part(PEOPLE_SET)
    outbursts: int = part(COUNT)
    outburst_of: Ints = part(PERSON, PEOPLE)
    met: Ints = part(PEOPLE_SET, PEOPLE)  # who was present when each person decided
    choice: Ints = part(ACT, PEOPLE)
    asks: Ints = part(SECRET, PEOPLE)  # the secret that a played person wishes to ask about
    leads: Ints = part(PERSON, PEOPLE)  # whom a played person who leaves wishes to take along
    score: Reals = part(REAL, PEOPLE)
    priority: Ints = part(COUNT, PEOPLE)
    rank: Reals = part(REAL, PEOPLE)
    tie: Reals = part(REAL, PEOPLE)
    proposals: int = part(COUNT)
    order: Ints = part(PERSON, PEOPLE)
    places: Ints = part(COUNT, ROOMS)
    became: Ints = part(ACT, PEOPLE)
    because: Ints = part(COUNT, PEOPLE)


def cause_of(sort: int, about: int) -> int:
    """The number of a wrong of this sort, about a secret, or about a person who was attacked."""
    return sort * _OBJECTS + about


def sort_of(cause: int) -> int:
    """Which of SORTS a wrong is."""
    return cause // _OBJECTS


def object_of(cause: int) -> int:
    """The secret, or the person attacked, that a wrong is about."""
    return cause % _OBJECTS


def clear_tick(evening: EveningState, people: int, moves: int) -> None:
    """Clear the scratch of the last tick, and the place where the moves of this one are remembered."""
    for who in range(people):
        evening.moved_to[evening.tick % moves][who] = -1
        evening.stress_gain[who] = 0.0
        evening.commitment_gain[who] = 0.0
        evening.cost[who] = 0.0
        evening.drinks[who] = 0
        evening.lock[who] = 0
        evening.witnesses[who] = 0
        evening.went_to[who] = -1
        evening.sided[who] = 0
        evening.choice[who] = -1
        evening.asks[who] = -1
        evening.leads[who] = -1
        evening.became[who] = -1
        evening.because[who] = 0
    evening.dramatic = 0
    evening.failed = 0
    evening.fought = 0
    evening.unrest = 0
    evening.happened = 0
