"""Which plans count, for CI and a server: those that a registry granted, or that are approved in the base of the change. What
the branch under test says about plans is never read, except which of them it means.

A person approves a draft in the base by signing it. An approval is a file beside the plan, `intent_add_logging.approval.json`
for `intent_add_logging.json`. It signs the exact bytes of the plan, so a plan that is changed afterwards is a draft again. It
counts if it is in the base, and if the policy of the base lists its key under `[check.approvers]`: a branch can neither bring
an approval nor an approver.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from volition.agents.check.changes import PLAN_TRAILER, Changes
from volition.agents.check.checking import PlanCheck, compare
from volition.agents.check.escaping import visible
from volition.agents.guard.git import git, names_in
from volition.agents.guard.index import PlanExtent
from volition.core.document import dump_json, parse_json, write_atomically
from volition.core.errors import InvalidInput, did_you_mean, refuse
from volition.core.signing import is_signed, own_signer
from volition.core.typed import convert
from volition.governance import IntentDocument, parse_document
from volition.governance.documents.policy import BUILT_IN, parse_policy
from volition.governance.paths.names import clean_path
from volition.workflow.team.guard_index import extent_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from volition.governance import Policy
    from volition.workflow import Team


ENDING: Final = ".approval.json"
OPEN: Final = ("draft", "proposed")
"""States of a plan in which it can be approved."""


GRANTED: Final = ("active", "finished")
"""States of a registered plan whose work may be merged: its grant lasts, or its holder finished it."""
POLICY_FILE: Final = "policy.toml"
"""The policy of the base, in the folder of its plans."""


class Approval(msgspec.Struct, frozen=True):
    """That the owner of a key approves a plan, by the digest of the plan's file."""

    format: Literal[1]
    plan: str
    sha256: str
    key: str
    signature: str


class KnownPlans(msgspec.Struct, frozen=True):
    """All plans that a change may be checked against."""

    plans: tuple[PlanExtent, ...]
    policy: Policy
    """What they are read by."""
    faults: dict[str, str] = {}
    """Plan -> why it does not count."""

    def granted_ids(self) -> list[str]:
        """The ids of those that count."""
        return [plan.plan for plan in self.plans if plan.state in GRANTED]


def check_with_registry(changes: Changes, tree: str, team: Team, plans: Sequence[str]) -> PlanCheck:
    """Check changes against plans of a registry: those that are given, or that the commits name."""
    known = plans_in_registry(team)
    names = plans or changes.plans
    if not names and changes.paths:
        refuse(
            "no plan is named",
            where="check",
            expected="the plans that the change belongs to",
            remedy=f"name them with --plan, or in commit messages: {PLAN_TRAILER}: intent_add_logging",
        )
    return _check_with_plans(changes, tree, known, names, f"project {team.project}")


def check_with_base(changes: Changes, tree: str, folder: str, plans: Sequence[str]) -> PlanCheck:
    """Check changes against the approved plans in a folder of the base: those that are named, or all of them."""
    known = plans_at_base(tree, changes.base, folder)
    return _check_with_plans(
        changes, tree, known, plans or changes.plans or known.granted_ids(), f"{folder} of the base"
    )


def _check_with_plans(changes: Changes, tree: str, known: KnownPlans, names: Sequence[str], where: str) -> PlanCheck:
    mine = chosen_plans(known, names, where)
    policy = known.policy
    generated = [clean_path(claim) for claim in policy.check.generated]
    return compare(changes, tree, mine, known.plans, ignore_case=policy.ignore_case, generated=generated)


def approval_name(plan_file: str) -> str:
    """The name of the file that approves a plan's file.

    >>> approval_name("plans/intent_add_logging.json")
    'plans/intent_add_logging.approval.json'
    """
    return plan_file.removesuffix(".json") + ENDING


