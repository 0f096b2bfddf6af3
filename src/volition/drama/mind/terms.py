"""What each act is worth to an agent: the specification's terms to the letter, and one itemised term for the situation.

Every number comes from a rule of `drama.rules` over a coefficient of the scenario; this file only says which rule is
asked with what. A rule's result is rounded to a multiple of 2^-44, so a total is exact in any order of addition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import gauss, stream, uid, word
from volition.drama.mind.candidates import DRINK
from volition.drama.rules.alcohol import alcohol_pull
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import EFFECTS, GOALS, Effect, EventType
from volition.drama.rules.flaws import flaw_bias, trigger_active
from volition.drama.rules.leaf import leaf
from volition.drama.rules.movement import company_pull, follow_pull, privacy_pull
from volition.drama.rules.pacing import consistency, is_consistent, is_contradicting, masking, quiet, relief
from volition.drama.rules.utility import (
    closeness_pull,
    conflict_effects,
    goal_pull,
    group,
    internal_base,
    move_effects,
    telling_effects,
)

if TYPE_CHECKING:
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.rules.tables import Profile, Tables
    from volition.drama.world.model import Action, AgentState, Flaw, Scenario

_CLOSENESS, _STATUS_EFFECT = EFFECTS.index("closeness"), EFFECTS.index("status")
_NOBODY = -1.0
"""The standing of nobody: below every threshold."""

_TELLING = (EventType.REVEAL, EventType.CONFIDE)


class Appraisal:
    """One agent's view of its candidates this tick; each method is one term."""

    def __init__(self, scenario: Scenario, me: AgentState, perceived: PerceivedState, tables: Tables) -> None:
        self.scenario, self.me, self.perceived, self.tables = scenario, me, perceived, tables
        self.person = scenario.people[me.id]
        self.privacy = scenario.rooms[me.location].privacy
        commitments = self.person.commitments
        self.concealed = {commitment.secret for commitment in commitments if commitment.kind == "conceal"}
        self.exposed = {commitment.secret for commitment in commitments if commitment.kind == "expose"}

    def utility(self, action: Action) -> float:
        """Goals against the effects of the act (spec 3.1)."""
        effects = self.effects(action)
        pull = goal_pull(self.person.goals, effects)
        if action.target_agents:
            desires = (self.person.closeness.get(other, 0.0) for other in action.target_agents)
            wanted = sum(closeness_pull(desire, effects[_CLOSENESS]) for desire in desires)
            pull += group(wanted, len(action.target_agents), self.tables.departures.normalise_groups)
        if action.action_type == EventType.INTERNAL:
            return internal_base(pull, self.tables.departures.internal_cap)
        return pull

    def effects(self, action: Action) -> Profile:
        """The effect profile of the act, adjusted for place, secret and target."""
        kind, context = action.action_type, self.tables.context
        profile = self.tables.effects[kind]
        if action.destination is not None:
            return move_effects(profile, self.scenario.rooms[action.destination].privacy, context)
        if kind in _TELLING and action.secret_id is not None:
            return telling_effects(profile, self.scenario.secrets[action.secret_id].weight, context)
        if kind == EventType.CONFLICT:
            return conflict_effects(profile, self.me.bonds[action.target_agents[0]].trust, context)
        return profile

    def flaws(self, action: Action) -> float:
        """What the agent's awake flaws add (spec 3.2)."""
        return sum(self._bias(flaw, action) for flaw in self.person.flaws if self._awake(flaw, action))

    def _awake(self, flaw: Flaw, action: Action) -> bool:
        seen, emotions, pacing = self.perceived, self.me.emotions, self.me.pacing
        return trigger_active(
            flaw.trigger,
            action.action_type,
            bool(action.target_agents),
            emotions["suspicion"],
            emotions["shame"],
            pacing.stress,
            pacing.commitment,
            seen.status_threat,
            seen.secret_at_risk,
            seen.challenged,
            seen.recent_conflict_at_location,
            self.tables.flaws,
        )

    def _bias(self, flaw: Flaw, action: Action) -> float:
        departures = self.tables.departures
        addressed = action.target_agents[:1]
        if departures.normalise_groups and len(action.target_agents) > 1:
            addressed = ()
        standing = self.perceived.standing[addressed[0]] if addressed else _NOBODY
        subject = addressed[0] if addressed else action.focus if departures.observe_focus else None
        status_effect = 0.0
        if flaw.effect == Effect.OVERWEIGHT_STATUS:
            status_effect = self.effects(action)[_STATUS_EFFECT]
        return flaw_bias(
            flaw.effect,
            flaw.strength,
            action.action_type,
            action.is_dramatic,
            status_effect,
            standing,
            subject is not None and subject == flaw.target,
            self.tables.flaws,
        )

    def pacing(self, action: Action) -> float:
        """Masking, relief, commitment and quiet (spec 3.3, without the gates, which veto)."""
        pacing, table = self.me.pacing, self.tables.pacing
        destination = self.scenario.rooms[action.destination].privacy if action.destination is not None else 0.0
        return (
            masking(action.is_dramatic, self.privacy, pacing.composure, table)
            + relief(action.action_type, pacing.stress, destination, action.manner == DRINK, table)
            + self._consistency(action)
            + quiet(action.is_dramatic, pacing.dramatic_budget, table)
        )

    def _consistency(self, action: Action) -> float:
        kind, commitment = action.action_type, self.me.pacing.commitment
        conceals, exposes = action.secret_id in self.concealed, action.secret_id in self.exposed
        consistent = is_consistent(kind, conceals, exposes, self.tables.departures.strict_commitments)
        return consistency(commitment, consistent, is_contradicting(kind, conceals), self.tables.pacing)

    def bonds(self, action: Action) -> float:
        """How the agent stands to those whom it addresses (spec 3.4)."""
        if not action.target_agents:
            return 0.0
        pull = 0.0
        for other in action.target_agents:
            bond = self.me.bonds[other]
            pull += bond_pull(action.action_type, bond.trust, bond.affection, bond.obligation, self.tables.bonds)
        return group(pull, len(action.target_agents), self.tables.departures.normalise_groups)

    def alcohol(self, action: Action) -> float:
        """Lowered inhibitions (spec 6.1)."""
        return alcohol_pull(action.is_dramatic, self.me.alcohol, self.tables.alcohol)

    def movement(self, action: Action) -> float:
        """Who is there, how private it is, and whom to follow (spec 6.2)."""
        room = action.destination
        if room is None:
            return 0.0
        table, seen = self.tables.movement, self.perceived
        closeness = self.person.closeness
        pull = sum(company_pull(closeness.get(other, 0.0), table) for other in seen.occupants[room])
        pull += privacy_pull(self.me.pacing.stress, seen.pending, self.scenario.rooms[room].privacy, table)
        suspicion = self.me.emotions["suspicion"]
        return pull + sum(follow_pull(self.me.bonds[mover].trust, suspicion, table) for mover in seen.movers[room])


def noise(seed: int, tick: int, agent_id: str, action_id: str, sigma: float) -> float:
    """Gaussian noise that is a function of what it is for, so that nobody else's changes with it (spec 3.5)."""
    return leaf(sigma * gauss(word(stream(seed, tick, uid(agent_id), uid("noise")), uid(action_id))))


assert len(GOALS) + 1 == len(EFFECTS)  # closeness is the effect whose goal is a person
