"""What a client says about one call of a tool, in the words of the guard, whichever client it was."""

from __future__ import annotations

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple

if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias


Moment: TypeAlias = 'Literal["start", "before", "after", "end"]'
"""A session or subagent begins; a tool is about to run; a tool has run; the agent is about to stop."""
Kind: TypeAlias = 'Literal["read", "write", "shell", "patch", "plan", "unknown"]'
"""What is known of a tool: it changes nothing, names its files, runs a command line, applies a patch, talks to the
registry, or anything may happen."""


class MalformedEvent(ValueError):
    """The input is not what the client documents, so nothing can be judged."""


class HookEvent(LeanTuple):
    """One event of a session. `files` are the paths that the tool names, relative to `folder`; `text` is its command
    line or patch; `again` says that the agent was sent back at its end before."""

    moment: Moment
    session: str
    agent: str
    folder: str
    tool: str = ""
    kind: Kind = "unknown"
    files: tuple[str, ...] = ()
    text: str = ""
    again: bool = False


class HookAnswer(LeanTuple):
    """What the hook prints, and the exit code: 0 for no objection, 2 for an objection with its reason."""

    code: int
    out: str = ""
    err: str = ""


def text_at(data: Any, key: str, *, default: str | None = None) -> str:
    """The text under a key of an object; without a default it has to be there."""
    value = data.get(key, default) if isinstance(data, dict) else None
    if not isinstance(value, str) or (default is None and not value):
        raise MalformedEvent(f"{key} is {type(value).__name__}, expected a text")
    return value


def object_at(data: Any, key: str) -> dict[str, Any]:
    """The object under a key."""
    value = data.get(key) if isinstance(data, dict) else None
    if not isinstance(value, dict):
        raise MalformedEvent(f"{key} is {type(value).__name__}, expected an object")
    return value
