"""How evenings are played: compiled, or interpreted. Both give the same evenings and measures to the last bit.

Compiled is faster if there is enough to play to make up for loading the compiled loop, or for compiling it first. How
much is enough is computed from figures that were measured once, not from a clock: a choice by the clock could differ
between two runs of the same plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, check_known, refuse
from volition.drama.ensemble.forms import describe_terms, has_array_form
from volition.drama.evening.players import check_size
from volition.drama.evening.terms import is_law_term
from volition.drama.mind.mind import Mind

if TYPE_CHECKING:
    from volition.drama.ensemble.plan import EnsemblePlan

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


class PathChoice(NamedTuple):
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
        from volition.drama.ensemble.arrays import check_forms  # noqa: PLC0415  loads numpy

        check_forms(plan)
    return choice._replace(why=choice.why + describe_terms(plan.terms, compiled=choice.path == COMPILED))


def is_compiled(plan: EnsemblePlan) -> bool:
    """Whether the compiled loop for the first scenario of a plan is on the disk already."""
    from volition.drama.evening.compiled import is_kept  # noqa: PLC0415  loads numpy

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
    if not all(is_law_term(term) or has_array_form(term) for term in plan.terms):
        return "custom terms are functions, and compiled evenings take laws or arrays (law_term, array_term)"
    if not can_compile():
        return "Numba is not installed (the extra `fast` makes it faster)"
    try:
        check_size(plan.scenario_at(0))
        if plan.terms:
            from volition.drama.ensemble.arrays import check_reach  # noqa: PLC0415  as above

            check_reach(Mind(plan.scenario_at(0)), plan.terms)
    except InvalidInput as error:
        return f"{error.problems[0].where}: {error.problems[0].what} (expected: {error.problems[0].expected})"
    return None
