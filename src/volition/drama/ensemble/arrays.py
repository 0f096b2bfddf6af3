"""Custom terms as arrays: evenings in lockstep with them, and the forms of a term compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from volition.arbitration import Decision, Heuristic, Intention
from volition.core.errors import refuse
from volition.drama.batch.decider import BatchDecider, check_table
from volition.drama.ensemble.forms import Forms
from volition.drama.evening.batches import Batches, replace_rows
from volition.drama.evening.ending import GOES_ON
from volition.drama.evening.perceive import Perceived, perceive
from volition.drama.evening.players import CompiledPlayer
from volition.drama.evening.record import new_plain, write_packed
from volition.drama.evening.rows import MeasureRows, digests_of, pack_rows
from volition.drama.evening.state import EveningState
from volition.drama.evening.terms import is_law_term, laws_of
from volition.drama.mind.mind import Mind
from volition.drama.rules.leaf import LARGEST_TERM, LARGEST_TOTAL, leaf
from volition.drama.stage.replay import steps
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from volition.arbitration.tally import Tally
    from volition.drama.ensemble.plan import EnsemblePlan
    from volition.drama.evening.person import AgentState
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action, Scenario

LOCKSTEP: Final = 128
"""How many evenings go tick by tick together."""


class LockstepEvenings:
    """Plays evenings tick by tick together: every tick the arrays of custom terms, then compiled decisions and acts.

    Raises InvalidInput if the scenario is too large for packed records, or scores are too large for exact sums.
    """

    def __init__(self, scenario: Scenario, terms: Sequence[Intention]) -> None:
        check_reach(Mind(scenario), terms)
        self._decider, self._terms = BatchDecider(scenario), [term for term in terms if not is_law_term(term)]
        laws = laws_of([term for term in terms if is_law_term(term)])
        self._player = CompiledPlayer(scenario, laws=laws)
        self._ticks = scenario.evening.ticks

    def measure(self, seeds: Sequence[int], minds: Batches) -> MeasureRows:
        """The rows of some evenings; measures that had too little room are taken by minds."""
        player, count, every = self._player, len(seeds), np.array(seeds, np.uint64)
        states, logs = player.open_evenings(every), player.new_log(logged=True, brief=True)
        stops, endings = np.zeros(count, np.int64), np.zeros(count, np.int64)
        measured, moments = player.new_measures(count), player.new_moments(count)
        player.play(states, logs, self._ticks, 0, True, stops, endings, measured, moments)
        added = np.zeros((count, len(self._decider.people), len(self._decider.acts)))
        while (going := np.flatnonzero(stops == GOES_ON)).size:
            added[going] = evaluate_terms(self._terms, self._decider, states[going])
            player.play(states, logs, self._ticks, 1, False, stops, endings, measured, moments, added)
        rows = pack_rows(*measured, digests_of(states, EveningState, player.sizes), player.sizes)
        return replace_rows(rows, np.flatnonzero(measured.measures["overflow"]), lambda: minds, every)


def check_reach(mind: Mind, terms: Sequence[Intention]) -> None:
    """Refuse terms with which scores may be too large for exact sums."""
    added = sum(term.weight * term.reach for term in terms if isinstance(term, Heuristic))
    most = added + sum(mind.limits.values())
    if added > LARGEST_TERM or most > LARGEST_TOTAL:
        refuse(
            f"custom terms may add {added:g}, and scores may reach {most:g}",
            where="terms",
            expected=f"at most {LARGEST_TERM:g} and {LARGEST_TOTAL:g}, up to which sums are exact",
            remedy="give the terms a smaller `most`",
        )


def evaluate_terms(terms: Sequence[Intention], decider: BatchDecider, states: NDArray[Any]) -> NDArray[np.float64]:
    """What all terms add together: exact, because they are sums of leaves."""
    first, *rest = (evaluate_term(term, decider, states) for term in terms)
    return sum(rest, first)


def evaluate_term(term: Intention, decider: BatchDecider, states: NDArray[Any]) -> NDArray[np.float64]:
    """What a term adds to every act of everybody, rounded like its other form; an unsuitable array is refused."""
    assert isinstance(term, Heuristic)
    assert isinstance(term.intent, Forms)
    view = states.view()
    view.flags.writeable = False  # people decide in these states, so a term must not change them
    table = check_table(
        term.intent.many(decider, view),
        (len(states), len(decider.people), len(decider.acts)),
        decider.acts,
        term.reach,
        where=f"the array form of the term {term.id!r}",
        remedy="declare how large it can get: array_term(..., most=...)",
    )
    entries: Any = table  # `leaf` only adds and subtracts, so it works on whole arrays
    return np.asarray(leaf(entries))


def check_forms(plan: EnsemblePlan) -> None:
    """Refuse a plan with a term whose forms differ anywhere in its first, middle or last evening.

    Everybody decides by the form for one act; then the array form is asked about all states of the evening at once, and
    a law about each, where it could read what nobody there can know.
    """
    for row in sorted({0, plan.size // 2, plan.size - 1}):
        evening = plan.evening(row)
        witness = _Witness(plan.scenario_at(evening.point), plan.terms)
        played = run(witness.scenario, evening.seed, mind=witness)
        decider = BatchDecider(witness.scenario)
        plain = {world.tick: world.state() for world, _ in steps(played)}
        packed = np.zeros(len(plain), decider.player.state_type)
        for number, state in enumerate(plain.values()):
            write_packed(packed[number], state, EveningState, decider.player.sizes)
        for term in plan.terms:
            if is_law_term(term):
                _compare_law(term, witness, plain, evening.seed)
            else:
                _compare_forms(term, witness, decider, packed, evening.seed)


class _Seen(NamedTuple):
    """One decision: when and whose it was, and its tally."""

    tick: int
    who: str
    tally: Tally


class _Witness(Mind):
    """A mind that keeps its decisions."""

    def __init__(self, scenario: Scenario, terms: Sequence[Intention]) -> None:
        super().__init__(scenario, terms)
        self.seen = list[_Seen]()

    def choose(self, me: AgentState, perceived: PerceivedState, seed: int | None, *more: Any) -> Decision[Action]:
        decision = super().choose(me, perceived, seed, *more)
        self.seen.append(_Seen(perceived.tick, me.id, decision.tally))
        return decision


def _compare_law(term: Intention, witness: _Witness, states: Mapping[int, EveningState], seed: int) -> None:
    column, perceived, names = (
        witness.composite.voters.index(term.id),
        new_plain(Perceived, witness.sizes),
        witness.names,
    )
    ((law, _),) = laws_of([term])
    for seen in witness.seen:
        evening, who = states[seen.tick], names.person[seen.who]
        perceive(evening, witness.tables, who, perceived)
        for id, products in zip(seen.tally.survivors, seen.tally.products, strict=True):
            one, true = products[column], leaf(law(evening, witness.tables, who, perceived, names.act[id]))
            if one != true:
                refuse(
                    f"the law of the term {term.id!r} says {one} by what the person knows, and {true} by all that is true",
                    where=f"seed {seed}, tick {seen.tick}, {seen.who}, {id}",
                    expected="a law that reads the entries of the person who decides, what they perceive, and the tables",
                    remedy="read evening.NAME[me] and seen alone",
                )


def _compare_forms(term: Intention, witness: _Witness, decider: BatchDecider, states: NDArray[Any], seed: int) -> None:
    column, table = witness.composite.voters.index(term.id), evaluate_term(term, decider, states)
    place = {int(tick): number for number, tick in enumerate(states["tick"])}
    for seen in witness.seen:
        added = table[place[seen.tick], decider.names.person[seen.who]]
        for id, products in zip(seen.tally.survivors, seen.tally.products, strict=True):
            one, many = products[column], float(added[decider.number[id]])
            if one != many:
                refuse(
                    f"the two forms of the term {term.id!r} differ: {one} for the act, {many} in the array",
                    where=f"seed {seed}, tick {seen.tick}, {seen.who}, {id}",
                    expected="the same number from both, to the last bit",
                    remedy="correct one of them, or leave out the array and use a Heuristic with the function alone",
                )
