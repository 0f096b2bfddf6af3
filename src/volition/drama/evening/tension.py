"""Tension while an evening is played: each event of a tick, felt from the state before it and from what it changed.

An audience knows how things stood before a tick. The rows of its log say what each event changed; they are applied one
event after the other, so every event is felt from the state just before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.evening.components import (
    CLOSE,
    COMPONENTS,
    RELEVANT,
    SHARED,
    abuse_of,
    clock_of,
    danger_of,
    density_of,
    freedom_of,
    frustration_of,
    gap_of,
    irony_of,
    is_aloud,
    is_private,
    mean_of,
    moral_cost_of,
    pressure_of,
    relevance_of,
    scarcity_of,
    share_of,
    standing_of,
    volatility_of,
)
from volition.drama.evening.log import OF_COMMITMENT, PART_AFFECTION, PART_BELIEF, PART_ROOM, PART_TRUST
from volition.drama.evening.record import (
    BELIEF,
    COUNT,
    DEPARTED,
    FLAG,
    MINUTE,
    NONE,
    PEOPLE_SET,
    REAL,
    ROOM,
    TICK,
    Ints,
    IntTable,
    Kind,
    Reals,
    RealTable,
    part,
    record,
)
from volition.drama.evening.sets import has
from volition.drama.evening.state import PEOPLE, SECRETS
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, GOALS, REVEAL, Belief
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

HAPPENINGS: Final = "happenings"
"""How many events of an evening there is room for."""

_UNKNOWN, _SUSPECTS, _TRUE = int(Belief.UNKNOWN), int(Belief.SUSPECTS), int(Belief.BELIEVES_TRUE)
_BONDS = Kind("bonds", "i8", "u4", 0)  # a set of bonds: for each other person a bit for trust, and one for affection
_GOALS = len(GOALS)
_LOYALTY = GOALS.index("loyalty")


@record
class EveningMoments:
    """What an audience knows: how things stand before the next event, and every moment of the evening so far."""

    overflow: int = part(FLAG)  # whether there were more events than there is room for
    most: int = part(COUNT)
    tick: int = part(TICK)
    minutes: float = part(REAL)

    # How things stand.
    room: Ints = part(ROOM, PEOPLE)
    timer: Ints = part(COUNT, PEOPLE)
    composure: Reals = part(REAL, PEOPLE)
    trust: RealTable = part(REAL, PEOPLE, PEOPLE)
    affection: RealTable = part(REAL, PEOPLE, PEOPLE)
    belief: IntTable = part(BELIEF, PEOPLE, SECRETS)

    # What the event that is felt did to those who trust its source.
    harm: Reals = part(REAL, PEOPLE)
    commits: int = part(FLAG)
    public: int = part(FLAG)
    loss: float = part(REAL)
    risen: Ints = part(_BONDS, PEOPLE)  # the bonds that rose or fell in it and in the events that count beside it
    fallen: Ints = part(_BONDS, PEOPLE)

    # All events so far.
    events: int = part(COUNT)
    tension: float = part(REAL)  # a sum of leaves, and so exact
    irony: float = part(REAL)  # likewise
    most_tension: float = part(REAL)
    most_irony: float = part(REAL)

    # Every event so far.
    happened_at: Ints = part(TICK, HAPPENINGS)
    minute: Reals = part(MINUTE, HAPPENINGS)
    place: Ints = part(ROOM, HAPPENINGS)
    people: Ints = part(PEOPLE_SET, HAPPENINGS)  # who took part
    change: Reals = part(REAL, HAPPENINGS)  # how much bonds changed
    changes: Ints = part(COUNT, HAPPENINGS)  # how often bonds changed
    rose: IntTable = part(_BONDS, HAPPENINGS, PEOPLE)  # whose bonds towards whom rose
    fell: IntTable = part(_BONDS, HAPPENINGS, PEOPLE)  # whose bonds towards whom fell
    danger: Reals = part(REAL, HAPPENINGS)
    calm: Reals = part(REAL, HAPPENINGS)  # tension without the clock


def look_on(evening: EveningState, tables: ScenarioTables, moments: EveningMoments) -> None:
    """Remember how things stand before a tick."""
    moments.tick = evening.tick
    moments.minutes = evening.minutes
    for who in range(tables.people):
        moments.room[who] = evening.room[who]
        moments.timer[who] = evening.timer[who]
        moments.composure[who] = evening.composure[who]
        for other in range(tables.people):
            moments.trust[who][other] = evening.trust[who][other]
            moments.affection[who][other] = evening.affection[who][other]
        for secret in range(tables.secrets):
            moments.belief[who][secret] = evening.belief[who][secret]


def feel_tick(tables: ScenarioTables, log: EveningLog, moments: EveningMoments) -> None:
    """Feel every event of a tick, in order."""
    first = moments.events
    for row in range(log.events):
        if moments.events >= moments.most:
            moments.overflow = 1
        else:
            feel(tables, log, row, first, moments)


def feel(tables: ScenarioTables, log: EveningLog, row: int, first: int, moments: EveningMoments) -> None:
    """Feel one event; the events of its tick begin with `first`, so what was overheard is found by its row."""
    at, kind, source, room = moments.events, log.event_kind[row], log.event_source[row], log.event_room[row]
    people, present = log.event_targets[row] | 1 << source, 0
    for who in range(tables.people):
        if moments.room[who] == room:
            present |= 1 << who
    moments.happened_at[at] = moments.tick
    moments.minute[at] = moments.minutes
    moments.place[at] = room
    moments.people[at] = people
    end = log.settled if row + 1 == log.events else log.event_delta[row + 1]
    read_changes(tables, log, row, end, moments)
    heard = 0.0
    if log.event_heard[row] != NONE:
        heard = moments.danger[first + log.event_heard[row]]
    danger = danger_of(kind, moments.loss, moments.public != 0, heard)
    clock, pressure = clock_of(moments.minutes, tables.last_minute), pressure_on(tables, source, moments)
    irony, gap = irony_and_gap(tables, present, people, moments)
    others = danger + frustration(tables, source, room, moments) + volatility(tables, moments) + irony + gap
    others += scarcity(tables, log, row, moments) + moral_cost(tables, log, row, moments)
    moments.danger[at] = danger
    tension = leaf((others + max(clock, pressure)) / COMPONENTS)
    moments.tension += tension
    moments.irony += irony
    moments.most_tension = max(moments.most_tension, tension)
    moments.most_irony = max(moments.most_irony, irony)
    moments.calm[at] = leaf((others + pressure) / COMPONENTS)
    moments.events = at + 1
    apply_changes(log, log.event_delta[row], end, moments)


def read_changes(tables: ScenarioTables, log: EveningLog, row: int, end: int, moments: EveningMoments) -> None:
    """Read what an event did: to bonds, to its source's commitment, and what it made public."""
    at, source, targets = moments.events, log.event_source[row], log.event_targets[row]
    change, changes, loss, public = 0.0, 0, 0.0, 0
    aloud = is_aloud(log.event_kind[row]) and is_public_room(tables, log.event_room[row])
    for who in range(tables.people):
        moments.rose[at][who] = 0
        moments.fell[at][who] = 0
        moments.harm[who] = 0.0
    for delta in range(log.event_delta[row], end):
        number, who, key = log.delta_part[delta], log.delta_agent[delta], log.delta_key[delta]
        size = log.delta_after[delta] - log.delta_before[delta]
        if number in (PART_TRUST, PART_AFFECTION):
            bond = 1 << (2 * key + int(number == PART_AFFECTION))
            change += leaf(abs(size))
            changes += 1
            if size > 0.0:
                moments.rose[at][who] |= bond
            if size < 0.0:
                moments.fell[at][who] |= bond
            if number == PART_TRUST:
                loss = max(loss, -size)
            if key == source and has(targets, who):
                moments.harm[who] = max(moments.harm[who], -size)
        if number == PART_BELIEF and aloud and int(log.delta_after[delta]) == _TRUE and tables.about[key] != NONE:
            public = 1
    moments.change[at] = change
    moments.changes[at] = changes
    moments.loss = loss
    moments.public = public
    moments.commits = 0
    last = log.strains if row + 1 == log.events else log.event_strain[row + 1]
    for strain in range(log.event_strain[row], last):
        commits = log.strain_number[strain] == OF_COMMITMENT and log.strain_amount[strain] > 0.0
        if commits and log.strain_agent[strain] == source:
            moments.commits = 1


