"""What each act is worth to an agent: the specification's terms to the letter, and one itemised term for the situation.

Every number comes from a rule of `drama.rules` and the coefficients of the scenario; this file only calls the rules. A
rule's result is rounded to a multiple of 2^-44, so a total is exact in any order of addition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import gauss, gausses, stream, uid, word
from volition.drama.mind.character import ActSetting, Character
from volition.drama.rules.alcohol import alcohol_pull
from volition.drama.rules.bonds import bond_pull
from volition.drama.rules.catalog import CHAT, CONFLICT, OBSERVE, Effect, EventType
from volition.drama.rules.flaws import flaw_bias, trigger_active
from volition.drama.rules.leaf import leaf
from volition.drama.rules.movement import company_pull, follow_pull, privacy_pull
from volition.drama.rules.pacing import consistency, masking, quiet, relief
from volition.drama.rules.utility import group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.drama.mind.perception import PerceivedState
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import Action, AgentState, Flaw, Scenario

_NOBODY = -1.0
"""The standing of nobody: below every threshold."""

_PERSONAL = (Effect.SEEK_VALIDATION, Effect.FIXATE_ON_TARGET)
"""The effects of flaws that depend on whom an act is about."""


class Appraisal:
    """One agent's view of its candidates this tick; each public method is one term over all of them.

    What a term adds for an act's setting is computed once, because many candidates differ only in whom they are about.
    """

    def __init__(
        self,
        scenario: Scenario,
        me: AgentState,
        perceived: PerceivedState,
        tables: Tables,
        character: Character | None = None,
    ) -> None:
        self.scenario, self.me, self.perceived, self.tables = scenario, me, perceived, tables
        self.character = character or Character(scenario, tables, me.id)
        self.person = self.character.person

    def utility(self, actions: Sequence[Action]) -> list[float]:
        """Goals times the effects of each act (spec 3.1)."""
        worths = self.character.worths
        return [worths[action.id] if action.id in worths else self._worth(action) for action in actions]

    def _worth(self, action: Action) -> float:
        quarrel = action.action_type == CONFLICT
        trust = self.me.bonds[action.target_agents[0]].trust if quarrel else 0.0
        return self.character.worth(action, trust)

    def flaws(self, actions: Sequence[Action]) -> list[float]:
        """What the agent's active flaws add (spec 3.2)."""
        awake = self._flaws_awake(OBSERVE), self._flaws_awake(CHAT)  # an offer of closeness activates additional ones
        if not (awake[False] or awake[True]):
            return [0.0] * len(actions)
        personal = any(flaw.effect in _PERSONAL for flaws in awake for flaw in flaws)
        settings, biases = self.character.settings, dict[ActSetting, float]()
        column = []
        for action in actions:
            setting = settings.get(action.id) or self.character.setting(action)
            bias = None if personal else biases.get(setting)
            if bias is None:
                bias = biases[setting] = self._bias(awake[setting.intimate], setting, action)
            column.append(bias)
        return column

    def _bias(self, flaws: Sequence[Flaw], setting: ActSetting, action: Action) -> float:
        departures, targets = self.tables.departures, action.target_agents
        addressed = targets[0] if targets and not (departures.normalise_groups and len(targets) > 1) else None
        subject = addressed or (action.focus if departures.observe_focus else None)
        standing = _NOBODY if addressed is None else self.perceived.standing[addressed]
        kind, dramatic, status, table = setting.kind, setting.dramatic, setting.status, self.tables.flaws
        bias = 0.0
        for flaw in flaws:
            on_target = subject is not None and subject == flaw.target
            bias += flaw_bias(flaw.effect, flaw.strength, kind, dramatic, status, standing, on_target, table)
        return bias

    def _flaws_awake(self, kind: EventType) -> list[Flaw]:
        """The flaws that are active while the agent considers an act of this kind towards somebody."""
        seen, emotions, pacing = self.perceived, self.me.emotions, self.me.pacing
        scene = (
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
        return [flaw for flaw in self.person.flaws if trigger_active(flaw.trigger, kind, True, *scene)]

    def pacing(self, actions: Sequence[Action]) -> list[float]:
        """Masking, relief, commitment and quiet (spec 3.3); its gates are vetoes."""
        mine, table = self.me.pacing, self.tables.pacing
        stress, commitment, here = mine.stress, mine.commitment, self.scenario.rooms[self.me.location].privacy
        manner = [
            masking(dramatic, here, mine.composure, table) + quiet(dramatic, mine.dramatic_budget, table)
            for dramatic in (False, True)
        ]
        settings, paces = self.character.settings, dict[ActSetting, float]()
        column = []
        for action in actions:
            setting = settings.get(action.id) or self.character.setting(action)
            pace = paces.get(setting)
            if pace is None:
                pace = paces[setting] = (
                    manner[setting.dramatic]
                    + relief(setting.kind, stress, setting.privacy, setting.drink, table)
                    + consistency(commitment, setting.consistent, setting.contradicting, table)
                )
            column.append(pace)
        return column

    def bonds(self, actions: Sequence[Action]) -> list[float]:
        """The agent's bonds with those whom it addresses (spec 3.4)."""
        bonds, table, normalise = self.me.bonds, self.tables.bonds, self.tables.departures.normalise_groups
        column = []
        for action in actions:
            kind, targets = action.action_type, action.target_agents
            pull = 0.0
            for other in targets:
                bond = bonds[other]
                pull += bond_pull(kind, bond.trust, bond.affection, bond.obligation, table)
            column.append(group(pull, len(targets), normalise) if len(targets) > 1 else pull)
        return column

    def alcohol(self, actions: Sequence[Action]) -> list[float]:
        """Lowered inhibitions (spec 6.1)."""
        level, table = self.me.alcohol, self.tables.alcohol
        dramatic, quiet_act = alcohol_pull(True, level, table), alcohol_pull(False, level, table)
        return [dramatic if action.is_dramatic else quiet_act for action in actions]

    def movement(self, actions: Sequence[Action]) -> list[float]:
        """Who is in the other room, how private it is, and whom to follow (spec 6.2)."""
        return [0.0 if action.destination is None else self._move(action.destination) for action in actions]

    def _move(self, room: str) -> float:
        table, seen, me = self.tables.movement, self.perceived, self.me
        pull = privacy_pull(me.pacing.stress, seen.pending, self.scenario.rooms[room].privacy, table)
        for other in seen.occupants[room]:
            pull += company_pull(self.person.closeness.get(other, 0.0), table)
        for mover in seen.movers[room]:
            pull += follow_pull(me.bonds[mover].trust, me.emotions["suspicion"], table)
        return pull


def noise_key(seed: int, tick: int, agent_id: str) -> int:
    """The key that all noise of one decision has in common."""
    return stream(seed, tick, uid(agent_id), uid("noise"))


def noise(key: int, action_id: str, sigma: float) -> float:
    """Gaussian noise as a function of its purpose, so that it is independent of all other draws (spec 3.5)."""
    return leaf(sigma * gauss(word(key, uid(action_id))))


def noises(key: int, action_ids: Iterable[str], sigma: float) -> list[float]:
    """The same for all candidates of a decision."""
    return [leaf(sigma * draw) for draw in gausses(key, action_ids)]
