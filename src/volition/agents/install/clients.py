"""What is written into the settings of each client: the guard for every event that matters, and the server.

Hooks of others are left as they are; ours are replaced, so installing again changes nothing. The line of a hook is closed
against everything that a client leaves open: no interpreter, a crash, a kill and a hang are an objection.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.agents.guard.place import worktrees_of
from volition.agents.install.edits import FileEdit, read_settings, read_text, settings_edit
from volition.core.document import dump_toml
from volition.core.errors import VolitionError, refuse

if TYPE_CHECKING:
    from volition.agents.guard.setting import GuardSetting
    from volition.agents.repository import Repository


MARK: Final = "volition.agents.guard"
"""By this a hook is known as ours."""
_PROGRAM: Final = f"import sys; from {MARK}.hook import main; sys.exit(main(sys.argv[1:]))"
"""What the hook's process runs; `python -m` would take a third of a bare Python longer."""
CLOSED: Final = 'case $c in 0|2) exit $c;; esac; echo "volition: no verdict ($c), so no" >&2; exit 2'
"""Everything but 0 and 2 becomes 2, with a reason: no interpreter, a crash, a kill, a hang."""
PATIENCE: Final = 15
"""Seconds for one verdict; the guard gives up on itself before, and the client waits longer."""


def hook_line(setting: GuardSetting, client: str) -> str:
    """The command line of a client's hook."""
    return f"{_limit()}{guard_line(setting, client)}; c=$?; {CLOSED}"


def guard_line(setting: GuardSetting, client: str) -> str:
    """The command line of the guard itself."""
    return shlex.join([sys.executable, "-I", "-c", _PROGRAM, setting.home, client])


def server_words(setting: GuardSetting) -> tuple[str, list[str]]:
    """The program and the arguments by which a client starts the server of the registry."""
    words = ["-I", "-m", "volition.cli", "mcp", "--registry", setting.registry, "--project", setting.project]
    return sys.executable, [*words, "--guard", setting.home]


def is_ours(command: object) -> bool:
    """Whether a command in a client's settings is the guard."""
    return isinstance(command, str) and MARK in command


def _limit() -> str:
    """What ends a guard that hangs before it can give up on itself: macOS has no `timeout`, and Perl everywhere."""
    if shutil.which("timeout"):
        return f"timeout {PATIENCE} "
    return f"perl -e 'alarm shift; exec @ARGV' {PATIENCE} " if shutil.which("perl") else ""


SECONDS: Final = 30
"""How long a client waits for a hook: longer than the hook may take."""
NAME: Final = "volition"
"""What the server is called in the settings."""
PASSED_ON: Final = ("VOLITION_HOLDER", "VOLITION_SESSION", "VOLITION_KEY")
"""What Codex passes on to the server from its environment, if it is there: it hides everything that is not named."""
_BEGIN, _END = "# volition: begin\n", "# volition: end\n"


class ClientFiles(Struct, frozen=True):
    """Where a client keeps hooks and servers, which events are guarded, and with which matcher of tools."""

    hooks: str
    servers: str
    tools: tuple[str, ...]
    others: tuple[str, ...]
    matcher: str = ""
    timeout: int = SECONDS


FILES: Final = {
    "claude": ClientFiles(
        ".claude/settings.json", ".mcp.json", ("PreToolUse", "PostToolUse"), ("SessionStart", "Stop", "SubagentStop"), "*"
    ),
    "codex": ClientFiles(
        ".codex/hooks.json", ".codex/config.toml", ("PreToolUse", "PostToolUse"), ("SessionStart", "Stop"), ".*"
    ),
    "gemini": ClientFiles(
        ".gemini/settings.json", ".gemini/settings.json", ("BeforeTool", "AfterTool"), ("SessionStart", "AfterAgent"), ".*",
        SECONDS * 1000,
    ),
    "cursor": ClientFiles(
        ".cursor/hooks.json", ".cursor/mcp.json", ("preToolUse", "postToolUse"),
        ("beforeShellExecution", "sessionStart", "stop"),
    ),
}  # fmt: skip


def hooks_file(repository: Repository, client: str) -> Path:
    """The file from which a client in this worktree reads its hooks. Codex reads those of the main worktree everywhere, if
    there is a folder `.codex` in its own."""
    is_shared = client == "codex" and repository.common.name == ".git"
    return (repository.common.parent if is_shared else repository.root) / FILES[client].hooks


def servers_file(repository: Repository, client: str) -> Path:
    """The file from which a client in this worktree reads its servers: for every client one of this worktree."""
    return repository.root / FILES[client].servers


