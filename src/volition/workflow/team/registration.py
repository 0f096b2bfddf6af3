"""What registering a plan leads to: a grant, a place in line, or a refusal with its evidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from volition.governance import Collision

PlanState: TypeAlias = Literal["active", "waiting", "finished", "withdrawn", "expired", "superseded"]
JUDGEMENTS: Final = ("1",)
"""All versions of the rules by which plans are compared and judged together, oldest first: there is another one when it would
see other collisions, or lead to another graph."""
JUDGEMENT: Final = JUDGEMENTS[-1]


@dataclass(frozen=True, slots=True)
class Grant:
    """The right of an active plan to everything that it claims, until its lease ends.

    The token rises with every grant and is never given twice; executors that know it refuse a lower one.
    """

    plan_id: str
    token: int
    lease_until: int


@dataclass(frozen=True, slots=True)
class RegisteredPlan:
    """A plan as the registry has it. `state` is by the database's clock: a lease that is over shows as expired."""

    plan_id: str
    checksum: str
    holder: str
    state: PlanState
    token: int
    seq: int
    lease_ms: int
    lease_until: int
    document: str

    def without_token(self) -> RegisteredPlan:
        """The plan as it is shown to anybody but its holder."""
        return replace(self, token=0)

    def to_data(self) -> dict[str, Any]:
        data = {key: value for key, value in asdict(self).items() if key != "document"}
        return data | {"token": self.token or None}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that a plan collides with, what the evaluator says about it, and the ways out."""

    severity: str
    resource: str
    plans: tuple[str, ...]
    because: str
    evidence: tuple[str, ...]
    ways_out: tuple[str, ...]

    def to_data(self) -> dict[str, Any]:
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Registration:
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
