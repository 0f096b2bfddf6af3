"""Custom terms as laws: functions over the records of an evening, for every engine.

A law of a term gets what the evening's own laws get: `law(evening, tables, me, seen, act)` says how much the term adds to
an act that `me` weighs. It may read what that person decides from, `evening.stress[me]`, `seen.present`, and the
tables of the scenario; and it keeps to the part of Python that the laws keep to, so that it can be compiled with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from volition.arbitration.intent import HEURISTIC
from volition.arbitration.intention import Heuristic
from volition.core.errors import refuse
from volition.drama.evening.perceive import Perceived
from volition.drama.evening.state import EveningState
from volition.drama.evening.tables import ScenarioTables
from volition.drama.evening.weigh import ScoreSheet
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.arbitration.intent import Kind
    from volition.arbitration.intention import Intention

Law = Callable[[EveningState, ScenarioTables, int, Perceived, int], float]
AddTerms = Callable[[EveningState, ScenarioTables, int, Perceived, ScoreSheet], None]
"""Adds what custom terms say to everything on a score sheet."""


@dataclass(frozen=True, slots=True)
class LawForm:
    """The law of a term as an intent: minds ask it about the records of what a person knows and perceives."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    law: Law

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        evening, tables, me, seen = context.records
        return [leaf(self.law(evening, tables, me, seen, context.mind.names.act[id])) for id in ids]

    def to_data(self) -> dict[str, Any]:
        return {"law": f"{self.law.__module__}:{self.law.__qualname__}"}


class BoundedLaw(NamedTuple):
    """The law of a term, and the most that it may add in either direction."""

    law: Law
    most: float


def is_law_term(term: Intention) -> bool:
    """Whether a term is a law, added unweighted, that breaks no ties."""
    return _bounded_law(term) is not None


def _bounded_law(term: Intention) -> BoundedLaw | None:
    if not isinstance(term, Heuristic) or not isinstance(term.intent, LawForm):
        return None
    plain = term.weight == 1.0 and term.priority is None and term.on_error == "raise"
    return BoundedLaw(term.intent.law, term.reach) if plain else None


def laws_of(terms: Sequence[Intention]) -> tuple[BoundedLaw, ...]:
    """The laws of terms; a term that is none is refused."""
    laws = list[BoundedLaw]()
    for term in terms:
        law = _bounded_law(term)
        if law is None:
            refuse(
                f"the term {term.id!r} is not a law",
                where="terms",
                expected="terms that `law_term` makes, with their own weight",
                remedy="play an ensemble, which asks any term: ensemble(scenario, seeds, terms=...)",
            )
        laws.append(law)
    return tuple(laws)


def add_nothing(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Add nothing: there is no custom term."""


def add_after(before: AddTerms, law: Law, most: float, leaf: Callable[[float], float]) -> AddTerms:
    """Add what the terms before say, and then what one more does, rounded to the grain of scores.

    What is no number, or beyond the most that the term may add, is noted on the sheet.
    """

    def add(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
        before(evening, tables, me, seen, sheet)
        for place in range(sheet.acts):
            added = law(evening, tables, me, seen, sheet.act[place])
            if -most <= added <= most:
                sheet.worth[place] += leaf(added)
            else:
                sheet.beyond = 1

    return add


def plain_terms(laws: Sequence[BoundedLaw]) -> AddTerms:
    """Add what laws say, interpreted."""
    add: AddTerms = add_nothing
    for law, most in laws:
        add = add_after(add, law, most, leaf)
    return add


def check_bounds(beyond: int) -> None:
    """Refuse what was played with a term that said more than it may."""
    if beyond:
        refuse(
            "a custom term adds more than it may, or no number",
            where="terms",
            expected="numbers within what each term declares",
            remedy="declare how large it can get: law_term(..., most=...); a mind names the act: play(..., terms=...)",
        )
