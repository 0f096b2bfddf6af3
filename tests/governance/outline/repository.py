"""A small git repository to make real diffs in."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WHO = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> bytes:
    """What git prints; no setting of the user counts."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(
        ["git", *WHO, *arguments], cwd=folder, env=environment, check=True, capture_output=True
    ).stdout


def new_repository(folder: Path) -> Path:
    """An empty repository without commits."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return folder


def write(folder: Path, files: Mapping[str, bytes | None]) -> None:
    """Write files; one without content is removed."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True) if content is None else file.write_bytes(content)


def commit(folder: Path, files: Mapping[str, bytes | None]) -> None:
    """Write files and commit them all."""
    write(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a change")
