"""Who is who, and what happens when somebody is gone: one name twice, a session that died, a registry that vanished."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from tests.agents.mcp.talking import ERAS, PROJECT, Agent, count_events, look, make_server, talk
from tests.processes import PATIENCE
from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.server import AgentServer
from volition.workflow import parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from tests.sentences import Told


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return tmp_path / "team.db"


class Clock:
    """A registry's clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.seconds = 1_790_000_000

    def __call__(self, _connection: Connection) -> int:
        return self.seconds * 1000


def move(one: Path, to: Path) -> None:
    """Give a file another name; there must be none of that name."""
    assert not to.exists()
    one.rename(to)


@pytest.mark.parametrize("era", ERAS)
def test_one_name_does_not_make_one_session(registry: Path, era: str) -> None:
    """Of two sessions with one name that want the same, one is granted; the other is told whose it is."""

    async def play(one: Agent, two: Agent) -> None:
        made = await asyncio.gather(*(each.claim("Add rate limits", "a.py") for each in (one, two)))
        assert sorted(each["outcome"] for each in made) == ["granted", "refused"]
        (refused,) = [each for each in made if each["outcome"] == "refused"]
        assert "ask ann@" in str(refused["obstacles"][0]["ways_out"])

    talk(play, make_server(registry, "one"), make_server(registry, "two"), mode=era)


def test_only_one_call_is_granted_in_a_shared_session(registry: Path) -> None:
    """If two agents share a session by mistake, and propose the very same, one is granted; the other hears that its
    session holds the plan already, with the same token."""

    async def play(one: Agent, two: Agent) -> None:
        made = await asyncio.gather(*(each.claim("Add rate limits", "a.py") for each in (one, two)))
        assert sorted(each["outcome"] for each in made) == ["granted", "held"]
        assert made[0]["token"] == made[1]["token"]
        said = await two.fail("propose_plan", title="Add rate limits", files=["b.py"])
        assert f"revise_plan with token {made[0]['token']}" in said

    talk(play, make_server(registry, "same"), make_server(registry, "same"))


def test_a_client_may_say_which_session_and_thread_it_is(registry: Path) -> None:
    """The ids that a client sends with a request tell its subagents apart; odd ones are hashed, so they stay short."""
    server = AgentServer(TeamAccess(parse_store_address(registry), PROJECT), Callers("ann"))
    metas: list[Any] = [
        {"sessionId": "s1", "threadId": "s1"}, {"sessionId": "s1", "threadId": "t2"}, {"sessionId": "x y" * 999}, {}, {},
    ]  # fmt: skip

    async def play() -> None:
        async with Client(server) as client:
            for number, meta in enumerate(metas):
                arguments = {"title": "Add rate limits", "files": [f"{number}.py"]}
                assert not (await client.call_tool("propose_plan", arguments, meta=meta)).is_error

    asyncio.run(play())
    for team in look(registry):
        holders = {plan.holder for plan in team.list()}
        assert {"ann@s1", "ann@s1/t2"} < holders
        assert len(holders) == len(metas)
        assert all(len(holder) < 60 for holder in holders)


def test_what_a_dead_session_held_is_free_after_its_lease(registry: Path, told: Told) -> None:
    """Until its lease is over, others are told when that is; then they get it, and the session, if it wakes up, is told
    to stop."""
    clock = Clock()

    async def play(dead: Agent, other: Agent) -> None:
        held = await dead.claim("Add rate limits", "a.py", lease_minutes=10)
        refused = await other.claim("Split the routes", "a.py")
        assert held["lease_until"] in str(refused["obstacles"][0]["ways_out"])
        clock.seconds += 601
        assert (await other.call("show_plan", plan_id=held["plan_id"]))["state"] == "expired"
        assert (await other.claim("Split the routes", "a.py"))["outcome"] == "granted"
        for tool in ("renew_plan", "finish_plan", "withdraw_plan"):
            said = await dead.fail(tool, plan_id=held["plan_id"], token=held["token"])
            told(said)
        assert (await dead.claim("Add rate limits", "a.py"))["outcome"] == "refused"

    talk(play, *(make_server(registry, name, clock=clock) for name in ("dead", "other")))


