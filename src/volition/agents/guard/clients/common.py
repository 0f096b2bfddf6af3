"""What the clients have in common: events of one shape, and an objection as exit code 2 with a reason on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.agents.guard.event import HookAnswer, HookEvent, MalformedEvent, object_at, text_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.agents.guard.event import Kind, Moment

PLANS: Final = "mcp__volition__"
"""How the tools of our server are named: they change the registry, and no file."""
OBJECTION: Final = 2


def read_event(data: Any, moments: Mapping[str, Moment], tools: Mapping[str, tuple[Kind, str]]) -> HookEvent:
    """An event as Claude Code, Codex and Gemini send it.

    `tools` says of each tool what kind it is, and under which key of its input its path, command or patch is.
    """
    name = text_at(data, "hook_event_name")
    if name not in moments:
        raise MalformedEvent(f"hook_event_name is {name!r}, expected one of {', '.join(moments)}")
    who = text_at(data, "session_id"), text_at(data, "agent_id", default=""), text_at(data, "cwd")
    if moments[name] in {"start", "end"}:
        return HookEvent(moments[name], *who, again=data.get("stop_hook_active") is True)
    tool = text_at(data, "tool_name")
    given = object_at(data, "tool_input")
    return tool_event(moments[name], who, tool, given, tools)


def tool_event(
    moment: Moment,
    who: tuple[str, str, str],
    tool: str,
    given: dict[str, Any],
    tools: Mapping[str, tuple[Kind, str]],
    plans: str = PLANS,
) -> HookEvent:
    """The event of one call; what is called is read after the call as far as it is needed: not at all."""
    kind, key = tools.get(tool, ("plan" if tool.startswith(plans) else "unknown", ""))
    if moment == "after" or not key:
        return HookEvent(moment, *who, tool, kind)
    said = text_at(given, key)
    if kind == "write":
        return HookEvent(moment, *who, tool, kind, files=(said,))
    return HookEvent(moment, *who, tool, kind, text=said)


def answer_by_exit_code(objection: str) -> HookAnswer:
    """No objection: nothing is printed. An objection: a reason on stderr, because without one some clients go on."""
    return HookAnswer(OBJECTION, err=objection) if objection else HookAnswer(0)
