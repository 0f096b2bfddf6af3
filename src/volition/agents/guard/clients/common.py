"""What the clients have in common: events of one shape, and an objection as exit code 2 with a reason on stderr."""

from __future__ import annotations

from volition.agents.guard.event import HookAnswer, HookEvent, Kind, MalformedEvent, Moment, object_at, text_at
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final


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


class HookClient(LeanTuple):
    """A client as Claude Code, Codex and Gemini CLI are: the names of its events, and of each tool what kind it is, and
    under which key of its input its path, command or patch is, and what it puts before the tools of our server."""

    moments: Mapping[str, Moment]
    tools: Mapping[str, tuple[Kind, str]]
    servers: tuple[str, ...] = (SERVER,)

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
    given: dict[str, Any],
    tools: Mapping[str, tuple[Kind, str]],
    servers: Sequence[str] = (SERVER,),
) -> HookEvent:
    """The event of one call; after the call its input is not read. `servers` is what may stand before a tool of ours."""
    is_ours = any(tool.startswith(name) and tool[len(name) :] in PLAN_TOOLS for name in servers)
    kind, key = tools.get(tool, ("plan" if is_ours else "unknown", ""))
    if moment == "after" or not key:
        return HookEvent(moment, *who, tool, kind)
    said = text_at(given, key)
    if kind == "write":
        return HookEvent(moment, *who, tool, kind, files=(said,))
    return HookEvent(moment, *who, tool, kind, text=said)
