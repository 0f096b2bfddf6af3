"""A mind that looks at every decision it makes, and keeps numbers only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003  looks are read by this type
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from volition.drama.company.spread import Spread
from volition.drama.evening.house import FLAWS
from volition.drama.evening.look import bias_of
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import CHAT, CONFIDE, INTERNAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import CompositeIntention, Decision, Intention
    from volition.drama.mind.mind import Sheet
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action, AgentState, Scenario

TERMS: Final = ("bonds", "flaws", "noise")
"""The terms that are checked for having decided: would another act have won without them?"""


@dataclass(frozen=True, slots=True)
class Looks:
    """All decisions of an evening in numbers; scores are totals as played, with noise.

    `won` counts the winners by type, `hung` the decisions that would have had another winner without each of the terms.
    `internal`, `winners` and `all` are the totals of INTERNAL, of the winners, and of everything that was not vetoed;
    `dramatic` has the best dramatic total of each decision that offered one. `gaps` are those between winner and
    runner-up, `biases` the absolute values of what flaws added to winners. `decided` counts everybody's decisions, and
    `awake` and `swayed`, for each of their flaws, those with it awake, and those that would have had another winner
    without it.
    """

    decisions: int
    won: Mapping[str, int]
    hung: Mapping[str, int]
    internal: Spread
    winners: Spread
    all: Spread
    dramatic: Spread
    gaps: Spread
    biases: Spread
    decided: Mapping[str, int] = field(default_factory=dict)
    awake: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    swayed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


class Onlooker(Mind):
    """Decides like any mind of the scenario, with custom `terms` beside the scenario's."""

    def __init__(self, scenario: Scenario, terms: Sequence[Intention] = ()) -> None:
        super().__init__(scenario, terms)
        self._columns = {term: self.composite.voters.index(term) for term in TERMS}
        self.begin()

    def begin(self) -> None:
        """Forget what was seen so far."""
        self._won: Counter[str] = Counter()
        self._hung = dict.fromkeys(TERMS, 0)
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
        sheet: Sheet | None = None,
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
            self._gaps.append(best - max(max(totals[:winner], default=-_FAR), max(totals[winner + 1 :], default=-_FAR)))
        for term, column in self._columns.items():
            without = [total - row[column] for total, row in zip(totals, products, strict=True)]
            self._hung[term] += without.index(max(without)) != winner

    def _look_at_flaws(self, decision: Decision[Action], who: str, sheet: Sheet) -> None:
        tally, me, acts = decision.tally, self.names.person[who], self.names.act
        self._decided[who] += 1
        for flaw in range(FLAWS):
            if (sheet.awake | sheet.offered) >> flaw & 1:
                without = [
                    total - bias_of(self.house, me, flaw, acts[action.id])
                    if (sheet.offered if action.action_type in (CHAT, CONFIDE) else sheet.awake) >> flaw & 1
                    else total
                    for action, total in zip(tally.left, tally.totals, strict=True)
                ]
                self._awake[who][flaw] += 1
                self._swayed[who][flaw] += without.index(max(without)) != tally.winner


_FAR: Final = float("inf")
