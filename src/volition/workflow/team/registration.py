"""What registering a plan leads to: a grant, a place in line, or a refusal with its evidence and the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from volition.core.typed import DataStruct
from volition.governance import IntentDocument, Policy, evaluate, gather
from volition.governance.documents.intent_set import SET_LIMIT, Env
from volition.governance.live.index import Collision
from volition.workflow.law.plans import is_grave
from volition.workflow.store.events import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.governance.live.index import Collision
    from volition.workflow.store.rows import RegisteredPlan


JUDGEMENTS: Final = ("1",)
"""All versions of the rules by which plans are compared and judged together, oldest first: there is another one when it would
see other collisions, or lead to another graph."""
JUDGEMENT: Final = JUDGEMENTS[-1]


class Grant(Struct, frozen=True):
    """The right of an active plan to everything that it claims, until its lease ends.

    The token rises with every grant and is never given twice; executors that know it refuse a lower one.
    """

    plan_id: str
    token: int
    lease_until: int


class Obstacle(DataStruct, frozen=True):
    """Something that a plan collides with, what the evaluator says about it, and the ways out."""

    severity: str
    resource: str
    plans: tuple[str, ...]
    because: str
    evidence: tuple[str, ...]
    ways_out: tuple[str, ...]


class Registration(Struct, frozen=True):
    """How a registration ended: `granted` with a grant, `waiting` in line, or `refused`; of one that was only checked,
    `free` if it would be granted.

    `collisions` are everything that the plan meets, the mild ones too; `obstacles` explain the grave ones.
    """

    outcome: Literal["granted", "waiting", "refused", "free"]
    plan_id: str
    grant: Grant | None
    collisions: tuple[Collision, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    place: int = 0
    """The number of a waiting plan: it authorises like a token, and grants nothing."""
    repeated: bool = False
    """Whether the same holder had registered exactly this before, so that nothing was changed."""

    def to_data(self) -> dict[str, Any]:
        granted = self.grant and {"token": self.grant.token, "lease_until": self.grant.lease_until}
        return {
            "outcome": self.outcome,
            "plan_id": self.plan_id,
            "grant": granted,
            "place": self.place,
            "repeated": self.repeated,
            "collisions": [collision_data(each) for each in self.collisions],
            "obstacles": [each.to_data() for each in self.obstacles],
        }


def collision_data(collision: Collision) -> dict[str, Any]:
    """A collision as plain data."""
    data = {
        "rule": collision.rule, "severity": collision.severity, "resource": collision.resource,
        "plans": list(collision.intent_ids),
    }  # fmt: skip
    return data | {"in_order": True} if collision.in_order else data


PUT_IN_LINE: Final = "register it with --wait, and let a person decide: volition flow start"
"""The way out that there always is."""


def grave_collisions(collisions: Iterable[Collision]) -> list[Collision]:
    """The collisions for which a plan is not granted."""
    return [collision for collision in collisions if is_grave(collision)]


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
    conflicts = evaluate(gather([intent, *met], env=env), policy=policy).conflicts if met else ()
    by_resource = {
        conflict.resource_ref: conflict for conflict in reversed(conflicts) if intent.id in conflict.intent_ids
    }
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
