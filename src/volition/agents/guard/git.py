"""Git, asked in a way that does not depend on who asks: no pager, no locks, no configuration from the environment."""

from __future__ import annotations

import os
import subprocess
from typing import Final

from volition.agents.guard.setting import GuardFailure

PATIENCE: Final = 60.0
_UNSET: Final = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
    "GIT_EXTERNAL_DIFF", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE",
)  # fmt: skip


def start_git(folder: str, *arguments: str, keep: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
    """Start git in a folder. `keep` names variables of git's own environment that a hook of git needs."""
    if "GIT_QUARANTINE_PATH" in os.environ:  # a pre-receive hook: new objects are not among the others yet
        keep = (*keep, "GIT_OBJECT_DIRECTORY")
    environment = {name: value for name, value in os.environ.items() if name not in _UNSET or name in keep}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return subprocess.Popen(
            ["git", "-c", "core.quotePath=off", "-c", "core.fsmonitor=false", "-C", folder, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip
    except OSError as error:
        raise GuardFailure(f"git cannot be run ({error.strerror}): install it") from None


def end_git(process: subprocess.Popen[bytes]) -> tuple[int, bytes, str]:
    """What git answered: its exit code, what it printed, and its complaint."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise GuardFailure("git did not answer: look for a process that has the repository locked") from None
    return process.returncode, out, err.decode(errors="replace").strip()


def git(folder: str, *arguments: str, keep: tuple[str, ...] = (), fine: tuple[int, ...] = (0,)) -> bytes:
    """What git prints; GuardFailure with its complaint if it fails."""
    code, out, err = end_git(start_git(folder, *arguments, keep=keep))
    if code not in fine:
        said = err.splitlines()[0] if err else f"exit code {code}"
        raise GuardFailure(f"git {arguments[0]} failed in {folder}: {said}")
    return out


def names_in(out: bytes) -> list[str]:
    """Names that git printed with a zero byte after each, as paths of this system."""
    return [os.fsdecode(name) for name in out.split(b"\0") if name]
