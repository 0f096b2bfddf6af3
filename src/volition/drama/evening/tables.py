"""A scenario as one record of tables: all that an evening's laws read and never change."""

from __future__ import annotations

from typing import Any, Final, get_type_hints

import numpy as np

from volition.drama.evening.record import (
    ACT,
    BELIEF,
    COUNT,
    FLAG,
    MINUTE,
    NAME,
    PEOPLE_SET,
    PERSON,
    REAL,
    ROOM,
    ROOM_SET,
    SECRET,
    SECRET_SET,
    THING,
    IntCube,
    Ints,
    IntTable,
    RealBlock,
    RealCube,
    Reals,
    RealTable,
    nested_part,
    part,
    record,
)
from volition.drama.evening.state import NEEDS, PEOPLE, ROOMS, SECRETS, THINGS
from volition.drama.rules.catalog import GOALS, EventType, Trigger
from volition.drama.rules.tables import Tables

ACTS: Final = "acts"
CLOCK_EVENTS: Final = "clock_events"
CHANCES: Final = "chances"
"""How many circumstances the seed may draw."""
DUE: Final = "due"
"""How many courses, or rounds of wine, an evening may have."""
FLAWS: Final = 3
FLAW_SETS: Final = 2**FLAWS
TRIGGERS: Final = len(Trigger)

KINDS: Final = 10
SLAMMING: Final = 9
"""After the nine kinds of acts a tenth for the one that is dramatic by its manner."""
EVENT_KINDS: Final = len(EventType)

SIDES: Final = 2
WHEN, UNLESS = range(SIDES)
"""The two conditions of an event of the clock."""

TO_CHAT, TO_ADDRESS, TO_WATCH = range(3)
"""How an act is about a person, as flaws see it."""

CLOSE_CHAT, CLOSE_REVEAL, CLOSE_CONFLICT, CLOSE_DISTRUST, CLOSE_CONFIDE, CLOSE_LIE = range(6)
"""The acts that offer closeness or take it; a CONFLICT takes more where there is no trust."""

CONSISTENT, CONTRADICTING = 1, 2
"""How an act relates to a person's commitments, as bits."""

PURPOSES: Final = (
    "noise",
    "turn",
    "tie",
    "chat",
    "ask",
    "catch",
    "watch",
    "lie",
    "forced",
    "overhear",
    "conflict trust",
    "conflict anger",
    "outburst",
    "need start",
    "need",
    "mood",
    "hint",
    "circumstance",
    "clock",
)
"""What chance is drawn for."""
(
    FOR_NOISE,
    FOR_TURN,
    FOR_TIE,
    FOR_CHAT,
    FOR_ASK,
    FOR_CATCH,
    FOR_WATCH,
    FOR_LIE,
    FOR_FORCED,
    FOR_OVERHEAR,
    FOR_CONFLICT_TRUST,
    FOR_CONFLICT_ANGER,
    FOR_OUTBURST,
    FOR_NEED_START,
    FOR_NEED,
    FOR_MOOD,
    FOR_HINT,
    FOR_CIRCUMSTANCE,
    FOR_CLOCK,
) = range(len(PURPOSES))


def _coefficients() -> np.dtype[Any]:
    """The rules as a packed record: every section but the effects of acts, which the tables below hold worked out."""
    sections = {name: table for name, table in get_type_hints(Tables).items() if name != "effects"}
    return np.dtype([(name, np.dtype(_numbers(table))) for name, table in sections.items()])


def _numbers(table: Any) -> list[tuple[str, str]]:
    return [(name, "i8" if kind is int else "f8") for name, kind in get_type_hints(table).items()]


