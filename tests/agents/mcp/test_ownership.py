"""A session acts in its own name alone: others' tokens are not shown, and open nothing if they are guessed."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from tests.agents.mcp.talking import ERAS, PROJECT, Agent, look, make_server, talk
from volition.agents.guard.sessions import Identity
from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import PASSING, Callers, may_act
from volition.agents.mcp.server import AgentServer
from volition.workflow import parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.req("AG-05")

WRITES: dict[str, dict[str, Any]] = {
    "revise_plan": {"files": ["stolen.py"]}, "renew_plan": {}, "finish_plan": {}, "withdraw_plan": {},
}  # fmt: skip


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return tmp_path / "team.db"


@pytest.mark.parametrize("era", ERAS)
def test_anothers_token_is_neither_shown_nor_obeyed(registry: Path, era: str) -> None:
    """No tool and no resource shows a token to anybody but its holder, and with the right token in hand nobody else
    changes the plan: not under another name, and not in another session of the same name."""

    async def play(ann: Agent, bob: Agent, twin: Agent) -> None:
        made = await ann.claim("Add rate limits", "a.py")
        plan = {"plan_id": made["plan_id"], "token": made["token"]}
        await bob.claim("Split the routes", "a.py", mode="wait")
        for other in (bob, twin):
            heard: list[Any] = [
                await other.call("show_plan", plan_id=made["plan_id"]),
                *(await other.call("list_plans", state="all"))["plans"],
                *json.loads(await read(other, "volition://plans"))["plans"],
                json.loads(await read(other, f"volition://plans/{made['plan_id']}")),
            ]
            assert [each["token"] for each in heard if each["plan_id"] == made["plan_id"]] == [None] * 4
            for tool, more in WRITES.items():
                assert "not yours" in await other.fail(tool, **plan, **more)
        assert (await ann.call("show_plan", plan_id=made["plan_id"]))["token"] == made["token"]
        assert (await ann.call("list_plans"))["plans"][0]["token"] == made["token"]
        assert (await ann.call("finish_plan", **plan))["state"] == "finished"

    servers = [("ann", "one"), ("bob", "two"), ("ann", "three")]
    talk(play, *(make_server(registry, session, name=name) for name, session in servers), mode=era)
    for team in look(registry):
        assert {event.actor for event in team.history() if event.what in ("finished", "revised", "withdrawn")} == {
            "ann@one"
        }


async def read(agent: Agent, uri: str) -> str:
    """The text of a resource."""
    (content,) = (await agent.client.read_resource(uri)).contents
    return str(content.text)  # type: ignore[union-attr]


def test_who_may_act_with_a_token() -> None:
    """A session may, with its subagents; a caller of whom nothing is known may for another such caller, and never for
    a session."""
    ann, sub = Identity("s1", name="ann"), Identity("s1", "t2", "ann")
    passing = Identity(PASSING + "9", name="ann")
    assert all(may_act(who, holder) for who in (ann, sub) for holder in ("ann@s1", "ann@s1/t2", "ann@s1/t3"))
    assert not any(may_act(ann, holder) for holder in ("bob@s1", "ann@s11", "ann", "", "ann@", f"ann@{PASSING}1"))
    assert may_act(passing, f"bob@{PASSING}1")
    assert not may_act(passing, "ann@s1")


@pytest.mark.parametrize("era", ERAS)
def test_no_word_to_an_agent_is_a_command_of_a_person(registry: Path, era: str) -> None:
    """From the refusal to the approval, no answer has a command line that answers, approves, appoints or releases."""

    async def play() -> None:
        heard = []
        async with (
            Client(make_server(registry, "one"), mode=era) as ann,
            Client(make_server(registry, "two"), mode=era) as bob,
        ):
            files = {"title": "Split the routes", "files": ["a.py"]}
            await ann.call_tool("propose_plan", {"title": "Add rate limits", "files": ["a.py"]})
            heard.append(await bob.call_tool("propose_plan", files))
            waiting = await bob.call_tool("propose_plan", {**files, "mode": "wait"})
            plan = (waiting.structured_content or {})["plan_id"]
            raised = await bob.call_tool("raise_question", {"plan_id": plan})
            flow = (raised.structured_content or {})["flow_id"]
            heard += [waiting, raised]
            for tool, arguments in (
                ("list_questions", {}), ("show_plan", {"plan_id": plan}), ("why", {"about": plan}),
                ("why", {"about": flow}), ("answer_question", {"flow_id": flow}), ("list_plans", {"state": "all"}),
            ):  # fmt: skip
                heard.append(await bob.call_tool(tool, arguments))
            heard.append(await bob.list_tools())  # type: ignore[arg-type]
        for each in heard:
            assert not re.search(r"volition (flow|team|guard|agents)\b|--[a-z]", each.model_dump_json()), each

    asyncio.run(play())


def test_a_passing_caller_cannot_use_a_sessions_token(registry: Path) -> None:
    """On a port, a request that says nothing of its session cannot act for one that does, whatever token it guesses."""
    server = AgentServer(TeamAccess(parse_store_address(registry), PROJECT), Callers("ann"))

    session: Any = {"sessionId": "s1"}
    thread: Any = {"sessionId": "s1", "threadId": "t2"}

    async def play(agent: Agent) -> None:
        claimed = await agent.client.call_tool(
            "propose_plan", {"title": "Add rate limits", "files": ["a.py"]}, meta=session
        )
        made = claimed.structured_content or {}
        arguments = {"plan_id": made["plan_id"], "token": made["token"]}
        assert "not yours" in await agent.fail("withdraw_plan", **arguments)
        done = await agent.client.call_tool("withdraw_plan", arguments, meta=thread)
        assert not done.is_error

    talk(play, server)
