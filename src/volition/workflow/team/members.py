"""The members of a project: who joins, who may do what, and whose key is whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from volition.workflow.store.rows import MemberRow
from volition.workflow.store.tables import PROJECT, TABLES

if TYPE_CHECKING:
    from volition.workflow.team.team import Team


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody with a name in a project; `key` is empty until the first act, and `revoked` until there is another one."""

    name: str
    role: str
    key: str

    def to_data(self) -> dict[str, Any]:
        return {"name": self.name, "role": self.role, "key": self.key}


class Members:
    """The members of a team's project. The first who acts in a project is its keeper."""

    def __init__(self, team: Team) -> None:
        self.team = team

    def list(self) -> tuple[Member, ...]:
        """All members, by their names."""
        table = TABLES[MemberRow]
        with self.team.store.read() as connection:
            rows = connection.execute(
                select(table).where(table.c.project == self.team.project).order_by(table.c.name)
            ).all()
        return tuple(Member(row.name, row.role, row.public_key) for row in rows)

    def settings(self) -> dict[str, str]:
        """Whether people may approve their own plans, and what newcomers may do."""
        wanted = select(PROJECT.c.own_approval, PROJECT.c.newcomers).where(PROJECT.c.project == self.team.project)
        with self.team.store.read() as connection:
            found = connection.execute(wanted).one()
        return {"own_approval": found.own_approval, "newcomers": found.newcomers}

    def join(self, name: str) -> None:
        """Join the project with the role of newcomers; joining again changes nothing."""
        with self.team.transaction() as transaction:
            transaction.admit(name)

    def give_role(self, name: str, role: str, by: str) -> None:
        """Give somebody a role, as a keeper; somebody new is added."""
        with self.team.transaction() as transaction:
            transaction.record("role", name, by, role=role)

    def change_key(self, name: str, public: str, by: str) -> None:
        """Give a name another key: one's own, or as a keeper. What was signed before stays valid."""
        with self.team.transaction() as transaction:
            transaction.record("key", name, by, key=public)

    def revoke_key(self, name: str, by: str) -> None:
        """Take its key from a name: nobody acts in it until a keeper gives it another one."""
        with self.team.transaction() as transaction:
            transaction.record("key revoked", name, by)

    def change_settings(self, by: str, *, own_approval: str | None = None, newcomers: str | None = None) -> None:
        """Say whether people approve their own plans, and what newcomers may do, as a keeper; None keeps what is there."""
        with self.team.transaction() as transaction:
            known = transaction.settings
            transaction.record(
                "settings", self.team.project, by,
                own_approval=own_approval or known.own_approval, newcomers=newcomers or known.newcomers,
            )  # fmt: skip
