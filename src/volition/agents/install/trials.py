"""Trials of what a client would run in a worktree: a write through the line of its hook, and a start of its server."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from functools import lru_cache
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

from volition.agents.guard.presence import TRIAL, choose_session, drop_server, present
from volition.agents.install.clients import FILES, PASSED_ON, server_of
from volition.agents.install.lines import server_words

if TYPE_CHECKING:
    from pathlib import Path

    from volition.agents.guard.setting import GuardSetting
    from volition.agents.repository import Repository

PATIENCE: Final = 60.0
"""Seconds after which a silent hook or server is given up."""
_SHORT: Final = ("HOME", "PATH", "USER", "LANG", "LC_ALL", "TMPDIR", *PASSED_ON)
"""The environment that the most sparing client gives its server."""
_ASKED: Final = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "0"}},
}  # fmt: skip


def try_denial(repository: Repository, client: str, line: str) -> str:
    """Send a write that no plan allows through an installed line: what is wrong with the answer, or nothing."""
    code, said = _send(repository, line, _trial_event(repository, client))
    if code != 2 or TRIAL not in said:
        return f"a trial write was not denied (code {code}: {said.strip()[:200] or 'nothing said'})"
    code, said = _send(repository, line, {})
    return "" if code == 2 and said.strip() else f"nonsense was not denied (code {code})"


def try_server(repository: Repository, setting: GuardSetting, file: Path) -> str:
    """Whether a settings file names our server: what is wrong, or nothing."""
    server = server_of(file)
    words = [server.get("command"), *(server.get("args") or ())]
    if not all(isinstance(word, str) for word in words):
        return f"{file} does not name the server: volition agents install"
    program, expected = server_words(setting)
    if words != [program, *expected]:
        return f"{file} names another server: remove it, and run volition agents install"
    return start_server(repository, setting)


@lru_cache(maxsize=1)
def start_server(repository: Repository, setting: GuardSetting) -> str:
    """Start the server as clients do, and ask whether it belongs to the session of the last trial write: what is wrong, or
    nothing. It is the same for all clients, so one start says it for all."""
    program, words = server_words(setting)
    environment = {name: os.environ[name] for name in _SHORT if name in os.environ}
    try:
        process = subprocess.Popen(
            [program, *words], cwd=repository.root, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        return f"the server cannot be started ({error.strerror})"
    limit = Timer(PATIENCE, process.kill)
    limit.start()
    try:
        with process, suppress(BrokenPipeError):
            return _ask(process, setting)
    finally:
        limit.cancel()
        drop_server(setting.home, process.pid)
    return "the server ended at once: run its line, and see what it says"


def _ask(process: subprocess.Popen[str], setting: GuardSetting) -> str:
    """Let the server begin, and compare what it and the hook of the trial noted."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(_ASKED) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    found = present(setting.home)
    process.kill()
    if '"serverInfo"' not in answer:
        return "the server did not answer: run its line, and see what it says"
    servers = [one for one in found if one.is_server and one.process == process.pid]
    trials = [one for one in found if one.session == TRIAL]
    if servers and choose_session(servers[0], trials) == TRIAL:
        return ""
    return "the server does not find the session of its hooks: name it for both in VOLITION_SESSION"


def _send(repository: Repository, line: str, event: dict[str, Any]) -> tuple[int, str]:
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", line], input=json.dumps(event), cwd=repository.root, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stderr


def _trial_event(repository: Repository, client: str) -> dict[str, Any]:
    event = {"hook_event_name": FILES[client].tools[0], "cwd": str(repository.root)}
    event |= {"conversation_id": TRIAL} if client == "cursor" else {"session_id": TRIAL}
    if client == "codex":
        text = f"*** Begin Patch\n*** Add File: {TRIAL}\n+x\n*** End Patch"
        return {**event, "tool_name": "apply_patch", "tool_input": {"command": text}}
    tool = "write_file" if client == "gemini" else "Write"
    return {**event, "tool_name": tool, "tool_input": {"file_path": TRIAL, "content": "x"}}
