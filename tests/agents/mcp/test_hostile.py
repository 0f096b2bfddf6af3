"""Whatever arguments come, the answer is words: nothing crashes, nothing is stored, and no answer is too long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.agents.mcp.talking import ERAS, Agent, count_events, make_server, talk
from volition.agents.mcp.answers import LIMIT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

GOOD = {"title": "Add rate limits", "files": ["a.py"]}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("propose_plan", {"title": "Add rate limits"}, "files"),
    ("propose_plan", {**GOOD, "titles": "x"}, "did you mean 'title'"),
    ("propose_plan", {**GOOD, "files": []}, "names nothing that it touches"),
    ("propose_plan", {**GOOD, "files": ["/etc/passwd", "~/x", "C:/x"]}, "3 problems"),
    ("propose_plan", {**GOOD, "files": ["a\\b.py"]}, "as git writes it"),
    ("propose_plan", {**GOOD, "files": ["a\0b"]}, "as git writes it"),
    ("propose_plan", {**GOOD, "files": [" a.py"]}, "as git writes it"),
    ("propose_plan", {**GOOD, "files": ["../../secret"]}, "leads out of the project"),
    ("propose_plan", {**GOOD, "files": ["x" * 600]}, "at most 512"),
    ("propose_plan", {**GOOD, "files": [f"{n}.py" for n in range(300)]}, "at most 200"),
    ("propose_plan", {**GOOD, "files": {"a": 1}}, "list"),
    ("propose_plan", {**GOOD, "effects": ["write", "explode"]}, "explode"),
    ("propose_plan", {**GOOD, "effects": []}, "effects"),
    ("propose_plan", {**GOOD, "priority": 2**63}, "priority"),
    ("propose_plan", {**GOOD, "lease_minutes": -1}, "lease_minutes"),
    ("propose_plan", {**GOOD, "lease_minutes": 1e300}, "lease_minutes"),
    ("propose_plan", {**GOOD, "mode": "force"}, "mode"),
    ("propose_plan", {**GOOD, "title": "x" * 1_000_000}, "at most 160"),
    ("propose_plan", {**GOOD, "depends_on": ["not an id"]}, "depends_on"),
    ("propose_plan", {**GOOD, "goal": "subprocess.run('rm -rf /')"}, "goal"),
    ("revise_plan", {"plan_id": "intent_nobody", "token": 1}, "nothing is to be changed"),
    ("revise_plan", {"plan_id": "intent_nobody", "token": 1, "files": ["a.py"]}, "there is no plan"),
    ("revise_plan", {"plan_id": "intent_nobody", "token": 1, "effects": ["explode"]}, "explode"),
    ("renew_plan", {"plan_id": "intent_nobody", "token": 1}, "there is no plan"),
    ("finish_plan", {"plan_id": "intent_nobody", "token": 0}, "token"),
    ("withdraw_plan", {"plan_id": "intent_nobody", "token": 2**70}, "withdraw_plan, token"),
    ("show_plan", {"plan_id": "'; DROP TABLE plan; --"}, "there is no plan"),
    ("show_plan", {"plan_id": "x" * 100_000}, "plan_id"),
    ("list_plans", {"state": "stolen"}, "state"),
    ("list_questions", {"cursor": "-1"}, "is not a cursor"),
    ("why", {"about": "intent_nobody"}, "there is no plan"),
    ("why", {"about": "flow_nobody"}, "there is no flow"),
    ("raise_question", {"plan_id": "intent_nobody"}, "there is no plan"),
    ("answer_question", {"flow_id": "flow_nobody", "answer": {"question_0001": "option_0001"}}, "no argument 'answer'"),
    ("answer_question", {"flow_id": "flow_nobody", "flow": {}}, "no argument 'flow'"),
]  # fmt: skip


def test_bad_arguments_are_refused_in_words(tmp_path: Path) -> None:
    """Each mistake is named, the answer is short, and the registry has no event more than before."""
    registry = tmp_path / "team.db"

    async def play(agent: Agent) -> None:
        await agent.claim("Keep the registry open", "kept.py")
        before = count_events(registry)
        for tool, arguments, said in REFUSED:
            heard = await agent.fail(tool, **arguments)
            assert said in heard, (tool, heard)
            assert "pydantic" not in heard
        assert count_events(registry) == before

    talk(play, make_server(registry, "one"))


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_tool_is_a_protocol_error(tmp_path: Path, era: str) -> None:
    """A tool that is not listed is no tool's failure: the request is refused, with the name that may be meant."""

    async def play(agent: Agent) -> None:
        for name, said in {
            "propose_plans": "did you mean 'propose_plan'?",
            "zzz": "call one of answer_question, ",
        }.items():
            with pytest.raises(MCPError, match=re.escape(said)) as refused:
                await agent.client.call_tool(name, {})
            assert refused.value.error.code == -32602

    talk(play, make_server(tmp_path / "team.db", "one"), mode=era)


