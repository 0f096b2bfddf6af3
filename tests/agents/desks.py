"""A repository with a registry, two plans and a guard, and events as each client sends them."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.cli.lines import run
from tests.warm import warm
from tests.workflow.plans import PROJECT, document
from volition.agents.guard.hook import answer_event
from volition.agents.guard.journal import read_journal
from volition.agents.guard.sessions import Identity, bind_session
from volition.agents.guard.setting import FILE, GuardSetting, write_object
from volition.workflow import Store, Team, parse_store_address
from volition.workflow.team.guard_index import index_file, write_index

if TYPE_CHECKING:
    from pathlib import Path

    from volition.agents.guard.clients import HookAnswer

CLIENTS = ("claude", "codex", "gemini", "cursor")
MINE, THEIRS = "intent_mine_01", "intent_theirs"
SESSION = "session-1"
_AUTHOR = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def git(folder: Path, *words: str) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", *words],
        cwd=folder, env={**os.environ, **_AUTHOR}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


class Desk(NamedTuple):
    """A guarded repository: src/mine.py is in my plan, src/theirs.py in another's, src/free.py in nobody's."""

    repo: Path
    setting: GuardSetting
    registry: Path

    def team(self) -> Team:
        """The registry; its store is left to the end of the process."""
        return Team(Store(parse_store_address(self.registry)), PROJECT)

    def hook(self, client: str, moment: str = "before", **about: Any) -> HookAnswer:
        """The answer to an event."""
        said = event(client, self.repo, moment, **about)
        return answer_event(self.setting.home, client, json.dumps(said).encode())

    def entries(self) -> list[dict[str, Any]]:
        """What the journal says; it must be what was written."""
        found = list(read_journal(self.setting.home))
        assert [entry.fault for entry in found if entry.fault] == []
        return [entry.data for entry in found]


def lay_out_story(desk: Desk, place: str) -> Path:
    """A worktree of the desk, the main one or a linked one, with a bare remote that has its first commit."""
    git(desk.repo.parent, "init", "-q", "--bare", "far.git")
    git(desk.repo, "remote", "add", "origin", str(desk.repo.parent / "far.git"))
    git(desk.repo, "push", "-q", "origin", "HEAD:main")
    if place == "main":
        return desk.repo
    git(desk.repo, "worktree", "add", "-q", "-b", "linked", "../linked")
    return desk.repo.parent / "linked"


def install_hooks(desk: Desk, capsys: pytest.CaptureFixture[str]) -> Path:
    """Install the hooks of git. They start a Python that is warm, and so below no client; returns the program that they start."""
    program = desk.repo.parent / "python"
    warm().program(program)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.executable", str(program))
        assert run(capsys, "agents", "install", "git", "--registry", str(desk.registry)).code == 0
    return program


def write_setting(setting: GuardSetting) -> None:
    """Store a setting, as an installation does."""
    write_object(f"{setting.home}/{FILE}", setting.to_data())


def lay_out_desk(folder: Path, *, strict: bool = False) -> Desk:
    """Make a guarded repository in an empty folder."""
    repo = folder / "repo"
    (repo / "src").mkdir(parents=True)
    git(repo, "init", "-q", "--template=")  # no samples of hooks, which every copy of it would have
    (repo / ".git" / "info").mkdir()
    for name in ("mine", "theirs", "free"):
        (repo / "src" / f"{name}.py").write_text(f"{name}\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "begin")
    registry = folder / "team.db"
    with Store(parse_store_address(registry)) as store:
        team = Team(store, PROJECT)
        assert team.register(document("mine_01", "src/mine.py", "src/new"), "ann", lease=3600).grant
        assert team.register(document("theirs", "src/theirs.py"), "bob", lease=3600).grant
        write_index(store, PROJECT)
        index = index_file(store.address)
    setting = GuardSetting(str(repo / ".git" / "volition"), str(registry), PROJECT, str(index), strict)
    write_setting(setting)
    bind_session(setting, Identity(SESSION), [MINE], str(repo))
    return Desk(repo, setting, registry)


_NAMES = {
    "claude": {"before": "PreToolUse", "after": "PostToolUse", "start": "SessionStart", "end": "Stop"},
    "codex": {"before": "PreToolUse", "after": "PostToolUse", "start": "SessionStart", "end": "Stop"},
    "gemini": {"before": "BeforeTool", "after": "AfterTool", "start": "SessionStart", "end": "AfterAgent"},
    "cursor": {"before": "preToolUse", "after": "postToolUse", "start": "sessionStart", "end": "stop"},
}
_WRITERS = {"claude": "Write", "codex": "apply_patch", "gemini": "write_file", "cursor": "Write"}
_EDITORS = {"claude": "Edit", "codex": "apply_patch", "gemini": "replace", "cursor": "Edit"}
_SHELLS = {"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command", "cursor": "Shell"}


def event(
    client: str,
    repo: Path,
    moment: str = "before",
    *,
    way: str = "write",
    path: str = "src/mine.py",
    command: str = "",
    agent: str = "",
    session: str = SESSION,
    again: bool = False,
    folder: str = "",
) -> dict[str, Any]:
    """An event in the form of a client: a way to write a path, or the start or end of a session."""
    who = (
        {"conversation_id": session, "workspace_roots": [str(repo)]} if client == "cursor" else {"session_id": session}
    )
    said = {**who, "hook_event_name": _NAMES[client][moment], "cwd": folder or str(repo)}
    if agent:
        said |= {"agent_id": agent, "agent_type": "worker"}
    if moment in {"start", "end"}:
        return said | ({"loop_count": int(again)} if client == "cursor" else {"stop_hook_active": again})
    tool, given = _call(client, way, path, command)
    return said | {"tool_name": tool, "tool_input": given, "tool_use_id": "c1"}


def _call(client: str, way: str, path: str, command: str) -> tuple[str, dict[str, Any]]:
    shell = _SHELLS[client]
    if way in {"write", "edit"}:
        tool = (_WRITERS if way == "write" else _EDITORS)[client]
        if client == "codex":
            head = "Add" if way == "write" else "Update"
            return tool, {"command": f"*** Begin Patch\n*** {head} File: {path}\n+x\n*** End Patch"}
        return tool, {"file_path": path, "content": "x"}
    if way == "patch":
        text = f"*** Begin Patch\n*** Update File: src/mine.py\n*** Move to: {path}\n@@\n-a\n+b\n*** End Patch"
        return ("apply_patch", {"command": text}) if client == "codex" else (shell, {"command": _heredoc(text)})
    if way == "heredoc patch":
        return shell, {"command": _heredoc(f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch")}
    if way == "shell":
        return shell, {"command": command or f"echo hi > {path}"}
    if way == "other server":
        return "mcp__files__write", {"where": path}
    assert way == "unknown tool"
    return "BrandNewTool", {"where": path}


def _heredoc(text: str) -> str:
    return f"apply_patch <<'EOF'\n{text}\nEOF\n"
