"""The same over real pipes, and over a real port in both eras: `volition mcp` as clients start it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from mcp import StdioServerParameters

from tests.agents.mcp.talking import PROJECT, make_server, talk
from tests.agents.mcp.test_tools import work_together
from tests.keys import VARIABLE
from tests.warm import warm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND = ("-m", "volition.cli", "mcp", "--project", PROJECT, "--holder", "ann", "--registry")


@pytest.mark.req("AG-01")
def test_agents_work_together_over_pipes(tmp_path: Path) -> None:
    """An agent has a server of its own, as its client starts it; it meets another one in the registry."""
    registry = tmp_path / "team.db"
    key = {VARIABLE: os.environ[VARIABLE]}
    program = tmp_path / "python"
    warm().program(program)
    starts = StdioServerParameters(command=str(program), args=[*COMMAND, str(registry)], env=key)
    talk(work_together, starts, make_server(registry, "two"), mode="auto")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where one server listens for any number of agents; it ends with 0 when it is interrupted."""
    command = [sys.executable, *COMMAND, str(tmp_path / "team.db"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        yield found[0]
        server.send_signal(2)
        assert server.wait() == 0


@pytest.mark.req("AG-01")
def test_agents_work_together_over_a_port(address: str) -> None:
    """One server serves agents of both eras, and tells them apart: in the older one by their sessions."""

    async def play(ann: Any, bob: Any) -> None:
        # In this era requests have no session, so nobody is known again: a plan is its token's.
        made = await ann.claim("Add rate limits", "modern/a.py")
        assert (await bob.claim("Add rate limits", "modern/a.py"))["outcome"] == "refused"
        assert (await ann.claim("Add rate limits", "modern/a.py"))["outcome"] == "refused"
        assert (await ann.call("show_plan", plan_id=made["plan_id"]))["token"] is None
        renewed = await ann.call("renew_plan", plan_id=made["plan_id"], token=made["token"])
        assert renewed["outcome"] == "granted"
        await ann.call("finish_plan", plan_id=made["plan_id"], token=made["token"])
        assert (await ann.call("list_plans"))["plans"] == []

    talk(work_together, address, address, mode="legacy")
    talk(play, address, address, mode="auto")
