"""The projects of a registry, and the one to use: the one that was named, or the only one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from volition.core.errors import did_you_mean, refuse
from volition.workflow.store.tables import PROJECT

if TYPE_CHECKING:
    from volition.workflow.store.database import Store

VARIABLE: Final = "VOLITION_PROJECT"
"""The environment variable that names the project where none is given."""


def list_projects(store: Store) -> list[str]:
    """The projects of a registry, in order of their names."""
    with store.read() as connection:
        return sorted(connection.execute(select(PROJECT.c.project)).scalars())


def chosen_project(store: Store, given: str | None) -> str:
    """The project that was given, or that the environment names, or the only one in the registry; it must exist."""
    known = list_projects(store)
    name = given or os.environ.get(VARIABLE, "") or (known[0] if len(known) == 1 else "")
    if name in known:
        return name
    return refuse(
        f"there is no project {name!r}" if name else f"{len(known)} projects are registered, and none is named",
        where=str(store.address),
        expected="a project of this registry, which registering its first plan makes",
        remedy=did_you_mean(name, known) if known else "register a plan: volition team register PLAN.json",
    )