def test_a_registry_that_is_gone_is_not_made_again(registry: Path, told: Told) -> None:
    """If the file vanishes under a server, every tool says so and nothing is claimed; once it is back, all goes on."""

    async def play(agent: Agent) -> None:
        told(await agent.fail("list_plans"))
        made = await agent.claim("Add rate limits", "a.py")
        away = registry.with_name("away.db")
        move(registry, away)
        for tool, arguments in {
            "propose_plan": {"title": "Split the routes", "files": ["b.py"]},
            "renew_plan": {"plan_id": made["plan_id"], "token": made["token"]},
            "list_plans": {},
        }.items():
            said = await agent.fail(tool, **arguments)
            told(said)
        with told.raises(Exception):
            await agent.client.read_resource("volition://plans")
        move(away, registry)
        assert (await agent.call("list_plans"))["total"] == 1
        assert (await agent.claim("Split the routes", "b.py"))["outcome"] == "granted"

    talk(play, make_server(registry, "one"))
    assert count_events(registry) == 4


def test_a_registry_that_was_replaced_is_the_one_that_counts(registry: Path) -> None:
    """If another registry takes the place of the file, a server claims there, where everybody else does."""

    async def play(old: Agent) -> None:
        await old.claim("Add rate limits", "a.py")
        move(registry, registry.with_name("away.db"))
        async with Client(make_server(registry, "new")) as client:  # which has never seen the registry that is away
            new = Agent(client, old.schemas)
            assert (await new.claim("Split the routes", "a.py"))["outcome"] == "granted"
            assert (await old.claim("Add rate limits", "a.py"))["outcome"] == "refused"

    talk(play, make_server(registry, "old"))


def test_another_programs_database_is_refused_in_words(registry: Path, told: Told) -> None:
    """A file that is no registry is left as it is."""
    registry.write_bytes(b"minutes of the meeting" * 100)

    async def play(agent: Agent) -> None:
        told(await agent.fail("propose_plan", title="Add rate limits", files=["a.py"]))

    talk(play, make_server(registry, "one"))
    assert registry.read_bytes().startswith(b"minutes")


def test_a_project_must_be_known(registry: Path, told: Told) -> None:
    """Without a name, the only project of the registry is meant; where there is none, the server says what to do."""

    async def first(agent: Agent) -> None:
        told(await agent.fail("propose_plan", title="Add rate limits", files=["a.py"]))

    async def then(agent: Agent) -> None:
        assert (await agent.call("list_plans"))["total"] == 1

    async def claim(agent: Agent) -> None:
        await agent.claim("Add rate limits", "a.py")

    nameless = AgentServer(TeamAccess(parse_store_address(registry)), Callers("ann", "one"))
    talk(first, nameless)
    talk(claim, make_server(registry, "two"))
    talk(then, nameless)


async def hear(news: Any, uri: str) -> None:
    """Wait for the update of a resource."""
    async with asyncio.timeout(PATIENCE):
        async for event in news:
            if event.uri == uri:
                return


def test_updates_reach_the_listeners_of_every_server(registry: Path) -> None:
    """Who listens at one server hears what happens through another, and through the command line."""

    async def play(one: Agent, two: Agent) -> None:
        made = await one.claim("Add rate limits", "a.py")
        plan = f"volition://plans/{made['plan_id']}"
        async with two.client.listen(resource_subscriptions=[plan, "volition://questions"]) as heard:
            await one.call("renew_plan", plan_id=made["plan_id"], token=made["token"])
            await hear(heard, plan)
            waiting = await two.claim("Split the routes", "a.py", mode="wait")
            await one.call("raise_question", plan_id=waiting["plan_id"])
            await hear(heard, "volition://questions")
            for team in look(registry):
                team.withdraw(made["plan_id"], made["token"])
            await hear(heard, plan)
            await hear(heard, "volition://questions")

    talk(play, make_server(registry, "one"), make_server(registry, "two"))
