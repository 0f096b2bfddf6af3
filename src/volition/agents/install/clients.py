"""What is written into the settings of each client: the guard for every event that matters, and the server.

Hooks of others are left as they are; ours are replaced, so installing again changes nothing.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.agents.install.edits import FileEdit, read_settings, read_text, settings_edit
from volition.agents.install.lines import hook_line, is_ours, server_words
from volition.core.document import dump_toml
from volition.core.errors import refuse

if TYPE_CHECKING:
    from pathlib import Path

    from volition.agents.guard.setting import GuardSetting
    from volition.agents.repository import Repository

SECONDS: Final = 30
"""How long a client waits for a hook: longer than the hook may take."""
_BEGIN, _END = "# volition: begin\n", "# volition: end\n"


class ClientFiles(NamedTuple):
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


def root_of(repository: Repository, client: str) -> Path:
    """The folder whose settings a client reads: its worktree, and for Codex always the main one."""
    main = repository.common.parent
    return main if client == "codex" and repository.common.name == ".git" else repository.root


def client_edits(repository: Repository, setting: GuardSetting, client: str, *, arm: bool) -> list[FileEdit]:
    """The edits that arm a client, or disarm it: then what is ours is removed, and nothing else."""
    files, root = FILES[client], root_of(repository, client)
    path = root / files.hooks
    before, data = read_settings(path)
    _set_hooks(data, files, hook_line(setting, client) if arm else "", path, flat=client == "cursor")
    if files.servers == files.hooks:
        _set_server(data, setting, path, arm=arm)
        return [settings_edit(path, before, data)]
    if client == "cursor" and set(data) == {"version"} and not arm:
        data = {}
    return [settings_edit(path, before, data), _server_edit(root / files.servers, setting, arm=arm)]


def _set_hooks(data: dict[str, Any], files: ClientFiles, line: str, path: Path, *, flat: bool) -> None:
    """Put the guard into every event, or take it out of every event if there is no line."""
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
        data["mcpServers"] = {**servers, "volition": {"command": program, "args": words}}
    elif "volition" in servers:
        data["mcpServers"] = {name: server for name, server in servers.items() if name != "volition"}
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
    if not arm or "volition" in known:
        return FileEdit(path, before, text or None)
    program, words = server_words(setting)
    table = dump_toml({"mcp_servers": {"volition": {"command": program, "args": words}}})
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return FileEdit(path, before, f"{text}{gap}{_BEGIN}{table}{_END}")
