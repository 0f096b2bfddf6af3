"""Gemini CLI: BeforeTool, AfterTool, AfterAgent and SessionStart; tools write_file, replace and run_shell_command.

Without a reason on stderr Gemini CLI would run the call.
"""

from __future__ import annotations

import os.path

from volition.agents.guard.clients.common import SERVER, HookClient
from volition.agents.guard.event import HookEvent, Kind, Moment, text_at
from volition.agents.guard.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Final

MOMENTS: Final[dict[str, Moment]] = {
    "BeforeTool": "before",
    "AfterTool": "after",
    "SessionStart": "start",
    "AfterAgent": "end",
}
_READS: Final = (
    "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search", "web_fetch",
    "google_web_search", "write_todos",
)  # fmt: skip
TOOLS: Final[dict[str, tuple[Kind, str]]] = {
    "write_file": ("write", "file_path"),
    "replace": ("write", "file_path"),
    "run_shell_command": ("shell", "command"),
    **dict.fromkeys(_READS, ("read", "")),
}


class GeminiClient(HookClient):
    """Gemini CLI, whose commands may name the folder that they run in."""

    def read(self, data: Any) -> HookEvent:
        event = super().read(data)
        if event.kind != "shell" or event.moment != "before":
            return event
        given = data["tool_input"]
        inner = next((text_at(given, key) for key in ("dir_path", "directory") if given.get(key)), "")
        return event._replace(folder=os.path.join(event.folder, inner)) if inner else event


CLIENT: Final = GeminiClient(MOMENTS, TOOLS, ("mcp_volition_", SERVER))
