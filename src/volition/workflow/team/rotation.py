"""Another key for this user: in every name that is theirs, in every project of a registry, and then in their file.

The order makes it safe to be interrupted anywhere. The next key is written to its file first; then every name gets it, by an event that
the present key signs; and only when all of them have it, the file of the next key takes the place of the present one. Whoever
calls again finishes what was begun: names that have the next key already are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from volition.core.errors import refuse
from volition.workflow.store.projects import list_projects
from volition.workflow.store.signing import adopt_next, key_file, next_key
from volition.workflow.team.members import Members
from volition.workflow.team.team import Team

if TYPE_CHECKING:
    from volition.workflow.store.database import Store


@dataclass(frozen=True, slots=True)
class Rotation:
    """What was done: the public key that was replaced, the one that is used now, where the old private key is kept, and the names
    that have the new one, with their projects."""

    before: str
    public: str
    kept: str
    names: tuple[tuple[str, str], ...]

    def to_data(self) -> dict[str, Any]:
        names = [{"project": project, "name": name} for project, name in self.names]
        return {"before": self.before, "public": self.public, "kept": self.kept, "names": names}

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
