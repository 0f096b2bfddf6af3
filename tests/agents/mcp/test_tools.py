"""Every tool, as an agent uses it: through the SDK's client, in both eras of the protocol."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import jsonschema_rs
import pytest

from tests.agents.mcp.talking import ERAS, Agent, look, make_server, talk
from volition.agents.mcp.plan_tools import LOOKS, WRITES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return tmp_path / "team.db"


async def work_together(ann: Agent, bob: Agent) -> None:
    """A day's work of two agents: a claim, a refusal, a wait, a revision, and the ends."""
    first = await ann.claim("Add rate limits", "src/api", "notes.md", effects=["write", "create"], goal="Be fair")
    assert (first["outcome"], first["obstacles"]) == ("granted", [])
    assert (await bob.claim("Write a page", "page.md", mode="check"))["outcome"] == "free"
    refused = await bob.claim("Split the routes", "src/api/routes.py", "split.md")
    (obstacle,) = refused["obstacles"]
    assert (refused["outcome"], refused["token"], obstacle["plans"]) == ("refused", None, [first["plan_id"]])
    assert obstacle["evidence"]
    assert any("lease ends at" in way for way in obstacle["ways_out"])
    waiting = await bob.claim("Split the routes", "src/api/routes.py", "split.md", mode="wait")
    assert waiting["outcome"] == "waiting"
    held = await bob.call("renew_plan", plan_id=waiting["plan_id"], token=waiting["token"])
    assert (held["outcome"], held["obstacles"][0]["plans"]) == ("waiting", [first["plan_id"]])
    shown = await bob.call("show_plan", plan_id=waiting["plan_id"])
    assert (shown["state"], shown["yours"], shown["obstacles"][0]["resource"]) == ("waiting", True, "src/api")
    why = await bob.call("why", about=waiting["plan_id"])
    assert any(first["plan_id"] in line for line in why["lines"])
    pair = await bob.call("why", about=waiting["plan_id"], against=first["plan_id"])
    assert any("evidence" in line for line in pair["lines"])
    listed = await bob.call("list_plans")
    assert [(plan["state"], plan["yours"]) for plan in listed["plans"]] == [("active", False), ("waiting", True)]
    narrowed = await ann.call("revise_plan", plan_id=first["plan_id"], token=first["token"], files=["notes.md"])
    assert narrowed["token"] > first["token"]
    granted = await bob.call("renew_plan", plan_id=waiting["plan_id"], token=waiting["token"], lease_minutes=5)
    assert granted["outcome"] == "granted"
    too_much = await ann.call(
        "revise_plan", plan_id=first["plan_id"], token=narrowed["token"], files=["src/api/routes.py"]
    )
    assert too_much["outcome"] == "refused"
    ended = await ann.call("finish_plan", plan_id=first["plan_id"], token=narrowed["token"])
    assert ended["state"] == "finished"
    ended = await bob.call("withdraw_plan", plan_id=granted["plan_id"], token=granted["token"], why="no need")
    assert ended["state"] == "withdrawn"
    assert (await ann.call("list_plans"))["plans"] == []
    assert (await ann.call("list_plans", state="finished"))["total"] > 0


@pytest.mark.req("AG-01")
@pytest.mark.parametrize("era", ERAS)
def test_two_agents_work_together(registry: Path, era: str) -> None:
    """Through both eras of the protocol, each tool answers with data that its schema allows and with the same as text."""
    talk(work_together, make_server(registry, "one"), make_server(registry, "two"), mode=era)


@pytest.mark.parametrize("era", ERAS)
def test_tools_are_few_and_well_described(registry: Path, era: str) -> None:
    """Every tool has a short plain name, a description, a description of each argument, valid schemas, and annotations
    by which a sandboxed client may call it."""

    async def play(agent: Agent) -> None:
        tools = (await agent.client.list_tools()).tools
        assert len(tools) <= 12
        for tool in tools:
            assert re.fullmatch(r"[a-z][a-z0-9_]{2,29}", tool.name)
            assert tool.description
            assert tool.annotations in (LOOKS, WRITES)
            for schema in (tool.input_schema, tool.output_schema):
                assert schema is not None
                jsonschema_rs.meta.validate(schema)
            assert all(field.get("description") for field in tool.input_schema["properties"].values()), tool.name
        assert WRITES.destructive_hint is WRITES.open_world_hint is LOOKS.open_world_hint is False
        assert LOOKS.read_only_hint is True
        looking = {tool.name for tool in tools if tool.annotations == LOOKS}
        assert looking == {"show_plan", "list_plans", "why", "list_questions"}

    talk(play, make_server(registry, "one", forms="approvals"), mode=era)


