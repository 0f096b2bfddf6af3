"""Who makes a request: what the client says of its session, or else what the transport and the process know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.agents.identity import AgentIdentity, clean_id, new_session

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

SESSION_HEADER = "mcp-session-id"
"""The header by which HTTP clients of the older revisions name their session."""
PASSING = "once-"
"""How the session of a caller begins of whom nothing is known: it lasts for one request."""


class Callers:
    """Tells callers apart. `session` is that of the whole process, where one process serves one agent; empty otherwise.

    What a client says of itself is trusted: it can claim to be another session, as it can write to the database.
    Where nothing is known, every request is a caller by itself: it owns what it claims by the token alone, and never
    shares a grant by mistake.
    """

    def __init__(self, name: str, session: str = "") -> None:
        self.name = name
        self.session = session

    def identify(self, context: Context[Any, Any]) -> AgentIdentity:
        """The agent that makes this request."""
        said = context.request_context.meta or {}
        session, thread = clean_id(said.get("sessionId")), clean_id(said.get("threadId"))
        if not session:
            header = (context.headers or {}).get(SESSION_HEADER)
            session, thread = self.session or clean_id(header) or PASSING + new_session(), ""
        return AgentIdentity(self.name, session, thread if thread != session else "")


def may_act(caller: AgentIdentity, holder: str) -> bool:
    """Whether a caller may use the token of a holder's plan: its own session's, or any passing one's if it is passing.

    >>> ann = AgentIdentity("ann", "s1", "sub_2")
    >>> may_act(ann, "ann@s1"), may_act(ann, "ann@s10"), may_act(ann, "bob@s2")
    (True, False, False)
    """
    name, _, session = holder.partition("@")
    session = session.partition("/")[0]
    if caller.session.startswith(PASSING):
        return session.startswith(PASSING)
    return (name, session) == (caller.name, caller.session)
