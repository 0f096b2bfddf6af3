"""Custom terms beyond functions that minds ask: laws, which every engine runs, and arrays for many states at once.

Every form returns how much the term adds, rounded to the grain of scores like every term of the scenario. So sums are
exact, and evenings are the same whichever form decides. Evenings with arrays are played in lockstep: every tick, each array
is evaluated once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from volition.arbitration.intent import HEURISTIC, Function, Kind
from volition.arbitration.intention import Heuristic
from volition.core.errors import format_value, refuse
from volition.drama.batch.decider import BatchDecider, check_table
from volition.drama.evening.batches import Batches, replace_rows
from volition.drama.evening.ending import GOES_ON
from volition.drama.evening.players import CompiledPlayer
from volition.drama.evening.rows import MeasureRows, digests_of, pack_rows
from volition.drama.evening.state import EveningState
from volition.drama.evening.terms import Law, LawForm, is_law_term, laws_of
from volition.drama.mind.bounds import power_of_two
from volition.drama.mind.mind import Mind
from volition.drama.rules.leaf import LARGEST_TERM, LARGEST_TOTAL, leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from volition.arbitration import Intention
    from volition.drama.world.model import Scenario

    Many = Callable[[BatchDecider, NDArray[Any]], NDArray[Any]]

LOCKSTEP: Final = 128
"""How many evenings go tick by tick together."""


@dataclass(frozen=True, slots=True)
class Forms:
    """The two forms of a term as one intent; its score is the amount that it adds."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    one: Function
    many: Many = field(repr=False)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return (leaf(added) for added in self.one.ask(kind, candidates, ids, context))

    def to_data(self) -> dict[str, Any]:
        return {**self.one.to_data(), "array": Function(self.many).to_data()["python"]}


def array_term(id: str, one: Callable[..., Any], many: Many, *, most: float = 1.0) -> Heuristic:
    """A custom term for every path: minds call `one`, compiled evenings call `many`.

    `one(action)` or `one(action, context)` returns how much the term adds to an act, at most `most` in either direction;
    in an evening, `context.me` is the person who decides and `context.perceived` is what they see. `many(decider, states)`
    returns the same for all acts of everybody in many states, as an array of (states, people, acts); `decider.number`
    maps the ids of acts to their numbers. Ensembles compare the two on some evenings before they use the array, and
    refuse a term whose forms differ.

    >>> term = array_term("calm", lambda action: 0.25, lambda decider, states: ..., most=3.0)
    >>> term.weight, term.range, term("any act")
    (1.0, (-4.0, 4.0), 0.25)
    """
    if not callable(many):
        refuse(
            f"the array form is {format_value(many)}",
            where=f"term {id!r}",
            expected="a function of a batch decider and its states",
            remedy="pass a callable, or use a Heuristic with the function alone",
        )
    limit = _limit(id, most)
    return Heuristic(id, Forms(Function(one), many), range=(-limit, limit))


def law_term(id: str, law: Law, *, most: float = 1.0) -> Heuristic:
    """A custom term for every path and for `play_many`: a law, written as the laws of an evening are.

    `law(evening, tables, me, seen, act)` returns how much the term adds to an act, at most `most` in either direction. It
    gets the records that an evening's own laws get, and the numbers of the person who decides and of the act; it may
    read the person's own entries, `evening.stress[me]`, what they perceive, `seen.present`, and the tables.

    >>> term = law_term("restless", lambda evening, tables, me, seen, act: 0.5 * evening.stress[me])
    >>> term.weight, term.range
    (1.0, (-1.0, 1.0))
    """
    if not isinstance(law, FunctionType):
        refuse(
            f"the law is {format_value(law)}",
            where=f"term {id!r}",
            expected="a plain function of (evening, tables, me, seen, act)",
            remedy="write it with def",
        )
    limit = _limit(id, most)
    return Heuristic(id, LawForm(law), range=(-limit, limit))


def _limit(id: str, most: float) -> float:
    """The bound of a term's scores; anything but a number that sums can take is refused."""
    if not (isinstance(most, int | float) and isfinite(most) and 0.0 < most <= LARGEST_TERM):
        refuse(
            f"the term may add {format_value(most)}",
            where=f"term {id!r}, most",
            expected=f"a number above 0, up to {LARGEST_TERM:g}",
            remedy="scale the term down",
        )
    return power_of_two(most)


def has_array_form(term: Intention) -> bool:
    """Whether a term can be used as an array: it has both forms, adds them unweighted, and breaks no ties."""
    return (
        isinstance(term, Heuristic)
        and isinstance(term.intent, Forms)
        and term.weight == 1.0
        and term.priority is None
        and term.on_error == "raise"
    )


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
