"""Codex: PreToolUse, PostToolUse, Stop and SessionStart; tools Bash (for `exec_command`) and apply_patch.

`workdir` of a command arrives as `cwd`. Without a reason, or with a key that it does not know, Codex would run the call.
"""

from __future__ import annotations

from volition.agents.guard.clients.common import HookClient
from volition.agents.guard.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final

    from volition.agents.guard.event import Kind, Moment

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
CLIENT: Final = HookClient(MOMENTS, TOOLS)
