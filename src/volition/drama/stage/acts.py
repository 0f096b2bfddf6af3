"""What each act does: one function for each kind of act, which writes its effects to a scribe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.mind.candidates import ALL
from volition.drama.rules.beliefs import forced_truth_chance
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    GOALS,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
)
from volition.drama.rules.consequences import mending, mends, throws_out
from volition.drama.rules.passing import fatigue_after
from volition.drama.rules.physics import budget_cost, commitment_gain
from volition.drama.stage.learning import hint, lie, tell, watch
from volition.drama.stage.stance import is_public, states_position, takes_side
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.rules.catalog import EventType
    from volition.drama.stage.scribe import EventScribe
    from volition.drama.world.model import Action, Secret

_TRUTH = GOALS.index("truth_seeking")


def perform(scribe: EventScribe, action: Action) -> None:
    """Perform an act; INTERNAL does nothing that anybody could notice."""
    if act := ACTS.get(action.action_type):
        act(scribe, action)
        weight = scribe.world.scenario.secrets[action.secret_id].weight if action.secret_id is not None else 0.0
        cost = budget_cost(action.action_type, weight, scribe.tables.physics)
        scribe.strain(action.agent_id, "budget", cost, action.action_type.name.lower())


def _chat(scribe: EventScribe, action: Action) -> None:
    world, tables, me = scribe.world, scribe.tables, scribe.world.agents[action.agent_id]
    for other in action.target_agents:
        warmth = tables.acts.chat_affection_from, tables.acts.chat_affection_to
        scribe.affection(other, me.id, scribe.between(*warmth, me.id, "chat", other), "talked")
    states = states_position(world, me, action.target_agents, tables)
    sides = takes_side(world, me, action.target_agents, tables)
    scribe.strain(me.id, "commitment", commitment_gain(CHAT, states, False, tables.physics), "position")
    scribe.strain(me.id, "commitment", commitment_gain(CHAT, False, sides, tables.physics), "side")
    scribe.details |= {name: True for name, on in (("stance", states), ("sides", sides)) if on}
    if action.id != f"chat:{ALL}":
        _ask(scribe, me.id, action.target_agents[0])
        _make_up(scribe, me.id, action.target_agents[0])


def _ask(scribe: EventScribe, asker: str, asked: str) -> None:
    """Turn a chat into a question about the weightiest secret of the other that the asker suspects."""
    world, tables, me = scribe.world, scribe.tables, scribe.world.agents[asker]
    suspected = [secret for secret in scribe.held_by(asked) if me.beliefs[secret.id] == Belief.SUSPECTS]
    eagerness = tables.departures.probing * world.scenario.people[asker].goals[_TRUTH]
    if not suspected or scribe.share(asker, "ask", asked) >= eagerness:
        return
    secret = suspected[0]
    scribe.details["question"] = secret.id
    scribe.change("questions", asked, world.tick, "asked", (asker, secret.id))
    scribe.change("challenged", asked, world.tick, "asked")
    scribe.strain(asked, "stress", tables.consequences.question_stress, "asked")
    if tables.departures.feelings:
        scribe.emotion(asked, "fear", tables.feelings.question_fear, "asked")
    if is_public(world, me.location, tables):
        for who in (asker, asked):
            scribe.strain(who, "commitment", tables.consequences.question_commitment, "asked in public")


def _make_up(scribe: EventScribe, speaker: str, other: str) -> None:
    """Let a chat between two reduce the other's grievance against the speaker."""
    world, tables, table = scribe.world, scribe.tables, scribe.tables.grievance
    me, them = world.agents[speaker], world.agents[other]
    held = them.grievance.get(speaker, 0.0)
    own = me.grievance.get(other, 0.0)
    if not tables.departures.making_up or not mends(held, me.emotions["shame"], own, table):
        return
    private = not is_public(world, me.location, tables)
    change = mending(them.bonds[speaker].affection, private, table)
    scribe.grievance(other, speaker, -change, "made up")
    scribe.trust(other, speaker, change * table.mending_trust, "made up")
    peak, left = them.peaks.get(speaker, 0.0), them.grievance.get(speaker, 0.0)
    if peak >= table.reconciled_from and left < table.reconciled_below and speaker not in them.reconciled:
        scribe.change("reconciled", other, True, "made up", speaker)
        scribe.details["reconciled"] = True
        for who in (speaker, other):
            scribe.strain(who, "stress", table.reconciled_stress, "made up")


