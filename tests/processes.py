"""Python in separate processes: what it prints under several hash seeds, and command lines as a person types them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE = 600.0
"""Seconds after which a process or a connection counts as hung. No law depends on it: a busy machine only takes longer."""


def under_hash_seeds(program: str, *seeds: str) -> set[bytes]:
    """Everything that a program prints, run once for each hash seed: one text if the seed has no effect."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            check=True,
        ).stdout
        for seed in seeds
    }


def typed(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """A `volition` command line, typed in a folder: its exit code and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "volition.cli", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr
