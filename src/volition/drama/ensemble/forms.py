"""Custom terms beyond functions that minds ask: laws, which every engine runs, and arrays for many states at once.

Every form returns how much the term adds, rounded to the grain of scores like every term of the scenario. So sums are
exact, and evenings are the same whichever form decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from volition.arbitration.intent import HEURISTIC, Function, Kind
from volition.arbitration.intention import Heuristic
from volition.core.errors import format_value, refuse
from volition.drama.evening.terms import Law, LawForm, is_law_term
from volition.drama.mind.bounds import power_of_two
from volition.drama.rules.leaf import LARGEST_TERM, leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from volition.arbitration import Intention
    from volition.drama.batch.decider import BatchDecider

    Many = Callable[[BatchDecider, NDArray[Any]], NDArray[Any]]


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


def describe_terms(terms: Sequence[Intention], *, compiled: bool) -> str:
    """How custom terms are asked, as a supplement to the reason of a path; empty if there are none."""
    manners: dict[str, list[str]] = {}
    for term in terms:
        batch = isinstance(term.intent, Function) and term.intent.batch
        manner = "once for each decision" if batch else "act by act"
        if is_law_term(term):
            manner = "as laws"
        elif compiled:
            manner = "as arrays"
        manners.setdefault(manner, []).append(term.id)
    return "".join(f"; {', '.join(ids)} asked {manner}" for manner, ids in manners.items())