def _observe(scribe: EventScribe, action: Action) -> None:
    if action.focus is not None and (found := watch(scribe, action.agent_id, action.focus)):
        scribe.details["found"] = found


def _move(scribe: EventScribe, action: Action) -> None:
    world, gathering = scribe.world, scribe.world.scenario.evening.gathering
    me, room = world.agents[action.agent_id], action.destination
    if me.location == gathering:
        scribe.change("away", me.id, world.minutes, "moved")
    elif room == gathering:
        scribe.change("away", me.id, None, "moved")
    scribe.change("location", me.id, room, "moved")
    scribe.change("moved", me.id, world.tick, "moved")
    scribe.strain(me.id, "budget", scribe.tables.acts.move_budget, "moved")


def _reveal(scribe: EventScribe, action: Action) -> None:
    secret = _secret(scribe, action)
    present = [who for who in scribe.in_room(action.location_id) if who != action.agent_id]
    scribe.strain(
        action.agent_id, "commitment", commitment_gain(REVEAL, False, False, scribe.tables.physics), "revealed"
    )
    tell(scribe, secret, action.agent_id, present, "revealed")


def _confide(scribe: EventScribe, action: Action) -> None:
    tables, me, other = scribe.tables, action.agent_id, action.target_agents[0]
    secret = _secret(scribe, action)
    if tables.departures.confide_commitment:
        scribe.strain(me, "commitment", commitment_gain(REVEAL, False, False, tables.physics), "confided")
    scribe.strain(me, "stress", tables.acts.confide_stress, "confided")
    scribe.trust(me, other, tables.acts.confide_trust, "confided")
    scribe.trust(other, me, tables.acts.confided_trust, "confided")
    tell(scribe, secret, me, [other], "confided", exposes=False)
    for bystander in scribe.in_room(action.location_id):
        near = bystander not in (me, other)
        catches = near and scribe.share(bystander, "catch", me) < tables.information.confide_leak
        if catches and hint(scribe, bystander, secret, "caught"):
            scribe.details.setdefault("caught", []).append(bystander)


def _lie(scribe: EventScribe, action: Action) -> None:
    acts, me = scribe.tables.acts, action.agent_id
    scribe.strain(me, "stress", acts.lie_stress, "lied")
    scribe.strain(me, "commitment", acts.lie_commitment, "lied")
    scribe.details["believed"] = lie(scribe, me, action.target_agents[0], _secret(scribe, action))


def _conflict(scribe: EventScribe, action: Action) -> None:
    world, tables, acts = scribe.world, scribe.tables, scribe.tables.acts
    me, other = action.agent_id, action.target_agents[0]
    scribe.clash(action.location_id, frozenset((me, other)), "conflict")
    scribe.strain(me, "commitment", commitment_gain(CONFLICT, False, False, tables.physics), "confronted")
    lost = scribe.between(acts.conflict_trust_from, acts.conflict_trust_to, me, "conflict trust", other)
    hurt = scribe.between(acts.conflict_accused_from, acts.conflict_accused_to, other, "conflict trust", me)
    scribe.trust(me, other, -lost, "confronted")
    scribe.trust(other, me, -hurt, "was confronted")
    anger = scribe.between(acts.conflict_anger_from, acts.conflict_anger_to, me, "conflict anger", other)
    scribe.emotion(me, "anger", anger, "confronted")
    scribe.change("confronted", me, world.tick, "confronted", other)
    scribe.change("confronted_by", other, world.tick, "was confronted", me)
    scribe.change("challenged", other, world.tick, "was confronted")
    scribe.change("grounds", me, 0, "confronted", other)
    scribe.ground(other, me, "was confronted")
    _tire(scribe, me, other)
    if tables.departures.feelings:
        for emotion in ("anger", "fear", "shame"):
            scribe.emotion(other, emotion, getattr(tables.feelings, f"conflict_accused_{emotion}"), "was confronted")
    _force_truth(scribe, me, other)
    _throw_out(scribe, me, other)


