"""One agent decides: its gates are constraints, its terms are heuristics, and the arbiter chooses.

The weight of a term is a power of two that bounds it, so that `weight * score` is the term to the last bit while the
score keeps within [-1, 1]. So every choice can be asked why, why not and what if by the same questions as any other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from volition.arbitration import CompositeIntention, Constraint, Decision, Function, Heuristic, arbitrate
from volition.core.chance import GAUSS_BOUND
from volition.drama.mind.candidates import candidates_of
from volition.drama.mind.perception import perceive
from volition.drama.mind.situation import situation
from volition.drama.mind.terms import Appraisal, noise
from volition.drama.rules.catalog import EFFECTS
from volition.drama.rules.pacing import barred_by_budget, barred_by_recovery, priority_class
from volition.drama.rules.tables import tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action, AgentState, Scenario, WorldState

RECOVERY, BUDGET = "recovery", "budget"


class Mind:
    """The way everybody in a scenario decides: its tables and its composite, made once."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.tables = tables_of(scenario.rules)
        self.composite = _composite(self)

    def decide(self, world: WorldState, agent_id: str, seed: int | None = None) -> Decision[Action]:
        """What the agent would do now, with the whole reason; without a seed, without noise. Nothing is changed."""
        return self.choose(world.agents[agent_id], perceive(world, agent_id, self.tables), seed)

    def choose(self, me: AgentState, perceived: PerceivedState, seed: int | None) -> Decision[Action]:
        """The same from a perception: an agent has nothing else to decide from."""
        candidates = candidates_of(self.scenario, me, perceived, self.tables)
        return arbitrate(candidates, self.composite, context=_Sheet(self, me, perceived, seed), version=perceived.tick)


def select_action(
    agent: AgentState, perception: PerceivedState, world: WorldState, *, mind: Mind, seed: int | None
) -> Action | None:
    """The specification's entry point: the best action with its score and class, or None."""
    return chosen(mind.choose(agent, perception, seed), agent, mind)


def chosen(decision: Decision[Action], agent: AgentState, mind: Mind) -> Action | None:
    """The action of a decision, with its utility score and its priority class for the stage."""
    action = decision.candidate
    if action is None:
        return None
    urgency = priority_class(action.action_type, action.is_dramatic, agent.pacing.stress, mind.tables.pacing)
    total = decision.reason.final_scores[action.id]
    return replace(action, utility_score=total, priority_class=urgency)


class _Sheet:
    """The terms of one decision, each computed when the arbiter asks for it."""

    def __init__(self, mind: Mind, me: AgentState, perceived: PerceivedState, seed: int | None) -> None:
        self.mind, self.me, self.perceived, self.seed = mind, me, perceived, seed
        self.appraisal = Appraisal(mind.scenario, me, perceived, mind.tables)

    def situation(self, action: Action) -> float:
        return sum(value for _, value in situation(self.appraisal, action))

    def noise(self, action: Action) -> float:
        if self.seed is None:
            return 0.0
        return noise(self.seed, self.perceived.tick, self.me.id, action.id, self.mind.tables.noise.sigma)


def _recovery(actions: Sequence[Action], sheet: _Sheet) -> list[bool | str]:
    timer = sheet.me.pacing.recovery_timer
    reason = f"recovering for {timer} more ticks"
    return [reason if barred_by_recovery(action.is_dramatic, timer) else False for action in actions]


def _budget(actions: Sequence[Action], sheet: _Sheet) -> list[bool | str]:
    budget, table = sheet.me.pacing.dramatic_budget, sheet.mind.tables.pacing
    reason = f"budget {budget:.2f} is below {table.budget_minimum:.2f}"
    return [reason if barred_by_budget(action.is_dramatic, budget, table) else False for action in actions]


def _composite(mind: Mind) -> CompositeIntention:
    def heuristic(name: str, bound: float, term: Callable[[_Sheet, Action], float]) -> Heuristic:
        weight = power_of_two(bound)

        def scores(actions: Sequence[Action], sheet: _Sheet) -> list[float]:
            return [term(sheet, action) / weight for action in actions]

        return Heuristic(name, Function(scores, batch=True), weight=weight)

    return CompositeIntention(
        Constraint(RECOVERY, Function(_recovery, batch=True)),
        Constraint(BUDGET, Function(_budget, batch=True)),
        heuristic("utility", _utility_bound(mind), lambda sheet, action: sheet.appraisal.utility(action)),
        heuristic("flaws", 4.0, lambda sheet, action: sheet.appraisal.flaws(action)),
        heuristic("pacing", 4.0, lambda sheet, action: sheet.appraisal.pacing(action)),
        heuristic("bonds", _crowd(mind) * 2.0, lambda sheet, action: sheet.appraisal.bonds(action)),
        heuristic("alcohol", 1.0, lambda sheet, action: sheet.appraisal.alcohol(action)),
        heuristic("movement", _crowd(mind) + 2.0, lambda sheet, action: sheet.appraisal.movement(action)),
        heuristic("situation", 16.0, lambda sheet, action: sheet.situation(action)),
        heuristic("noise", mind.tables.noise.sigma * GAUSS_BOUND, lambda sheet, action: sheet.noise(action)),
    )


def _crowd(mind: Mind) -> float:
    return float(len(mind.scenario.people))


def _utility_bound(mind: Mind) -> float:
    widest = max(sum(map(abs, profile)) for profile in mind.tables.effects)
    return 4.0 * widest + _crowd(mind) * len(EFFECTS)


def power_of_two(bound: float) -> float:
    """The smallest power of two that is not below a bound: multiplying by it changes no bit of a number.

    >>> power_of_two(0.6), power_of_two(4.0), power_of_two(5.0)
    (1.0, 4.0, 8.0)
    """
    weight = 1.0
    while weight < bound:
        weight *= 2.0
    return weight
