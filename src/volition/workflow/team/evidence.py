"""Why a plan cannot be granted: the evaluator's account of each grave collision, and the ways out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from volition.governance import SET_LIMIT, Collision, Env, IntentDocument, Policy, evaluate, gather
from volition.workflow.law.plans import is_grave
from volition.workflow.team.registration import Obstacle, RegisteredPlan, collision_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.workflow.store.events import RecordedEvent


PUT_IN_LINE: Final = "register it with --wait, and let a person decide: volition flow start"
"""The way out that there always is."""


def grave_collisions(collisions: Iterable[Collision]) -> list[Collision]:
    """The collisions for which a plan is not granted."""
    return [collision for collision in collisions if is_grave(collision_data(collision))]


def obstacles_of(
    intent: IntentDocument,
    collisions: Sequence[Collision],
    others: Mapping[str, tuple[RegisteredPlan, IntentDocument]],
    policy: Policy,
    env: Env,
) -> tuple[Obstacle, ...]:
    """The obstacles of a plan, in the words of its evaluation together with the plans that it collides with.

    An evaluation takes at most `SET_LIMIT` plans; the first ones represent the rest.
    """
    grave = grave_collisions(collisions)
    near = sorted({name for collision in grave for name in collision.intent_ids})
    met = [others[name][1] for name in near[: SET_LIMIT - 1] if name in others]
    found = evaluate(gather([intent, *met], env=env), policy=policy).conflicts if met else ()
    by_resource = {conflict.resource_ref: conflict for conflict in reversed(found) if intent.id in conflict.intent_ids}
    obstacles = []
    for collision in grave:
        conflict = by_resource.get(collision.resource)
        because = (
            conflict.description if conflict and conflict.description else f"{collision.rule} on {collision.resource}"
        )
        holders = [others[name][0] for name in collision.intent_ids if name in others]
        obstacles.append(
            Obstacle(
                collision.severity,
                collision.resource,
                collision.intent_ids,
                because,
                conflict.evidence_refs if conflict else (),
                (*(_wait_for(plan) for plan in holders[:3]), PUT_IN_LINE),
            )
        )
    return tuple(obstacles)


def _wait_for(plan: RegisteredPlan) -> str:
    return f"wait for {plan.plan_id}, or ask {plan.holder}; its lease ends at {moment(plan.lease_until)}"


def moment(milliseconds: int) -> str:
    """A time of the database as people and documents write it.

    >>> moment(1_769_335_200_000)
    '2026-01-25T10:00:00Z'
    """
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def archive_text(event: RecordedEvent) -> str:
    """Where the first events of a project are, by the event that tells of the last archive."""
    said = event.body
    return f"archived through event {said['through']} on {moment(event.at)} in {said['file']}, sealed {said['seal']}"
