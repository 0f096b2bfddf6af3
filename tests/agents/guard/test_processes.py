"""Other systems: what can work without Linux does, and what cannot says so."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from volition.agents.guard import processes

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PURE = (
    "volition", "volition.arbitration", "volition.governance.evaluator", "volition.workflow", "volition.cli",
    "volition.agents.check.checking", "volition.agents.check.checking", "volition.agents.guard.handling",
    "volition.agents.guard.judge", "volition.agents.worktrees.overview", "volition.agents.install.arming",
)  # fmt: skip


def test_the_pure_parts_need_no_fcntl() -> None:
    """What judges, compares and reads is imported on a system without `fcntl`, such as Windows."""
    line = f"import sys; sys.modules['fcntl'] = None\nfor name in {PURE!r}: __import__(name)"
    done = subprocess.run([sys.executable, "-I", "-c", line], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_ps_tells_the_client_where_there_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS, the client is found by one call of `ps`: programs by their paths, login shells with a dash, names with blanks;
    without `ps` nothing is known."""
    began = "Tue Nov 17 10:00:00 2026"
    rows = f"{os.getppid()} 70001 {began} /bin/bash\n70001 70002 {began} -zsh\n"
    rows += f"70002 70003 {began} /usr/local/bin/python3.12\n"
    rows += f"70003 1 {began} /Applications/Codex Helper.app/codex\n  1 0 {began} /sbin/launchd\nbroken\n"
    (tmp_path / "table").write_text(rows)
    fake = tmp_path / "ps"
    fake.write_text(f"#!/bin/sh\necho x >> {tmp_path}/calls\n/bin/cat {tmp_path}/table\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(processes, "PROCESSES", str(tmp_path / "nothing"))
    monkeypatch.setattr(processes, "_asked", [])
    assert [one.name for one in processes.processes_above()] == ["bash", "zsh", "python3.12", "codex"]
    assert processes.client_process() == 70003
    assert (tmp_path / "calls").read_text() == "x\n"
    monkeypatch.setattr(processes, "_asked", [])
    fake.unlink()
    assert processes.client_process() == 0
