"""The pacing physics and the strains of events, written independently from the tables of the specification.

Numbers are those printed there, but for those that a scenario sets otherwise, and none of the package's arithmetic is
used. What is summed is summed in the order of the events, so that results can be equal to the last bit.
"""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.drama.rulebook import RULES
from volition.drama.rules.catalog import Belief, EventType
from volition.drama.stage.state import write
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.world.model import Secret

CHAT, MOVE, REVEAL, CONFLICT = EventType.CHAT, EventType.SOCIAL_MOVE, EventType.REVEAL, EventType.CONFLICT
CONFIDE, LIE, CATASTROPHE = EventType.CONFIDE, EventType.LIE, EventType.CATASTROPHE
CLOCK = EventType.CLOCK
CLASH = {CONFLICT, CATASTROPHE}
DRAMATIC = {CONFLICT, REVEAL, CONFIDE, LIE, CATASTROPHE}
SLAM = "slam"
LOCK = {CATASTROPHE: 6, CONFLICT: 4, LIE: 4, REVEAL: 2, CONFIDE: 2}

PRINTED = {
    "physics": {
        "budget_recharge": 0.08, "budget_recharge_private": 0.04, "budget_cost_minor": 0.15, "budget_cost_major": 0.35,
        "budget_cost_catastrophe": 0.5, "stress_direct": 0.12, "stress_witness": 0.05, "stress_overhear": 0.03,
        "stress_secret_learned": 0.08, "stress_lied_to": 0.1, "stress_betrayal": 0.15, "stress_decay": 0.03,
        "stress_decay_private": 0.02, "stress_high": 0.6, "stress_erodes_above": 0.5, "stress_calm_below": 0.3,
        "composure_alcohol": 0.06, "composure_erosion": 0.02, "composure_recovery": 0.01, "composure_floor": 0.05,
        "composure_after_catastrophe": 0.3, "commitment_public_statement": 0.1, "commitment_confrontation": 0.15,
        "commitment_reveal": 0.2, "commitment_take_side": 0.12, "commitment_decay": 0.01, "commitment_decay_below": 0.5,
        "catastrophe_threshold": 0.35, "catastrophe_gate": 0.3, "catastrophe_suppression": 0.03,
        "catastrophe_cooldown": 8, "catastrophe_commitment": 0.1, "catastrophe_commitment_below": 0.8,
        "major_weight": 0.8,
    },
    "acts": {
        "move_budget": 0.05, "confide_stress": -0.1, "lie_stress": 0.15, "lie_commitment": 0.2, "slam_stress": -0.05,
        "shun_stress": 0.05, "comfort_stress": -0.06, "forgiven_stress": -0.12, "break_stress": 0.15,
    },
    "consequences": {
        "question_stress": 0.03, "question_commitment": 0.05, "exposed_stress": 0.12, "lie_found_trust": 0.3,
        "harm_resolve": 0.2, "disturbing_weight": 0.5, "disturbing_affection": 0.4,
    },
    "grievance": {"reconciled_stress": -0.1},
    "information": {"betrayal_trust": 0.5},
    "departures": {"grievance_above": 0.3},
}  # fmt: skip
"""The numbers of the specification and of the departures, by the names that the rules give them."""

Pace = tuple[float, float, float, float, int, int]
Strains = dict[tuple[str, str], float]


def numbers(world: WorldState) -> Any:
    """The printed numbers, and in place of some of them those that the scenario chose."""
    found: dict[str, float] = {}
    for section, printed in PRINTED.items():
        chosen, usual = world.scenario.rules[section], RULES[section]
        found |= {name: chosen[name] if chosen[name] != usual[name] else number for name, number in printed.items()}
    return SimpleNamespace(**found)


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
    slammed, broke = (
        any(event.source == me.id and event.manner == manner for event in events) for manner in (SLAM, "break_with")
    )
    dramatic = slammed or broke or bool(mine & DRAMATIC)

    say = numbers(world)
    budget = was.dramatic_budget - asked["budget"]
    if not dramatic:
        budget += say.budget_recharge
        if private:
            budget += say.budget_recharge_private
    stress = was.stress + world.scenario.people[me.id].sensitivity * asked["stress"]
    if not fought:
        stress -= say.stress_decay
        if private:
            stress -= say.stress_decay_private
    composure = was.composure - say.composure_alcohol * asked["drinks"]
    if was.stress > say.stress_erodes_above:
        composure -= say.composure_erosion
    if private and was.stress < say.stress_calm_below and not unrest:
        composure += say.composure_recovery
    commitment = was.commitment + asked["commitment"]
    if commitment <= say.commitment_decay_below and not upheld(world, me):
        commitment -= say.commitment_decay
    timer = max(was.recovery_timer, 2 if slammed else 0, *(LOCK.get(kind, 0) for kind in mine))
    timer = timer - 1 if timer > 0 else 0
    suppression = 0 if dramatic else was.suppression_count + (was.stress >= say.stress_high)
    budget, stress, commitment = (min(1.0, max(0.0, number)) for number in (budget, stress, commitment))
    composure = min(1.0, max(say.composure_floor, composure))
    if CATASTROPHE in mine:
        low = commitment < say.catastrophe_commitment_below
        commitment = min(1.0, commitment + say.catastrophe_commitment) if low else commitment
        budget = max(0.0, budget - say.budget_cost_catastrophe)
        return budget, stress / 2, say.composure_after_catastrophe, commitment, say.catastrophe_cooldown, 0
    return budget, stress, composure, commitment, timer, suppression


