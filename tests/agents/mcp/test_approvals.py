"""Approving at a client: a person does, through a form that shows exactly what is approved, and only where it is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp_types import ElicitResult
from msgspec.structs import replace

from tests.agents.mcp.talking import ERAS, Agent, look, make_server, talk
from volition.agents.mcp.forms import ACTIONS_SHOWN, NO, YES, shows_all
from volition.workflow import Flows, Members

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.sentences import Told

pytestmark = [pytest.mark.req("AG-01"), pytest.mark.req("AG-05")]


class Person:
    """Somebody at a client: answers the question with its second option, and an approval as told. Remembers the forms."""

    def __init__(self, *decisions: Any) -> None:
        self.decisions = list(decisions)
        self.forms: list[Any] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        if "decision" not in params.requested_schema["properties"]:
            return ElicitResult(action="accept", content={"question_0001": "option_0002"})
        self.forms.append(params)
        decided = self.decisions.pop(0)
        if callable(decided):
            decided = decided()
        return (
            ElicitResult(action="accept", content=decided)
            if isinstance(decided, dict)
            else ElicitResult(action=decided)
        )


async def judged(ann: Agent, bob: Agent) -> dict[str, Any]:
    """Plans of Ann's and Bob's that collided, and of which a person has kept Bob's; that is not approved yet."""
    await ann.claim("Add rate limits", "a.py")
    waiting = await bob.claim("Split the routes", "a.py", mode="wait")
    raised = await bob.call("raise_question", plan_id=waiting["plan_id"])
    answered = await bob.call("answer_question", flow_id=raised["flow_id"])
    assert answered["flow_state"] == "judged"
    return waiting | raised


def crew(folder: Path, names: Sequence[str] = ("ann", "bob", "cat")) -> list[Any]:
    """Servers that let people approve, one for each name."""
    return [make_server(folder / "team.db", f"{name}_1", name=name, forms="approvals") for name in names]


@pytest.mark.parametrize("era", ERAS)
def test_a_person_approves_exactly_what_is_shown(tmp_path: Path, era: str) -> None:
    """The form shows the hash, every plan and every action; accepted with a yes, the flow is approved by the person at
    that client, and the plan that was kept is granted. A second time there is nothing to approve."""
    person = Person({"decision": YES})

    async def play(ann: Agent, bob: Agent, cat: Agent) -> None:
        flow = await judged(ann, bob)
        (status,) = [Flows(team).status(flow["flow_id"]) for team in look(tmp_path / "team.db")]
        done = await cat.call("ask_approval", flow_id=flow["flow_id"])
        assert done["state"] == "approved"
        (form,) = person.forms
        shown = [status.graph_hash, *status.plans, *(each.words for each in status.actions)]
        assert all(text in form.message for text in shown)
        assert form.requested_schema["required"] == ["decision"]
        assert "default" not in form.requested_schema["properties"]["decision"]
        assert (await bob.call("show_plan", plan_id=flow["plan_id"]))["state"] == "active"
        assert (await cat.call("ask_approval", flow_id=flow["flow_id"]))["state"] == "nothing_asked"
        for team in look(tmp_path / "team.db"):
            (event,) = [each for each in team.history(flow["flow_id"]) if each.what == "approved"]
            assert (event.actor, event.body["graph_hash"]) == ("the person at cat@cat_1", status.graph_hash)

    talk(play, *crew(tmp_path), mode=era, elicitation_callback=person)


@pytest.mark.parametrize("era", ERAS)
def test_nothing_else_approves(tmp_path: Path, era: str, told: Told) -> None:
    """A no, a decline, a cancel, an empty form, nonsense, and whatever a model gives as an argument approve nothing."""
    nothing: list[Any] = [
        {"decision": NO}, "decline", "cancel", {}, {"decision": "yes"}, {"decision": True}, {"approve": YES},
    ]  # fmt: skip
    person = Person(*nothing)

    async def play(ann: Agent, bob: Agent, cat: Agent) -> None:
        flow = await judged(ann, bob)
        for _ in nothing:
            result = await cat.client.call_tool("ask_approval", {"flow_id": flow["flow_id"]})
            assert result.is_error or (result.structured_content or {})["state"] == "open"
        forged: list[dict[str, Any]] = [
            {"decision": YES},
            {"answer": {"decision": YES}},
            {"exactly": "f"},
            {"flow": {}},
        ]
        for more in forged:
            told(await cat.fail("ask_approval", flow_id=flow["flow_id"], **more))
        for team in look(tmp_path / "team.db"):
            assert Flows(team).status(flow["flow_id"]).state == "judged"

    talk(play, *crew(tmp_path), mode=era, elicitation_callback=person)
    assert not person.decisions


