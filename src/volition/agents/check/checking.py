"""Checks for CI and a server: what changed, checked against plans of a registry or of the base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.agents.check.approved import chosen_plans, plans_at_base, plans_in_registry
from volition.agents.check.changes import PLAN_TRAILER, Changes
from volition.agents.check.report import PlanCheck, compare
from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.workflow import Team


def check_with_registry(changes: Changes, tree: str, team: Team, plans: Sequence[str]) -> PlanCheck:
    """Check changes against plans of a registry: those that are given, or that the commits name."""
    known = plans_in_registry(team)
    names = plans or changes.plans
    if not names and changes.paths:
        refuse_unnamed()
    mine = chosen_plans(known, names, f"project {team.project}")
    return compare(changes, tree, mine, known, ignore_case=team.rules()[0].ignore_case)


def check_with_base(changes: Changes, tree: str, folder: str, plans: Sequence[str]) -> PlanCheck:
    """Check changes against the approved plans in a folder of the base: those that are named, or all of them."""
    known = plans_at_base(tree, changes.base, folder)
    names = plans or changes.plans or [plan.plan for plan in known]
    return compare(changes, tree, chosen_plans(known, names, f"{folder} of the base"), known)


def refuse_unnamed() -> None:
    """Refuse a check for which no plan is named."""
    refuse(
        "no plan is named",
        where="check",
        expected="the plans that the change belongs to",
        remedy=f"name them with --plan, or in commit messages: {PLAN_TRAILER}: intent_add_logging",
    )
