"""Who makes a request: what the client says of its session, or else what the transport and the process know."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from volition.agents.guard.place import tree_around, worktrees_of
from volition.agents.guard.presence import (
    LAUNCHERS_SESSION,
    drop_server,
    is_of_another_client,
    note_server,
    session_of_server,
)
from volition.agents.guard.sessions import Identity, clean_id, new_session, session_from
from volition.agents.guard.setting import GuardFailure, read_setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import Context

SESSION_HEADER: Final = "mcp-session-id"
"""The header by which HTTP clients of the older revisions name their session."""
PASSING = "once-"
"""How the session of a caller begins of whom nothing is known: it lasts for one request."""


class Callers:
    """Tells callers apart. `session` is that of the whole process, where one process serves one agent, or finds
    it at each request; empty otherwise.

    What a client says of itself is trusted: it can claim to be another session, as it can write to the database.
    Where nothing is known, every request is a caller by itself: it owns what it claims by the token alone, and never
    shares a grant by mistake.
    """

    def __init__(self, name: str, session: str | Callable[[], str] = "") -> None:
        self.name = name
        self.session = session

    def identify(self, context: Context[Any, Any]) -> Identity:
        """The agent that makes this request."""
        meta = context.request_context.meta or {}
        session, thread = clean_id(meta.get("sessionId")), clean_id(meta.get("threadId"))
        if not session:
            header = (context.headers or {}).get(SESSION_HEADER)
            known = self.session if isinstance(self.session, str) else self.session()
            session, thread = known or clean_id(header) or PASSING + new_session(), ""
        return Identity(session, thread if thread != session else "", self.name)


def may_act(caller: Identity, holder: str) -> bool:
    """Whether a caller may use the token of a holder's plan: its own session's, or any passing one's if it is passing.

    >>> ann = Identity("s1", "sub_2", "ann")
    >>> may_act(ann, "ann@s1"), may_act(ann, "ann@s10"), may_act(ann, "bob@s2")
    (True, False, False)
    """
    name, _, session = holder.partition("@")
    session = session.partition("/")[0]
    if caller.session.startswith(PASSING):
        return session.startswith(PASSING)
    return (name, session) == (caller.name, caller.session)


class PipeSession:
    """The session of the agent at the other end of this process's pipes, asked for at each request.

    What a launcher said counts first. Then the guard is asked which session the hooks of the same client belong to:
    clients tell their servers of another session, or of none. The last resort is a session of this process, which the
    guard learns from here; once something was done under it, it stays.
    """

    def __init__(self, session: str = "", guard: str = "") -> None:
        self._told = session or clean_id(os.environ.get(LAUNCHERS_SESSION))
        self._own = session_from() or new_session()
        self._guard, self._is_used = guard, False
        self._tree = self._find_tree()

    def find(self) -> str:
        """The session, as far as it is known by now."""
        if self._told or self._is_used:
            return self._told or self._own
        session = clean_id(session_of_server(self._guard, self._tree)) if self._guard else ""
        self._is_used = not session
        return session or self._own

    def announce(self) -> None:
        """Let the guard know of this server; without a guard nobody asks."""
        if self._guard:
            note_server(self._guard, self._told or self._own, self._tree)
            # Noted first, checked second: of two servers that start at once, at least one sees the other.
            if not self._told and is_of_another_client(self._guard, self._own):
                self._own = new_session()
                note_server(self._guard, self._own, self._tree)

    def leave(self) -> None:
        """Let the guard know that this server has ended, unless something was claimed under its name."""
        if self._guard and not self._is_used and not self._told:
            drop_server(self._guard, os.getpid())

    def _find_tree(self) -> str:
        """The worktree in which the client started this process; empty if it is in none."""
        try:
            return tree_around(str(Path.cwd()), worktrees_of(read_setting(self._guard))) if self._guard else ""
        except (GuardFailure, OSError):
            return ""