def apply_changes(log: EveningLog, first: int, end: int, moments: EveningMoments) -> None:
    """Let things stand as they do after an event."""
    for delta in range(first, end):
        number, who, key = log.delta_part[delta], log.delta_agent[delta], log.delta_key[delta]
        after = log.delta_after[delta]
        if number == PART_TRUST:
            moments.trust[who][key] = after
        elif number == PART_AFFECTION:
            moments.affection[who][key] = after
        elif number == PART_BELIEF:
            moments.belief[who][key] = int(after)
        elif number == PART_ROOM:
            moments.room[who] = int(after)


def is_public_room(tables: ScenarioTables, room: int) -> bool:
    """Whether a room is public under the scenario's rules."""
    return tables.privacy[room] < tables.rules.pacing.public_below


def relevance(tables: ScenarioTables, secret: int, who: int, moments: EveningMoments) -> float:
    """How much a secret concerns `who` now."""
    about, near, close = tables.about[secret], False, False
    if about != NONE:
        near = moments.room[about] == moments.room[who]
        close = moments.affection[who][about] > CLOSE
    return relevance_of(about == who, near, close, has(tables.holders[secret], who))


def pressure_on(tables: ScenarioTables, source: int, moments: EveningMoments) -> float:
    """How pressed the source of an event is, apart from the clock."""
    most = 0
    for secret in range(tables.secrets):
        if tables.about[secret] == source or has(tables.holders[secret], source):
            suspecters = 0
            for who in range(tables.people):
                if moments.belief[who][secret] == _SUSPECTS and moments.room[who] != DEPARTED:
                    suspecters += 1
            most = max(most, suspecters)
    return pressure_of(moments.timer[source], most, moments.composure[source])


