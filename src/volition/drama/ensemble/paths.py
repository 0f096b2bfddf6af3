"""How evenings are played: compiled, or interpreted. Both give the same evenings and measures to the last bit.

Compiled is faster if there is enough to play to make up for loading the compiled loop, or for compiling it first. How
much is enough is computed from figures that were measured once, not from a clock: a choice by the clock could differ
between two runs of the same plan. Before custom terms are compiled, their forms are compared on a few evenings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from msgspec import Struct

from volition.arbitration.intent import Function
from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, check_known, refuse
from volition.drama.batch.decider import BatchDecider
from volition.drama.ensemble.terms import check_reach, evaluate_term, has_array_form
from volition.drama.evening.compiled import is_kept
from volition.drama.evening.perceive import Perceived, perceive
from volition.drama.evening.players import check_size
from volition.drama.evening.record import new_plain, write_packed
from volition.drama.evening.state import EveningState
from volition.drama.evening.terms import is_law_term, laws_of
from volition.drama.mind.mind import Mind
from volition.drama.mind.outside import OutsideMinds
from volition.drama.rules.leaf import leaf
from volition.drama.stage.replay import steps
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from volition.arbitration import Decision, Intention
    from volition.arbitration.tally import Tally
    from volition.drama.ensemble.plan import EnsemblePlan
    from volition.drama.evening.person import AgentState
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action, Scenario

Asked = Literal["auto", "compiled", "interpreted"]
ASKED: Final[tuple[Asked, ...]] = ("auto", "compiled", "interpreted")
INTERPRETED: Final = "interpreted"
"""The path of plain Python, with any custom term."""
COMPILED: Final = "compiled"
"""The path of compiled code: whole evenings, or with custom terms as arrays, tick by tick."""
PATHS: Final = (INTERPRETED, COMPILED)

# Seconds of one process, as `benchmarks/paths.py` measures them: medians over whole evenings of both shipped scenarios
# with their measures, on either path in turn, and over fresh processes with an empty and with a full cache. Only the
# ratios of these figures matter.
SAVED: Final = 0.0001
"""What compiled code saves per person and possible tick of an evening: the smallest saving measured.

The measured evenings ended after 0.37 of their possible ticks."""
LOADING: Final = 0.6
"""What loading the compiled loop from disk takes."""
COMPILING: Final = 30.0
"""What compiling it takes in addition."""
MAKING: Final = 0.005
"""What making the tables of a point takes."""
COMPARING: Final = 6
"""The cost of comparing the two forms of terms, in evenings: three are played by minds, at twice what an evening saves."""
WORTH: Final = 2.0
"""How many times the cost must be saved: two workers each save half, while both load or wait."""


class PathChoice(Struct, frozen=True):
    """The path of a plan, and why it was chosen; `expected` if it is not worth a notice before playing."""

    path: str
    why: str
    expected: bool = False

    def __str__(self) -> str:
        return f"played on the {self.path} path: {self.why}"


def choose_path(plan: EnsemblePlan, asked: Asked = "auto") -> PathChoice:
    """Choose the path of a plan by what is asked for, what is possible, and what is faster; the engine does not matter.

    Asking for compiled evenings by name is refused if the plan cannot be compiled, and so is a term whose two forms
    differ, if its array would be used. If the first point of a sweep can be compiled and others cannot, those are
    interpreted.
    """
    check_known("path", asked, ASKED, where="path")
    choice = _choose(plan, asked)
    if choice.path == COMPILED and plan.terms:
        check_forms(plan)
    why = choice.why + _describe_terms(plan.terms, compiled=choice.path == COMPILED)
    return PathChoice(choice.path, why, choice.expected)


def is_compiled(plan: EnsemblePlan) -> bool:
    """Whether the compiled loop for the first scenario of a plan is on the disk already."""
    return is_kept(check_size(plan.scenario_at(0)))


def _choose(plan: EnsemblePlan, asked: Asked) -> PathChoice:
    if asked == INTERPRETED:
        return PathChoice(INTERPRETED, "asked for", expected=True)
    evenings = plan.size - (COMPARING if plan.terms else 0)
    saved = evenings * plan.scenario.evening.ticks * len(plan.scenario.people) * SAVED
    ready = LOADING + len(plan.points) * MAKING
    if asked == "auto" and saved <= WORTH * ready:
        return PathChoice(INTERPRETED, "there are too few evenings for compiled ones to be faster", expected=True)
    hindrance = _hindrance(plan)
    if asked == COMPILED:
        if hindrance is not None:
            refuse(
                f"this plan cannot be compiled: {hindrance}",
                where="path",
                expected="a plan that can be compiled",
                remedy="let the path be chosen: path='auto'",
            )
        return PathChoice(COMPILED, "asked for", expected=True)
    if hindrance is not None:
        return PathChoice(INTERPRETED, hindrance)
    if saved <= WORTH * (ready + COMPILING) and not is_compiled(plan):
        return PathChoice(INTERPRETED, "there are too few evenings to compile anything for them", expected=True)
    return PathChoice(COMPILED, "the same evenings, faster")


def _hindrance(plan: EnsemblePlan) -> str | None:
    if any(isinstance(term.intent, OutsideMinds) for term in plan.terms):
        return "minds from outside are asked, and compiled evenings ask nobody"
    if not all(is_law_term(term) or has_array_form(term) for term in plan.terms):
        return "custom terms are functions, and compiled evenings take laws or arrays (law_term, array_term)"
    if not can_compile():
        return "Numba is not installed (the extra `fast` makes it faster)"
    try:
        check_size(plan.scenario_at(0))
        if plan.terms:
            check_reach(Mind(plan.scenario_at(0)), plan.terms)
    except InvalidInput as error:
        return f"{error.problems[0].where}: {error.problems[0].what} (expected: {error.problems[0].expected})"
    return None


def _describe_terms(terms: Sequence[Intention], *, compiled: bool) -> str:
    """How custom terms are asked, as a supplement to the reason of a path; empty if there are none."""
    manners: dict[str, list[str]] = {}
    for term in terms:
        batch = isinstance(term.intent, Function) and term.intent.batch
        manner = "once for each decision" if batch else "act by act"
        if is_law_term(term):
            manner = "as laws"
        elif isinstance(term.intent, OutsideMinds):
            manner = "where something is at stake"
        elif compiled:
            manner = "as arrays"
        manners.setdefault(manner, []).append(term.id)
    return "".join(f"; {', '.join(ids)} asked {manner}" for manner, ids in manners.items())


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


class _Seen(Struct, frozen=True):
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
            known, true = products[column], leaf(law(evening, witness.tables, who, perceived, names.act[id]))
            if known != true:
                refuse(
                    f"the law of the term {term.id!r} says {known} by what the person knows, and {true} by all that is true",
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
            single, many = products[column], float(added[decider.number[id]])
            if single != many:
                refuse(
                    f"the two forms of the term {term.id!r} differ: {single} for the act, {many} in the array",
                    where=f"seed {seed}, tick {seen.tick}, {seen.who}, {id}",
                    expected="the same number from both, to the last bit",
                    remedy="correct one of them, or leave out the array and use a Heuristic with the function alone",
                )
