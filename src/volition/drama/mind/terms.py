"""What each act is worth to an agent: the specification's terms to the letter, and one itemised term for the situation.

Every number comes from a rule of `drama.rules` over a coefficient of the scenario; this file only says which rule is
asked with what. A rule's result is rounded to a multiple of 2^-44, so a total is exact in any order of addition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.chance import gauss, stream, uid, word
from volition.drama.mind.candidates import DRINK
from volition.drama.rules.alcohol import alcohol_pull
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    EFFECTS,
    INTERNAL,
    OBSERVE,
    REVEAL,
    Effect,
    EventType,
)
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
    from collections.abc import Sequence

    from volition.drama.mind.perception import PerceivedState
    from volition.drama.rules.tables import Profile, Tables
    from volition.drama.world.model import Action, AgentState, Flaw, Scenario

_CLOSENESS, _STATUS_EFFECT = EFFECTS.index("closeness"), EFFECTS.index("status")
_NOBODY = -1.0
"""The standing of nobody: below every threshold."""

_TELLING = (REVEAL, CONFIDE)
OVERWEIGHT_STATUS = Effect.OVERWEIGHT_STATUS
_INTIMATE = (CHAT, CONFIDE)


class Appraisal:
    """One agent's view of its candidates this tick; each public method is one term over all of them.

    What a term makes of the kind of act, its place and its secret is computed once and kept: many candidates differ in
    whom they address alone.
    """

    def __init__(
        self,
        scenario: Scenario,
        me: AgentState,
        perceived: PerceivedState,
        tables: Tables,
        utilities: dict[Any, float] | None = None,
    ) -> None:
        self.scenario, self.me, self.perceived, self.tables = scenario, me, perceived, tables
        self._utilities = {} if utilities is None else utilities
        self.person = scenario.people[me.id]
        commitments = self.person.commitments
        self.concealed = {commitment.secret for commitment in commitments if commitment.kind == "conceal"}
        self.exposed = {commitment.secret for commitment in commitments if commitment.kind == "expose"}
        self._profiles: dict[Any, tuple[Profile, float]] = {}
        self._vain = any(flaw.effect == OVERWEIGHT_STATUS for flaw in self.person.flaws)
        self._awake = {social: self._flaws_awake(social) for social in (CHAT, OBSERVE)}

    def utility(self, actions: Sequence[Action]) -> list[float]:
        """Goals against the effects of each act (spec 3.1)."""
        return [self._kept_utility(action) for action in actions]

    def _kept_utility(self, action: Action) -> float:
        """It depends on the scenario alone, and for CONFLICT on whether the other is distrusted: it outlives the tick."""
        kind, targets = action.action_type, action.target_agents
        sharp = kind == CONFLICT and self.me.bonds[targets[0]].trust < self.tables.context.distrust
        key = (self.me.id, kind, targets, action.destination or action.secret_id, sharp)
        worth = self._utilities.get(key)
        if worth is None:
            worth = self._utilities[key] = self._utility(action)
        return worth

    def _utility(self, action: Action) -> float:
        effects, pull = self._profile(action)
        if action.target_agents:
            closeness, effect = self.person.closeness, effects[_CLOSENESS]
            wanted = sum([closeness_pull(closeness.get(other, 0.0), effect) for other in action.target_agents])
            return pull + group(wanted, len(action.target_agents), self.tables.departures.normalise_groups)
        if action.action_type == INTERNAL:
            return internal_base(pull, self.tables.departures.internal_cap)
        return pull

    def _profile(self, action: Action) -> tuple[Profile, float]:
        """The effects of the act, adjusted for place, secret and target, and what the goals make of them."""
        kind = action.action_type
        place = action.destination or action.secret_id or (action.target_agents if kind == CONFLICT else None)
        found = self._profiles.get((kind, place))
        if found is None:
            effects = self._effects(action)
            found = self._profiles[kind, place] = effects, goal_pull(self.person.goals, effects)
        return found

    def _effects(self, action: Action) -> Profile:
        kind, context = action.action_type, self.tables.context
        profile = self.tables.effects[kind]
        if action.destination is not None:
            return move_effects(profile, self.scenario.rooms[action.destination].privacy, context)
        if kind in _TELLING and action.secret_id is not None:
            return telling_effects(profile, self.scenario.secrets[action.secret_id].weight, context)
        if kind == CONFLICT:
            return conflict_effects(profile, self.me.bonds[action.target_agents[0]].trust, context)
        return profile

    def flaws(self, actions: Sequence[Action]) -> list[float]:
        """What the agent's awake flaws add (spec 3.2)."""
        if not any(self._awake.values()):
            return [0.0] * len(actions)
        return [self._bias(action) for action in actions]

    def _bias(self, action: Action) -> float:
        kind, departures = action.action_type, self.tables.departures
        awake = self._awake[CHAT if kind in _INTIMATE and action.target_agents else OBSERVE]
        if not awake:
            return 0.0
        addressed = action.target_agents[0] if action.target_agents else None
        if departures.normalise_groups and len(action.target_agents) > 1:
            addressed = None
        subject = addressed or (action.focus if departures.observe_focus else None)
        standing = _NOBODY if addressed is None else self.perceived.standing[addressed]
        status = self._effects(action)[_STATUS_EFFECT] if self._vain else 0.0
        table, dramatic = self.tables.flaws, action.is_dramatic
        bias = 0.0
        for flaw in awake:
            on_target = subject is not None and subject == flaw.target
            bias += flaw_bias(flaw.effect, flaw.strength, kind, dramatic, status, standing, on_target, table)
        return bias

    def _flaws_awake(self, kind: EventType) -> list[Flaw]:
        """The flaws that are awake while an act of this kind towards somebody is weighed."""
        seen, emotions, pacing = self.perceived, self.me.emotions, self.me.pacing
        return [
            flaw
            for flaw in self.person.flaws
            if trigger_active(
                flaw.trigger,
                kind,
                True,
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
        ]

    def pacing(self, actions: Sequence[Action]) -> list[float]:
        """Masking, relief, commitment and quiet (spec 3.3, without the gates, which veto)."""
        paces: dict[Any, float] = {}
        column = []
        for action in actions:
            key = (action.action_type, action.destination, action.secret_id, action.manner)
            pace = paces.get(key)
            if pace is None:
                pace = paces[key] = self._pace(action)
            column.append(pace)
        return column

    def _pace(self, action: Action) -> float:
        pacing, table, rooms = self.me.pacing, self.tables.pacing, self.scenario.rooms
        kind, dramatic = action.action_type, action.is_dramatic
        destination = rooms[action.destination].privacy if action.destination is not None else 0.0
        conceals, exposes = action.secret_id in self.concealed, action.secret_id in self.exposed
        consistent = is_consistent(kind, conceals, exposes, self.tables.departures.strict_commitments)
        return (
            masking(dramatic, rooms[self.me.location].privacy, pacing.composure, table)
            + relief(kind, pacing.stress, destination, action.manner == DRINK, table)
            + consistency(pacing.commitment, consistent, is_contradicting(kind, conceals), table)
            + quiet(dramatic, pacing.dramatic_budget, table)
        )

    def bonds(self, actions: Sequence[Action]) -> list[float]:
        """How the agent stands to those whom it addresses (spec 3.4)."""
        return [self._bonds(action) if action.target_agents else 0.0 for action in actions]

    def _bonds(self, action: Action) -> float:
        kind, bonds, table = action.action_type, self.me.bonds, self.tables.bonds
        pull = 0.0
        for other in action.target_agents:
            bond = bonds[other]
            pull += bond_pull(kind, bond.trust, bond.affection, bond.obligation, table)
        return group(pull, len(action.target_agents), self.tables.departures.normalise_groups)

    def alcohol(self, actions: Sequence[Action]) -> list[float]:
        """Lowered inhibitions (spec 6.1)."""
        level, table = self.me.alcohol, self.tables.alcohol
        dramatic, quiet_act = alcohol_pull(True, level, table), alcohol_pull(False, level, table)
        return [dramatic if action.is_dramatic else quiet_act for action in actions]

    def movement(self, actions: Sequence[Action]) -> list[float]:
        """Who is there, how private it is, and whom to follow (spec 6.2)."""
        return [self._move(action.destination) if action.destination is not None else 0.0 for action in actions]

    def _move(self, room: str) -> float:
        table, seen = self.tables.movement, self.perceived
        closeness = self.person.closeness
        pull = sum([company_pull(closeness.get(other, 0.0), table) for other in seen.occupants[room]])
        pull += privacy_pull(self.me.pacing.stress, seen.pending, self.scenario.rooms[room].privacy, table)
        suspicion = self.me.emotions["suspicion"]
        return pull + sum([follow_pull(self.me.bonds[mover].trust, suspicion, table) for mover in seen.movers[room]])


def noise_key(seed: int, tick: int, agent_id: str) -> int:
    """What all the noise of one decision has in common."""
    return stream(seed, tick, uid(agent_id), uid("noise"))


def noise(key: int, action_id: str, sigma: float) -> float:
    """Gaussian noise that is a function of what it is for, so that nobody else's changes with it (spec 3.5)."""
    return leaf(sigma * gauss(word(key, uid(action_id))))