def test_a_client_without_forms_approves_nothing(tmp_path: Path, told: Told) -> None:
    """Where no form can be shown, the agent is told that a person has to approve elsewhere."""
    made: dict[str, Any] = {}

    async def prepare(ann: Agent, bob: Agent) -> None:
        made.update(await judged(ann, bob))

    async def play(cat: Agent) -> None:
        said = await cat.call("ask_approval", flow_id=made["flow_id"])
        assert (said["state"], said["reason"]) == ("open", "this client cannot ask a person")
        told(said["advice"])

    talk(prepare, *crew(tmp_path)[:2], elicitation_callback=Person())
    talk(play, crew(tmp_path)[2])


@pytest.mark.parametrize("era", ERAS)
def test_nobody_approves_their_own(tmp_path: Path, era: str, told: Told) -> None:
    """A person is not even asked to approve a plan of an agent of their name; where a keeper allows it, they are."""
    person = Person({"decision": YES})

    async def play(ann: Agent, bob: Agent, second: Agent) -> None:
        flow = await judged(ann, bob)
        for own in (ann, bob, second):
            told(await own.fail("ask_approval", flow_id=flow["flow_id"]))
        assert not person.forms
        for team in look(tmp_path / "team.db"):
            Members(team).change_settings("ann@ann_1", own_approval="allow")
        assert (await bob.call("ask_approval", flow_id=flow["flow_id"]))["state"] == "approved"

    servers = [*crew(tmp_path)[:2], make_server(tmp_path / "team.db", "bob_2", name="bob", forms="approvals")]
    talk(play, *servers, mode=era, elicitation_callback=person)


@pytest.mark.parametrize("era", ERAS)
def test_an_approval_belongs_to_what_was_shown(tmp_path: Path, era: str) -> None:
    """If a plan ends while the person reads, the yes approves nothing."""
    plan: dict[str, Any] = {}

    def late() -> dict[str, str]:
        for team in look(tmp_path / "team.db"):
            team.withdraw(plan["plan_id"], plan["token"])
        return {"decision": YES}

    async def play(ann: Agent, bob: Agent, cat: Agent) -> None:
        plan.update(await judged(ann, bob))
        result = await cat.client.call_tool("ask_approval", {"flow_id": plan["flow_id"]})
        assert "void" in str(result.structured_content or result.content)
        for team in look(tmp_path / "team.db"):
            assert not [event for event in team.history() if event.what == "approved"]

    talk(play, *crew(tmp_path), mode=era, elicitation_callback=Person(late))


def test_what_people_may_do_here_is_a_setting(tmp_path: Path) -> None:
    """By default a form answers but does not approve, and a server can be told to ask nobody."""
    asking = {"none": set[str](), "answers": {"answer_question"}, "approvals": {"answer_question", "ask_approval"}}

    async def play(*agents: Agent) -> None:
        for agent, names in zip(agents, [*asking.values(), asking["answers"]], strict=True):
            tools = {tool.name for tool in (await agent.client.list_tools()).tools}
            assert tools & asking["approvals"] == names

    servers = [make_server(tmp_path / "team.db", forms, forms=forms) for forms in asking]
    talk(play, *servers, make_server(tmp_path / "team.db", "usual"))


def test_what_a_form_cannot_show_is_not_approved_there(tmp_path: Path) -> None:
    """A flow with more actions than are shown, or with longer ones, is approved elsewhere."""

    async def play(ann: Agent, bob: Agent) -> None:
        flow = await judged(ann, bob)
        (status,) = [Flows(team).status(flow["flow_id"]) for team in look(tmp_path / "team.db")]
        assert shows_all(status)
        (action, *_) = status.actions
        long = {**(action.action or {}), "parameters": {f"part_{count}": "some text" for count in range(30)}}
        assert not shows_all(replace(status, actions=(action,) * (ACTIONS_SHOWN + 1)))
        assert not shows_all(replace(status, actions=(replace(action, action=long),)))

    talk(play, *crew(tmp_path)[:2], elicitation_callback=Person())
