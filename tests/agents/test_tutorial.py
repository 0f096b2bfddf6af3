"""The tutorial for coding agents, typed block by block in a folder that is empty."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.keys import VARIABLE
from tests.readme import steps
from tests.warm import warm

pytestmark = pytest.mark.req("AG-07")
TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorials" / "coding-agents.md").read_text(encoding="utf-8")
_CHANGING = re.compile(r"flow_[0-9a-f]{16}|(?:\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\dZ")
"""What is different every time: the id of a flow, and times."""


def lay_out(folder: Path) -> dict[str, str]:
    """The script of the tutorial, `volition` and `python` on the path, and nothing else; returns the environment. Hooks and
    servers that are installed start this `python`: a warm one where the session is named, and otherwise one below its client."""
    (script,) = re.findall(r"^```python\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    (folder / "work").mkdir()
    (folder / "work" / "agent.py").write_text(script)
    (folder / "bin").mkdir()
    python, warmed = folder / "bin" / "python", folder / "warm-python"
    python.write_text(f'#!/bin/sh\n[ "$VOLITION_SESSION" ] && exec {warmed} "$@"\nexec {sys.executable} "$@"\n')
    python.chmod(0o700)
    warm().program(warmed, executable=python)
    warm().program(folder / "bin" / "volition", "-m", "volition.cli", executable=python)
    author = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(folder), VARIABLE: os.environ[VARIABLE], **author}


def test_the_tutorial_runs_from_an_empty_folder(tmp_path: Path) -> None:
    """Every command of the tutorial runs, in order, and prints what the page shows; only times, the id of the flow and the folder
    differ."""
    environment, prelude, flow = lay_out(tmp_path), "", ""
    typed = [step for step in steps(TUTORIAL) if step.kind == "console"]
    assert len(typed) > 20
    for step in typed:
        line = _CHANGING.sub(flow, step.text) if "flow_" in step.text else step.text
        done = subprocess.run(
            ["bash", "-c", f"{prelude}{line}"],
            cwd=tmp_path / "work", env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        if step.text.startswith("export ") or re.match(r"\w+\(\) ", step.text):
            prelude += f"{line}\n"
        printed = done.stdout.replace(str(tmp_path / "work"), "/home/ann")
        shown = step.shown or ""
        assert _CHANGING.sub("~", printed) == _CHANGING.sub("~", shown), step.text
        flow = next(iter(re.findall(r"flow_[0-9a-f]{16}", printed)), flow)