def test_a_token_of_another_plan_opens_nothing(tmp_path: Path, told: Told) -> None:
    """Every write needs the token of its plan's newest grant."""

    async def play(agent: Agent) -> None:
        one = await agent.claim("Add rate limits", "a.py")
        two = await agent.claim("Split the routes", "b.py")
        for tool, more in {
            "renew_plan": {},
            "finish_plan": {},
            "withdraw_plan": {},
            "revise_plan": {"goal": "Be fairer"},
        }.items():
            said = await agent.fail(tool, plan_id=one["plan_id"], token=two["token"], **more)
            told(said)

    talk(play, make_server(tmp_path / "team.db", "one"))


TOOLS = sorted({tool for tool, _, _ in REFUSED})
WORDS = st.text(max_size=30) | st.sampled_from(
    ["intent_add_rate_limits", "flow_1", "src/a.py", "[1]", "null", "\\u202e\\ud7ff"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=5,
)
NAMES = st.sampled_from(
    ["title", "files", "modules", "effects", "goal", "depends_on", "priority", "mode", "lease_minutes", "plan_id",
     "token", "cursor", "state", "about", "against", "why", "flow_id", "context"]
)  # fmt: skip


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function that calls a tool of one server and waits for its answer."""
    server = make_server(tmp_path_factory.mktemp("hostile") / "team.db", "one")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        portal.call(client.call_tool, "propose_plan", GOOD)
        yield lambda tool, arguments: portal.call(client.call_tool, tool, arguments)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tool=st.sampled_from(TOOLS), arguments=st.dictionaries(NAMES, VALUES, max_size=6))
def test_no_arguments_crash_a_tool(caller: Any, tool: str, arguments: dict[str, Any]) -> None:
    """Any JSON at all is answered with data or with words, and shortly."""
    result = caller(tool, arguments)
    (content,) = result.content
    assert len(content.text) < LIMIT
    assert "Error executing tool" not in content.text


async def read_all(agent: Agent, tool: str, key: str, **arguments: Any) -> list[Any]:
    """All items of a list, page after page."""
    page = await agent.call(tool, **arguments)
    items = list(page[key])
    while page["next_cursor"] is not None:
        page = await agent.call(tool, cursor=page["next_cursor"], **arguments)
        items += page[key]
    return items


def test_long_lists_come_in_pages(tmp_path: Path) -> None:
    """However many plans and obstacles there are, and however long their names, every answer is short, and the pages
    together have each of them once."""
    registry = tmp_path / "team.db"
    long = "".join(f"{part}_" * 8 for part in ("some", "deep", "folder"))

    async def play(agent: Agent, other: Agent) -> None:
        for number in range(20):
            title = f"{number:03d} <{'&' * 60}> {'ü' * 60}"
            await agent.claim(title, *(f"{long}{number}/{'é' * 60}_{file}.py" for file in range(12)))
        plans = await read_all(agent, "list_plans", "plans")
        assert len(plans) == len({plan["plan_id"] for plan in plans}) == 20
        wide = await other.claim("Rewrite everything", *(f"{long}{number}" for number in range(20)), mode="wait")
        met = await read_all(other, "show_plan", "obstacles", plan_id=wide["plan_id"])
        assert (
            len(met) == len({each["resource"] for each in met}) == len(wide["obstacles"]) + wide["more_obstacles"] >= 20
        )
        lines = await read_all(other, "why", "lines", about=wide["plan_id"])
        assert sum(line.startswith("now:") for line in lines) == 21
        raised = await other.call("raise_question", plan_id=wide["plan_id"])
        assert raised["flow_state"] == "asked"
        await other.call("list_questions")

    talk(play, make_server(registry, "one"), make_server(registry, "two"))
