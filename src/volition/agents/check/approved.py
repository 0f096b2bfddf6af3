"""The plans that a change is checked against: from the registry, or from the base that it is compared with. What the branch
under test says about plans is never read, except which of them it means."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.agents.check.approval import ENDING, OPEN, approval_fault, approval_name
from volition.agents.check.escaping import visible
from volition.agents.guard.extent import PlanExtent
from volition.agents.guard.git import git, names_in
from volition.core.errors import did_you_mean, refuse
from volition.governance import IntentDocument, parse_document, parse_policy
from volition.governance.documents.policy import BUILT_IN
from volition.workflow.team.guard_index import extent_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.governance import Policy
    from volition.workflow import Team

GRANTED: Final = ("active", "finished")
"""States of a registered plan whose work may be merged: its grant lasts, or its holder finished it."""
POLICY_FILE: Final = "policy.toml"
"""The policy of the base, in the folder of its plans."""


class KnownPlans(NamedTuple):
    """All plans that a change may be checked against, the policy they are read by, and why some of them do not count."""

    plans: tuple[PlanExtent, ...]
    policy: Policy
    faults: Mapping[str, str] = {}

    def granted_ids(self) -> list[str]:
        """The ids of those that count."""
        return [plan.plan for plan in self.plans if plan.state in GRANTED]


def plans_in_registry(team: Team) -> KnownPlans:
    """All plans of a project, with what each may write."""
    policy, _ = team.rules()
    found = []
    for plan in team.list():
        intent = parse_document(plan.document.encode(), IntentDocument, where=plan.plan_id)
        writes, locks = map(tuple, extent_of(intent, policy))
        found.append(PlanExtent(plan.plan_id, intent.title, plan.holder, plan.state, plan.lease_until, writes, locks))
    return KnownPlans(tuple(found), policy)


def plans_at_base(tree: str, base: str, folder: str) -> KnownPlans:
    """The plans in a folder of the base, by the policy there: active if they are approved there, by their status or by the
    signature of somebody whom the policy lists. InvalidInput if one of them is not a plan."""
    inside = folder.strip("/") + "/"
    names = set(names_in(git(tree, "ls-tree", "-r", "--name-only", "-z", base, "--", inside)))

    def content_of(name: str) -> bytes:
        return git(tree, "cat-file", "blob", f"{base}:{name}")

    policy = BUILT_IN
    if f"{inside}{POLICY_FILE}" in names:
        policy = parse_policy(content_of(f"{inside}{POLICY_FILE}"), where=f"{base[:12]}:{inside}{POLICY_FILE}")
    found, faults = [], {}
    for name in sorted(filter(_is_plan, names)):
        content = content_of(name)
        intent = parse_document(content, IntentDocument, where=f"{base[:12]}:{visible(name)}")
        state, fault = ("active", "") if intent.status == "approved" else (intent.status, f"it is {intent.status}")
        if intent.status in OPEN:
            fault = f"{visible(name)} is a draft that no person has approved"
            if approval_name(name) in names:
                fault = approval_fault(content_of(approval_name(name)), intent.id, content, policy.check.approvers)
                state = state if fault else "active"
        if fault:
            faults[intent.id] = fault
        writes, locks = extent_of(intent, policy)
        by = intent.audit.created_by
        found.append(PlanExtent(intent.id, intent.title, by, state, 0, tuple(writes), tuple(locks)))
    return KnownPlans(tuple(found), policy, faults)


def chosen_plans(known: KnownPlans, names: Sequence[str], where: str) -> list[PlanExtent]:
    """The plans of these names; InvalidInput if one does not exist or was not granted."""
    by_name = {plan.plan: plan for plan in known.plans}
    chosen = []
    for name in names:
        plan = by_name.get(name)
        if plan is None or plan.state not in GRANTED:
            why = known.faults.get(name, "")
            refuse(
                f"{plan.plan} is {plan.state}" if plan else f"there is no approved plan {visible(name)}",
                where=where,
                expected="a plan that is active or finished" if not why else f"an approved plan, but {why}",
                remedy=did_you_mean(name, known.granted_ids()),
            )
        chosen.append(plan)
    return chosen


def _is_plan(name: str) -> bool:
    file = PurePosixPath(name).name
    if not file.startswith("intent_") or file.startswith("intent_set_"):
        return False
    return file.endswith(".json") and not file.endswith(ENDING)
