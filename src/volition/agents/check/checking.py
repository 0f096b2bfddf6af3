"""Checks for CI and a server: what changed, checked against plans of a registry or of the base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.agents.check.approved import KnownPlans, chosen_plans, plans_at_base, plans_in_registry
from volition.agents.check.changes import PLAN_TRAILER, Changes
from volition.agents.check.report import PlanCheck, compare
from volition.core.errors import refuse
from volition.governance.paths.names import clean_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance import Policy
    from volition.workflow import Team


def check_with_registry(changes: Changes, tree: str, team: Team, plans: Sequence[str]) -> PlanCheck:
    """Check changes against plans of a registry: those that are given, or that the commits name."""
    known = plans_in_registry(team)
    names = plans or changes.plans
    if not names and changes.paths:
        refuse_unnamed()
    return _check(changes, tree, known, names, f"project {team.project}")


def check_with_base(changes: Changes, tree: str, folder: str, plans: Sequence[str]) -> PlanCheck:
    """Check changes against the approved plans in a folder of the base: those that are named, or all of them."""
    known = plans_at_base(tree, changes.base, folder)
    return _check(changes, tree, known, plans or changes.plans or known.granted_ids(), f"{folder} of the base")


def _check(changes: Changes, tree: str, known: KnownPlans, names: Sequence[str], where: str) -> PlanCheck:
    mine = chosen_plans(known, names, where)
    policy = known.policy
    return compare(changes, tree, mine, known.plans, ignore_case=policy.ignore_case, generated=generated_claims(policy))


def generated_claims(policy: Policy) -> list[str]:
    """The files that a policy calls generated, as claims."""
    return [clean_path(claim) for claim in policy.check.generated]


def refuse_unnamed() -> None:
    """Refuse a check for which no plan is named."""
    refuse(
        "no plan is named",
        where="check",
        expected="the plans that the change belongs to",
        remedy=f"name them with --plan, or in commit messages: {PLAN_TRAILER}: intent_add_logging",
    )