def frustration(tables: ScenarioTables, source: int, room: int, moments: EveningMoments) -> float:
    """How far the source's satisfaction is from their goals, which stand in the order of `catalog.GOALS`."""
    trust, others, own, kept, right = 0.0, 0, 0, 0, 0
    for other in range(tables.people):
        if other != source and moments.room[other] != DEPARTED:
            trust += leaf(moments.trust[other][source])
            others += 1
    for secret in range(tables.secrets):
        right += int(moments.belief[source][secret] == _TRUE)
        if has(tables.holders[secret], source):
            own += 1
            kept += int(is_kept(tables, secret, moments))
    met = (
        1.0 - danger_in(tables, room, moments),
        standing_of(trust, others),
        share_of(kept, own),
        share_of(right, tables.secrets),
        freedom_of(tables.vows[source]),
        1.0,
    )
    goals, product, wanted, had = tables.goals[source], 0.0, 0.0, 0.0
    for goal in range(_GOALS):
        product += leaf(goals[goal] * met[goal])
        wanted += leaf(goals[goal] * goals[goal])
        had += leaf(met[goal] * met[goal])
    return frustration_of(product, wanted, had)


def is_kept(tables: ScenarioTables, secret: int, moments: EveningMoments) -> bool:
    """Whether nobody but its holders has heard of a secret."""
    for who in range(tables.people):
        if not has(tables.holders[secret], who) and moments.belief[who][secret] != _UNKNOWN:
            return False
    return True


def danger_in(tables: ScenarioTables, room: int, moments: EveningMoments) -> float:
    """The greatest recent danger in a room, within the memory of conflicts."""
    since, most, event = moments.tick - tables.rules.memory.conflict, 0.0, moments.events - 1
    while event >= 0 and moments.happened_at[event] >= since:
        if moments.place[event] == room:
            most = max(most, moments.danger[event])
        event -= 1
    return most


