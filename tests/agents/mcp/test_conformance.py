"""The protocol's official conformance suite against our server, in both eras. `make mcp` runs it where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from mcp.shared.exceptions import MCPError

from tests.agents.mcp.conformance_server import make_conformance_server
from tests.agents.mcp.talking import Agent, talk
from tests.processes import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told


SUITE: Final = shutil.which("conformance")
PAGE: Final = Path(__file__).parents[3] / "docs" / "agents.md"
NOT_OFFERED: Final = {
    "logging-set-level": "the revision of 2026-07-28 gives log messages up; ours go to stderr",
    "tools-call-with-logging": "as above",
    "tools-call-sampling": "the server judges by rules and never asks the client's model",
    "resources-subscribe": "updates are for clients of the revision of 2026-07-28; others read again",
    "resources-unsubscribe": "as above",
    "tasks-": "an extension: every call is answered at once, or with a question to a person",
}
"""What the suite asks for and a server of this kind does not offer: how the scenario's name begins, and why."""
PASSED: Final = {"2025-11-25": 27, "2026-07-28": 40}
"""How many scenarios of each revision pass at least."""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where the server with the suite's fixtures listens."""
    command = [sys.executable, "-m", "tests.agents.mcp.conformance_server", str(tmp_path / "team.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.send_signal(2)


@pytest.mark.skipif(SUITE is None, reason="the official suite is not installed: it is NOT RUN (make mcp)")
@pytest.mark.parametrize("revision", PASSED)
def test_the_official_suite_passes(address: str, tmp_path: Path, revision: str) -> None:
    """Every scenario that a revision requires passes, except for what is not offered, which is named with its reason."""
    assert SUITE is not None
    ran = subprocess.run(
        [SUITE, "server", "--url", address, "--requirements", revision],
        cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    results = re.findall(r"^([✓✗]) (\S+): (\d+) passed, (\d+) failed$", ran.stdout, re.MULTILINE)
    failed = {name for mark, name, _, _ in results if mark == "✗"}
    passed = {name for mark, name, count, _ in results if mark == "✓" and int(count)}
    checks = sum(int(count) for *_, count, _ in results)
    sys.stdout.write(f"{revision}: {len(passed)} scenarios, {checks} checks passed; not offered: {sorted(failed)}\n")
    assert len(passed) >= PASSED[revision], ran.stdout[-3000:] + ran.stderr[-3000:]
    assert {name for name in failed if not name.startswith(tuple(NOT_OFFERED))} == set(), ran.stdout[-6000:]


def test_the_suite_meets_the_server_that_agents_use(tmp_path: Path, told: Told) -> None:
    """The fixtures stand beside our tools, in one list, with one way of failing."""

    async def play(agent: Agent) -> None:
        names = {tool.name for tool in (await agent.client.list_tools()).tools}
        assert {"propose_plan", "answer_question", "test_simple_text"} < names
        assert (await agent.client.call_tool("test_simple_text", {})).content[0].type == "text"
        assert "intentionally" in await agent.fail("test_error_handling")
        with told.raises(MCPError):
            await agent.client.call_tool("test_simple_txt", {})

    talk(play, make_conformance_server(tmp_path / "team.db"))


def test_what_is_not_offered_is_documented() -> None:
    """The page about agents names what the suite asks for and the server does not have."""
    page = PAGE.read_text(encoding="utf-8")
    for name in NOT_OFFERED:
        assert f"`{name.rstrip('-')}`" in page, name