def upheld(world: WorldState, me: AgentState) -> bool:
    """In public, before somebody whom their own secret would harm, or against whom there is a grievance."""
    if not world.scenario.rules["departures"]["uphold"] or world.scenario.rooms[me.location].privacy >= 0.3:
        return False
    company = [other for other in world.agents if other != me.id and world.agents[other].location == me.location]
    above = numbers(world).grievance_above
    return any(me.grievance.get(other, 0.0) > above or hides_from(world, me, other) for other in company)


def hides_from(world: WorldState, me: AgentState, other: str) -> bool:
    sealed = {bound.secret for bound in world.scenario.people[me.id].commitments if bound.kind == "conceal"}
    mine = [secret for secret in world.scenario.secrets.values() if me.id in secret.holders or secret.id in sealed]
    return any(secret.harm.get(other, 0.0) > 0 and not thinks_known(world, me, other, secret) for secret in mine)


def thinks_known(world: WorldState, me: AgentState, other: str, secret: Secret) -> bool:
    """Whether somebody takes another to know a secret: they saw them learn it, or know it too and know who holds it."""
    thinks = world.scenario.rules["departures"]["theory_of_mind"] and me.beliefs[secret.id] == Belief.BELIEVES_TRUE
    return (other, secret.id) in me.knows or (bool(thinks) and other in secret.holders)


def strained(world: WorldState, event: Event) -> Strains:
    """What an event asks of everybody's stress, commitment, budget and count of drinks; `world` is the state before it."""
    total: Strains = defaultdict(float)
    rules, source, say = world.scenario.rules["departures"], event.source, numbers(world)
    weight = world.scenario.secrets[event.secret].weight if event.secret is not None else 0.0
    match event.type:
        case EventType.CONFLICT | EventType.CATASTROPHE:
            _clash(world, event, total)
        case EventType.SOCIAL_MOVE:
            total[source, "budget"] += say.move_budget
        case EventType.REVEAL:
            total[source, "budget"] += say.budget_cost_major if weight >= say.major_weight else say.budget_cost_minor
            total[source, "commitment"] += say.commitment_reveal
        case EventType.CONFIDE:
            total[source, "budget"] += say.budget_cost_minor
            total[source, "stress"] += say.confide_stress
            total[source, "commitment"] += say.commitment_reveal if rules["confide_commitment"] else 0.0
        case EventType.LIE:
            total[source, "budget"] += say.budget_cost_major
            total[source, "stress"] += say.lie_stress
            total[source, "commitment"] += say.lie_commitment
        case EventType.CHAT:
            _chat(world, event, total)
        case EventType.PHYSICAL if event.manner == SLAM:
            total[source, "budget"] += say.budget_cost_minor
            total[source, "stress"] += say.slam_stress
        case EventType.PHYSICAL if event.manner in ("shun", "comfort"):
            (other,) = event.targets
            total[other, "stress"] += say.shun_stress if event.manner == "shun" else say.comfort_stress
        case EventType.PHYSICAL if event.manner == "forgive":
            for who in (source, *event.targets):
                total[who, "stress"] += say.forgiven_stress
        case EventType.PHYSICAL if event.manner == "break_with":
            total[event.targets[0], "stress"] += say.break_stress
        case EventType.PHYSICAL if event.manner in ("drink", "serve", "pour"):
            present = [me.id for me in world.agents.values() if me.location == event.room]
            for who in [source] if event.manner == "drink" else present:
                total[who, "drinks"] += 1
    _truths(world, event, total)
    return {key: amount for key, amount in total.items() if abs(amount) > 1e-12}


def _clash(world: WorldState, event: Event, total: Strains) -> None:
    say = numbers(world)
    for me in world.agents.values():
        if me.id in (event.source, *event.targets):
            total[me.id, "stress"] += say.stress_direct
        elif me.location == event.room:
            total[me.id, "stress"] += say.stress_witness
        elif me.location != DEPARTED and _hears(world, event, me):
            total[me.id, "stress"] += say.stress_overhear
    if event.type == CONFLICT:
        total[event.source, "commitment"] += say.commitment_confrontation
        total[event.source, "budget"] += say.budget_cost_major


def _hears(world: WorldState, event: Event, me: AgentState) -> bool:
    """Whether a row in another room strains somebody: where they overheard it, or read literally could have."""
    if world.scenario.rules["departures"]["earshot"]:
        return me.id in event.overheard
    return event.room in world.scenario.rooms[me.location].overhears


def _said_aloud(event: Event) -> set[str]:
    """The secrets that an event says before everybody there, of whom somebody does not know them."""
    details = event.details
    said = [details.get("forced"), details.get("told"), event.secret if event.type in (REVEAL, CLOCK) else None]
    if details.get("stated") and "repeated" not in details and details.get("wrong") not in ("exposure", "attack"):
        said.append(details["about"])
    return {secret for secret in said if secret is not None}