@pytest.mark.req("AG-01")
@pytest.mark.parametrize("era", ERAS)
def test_the_list_of_tools_is_cheap(registry: Path, era: str) -> None:
    """All tools together, as they are listed, cost at most 2,500 tokens, a token being four bytes of JSON; what they
    say of an argument is what a call is held to."""

    async def play(agent: Agent) -> None:
        listed = await agent.client.list_tools()
        written = listed.model_dump_json(by_alias=True, exclude_none=True)
        assert len(written.encode()) / 4 <= 2_500
        (propose,) = [tool for tool in listed.tools if tool.name == "propose_plan"]
        says = propose.input_schema["properties"]
        assert propose.input_schema["required"] == ["title", "files"]
        assert says["mode"]["enum"] == ["claim", "wait", "check"]
        assert "delete" in says["effects"]["items"]["enum"]
        assert says["effects"]["default"] == ["write"]
        assert says["lease_minutes"]["default"] == 30

    talk(play, make_server(registry, "one", forms="approvals"), mode=era)


def test_looking_changes_nothing(registry: Path) -> None:
    """A tool that says it only reads leaves the registry as it is, and so does a proposal that is only checked."""

    async def play(ann: Agent, bob: Agent) -> None:
        made = await ann.claim("Add rate limits", "a.py")
        (before,) = [team.history() for team in look(registry)]
        await bob.claim("Split the routes", "a.py", mode="check")
        for tool, arguments in {
            "show_plan": {"plan_id": made["plan_id"]}, "list_plans": {"state": "all"}, "list_questions": {},
            "why": {"about": made["plan_id"]},
        }.items():  # fmt: skip
            await bob.call(tool, **arguments)
        (after,) = [team.history() for team in look(registry)]
        assert after == before

    talk(play, make_server(registry, "one"), make_server(registry, "two"))


def test_a_plan_is_drafted_for_the_agent(registry: Path) -> None:
    """What the agent says is in the registered document, which is sealed, dated by the registry, and by the agent."""

    async def play(agent: Agent) -> None:
        await agent.claim(
            "Add rate limits", "src/*.py", modules=["service:gateway"], effects=["write", "deploy"], priority=7,
            depends_on=["intent_measure_load"], goal="No client takes more than its share",
        )  # fmt: skip

    talk(play, make_server(registry, "one"))
    for team in look(registry):
        (plan,) = team.list()
        assert plan.holder == "ann@one"
        document = plan.document
        for said in (
            "src/*.py",
            "service:gateway",
            "deploy",
            "intent_measure_load",
            "more than its share",
            '"priority": 7',
        ):
            assert said in document


def test_a_refusal_can_be_asked_about(registry: Path, told: Told) -> None:
    """`why` explains a plan that was refused, though it is not stored; and says what became of what was in its way."""

    async def play(ann: Agent, bob: Agent) -> None:
        made = await ann.claim("Add rate limits", "a.py")
        refused = await bob.claim("Split the routes", "a.py")
        lines = (await bob.call("why", about=refused["plan_id"]))["lines"]
        told(lines[0])
        assert "is active" in lines[-1]
        await ann.call("finish_plan", plan_id=made["plan_id"], token=made["token"])
        lines = (await bob.call("why", about=refused["plan_id"]))["lines"]
        told(lines[-1])

    talk(play, make_server(registry, "one"), make_server(registry, "two"))


def test_resources_say_what_the_tools_say(registry: Path, told: Told) -> None:
    """Open plans, one plan and open questions can be read as resources; one that is not there is named as such."""

    async def play(agent: Agent) -> None:
        made = await agent.claim("Add rate limits", "a.py")
        listed = await agent.client.list_resources()
        assert {str(each.uri) for each in listed.resources} == {"volition://plans", "volition://questions"}
        for uri in ("volition://plans", f"volition://plans/{made['plan_id']}"):
            (content,) = (await agent.client.read_resource(uri)).contents
            assert made["plan_id"] in content.text  # type: ignore[union-attr]
        (content,) = (await agent.client.read_resource("volition://questions")).contents
        assert '"total": 0' in content.text  # type: ignore[union-attr]
        with told.raises(Exception):
            await agent.client.read_resource("volition://plans/intent_nobody")

    talk(play, make_server(registry, "one"))
