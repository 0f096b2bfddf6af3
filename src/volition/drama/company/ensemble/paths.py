"""By which path people decide: each by an arbitration of its own, or all of a tick together through the kernel.

Both give the same evenings and measures to the last bit. The kernel is sooner where there is enough to play for its
compiled loop to be loaded, and more so where it has to be compiled first. What is enough is told by numbers that were
measured once, and not by a clock while it plays: a path that hung on the time of day would be another one every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, did_you_mean, refuse
from volition.drama.company.ensemble.forms import how_asked, is_array
from volition.drama.mind.mind import Mind

if TYPE_CHECKING:
    from volition.drama.company.ensemble.plan import Plan

Asked = Literal["auto", "kernel", "scalar"]
ASKED: Final[tuple[Asked, ...]] = ("auto", "kernel", "scalar")
SCALAR: Final = "scalar"
"""The path on which every person's decision is an arbitration of its own, with any term."""
KERNEL: Final = "kernel"
"""The path on which all who decide in a tick do so at once."""

# Measured in seconds of one process: whole evenings with their measures of both shipped scenarios, by either path in
# turn, and fresh processes with an empty cache and with a full one; medians. Only the ratios of the four matter.
SAVED: Final = 0.0001
"""What the kernel saves for each person and tick that an evening may have, at the least that was seen.

The evenings that were measured ended after 0.37 of their ticks."""
LOADING: Final = 0.5
"""What a process takes until it has the compiled loop from the disk,"""
COMPILING: Final = 12.5
"""what it takes more to compile it,"""
MAKING: Final = 0.013
"""and what the tables of a point take."""
COMPARING: Final = 6
"""How many evenings must be saved for the forms of terms to be compared: three by minds, each twice what is saved in it."""
WORTH: Final = 2.0
"""How many times as much must be saved as is spent: two workers save half of it each, while both load or wait."""


class Way(NamedTuple):
    """The path of a plan, and why; `plain` where nobody needs to be told beforehand."""

    path: str
    why: str
    plain: bool = False

    def __str__(self) -> str:
        return f"decided on the {self.path} path: {self.why}"


def way_of(plan: Plan, asked: Asked = "auto") -> Way:
    """How a plan is played, whoever plays it: by what is asked, what is possible, and what is sooner.

    The kernel is refused where it is asked for by name and cannot be, and so is a term whose two forms differ where the
    kernel would use it. Points of a sweep that do not fit the kernel, while the first one does, are played on the scalar
    path.
    """
    if asked not in ASKED:
        refuse(
            f"there is no path {asked!r}",
            where="path",
            expected="auto, kernel or scalar",
            remedy=did_you_mean(asked, ASKED),
        )
    way = _way(plan, asked)
    if way.path == KERNEL and plan.terms:
        from volition.drama.company.ensemble.arrays import check_forms  # noqa: PLC0415  for those alone who use them

        check_forms(plan)
    return way._replace(why=way.why + how_asked(plan.terms, by_array=way.path == KERNEL))


def _way(plan: Plan, asked: Asked) -> Way:
    if asked == SCALAR:
        return Way(SCALAR, "asked for", plain=True)
    evenings = plan.size - (COMPARING if plan.terms else 0)
    saved = evenings * plan.scenario.evening.ticks * len(plan.scenario.people) * SAVED
    ready = LOADING + len(plan.points) * MAKING
    if asked == "auto" and saved <= WORTH * ready:
        return Way(SCALAR, "there are too few evenings for the kernel to be sooner", plain=True)
    hindrance = _hindrance(plan)
    if asked == KERNEL:
        if hindrance is not None:
            refuse(
                f"the kernel cannot play this plan: {hindrance}",
                where="path",
                expected="a plan that the kernel can play",
                remedy="leave the path to be chosen: path='auto'",
            )
        return Way(KERNEL, "asked for", plain=True)
    if hindrance is not None:
        return Way(SCALAR, hindrance)
    if saved <= WORTH * (ready + COMPILING) and not _kept():
        return Way(SCALAR, "there are too few evenings to compile the kernel for them", plain=True)
    return Way(KERNEL, "the same evenings, sooner")


def _kept() -> bool:
    from volition.drama.company.kernel import engine  # noqa: PLC0415  its arrays are for those alone who may use them

    return engine.kept()


def _hindrance(plan: Plan) -> str | None:
    if not all(map(is_array, plan.terms)):
        return "terms of one's own are functions, and the kernel takes arrays (array_term gives a term both forms)"
    if not can_compile():
        return "Numba is not installed (pip install 'volition[fast]' makes it faster)"
    from volition.drama.company.ensemble.arrays import watch_of  # noqa: PLC0415  as above

    try:
        watch_of(Mind(plan.scenario_at(0)), plan.terms)
    except InvalidInput as error:
        return f"{error.problems[0].where}: {error.problems[0].what} (expected: {error.problems[0].expected})"
    return None
