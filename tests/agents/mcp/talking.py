"""Agents that talk to servers through the SDK's client, in this process, each with a registry in a file."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import mcp_types
from mcp import Client

from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.answers import LIMIT
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.server import AgentServer
from volition.core.signing import agents_signer
from volition.workflow import Store, Team, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

ERAS = ("auto", "legacy")
"""The revision of 2026-07-28, and those before it."""
PROJECT = "shop"


def make_server(registry: Path, session: str, *, name: str = "ann", **about: Any) -> AgentServer:
    """A server for one session, over a registry."""
    clock = about.pop("clock", None)
    return AgentServer(
        TeamAccess(parse_store_address(registry), PROJECT, clock=clock), Callers(name, session), poll=0.01, **about
    )


class Agent:
    """A client, with the tools as methods: what they answer, checked for length and against the schema."""

    def __init__(self, client: Client, schemas: dict[str, Any]) -> None:
        self.client = client
        self.schemas = schemas

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers; its text says the same as its data, and both are short."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        data = result.structured_content
        (text,) = result.content
        assert isinstance(text, mcp_types.TextContent)
        assert isinstance(data, dict)
        assert len(text.text) < LIMIT
        assert json.loads(text.text) == data
        self.schemas[tool].validate(data)
        return data

    async def fail(self, tool: str, **arguments: Any) -> str:
        """What a tool says when it fails, in words."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        (text,) = result.content
        assert isinstance(text, mcp_types.TextContent)
        assert len(text.text) < LIMIT
        check_next_step(text.text)
        return text.text

    async def claim(self, title: str, *files: str, **about: Any) -> dict[str, Any]:
        """Propose a plan."""
        return await self.call("propose_plan", title=title, files=list(files), **about)


def check_next_step(said: str) -> None:
    """Check that an error ends with what to do next, in one sentence, and that it hands over no command line."""
    assert "Error executing tool" not in said
    steps = re.findall(r"^  remedy:   (.+)$", said, re.MULTILINE)
    assert steps, said
    assert len(steps) == len(re.findall(r"^  where:  ", said, re.MULTILINE)) or "… and more" in said
    for step in steps:
        assert len(step.split()) > 2, said
        assert not re.search(r"[.!?] [A-Z]", step), said
    assert not re.search(r"\bvolition [a-z]+\b|\s--[a-z]", said), said


def talk(play: Callable[..., Awaitable[None]], *targets: Any, mode: str = "auto", **about: Any) -> None:
    """Play a scene with one agent for each target: a server, what starts one, or its address."""
    from jsonschema_rs import validator_for

    async def scene() -> None:
        async with AsyncExitStack() as stack:
            agents = []
            for target in targets:
                client = await stack.enter_async_context(Client(target, mode=mode, **about))
                tools = (await client.list_tools()).tools
                agents.append(Agent(client, {tool.name: validator_for(tool.output_schema or False) for tool in tools}))
            await play(*agents)

    try:
        asyncio.run(scene())
    except BaseExceptionGroup as group:
        raise _first(group) from None


def _first(group: BaseException) -> BaseException:
    """The first failure in a group of groups: the client's task groups wrap it once for each level."""
    return _first(group.exceptions[0]) if isinstance(group, BaseExceptionGroup) else group


def look(registry: Path) -> Iterator[Team]:
    """The team, as somebody else sees it."""
    with Store(parse_store_address(registry), signer=agents_signer) as store:
        yield Team(store, PROJECT)


def count_events(registry: Path) -> int:
    """How many events the registry has; none if there is no registry."""
    return next(len(team.history()) for team in look(registry)) if registry.exists() else 0
