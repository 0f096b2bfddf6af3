"""The result of a check: which changed paths are in none of the plans, and whose they are.

Where the plans claim only parts of a file, the check goes by the parts that the change touches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from volition.agents.check.changes import touched_parts_of
from volition.governance.claims.algebra import claims_file, covers, meets
from volition.governance.claims.names import split_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.agents.check.changes import Changes
    from volition.agents.guard.extent import PlanExtent


class StrayPath(NamedTuple):
    """A changed path, or a part of it, that is in none of the plans, and the active plans of others that have it."""

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
    changes: Changes,
    tree: str,
    mine: Sequence[PlanExtent],
    known: Iterable[PlanExtent],
    *,
    ignore_case: bool = False,
) -> PlanCheck:
    """Check changes against plans; `known` are all plans, to say whose a stray is."""
    names = {plan.plan for plan in mine}
    others = [plan for plan in known if plan.state == "active" and plan.plan not in names]

    def fold(text: str) -> str:
        return text.lower() if ignore_case else text

    in_parts = [path for path in changes.paths if _only_parts(mine, fold(path))]
    touched = touched_parts_of(tree, changes, in_parts) if in_parts else {}
    strays = []
    for path in changes.paths:
        if not any(plan.may_write(fold(path)) for plan in mine):
            held = tuple(f"{plan.plan} ({plan.holder})" for plan in others if plan.keeps(fold(path)))
            strays.append(StrayPath(path, held))
        for part in touched.get(path, ()) if path in in_parts else ():
            if not any(covers(claim, fold(part)) for plan in mine for claim in plan.writes):
                held = tuple(
                    f"{one.plan} ({one.holder})" for one in others if any(meets(c, fold(part)) for c in one.writes)
                )
                strays.append(StrayPath(part, held))
    return PlanCheck(len(changes.paths), tuple(sorted(names)), tuple(strays))


def _only_parts(plans: Sequence[PlanExtent], path: str) -> bool:
    """Whether plans claim a file, and none of them the whole file."""
    claims = [claim for plan in plans for claim in plan.writes if plan.may_write(path) and claims_file(claim, path)]
    return bool(claims) and all(split_part(claim)[1] for claim in claims)
