"""End to end with the real Codex: a scripted model asks for writes, and the installed hooks decide. `make agents` runs it."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.desks import MINE
from tests.cli.lines import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.agents.desks import Desk

CODEX = shutil.which("codex")
PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/theirs.py\n@@\n-theirs\n+mine\n*** End Patch\nEOF\n"
CALLS = {
    "free": "echo hi > src/free.py",
    "patch": PATCH,
    "mine": "echo hi > src/mine.py",
    "unseen": "python3 -c \"open('src/stray.py', 'w').write('x')\"",
    "around": "git commit --no-verify -am x",
}


class ScriptedModel(http.server.ThreadingHTTPServer):
    """A model that asks for one command after the other, and remembers what it was told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.seen: list[dict[str, Any]] = []
        self.script = [
            {
                "type": "function_call",
                "call_id": name,
                "name": "exec_command",
                "arguments": json.dumps({"cmd": command}),
            }
            for name, command in CALLS.items()
        ]

    def next_item(self) -> dict[str, Any]:
        """What the model says next; a message once everything was asked for."""
        done = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
        return self.script[len(self.seen) - 1] if len(self.seen) <= len(self.script) else done


class _Answer(http.server.BaseHTTPRequestHandler):
    server: ScriptedModel

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        self.server.seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        item = {"type": "response.output_item.done", "item": self.server.next_item()}
        events = [item, {"type": "response.completed", "response": {"id": "r"}}]
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model on this machine."""
    server = ScriptedModel()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.skipif(
    CODEX is None, reason="codex is not installed: the guard is NOT TRIED with a real client (make agents)"
)
def test_codex_is_held_to_its_plan(
    desk: Desk, model: ScriptedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what `agents install` wrote, Codex writes the file of its plan; every visible write elsewhere is denied with a
    reason that the model reads, an unseen one is named afterwards, and all of it is in the journal."""
    assert CODEX is not None
    assert run(capsys, "agents", "install", "codex", "--repository", desk.repo).code == 0
    (desk.repo / ".codex" / "config.toml").unlink()
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        f"""model = "scripted"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics = {{ enabled = false }}
[model_providers.loopback]
name = "loopback"
base_url = "http://127.0.0.1:{model.server_address[1]}/v1"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[projects."{desk.repo}"]
trust_level = "trusted"
"""
    )
    done = subprocess.run(
        [CODEX, "exec", "--json", "--dangerously-bypass-hook-trust", "go"],
        cwd=desk.repo, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home), "VOLITION_PLAN": MINE},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = {
        item["call_id"]: str(item["output"])
        for item in model.seen[-1]["input"]
        if item["type"] == "function_call_output"
    }
    assert "src/free.py is not in your plan" in said["free"]
    assert "intent_theirs of bob has it until" in said["patch"]
    assert "arms the guard" in said["around"]
    assert "src/stray.py changed and is not in your plan" in said["unseen"]
    read = {name: (desk.repo / "src" / f"{name}.py").read_text() for name in ("free", "theirs", "mine", "stray")}
    assert read == {"free": "free\n", "theirs": "theirs\n", "mine": "hi\n", "stray": "x"}
    kinds = [entry["what"] for entry in desk.entries()]
    assert {"start", "deny", "pass", "marked", "stray"} == set(kinds)
    assert kinds.count("deny") == 3
