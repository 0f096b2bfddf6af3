"""A term of one's own in two forms: of one act, for minds, and of all acts of many deciders, for the kernel.

Both say how much the term adds. What they say is rounded to the grain of scores, as every term of the scenario is; so
sums are exact, and evenings are the same whichever form decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Final

from volition.arbitration.intent import HEURISTIC, Function
from volition.arbitration.intention import Heuristic
from volition.core.errors import refuse, shown
from volition.drama.mind.mind import power_of_two
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from volition.arbitration import Intention
    from volition.arbitration.intent import Kind
    from volition.drama.company.kernel import Kernel

    Many = Callable[[Kernel, NDArray[Any]], NDArray[Any]]

MOST: Final = 64.0
"""More than this no term may add: beyond it sums would not be exact."""


@dataclass(frozen=True, slots=True)
class Forms:
    """The two forms of a term as one intent; its score is what it adds."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    one: Function
    many: Many = field(repr=False)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return (leaf(added) for added in self.one.ask(kind, candidates, ids, context))

    def to_data(self) -> dict[str, Any]:
        return {**self.one.to_data(), "array": Function(self.many).to_data()["python"]}


def array_term(id: str, one: Callable[..., Any], many: Many, *, most: float = 1.0) -> Heuristic:
    """A term that decides on every path: beside minds by `one`, and inside the kernel by `many`.

    `one(action)` or `one(action, context)` says how much the term adds to an act, at most `most` either way; in an
    evening, `context.me` is who decides and `context.perceived` what they see. `many(kernel, records)` says the same of
    all acts of many deciders, as an array of (records, SLOTS); `kernel.slots` tells which act each slot is. Ensembles
    compare the two on some evenings before they use the array, and refuse a term whose forms differ.

    >>> term = array_term("calm", lambda action: 0.25, lambda kernel, records: ..., most=3.0)
    >>> term.weight, term.range, term("any act")
    (1.0, (-4.0, 4.0), 0.25)
    """
    if not callable(many):
        refuse(
            f"the array form is {shown(many)}",
            where=f"term {id!r}",
            expected="a function of a kernel and its records",
            remedy="pass a callable, or use a Heuristic of the function alone",
        )
    if not (isinstance(most, int | float) and isfinite(most) and 0.0 < most <= MOST):
        refuse(
            f"the term may add {shown(most)}",
            where=f"term {id!r}, most",
            expected=f"a number above 0, up to {MOST:g}",
            remedy="scale the term down",
        )
    limit = power_of_two(most)
    return Heuristic(id, Forms(Function(one), many), range=(-limit, limit))


def is_array(term: Intention) -> bool:
    """Whether the kernel can take a term: it has both forms, adds what they say, and breaks no ties of its own."""
    return (
        isinstance(term, Heuristic)
        and isinstance(term.intent, Forms)
        and term.weight == 1.0
        and term.priority is None
        and term.on_error == "raise"
    )


def how_asked(terms: Sequence[Intention], *, by_array: bool) -> str:
    """How terms of one's own are asked, to be told after the reason of a path; nothing where there are none."""
    ways: dict[str, list[str]] = {}
    for term in terms:
        batch = isinstance(term.intent, Function) and term.intent.batch
        way = "as arrays" if by_array else "once for each decision" if batch else "act by act"
        ways.setdefault(way, []).append(term.id)
    return "".join(f"; {', '.join(ids)} asked {way}" for way, ids in ways.items())
