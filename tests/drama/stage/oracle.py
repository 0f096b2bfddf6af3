"""The pacing physics and the strains of events, written independently from the tables of the specification.

Numbers are those printed there, not those of the rules, and none of the package's arithmetic is
used. What is summed is summed in the order of the events, so that results can be equal to the last bit.
"""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from typing import TYPE_CHECKING

from volition.drama.rules.catalog import Belief, EventType
from volition.drama.stage.changes import write
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.stage.events import Event
    from volition.drama.world.model import AgentState, Secret, WorldState

CHAT, MOVE, REVEAL, CONFLICT = EventType.CHAT, EventType.SOCIAL_MOVE, EventType.REVEAL, EventType.CONFLICT
CONFIDE, LIE, CATASTROPHE = EventType.CONFIDE, EventType.LIE, EventType.CATASTROPHE
CLASH = {CONFLICT, CATASTROPHE}
DRAMATIC = {CONFLICT, REVEAL, CONFIDE, LIE, CATASTROPHE}
SLAM = "slam"
LOCK = {CATASTROPHE: 6, CONFLICT: 4, LIE: 4, REVEAL: 2, CONFIDE: 2}

Pace = tuple[float, float, float, float, int, int]
Strains = dict[tuple[str, str], float]


def paced(world: WorldState, me: AgentState, events: Sequence[Event]) -> Pace:
    """The six numbers after a tick: budget, stress, composure, commitment, timer, suppression.

    `world` is the state after the tick's events and before its end.
    """
    was = me.pacing
    asked = dict.fromkeys(("stress", "commitment", "budget", "drinks"), 0.0)
    for event in events:
        for strain in event.strains:
            if strain.agent == me.id:
                asked[strain.number] += strain.amount
    mine = {event.type for event in events if event.source == me.id}
    clashes = [event for event in events if event.type in CLASH]
    fought = any(me.id in (event.source, *event.targets) for event in clashes)
    unrest = fought or any(me.id in event.witnesses for event in clashes)
    private = world.scenario.rooms[me.location].privacy >= 0.3
    slammed = any(event.source == me.id and event.manner == SLAM for event in events)
    dramatic = slammed or bool(mine & DRAMATIC)

    budget = was.dramatic_budget - asked["budget"]
    if not dramatic:
        budget += 0.08
        if private:
            budget += 0.04
    stress = was.stress + world.scenario.people[me.id].sensitivity * asked["stress"]
    if not fought:
        stress -= 0.03
        if private:
            stress -= 0.02
    composure = was.composure - 0.06 * asked["drinks"]
    if was.stress > 0.5:
        composure -= 0.02
    if private and was.stress < 0.3 and not unrest:
        composure += 0.01
    commitment = was.commitment + asked["commitment"]
    if commitment <= 0.5 and not upheld(world, me):
        commitment -= 0.01
    timer = max(was.recovery_timer, 2 if slammed else 0, *(LOCK.get(kind, 0) for kind in mine))
    timer = timer - 1 if timer > 0 else 0
    suppression = 0 if dramatic else was.suppression_count + (was.stress >= 0.6)
    budget, stress, commitment = (min(1.0, max(0.0, number)) for number in (budget, stress, commitment))
    composure = min(1.0, max(0.05, composure))
    if CATASTROPHE in mine:
        more = min(1.0, commitment + 0.1) if commitment < 0.8 else commitment
        return max(0.0, budget - 0.5), stress / 2, 0.3, more, 8, 0
    return budget, stress, composure, commitment, timer, suppression


def upheld(world: WorldState, me: AgentState) -> bool:
    """In public, before somebody whom a secret of one's own would harm, or against whom there is a grievance."""
    if not world.scenario.rules["departures"]["uphold"] or world.scenario.rooms[me.location].privacy >= 0.3:
        return False
    company = [other for other in world.agents if other != me.id and world.agents[other].location == me.location]
    return any(me.grievance.get(other, 0.0) > 0.3 or hides_from(world, me, other) for other in company)


def hides_from(world: WorldState, me: AgentState, other: str) -> bool:
    sealed = {bound.secret for bound in world.scenario.people[me.id].commitments if bound.kind == "conceal"}
    mine = [secret for secret in world.scenario.secrets.values() if me.id in secret.holders or secret.id in sealed]
    return any(secret.harm.get(other, 0.0) > 0 and (other, secret.id) not in me.knows for secret in mine)


def strained(world: WorldState, event: Event) -> Strains:
    """What an event asks of everybody's stress, commitment, budget and count of drinks; `world` is the state before it."""
    total: Strains = defaultdict(float)
    rules, source = world.scenario.rules["departures"], event.source
    weight = world.scenario.secrets[event.secret].weight if event.secret is not None else 0.0
    match event.type:
        case EventType.CONFLICT | EventType.CATASTROPHE:
            _clash(world, event, total)
        case EventType.SOCIAL_MOVE:
            total[source, "budget"] += 0.05
        case EventType.REVEAL:
            total[source, "budget"] += 0.35 if weight >= 0.8 else 0.15
            total[source, "commitment"] += 0.2
        case EventType.CONFIDE:
            total[source, "budget"] += 0.15
            total[source, "stress"] -= 0.1
            total[source, "commitment"] += 0.2 if rules["confide_commitment"] else 0.0
        case EventType.LIE:
            total[source, "budget"] += 0.35
            total[source, "stress"] += 0.15
            total[source, "commitment"] += 0.2
        case EventType.CHAT:
            _chat(world, event, total)
        case EventType.PHYSICAL if event.manner == SLAM:
            total[source, "budget"] += 0.15
            total[source, "stress"] -= 0.05
        case EventType.PHYSICAL if event.manner in ("drink", "serve", "pour"):
            present = [me.id for me in world.agents.values() if me.location == event.room]
            for who in [source] if event.manner == "drink" else present:
                total[who, "drinks"] += 1
    _truths(world, event, total)
    return {key: amount for key, amount in total.items() if abs(amount) > 1e-12}


