"""A mind that looks at every decision it makes: the readable definition of `Looks`."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import TYPE_CHECKING

from volition.drama.batch.measures import Looks, Spread
from volition.drama.evening.look import HUNG
from volition.drama.evening.record import NONE
from volition.drama.evening.tables import FLAWS, SLAMMING, TO_ADDRESS, TO_CHAT, TO_WATCH, ScenarioTables
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import CHAT, CONFIDE, INTERNAL, PHYSICAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import CompositeIntention, Decision, Intention
    from volition.drama.evening.person import AgentState
    from volition.drama.mind.mind import Appraisal
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action, Scenario


class Onlooker(Mind):
    """Decides like any mind of the scenario, with custom `terms` beside the scenario's."""

    def __init__(self, scenario: Scenario, terms: Sequence[Intention] = ()) -> None:
        super().__init__(scenario, terms)
        self._columns = {term: self.composite.voters.index(term) for term in HUNG}
        self.begin()

    def begin(self) -> None:
        """Forget what was seen so far."""
        self._won: Counter[str] = Counter()
        self._hung = dict.fromkeys(HUNG, 0)
        self._internal: list[float] = []
        self._winners: list[float] = []
        self._all: list[float] = []
        self._dramatic: list[float] = []
        self._gaps: list[float] = []
        self._biases: list[float] = []
        self._decided = dict.fromkeys(self.names.people, 0)
        self._awake = {who: [0] * FLAWS for who in self.names.people}
        self._swayed = {who: [0] * FLAWS for who in self.names.people}

    def choose(
        self,
        me: AgentState,
        perceived: PerceivedState,
        seed: int | None,
        composite: CompositeIntention | None = None,
        sheet: Appraisal | None = None,
    ) -> Decision[Action]:
        """Decide, and look."""
        sheet = sheet or self.appraise(me, perceived, seed)
        decision = super().choose(me, perceived, seed, composite, sheet)
        self._look(decision)
        self._look_at_flaws(decision, me.id, sheet)
        return decision

    def looks(self) -> Looks:
        """What was seen since the beginning."""
        return Looks(
            len(self._winners),
            dict(sorted(self._won.items())),
            dict(self._hung),
            internal=Spread.of(self._internal),
            winners=Spread.of(self._winners),
            all=Spread.of(self._all),
            dramatic=Spread.of(self._dramatic),
            gaps=Spread.of(self._gaps),
            biases=Spread.of(self._biases),
            decided=dict(self._decided),
            awake={who: tuple(counts) for who, counts in self._awake.items()},
            swayed={who: tuple(counts) for who, counts in self._swayed.items()},
        )

    def _look(self, decision: Decision[Action]) -> None:
        tally = decision.tally
        winner, totals, products = tally.winner, tally.totals, tally.products
        if winner is None:
            return
        best = totals[winner]
        self._won[tally.left[winner].action_type.name] += 1
        self._winners.append(best)
        self._all += totals
        self._biases.append(abs(products[winner][self._columns["flaws"]]))
        self._internal += [
            total for action, total in zip(tally.left, totals, strict=True) if action.action_type == INTERNAL
        ]
        dramatic = [total for action, total in zip(tally.left, totals, strict=True) if action.is_dramatic]
        if dramatic:
            self._dramatic.append(max(dramatic))
        if len(totals) > 1:
            self._gaps.append(best - max(max(totals[:winner], default=-inf), max(totals[winner + 1 :], default=-inf)))
        for term, column in self._columns.items():
            without = [total - row[column] for total, row in zip(totals, products, strict=True)]
            self._hung[term] += without.index(max(without)) != winner

    def _look_at_flaws(self, decision: Decision[Action], who: str, sheet: Appraisal) -> None:
        tally, me, acts = decision.tally, self.names.person[who], self.names.act
        self._decided[who] += 1
        for flaw in range(FLAWS):
            if (sheet.awake | sheet.offered) >> flaw & 1:
                without = [
                    total - bias_of(self.tables, me, flaw, acts[action.id])
                    if (sheet.offered if action.action_type in (CHAT, CONFIDE) else sheet.awake) >> flaw & 1
                    else total
                    for action, total in zip(tally.left, tally.totals, strict=True)
                ]
                self._awake[who][flaw] += 1
                self._swayed[who][flaw] += without.index(max(without)) != tally.winner


def bias_of(tables: ScenarioTables, who: int, flaw: int, act: int) -> float:
    """What one of `who`'s flaws adds to an act while it is awake."""
    kind, focus, target = tables.kind[act], tables.focus[act], tables.target[act]
    alone, towards = tables.bias[who][1 << flaw], tables.towards[who][1 << flaw]
    bias = alone[SLAMMING] if act == tables.slam else alone[kind]
    if focus != NONE:
        return bias + towards[TO_WATCH][focus]
    if target != NONE and kind != PHYSICAL:
        return bias + towards[TO_CHAT if kind == CHAT else TO_ADDRESS][target]
    return bias
