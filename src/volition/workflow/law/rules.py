"""The rules of a project: the policy and the environment by which all of its plans are judged, and the plans as documents.

Rules are stored with the project, so that every process judges alike. They may be changed while no plan is open.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast, get_args

from msgspec.structs import replace

from volition.core.errors import did_you_mean, refuse
from volition.governance import BUILT_IN, Env, IntentDocument, IntentSet, Policy, parse_document, parse_policy
from volition.workflow.law.members import need_role, settings_of
from volition.workflow.law.states import OPEN_PLANS
from volition.workflow.store.rows import PlanRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import Rows


@lru_cache(maxsize=512)
def read_plan(document: str) -> IntentDocument:
    """A plan's document, whose checksum must fit its content."""
    return parse_document(document.encode(), IntentDocument)


def prerequisites_of(intent: IntentDocument) -> tuple[str, ...]:
    """The plans on which a plan depends."""
    return tuple(intent.metadata.depends_on) if intent.metadata else ()


def finished_among(rows: Rows, plan_ids: Iterable[str]) -> set[str]:
    """Those plans that are finished."""
    found = [rows.find(PlanRow, plan_id) for plan_id in plan_ids]
    return {plan.plan_id for plan in found if plan is not None and plan.state == "finished"}


def known_as_done(set_document: str) -> tuple[str, ...]:
    """What was finished when plans were first judged together: their questions were asked with this in mind."""
    given = parse_document(set_document.encode(), IntentSet) if set_document else None
    hints = given.metadata.merge_hints if given and given.metadata else None
    return tuple(hints.done) if hints else ()


@lru_cache(maxsize=64)
def rules_of(policy: str, env: str) -> tuple[Policy, Env]:
    """The policy that a TOML text states, the built-in one if it is empty; and the environment, checked."""
    if env and env not in get_args(Env):
        refuse(
            f"{env!r} is not an environment",
            where="env",
            expected="a known one",
            remedy=did_you_mean(env, get_args(Env)),
        )
    return (parse_policy(policy) if policy else BUILT_IN), cast("Env", env or "local")


def change_rules(rows: Rows, event: RecordedEvent) -> None:
    """Set the policy and the environment, while no plan is open: whoever is first, and then a keeper."""
    opened = sum(len(rows.all(PlanRow, state=state)) for state in OPEN_PLANS)
    project, body = settings_of(rows), event.body
    if opened:
        refuse(
            f"the {opened} open plans of {rows.project} are judged by other rules (policy {project.policy_hash[:12]}, {project.env})",
            where="policy and env",
            expected="the rules of the project, or none: they are stored with it",
            remedy="leave --policy and --env out, or change them while no plan is open",
        )
    if project.policy_hash:
        need_role(rows, event, "keeper")
    hash = rules_of(body["policy"], body["env"])[0].hash
    rows.put(replace(project, policy=body["policy"], policy_hash=hash, env=body["env"]))
