"""End to end with the real Codex: a scripted model asks for writes, and what `agents install` wrote decides, with nothing else.
`make agents` runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import MINE, git, lay_out_story
from tests.agents.scripted import CodexModel, codex_call, codex_outputs, granted_plan, serve_model
from tests.cli.lines import run
from tests.keys import VARIABLE
from tests.processes import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.agents.scripted import Said

CODEX = shutil.which("codex")
PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/theirs.py\n@@\n-theirs\n+mine\n*** End Patch\nEOF\n"
CALLS = {
    "free": "echo hi > src/free.py",
    "patch": PATCH,
    "mine": "echo hi > src/mine.py",
    "unseen": "python3 -c \"open('src/stray.py', 'w').write('x')\"",
    "around": "git commit --no-verify -am x",
}
SERVER = "mcp__volition"
pytestmark = [
    pytest.mark.skipif(
        CODEX is None, reason="codex is not installed: the guard is NOT TRIED with the real one (make agents)"
    ),
]


def run_codex(tree: Path, model: CodexModel, home: Path, **environment: str) -> None:
    """Let Codex work in a worktree with what `agents install` wrote there, until the script is over."""
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
base_url = "{model.address}/v1"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[projects."{tree}"]
trust_level = "trusted"
"""
    )
    author = {f"GIT_{who}_{what}": "cy@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        [str(CODEX), "exec", "--json", "--dangerously-bypass-hook-trust", "go"],
        cwd=tree, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env={
            "PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home), VARIABLE: os.environ[VARIABLE],
            "VOLITION_HOLDER": "cy", **author, **environment,
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture
def guarded(desk: Desk, capsys: pytest.CaptureFixture[str]) -> Desk:
    """The desk with what is installed for Codex."""
    assert run(capsys, "agents", "install", "codex", "--repository", desk.repo).code == 0
    return desk


@pytest.mark.parametrize("place", ["main", "linked"])
def test_a_story_in_three_acts(desk: Desk, tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A write to another's file is refused, with the reason that the model reads; through the server the agent hears who is in the
    way, and changes its plan; then it writes, commits, finishes and pushes. In the main worktree and in a linked one."""
    tree = lay_out_story(desk, place)
    assert run(capsys, "agents", "install", "codex", "git", "--repository", tree).code == 0

    def finish(told: Said) -> Said:
        return codex_call("finish", "finish_plan", granted_plan(codex_outputs(told)["claim"]), namespace=SERVER)

    theirs, free = ({"title": "Change a file", "files": [f"src/{name}.py"]} for name in ("theirs", "free"))
    model = CodexModel(
        [
            codex_call("early", "exec_command", {"cmd": "echo hi > src/theirs.py"}),
            codex_call("refused", "propose_plan", theirs, namespace=SERVER),
            codex_call("claim", "propose_plan", free, namespace=SERVER),
            codex_call("write", "exec_command", {"cmd": "echo hi > src/free.py"}),
            codex_call("commit", "exec_command", {"cmd": "git add src/free.py && git commit -qm Free"}),
            finish,
            codex_call("push", "exec_command", {"cmd": "git push -q origin HEAD:cy"}),
        ]
    )
    with serve_model(model):
        run_codex(tree, model, tmp_path / "home")
    said = codex_outputs(model.told[0])
    assert "intent_theirs of bob has it until" in said["early"]
    assert '"outcome":"refused"' in said["refused"]
    assert '"outcome":"granted"' in said["claim"]
    assert '"state":"finished"' in said["finish"]
    assert (tree / "src" / "theirs.py").read_text() == "theirs\n"
    assert git(desk.repo.parent / "far.git", "show", "cy:src/free.py") == "hi\n", said
    assert {plan.holder.partition("@")[0] for plan in desk.team().list(state="finished")} == {"cy"}


def test_codex_is_held_to_its_plan(guarded: Desk, tmp_path: Path) -> None:
    """Codex writes the file of its plan; every visible write elsewhere is denied with a reason that the model reads, an unseen one is
    named afterwards, and all of it is in the journal."""
    model = CodexModel([codex_call(name, "exec_command", {"cmd": command}) for name, command in CALLS.items()])
    with serve_model(model):
        run_codex(guarded.repo, model, tmp_path / "home", VOLITION_PLAN=MINE)
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
            codex_call("claim", "propose_plan", plan, namespace=SERVER),
            codex_call("child", "exec_command", {"cmd": "echo child > src/free.py"}),
        ],
    )
    with serve_model(model):
        run_codex(guarded.repo, model, tmp_path / "home")
    parent, child = map(codex_outputs, model.told)
    session, thread = model.threads
    assert '"outcome":"granted"' in child["claim"]
    assert "src/free.py is not in a plan" in child["early"]
    assert f"of cy@{session}/{thread} has it until" in parent["parent"]
    assert (guarded.repo / "src" / "free.py").read_text() == "child\n"
