"""A mind that looks at every decision it makes, and keeps numbers only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003  looks are read by this type
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from volition.drama.company.spread import Spread
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import INTERNAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import Decision, Intention
    from volition.drama.world.model import Action, Scenario

TERMS: Final = ("bonds", "flaws", "noise")
"""The terms that are checked for having decided: would another act have won without them?"""


@dataclass(frozen=True, slots=True)
class Looks:
    """All decisions of an evening in numbers; scores are totals as played, with noise.

    `won` counts the winners by type, `hung` the decisions that would have had another winner without each of the terms.
    `internal`, `winners` and `all` are the totals of INTERNAL, of the winners, and of everything that was not vetoed;
    `dramatic` has the best dramatic total of each decision that offered one. `gaps` are those between winner and
    runner-up, `biases` the absolute values of what flaws added to winners.
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

    def choose(self, *args: Any, **kwargs: Any) -> Decision[Action]:
        """Decide, and look."""
        decision = super().choose(*args, **kwargs)
        self._look(decision)
        return decision

    def looks(self) -> Looks:
        """What was seen since the beginning."""
        return Looks(
            len(self._winners),
            dict(sorted(self._won.items())),
            dict(self._hung),
            *map(Spread.of, (self._internal, self._winners, self._all, self._dramatic, self._gaps, self._biases)),
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


_FAR: Final = float("inf")
