"""The clients whose hooks the guard understands: what each says about a call of a tool, and how it is answered.

Claude Code, Codex, Gemini CLI and Cursor send the same facts under different names: tables say which. An objection is
exit code 2 with a reason on stderr; without a reason, or with a key that they do not know, some clients would run the call.
"""

from __future__ import annotations

import os.path

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final, Literal, TypeAlias

Moment: TypeAlias = 'Literal["start", "before", "after", "end"]'
"""A session or subagent begins; a tool is about to run; a tool has run; the agent is about to stop."""
Kind: TypeAlias = 'Literal["read", "write", "shell", "patch", "plan", "unknown"]'
"""What is known of a tool: it changes nothing, names its files, runs a command line, applies a patch, talks to the
registry, or anything may happen."""
Tools: TypeAlias = "Mapping[str, tuple[Kind, str]]"
"""Tool -> what kind it is, and the key of its input under which its path, command or patch is."""

PLAN_TOOLS: Final = frozenset(
    {
        "propose_plan", "revise_plan", "renew_plan", "finish_plan", "withdraw_plan", "show_plan", "list_plans", "why",
        "raise_question", "list_questions", "answer_question", "ask_approval",
    }
)  # fmt: skip
"""The tools of our server: they change the registry, and no file."""
SERVER: Final = "mcp__volition__"
"""What most clients put before the name of a tool of our server."""
OBJECTION: Final = 2


class MalformedEvent(ValueError):
    """The input is not what the client documents, so nothing can be judged."""


class HookEvent(LeanTuple):
    """One event of a session, whichever client it is from."""

    moment: Moment
    session: str
    agent: str
    folder: str
    tool: str = ""
    kind: Kind = "unknown"
    files: tuple[str, ...] = ()
    """The paths that the tool names, relative to the folder."""
    text: str = ""
    """Its command line or patch."""
    again: bool = False
    """Whether the agent was sent back at its end before."""


class HookAnswer(LeanTuple):
    """What the hook prints, and the exit code: 0 for no objection, 2 for an objection with its reason."""

    code: int
    out: str = ""
    err: str = ""


class HookClient(LeanTuple):
    """A client as Claude Code and Codex are: the names of its events and tools."""

    moments: Mapping[str, Moment]
    tools: Tools
    servers: tuple[str, ...] = (SERVER,)
    """What it may put before the name of a tool of our server."""

    def read(self, data: Any) -> HookEvent:
        """The event that the client sent; MalformedEvent if it is not one."""
        moment = self.moment_of(data)
        who = text_at(data, "session_id"), text_at(data, "agent_id", default=""), text_at(data, "cwd")
        if moment in {"start", "end"}:
            return HookEvent(moment, *who, again=data.get("stop_hook_active") is True)
        return tool_event(
            moment, who, text_at(data, "tool_name"), object_at(data, "tool_input"), self.tools, self.servers
        )

    def moment_of(self, data: Any) -> Moment:
        """The moment of an event, by its name."""
        name = text_at(data, "hook_event_name")
        if name not in self.moments:
            raise MalformedEvent(f"hook_event_name is {name!r}, expected one of {', '.join(self.moments)}")
        return self.moments[name]

    def answer(self, moment: Moment, objection: str) -> HookAnswer:
        """No objection: nothing is printed. An objection: a reason on stderr, because without one some clients go on."""
        return HookAnswer(OBJECTION, err=objection) if objection else HookAnswer(0)


def tool_event(
    moment: Moment,
    who: tuple[str, str, str],
    tool: str,
    arguments: dict[str, Any],
    tools: Tools,
    servers: Sequence[str] = (SERVER,),
) -> HookEvent:
    """The event of one call; after the call its input is not read. `servers` is what may stand before a tool of ours."""
    is_ours = any(tool.startswith(name) and tool[len(name) :] in PLAN_TOOLS for name in servers)
    kind, key = tools.get(tool, ("plan" if is_ours else "unknown", ""))
    if moment == "after" or not key:
        return HookEvent(moment, *who, tool, kind)
    value = text_at(arguments, key)
    if kind == "write":
        return HookEvent(moment, *who, tool, kind, files=(value,))
    return HookEvent(moment, *who, tool, kind, text=value)


def text_at(data: Any, key: str, *, default: str | None = None) -> str:
    """The text under a key of an object; without a default it has to be there."""
    value = data.get(key, default) if isinstance(data, dict) else None
    if not isinstance(value, str) or (default is None and not value):
        raise MalformedEvent(f"{key} is {'empty' if value == '' else type(value).__name__}, expected a text")
    return value


def object_at(data: Any, key: str) -> dict[str, Any]:
    """The object under a key."""
    value = data.get(key) if isinstance(data, dict) else None
    if not isinstance(value, dict):
        raise MalformedEvent(f"{key} is {type(value).__name__}, expected an object")
    return value