def approve_plan(file: Path) -> tuple[Approval, Path]:
    """Sign a draft with the key of this user, and write the approval beside it: both are returned. Approving is for people: the
    command refuses in the session of an agent.

    InvalidInput if the file holds no plan, or one that is not open.
    """
    if not file.name.endswith(".json") or file.name.endswith(ENDING):
        refuse("this is not the file of a plan", where=str(file), expected="intent_NAME.json", remedy="name the plan")
    try:
        content = file.read_bytes()
    except OSError as error:
        refuse(
            f"it cannot be read: {error.strerror}",
            where=str(file),
            expected="the file of a plan",
            remedy="check its name",
        )
    intent = parse_document(content, IntentDocument, where=str(file))
    if intent.status not in OPEN:
        refuse(
            f"{intent.id} is {intent.status}",
            where=str(file),
            expected=f"a plan that is {' or '.join(OPEN)}",
            remedy="an approved plan needs no approval; change the status of another one first",
        )
    signer = own_signer()
    digest = sha256(content).hexdigest()
    approval = Approval(1, intent.id, digest, signer.public, signer.sign(_statement(intent.id, digest)))
    place = file.with_name(approval_name(file.name))
    write_atomically(place, dump_json(msgspec.to_builtins(approval)).encode())
    return approval, place


def approval_fault(content: bytes, plan: str, document: bytes, approvers: Mapping[str, str]) -> str:
    """Why an approval does not approve a plan with this document; empty if it does."""
    try:
        approval = convert(parse_json(content, where="approval"), Approval)
    except InvalidInput as error:
        return f"its approval cannot be read: {error.problems[0].what}"
    except msgspec.ValidationError:
        return "its approval cannot be read: it is no approval"
    if approval.plan != plan or approval.sha256 != sha256(document).hexdigest():
        return "it was changed after it was approved"
    if approval.key not in approvers.values():
        return "it is approved with a key that the policy of the base does not list under [check.approvers]"
    if not is_signed(_statement(approval.plan, approval.sha256), approval.key, approval.signature):
        return "the signature of its approval is false"
    return ""


def _statement(plan: str, digest: str) -> str:
    """What is signed. An event's hash has no spaces, so neither signature can be taken for the other."""
    return f"approval {plan} sha256:{digest}"


def plans_in_registry(team: Team) -> KnownPlans:
    """All plans of a project, with what each may write."""
    policy, _ = team.rules()
    extents = []
    for plan in team.list():
        intent = parse_document(plan.document.encode(), IntentDocument, where=plan.plan_id)
        writes, locks = map(tuple, extent_of(intent, policy))
        extents.append(PlanExtent(plan.plan_id, intent.title, plan.holder, plan.state, plan.lease_until, writes, locks))
    return KnownPlans(tuple(extents), policy)


def plans_at_base(tree: str, base: str, folder: str) -> KnownPlans:
    """The plans in a folder of the base, by the policy there: active if they are approved there, by their status or by the
    signature of an approver whom the policy lists. InvalidInput if one of them is not a plan."""
    inside = folder.strip("/") + "/"
    names = set(names_in(git(tree, "ls-tree", "-r", "--name-only", "-z", base, "--", inside)))

    def content_of(name: str) -> bytes:
        return git(tree, "cat-file", "blob", f"{base}:{name}")

    policy = BUILT_IN
    if f"{inside}{POLICY_FILE}" in names:
        policy = parse_policy(content_of(f"{inside}{POLICY_FILE}"), where=f"{base[:12]}:{inside}{POLICY_FILE}")
    extents, faults = [], {}
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
        extents.append(PlanExtent(intent.id, intent.title, by, state, 0, tuple(writes), tuple(locks)))
    return KnownPlans(tuple(extents), policy, faults)


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
                remedy="have a person approve it, or name another plan"
                if why
                else did_you_mean(name, known.granted_ids()),
            )
        chosen.append(plan)
    return chosen


def _is_plan(name: str) -> bool:
    file = PurePosixPath(name).name
    if not file.startswith("intent_") or file.startswith("intent_set_"):
        return False
    return file.endswith(".json") and not file.endswith(ENDING)
