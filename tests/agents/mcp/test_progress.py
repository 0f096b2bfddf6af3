"""A call that takes long tells a client that asked how it goes on; others hear nothing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp_types import ElicitResult

from tests.agents.mcp.talking import ERAS, PROJECT, Agent, make_server, talk
from tests.agents.mcp.test_questions import contest
from tests.processes import PATIENCE
from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import Callers
from volition.agents.mcp.server import ASKING, WORKING, AgentServer
from volition.workflow import parse_store_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from threading import Event

    from volition.workflow import Team

pytestmark = pytest.mark.req("AG-01")


class BusyRegistry(TeamAccess):
    """A registry that somebody else uses until `free` is set."""

    free: Event

    @contextmanager
    def use(self, *, new: bool = False) -> Iterator[Team]:
        with super().use(new=new) as team:
            if new:
                assert self.free.wait(PATIENCE)
            yield team


@pytest.mark.parametrize("era", ERAS)
def test_a_long_call_reports_and_counts_up(tmp_path: Path, era: str) -> None:
    """While the registry is busy, reports come one after another, each higher than the last; then comes the answer. A call
    that is answered at once reports nothing."""
    from threading import Event

    access = BusyRegistry(parse_store_address(tmp_path / "team.db"), PROJECT)
    access.free = Event()
    heard: list[tuple[float, float | None, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))
        if len(heard) == 3:
            access.free.set()

    async def play(agent: Agent) -> None:
        made = await agent.client.call_tool(
            "propose_plan", {"title": "Add rate limits", "files": ["a.py"]}, progress_callback=listen
        )
        assert (made.structured_content or {})["outcome"] == "granted"
        assert len(heard) >= 3
        assert [each[0] for each in heard] == sorted({each[0] for each in heard})
        assert {each[1:] for each in heard} == {(None, WORKING)}

    talk(play, AgentServer(access, Callers("ann", "one"), pulse=0.02), mode=era)


def test_waiting_for_a_person_is_reported(tmp_path: Path) -> None:
    """Where the call itself waits for a person, the client is told that it does, and goes on being told."""
    told = anyio.Event()
    heard: list[str | None] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)
        if heard.count(ASKING) > 2:
            told.set()

    async def person(context: Any, params: Any) -> ElicitResult:
        await told.wait()
        return ElicitResult(action="decline")

    async def play(ann: Agent, bob: Agent) -> None:
        raised = await contest(ann, bob)
        asked = await bob.client.call_tool("answer_question", {"flow_id": raised["flow_id"]}, progress_callback=listen)
        assert (asked.structured_content or {})["reason"] == "the client declined"

    servers = [make_server(tmp_path / "team.db", name, pulse=0.02) for name in ("one", "two")]
    talk(play, *servers, mode="legacy", elicitation_callback=person)