def volatility(tables: ScenarioTables, moments: EveningMoments) -> float:
    """How much bonds change in this event and in the last ones of at least two of the same people."""
    at, shared = moments.events, 0
    people, change, changes, event = moments.people[at], moments.change[at], moments.changes[at], at - 1
    for who in range(tables.people):
        moments.risen[who] = moments.rose[at][who]
        moments.fallen[who] = moments.fell[at][who]
    if people & (people - 1) == 0:  # one alone shares no event
        event = -1
    while event >= 0 and shared < SHARED:
        both = moments.people[event] & people
        if both & (both - 1) != 0:
            change += moments.change[event]
            changes += moments.changes[event]
            shared += 1
            for who in range(tables.people):
                moments.risen[who] |= moments.rose[event][who]
                moments.fallen[who] |= moments.fell[event][who]
        event -= 1
    turned = False
    for who in range(tables.people):
        turned = turned or moments.risen[who] & moments.fallen[who] != 0
    return volatility_of(change, changes, turned)


def irony_and_gap(tables: ScenarioTables, present: int, people: int, moments: EveningMoments) -> tuple[float, float]:
    """The irony of those present, relative to the most that it could be, and how little the `people` of an event know.

    The gap is the mean, over the secrets that concern any of them, of what they lack of the truth.
    """
    irony, pairs, gaps, relevant, count = 0.0, 0, 0.0, 0, 0
    for who in range(tables.people):
        count += has(people, who)
    for secret in range(tables.secrets):
        gap, concerns, about, holders = 0.0, False, tables.about[secret], tables.holders[secret]
        for who in range(tables.people):
            if has(present | people, who):
                matters, belief = relevance(tables, secret, who, moments), moments.belief[who][secret]
                here = int(has(present, who))
                pairs += here * int(matters >= RELEVANT)
                irony += here * irony_of(belief, matters, about == who or has(holders, who))
                if has(people, who):
                    concerns = concerns or matters >= RELEVANT
                    gap += gap_of(belief, matters)
        if concerns:
            gaps += gap
            relevant += 1
    return density_of(irony, pairs), mean_of(gaps, relevant * count)


def scarcity(tables: ScenarioTables, log: EveningLog, row: int, moments: EveningMoments) -> float:
    """How scarce the source's resources are. A nearly full room counts only for a move there."""
    source, room, act = log.event_source[row], log.event_room[row], log.event_act[row]
    allies, enemies, others, full = 0, 0, 0, False
    for other in range(tables.people):
        if other != source and moments.room[other] != DEPARTED:
            trust = moments.trust[source][other]
            others += 1
            allies += int(trust > 0.3)
            enemies += int(trust < -0.3)
    if act != NONE and tables.destination[act] != NONE:
        goal, heads = tables.destination[act], 0
        for who in range(tables.people):
            heads += int(moments.room[who] == goal)
        full = is_public_room(tables, goal) and heads >= tables.capacity[goal] - 1
    exposed = is_private(log.event_kind[row]) and tables.privacy[room] < 0.5
    return scarcity_of(allies, enemies, others, full, exposed)


def moral_cost(tables: ScenarioTables, log: EveningLog, row: int, moments: EveningMoments) -> float:
    """What the act costs the source's conscience."""
    kind, source, targets = log.event_kind[row], log.event_source[row], log.event_targets[row]
    cost, secret = 0.0, NONE
    for target in range(tables.people):
        if has(targets, target):
            cost = max(cost, abuse_of(kind, moments.trust[target][source], moments.harm[target]))
    if kind in (REVEAL, CONFIDE):
        secret = log.event_secret[row]
    elif kind == CATASTROPHE:
        secret = log.event_out[row]
    betrays = secret != NONE and not has(tables.holders[secret], source)
    return moral_cost_of(cost, betrays, tables.goals[source][_LOYALTY], moments.commits != 0)
