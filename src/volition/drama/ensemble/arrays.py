"""Custom terms inside the kernel: added as arrays, and compared with their other form."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from volition.arbitration import Heuristic
from volition.core.errors import refuse
from volition.drama.company.kernel import SLOTS, Kernel
from volition.drama.company.kernel.decide import check_table
from volition.drama.company.onlooker import add_terms
from volition.drama.company.watch import Watch
from volition.drama.ensemble.forms import Forms
from volition.drama.mind.mind import Mind
from volition.drama.rules.leaf import LARGEST_TERM, LARGEST_TOTAL, leaf
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from volition.arbitration import Decision, Intention
    from volition.arbitration.tally import Tally
    from volition.drama.ensemble.plan import EnsemblePlan
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action, AgentState, Scenario


def watch_of(mind: Mind, terms: Sequence[Intention]) -> Watch:
    """A watch that decides as the mind does with these terms, all of which have an array form.

    Raises InvalidInput if the scenario does not fit the kernel, or if scores are too large for exact sums.
    """
    watch = Watch(mind)
    if not terms:
        return watch
    added = sum(term.weight * term.reach for term in terms if isinstance(term, Heuristic))
    most = added + sum(mind.limits.values())
    if added > LARGEST_TERM or most > LARGEST_TOTAL:
        refuse(
            f"custom terms may add {added:g}, and scores may reach {most:g}",
            where="terms",
            expected=f"at most {LARGEST_TERM:g} and {LARGEST_TOTAL:g}, up to which sums are exact",
            remedy="give the terms a smaller `most`",
        )
    watch.term = partial(evaluate_terms, tuple(terms), watch.kernel)
    return watch


def evaluate_terms(terms: Sequence[Intention], kernel: Kernel, records: NDArray[Any]) -> NDArray[np.float64]:
    """What all terms add together: exact, because they are sums of leaves."""
    return sum((evaluate_term(term, kernel, records) for term in terms), np.zeros((len(records), SLOTS)))


def evaluate_term(term: Intention, kernel: Kernel, records: NDArray[Any]) -> NDArray[np.float64]:
    """What a term adds to every slot of some deciders, rounded like its other form; an unsuitable array is refused."""
    assert isinstance(term, Heuristic)
    assert isinstance(term.intent, Forms)
    view = records.view()
    view.flags.writeable = False  # the kernel decides from these records, so a term must not change them
    table = check_table(
        term.intent.many(kernel, view),
        len(records),
        term.reach,
        where=f"the array form of the term {term.id!r}",
        remedy="declare how large it can get: array_term(..., most=...)",
    )
    entries: Any = table  # `leaf` only adds and subtracts, so it works on whole arrays
    return np.asarray(leaf(entries))


def check_forms(plan: EnsemblePlan) -> None:
    """Refuse a plan with a term whose two forms differ anywhere in its first, middle or last evening.

    Everybody decides by the form for one act; then the array form is asked about all decisions of the evening at once.
    """
    for row in sorted({0, plan.size // 2, plan.size - 1}):
        evening = plan.evening(row)
        witness = _Witness(plan.scenario_at(evening.point), plan.terms)
        run(witness.scenario, evening.seed, mind=witness)
        for term in plan.terms:
            _compare_forms(term, witness, evening.seed)


class _Seen(NamedTuple):
    """One decision: its record, when and whose it was, and its tally."""

    record: NDArray[Any]
    tick: int
    who: str
    tally: Tally


class _Witness(Mind):
    """A mind that keeps its decisions, each with the record that the kernel would have decided from."""

    def __init__(self, scenario: Scenario, terms: Sequence[Intention]) -> None:
        super().__init__(scenario)
        add_terms(self, terms)
        self.kernel, self.seen = Kernel(scenario), list[_Seen]()

    def choose(self, me: AgentState, perceived: PerceivedState, seed: int | None, *more: Any) -> Decision[Action]:
        decision = super().choose(me, perceived, seed, *more)
        record = self.kernel.packer.records([(me, perceived)], 1)
        self.seen.append(_Seen(record, perceived.tick, me.id, decision.tally))
        return decision


def _compare_forms(term: Intention, witness: _Witness, seed: int) -> None:
    kernel, column = witness.kernel, witness.composite.voters.index(term.id)
    table = evaluate_term(term, kernel, np.concatenate([seen.record for seen in witness.seen]))
    for seen, row in zip(witness.seen, table, strict=True):
        for id, products in zip(seen.tally.survivors, seen.tally.products, strict=True):
            one, many = products[column], float(row[kernel.packer.slots[id]])
            if one != many:
                refuse(
                    f"the two forms of the term {term.id!r} differ: {one} for the act, {many} in the array",
                    where=f"seed {seed}, tick {seen.tick}, {seen.who}, {id}",
                    expected="the same number from both, to the last bit",
                    remedy="correct one of them, or leave out the array and use a Heuristic with the function alone",
                )