def _tire(scribe: EventScribe, me: str, other: str) -> None:
    table, agents = scribe.tables.grievance, scribe.world.agents
    scribe.grievance(me, other, table.accuser, "confronted")
    scribe.grievance(other, me, table.accused, "was confronted")
    for who, whom, more in ((me, other, table.fatigue_accuser), (other, me, table.fatigue_accused)):
        scribe.change(
            "fatigue", who, fatigue_after(agents[who].fatigue.get(whom, 0.0), more, table), "quarrelled", whom
        )


def _force_truth(scribe: EventScribe, accuser: str, accused: str) -> None:
    """Let the weightiest secret that the accuser is after come out before all present, if the accused loses composure."""
    world, tables, me = scribe.world, scribe.tables, scribe.world.agents[accuser]
    if not tables.departures.forced_truth:
        return
    for secret in scribe.held_by(accused):
        belief = me.beliefs[secret.id]
        harmed = belief == Belief.BELIEVES_TRUE and secret.harm.get(accuser, 0.0) > 0.0
        if belief == Belief.SUSPECTS or harmed:
            composure = world.agents[accused].pacing.composure
            if scribe.share(accused, "forced", secret.id) < forced_truth_chance(composure, tables.information):
                scribe.details["forced"] = secret.id
                present = [who for who in scribe.in_room(me.location) if who != accused]
                tell(scribe, secret, accused, present, "forced out")
            return


def _throw_out(scribe: EventScribe, me: str, other: str) -> None:
    world, tables, people = scribe.world, scribe.tables, scribe.world.scenario.people
    trust, held = world.agents[me].bonds[other].trust, world.agents[me].grievance.get(other, 0.0)
    host, guest = people[me].resident, not people[other].resident
    if tables.departures.throwing_out and throws_out(host, guest, trust, held, world.minutes, tables.grievance):
        scribe.change("thrown_out", other, True, "thrown out")
        scribe.details["thrown_out"] = True


def _handle(scribe: EventScribe, action: Action) -> None:
    world, me = scribe.world, action.agent_id
    match action.manner:
        case "drink":
            scribe.glass(me, "drank")
        case "fetch":
            scribe.change("task", me, "serve", "fetched")
        case "serve" | "pour":
            for who in scribe.in_room(action.location_id):
                scribe.glass(who, "served")
            if action.manner == "serve":
                scribe.change("world", "", world.minutes, "served", "course_served")
            scribe.change("task", me, None, "served")
            scribe.change("task_since", me, None, "served")
        case "slam":
            _slam(scribe, action)
        case "leave":
            scribe.change("location", me, DEPARTED, "left")
        case need:
            scribe.change("needs", me, 0.0, "used", need)


def _slam(scribe: EventScribe, action: Action) -> None:
    """Slam a door: it relieves the person and frightens the others."""
    me, acts = action.agent_id, scribe.tables.acts
    scribe.strain(me, "stress", acts.slam_stress, "slammed")
    scribe.strain(me, "budget", scribe.tables.physics.budget_cost_minor, "slammed")
    for other in scribe.in_room(action.location_id):
        if other != me:
            scribe.emotion(other, "fear", acts.slam_fear, "saw a door slammed")


def _secret(scribe: EventScribe, action: Action) -> Secret:
    assert action.secret_id is not None
    return scribe.world.scenario.secrets[action.secret_id]


ACTS: dict[EventType, Callable[[EventScribe, Action], None]] = {
    CHAT: _chat,
    OBSERVE: _observe,
    SOCIAL_MOVE: _move,
    REVEAL: _reveal,
    CONFLICT: _conflict,
    PHYSICAL: _handle,
    CONFIDE: _confide,
    LIE: _lie,
}
