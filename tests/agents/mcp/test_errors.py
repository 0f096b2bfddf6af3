"""Every error, of every tool and resource, says the next step in one sentence, which an agent can take."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.agents.mcp.talking import ERAS, Agent, check_next_step, look, make_server, talk
from tests.agents.mcp.test_questions import contest, person
from volition.agents.mcp.errors import describe, for_agents
from volition.core.errors import NotPossible, Problem
from volition.workflow import Members

if TYPE_CHECKING:
    from tests.sentences import Told

SOURCE = Path(__file__).parents[3] / "src" / "volition" / "workflow"
PLAN = {"plan_id": "intent_nobody", "token": 1}
EVERYWHERE: dict[str, dict[str, Any]] = {
    "propose_plan": {"title": "Split the routes", "files": ["b.py"]}, "revise_plan": {**PLAN, "goal": "Be fairer"},
    "renew_plan": PLAN, "finish_plan": PLAN, "withdraw_plan": PLAN, "show_plan": {"plan_id": "intent_nobody"},
    "list_plans": {}, "why": {"about": "intent_nobody"}, "raise_question": {"plan_id": "intent_nobody"},
    "list_questions": {}, "answer_question": {"flow_id": "flow_nobody"}, "ask_approval": {"flow_id": "flow_nobody"},
}  # fmt: skip
"""A call of every tool that fails where there is no registry, or whose registry knows nothing of what is named."""


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_says_the_next_step_when_it_fails(tmp_path: Path, era: str, told: Told) -> None:
    """Before there is a registry, when nothing is found in it, after it is gone, and when it is another program's."""
    registry = tmp_path / "team.db"

    async def play(agent: Agent) -> None:
        assert EVERYWHERE.keys() == {tool.name for tool in (await agent.client.list_tools()).tools}
        for tool, arguments in EVERYWHERE.items():
            if tool != "propose_plan":
                told((await agent.fail(tool, **arguments)).splitlines()[0])
        made = await agent.claim("Add rate limits", "a.py")
        for tool, arguments in EVERYWHERE.items():
            if tool not in ("propose_plan", "list_plans", "list_questions"):
                told((await agent.fail(tool, **arguments)).splitlines()[0])
            told((await agent.fail(tool, **arguments, tokens=1)).splitlines()[0])
        await agent.call("finish_plan", plan_id=made["plan_id"], token=made["token"])
        for tool in ("finish_plan", "renew_plan", "withdraw_plan"):
            assert "is finished" in await agent.fail(tool, plan_id=made["plan_id"], token=made["token"])
        registry.rename(tmp_path / "away.db")
        for tool, arguments in EVERYWHERE.items():
            told((await agent.fail(tool, **arguments)).splitlines()[0])
        registry.write_bytes(b"minutes of the meeting" * 100)
        for tool, arguments in EVERYWHERE.items():
            told((await agent.fail(tool, **arguments)).splitlines()[0])

    talk(play, make_server(registry, "one", forms="approvals"), mode=era)


def test_a_resource_says_the_next_step_when_it_fails(tmp_path: Path, told: Told) -> None:
    """An address that nothing is at, and a plan that there is not, are refused with where to look."""

    async def play(agent: Agent) -> None:
        await agent.claim("Add rate limits", "a.py")
        with told.raises(MCPError) as refused:
            await agent.client.read_resource("volition://plants")
        assert refused.value.error.code == -32602
        with pytest.raises(MCPError) as refused:
            await agent.client.read_resource("volition://plans/intent_nobody")
        check_next_step(str(refused.value))

    talk(play, make_server(tmp_path / "team.db", "one"))


def test_a_mistake_of_the_servers_own_is_said_without_its_inside(tmp_path: Path, told: Told) -> None:
    """What nobody foresaw is told as such, with what to do; what it was is in the server's log alone."""
    server = make_server(tmp_path / "team.db", "one")

    def stumble() -> str:
        """Fail."""
        raise RuntimeError("the password is swordfish")

    server.add_tool(stumble)

    async def play(agent: Agent) -> None:
        said = await agent.fail("stumble")
        told(said)
        assert "swordfish" not in said

    talk(play, server)


def test_who_may_not_answer_is_not_told_how_to_be_appointed(tmp_path: Path, told: Told) -> None:
    """Where the project refuses newcomers, an agent hears that a person has to act, and not the line that appoints one."""

    async def play(ann: Agent, bob: Agent) -> None:
        raised = await contest(ann, bob)
        for team in look(tmp_path / "team.db"):
            Members(team).change_settings("ann@one", newcomers="refused")
        said = await bob.fail("answer_question", flow_id=raised["flow_id"])
        told(said)

    servers = [make_server(tmp_path / "team.db", session) for session in ("one", "two")]
    talk(play, *servers, elicitation_callback=person("accept", {"question_0001": "option_0002"}))


def test_no_remedy_of_the_registry_reaches_an_agent_as_a_command() -> None:
    """Whatever command the registry's errors name, in the words of an agent there is none."""
    written = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))
    commands = sorted(set(re.findall(r"volition (?:team|flow|guard|studio)[^\"'`;]*", written)))
    assert len(commands) > 10
    for command in [*commands, "volition flow approve flow_1 --exactly f00d", "use --own-approval allow"]:
        problem = Problem("it is not so", "flow_1", f"one that `{command}` made", f"do this: {command}; then that")
        check_next_step(describe(NotPossible(problem)))
        assert for_agents(for_agents(problem)) == for_agents(problem)
