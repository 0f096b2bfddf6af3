"""Who an agent is: a name for people, and the session that tells two agents of one name apart.

A registry knows an agent as the holder `NAME@SESSION`, and a subagent as `NAME@SESSION/AGENT`. Neither the product's name
nor a branch identifies a session: two agents often share them. Only the standard library is used, because a hook
needs this too.
"""

from __future__ import annotations

import os

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple
from volition.agents.guard.presence import LAUNCHERS_SESSION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

SESSION_VARIABLES: Final = (LAUNCHERS_SESSION, "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "GEMINI_SESSION_ID")
"""Environment variables with the id of a session: the one that a launcher sets comes first, then those of clients."""
_LONGEST: Final = 128
_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")


class AgentIdentity(LeanTuple):
    """An agent: its name, its session, and which subagent of that session it is, if it is one.

    >>> AgentIdentity("ann", "01a1").holder, AgentIdentity("ann", "01a1", "sub_2").holder
    ('ann@01a1', 'ann@01a1/sub_2')
    """

    name: str
    session: str
    agent: str = ""

    @property
    def holder(self) -> str:
        """The agent as a registry knows it."""
        return f"{self.name}@{self.session}" + (f"/{self.agent}" if self.agent else "")


def clean_id(given: Any) -> str:
    """An id that somebody else made, as it is if it is short and plain, and otherwise as its hash; empty if there is none.

    >>> clean_id("01a1"), clean_id(None), len(clean_id("a b" * 1000))
    ('01a1', '', 32)
    """
    if given is None or given == "":
        return ""
    text = str(given)
    if len(text) <= _LONGEST and _PLAIN.issuperset(text):
        return text
    from hashlib import sha256

    return sha256(text.encode(errors="replace")).hexdigest()[:32]


def session_from(environment: Mapping[str, str] = os.environ) -> str:
    """The session that the environment names; empty if it names none."""
    return next((clean_id(environment[name]) for name in SESSION_VARIABLES if environment.get(name)), "")


def new_session() -> str:
    """A session that nobody else has."""
    return os.urandom(8).hex()
