"""The members of a project: who joins, who may do what, and whose key is whose; and another key for this user.

Rotating the own key may be interrupted anywhere. The next key is written to its file first; then every name gets it, by an event
that the present key signs; and only when all of them have it, the file of the next key takes the place of the present one. Whoever
calls again finishes what was begun: names that have the next key already are left as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from volition.core.errors import refuse
from volition.core.signing import adopt_next, key_file, next_key
from volition.core.typed import DataStruct
from volition.workflow.law.members import REVOKED, settings_of
from volition.workflow.store.database import list_projects
from volition.workflow.store.rows import MemberRow
from volition.workflow.store.sql_rows import SqlRows
from volition.workflow.store.tables import EVENT, MEMBER
from volition.workflow.team.team import Team

if TYPE_CHECKING:
    from collections.abc import Collection

    from volition.workflow.store.database import Store


class Member(DataStruct, frozen=True):
    """Somebody with a name in a project; `key` is empty until the first act, and `revoked` until there is another one."""

    name: str
    role: str
    key: str


class Members:
    """The members of a team's project. The first who acts in a project is its keeper."""

    def __init__(self, team: Team) -> None:
        self.team = team

    def list(self) -> tuple[Member, ...]:
        """All members, by their names."""
        with self.team.store.read() as connection:
            rows = SqlRows(connection, self.team.project).all(MemberRow)
        return tuple(Member(row.name, row.role, row.public_key) for row in rows)

    def settings(self) -> dict[str, str]:
        """Whether people may approve their own plans, and what newcomers may do."""
        with self.team.store.read() as connection:
            project = settings_of(SqlRows(connection, self.team.project))
        return {"own_approval": project.own_approval, "newcomers": project.newcomers}

    def join(self, name: str) -> None:
        """Join the project with the role of newcomers; joining again changes nothing."""
        with self.team.transaction() as transaction:
            transaction.admit(name)

    def give_role(self, name: str, role: str, by: str) -> None:
        """Give `name` a role, as the keeper `by`; a new name is added."""
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


def signing_keys(store: Store, names: Collection[str]) -> dict[str, set[str]]:
    """Name -> the keys that it has or had in every project of a registry that knows the name, without those that were revoked.

    A key that was replaced is still the name's: what it signed stays valid. A key that a name has in some projects only is not:
    anybody may begin a project, and in any name. Of events that are in an archive nothing is known.
    """
    signed = select(EVENT.c.project, EVENT.c.actor, EVENT.c.signer, func.max(EVENT.c.seq).label("last"))
    signed = signed.where(EVENT.c.actor.in_(names)).group_by(EVENT.c.project, EVENT.c.actor, EVENT.c.signer)
    revoked = select(EVENT.c.project, EVENT.c.subject, func.max(EVENT.c.seq).label("last"))
    revoked = revoked.where(EVENT.c.what == "key revoked", EVENT.c.subject.in_(names))
    by_project: dict[tuple[str, str], set[str]] = {}
    with store.read() as connection:
        ended = connection.execute(revoked.group_by(EVENT.c.project, EVENT.c.subject))
        ends = {(row.project, row.subject): row.last for row in ended}
        for row in connection.execute(signed):
            keys = by_project.setdefault((row.project, row.actor), set())
            if row.last > ends.get((row.project, row.actor), 0):
                keys.add(row.signer)
        for row in connection.execute(select(MEMBER).where(MEMBER.c.name.in_(names))):
            if row.public_key:
                by_project.setdefault((row.project, row.name), set()).update({row.public_key} - {REVOKED})
    common: dict[str, set[str]] = {}
    for (_, name), keys in by_project.items():
        common[name] = common.get(name, keys) & keys
    return common


class Rotation(DataStruct, frozen=True):
    """What was done: the public key that was replaced, the one that is used now, where the old private key is kept, and the names
    that have the new one, with their projects."""

    before: str
    public: str
    kept: str
    names: tuple[tuple[str, str], ...]

    def to_data(self) -> dict[str, Any]:
        return super().to_data() | {"names": [{"project": project, "name": name} for project, name in self.names]}

    def __str__(self) -> str:
        lines = [f"  {name} in {project}" for project, name in self.names]
        return "\n".join([self.public, *lines, f"  the old private key is kept in {self.kept}"])


def rotate_own_key(store: Store) -> Rotation:
    """Replace the key of this user. What the old key has signed stays valid; from then on it signs nothing here."""
    file = key_file()
    old, new = store.signer.public, next_key(file).public
    names = []
    for project in list_projects(store):
        members = Members(Team(store, project))
        for member in members.list():
            if member.key == old:
                members.change_key(member.name, new, member.name)
            if member.key in {old, new}:
                names.append((project, member.name))
    if not names:
        refuse(
            f"no name belongs to your key {old[:16]}...",
            where=str(store.address),
            expected="a registry in which you have done something",
            remedy="name another registry",
        )
    return Rotation(old, new, str(adopt_next(file)), tuple(names))
