"""The result of a check: which changed paths are in none of the plans, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.agents.guard.extent import PlanExtent


class StrayPath(NamedTuple):
    """A changed path that is in none of the plans, and the active plans of others that have it."""

    path: str
    held_by: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path}: {'held by ' + ', '.join(self.held_by) if self.held_by else 'in no plan'}"


class PlanCheck(NamedTuple):
    """What was compared with which plans, and what strayed."""

    changed: int
    plans: tuple[str, ...]
    strays: tuple[StrayPath, ...]

    def __str__(self) -> str:
        plans = ", ".join(self.plans) or "no plan"
        if not self.strays:
            return f"all {self.changed} changed files are in the plans: {plans}"
        lines = [f"{len(self.strays)} of {self.changed} changed files are not in the plans: {plans}"]
        lines += [f"  {stray}" for stray in self.strays]
        return "\n".join([*lines, "leave them out, or revise the plan and have it granted: volition team revise"])

    def to_data(self) -> dict[str, Any]:
        return {
            "changed": self.changed, "plans": list(self.plans), "ok": not self.strays,
            "strays": [{"path": stray.path, "held_by": list(stray.held_by)} for stray in self.strays],
        }  # fmt: skip


def compare(
    paths: Sequence[str], mine: Sequence[PlanExtent], known: Iterable[PlanExtent], *, ignore_case: bool = False
) -> PlanCheck:
    """Check changed paths against plans; `known` are all plans, to say whose a stray is."""
    names = {plan.plan for plan in mine}
    others = [plan for plan in known if plan.state == "active" and plan.plan not in names]
    strays = []
    for path in paths:
        folded = path.lower() if ignore_case else path
        if not any(plan.may_write(folded) for plan in mine):
            strays.append(
                StrayPath(path, tuple(f"{plan.plan} ({plan.holder})" for plan in others if plan.keeps(folded)))
            )
    return PlanCheck(len(paths), tuple(sorted(names)), tuple(strays))
