"""The page about coding agents shows what agents are really told."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.agents.mcp.talking import Agent, make_server, talk

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorials" / "coding-agents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("shown", re.findall(r"^```text\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL))
def test_the_tutorial_shows_what_the_example_prints(shown: str) -> None:
    """Every answer in the tutorial is, line for line, in the output of its example, which is run by itself."""
    assert shown in (ROOT / "examples" / "output" / "26_two_agents.txt").read_text(encoding="utf-8")


def test_the_page_names_every_tool_and_resource(tmp_path: Path) -> None:
    """The table has all tools, and no others."""
    table = PAGE.partition("## Tools")[2].partition("\n\nThe resources")[0]

    async def play(agent: Agent) -> None:
        tools = (await agent.client.list_tools()).tools
        assert set(re.findall(r"^\| `(.+)` \|", table.replace("`, `", "` |\n| `"), re.MULTILINE)) == {
            tool.name for tool in tools
        }
        for resource in (await agent.client.list_resources()).resources:
            assert f"`{resource.uri}`" in PAGE

    talk(play, make_server(tmp_path / "team.db", "one", forms="approvals"))


def test_the_settings_are_valid() -> None:
    """The settings for clients are JSON and TOML, and start `volition mcp` with a registry."""
    (written,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (codex,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    one = json.loads(written)["mcpServers"]["volition"]
    other = tomllib.loads(codex)["mcp_servers"]["volition"]
    assert one["args"] == other["args"]
    assert one["args"][:2] == ["mcp", "--registry"]
