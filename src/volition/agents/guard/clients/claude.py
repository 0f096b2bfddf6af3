"""Claude Code: PreToolUse, PostToolUse, Stop and the starts; tools Write, Edit, NotebookEdit and Bash.

Exit code 2 denies a call, shows a stray after one, and sends the agent back at its end.
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
    "PostToolUseFailure": "after",
    "SessionStart": "start",
    "SubagentStart": "start",
    "Stop": "end",
    "SubagentStop": "end",
}
_READS: Final = (
    "Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "TodoWrite", "BashOutput", "KillShell", "Task", "Agent",
    "AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "Skill", "ToolSearch", "ListMcpResourcesTool",
    "ReadMcpResourceTool",
)  # fmt: skip
TOOLS: Final[dict[str, tuple[Kind, str]]] = {
    "Write": ("write", "file_path"),
    "Edit": ("write", "file_path"),
    "MultiEdit": ("write", "file_path"),
    "NotebookEdit": ("write", "notebook_path"),
    "Bash": ("shell", "command"),
    **dict.fromkeys(_READS, ("read", "")),
}
CLIENT: Final = HookClient(MOMENTS, TOOLS)