@record
class ScenarioTables:
    """The tables of a scenario. Rows of people stand in its order, and so do rooms, secrets and needs."""

    rules: Tables = nested_part(_coefficients())

    # How many there are of each.
    people: int = part(COUNT)
    rooms: int = part(COUNT)
    secrets: int = part(COUNT)
    needs: int = part(COUNT)
    recent: int = part(COUNT)  # acts that a person remembers
    moves: int = part(COUNT)  # ticks for which moves are remembered
    things: int = part(COUNT)
    clock_events: int = part(COUNT)
    chances: int = part(COUNT)

    # How the evening is set.
    omniscient: int = part(FLAG)  # whether minds see others' places and beliefs as they are
    departs: int = part(FLAG)  # whether the situation adds anything to scores
    gathering: int = part(ROOM)
    exit: int = part(ROOM)
    kitchen: int = part(ROOM)
    last_minute: float = part(REAL)
    last_tick: int = part(COUNT)
    time_scale: float = part(REAL)
    servers: int = part(COUNT)
    server: Ints = part(PERSON, PEOPLE)
    drinks: int = part(FLAG)  # whether there is anything to drink
    courses: int = part(COUNT)
    course_at: Reals = part(MINUTE, DUE)
    pours: int = part(COUNT)
    pour_at: Reals = part(MINUTE, DUE)
    need_room: Ints = part(ROOM, NEEDS)
    need_rate: Reals = part(REAL, NEEDS)
    glass_need: int = part(COUNT)  # the need that every glass adds to, or -1

    # The names by which chance knows them.
    person_name: Ints = part(NAME, PEOPLE)
    secret_name: Ints = part(NAME, SECRETS)
    need_name: Ints = part(NAME, NEEDS)
    pair_name: IntTable = part(NAME, PEOPLE, SECRETS)  # of a person and a secret
    act_name: Ints = part(NAME, ACTS)
    purpose: Ints = part(NAME, len(PURPOSES))

    # Rooms.
    privacy: Reals = part(REAL, ROOMS)
    capacity: Ints = part(COUNT, ROOMS)
    doors: Ints = part(COUNT, ROOMS)  # how many doors a room has
    door: IntTable = part(ROOM, ROOMS, ROOMS)  # where the doors of a room lead
    hears: Ints = part(ROOM_SET, ROOMS)  # which rooms can be heard from here
    overhears: RealTable = part(REAL, ROOMS, ROOMS)  # how likely each room is heard from here

    # What the clock brings; each event has two conditions, and the second one prevents it.
    clock_name: Ints = part(NAME, CLOCK_EVENTS)
    clock_minute: Reals = part(MINUTE, CLOCK_EVENTS)
    clock_until: Reals = part(MINUTE, CLOCK_EVENTS)
    clock_by: Ints = part(PERSON, CLOCK_EVENTS)
    clock_room: Ints = part(ROOM, CLOCK_EVENTS)
    arrives: Ints = part(PEOPLE_SET, CLOCK_EVENTS)
    departs_then: Ints = part(PEOPLE_SET, CLOCK_EVENTS)
    news: Ints = part(SECRET, CLOCK_EVENTS)
    thing: Ints = part(THING, CLOCK_EVENTS)  # which changes hands
    receiver: Ints = part(PERSON, CLOCK_EVENTS)
    ends: Ints = part(FLAG, CLOCK_EVENTS)
    has_condition: IntTable = part(FLAG, CLOCK_EVENTS, SIDES)
    must_know: IntCube = part(PEOPLE_SET, CLOCK_EVENTS, SIDES, SECRETS)
    must_be_out: IntTable = part(SECRET_SET, CLOCK_EVENTS, SIDES)
    must_be_here: IntTable = part(PEOPLE_SET, CLOCK_EVENTS, SIDES)
    must_be_gone: IntTable = part(PEOPLE_SET, CLOCK_EVENTS, SIDES)
    must_forgive: IntCube = part(PEOPLE_SET, CLOCK_EVENTS, SIDES, PEOPLE)
    must_carry: IntCube = part(PERSON, CLOCK_EVENTS, SIDES, THINGS)
    must_be_in: IntCube = part(ROOM, CLOCK_EVENTS, SIDES, PEOPLE)
    outbursts: IntTable = part(COUNT, CLOCK_EVENTS, SIDES)
    likely: RealTable = part(REAL, CLOCK_EVENTS, SIDES)

    # What the seed draws at the beginning.
    chance_name: Ints = part(NAME, CHANCES)
    chance: Reals = part(REAL, CHANCES)
    late: RealTable = part(MINUTE, CHANCES, PEOPLE)
    had_words: Ints = part(PEOPLE_SET, CHANCES)
    begins_in: IntTable = part(ROOM, CHANCES, PEOPLE)
    suspects_then: IntTable = part(SECRET, CHANCES, PEOPLE)

    # Secrets.
    implied: IntTable = part(BELIEF, SECRETS, SECRETS)  # what the first makes people believe of the second
    knew: Ints = part(PEOPLE_SET, SECRETS)  # who knows it at the beginning
    weight: Reals = part(REAL, SECRETS)
    about: Ints = part(PERSON, SECRETS)
    holders: Ints = part(PEOPLE_SET, SECRETS)
    holder_count: Ints = part(COUNT, SECRETS)
    holder: IntTable = part(PERSON, SECRETS, PEOPLE)  # in the order in which the secret lists them

    # People.
    by_name: Ints = part(PERSON, PEOPLE)  # everybody in the order of their ids, as logs list them
    sensitivity: Reals = part(REAL, PEOPLE)
    resident: Ints = part(FLAG, PEOPLE)
    status: Reals = part(REAL, PEOPLE)
    secrecy: Reals = part(REAL, PEOPLE)
    truth_seeking: Reals = part(REAL, PEOPLE)
    seekers: int = part(PEOPLE_SET)  # those who seek the truth so much that they are curious about every secret
    goals: RealTable = part(REAL, PEOPLE, len(GOALS))
    vows: Ints = part(COUNT, PEOPLE)  # how many commitments the person has
    conceals: Ints = part(SECRET_SET, PEOPLE)
    exposes: Ints = part(SECRET_SET, PEOPLE)
    protects: Ints = part(PEOPLE_SET, PEOPLE)
    swallows: Ints = part(FLAG, PEOPLE)  # whether a flaw makes the person swallow a wrong
    flees: Ints = part(FLAG, PEOPLE)  # whether a flaw makes the person avoid anyone who confronted them
    holds: Ints = part(SECRET_SET, PEOPLE)
    held_count: Ints = part(COUNT, PEOPLE)
    held: IntTable = part(SECRET, PEOPLE, SECRETS)  # the secrets that the person holds, weightiest first
    harm: RealTable = part(REAL, PEOPLE, SECRETS)
    dominant_flaw: Ints = part(COUNT, PEOPLE)
    trigger: IntTable = part(COUNT, PEOPLE, FLAWS)

    # What a choice is worth, as far as the scenario alone decides it.
    bias: RealCube = part(REAL, PEOPLE, FLAW_SETS, KINDS)  # what the flaws of a set add to each kind of act
    towards: RealBlock = part(REAL, PEOPLE, FLAW_SETS, 3, PEOPLE)  # what they add where the act is about another person
    sway: RealCube = part(REAL, PEOPLE, FLAWS, ACTS)  # what each flaw alone adds to each act
    worth: RealTable = part(REAL, PEOPLE, KINDS)  # goals against acts
    telling: RealCube = part(REAL, PEOPLE, 2, SECRETS)  # goals against REVEAL and CONFIDE of each secret
    quarrelling: RealTable = part(REAL, PEOPLE, 2)  # goals against a CONFLICT, and against one with a distrusted person
    moving: RealTable = part(REAL, PEOPLE, ROOMS)  # goals against moves
    hiding: RealTable = part(REAL, 4, ROOMS)  # what privacy adds to moves: bit 0 for stress, bit 1 for a pending act
    close: RealCube = part(REAL, PEOPLE, 6, PEOPLE)
    company: RealTable = part(REAL, PEOPLE, PEOPLE)  # what the other adds to the room where they are
    stance: IntTable = part(COUNT, PEOPLE, KINDS)
    telling_stance: IntCube = part(COUNT, PEOPLE, 3, SECRETS)  # of REVEAL, CONFIDE and LIE

    # Acts: the number of the first of each kind, and what each is.
    acts: int = part(COUNT)
    chat: int = part(ACT)
    chat_to_all: int = part(ACT)
    observe: int = part(ACT)
    look_around: int = part(ACT)
    move: int = part(ACT)
    think: int = part(ACT)
    drink: int = part(ACT)
    do_task: int = part(ACT)
    use: int = part(ACT)
    slam: int = part(ACT)
    leave: int = part(ACT)
    shun: int = part(ACT)
    comfort: int = part(ACT)
    forgive: int = part(ACT)
    break_with: int = part(ACT)
    reveal: int = part(ACT)
    confront: int = part(ACT)
    confront_about: int = part(ACT)
    confront_wrong: int = part(ACT)
    confide: int = part(ACT)
    confide_feeling: int = part(ACT)
    lie: int = part(ACT)
    kind: Ints = part(COUNT, ACTS)
    target: Ints = part(PERSON, ACTS)  # who is addressed; none where nobody is, or all are
    focus: Ints = part(PERSON, ACTS)  # who is watched
    destination: Ints = part(ROOM, ACTS)
    secret: Ints = part(SECRET, ACTS)
    dramatic: Ints = part(FLAG, ACTS)
    same: Ints = part(ACT, ACTS)  # the first act of the same kind towards the same person


def acts_of(people: int, rooms: int, secrets: int, needs: int) -> int:
    """How many acts a scenario of this size has."""
    return 9 + 9 * people + rooms + needs + 4 * people * secrets
