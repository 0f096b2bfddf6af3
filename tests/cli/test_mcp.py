"""`volition mcp` as a person types it: what it refuses before it serves."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from tests.cli.lines import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.sentences import Told


def test_a_taken_port_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A port that somebody else has ends it with 4, and says which one; no registry was made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run(capsys, "mcp", "--registry", str(tmp_path / "team.db"), "--port", port)
    assert (ended.code, f"port {port}" in ended.err) == (4, True)
    assert list(tmp_path.iterdir()) == []


def test_a_session_is_for_one_agent(capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A server for many agents takes no session."""
    ended = run(capsys, "mcp", "--registry", "team.db", "--port", "0", "--session", "s1")
    assert ended.code == 2
    told(ended.err)


def test_a_registry_must_be_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no default: agents in different folders would each get one."""
    monkeypatch.delenv("VOLITION_REGISTRY", raising=False)
    ended = run(capsys, "mcp")
    assert (ended.code, "VOLITION_REGISTRY" in ended.err) == (2, True)


def test_without_the_sdk_the_extra_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the SDK is not installed, it ends with 4 and names the extra."""
    monkeypatch.setattr("volition.core.extras.find_spec", lambda name: None)
    ended = run(capsys, "mcp", "--registry", str(tmp_path / "team.db"))
    assert (ended.code, "'.[agents]'" in ended.err) == (4, True)
