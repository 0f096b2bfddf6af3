"""A registry as a command opens it: its store, the team of a project, and what of it a viewer is shown and may act with."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from volition.cli.entitled import agent_at, check_plan, names_of_viewer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.workflow import Store, Team
    from volition.workflow.store.events import RecordedEvent


@contextmanager
def open_store(registry: str | None, *, new: bool = False) -> Iterator[Store]:
    """The registry, while the block runs; `new` if it need not exist yet."""
    from volition.core.extras import require
    from volition.workflow.store.address import chosen_address

    address = chosen_address(registry)
    require("sqlalchemy", "cryptography")
    if address.kind == "postgresql":
        require("psycopg")
    from volition.core.signing import agents_signer, own_signer
    from volition.workflow import Store

    with Store(address, new=new, signer=agents_signer if agent_at(address.place) else own_signer) as store:
        yield store


@contextmanager
def open_team(
    registry: str | None, project: str | None, *, policy: str | None = None, env: str | None = None, new: bool = False
) -> Iterator[Team]:
    """The team of a project, while the block runs; `new` if the project need not exist yet."""
    with open_store(registry, new=new) as store:
        from volition.workflow import Team
        from volition.workflow.store.database import chosen_project

        name = project if new and project else chosen_project(store, project)
        yield Team(store, name, policy=policy, env=env)


def shown_event(team: Team, event: RecordedEvent) -> RecordedEvent:
    """An event as it is shown: to an agent, without the numbers under which others act."""
    from msgspec.structs import replace

    session = agent_at(team.store.address.place)
    if session is None or session.is_own(event.actor):
        return event
    return replace(
        event, body={name: value for name, value in event.body.items() if name not in {"token", "revises", "fence"}}
    )


def held_token(team: Team, plan_id: str, by: str, token: int | None) -> int:
    """The token that was given, or that of the newest grant of a plan that is one's own. The law checks name, key and token;
    an agent acts on its own plans alone, whatever token it gives."""
    is_agents = check_plan(team, plan_id, by)
    if token is not None:
        return token
    plan = team.show(plan_id)
    if is_agents:
        return plan.token
    if plan.holder != by:
        from volition.workflow.law.plans import not_held

        remedy = f"say who you are with --by, or give the token: only {plan.holder} holds it"
        raise not_held(plan_id, f"the plan is held by {plan.holder}, and not by {by}", remedy)
    return plan.token


def is_viewer(team: Team) -> Callable[[str], bool]:
    """Whether a holder is whoever looks at a team, by --holder's variable or the name of the user."""
    import getpass
    import os

    return names_of_viewer(team.store.address.place, os.environ.get("VOLITION_HOLDER") or getpass.getuser())
