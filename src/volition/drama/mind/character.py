"""What of somebody's choices the scenario alone decides: it holds for the whole evening, and is worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.drama.mind.candidates import DRINK
from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, EFFECTS, INTERNAL, REVEAL, EventType
from volition.drama.rules.pacing import is_consistent, is_contradicting
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
    from volition.drama.rules.tables import Profile, Tables
    from volition.drama.world.model import Action, Scenario

_CLOSENESS, _STATUS = EFFECTS.index("closeness"), EFFECTS.index("status")
_INTIMATE = (CHAT, CONFIDE)
_TELLING = (REVEAL, CONFIDE)


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """An act apart from whom it is about: candidates that differ in that alone share one.

    `intimate` says whether it offers somebody closeness, `status` what it does for one's status (which no place, secret
    or person changes), `privacy` how private the room is to which it leads, `consistent` and `contradicting` how it
    stands to one's commitments.
    """

    kind: EventType
    dramatic: bool
    intimate: bool
    status: float
    privacy: float
    drink: bool
    consistent: bool
    contradicting: bool


class Character:
    """One person of a scenario, as the terms of all their decisions need them.

    `settings` and `worths` keep what was asked for, by the ids of acts. An id says all that counts, except whom
    `chat:all` addresses, so its worth is not kept, and whether a conflict is with somebody distrusted.
    """

    def __init__(self, scenario: Scenario, tables: Tables, id: str) -> None:
        self.person = scenario.people[id]
        commitments = self.person.commitments
        self.concealed = {commitment.secret for commitment in commitments if commitment.kind == "conceal"}
        self.exposed = {commitment.secret for commitment in commitments if commitment.kind == "expose"}
        self.settings: dict[str, Setting] = {}
        self.worths: dict[str | tuple[str, bool], float] = {}
        self._scenario, self._tables = scenario, tables
        self._shared: dict[tuple[object, ...], Setting] = {}

    def setting(self, action: Action) -> Setting:
        """The setting of an act."""
        found = self.settings.get(action.id)
        if found is None:
            where = (action.destination, action.secret_id, action.manner)
            key = (action.action_type, bool(action.target_agents), *where)
            if key not in self._shared:
                self._shared[key] = self._setting(action)
            found = self.settings[action.id] = self._shared[key]
        return found

    def _setting(self, action: Action) -> Setting:
        kind, room = action.action_type, action.destination
        conceals, exposes = action.secret_id in self.concealed, action.secret_id in self.exposed
        return Setting(
            kind,
            action.is_dramatic,
            kind in _INTIMATE and bool(action.target_agents),
            self._tables.effects[kind][_STATUS],
            self._scenario.rooms[room].privacy if room is not None else 0.0,
            action.manner == DRINK,
            is_consistent(kind, conceals, exposes, self._tables.departures.strict_commitments),
            is_contradicting(kind, conceals),
        )

    def worth(self, action: Action, trust: float) -> float:
        """Goals against the effects of an act (spec 3.1); `trust` is in the one whom a conflict is with."""
        if len(action.target_agents) > 1:
            return self._utility(action, trust)
        quarrel = action.action_type == CONFLICT
        key = (action.id, trust < self._tables.context.distrust) if quarrel else action.id
        worth = self.worths.get(key)
        if worth is None:
            worth = self.worths[key] = self._utility(action, trust)
        return worth

    def _utility(self, action: Action, trust: float) -> float:
        departures, closeness = self._tables.departures, self.person.closeness
        effects = self._effects(action, trust)
        pull = goal_pull(self.person.goals, effects)
        if action.target_agents:
            effect = effects[_CLOSENESS]
            wanted = sum([closeness_pull(closeness.get(other, 0.0), effect) for other in action.target_agents])
            return pull + group(wanted, len(action.target_agents), departures.normalise_groups)
        if action.action_type == INTERNAL:
            return internal_base(pull, departures.internal_cap)
        return pull

    def _effects(self, action: Action, trust: float) -> Profile:
        """What the act does, adjusted for place, secret and target."""
        kind, context = action.action_type, self._tables.context
        profile = self._tables.effects[kind]
        if action.destination is not None:
            return move_effects(profile, self._scenario.rooms[action.destination].privacy, context)
        if kind in _TELLING and action.secret_id is not None:
            return telling_effects(profile, self._scenario.secrets[action.secret_id].weight, context)
        if kind == CONFLICT:
            return conflict_effects(profile, trust, context)
        return profile
