"""`volition team`: register plans before work starts, keep the grant, end it, and see who works on what."""

from __future__ import annotations

import click

from volition.cli.team.people import grants, join, key, members, role, settings
from volition.cli.team.plans import (
    finish,
    history,
    list_plans,
    me,
    register,
    release,
    renew,
    revise,
    show,
    why,
    withdraw,
    work,
)
from volition.cli.team.upkeep import archive, backup, migrate, restore, verify_archive, watch, worker

__all__ = ["team"]


@click.group()
def team() -> None:
    """Register plans before work starts: each is judged against everything that others are working on.

    \b
    Examples:
      volition team register intent_add_logging.json --holder ann --registry team.db
      volition team list --registry team.db
    """


for _command in (
    register, revise, renew, finish, withdraw, release, me, work, list_plans, show, why, history,
    watch, worker, backup, restore, archive, verify_archive, migrate, members, join, role, settings, key, grants,
):  # fmt: skip
    team.add_command(_command)
