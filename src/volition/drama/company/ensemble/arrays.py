"""Terms of one's own inside the kernel: added as arrays to what it weighs, and held against their other form."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from volition.arbitration import Heuristic
from volition.core.errors import refuse
from volition.drama.company.ensemble.forms import MOST, Forms
from volition.drama.company.kernel import SLOTS, Kernel
from volition.drama.company.kernel.decide import checked_table
from volition.drama.company.onlooker import add_terms
from volition.drama.company.watch import LARGEST, Watch
from volition.drama.mind.mind import Mind
from volition.drama.rules.leaf import leaf
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from volition.arbitration import Decision, Intention
    from volition.arbitration.tally import Tally
    from volition.drama.company.ensemble.plan import Plan
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action, AgentState, Scenario


def watch_of(mind: Mind, terms: Sequence[Intention]) -> Watch:
    """A watch that decides as the mind does with these terms; all of them have an array form.

    InvalidInput says where the kernel has no room for the scenario, or could not be held to the last bit.
    """
    watch = Watch(mind)
    if not terms:
        return watch
    added = sum(term.weight * term.reach for term in terms if isinstance(term, Heuristic))
    most = added + sum(mind.limits.values())
    if added > MOST or most > LARGEST:
        refuse(
            f"terms of one's own may add {added:g}, and scores may reach {most:g}",
            where="terms",
            expected=f"at most {MOST:g} and {LARGEST:g}, up to which sums are exact",
            remedy="give the terms a smaller `most`",
        )
    watch.term = partial(added_by_all, tuple(terms), watch.kernel)
    return watch


def added_by_all(terms: Sequence[Intention], kernel: Kernel, records: NDArray[Any]) -> NDArray[np.float64]:
    """What all terms add: sums of leaves, and so exact."""
    return sum((added_by(term, kernel, records) for term in terms), np.zeros((len(records), SLOTS)))


def added_by(term: Intention, kernel: Kernel, records: NDArray[Any]) -> NDArray[np.float64]:
    """What a term adds to every slot of some deciders, rounded as the other form is; anything else is refused."""
    assert isinstance(term, Heuristic)
    assert isinstance(term.intent, Forms)
    shown = records.view()
    shown.flags.writeable = False  # a term looks on: what it changed would be decided by
    table = checked_table(
        term.intent.many(kernel, shown),
        len(records),
        term.reach,
        where=f"the array form of the term {term.id!r}",
        remedy="say how large it can get: array_term(..., most=...)",
    )
    entries: Any = table  # the rule adds and takes away, which an array does entry by entry
    return np.asarray(leaf(entries))


def check_forms(plan: Plan) -> None:
    """Refuse a plan with a term whose two forms differ anywhere in its first, its middle and its last evening.

    Everybody decides by the form of one act; the array form is then asked about all decisions of an evening at once.
    """
    for row in sorted({0, plan.size // 2, plan.size - 1}):
        evening = plan.evening(row)
        witness = _Witness(plan.scenario_at(evening.point), plan.terms)
        run(witness.scenario, evening.seed, mind=witness)
        for term in plan.terms:
            _compare(term, witness, evening.seed)


class _Seen(NamedTuple):
    """One decision: its record, when and whose it was, and how it was made."""

    record: NDArray[Any]
    tick: int
    who: str
    tally: Tally


class _Witness(Mind):
    """A mind that remembers its decisions beside the records which the kernel would have made them from."""

    def __init__(self, scenario: Scenario, terms: Sequence[Intention]) -> None:
        super().__init__(scenario)
        add_terms(self, terms)
        self.kernel, self.seen = Kernel(scenario), list[_Seen]()

    def choose(self, me: AgentState, perceived: PerceivedState, seed: int | None, *more: Any) -> Decision[Action]:
        decision = super().choose(me, perceived, seed, *more)
        record = self.kernel.packer.records([(me, perceived)], 1)
        self.seen.append(_Seen(record, perceived.tick, me.id, decision.tally))
        return decision


def _compare(term: Intention, witness: _Witness, seed: int) -> None:
    kernel, column = witness.kernel, witness.composite.voters.index(term.id)
    table = added_by(term, kernel, np.concatenate([seen.record for seen in witness.seen]))
    for seen, row in zip(witness.seen, table, strict=True):
        for id, products in zip(seen.tally.survivors, seen.tally.products, strict=True):
            one, many = products[column], float(row[kernel.packer.slots[id]])
            if one != many:
                refuse(
                    f"the two forms of the term {term.id!r} differ: {one} for the act, {many} in the array",
                    where=f"seed {seed}, tick {seen.tick}, {seen.who}, {id}",
                    expected="the same number from both, to the last bit",
                    remedy="correct one of them, or leave the array out and use a Heuristic of the function alone",
                )
