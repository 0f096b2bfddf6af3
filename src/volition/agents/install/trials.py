"""Trials of what a client would run in a worktree: a write through the line of its hook, a start of its server, and for Codex
whether it trusts the hooks, asked of Codex itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from functools import lru_cache
from threading import Timer
from typing import TYPE_CHECKING, Any, Final

from volition.agents.guard.presence import TRIAL, choose_session, drop_server, present
from volition.agents.install.clients import FILES, PASSED_ON, server_of, server_words

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


CODEX_PATIENCE: Final = 20.0
"""Seconds after which a silent Codex is given up."""
_CODEX_BEGINS: Final[tuple[dict[str, Any], ...]] = (
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "volition", "version": "0"}}},
    {"method": "initialized"},
)


def try_denial(repository: Repository, client: str, line: str) -> str:
    """Send a write that no plan allows through an installed line: what is wrong with the answer, or nothing."""
    code, answer = _send(repository, line, _trial_event(repository, client))
    if code != 2 or TRIAL not in answer:
        return f"a trial write was not denied (code {code}: {answer.strip()[:200] or 'nothing said'})"
    code, answer = _send(repository, line, {})
    return "" if code == 2 and answer.strip() else f"nonsense was not denied (code {code})"


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
    sessions = present(setting.home)
    process.kill()
    if '"serverInfo"' not in answer:
        return "the server did not answer: run its line, and see what it says"
    servers = [entry for entry in sessions if entry.is_server and entry.process == process.pid]
    trials = [entry for entry in sessions if entry.session == TRIAL]
    if servers and choose_session(servers[0], trials) == TRIAL:
        return ""
    return "the server does not find the session of its hooks: name it for both in VOLITION_SESSION"


def _send(repository: Repository, line: str, event: dict[str, Any]) -> tuple[int, str]:
    try:
        process = subprocess.run(
            ["/bin/sh", "-c", line], input=json.dumps(event), cwd=repository.root, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return process.returncode, process.stderr


def _trial_event(repository: Repository, client: str) -> dict[str, Any]:
    event = {"hook_event_name": FILES[client].tools[0], "cwd": str(repository.root)}
    event |= {"conversation_id": TRIAL} if client == "cursor" else {"session_id": TRIAL}
    if client == "codex":
        text = f"*** Begin Patch\n*** Add File: {TRIAL}\n+x\n*** End Patch"
        return {**event, "tool_name": "apply_patch", "tool_input": {"command": text}}
    tool = "write_file" if client == "gemini" else "Write"
    return {**event, "tool_name": tool, "tool_input": {"file_path": TRIAL, "content": "x"}}


def trust_of_hooks(root: Path) -> tuple[bool | None, str]:
    """Whether the guard's hooks of a project are trusted, None if that cannot be known; and why."""
    codex = shutil.which("codex")
    if codex is None:
        return None, "codex was not found, so whether it trusts the hooks cannot be asked; untrusted ones never run"
    lines = [*_CODEX_BEGINS, {"id": 2, "method": "hooks/list", "params": {"cwds": [str(root)]}}]
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
        limit = Timer(CODEX_PATIENCE, _end_codex, [process])
        limit.start()
        try:
            return _ask_codex(process, lines)
        except (OSError, ValueError, AttributeError) as error:
            return None, f"codex gave no answer ({error})"
        finally:
            limit.cancel()
            _end_codex(process)
            with suppress(BrokenPipeError):  # closing sends what a Codex that has ended did not take
                process.stdin.close()


def _ask_codex(process: subprocess.Popen[str], lines: list[dict[str, Any]]) -> tuple[bool | None, str]:
    """Send some requests, and read the answer to the last one."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(f"{json.dumps(line)}\n" for line in lines))
    process.stdin.flush()
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == 2:
            return _read_trust(answer)
    return None, "codex gave no answer"


def _end_codex(process: subprocess.Popen[str]) -> None:
    """End Codex and everything that it started: its command is a launcher of the program that answers."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _read_trust(answer: dict[str, Any]) -> tuple[bool | None, str]:
    """The trust of all hooks of ours in an answer to hooks/list, wherever in it they are."""
    if "result" not in answer:
        return None, f"codex does not list hooks ({answer.get('error', {}).get('message', 'no reason')})"
    states = [str(hook.get("trustStatus")) for hook in _hooks_in(answer["result"])]
    if not states:
        return False, "codex does not see the hooks: trust the project, then the hooks (/hooks)"
    untrusted = [state for state in states if state not in {"trusted", "managed"}]
    if untrusted:
        return (
            False,
            f"{len(untrusted)} of {len(states)} hooks are {untrusted[0]}: open codex here and trust them (/hooks)",
        )
    return True, f"{len(states)} hooks are trusted"


def _hooks_in(value: Any) -> list[dict[str, Any]]:
    """Every hook of the guard in a nested answer."""
    if isinstance(value, dict):
        own = [value] if "trustStatus" in value and "volition.agents.guard" in json.dumps(value) else []
        return own or [hook for inner in value.values() for hook in _hooks_in(inner)]
    return [hook for inner in value for hook in _hooks_in(inner)] if isinstance(value, list) else []
