"""Only a person answers: asked through the client in both eras, and never taken at anything but their word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp_types import ElicitResult

from tests.agents.mcp.talking import ERAS, Agent, look, make_server, talk
from volition.workflow import Flows, Members

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.session import ElicitationFnT as Person

    from tests.sentences import Told


def person(action: str, content: dict[str, Any] | None = None) -> Person:
    """A client that gives this answer to everything."""

    async def reply(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action=action, content=content)  # type: ignore[arg-type]

    return reply


async def silent(context: Any, params: Any) -> ElicitResult:
    """A client that shows the form, and waits as long as it is open."""
    await anyio.sleep_forever()
    raise AssertionError


async def contest(ann: Agent, bob: Agent) -> dict[str, Any]:
    """A plan of Ann's, one of Bob's that waits for it, and the question which of them is followed."""
    await ann.claim("Add rate limits", "a.py")
    waiting = await bob.claim("Split the routes", "a.py", mode="wait")
    raised = await bob.call("raise_question", plan_id=waiting["plan_id"])
    again = await bob.call("raise_question", plan_id=waiting["plan_id"])
    assert raised["flow_id"] == again["flow_id"]
    assert raised["flow_state"] == "asked"
    return {**raised, "waiting": waiting}


def servers(folder: Path, **about: Any) -> list[Any]:
    """Two servers on one registry."""
    return [make_server(folder / "team.db", session, **about) for session in ("one", "two")]


@pytest.mark.req("AG-01")
@pytest.mark.parametrize("era", ERAS)
def test_a_person_answers_and_approves(tmp_path: Path, era: str, told: Told) -> None:
    """An accepted form answers the question, by the person; once it is approved, the plan that was kept is granted."""

    async def play(ann: Agent, bob: Agent) -> None:
        raised = await contest(ann, bob)
        answered = await bob.call("answer_question", flow_id=raised["flow_id"])
        assert (answered["state"], answered["flow_state"]) == ("answered", "judged")
        told(answered["advice"])
        assert (await ann.call("list_questions"))["total"] == 0
        for team in look(tmp_path / "team.db"):
            by = [event.actor for event in team.history(raised["flow_id"]) if event.what == "answered"]
            assert by == ["the person at ann@two"]
            Members(team).join("pat")
            Flows(team).approve(raised["flow_id"], "pat")
        shown = await bob.call("show_plan", plan_id=raised["waiting"]["plan_id"])
        assert (shown["state"], shown["token"]) == ("active", raised["waiting"]["token"])
        assert any(
            "judged" in line or "approved" in line for line in (await bob.call("why", about=raised["flow_id"]))["lines"]
        )
        again = await bob.call("answer_question", flow_id=raised["flow_id"])
        assert again["state"] == "nothing_asked"

    choice = person("accept", {"question_0001": "option_0002"})
    talk(play, *servers(tmp_path), mode=era, elicitation_callback=choice)


NO_ANSWERS: list[tuple[Person | None, str]] = [
    (person("decline"), "the client declined"),
    (person("cancel"), "the client cancelled"),
    (None, "this client cannot ask a person"),
    (person("accept"), "no answer to the form"),
    (person("accept", {}), "no answer to the form"),
    (person("accept", {"question_0001": "option_9999"}), "no answer to the form"),
    (person("accept", {"question_0001": None}), "no answer to the form"),
    (silent, "no answer arrived in time"),
]


@pytest.mark.req("AG-01")
@pytest.mark.parametrize("era", ERAS)
def test_nothing_else_is_an_answer(tmp_path: Path, era: str) -> None:
    """A decline, a cancel, silence, nonsense, or a client that cannot ask: the question stays as it is, and open."""
    one, two = servers(tmp_path)
    # Only this one gives up on somebody: on a slow machine an answer may take longer than any limit.
    hasty = make_server(tmp_path / "team.db", "two", patience=0.05)

    async def play(ann: Agent, bob: Agent) -> None:
        raised = await contest(ann, bob)
        for reply, said in NO_ANSWERS:
            if era == "auto" and reply is silent:
                continue  # in this era the client asks between two calls, so no call waits for a person
            async with Client(hasty if reply is silent else two, mode=era, elicitation_callback=reply) as client:
                result = await client.call_tool("answer_question", {"flow_id": raised["flow_id"]})
            heard = str(result.structured_content or result.content)
            assert said in heard
            assert "Error executing tool" not in heard
            assert result.is_error or (result.structured_content or {})["state"] == "open"
            assert (await ann.call("list_questions"))["questions"] == raised["questions"]

    talk(play, one, two, mode=era)


@pytest.mark.req("AG-01")
@pytest.mark.parametrize("era", ERAS)
def test_only_the_person_is_given_up_on(tmp_path: Path, era: str) -> None:
    """No call is cut off because the machine is slow: patience is for the person who reads the form, and for nothing else."""
    one, two = servers(tmp_path, patience=0.0)

    async def play(ann: Agent, bob: Agent) -> None:
        raised = await contest(ann, bob)
        assert (await ann.call("list_questions"))["questions"] == raised["questions"]
        assert (await bob.call("answer_question", flow_id=raised["flow_id"]))[
            "reason"
        ] == "this client cannot ask a person"

    talk(play, one, two, mode=era)


@pytest.mark.parametrize("era", ERAS)
def test_an_answer_belongs_to_what_was_shown(tmp_path: Path, era: str) -> None:
    """If a plan changes while the person reads, the answer is refused in words, and decides nothing."""
    tokens: dict[str, Any] = {}

    async def slow(context: Any, params: Any) -> ElicitResult:
        for team in look(tmp_path / "team.db"):
            team.withdraw(tokens["plan_id"], tokens["token"])
        return ElicitResult(action="accept", content={"question_0001": "option_0002"})

    async def play(ann: Agent, bob: Agent) -> None:
        raised = await contest(ann, bob)
        tokens.update(raised["waiting"])
        result = await bob.client.call_tool("answer_question", {"flow_id": raised["flow_id"]})
        said = str(result.structured_content or result.content)
        assert "void" in said
        for team in look(tmp_path / "team.db"):
            assert not [event for event in team.history() if event.what == "answered"]

    talk(play, *servers(tmp_path), mode=era, elicitation_callback=slow)


def test_a_plan_that_is_granted_asks_nothing(tmp_path: Path, told: Told) -> None:
    """A question is raised for a plan in line; for any other the reason is said."""

    async def play(agent: Agent) -> None:
        made = await agent.claim("Add rate limits", "a.py")
        told(await agent.fail("raise_question", plan_id=made["plan_id"]))
        told(await agent.fail("answer_question", flow_id="flow_nobody"))

    talk(play, servers(tmp_path)[0])