_CLAUDE: Final = HookClient(
    {
        "PreToolUse": "before",
        "PostToolUse": "after",
        "PostToolUseFailure": "after",
        "SessionStart": "start",
        "SubagentStart": "start",
        "Stop": "end",
        "SubagentStop": "end",
    },
    {
        "Write": ("write", "file_path"),
        "Edit": ("write", "file_path"),
        "MultiEdit": ("write", "file_path"),
        "NotebookEdit": ("write", "notebook_path"),
        "Bash": ("shell", "command"),
        **dict.fromkeys(
            (
                "Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "TodoWrite", "BashOutput", "KillShell", "Task",
                "Agent", "AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "Skill", "ToolSearch",
                "ListMcpResourcesTool", "ReadMcpResourceTool",
            ),
            ("read", ""),
        ),
    },
)  # fmt: skip
"""Claude Code. Exit code 2 denies a call, shows an unplanned change after one, and sends the agent back at its end."""

_CODEX: Final = HookClient(
    {
        "PreToolUse": "before",
        "PostToolUse": "after",
        "SessionStart": "start",
        "SubagentStart": "start",
        "Stop": "end",
        "SubagentStop": "end",
    },
    {
        "Bash": ("shell", "command"),
        "apply_patch": ("patch", "command"),
        **dict.fromkeys(
            ("update_plan", "view_image", "web_search", "tool_search", "spawn_agent", "multi_agent_v1wait_agent"),
            ("read", ""),
        ),
    },
)
"""Codex. Its tool `exec_command` is called Bash in events, and the `workdir` of a command arrives as `cwd`."""
PATCH_BEGINS: Final = "*** Begin Patch"
_PATCH_HEADS: Final = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def patched_files(text: str) -> tuple[str, ...]:
    """The files that a patch in the form of `apply_patch` adds, updates, deletes and moves to, in order; relative to the folder
    where it is applied.

    >>> patched_files("*** Begin Patch\\n*** Update File: a.py\\n*** Move to: b.py\\n@@\\n-x\\n+y\\n*** End Patch")
    ('a.py', 'b.py')
    """
    lines = (line.strip() for line in text.splitlines())
    files = (line[len(head) :].strip() for line in lines for head in _PATCH_HEADS if line.startswith(head))
    return tuple(dict.fromkeys(files))


class GeminiClient(HookClient):
    """Gemini CLI, whose commands may name the folder that they run in."""

    def read(self, data: Any) -> HookEvent:
        event = super().read(data)
        if event.kind != "shell" or event.moment != "before":
            return event
        arguments = data["tool_input"]
        inner = next((text_at(arguments, key) for key in ("dir_path", "directory") if arguments.get(key)), "")
        return event._replace(folder=os.path.join(event.folder, inner)) if inner else event


_GEMINI: Final = GeminiClient(
    {
        "BeforeTool": "before",
        "AfterTool": "after",
        "SessionStart": "start",
        "AfterAgent": "end",
    },
    {
        "write_file": ("write", "file_path"),
        "replace": ("write", "file_path"),
        "run_shell_command": ("shell", "command"),
        **dict.fromkeys(
            (
                "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search",
                "web_fetch", "google_web_search", "write_todos",
            ),
            ("read", ""),
        ),
    },
    ("mcp_volition_", SERVER),
)  # fmt: skip
_CURSOR_SHELL: Final = frozenset({"beforeShellExecution", "afterShellExecution"})


class CursorClient(HookClient):
    """Cursor: the session is its conversation, and the folder the first of the workspace if the event names none. Its
    answers are JSON too."""

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
        if data["hook_event_name"] in _CURSOR_SHELL:
            return tool_event(moment, who, "Shell", data, self.tools)
        return tool_event(
            moment, who, text_at(data, "tool_name"), object_at(data, "tool_input"), self.tools, self.servers
        )

    def answer(self, moment: Moment, objection: str) -> HookAnswer:
        """Before a call: a permission, and exit code 2 for a denial. At the end: a message that the agent goes on with."""
        if not objection:
            return HookAnswer(0, out='{"permission": "allow"}' if moment == "before" else "{}")
        if moment == "before":
            denial = {"permission": "deny", "user_message": objection, "agent_message": objection}
            return HookAnswer(OBJECTION, out=write_json(denial), err=objection)
        if moment == "end":
            return HookAnswer(0, out=write_json({"followup_message": objection}))
        return HookAnswer(OBJECTION, out=write_json({"additional_context": objection}), err=objection)


_CURSOR: Final = CursorClient(
    {
        "preToolUse": "before",
        "beforeShellExecution": "before",
        "postToolUse": "after",
        "postToolUseFailure": "after",
        "afterShellExecution": "after",
        "sessionStart": "start",
        "subagentStart": "start",
        "stop": "end",
        "subagentStop": "end",
    },
    {
        "Write": ("write", "file_path"),
        "Edit": ("write", "file_path"),
        "Delete": ("write", "file_path"),
        "Shell": ("shell", "command"),
        **dict.fromkeys(("Read", "Grep", "Glob", "LS", "Task", "WebFetch", "WebSearch", "TodoWrite"), ("read", "")),
    },
    ("MCP:", "MCP:volition:", "MCP:volition/", SERVER),
)
"""Cursor. It does not always name the server of a tool."""

_CLIENTS: Final[dict[str, HookClient]] = {"claude": _CLAUDE, "codex": _CODEX, "gemini": _GEMINI, "cursor": _CURSOR}
CLIENTS: Final = tuple(_CLIENTS)


def client_of(name: str) -> HookClient:
    """The client of a name; ValueError if there is none."""
    if name not in _CLIENTS:
        raise ValueError(f"no client is called {name!r}; known: {', '.join(CLIENTS)}")
    return _CLIENTS[name]
