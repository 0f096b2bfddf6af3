"""Whether Codex trusts the hooks of a project, asked of Codex itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE: Final = 20.0
"""Seconds after which a silent Codex is given up."""
_ASKED: Final[tuple[dict[str, Any], ...]] = (
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "volition", "version": "0"}}},
    {"method": "initialized"},
)


def trust_of_hooks(root: Path) -> tuple[bool | None, str]:
    """Whether the guard's hooks of a project are trusted, None if that cannot be known; and why."""
    codex = shutil.which("codex")
    if codex is None:
        return None, "codex was not found, so whether it trusts the hooks cannot be asked; untrusted ones never run"
    lines = [*_ASKED, {"id": 2, "method": "hooks/list", "params": {"cwds": [str(root)]}}]
    try:
        process = subprocess.Popen(
            [codex, "app-server"],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        return None, f"codex cannot be run ({error.strerror})"
    assert process.stdin is not None
    with process:
        limit = Timer(PATIENCE, _end, [process])
        limit.start()
        try:
            return _ask(process, lines)
        except (OSError, ValueError, AttributeError) as error:
            return None, f"codex gave no answer ({error})"
        finally:
            limit.cancel()
            _end(process)
            with suppress(BrokenPipeError):  # closing sends what a Codex that has ended did not take
                process.stdin.close()


def _ask(process: subprocess.Popen[str], lines: list[dict[str, Any]]) -> tuple[bool | None, str]:
    """Send some requests, and read the answer to the last one."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(f"{json.dumps(line)}\n" for line in lines))
    process.stdin.flush()
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == 2:
            return _read(answer)
    return None, "codex gave no answer"


def _end(process: subprocess.Popen[str]) -> None:
    """End Codex and everything that it started: its command is a launcher of the program that answers."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _read(answer: dict[str, Any]) -> tuple[bool | None, str]:
    """The trust of all hooks of ours in an answer to hooks/list, wherever in it they are."""
    if "result" not in answer:
        return None, f"codex does not list hooks ({answer.get('error', {}).get('message', 'no reason')})"
    states = [str(hook.get("trustStatus")) for hook in _hooks(answer["result"])]
    if not states:
        return False, "codex does not see the hooks: trust the project, then the hooks (/hooks)"
    untrusted = [state for state in states if state not in {"trusted", "managed"}]
    if untrusted:
        return (
            False,
            f"{len(untrusted)} of {len(states)} hooks are {untrusted[0]}: open codex here and trust them (/hooks)",
        )
    return True, f"{len(states)} hooks are trusted"


def _hooks(value: Any) -> list[dict[str, Any]]:
    """Every hook of the guard in a nested answer."""
    if isinstance(value, dict):
        own = [value] if "trustStatus" in value and "volition.agents.guard" in json.dumps(value) else []
        return own or [hook for inner in value.values() for hook in _hooks(inner)]
    return [hook for inner in value for hook in _hooks(inner)] if isinstance(value, list) else []
