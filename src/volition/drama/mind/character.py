"""The part of somebody's choices that depends on the scenario alone: it is computed once for the whole evening."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, DRINK, EFFECTS, INTERNAL, REVEAL, EventType
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
class ActSetting:
    """An act without the person it is about: candidates that differ only in that share one setting.

    `intimate` says whether it offers somebody closeness, `status` what it does for status (independent of place, secret
    and person), `privacy` how private the room is that it leads to, `consistent` and `contradicting` how it relates to
    the person's commitments.
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
    """One person of a scenario, with what the terms of all their decisions need.

    `settings` and `worths` are caches by the ids of acts. An id determines everything except whom `chat:all` addresses,
    so that worth is not cached, and whether a conflict is with somebody distrusted, which is part of the key.
    """

    def __init__(self, scenario: Scenario, tables: Tables, id: str) -> None:
        self.person = scenario.people[id]
        self.concealed, self.exposed = self.person.concealed, self.person.exposed
        self.settings: dict[str, ActSetting] = {}
        self.worths: dict[str | tuple[str, bool], float] = {}
        self._scenario, self._tables = scenario, tables
        self._shared: dict[tuple[object, ...], ActSetting] = {}

    def setting(self, action: Action) -> ActSetting:
        """The setting of an act."""
        found = self.settings.get(action.id)
        if found is None:
            where = (action.destination, action.secret_id, action.manner)
            key = (action.action_type, bool(action.target_agents), *where)
            if key not in self._shared:
                self._shared[key] = self._setting(action)
            found = self.settings[action.id] = self._shared[key]
        return found

    def _setting(self, action: Action) -> ActSetting:
        kind, room = action.action_type, action.destination
        conceals, exposes = action.secret_id in self.concealed, action.secret_id in self.exposed
        return ActSetting(
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
        """Goals times the effects of an act (spec 3.1); `trust` is that in the other party of a conflict."""
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
        """The effects of the act, adjusted for place, secret and target."""
        kind, context = action.action_type, self._tables.context
        profile = self._tables.effects[kind]
        if action.destination is not None:
            return move_effects(profile, self._scenario.rooms[action.destination].privacy, context)
        if kind in _TELLING and action.secret_id is not None:
            return telling_effects(profile, self._scenario.secrets[action.secret_id].weight, context)
        if kind == CONFLICT:
            return conflict_effects(profile, trust, context)
        return profile
