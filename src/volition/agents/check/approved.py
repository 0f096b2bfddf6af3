"""The plans that a change is checked against: from the registry, or from the base that it is compared with. What the branch
under test says about plans is never read, except which of them it means."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from volition.agents.guard.extent import PlanExtent
from volition.agents.guard.git import git, names_in
from volition.core.errors import did_you_mean, refuse
from volition.governance import read_intent
from volition.workflow.team.guard_index import extent_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.workflow import Team

GRANTED: Final = ("active", "finished")
"""States of a registered plan whose work may be merged: its grant lasts, or its holder finished it."""


def plans_in_registry(team: Team) -> list[PlanExtent]:
    """All plans of a project, with what each may write."""
    policy, _ = team.rules()
    found = []
    for plan in team.list():
        intent = read_intent(plan.document.encode(), where=plan.plan_id).document
        writes, locks = map(tuple, extent_of(intent, policy))
        found.append(PlanExtent(plan.plan_id, intent.title, plan.holder, plan.state, plan.lease_until, writes, locks))
    return found


def plans_at_base(tree: str, base: str, folder: str) -> list[PlanExtent]:
    """The plans in a folder of the base that are approved there; InvalidInput if one of them is not a plan."""
    inside = folder.strip("/") + "/"
    names = names_in(git(tree, "ls-tree", "-r", "--name-only", "-z", base, "--", inside))
    found = []
    for name in sorted(names):
        file = PurePosixPath(name).name
        if not file.startswith("intent_") or file.startswith("intent_set_") or not file.endswith(".json"):
            continue
        intent = read_intent(git(tree, "cat-file", "blob", f"{base}:{name}"), where=f"{base}:{name}").document
        if intent.status == "approved":
            writes, locks = extent_of(intent)
            by = intent.audit.created_by
            found.append(PlanExtent(intent.id, intent.title, by, "active", 0, tuple(writes), tuple(locks)))
    return found


def chosen_plans(known: Iterable[PlanExtent], names: Sequence[str], where: str) -> list[PlanExtent]:
    """The plans of these names; InvalidInput if one does not exist or was not granted."""
    by_name = {plan.plan: plan for plan in known}
    chosen = []
    for name in names:
        plan = by_name.get(name)
        if plan is None or plan.state not in GRANTED:
            refuse(
                f"{name} is {plan.state}" if plan else f"there is no approved plan {name}",
                where=where,
                expected="a plan that is active or finished",
                remedy=did_you_mean(name, [one for one, plan in by_name.items() if plan.state in GRANTED]),
            )
        chosen.append(plan)
    return chosen
