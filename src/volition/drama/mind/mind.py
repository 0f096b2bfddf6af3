"""One person decides: gates are constraints, terms are heuristics, and the arbiter chooses.

The laws of an evening weigh every act, term by term; the arbiter gets those columns. The score of a term is the term
itself, to the last bit: its heuristic declares how large it can get and has weight 1, so other weights are relative to
the scenario. So every choice answers why, why not and what if like any other decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from volition.arbitration import CompositeIntention, Constraint, Decision, Heuristic, Intention, arbitrate
from volition.arbitration.intent import HEURISTIC, Function, Kind
from volition.drama.evening import perceive as laws
from volition.drama.evening.building import build_tables, sizes_of
from volition.drama.evening.choose import add_noise, weigh
from volition.drama.evening.kept import make_once
from volition.drama.evening.names import names_of
from volition.drama.evening.perceive import Perceived
from volition.drama.evening.person import own_state
from volition.drama.evening.quiet import offer_leaving
from volition.drama.evening.record import copy_plain, new_plain
from volition.drama.evening.weigh import (
    ALLOWED,
    HAS_BROKEN,
    HAS_PASSAGE,
    NOT_FORGIVEN,
    SCENE_IS_OWED,
    SITUATION_ITEMS,
    TERMS,
    VETOES,
    ScoreSheet,
    veto_last,
)
from volition.drama.mind.bounds import power_of_two, term_bounds
from volition.drama.mind.custom import CustomMind, split
from volition.drama.mind.perception import PerceivedState, perceived_of, write_perceived
from volition.drama.rules.pacing import barred_by_budget, barred_by_recovery, priority_class

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.drama.evening.person import AgentState
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.world import WorldState
    from volition.drama.mind.outside import OutsideMinds
    from volition.drama.world.model import Action, Scenario

Item = tuple[str, float]

GATES = RECOVERY, BUDGET = "recovery", "budget"
"""The constraints of pacing."""


class Mind:
    """How everybody in a scenario decides: its house and its composite, made once.

    `custom` are intentions of the user that take part beside the scenario's: terms, constraints, and `played_by` for
    people whose acts are chosen by `minds`, which the stage asks. What minds from `outside` say, the stage is told.
    """

    def __init__(self, scenario: Scenario, custom: Sequence[Intention] = ()) -> None:
        self.scenario = scenario
        self.tables, self.sizes, self.names = build_tables(scenario), sizes_of(scenario), names_of(scenario)
        self.rules = self.tables.rules
        self.limits = limits_of(scenario)
        self.composite = self._own = composite_of(scenario)
        self.custom: tuple[Intention, ...] = ()
        self.minds: dict[str, CustomMind] = {}
        self.outside: OutsideMinds | None = None
        self.add(custom)
        self._seen, self._sheet = new_plain(Perceived, self.sizes), new_plain(ScoreSheet, self.sizes)
        self._sheet.itemised = self._sheet.explained = 1
        self._sheet.items = [[0.0] * self.tables.acts for _ in range(len(SITUATION_ITEMS) + self.tables.needs)]

    def __reduce__(self) -> tuple[Any, ...]:
        """A mind is rebuilt from its scenario when it is unpickled; a decision carries its own composite."""
        return Mind, (self.scenario, self.custom)

    def add(self, custom: Sequence[Intention]) -> None:
        """Let more custom intentions take part in every decision."""
        self.custom = (*self.custom, *custom)
        minds, outside, rest = split(custom, self.scenario.people)
        self.minds |= minds
        self.outside = outside or self.outside
        if rest:
            self.composite = self.composite.with_intention(*rest)

    @property
    def is_plain(self) -> bool:
        """Whether it decides as the laws do, with nothing added: then they need not ask it."""
        return self.composite is self._own and type(self).choose is Mind.choose

    def decide(self, world: WorldState, agent_id: str, seed: int | None = None) -> Decision[Action]:
        """What `agent_id` would do now, with the whole reason; without a seed there is no noise. Nothing is changed."""
        evening, who, seen = self._look_around(world, agent_id, seed or 0)
        perceived = perceived_of(evening, who, seen, self.scenario, self.names)
        appraisal = self.weigh(evening, who, seen, seed, world.agents[agent_id], perceived)
        return self.choose(appraisal.me, perceived, seed, None, appraisal)

    def perceive(self, world: WorldState, agent_id: str) -> PerceivedState:
        """What `agent_id` perceives now, by the scenario's setting for knowledge."""
        return perceived_of(*self._look_around(world, agent_id, 0), self.scenario, self.names)

    def _look_around(self, world: WorldState, agent_id: str, seed: int) -> tuple[EveningState, int, Perceived]:
        """The state as far as `agent_id`'s decision may depend on it, who they are, and what they perceive."""
        who = self.names.person[agent_id]
        evening, seen = world.state_around(who, seed), copy_plain(self._seen, Perceived)
        laws.perceive(evening, self.tables, who, seen)
        return evening, who, seen

    def choose(
        self,
        me: AgentState,
        perceived: PerceivedState,
        seed: int | None,
        composite: CompositeIntention | None = None,
        appraisal: Appraisal | None = None,
    ) -> Decision[Action]:
        """The same from a perception, which is all that `me` decides from.

        A composite replaces the mind's own. A appraisal is what was weighed already, for who has it.
        """
        appraisal = appraisal or self.appraise(me, perceived, seed)
        return arbitrate(appraisal.actions, composite or self.composite, context=appraisal, version=perceived.tick)

    def weigh(
        self,
        evening: EveningState,
        who: int,
        seen: Perceived,
        seed: int | None,
        me: AgentState,
        perceived: PerceivedState,
        *,
        leaving: bool = False,
    ) -> Appraisal:
        """Everything that `who` may do, weighed by the laws, term by term and item by item.

        With `leaving`, leaving is weighed where the laws would not offer it too: `who` is played, and wishes to.
        """
        tables, sheet = self.tables, copy_plain(self._sheet, ScoreSheet)
        weigh(evening, tables, who, seen, sheet)
        if leaving and tables.leave not in sheet.act[: sheet.acts]:
            offer_leaving(tables, who, sheet, 0.0)
            veto_last(sheet, HAS_PASSAGE if laws.awaits_passage(evening, tables, who) else ALLOWED)
        if seed is not None:
            add_noise(evening, tables, who, sheet)
        actions = self.names.actions(sheet.act[: sheet.acts], me.id, perceived.room, seen.present)
        return Appraisal(self, me, perceived, actions, dict(zip(TERMS, sheet.terms, strict=True)), sheet)

    def appraise(self, me: AgentState, perceived: PerceivedState, seed: int | None) -> Appraisal:
        """The same from a perception."""
        evening, _, who, seen = self.records_of(me, perceived)
        evening.seed = seed or 0
        return self.weigh(evening, who, seen, seed, me, perceived)

    def records_of(
        self, me: AgentState, perceived: PerceivedState
    ) -> tuple[EveningState, ScenarioTables, int, Perceived]:
        """What `me` decides from, as the records of the laws; of everybody else, they say nothing."""
        who = self.names.person[me.id]
        evening, seen = own_state(me.evening, who, self.names), copy_plain(self._seen, Perceived)
        write_perceived(perceived, evening, self.tables, who, seen, self.names)
        return evening, self.tables, who, seen


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
    urgency = priority_class(action.action_type, action.is_dramatic, agent.pacing.stress, mind.rules.pacing)
    return action._replace(utility_score=tally.totals[tally.winner], priority_class=urgency)


