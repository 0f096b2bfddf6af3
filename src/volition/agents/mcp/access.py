"""A team's registry as a server uses it: opened when it is first needed, by one thread at a time, and never silently
replaced by another.

A file that was removed stays open in the process that had it, so claims would go where nobody sees them. Before and
after every use the file must be the one that was opened.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from volition.core.errors import MissingPart, refuse
from volition.core.signing import agents_signer
from volition.workflow import Store, Team
from volition.workflow.store.database import chosen_project, database_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection

    from volition.workflow.store.address import StoreAddress


class TeamAccess:
    """The team at an address. `project` is the project's name, which the first claim makes; empty for the only one.

    `clock` is that of the store, for tests.
    """

    def __init__(
        self, address: StoreAddress, project: str = "", *, clock: Callable[[Connection], int] | None = None
    ) -> None:
        self.address = address
        self.project = project
        self._clock = clock
        self._lock = Lock()
        self._team: Team | None = None
        self._file: tuple[int, int] | None = None

    @contextmanager
    def use(self, *, new: bool = False) -> Iterator[Team]:
        """The team, for the block; with `new`, a registry that never was is made."""
        with self._lock:
            team = self._open(new=new)
            yield team
            if self._file is not None and self._find() != self._file:
                raise _registry_gone(self.address)

    def now(self, team: Team) -> int:
        """The time by the registry's clock."""
        with team.store.read() as connection:
            return team.store.clock(connection)

    def close(self) -> None:
        """Close the registry; the next use opens it again."""
        if self._team is not None:
            self._team.store.close()
            self._team = None

    def _open(self, *, new: bool) -> Team:
        file = self._find()
        if self.address.kind == "sqlite":
            if file is None and self._file is not None:
                self.close()
                raise _registry_gone(self.address)
            if file is None and not new:
                refuse(
                    "there is no registry yet",
                    where=str(self.address),
                    expected="a registry",
                    remedy="claim a plan, which makes it; or check the path that the server was started with",
                )
        if self._team is not None and file == self._file:
            return self._team
        self.close()
        # Never with the key of a person: an agent's acts are known by theirs.
        store = Store(self.address, new=new, clock=self._clock or database_clock, signer=agents_signer)
        try:
            self._team = Team(store, self.project or chosen_project(store, None))
        except BaseException:
            store.close()
            raise
        self._file = self._find()
        return self._team

    def _find(self) -> tuple[int, int] | None:
        """Which file is at the address; None if there is none, or if it is not a file."""
        if self.address.kind != "sqlite":
            return None
        try:
            status = Path(self.address.place).stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


def _registry_gone(address: StoreAddress) -> MissingPart:
    return MissingPart.of(
        "the registry is gone: its file was removed while the server ran",
        where=str(address),
        expected="the file that the server had opened",
        remedy="restore it from a copy and try again; what was claimed is not known until then, so do not write",
    )
