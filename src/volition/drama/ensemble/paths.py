"""On which path people decide: one arbitration per person, or everybody in a tick together through the kernel.

Both give the same evenings and measures to the last bit. The kernel is faster if there is enough to play to make up for
loading its compiled loop, or for compiling it first. How much is enough is computed from figures that were measured
once, not from a clock: a choice by the clock could differ between two runs of the same plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, did_you_mean, refuse
from volition.drama.ensemble.forms import describe_terms, has_array_form
from volition.drama.mind.mind import Mind

if TYPE_CHECKING:
    from volition.drama.ensemble.plan import EnsemblePlan

Asked = Literal["auto", "kernel", "scalar"]
ASKED: Final[tuple[Asked, ...]] = ("auto", "kernel", "scalar")
SCALAR: Final = "scalar"
"""The path on which every decision is a separate arbitration, with any custom term."""
KERNEL: Final = "kernel"
"""The path on which everybody in a tick decides at once."""

# Seconds of one process, as `benchmarks/paths.py` measures them: medians over whole evenings of both shipped scenarios
# with their measures, on either path in turn, and over fresh processes with an empty and with a full cache. Only the
# ratios of these figures matter.
SAVED: Final = 0.0001
"""What the kernel saves per person and possible tick of an evening: the smallest saving measured.

The measured evenings ended after 0.37 of their possible ticks."""
LOADING: Final = 0.5
"""What loading the compiled loop from disk takes."""
COMPILING: Final = 12.5
"""What compiling it takes in addition."""
MAKING: Final = 0.013
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
        return f"decided on the {self.path} path: {self.why}"


def choose_path(plan: EnsemblePlan, asked: Asked = "auto") -> PathChoice:
    """Choose the path of a plan by what is asked for, what is possible, and what is faster; the engine does not matter.

    Asking for the kernel by name is refused if it cannot play the plan, and so is a term whose two forms differ, if the
    kernel would use it. If the first point of a sweep fits the kernel and others do not, those take the scalar path.
    """
    if asked not in ASKED:
        refuse(
            f"there is no path {asked!r}",
            where="path",
            expected="auto, kernel or scalar",
            remedy=did_you_mean(asked, ASKED),
        )
    choice = _choose(plan, asked)
    if choice.path == KERNEL and plan.terms:
        from volition.drama.ensemble.arrays import check_forms  # noqa: PLC0415  loads numpy and the kernel

        check_forms(plan)
    return choice._replace(why=choice.why + describe_terms(plan.terms, by_array=choice.path == KERNEL))


def _choose(plan: EnsemblePlan, asked: Asked) -> PathChoice:
    if asked == SCALAR:
        return PathChoice(SCALAR, "asked for", expected=True)
    evenings = plan.size - (COMPARING if plan.terms else 0)
    saved = evenings * plan.scenario.evening.ticks * len(plan.scenario.people) * SAVED
    ready = LOADING + len(plan.points) * MAKING
    if asked == "auto" and saved <= WORTH * ready:
        return PathChoice(SCALAR, "there are too few evenings for the kernel to be faster", expected=True)
    hindrance = _hindrance(plan)
    if asked == KERNEL:
        if hindrance is not None:
            refuse(
                f"the kernel cannot play this plan: {hindrance}",
                where="path",
                expected="a plan that the kernel can play",
                remedy="let the path be chosen: path='auto'",
            )
        return PathChoice(KERNEL, "asked for", expected=True)
    if hindrance is not None:
        return PathChoice(SCALAR, hindrance)
    if saved <= WORTH * (ready + COMPILING) and not _has_compiled_kernel():
        return PathChoice(SCALAR, "there are too few evenings to compile the kernel for them", expected=True)
    return PathChoice(KERNEL, "the same evenings, faster")


def _has_compiled_kernel() -> bool:
    from volition.drama.company.kernel import engine  # noqa: PLC0415  loads numpy

    return engine.is_cached()


def _hindrance(plan: EnsemblePlan) -> str | None:
    if not all(map(has_array_form, plan.terms)):
        return "custom terms are functions, and the kernel takes arrays (array_term gives a term both forms)"
    if not can_compile():
        return "Numba is not installed (pip install 'volition[fast]' makes it faster)"
    from volition.drama.ensemble.arrays import watch_of  # noqa: PLC0415  as above

    try:
        watch_of(Mind(plan.scenario_at(0)), plan.terms)
    except InvalidInput as error:
        return f"{error.problems[0].where}: {error.problems[0].what} (expected: {error.problems[0].expected})"
    return None
