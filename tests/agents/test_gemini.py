"""End to end with the real Gemini CLI: a scripted model asks for writes, and what `agents install` wrote decides, with nothing
else. `make agents` runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import MINE, git, lay_out_story
from tests.agents.scripted import GeminiModel, gemini_outputs, granted_plan, serve_model
from tests.cli.lines import run
from tests.keys import VARIABLE
from tests.processes import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.agents.scripted import Said

GEMINI = shutil.which("gemini")
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}
pytestmark = [
    pytest.mark.skipif(
        GEMINI is None, reason="gemini is not installed: the guard is NOT TRIED with the real one (make agents)"
    ),
]


def run_gemini(tree: Path, model: GeminiModel, home: Path, **environment: str) -> list[str]:
    """Let Gemini CLI work in a worktree with what `agents install` wrote there, until the script is over: what came of each
    call."""
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS))
    author = {f"GIT_{who}_{what}": "cy@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    with serve_model(model):
        done = subprocess.run(
            [str(GEMINI), "-p", "go", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"],
            cwd=tree, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
            env={
                "PATH": os.environ["PATH"], "HOME": str(home), "GEMINI_API_KEY": "none", "VOLITION_HOLDER": "cy",
                "GOOGLE_GEMINI_BASE_URL": model.address, "GEMINI_CLI_TRUST_WORKSPACE": "true",
                VARIABLE: os.environ[VARIABLE], **author, **environment,
            },
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return gemini_outputs(model.told[0])


def shell(command: str) -> Said:
    """A command line as a model of Gemini CLI asks for it."""
    return {"name": "run_shell_command", "args": {"command": command}}


@pytest.mark.parametrize("place", ["main", "linked"])
def test_a_story_in_three_acts(desk: Desk, tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A write to another's file is refused, with the reason that the model reads; through the server the agent hears who is in the
    way, and changes its plan; then it writes, commits, finishes and pushes. In the main worktree and in a linked one."""
    tree = lay_out_story(desk, place)
    assert run(capsys, "agents", "install", "gemini", "git", "--repository", tree).code == 0

    def finish(told: Said) -> Said:
        return {"name": "mcp_volition_finish_plan", "args": granted_plan(gemini_outputs(told)[2])}

    theirs, free = ({"title": "Change a file", "files": [f"src/{name}.py"]} for name in ("theirs", "free"))
    model = GeminiModel(
        [
            {"name": "write_file", "args": {"file_path": str(tree / "src" / "theirs.py"), "content": "hi\n"}},
            {"name": "mcp_volition_propose_plan", "args": theirs},
            {"name": "mcp_volition_propose_plan", "args": free},
            {"name": "write_file", "args": {"file_path": str(tree / "src" / "free.py"), "content": "hi\n"}},
            shell("git add src/free.py && git commit -qm Free"),
            finish,
            shell("git push -q origin HEAD:cy"),
        ]
    )
    said = run_gemini(tree, model, tmp_path / "home")
    assert "intent_theirs of bob has it until" in said[0]
    assert "refused" in said[1]
    assert "granted" in said[2]
    assert "finished" in said[5]
    assert (tree / "src" / "theirs.py").read_text() == "theirs\n"
    assert git(desk.repo.parent / "far.git", "show", "cy:src/free.py") == "hi\n", said
    assert {plan.holder.partition("@")[0] for plan in desk.team().list(state="finished")} == {"cy"}


def test_gemini_is_held_to_its_plan(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Gemini CLI writes the file of its plan; every visible write elsewhere is denied with a reason that the model reads, an unseen
    one is named afterwards, and all of it is in the journal."""
    assert run(capsys, "agents", "install", "gemini", "--repository", desk.repo).code == 0
    src = desk.repo / "src"
    edit = {"file_path": str(src / "theirs.py"), "old_string": "theirs", "new_string": "mine", "instruction": "x"}
    commands = ("python3 -c \"open('src/stray.py', 'w').write('x')\"", "git commit --no-verify -am x")
    model = GeminiModel(
        [
            {"name": "write_file", "args": {"file_path": str(src / "free.py"), "content": "hi\n"}},
            {"name": "replace", "args": edit},
            {"name": "write_file", "args": {"file_path": str(src / "mine.py"), "content": "hi\n"}},
            *map(shell, commands),
        ]
    )
    free, theirs, mine, stray, around = run_gemini(desk.repo, model, tmp_path / "home", VOLITION_PLAN=MINE)
    assert "src/free.py is not in your plan" in free
    assert "intent_theirs of bob has it until" in theirs
    assert "not in your plan" not in mine
    assert "src/stray.py changed and is not in your plan" in stray
    assert "arms the guard" in around
    read = {name: (src / f"{name}.py").read_text() for name in ("free", "theirs", "mine", "stray")}
    assert read == {"free": "free\n", "theirs": "theirs\n", "mine": "hi\n", "stray": "x"}
    kinds = [entry["what"] for entry in desk.entries()]
    assert {"start", "deny", "pass", "marked", "stray"} == set(kinds)
    assert kinds.count("deny") == 3
