"""One agent decides: its gates are constraints, its terms are heuristics, and the arbiter chooses.

The score of a term is the term itself, to the last bit: its heuristic declares how large it can get and has weight 1, so
other weights are relative to the scenario. So every choice answers why, why not and what if like any other decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from volition.arbitration import CompositeIntention, Constraint, Decision, Function, Heuristic, arbitrate
from volition.arbitration.intent import HEURISTIC
from volition.core.chance import GAUSS_BOUND
from volition.drama.mind.candidates import Repertoire
from volition.drama.mind.character import Character
from volition.drama.mind.perception import perceive
from volition.drama.mind.situation import adds_anything, most_added, situation, situations
from volition.drama.mind.terms import Appraisal, noise_key, noises
from volition.drama.rules.catalog import EFFECTS
from volition.drama.rules.pacing import barred_by_budget, barred_by_recovery, priority_class
from volition.drama.rules.tables import tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from volition.arbitration.intent import Kind
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.mind.situation import Item
    from volition.drama.world.model import Action, AgentState, Scenario, WorldState

RECOVERY, BUDGET = "recovery", "budget"
_CLOSENESS = EFFECTS.index("closeness")


class Mind:
    """How everybody in a scenario decides: its tables and its composite, made once."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.tables = tables_of(scenario.rules)
        self.limits = {term: power_of_two(bound) for term, bound in _bounds(self).items()}
        self.terms = {**TERMS, "situation": situations if adds_anything(self.tables) else _add_nothing}
        self.repertoire = Repertoire(scenario, self.tables)
        self.characters = {id: Character(scenario, self.tables, id) for id in scenario.people}
        self.composite = _composite(self.limits)

    def __reduce__(self) -> tuple[Any, ...]:
        """A mind is rebuilt from its scenario when it is unpickled; a decision carries its own composite."""
        return Mind, (self.scenario,)

    def decide(self, world: WorldState, agent_id: str, seed: int | None = None) -> Decision[Action]:
        """What the agent would do now, with the whole reason; without a seed there is no noise. Nothing is changed."""
        return self.choose(world.agents[agent_id], perceive(world, agent_id, self.tables), seed)

    def choose(
        self,
        me: AgentState,
        perceived: PerceivedState,
        seed: int | None,
        composite: CompositeIntention | None = None,
    ) -> Decision[Action]:
        """The same from a perception, which is all that an agent decides from. A composite replaces the mind's own."""
        candidates, sheet = self.repertoire.candidates(me, perceived), _Sheet(self, me, perceived, seed)
        return arbitrate(candidates, composite or self.composite, context=sheet, version=perceived.tick)

    def itemise(self, me: AgentState, perceived: PerceivedState, action: Action) -> list[Item]:
        """What the situation adds to an act, item by item."""
        return situation(Appraisal(self.scenario, me, perceived, self.tables, self.characters[me.id]), action)


def select_action(
    agent: AgentState, perception: PerceivedState, world: WorldState, *, mind: Mind, seed: int | None
) -> Action | None:
    """The specification's entry point: the best action with its score and priority class, or None."""
    return chosen_action(mind.choose(agent, perception, seed), agent, mind)


def chosen_action(decision: Decision[Action], agent: AgentState, mind: Mind) -> Action | None:
    """The action of a decision, with its score and its priority class for the stage."""
    action, tally = decision.candidate, decision.tally
    if action is None or tally.winner is None:
        return None
    urgency = priority_class(action.action_type, action.is_dramatic, agent.pacing.stress, mind.tables.pacing)
    return action._replace(utility_score=tally.totals[tally.winner], priority_class=urgency)


def _add_nothing(appraisal: Appraisal, actions: Sequence[Action]) -> list[float]:
    return [0.0] * len(actions)


TERMS: dict[str, Callable[[Appraisal, Sequence[Action]], list[float]]] = {
    "utility": Appraisal.utility,
    "flaws": Appraisal.flaws,
    "pacing": Appraisal.pacing,
    "bonds": Appraisal.bonds,
    "alcohol": Appraisal.alcohol,
    "movement": Appraisal.movement,
}
"""The specification's terms over the candidates of an appraisal."""


