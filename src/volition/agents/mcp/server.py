"""The server: the tools and resources over one registry, with errors in words and every answer short enough."""

from __future__ import annotations

from contextlib import asynccontextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from volition import __version__
from volition.agents.mcp.answers import LIMIT, cut
from volition.agents.mcp.plan_tools import PlanTools
from volition.agents.mcp.question_tools import QuestionTools
from volition.agents.mcp.resources import add_resources
from volition.agents.mcp.updates import POLL, RegistryUpdates
from volition.core.errors import InvalidInput, Problem, VolitionError, did_you_mean, format_value

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from mcp.server.elicitation import ElicitationResult
    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp_types import CallToolResult, InputRequiredResult
    from pydantic.networks import AnyUrl

    from volition.agents.mcp.access import TeamAccess
    from volition.agents.mcp.caller import Callers

Schema = TypeVar("Schema", bound=BaseModel)

PATIENCE: Final = 240.0
"""How many seconds a person has to answer a form before the call ends; clients give up on a call after 300."""
INSTRUCTIONS: Final = (
    "Several agents work on this repository. Before you write a file, propose_plan with every file, folder or pattern that "
    "you will touch. Write only while your plan is granted, and only what it names; revise_plan before you touch more. "
    "Renew it before its lease ends, and finish_plan when you are done. If it is refused or waits, read the obstacles "
    "and take a way out; never write past it. Questions are for people: you can raise one and have it asked, but not "
    "answer it."
)


class PatientContext(Context[Any, Any]):
    """The context of a call in which a person has only so many seconds to answer.

    The limit is on the person alone: what a tool itself does is not given up half-way, however slow the machine is.
    """

    _tool: str
    _seconds: float

    @classmethod
    def of(cls, context: Context[Any, Any], tool: str, seconds: float) -> PatientContext:
        """The same context with that limit."""
        made = cls.model_construct()
        made.__pydantic_private__ = {**(context.__pydantic_private__ or {}), "_tool": tool, "_seconds": seconds}
        return made

    async def elicit(self, message: str, schema: type[Schema]) -> ElicitationResult[Schema]:
        """Ask the person."""
        with anyio.move_on_after(self._seconds):
            return await super().elicit(message, schema)
        raise _no_answer(self._tool, "nobody answered in time")


class AgentServer(MCPServer[Any]):
    """An MCP server whose errors say what, where, what was expected and what to do."""

    def __init__(self, access: TeamAccess, callers: Callers, *, poll: float = POLL, patience: float = PATIENCE) -> None:
        self._access, self._updates = access, RegistryUpdates(access, poll=poll)
        self._patience = patience
        super().__init__(
            "volition",
            version=__version__,
            instructions=INSTRUCTIONS,
            log_level="WARNING",
            lifespan=self._live,
            subscriptions=self._updates,
        )
        plans, questions = PlanTools(access, callers), QuestionTools(access, callers)
        plans.add_to(self)
        questions.add_to(self)
        add_resources(self, plans, questions)

    @asynccontextmanager
    async def _live(self, _server: MCPServer[Any]) -> AsyncIterator[dict[str, Any]]:
        await self._updates.start()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._updates.follow)
                yield {}
                tasks.cancel_scope.cancel()
        finally:
            self._access.close()  # the next use opens it again

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. A person who does not answer in time has not answered; the question stays open."""
        self._check_names(name, arguments)
        try:
            patient = None if context is None else PatientContext.of(context, name, self._patience)
            return await super().call_tool(name, arguments, patient)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, VolitionError):
                raise ToolError(_describe(cause)) from None
            if isinstance(cause, ValidationError):
                raise ToolError(_describe(_invalid_arguments(name, cause))) from None
            if isinstance(error, UnexpectedToolError):
                raise
            # No tool raises a ToolError by itself: what came back from a person's form is not valid.
            raise ToolError(_describe(_no_answer(name, "what came back is no answer to the form"))) from None

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource."""
        try:
            return await super().read_resource(uri, context)
        except MCPError:
            raise
        except ResourceError as error:
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, VolitionError):
                cause = cause.__cause__
            if cause is None:
                raise
            kind = ResourceNotFoundError if isinstance(cause, InvalidInput) else ResourceError
            raise kind(_describe(cause)) from None

    def _check_names(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse a tool that there is not, and arguments that it would ignore: a misspelled one must not be lost."""
        tools = {tool.name: tool for tool in self._tool_manager.list_tools()}
        if name not in tools:
            near = get_close_matches(name, tools, n=1)
            raise ToolError(f"there is no tool {cut(name, 80)!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        known = tools[name].parameters.get("properties", {})
        if unknown := [word for word in arguments if word not in known]:
            problems = [
                Problem(
                    f"there is no argument {cut(word, 80)!r}",
                    name,
                    "the arguments of its schema",
                    did_you_mean(word, known),
                )
                for word in unknown[:5]
            ]
            raise ToolError(_describe(InvalidInput(*problems)))


def _describe(error: VolitionError) -> str:
    text = str(error)
    return (
        text
        if len(text) < LIMIT - 200
        else text[: LIMIT - 300] + f"\n… and more: {len(error.problems)} problems in all"
    )


def _invalid_arguments(name: str, error: ValidationError) -> InvalidInput:
    problems = []
    for each in error.errors(include_url=False, include_context=False)[:5]:
        place = ".".join(str(part) for part in each["loc"]) or "arguments"
        what = f"{each['msg']}: {format_value(each['input'])}"
        problems.append(
            Problem(what, f"{name}, {cut(place, 80)}", "what the schema says", "correct it, and call again")
        )
    return InvalidInput(*problems)


def _no_answer(name: str, what: str) -> VolitionError:
    return InvalidInput.of(
        what,
        where=name,
        expected="an answer of the person at this client",
        remedy="the question stays open: ask again later, or answer it with volition flow answer",
    )
