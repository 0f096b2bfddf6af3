"""Gemini CLI: BeforeTool, AfterTool, AfterAgent and SessionStart; tools write_file, replace and run_shell_command."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING, Any, Final

from volition.agents.guard.clients.common import answer_by_exit_code, read_event
from volition.agents.guard.event import text_at

if TYPE_CHECKING:
    from volition.agents.guard.event import HookAnswer, HookEvent, Kind, Moment

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


def read(data: Any) -> HookEvent:
    """The event that Gemini CLI sent; a command may name the folder that it runs in."""
    event = read_event(data, MOMENTS, TOOLS)
    if event.kind != "shell" or event.moment != "before":
        return event
    given = data["tool_input"]
    inner = next((text_at(given, key) for key in ("dir_path", "directory") if given.get(key)), "")
    return event._replace(folder=os.path.join(event.folder, inner)) if inner else event


def answer(moment: Moment, objection: str) -> HookAnswer:
    """Exit code 2 with a reason on stderr; without one Gemini CLI would run the call."""
    return answer_by_exit_code(objection)
