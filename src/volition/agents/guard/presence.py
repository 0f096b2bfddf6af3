"""Who is here: hooks note the session that they are asked about, servers note themselves, each with the processes above.

A client starts its hooks and its server, and tells only some of them which session they belong to. Both are below the
same client process, so each finds the other by it: the server has the session of its client's hooks, and a session has
what was claimed through the server of its client. Two clients in one worktree are two processes, and are never mixed.
Where processes cannot be seen, the only session of a worktree is taken to be the one that its server belongs to.

Theory of operation. Who is here is a folder of notes, one file each:

    session   written by the first hook of a session, and again where its worktrees or processes have changed
    server    written by a server when it starts, and removed when it ends

A note whose owner left it behind is removed when the next session begins, if its client has ended or it is older than
`FORGOTTEN`. Where processes cannot be seen, a session counts for `OLDEST` after its last note.
"""

from __future__ import annotations

import os
import time

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple, digest_of
from volition.agents.guard.processes import clients_above
from volition.agents.guard.setting import GuardFailure, read_object, write_object

if TYPE_CHECKING:
    from typing import Any, Final

FOLDER: Final = "present"
OLDEST: Final = 12 * 3600.0
"""Seconds for which a session counts as present where its client process cannot be seen."""
FORGOTTEN: Final = 30 * 86400.0
"""Seconds after which a note is removed."""
LAUNCHERS_SESSION: Final = "VOLITION_SESSION"
"""The environment variable in which a launcher names a session, for its hooks and its server."""
TRIAL: Final = "volition-doctor-trial"
"""The session of the doctor, which no server belongs to."""


class Presence(LeanTuple):
    """A session or a server: where it works, and the processes above it from its client on, the nearest first."""

    session: str
    trees: tuple[str, ...]
    above: tuple[str, ...]
    at: float
    """When it was last noted, by the clock of this machine."""
    is_server: bool = False
    process: int = 0
    """The process of a server."""

    def is_of(self, other: Presence) -> bool:
        """Whether a server and a session may belong together by their worktrees: one that is not known rules out nothing."""
        return not self.trees or not other.trees or bool({*self.trees} & {*other.trees})


def note_session(home: str, session: str, tree: str, *, again: bool) -> None:
    """Note that a session is at work in a worktree. `again`: also if nothing about it has changed, because the latest
    session of a client is the one that its server belongs to."""
    place = _place(home, f"session-{digest_of(session)}")
    known = _read(place)
    above = _above()
    trees = dict.fromkeys([*(known.trees if known else ()), *([tree] if tree else [])])
    if known is None:
        _forget_old(home)
    if again or known is None or known.above != above or known.trees != tuple(trees):
        _write(place, Presence(session, tuple(trees), above, time.time()))


def note_server(home: str, session: str, tree: str) -> None:
    """Note a server, and the session under which it claims if it does not find that of its client."""
    _write(
        _place(home, f"server-{os.getpid()}"),
        Presence(session, (tree,) if tree else (), _above(), time.time(), is_server=True, process=os.getpid()),
    )


def is_of_another_client(home: str, session: str) -> bool:
    """Whether a running client other than this process's has a server that claims under this session. Clients started from one
    terminal inherit the same name."""
    own = _above()
    return any(
        own and server.above and server.above[0] != own[0] and _is_running(server.above[0])
        for server in present(home, "server-")
        if server.session == session
    )


def drop_server(home: str, process: int) -> None:
    """Forget the server of a process."""
    _remove(_place(home, f"server-{process}"))


def drop_session(home: str, session: str) -> None:
    """Forget a session."""
    _remove(_place(home, f"session-{digest_of(session)}"))


def session_of_server(home: str, tree: str) -> str:
    """The session that this process's server belongs to; empty if that is not known."""
    own = Presence("", (tree,) if tree else (), _above(), time.time(), is_server=True)
    return choose_session(own, [session for session in present(home, "session-") if session.session != TRIAL])


def choose_session(server: Presence, sessions: list[Presence]) -> str:
    """The session that a server belongs to, among some; empty if that is not certain."""
    fitting = [session for session in sessions if server.is_of(session)]
    if near := [
        (distance, -session.at, session.session)
        for session in fitting
        if (distance := _distance(server, session)) is not None
    ]:
        return min(near)[2]
    unseen = {
        session.session
        for session in fitting
        if not (server.above and session.above) and server.at - session.at < OLDEST and session.trees
    }
    return unseen.pop() if len(unseen) == 1 and server.trees else ""


def sessions_of_servers(home: str, session: str) -> list[str]:
    """The sessions under which servers of a session's client claim, where they were not told this one."""
    own = _read(_place(home, f"session-{digest_of(session)}"))
    if own is None or not own.above:
        return []
    servers = [server for server in present(home, "server-") if server.session != session and server.is_of(own)]
    near = [(distance, server.session) for server in servers if (distance := _distance(server, own)) is not None]
    return sorted({name for distance, name in near if distance == min(near)[0]})


def present(home: str, kind: str = "") -> list[Presence]:
    """Everything that was noted, or only `session-` or `server-`."""
    folder = os.path.join(home, FOLDER)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    records = (_read(os.path.join(folder, name)) for name in names if name.startswith(kind) and name.endswith(".json"))
    return [record for record in records if record]


def _distance(server: Presence, session: Presence) -> int | None:
    """How far apart a server and a session's hooks are: 0, one client started both; more, the one's client is among the
    processes above the other; None, neither is. A client inside of another one's command is nearer to its own hooks."""
    if not server.above or not session.above:
        return None
    if server.above[0] in session.above:
        return session.above.index(server.above[0])
    if session.above[0] in server.above:
        return 1000 + server.above.index(session.above[0])
    return None


def _above() -> tuple[str, ...]:
    return tuple(process.mark for process in clients_above())


def _read(place: str) -> Presence | None:
    """A note; none if it cannot be read, because another process may be about to replace it."""
    try:
        data: dict[str, Any] = read_object(place) or {}
        return Presence(
            str(data["session"]), tuple(map(str, data["trees"])), tuple(map(str, data["above"])), float(data["at"]),
            data["is_server"] is True, int(data["process"]),
        )  # fmt: skip
    except (GuardFailure, KeyError, TypeError, ValueError):
        return None


def _write(place: str, presence: Presence) -> None:
    write_object(place, presence._asdict())


def _forget_old(home: str) -> None:
    """Remove the notes of clients that have ended, and where processes cannot be seen those that are old."""
    folder = os.path.join(home, FOLDER)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        place = os.path.join(folder, name)
        known = _read(place)
        if _age(place) > FORGOTTEN or (known is not None and known.above and not _is_running(known.above[0])):
            _remove(place)


def _is_running(mark: str) -> bool:
    """Whether a process has the number of a client; which one it is does not matter for forgetting."""
    try:
        os.kill(int(mark.partition(":")[0]), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        return True
    return True


def _age(place: str) -> float:
    """Seconds since a file was written; 0 if it is gone."""
    try:
        return time.time() - os.stat(place).st_mtime
    except OSError:
        return 0.0


def _remove(place: str) -> None:
    try:
        os.unlink(place)
    except OSError:  # another process was faster
        return


def _place(home: str, name: str) -> str:
    return os.path.join(home, FOLDER, f"{name}.json")
