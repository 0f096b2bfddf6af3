"""End to end with the real Codex: a scripted model asks for writes, and the installed hooks decide. `make agents` runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import MINE
from tests.agents.scripted import CodexModel, codex_call, codex_outputs, serve_model
from tests.cli.lines import run
from tests.keys import VARIABLE
from tests.processes import PATIENCE
from tests.workflow.plans import PROJECT

if TYPE_CHECKING:
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
pytestmark = pytest.mark.skipif(
    CODEX is None, reason="codex is not installed: the guard is NOT TRIED with the real one (make agents)"
)


def run_codex(desk: Desk, model: CodexModel, home: Path, **environment: str) -> None:
    """Let Codex work at a desk with what `agents install` wrote there and with our server, until the script is over."""
    home.mkdir()
    server = ["-m", "volition.cli", "mcp", "--project", PROJECT, "--holder", "cy", "--registry", str(desk.registry)]
    (home / "config.toml").write_text(
        f"""model = "scripted"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics = {{ enabled = false }}
[model_providers.loopback]
name = "loopback"
base_url = "{model.address}/v1"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[projects."{desk.repo}"]
trust_level = "trusted"
[mcp_servers.volition]
command = "{sys.executable}"
args = {server}
env_vars = ["{VARIABLE}"]
required = true
startup_timeout_sec = 60
"""
    )
    done = subprocess.run(
        [str(CODEX), "exec", "--json", "--dangerously-bypass-hook-trust", "go"],
        cwd=desk.repo, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env={
            "PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home), VARIABLE: os.environ[VARIABLE],
            **environment,
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture
def guarded(desk: Desk, capsys: pytest.CaptureFixture[str]) -> Desk:
    """The desk with the hooks that are installed for Codex."""
    assert run(capsys, "agents", "install", "codex", "--repository", desk.repo).code == 0
    (desk.repo / ".codex" / "config.toml").unlink()
    return desk


def test_codex_is_held_to_its_plan(guarded: Desk, tmp_path: Path) -> None:
    """With what `agents install` wrote, Codex writes the file of its plan; every visible write elsewhere is denied with a
    reason that the model reads, an unseen one is named afterwards, and all of it is in the journal."""
    model = CodexModel([codex_call(name, "exec_command", {"cmd": command}) for name, command in CALLS.items()])
    with serve_model(model):
        run_codex(guarded, model, tmp_path / "home", VOLITION_PLAN=MINE)
    said = codex_outputs(model.told[0])
    assert "src/free.py is not in your plan" in said["free"]
    assert "intent_theirs of bob has it until" in said["patch"]
    assert "arms the guard" in said["around"]
    assert "src/stray.py changed and is not in your plan" in said["unseen"]
    read = {name: (guarded.repo / "src" / f"{name}.py").read_text() for name in ("free", "theirs", "mine", "stray")}
    assert read == {"free": "free\n", "theirs": "theirs\n", "mine": "hi\n", "stray": "x"}
    kinds = [entry["what"] for entry in guarded.entries()]
    assert {"start", "deny", "pass", "marked", "stray"} == set(kinds)
    assert kinds.count("deny") == 3


def test_a_subagent_of_codex_has_its_own_plan(guarded: Desk, tmp_path: Path) -> None:
    """A subagent claims a plan through the server and writes its file: the thread that the server is told of is the agent that
    the hook is told of. The agent that started it may not write there."""
    plan = {"title": "Change the free file", "files": ["src/free.py"]}
    model = CodexModel(
        [
            codex_call("spawn", "spawn_agent", {"message": "change it"}, namespace="multi_agent_v1"),
            codex_call("parent", "exec_command", {"cmd": "echo parent > src/free.py"}),
        ],
        [
            codex_call("early", "exec_command", {"cmd": "echo early > src/free.py"}),
            codex_call("claim", "propose_plan", plan, namespace="mcp__volition"),
            codex_call("child", "exec_command", {"cmd": "echo child > src/free.py"}),
        ],
    )
    with serve_model(model):
        run_codex(guarded, model, tmp_path / "home")
    parent, child = map(codex_outputs, model.told)
    session, thread = model.threads
    assert '"outcome":"granted"' in child["claim"]
    assert "src/free.py is not in a plan" in child["early"]
    assert f"of cy@{session}/{thread} has it until" in parent["parent"]
    assert (guarded.repo / "src" / "free.py").read_text() == "child\n"