def _chat(world: WorldState, event: Event, total: Strains) -> None:
    me, public, say = world.agents[event.source], world.scenario.rooms[event.room].privacy < 0.3, numbers(world)
    single = event.targets[0] if len(event.targets) == 1 else None
    if single is not None and "known" in event.details:  # found out before the word is said
        me = me.copy()
        me.knows.add((single, event.details["known"]))
    asked = any(
        me.beliefs[secret] == Belief.BELIEVES_TRUE and world.tick - tick <= 8
        for (_, secret), tick in me.questions.items()
    )
    if public and (asked or (single is not None and hides_from(world, me, single))):
        total[me.id, "commitment"] += say.commitment_public_statement
    seen = [each for each in world.recent if 1 <= world.tick - each.tick <= 3 and me.id in each.seen_by]
    quarrels = [{each.source, *each.targets} for each in seen if each.type == CONFLICT and not each.hinted]
    comforts = world.scenario.rules["departures"]["comfort"]
    quarrels += [{each.source} for each in seen if each.type == CATASTROPHE and comforts]
    kind = single is not None and me.grievance.get(single, 0.0) <= say.grievance_above
    if public and kind and any(single in pair and me.id not in pair for pair in quarrels):
        total[me.id, "commitment"] += say.commitment_take_side
    if "question" in event.details and single is not None:
        total[single, "stress"] += say.question_stress
        for who in (me.id, single) if public else ():
            total[who, "commitment"] += say.question_commitment
    if "reconciled" in event.details and single is not None:
        for who in (me.id, single):
            total[who, "stress"] += say.reconciled_stress


def _truths(world: WorldState, event: Event, total: Strains) -> None:
    """The strain of every truth that came out, from the state in which each person learned it."""
    learned = any(delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE for delta in event.deltas)
    moment = deepcopy(world) if learned else world
    for delta in event.deltas if learned else ():
        if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE:
            _learning(moment, moment.agents[delta.agent], world.scenario.secrets[delta.key], total)
        write(moment, delta)
    if world.scenario.rules["departures"]["consequences"]:
        for secret in (world.scenario.secrets[id] for id in sorted(_said_aloud(event))):
            company = {event.source, *event.targets, *event.witnesses}
            for holder in company.intersection(secret.holders):
                me = world.agents[holder]
                if any(not thinks_known(world, me, other, secret) for other in company - {holder}):
                    total[holder, "stress"] += numbers(world).exposed_stress * secret.weight


def _learning(world: WorldState, me: AgentState, secret: Secret, total: Strains) -> None:
    weighs, say = world.scenario.rules["departures"]["consequences"], numbers(world)
    trust = {other: bond.trust for other, bond in me.bonds.items()}
    liked = me.bonds[secret.about or ""].affection if secret.about in me.bonds else 0.0
    if secret.about == me.id or secret.weight >= say.disturbing_weight or liked > say.disturbing_affection:
        total[me.id, "stress"] += say.stress_secret_learned
    liar = me.planted.get(secret.id)
    if liar is not None:
        total[me.id, "stress"] += say.stress_lied_to + (
            say.stress_betrayal if trust[liar] > say.betrayal_trust else 0.0
        )
        trust[liar] -= say.lie_found_trust
    harm = secret.harm.get(me.id, 0.0)
    for holder in secret.holders if weighs and harm > 0 else ():
        if holder != me.id:
            total[me.id, "stress"] += say.stress_betrayal if trust[holder] > say.betrayal_trust else 0.0
            total[me.id, "commitment"] += say.harm_resolve * secret.weight * harm


def breakers(world: WorldState) -> list[str]:
    """Who breaks: timer at rest, composure below .30, stress x commitment^2 + .03 x suppression at the threshold.

    The threshold is .35 or the scenario's own, and rises by the scenario's number with each outburst that the house has seen; at most two
    break in a tick, the likelier first, and the second with the stress that the first gives them.
    """
    rise = world.scenario.rules["departures"]["threshold_rise"]
    rooms, say = world.scenario.rooms, numbers(world)
    first: list[str] = []
    for _ in range(2):
        near: list[tuple[float, str]] = []
        for me in world.agents.values():
            if me.location == DEPARTED or me.id in first:
                continue
            stress = me.pacing.stress
            for other in first:
                room = world.agents[other].location
                heard = say.stress_overhear if room in rooms[me.location].overhears else 0.0
                spilled = say.stress_direct if room == me.location else heard
                stress = min(1.0, stress + spilled * world.scenario.people[me.id].sensitivity)
            potential = stress * me.pacing.commitment**2 + say.catastrophe_suppression * me.pacing.suppression_count
            rested, unmasked = me.pacing.recovery_timer == 0, me.pacing.composure < say.catastrophe_gate
            if (
                rested
                and unmasked
                and potential >= say.catastrophe_threshold + rise * (world.catastrophes + len(first))
            ):
                near.append((potential, me.id))
        if not near:
            break
        first.append(max(near, key=lambda entry: entry[0])[1])
    return first