def _clash(world: WorldState, event: Event, total: Strains) -> None:
    for me in world.agents.values():
        if me.id in (event.source, *event.targets):
            total[me.id, "stress"] += 0.12
        elif me.location == event.room:
            total[me.id, "stress"] += 0.05
        elif me.location != DEPARTED and event.room in world.scenario.rooms[me.location].overhears:
            total[me.id, "stress"] += 0.03
    if event.type == CONFLICT:
        total[event.source, "commitment"] += 0.15
        total[event.source, "budget"] += 0.35


def _chat(world: WorldState, event: Event, total: Strains) -> None:
    me, public = world.agents[event.source], world.scenario.rooms[event.room].privacy < 0.3
    single = event.targets[0] if len(event.targets) == 1 else None
    asked = any(
        me.beliefs[secret] == Belief.BELIEVES_TRUE and world.tick - tick <= 8
        for (_, secret), tick in me.questions.items()
    )
    if public and (asked or (single is not None and hides_from(world, me, single))):
        total[me.id, "commitment"] += 0.1
    quarrels = [
        {happening.source, *happening.targets}
        for happening in world.recent
        if happening.type == CONFLICT and 1 <= world.tick - happening.tick <= 3 and me.id in happening.seen_by
    ]
    if public and single is not None and any(single in pair and me.id not in pair for pair in quarrels):
        total[me.id, "commitment"] += 0.12
    if "question" in event.details and single is not None:
        total[single, "stress"] += 0.03
        for who in (me.id, single) if public else ():
            total[who, "commitment"] += 0.05
    if "reconciled" in event.details and single is not None:
        for who in (me.id, single):
            total[who, "stress"] -= 0.1


def _truths(world: WorldState, event: Event, total: Strains) -> None:
    """The strain of every truth that came out, from the state in which each person learned it."""
    if not any(delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE for delta in event.deltas):
        return
    moment = deepcopy(world)
    exposed: dict[str, Secret] = {}
    for delta in event.deltas:
        if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE:
            secret = exposed[delta.key] = world.scenario.secrets[delta.key]
            _learning(moment, moment.agents[delta.agent], secret, total)
        write(moment, delta)
    if world.scenario.rules["departures"]["consequences"] and event.type != CONFIDE:
        for secret in exposed.values():
            for holder in {event.source, *event.targets, *event.witnesses}.intersection(secret.holders):
                total[holder, "stress"] += 0.12 * secret.weight


def _learning(world: WorldState, me: AgentState, secret: Secret, total: Strains) -> None:
    weighs = world.scenario.rules["departures"]["consequences"]
    trust = {other: bond.trust for other, bond in me.bonds.items()}
    liked = me.bonds[secret.about].affection if secret.about in me.bonds else 0.0
    if secret.about == me.id or secret.weight >= 0.5 or liked > 0.4:
        total[me.id, "stress"] += 0.08
    liar = me.planted.get(secret.id)
    if liar is not None:
        total[me.id, "stress"] += 0.1 + (0.15 if trust[liar] > 0.5 else 0.0)
        trust[liar] -= 0.3
    harm = secret.harm.get(me.id, 0.0)
    for holder in secret.holders if weighs and harm > 0 else ():
        if holder != me.id:
            total[me.id, "stress"] += 0.15 if trust[holder] > 0.5 else 0.0
            total[me.id, "commitment"] += 0.2 * secret.weight * harm


def breakers(world: WorldState) -> list[str]:
    """Who breaks: timer at rest, composure below .30, stress x commitment^2 + .03 x suppression at the threshold.

    The threshold is .35, and rises by the scenario's number with each outburst that the house has seen; at most two
    break in a tick, the likelier first, and the second with the stress that the first gives them.
    """
    rise = world.scenario.rules["departures"]["threshold_rise"]
    rooms = world.scenario.rooms
    first: list[str] = []
    for _ in range(2):
        near: list[tuple[float, str]] = []
        for me in world.agents.values():
            if me.location == DEPARTED or me.id in first:
                continue
            stress = me.pacing.stress
            for other in first:
                room = world.agents[other].location
                spilled = 0.12 if room == me.location else 0.03 if room in rooms[me.location].overhears else 0.0
                stress = min(1.0, stress + spilled * world.scenario.people[me.id].sensitivity)
            potential = stress * me.pacing.commitment**2 + 0.03 * me.pacing.suppression_count
            rested, unmasked = me.pacing.recovery_timer == 0, me.pacing.composure < 0.3
            if rested and unmasked and potential >= 0.35 + rise * (world.catastrophes + len(first)):
                near.append((potential, me.id))
        if not near:
            break
        first.append(max(near, key=lambda entry: entry[0])[1])
    return first