def client_edits(repository: Repository, setting: GuardSetting, client: str, *, arm: bool) -> list[FileEdit]:
    """The edits that arm a client in this worktree, or disarm it: then what is ours is removed, and nothing else. Hooks that
    other worktrees share stay while one of them needs them."""
    files, path = FILES[client], hooks_file(repository, client)
    server = servers_file(repository, client)
    if not arm and client == "codex" and _is_needed_elsewhere(repository, setting):
        return [_server_edit(server, setting, arm=arm)]
    before, data = read_settings(path)
    _set_hooks(data, client, hook_line(setting, client) if arm else "", path)
    if files.servers == files.hooks:
        _set_server(data, setting, path, arm=arm)
        return [settings_edit(path, before, data)]
    if client == "cursor" and set(data) == {"version"} and not arm:
        data = {}
    return [settings_edit(path, before, data), _server_edit(server, setting, arm=arm)]


def server_of(path: Path) -> dict[str, Any]:
    """What a settings file says of our server; nothing if it does not name it, or cannot be read."""
    try:
        data = tomllib.loads(read_text(path) or "") if path.suffix == ".toml" else read_settings(path)[1]
        servers = data.get("mcp_servers" if path.suffix == ".toml" else "mcpServers", {})
    except (VolitionError, tomllib.TOMLDecodeError):
        return {}
    server = servers.get(NAME) if isinstance(servers, dict) else None
    return server if isinstance(server, dict) else {}


def _is_needed_elsewhere(repository: Repository, setting: GuardSetting) -> bool:
    """Whether Codex is armed in another worktree, which reads the same hooks."""
    others = [Path(tree) for tree in worktrees_of(setting) if Path(tree) != repository.root]
    return any(server_of(tree / FILES["codex"].servers) for tree in others)


def _set_hooks(data: dict[str, Any], client: str, line: str, path: Path) -> None:
    """Put the guard into every event, or take it out of every event if there is no line."""
    files, flat = FILES[client], client == "cursor"
    hooks = data.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        refuse("hooks is not an object of lists", where=str(path), expected="hooks by event", remedy="correct the file")
    for name in list(hooks):
        hooks[name] = [kept for entry in hooks[name] if (kept := _without_ours(entry))]
        if not hooks[name]:
            del hooks[name]
    for name in (*files.tools, *files.others) if line else ():
        if flat:
            entry: dict[str, Any] = {"command": line, "failClosed": True, "timeout": files.timeout}
        else:
            hook = {"type": "command", "command": line, "timeout": files.timeout}
            hook |= {"onFailure": "block"} if client == "claude" else {}
            entry = {"matcher": files.matcher, "hooks": [hook]} if name in files.tools else {"hooks": [hook]}
        hooks.setdefault(name, []).append(entry)
    if flat and line:
        data.setdefault("version", 1)
    if hooks:
        data["hooks"] = hooks
    else:
        data.pop("hooks", None)


def _without_ours(entry: Any) -> Any:
    """An entry of an event without the guard; nothing if nothing else is in it."""
    if not isinstance(entry, dict):
        return entry
    if is_ours(entry.get("command")):
        return None
    inner = entry.get("hooks")
    if not isinstance(inner, list):
        return entry
    kept = [hook for hook in inner if not (isinstance(hook, dict) and is_ours(hook.get("command")))]
    return entry if len(kept) == len(inner) else {**entry, "hooks": kept} if kept else None


def _set_server(data: dict[str, Any], setting: GuardSetting, path: Path, *, arm: bool) -> None:
    servers = data.get("mcpServers", {})
    if not isinstance(servers, dict):
        refuse("mcpServers is not an object", where=str(path), expected="servers by name", remedy="correct the file")
    if arm:
        program, words = server_words(setting)
        data["mcpServers"] = {**servers, NAME: {"command": program, "args": words}}
    elif NAME in servers:
        data["mcpServers"] = {name: server for name, server in servers.items() if name != NAME}
        if not data["mcpServers"]:
            del data["mcpServers"]


def _server_edit(path: Path, setting: GuardSetting, *, arm: bool) -> FileEdit:
    if path.suffix == ".toml":
        return _toml_edit(path, setting, arm=arm)
    before, data = read_settings(path)
    _set_server(data, setting, path, arm=arm)
    return settings_edit(path, before, data)


def _toml_edit(path: Path, setting: GuardSetting, *, arm: bool) -> FileEdit:
    """A table at the end of a TOML file, between two marks, so that the rest stays as it is, comments too."""
    before = read_text(path)
    text = before or ""
    head, begin, rest = text.partition(_BEGIN)
    if begin:
        text = (
            head.removesuffix("\n") + rest.partition(_END)[2]
            if head.endswith("\n\n")
            else head + rest.partition(_END)[2]
        )
    try:
        known = tomllib.loads(text).get("mcp_servers", {})
    except tomllib.TOMLDecodeError as error:
        return refuse(
            f"not TOML: {error}", where=str(path), expected="valid TOML", remedy="correct it: it is not overwritten"
        )
    if not arm or NAME in known:
        return FileEdit(path, before, text or None)
    program, words = server_words(setting)
    server = {
        "command": program,
        "args": words,
        "required": True,
        "startup_timeout_sec": 60,
        "env_vars": list(PASSED_ON),
    }
    table = dump_toml({"mcp_servers": {NAME: server}})
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return FileEdit(path, before, f"{text}{gap}{_BEGIN}{table}{_END}")
