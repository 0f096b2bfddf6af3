"""Cursor: preToolUse, postToolUse, beforeShellExecution, stop and sessionStart; answers are JSON too."""

from __future__ import annotations

import json

from volition.agents.guard.clients.common import OBJECTION, SERVER, HookClient, tool_event
from volition.agents.guard.event import HookAnswer, HookEvent, Kind, MalformedEvent, Moment, object_at, text_at
from volition.agents.guard.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Final

MOMENTS: Final[dict[str, Moment]] = {
    "preToolUse": "before",
    "beforeShellExecution": "before",
    "postToolUse": "after",
    "postToolUseFailure": "after",
    "afterShellExecution": "after",
    "sessionStart": "start",
    "subagentStart": "start",
    "stop": "end",
    "subagentStop": "end",
}
TOOLS: Final[dict[str, tuple[Kind, str]]] = {
    "Write": ("write", "file_path"),
    "Edit": ("write", "file_path"),
    "Delete": ("write", "file_path"),
    "Shell": ("shell", "command"),
    **dict.fromkeys(("Read", "Grep", "Glob", "LS", "Task", "WebFetch", "WebSearch", "TodoWrite"), ("read", "")),
}
SERVERS: Final = ("MCP:", "MCP:volition:", "MCP:volition/", SERVER)
"""What Cursor puts before a tool of our server; it does not always name the server."""
_SHELL: Final = frozenset({"beforeShellExecution", "afterShellExecution"})


class CursorClient(HookClient):
    """Cursor: the session is its conversation, and the folder the first of the workspace if the event names none."""

    def read(self, data: Any) -> HookEvent:
        moment = self.moment_of(data)
        roots = data.get("workspace_roots")
        folder = data.get("cwd") or (roots[0] if isinstance(roots, list) and roots else "")
        if not isinstance(folder, str) or not folder:
            raise MalformedEvent("neither cwd nor workspace_roots names a folder")
        who = text_at(data, "conversation_id"), text_at(data, "agent_id", default=""), folder
        if moment in {"start", "end"}:
            loops = data.get("loop_count", 0)
            return HookEvent(moment, *who, again=isinstance(loops, int) and loops > 0)
        if data["hook_event_name"] in _SHELL:
            return tool_event(moment, who, "Shell", data, TOOLS)
        return tool_event(moment, who, text_at(data, "tool_name"), object_at(data, "tool_input"), TOOLS, SERVERS)

    def answer(self, moment: Moment, objection: str) -> HookAnswer:
        """Before a call: a permission, and exit code 2 for a denial. At the end: a message that the agent goes on with."""
        if not objection:
            return HookAnswer(0, out='{"permission": "allow"}' if moment == "before" else "{}")
        if moment == "before":
            said = {"permission": "deny", "user_message": objection, "agent_message": objection}
            return HookAnswer(OBJECTION, out=json.dumps(said), err=objection)
        if moment == "end":
            return HookAnswer(0, out=json.dumps({"followup_message": objection}))
        return HookAnswer(OBJECTION, out=json.dumps({"additional_context": objection}), err=objection)


CLIENT: Final = CursorClient(MOMENTS, TOOLS)
