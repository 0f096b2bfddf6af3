"""By which path people decide: each by an arbitration of its own, or all of a tick together through the kernel.

Both give the same evenings and measures to the last bit. The kernel is sooner where there is enough to play for its
compiled loop to be loaded, and more so where it has to be compiled first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, did_you_mean, refuse
from volition.drama.mind.mind import Mind

if TYPE_CHECKING:
    from volition.drama.company.ensemble.plan import Plan

Asked = Literal["auto", "kernel", "scalar"]
ASKED: Final[tuple[Asked, ...]] = ("auto", "kernel", "scalar")
SCALAR: Final = "scalar"
"""The path on which every person's decision is an arbitration of its own, with any term."""
KERNEL: Final = "kernel"
"""The path on which all who decide in a tick do so at once."""

SAVED: Final = 0.00008
"""Seconds that the kernel saves for a person in a tick, about, where evenings end before half of their ticks."""
LOADING: Final = 1.0
"""Seconds until a process has the compiled loop from the disk,"""
COMPILING: Final = 12.0
"""and until it is there for the first time."""
WORTH: Final = 2.0
"""How many times as much must be saved as is spent: several workers all load, and all wait while one compiles."""


class Way(NamedTuple):
    """The path of a plan, and why; `plain` where nobody needs to be told beforehand."""

    path: str
    why: str
    plain: bool = False

    def __str__(self) -> str:
        return f"decided on the {self.path} path: {self.why}"


def way_of(plan: Plan, asked: Asked = "auto") -> Way:
    """How a plan is played, whoever plays it: by what is asked, what is possible, and what is sooner.

    The kernel is refused where it is asked for by name and cannot be. Points of a sweep that do not fit it, while the
    first one does, are played on the scalar path.
    """
    if asked not in ASKED:
        refuse(
            f"there is no path {asked!r}",
            where="path",
            expected="auto, kernel or scalar",
            remedy=did_you_mean(asked, ASKED),
        )
    if asked == SCALAR:
        return Way(SCALAR, "asked for", plain=True)
    saved = plan.size * plan.scenario.evening.ticks * len(plan.scenario.people) * SAVED
    if asked == "auto" and saved <= WORTH * LOADING:
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
    if saved <= WORTH * (LOADING + COMPILING) and not _kept():
        return Way(SCALAR, "there are too few evenings to compile the kernel for them", plain=True)
    return Way(KERNEL, "the same evenings, sooner")


def _kept() -> bool:
    from volition.drama.company.kernel import engine  # noqa: PLC0415  its arrays are for those alone who may use them

    return engine.kept()


def _hindrance(plan: Plan) -> str | None:
    if plan.terms:
        return "terms of one's own are functions, and the kernel takes arrays"
    if not can_compile():
        return "Numba is not installed (pip install 'volition[fast]' makes it faster)"
    from volition.drama.company.watch import Watch  # noqa: PLC0415  as above

    try:
        Watch(Mind(plan.scenario_at(0)))
    except InvalidInput as error:
        return f"{error.problems[0].where}: {error.problems[0].what} (expected: {error.problems[0].expected})"
    return None
