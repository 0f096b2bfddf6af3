"""Codex: PreToolUse, PostToolUse, Stop and SessionStart; tools Bash (for `exec_command`) and apply_patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.agents.guard.clients.common import answer_by_exit_code, read_event

if TYPE_CHECKING:
    from volition.agents.guard.event import HookAnswer, HookEvent, Kind, Moment

MOMENTS: Final[dict[str, Moment]] = {
    "PreToolUse": "before",
    "PostToolUse": "after",
    "SessionStart": "start",
    "SubagentStart": "start",
    "Stop": "end",
    "SubagentStop": "end",
}
TOOLS: Final[dict[str, tuple[Kind, str]]] = {
    "Bash": ("shell", "command"),
    "apply_patch": ("patch", "command"),
    **dict.fromkeys(
        ("update_plan", "view_image", "web_search", "tool_search", "spawn_agent", "multi_agent_v1wait_agent"),
        ("read", ""),
    ),
}


def read(data: Any) -> HookEvent:
    """The event that Codex sent; `workdir` of a command arrives as `cwd`."""
    return read_event(data, MOMENTS, TOOLS)


def answer(moment: Moment, objection: str) -> HookAnswer:
    """Exit code 2 with a reason; without one, or with a key that it does not know, Codex would run the call."""
    return answer_by_exit_code(objection)
