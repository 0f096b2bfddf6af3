"""End to end with the real Gemini CLI: a scripted model asks for writes, and the installed hooks decide. `make agents` runs
it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import MINE
from tests.agents.scripted import GeminiModel, gemini_outputs, serve_model
from tests.cli.lines import run
from tests.keys import VARIABLE
from tests.processes import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk

GEMINI = shutil.which("gemini")
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}
pytestmark = pytest.mark.skipif(
    GEMINI is None, reason="gemini is not installed: the guard is NOT TRIED with the real one (make agents)"
)


def test_gemini_is_held_to_its_plan(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what `agents install` wrote, Gemini CLI writes the file of its plan; every visible write elsewhere is denied with a
    reason that the model reads, an unseen one is named afterwards, and all of it is in the journal."""
    assert run(capsys, "agents", "install", "gemini", "--repository", desk.repo).code == 0
    src = desk.repo / "src"
    edit = {"file_path": str(src / "theirs.py"), "old_string": "theirs", "new_string": "mine", "instruction": "x"}
    commands = ("python3 -c \"open('src/stray.py', 'w').write('x')\"", "git commit --no-verify -am x")
    model = GeminiModel(
        [
            {"name": "write_file", "args": {"file_path": str(src / "free.py"), "content": "hi\n"}},
            {"name": "replace", "args": edit},
            {"name": "write_file", "args": {"file_path": str(src / "mine.py"), "content": "hi\n"}},
            *({"name": "run_shell_command", "args": {"command": command}} for command in commands),
        ]
    )
    home = tmp_path / "home"
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS))
    with serve_model(model):
        done = subprocess.run(
            [str(GEMINI), "-p", "go", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"],
            cwd=desk.repo, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
            env={
                "PATH": os.environ["PATH"], "HOME": str(home), "GEMINI_API_KEY": "none", "VOLITION_PLAN": MINE,
                "GOOGLE_GEMINI_BASE_URL": model.address, "GEMINI_CLI_TRUST_WORKSPACE": "true",
                VARIABLE: os.environ[VARIABLE],
            },
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    free, theirs, mine, stray, around = gemini_outputs(model.told[0])
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