class Appraisal:
    """What was weighed for one decision: the acts, a column for each term, and the items of the situation.

    It is the context of the decision: `me` is the person who decides, and `perceived` is what they see.
    """

    def __init__(
        self,
        mind: Mind,
        me: AgentState,
        perceived: PerceivedState,
        actions: list[Action],
        columns: Mapping[str, list[float]],
        sheet: ScoreSheet,
    ) -> None:
        self.mind, self.me, self.perceived = mind, me, perceived
        self.actions, self.columns, self.items = actions, columns, sheet.items
        self.vetoed = sheet.vetoed
        self.awake, self.offered = sheet.awake, sheet.offered  # sets of flaws: at any act, and at an offer of closeness
        self.rows = {action.id: row for row, action in enumerate(actions)}

    @property
    def is_gated(self) -> bool:
        """Whether a gate of pacing bars dramatic acts now."""
        pacing, table = self.me.pacing, self.mind.rules.pacing
        return barred_by_recovery(True, pacing.recovery_timer) or barred_by_budget(True, pacing.dramatic_budget, table)

    @cached_property
    def records(self) -> tuple[EveningState, ScenarioTables, int, Perceived]:
        """What a custom law is asked about."""
        return self.mind.records_of(self.me, self.perceived)

    def column(self, term: str, ids: Sequence[str]) -> list[float]:
        """The scores of one term for some of the acts."""
        column, rows = self.columns[term], self.rows
        if len(ids) == len(rows):
            return column[: len(ids)]
        return [column[rows[id]] for id in ids]

    def items_of(self, id: str) -> list[Item]:
        """What the situation adds to an act, item by item, without items that add nothing."""
        names, row = (*SITUATION_ITEMS, *self.mind.names.needs), self.rows[id]
        return [(name, item[row]) for name, item in zip(names, self.items, strict=True) if item[row]]


