"""The result of a check: which changed paths are in none of the plans, and whose they are.

Where the plans claim only parts of a file, the check goes by the parts that the change touches. A file that the policy
calls generated needs no claim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from volition.agents.check.changes import touched_parts_of
from volition.agents.check.escaping import in_unicode, visible
from volition.agents.check.lookup import ClaimLookup
from volition.governance.claims.algebra import covers, meets
from volition.governance.claims.spelling import spell_file
from volition.governance.paths.names import split_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.agents.check.changes import Changes
    from volition.agents.guard.extent import PlanExtent


class StrayPath(NamedTuple):
    """A changed path, or a part of it, that is in none of the plans, and the active plans of others that have it."""

    path: str
    held_by: tuple[str, ...]
    file: str = ""
    """The file, where the path is a part of it."""

    def __str__(self) -> str:
        return f"{visible(self.path)}: {self.reason}"

    @property
    def reason(self) -> str:
        """Why it strayed, as text that can be printed."""
        return f"held by {visible(', '.join(self.held_by))}" if self.held_by else "in no plan"


class PlanCheck(NamedTuple):
    """What was compared with which plans, what strayed, and which files needed no claim because they are generated."""

    changed: int
    plans: tuple[str, ...]
    strays: tuple[StrayPath, ...]
    generated: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The result in one line."""
        plans = visible(", ".join(self.plans)) or "no plan"
        apart = f"; {len(self.generated)} are generated" if self.generated else ""
        if not self.strays:
            needed = self.changed - len(self.generated)
            return f"all {needed} changed files are in the plans: {plans}{apart}"
        return f"{len(self.strays)} of {self.changed} changed files are not in the plans: {plans}{apart}"

    def __str__(self) -> str:
        lines = [self.summary, *(f"  {stray}" for stray in self.strays)]
        lines += [f"  {visible(path)}: generated" for path in self.generated]
        if self.strays:
            lines.append("leave them out, or revise the plan and have it granted: volition team revise")
        return "\n".join(lines)

    def to_data(self) -> dict[str, Any]:
        return {
            "changed": self.changed, "plans": list(self.plans), "ok": not self.strays,
            "strays": [{"path": in_unicode(stray.path), "held_by": list(stray.held_by)} for stray in self.strays],
            "generated": [in_unicode(path) for path in self.generated],
        }  # fmt: skip


def compare(
    changes: Changes,
    tree: str,
    mine: Sequence[PlanExtent],
    known: Iterable[PlanExtent],
    *,
    ignore_case: bool = False,
    generated: Sequence[str] = (),
) -> PlanCheck:
    """Check changes against plans; `known` are all plans, to say whose a stray is, and `generated` are claims on files that
    need none."""
    names = {plan.plan for plan in mine}
    others = [plan for plan in known if plan.state == "active" and plan.plan not in names]
    spelled = {path: spell_file(path, ignore_case=ignore_case) for path in changes.paths}
    own = ClaimLookup((claim, plan) for plan in mine for claim in plan.writes)
    held = ClaimLookup((claim, plan) for plan in others for claim in (*plan.writes, *plan.locks))
    free = ClaimLookup((spell_file(claim, ignore_case=ignore_case), None) for claim in generated)
    claimed = {path: [claim for claim, _ in own.at(name)] for path, name in spelled.items()}
    apart = {path for path, name in spelled.items() if not claimed[path] and free.at(name)}
    in_parts = [path for path, claims in claimed.items() if claims and all(split_part(claim)[1] for claim in claims)]
    touched = touched_parts_of(tree, changes, in_parts) if in_parts else {}
    strays = []
    for path, name in spelled.items():
        if not claimed[path] and path not in apart:
            strays.append(StrayPath(path, _holders(plan for _, plan in held.at(name))))
    for path in in_parts:
        for part in touched.get(path, ()):
            spelled_part = spell_file(part, ignore_case=ignore_case)
            if not any(covers(claim, spelled_part) for claim in claimed[path]):
                having = (plan for claim, plan in held.at(spelled[path]) if meets(claim, spelled_part))
                strays.append(StrayPath(part, _holders(having), path))
    order = {path: place for place, path in enumerate(changes.paths)}
    strays.sort(key=lambda stray: order[stray.file or stray.path])
    return PlanCheck(len(changes.paths), tuple(sorted(names)), tuple(strays), tuple(sorted(apart)))


def _holders(plans: Iterable[PlanExtent]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{plan.plan} ({plan.holder})" for plan in plans))
