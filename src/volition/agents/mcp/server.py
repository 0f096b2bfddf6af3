"""The server: the tools and resources over one registry, with errors in words and every answer short enough.

A call that takes long says again and again what it does, to a client that asked to be told; a person who is asked has only
so many seconds to answer.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from volition import __version__
from volition.agents.mcp.errors import (
    describe,
    invalid_arguments,
    no_answer,
    own_mistake,
    unknown_arguments,
    unknown_resource,
    unknown_tool,
)
from volition.agents.mcp.plan_tools import PlanTools
from volition.agents.mcp.question_tools import QuestionTools
from volition.agents.mcp.resources import POLL, RegistryUpdates, add_resources
from volition.agents.mcp.schemas import shorten_tool
from volition.core.errors import InvalidInput, VolitionError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    from mcp.server.elicitation import ElicitationResult
    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp_types import CallToolResult, InputRequiredResult, Tool
    from pydantic.networks import AnyUrl

    from volition.agents.mcp.access import TeamAccess
    from volition.agents.mcp.caller import Callers
    from volition.agents.mcp.forms import Forms

Schema = TypeVar("Schema", bound=BaseModel)
Result = TypeVar("Result")

PATIENCE: Final = 240.0
"""How many seconds a person has to answer a form before the call ends; clients give up on a call after 300."""
PULSE: Final = 2.0
"""Seconds between two reports; a call that is answered before the first one reports nothing."""
WORKING: Final = "judging, and waiting for the registry where others use it"
ASKING: Final = "waiting for the person at this client"
INSTRUCTIONS: Final = (
    "Several agents work on this repository. Before you write a file, propose_plan with every file, folder or pattern that "
    "you will touch. Write only while your plan is granted, and only what it names; revise_plan before you touch more. "
    "Renew it before its lease ends, and finish_plan when you are done. If it is refused or waits, read the obstacles "
    "and take a way out; never write past it. Questions are for people: you can raise one and have it asked, but not "
    "answer it."
)


class CallProgress:
    """Reports on one call, at every pulse and at every change of what it does. Each report counts one more than the last.

    How long a call takes is not known beforehand, so there is no total. A client that did not ask is told nothing.
    """

    def __init__(self, context: Context[Any, Any] | None, pulse: float = PULSE) -> None:
        self._context = context
        self._pulse = pulse
        self._count = 0
        self._doing = WORKING

    async def say(self, doing: str) -> None:
        """What the call does from now on."""
        self._doing = doing
        await self._report()

    async def during(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """What the work returns or raises, reported on while it lasts."""
        if self._context is None:
            return await work()
        result: list[Result] = []
        failed: Exception | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._beat)
            try:
                result.append(await work())
            except Exception as error:  # noqa: BLE001  raised below: a task group would wrap it
                failed = error
            tasks.cancel_scope.cancel()
        if failed is not None:
            raise failed
        return result[0]

    async def _beat(self) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client is gone; the work is not
            while True:
                await anyio.sleep(self._pulse)
                await self._report()

    async def _report(self) -> None:
        if self._context is not None:
            self._count += 1
            await self._context.report_progress(self._count, message=self._doing)


class PatientContext(Context[Any, Any]):
    """The context of a call in which a person has only so many seconds to answer.

    The limit is on the person alone: what a tool itself does is not given up half-way, however slow the machine is.
    """

    _tool: str
    _seconds: float
    _progress: CallProgress

    @classmethod
    def of(cls, context: Context[Any, Any], tool: str, seconds: float, progress: CallProgress) -> PatientContext:
        """The same context with that limit, and with progress that says when a person is waited for."""
        made = cls.model_construct()
        more = {"_tool": tool, "_seconds": seconds, "_progress": progress}
        made.__pydantic_private__ = {**(context.__pydantic_private__ or {}), **more}
        return made

    async def elicit(self, message: str, schema: type[Schema]) -> ElicitationResult[Schema]:
        """Ask the person."""
        await self._progress.say(ASKING)
        with anyio.move_on_after(self._seconds):
            return await super().elicit(message, schema)
        raise no_answer(self._tool, "no answer arrived in time")


class AgentServer(MCPServer[Any]):
    """An MCP server whose errors say what, where, what was expected and what to do."""

    def __init__(
        self,
        access: TeamAccess,
        callers: Callers,
        *,
        forms: Forms = "answers",
        poll: float = POLL,
        patience: float = PATIENCE,
        pulse: float = PULSE,
    ) -> None:
        self._access, self._updates = access, RegistryUpdates(access, poll=poll)
        self._patience, self._pulse = patience, pulse
        plans, questions = PlanTools(access, callers), QuestionTools(access, callers, forms)
        super().__init__(
            "volition",
            version=__version__,
            instructions=INSTRUCTIONS,
            log_level="WARNING",
            tools=[*plans.tools(), *questions.tools()],
            lifespan=self._live,
            subscriptions=self._updates,
        )
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

    async def list_tools(self) -> list[Tool]:
        """The tools, in few words."""
        return [shorten_tool(tool) for tool in await super().list_tools()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. A person who does not answer in time has not answered; the question stays open."""
        tools = {tool.name: tool for tool in self._tool_manager.list_tools()}
        if name not in tools:
            raise unknown_tool(name, tools)
        known = tools[name].parameters.get("properties", {})
        if unknown := [word for word in arguments if word not in known]:
            raise ToolError(describe(unknown_arguments(name, unknown, known)))
        progress = CallProgress(context, self._pulse)
        patient = None if context is None else PatientContext.of(context, name, self._patience, progress)
        work = partial(super().call_tool, name, arguments, patient)
        try:
            return await progress.during(work)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, VolitionError):
                raise ToolError(describe(cause)) from None
            if isinstance(cause, ValidationError):
                raise ToolError(describe(invalid_arguments(name, cause))) from None
            if isinstance(error, UnexpectedToolError):
                raise UnexpectedToolError(own_mistake(name)) from cause
            # No tool raises a ToolError by itself: what came back from a person's form is not valid.
            raise ToolError(describe(no_answer(name, "what came back is no answer to the form"))) from None

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
            if cause is not None:
                kind = ResourceNotFoundError if isinstance(cause, InvalidInput) else ResourceError
                raise kind(describe(cause)) from None
            if isinstance(error, ResourceNotFoundError):
                raise ResourceNotFoundError(unknown_resource(str(uri))) from None
            raise