def _recovery(actions: Sequence[Action], appraisal: Appraisal) -> list[bool | str]:
    timer = appraisal.me.pacing.recovery_timer
    if not barred_by_recovery(True, timer):
        return [False] * len(actions)
    reason = f"recovering for {timer} more ticks"
    return [reason if barred_by_recovery(action.is_dramatic, timer) else False for action in actions]


def _budget(actions: Sequence[Action], appraisal: Appraisal) -> list[bool | str]:
    budget, table = appraisal.me.pacing.dramatic_budget, appraisal.mind.rules.pacing
    if not barred_by_budget(True, budget, table):
        return [False] * len(actions)
    reason = f"budget {budget:.2f} is below {table.budget_minimum:.2f}"
    return [reason if barred_by_budget(action.is_dramatic, budget, table) else False for action in actions]


def _scene_owed(actions: Sequence[Action], appraisal: Appraisal) -> list[bool | str]:
    return _withheld(actions, appraisal, SCENE_IS_OWED, "{whom} did them a wrong, and a scene about it is owed")


def _broken_with(actions: Sequence[Action], appraisal: Appraisal) -> list[bool | str]:
    return _withheld(actions, appraisal, HAS_BROKEN, "they have broken with {whom}")


def _unforgiven(actions: Sequence[Action], appraisal: Appraisal) -> list[bool | str]:
    return _withheld(actions, appraisal, NOT_FORGIVEN, "they have not forgiven {whom}")


def _passage(actions: Sequence[Action], appraisal: Appraisal) -> list[bool | str]:
    return _withheld(actions, appraisal, HAS_PASSAGE, "they leave together with others, and it is not time yet")


def _withheld(actions: Sequence[Action], appraisal: Appraisal, veto: int, reason: str) -> list[bool | str]:
    """The reason for every act that the laws veto in this way."""
    people, rows, reasons = appraisal.mind.scenario.people, appraisal.rows, list[bool | str]()
    for action in actions:
        whom = people[action.target_agents[0]].name if action.target_agents else ""
        reasons.append(reason.format(whom=whom) if appraisal.vetoed[rows[action.id]] == veto else False)
    return reasons


@dataclass(frozen=True, slots=True)
class Term:
    """A heuristic's intent: the column of one term in the appraisal of the decision."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)
    batch: ClassVar[bool] = True

    name: str

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[float]:
        return context.column(self.name, ids)  # type: ignore[no-any-return]

    def to_data(self) -> dict[str, Any]:
        return {"term": self.name}


@make_once
def limits_of(scenario: Scenario) -> Mapping[str, float]:
    """How large each term can get: a power of two."""
    bounds = term_bounds(scenario, build_tables(scenario).rules)
    return {term: power_of_two(bound) for term, bound in bounds.items()}


@make_once
def composite_of(scenario: Scenario) -> CompositeIntention:
    """By whom acts are judged in a scenario to which nobody has added anything."""
    return CompositeIntention(
        Constraint(RECOVERY, Function(_recovery, batch=True)),
        Constraint(BUDGET, Function(_budget, batch=True)),
        Constraint(VETOES[SCENE_IS_OWED], Function(_scene_owed, batch=True)),
        Constraint(VETOES[HAS_BROKEN], Function(_broken_with, batch=True)),
        Constraint(VETOES[HAS_PASSAGE], Function(_passage, batch=True)),
        Constraint(VETOES[NOT_FORGIVEN], Function(_unforgiven, batch=True)),
        *(Heuristic(term, Term(term), range=(-limit, limit)) for term, limit in limits_of(scenario).items()),
    )