class _Sheet:
    """The terms of one decision: a column for each, over the candidates that the heuristics are asked about."""

    def __init__(self, mind: Mind, me: AgentState, perceived: PerceivedState, seed: int | None) -> None:
        self.mind, self.me, self.perceived, self.seed = mind, me, perceived, seed
        self.actions: Sequence[Action] | None = None
        self.columns: dict[str, list[float]] = {}

    def column(self, term: str, actions: Sequence[Action]) -> list[float]:
        """The scores of one term. All terms are computed when the first one is asked for."""
        if actions != self.actions:
            self.actions, self.columns = actions, self._appraise(actions)
        return self.columns[term]

    def _appraise(self, actions: Sequence[Action]) -> dict[str, list[float]]:
        mind, me = self.mind, self.me
        appraisal = Appraisal(mind.scenario, me, self.perceived, mind.tables, mind.characters[me.id])
        return {
            term: self._noise(actions) if term == "noise" else mind.terms[term](appraisal, actions)
            for term in mind.limits
        }

    def _noise(self, actions: Sequence[Action]) -> list[float]:
        if self.seed is None:
            return [0.0] * len(actions)
        key, sigma = noise_key(self.seed, self.perceived.tick, self.me.id), self.mind.tables.noise.sigma
        return noises(key, [action.id for action in actions], sigma)


def _recovery(actions: Sequence[Action], sheet: _Sheet) -> list[bool | str]:
    timer = sheet.me.pacing.recovery_timer
    if not barred_by_recovery(True, timer):
        return [False] * len(actions)
    reason = f"recovering for {timer} more ticks"
    return [reason if barred_by_recovery(action.is_dramatic, timer) else False for action in actions]


def _budget(actions: Sequence[Action], sheet: _Sheet) -> list[bool | str]:
    budget, table = sheet.me.pacing.dramatic_budget, sheet.mind.tables.pacing
    if not barred_by_budget(True, budget, table):
        return [False] * len(actions)
    reason = f"budget {budget:.2f} is below {table.budget_minimum:.2f}"
    return [reason if barred_by_budget(action.is_dramatic, budget, table) else False for action in actions]


def _bounds(mind: Mind) -> dict[str, float]:
    """How large each term can get with any rules."""
    tables, people = mind.tables, mind.scenario.people
    flaws, pacing, bonds, movement = tables.flaws, tables.pacing, tables.bonds, tables.movement
    crowd, profiles = float(len(people)), [*tables.effects]
    widest = max(sum(map(abs, profile)) for profile in profiles)
    closest = max(abs(profile[_CLOSENESS]) for profile in profiles)
    scale = (1.0 + abs(tables.context.telling_weight)) * max(1.0, abs(tables.context.distrust_factor))
    drawn = abs(tables.context.move_secrecy) + abs(tables.context.move_safety)
    frailty = max((sum([flaw.strength for flaw in person.flaws]) for person in people.values()), default=0.0)
    sharpest = max(map(abs, flaws[: flaws._fields.index("cap")])) * max(1.0, widest)
    relief = max(abs(pacing.move_relief), abs(pacing.confide_relief), abs(pacing.drink_relief))
    held = abs(pacing.masking) + abs(pacing.consistent) + abs(pacing.contradicting) + abs(pacing.quiet)
    pulls = abs(movement.stress_privacy) + abs(movement.pending_privacy)
    return {
        "utility": max(4.0, scale) * (widest + drawn + crowd * closest),
        "flaws": max(4.0, frailty * sharpest),
        "pacing": max(4.0, held + relief),
        "bonds": max(2.0, sum(map(abs, bonds))) * crowd,
        "alcohol": max(1.0, abs(tables.alcohol.pull)),
        "movement": crowd * max(1.0, abs(movement.closeness) + abs(movement.follow)) + max(2.0, pulls),
        "situation": max(16.0, most_added(mind.scenario, tables)),
        "noise": abs(tables.noise.sigma) * GAUSS_BOUND,
    }


@dataclass(frozen=True, slots=True)
class Term:
    """A heuristic's intent: the column of one term in the sheet of the decision."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)
    batch: ClassVar[bool] = True

    name: str

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[float]:
        return context.column(self.name, candidates)  # type: ignore[no-any-return]

    def to_data(self) -> dict[str, Any]:
        return {"term": self.name}


def _composite(limits: Mapping[str, float]) -> CompositeIntention:
    return CompositeIntention(
        Constraint(RECOVERY, Function(_recovery, batch=True)),
        Constraint(BUDGET, Function(_budget, batch=True)),
        *(Heuristic(term, Term(term), range=(-limit, limit)) for term, limit in limits.items()),
    )


def power_of_two(bound: float) -> float:
    """The smallest power of two that is not below a bound: the limit of a term, with room for rounding.

    >>> power_of_two(0.6), power_of_two(4.0), power_of_two(5.0)
    (1.0, 4.0, 8.0)
    """
    weight = 1.0
    while weight < bound:
        weight *= 2.0
    return weight
