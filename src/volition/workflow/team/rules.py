"""The rules of a project: the policy and the environment by which all of its plans are judged.

They are stored with the project, so that every process judges alike. They may be set while no plan is open.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast, get_args

from sqlalchemy import func, select

from volition.core.errors import did_you_mean, refuse
from volition.governance import BUILT_IN, Env, Policy, parse_policy
from volition.workflow.store.tables import PLAN
from volition.workflow.team.registration import OPEN

if TYPE_CHECKING:
    from volition.workflow.store.turn import Turn


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


def settle_rules(turn: Turn, policy: str | None, env: str | None, by: str) -> None:
    """Set the project's rules where that was asked for and is allowed; None keeps what is there."""
    wanted = (turn.policy if policy is None else policy, (turn.env or "local") if env is None else env)
    hash = rules_of(*wanted)[0].hash
    if (hash, wanted[1]) == (turn.policy_hash, turn.env):
        return
    opened = select(func.count()).where(PLAN.c.project == turn.project, PLAN.c.state.in_(OPEN))
    count = turn.connection.execute(opened).scalar_one()
    if count:
        refuse(
            f"the {count} open plans of {turn.project} are judged by other rules (policy {turn.policy_hash[:12]}, {turn.env})",
            where="policy and env",
            expected="the rules of the project, or none: they are stored with it",
            remedy="leave --policy and --env out, or change them while no plan is open",
        )
    turn.policy, turn.policy_hash, turn.env = wanted[0], hash, wanted[1]
    turn.record("rules", turn.project, by, policy_hash=hash, env=wanted[1])
