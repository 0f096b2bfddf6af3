"""What is really in force: every part of the guard is looked at, and tried where that is possible.

A hook that is installed and does not fire looks like one that never objects. So the doctor sends a write that no plan
allows through the exact line that the client would read in this very worktree, starts the server of its settings, and
stages a change for the git hook.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from volition.agents.guard.clients import CLIENTS
from volition.agents.guard.git import ask_git, git
from volition.agents.guard.index import read_index
from volition.agents.guard.place import worktrees_of
from volition.agents.guard.presence import TRIAL, drop_session
from volition.agents.guard.sessions import SESSION_VARIABLES, sessions
from volition.agents.guard.setting import GuardFailure, GuardSetting
from volition.agents.install.arming import hooks_folder, hooks_path
from volition.agents.install.clients import CLOSED, FILES, hook_line, hooks_file, is_ours, server_of, servers_file
from volition.agents.install.edits import read_settings
from volition.agents.install.trials import start_server, trust_of_hooks, try_denial, try_server
from volition.core.errors import VolitionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.agents.repository import Repository

State: TypeAlias = Literal["in force", "not in force", "not installed", "not known"]


class Diagnosis(msgspec.Struct, frozen=True):
    """One part of the guard: whether it is in force, and why not."""

    part: str
    state: State
    because: str


def all_hold(parts: Sequence[Diagnosis]) -> bool:
    """Whether nothing that is installed fails, and something beside the registry is installed. It is fine if a part is not."""
    return any(part.state == "in force" for part in parts[1:]) and not any(
        part.state in {"not in force", "not known"} for part in parts
    )


def examine_agents(repository: Repository, setting: GuardSetting) -> list[Diagnosis]:
    """Look at every part, and try it; the registry comes first."""
    start_server.cache_clear()
    parts = [_registry(setting)]
    parts += [part for client in CLIENTS for part in _client(repository, setting, client)]
    drop_session(setting.home, TRIAL)
    return [*parts, _git_hooks(repository), *_shared_trees(setting)]


def _registry(setting: GuardSetting) -> Diagnosis:
    try:
        index = read_index(setting)
    except GuardFailure as failure:
        return Diagnosis("registry", "not in force", f"{failure}; every write is denied meanwhile")
    active = sum(index.active(name) is not None for name in index.plans)
    mode = "strict: what cannot be judged is denied" if setting.strict else "what cannot be judged passes marked"
    return Diagnosis("registry", "in force", f"{setting.project}, {active} active plans; {mode}")


def _client(repository: Repository, setting: GuardSetting, client: str) -> Iterator[Diagnosis]:
    files, path = FILES[client], hooks_file(repository, client)
    try:
        _, data = read_settings(path)
    except VolitionError as error:
        yield Diagnosis(client, "not known", f"{path}: {error.problems[0].what}")
        return
    lines = {name: _our_lines(data, name) for name in (*files.tools, *files.others)}
    if not any(lines.values()) or not (repository.root / files.hooks).parent.exists():
        yield _diagnose_absence(repository, setting, client)
        return
    because = [f"{name} is not guarded" for name, guarding in lines.items() if not guarding]
    because += [f"{name} is guarded {len(guarding)} times" for name, guarding in lines.items() if len(guarding) > 1]
    first = lines[files.tools[0]]
    if first and CLOSED not in first[0]:
        because.append("the wrapper is missing: a crash would let a call through")
    if first and first[0] != hook_line(setting, client):
        because.append("it is another version: volition agents install")
    if first and (fault := try_denial(repository, client, first[0])):
        because.append(fault)
    if not because and (fault := try_server(repository, setting, servers_file(repository, client))):
        because.append(fault)
    all_well = "a trial write was denied, and the server belongs to the same session"
    yield Diagnosis(client, "not in force" if because else "in force", "; ".join(because) or all_well)
    if client == "codex":
        yield _trust(repository.root)


def _diagnose_absence(repository: Repository, setting: GuardSetting, client: str) -> Diagnosis:
    """A client without hooks here: that is not fine if it is held elsewhere in the repository."""
    others = [tree for tree in worktrees_of(setting) if Path(tree) != repository.root]
    held = next((tree for tree in others if server_of(Path(tree) / FILES[client].servers)), "")
    if not held:
        return Diagnosis(client, "not installed", "")
    remedy = f"volition agents install {client} --repository {repository.root}"
    return Diagnosis(client, "not in force", f"it is held in {held}, and not in this worktree: {remedy}")


def _our_lines(data: dict[str, Any], event: str) -> list[str]:
    entries = data.get("hooks", {}).get(event, []) if isinstance(data.get("hooks"), dict) else []
    hooks = [hook for entry in entries if isinstance(entry, dict) for hook in (entry, *(entry.get("hooks") or ()))]
    return [hook["command"] for hook in hooks if isinstance(hook, dict) and is_ours(hook.get("command"))]


def _trust(root: Path) -> Diagnosis:
    """Codex runs no hook that a person has not trusted, and says nothing about it."""
    trusted, because = trust_of_hooks(root)
    state: State = "not known" if trusted is None else "in force" if trusted else "not in force"
    return Diagnosis("codex trust", state, because)


def _git_hooks(repository: Repository) -> Diagnosis:
    folder = hooks_folder(repository)
    if not folder.exists() and hooks_path(repository.root) != str(folder):
        return Diagnosis("git", "not installed", "")
    trees = [tree for tree in worktrees_of(repository.setting()) if Path(tree).exists()]
    others = [tree for tree in trees if hooks_path(Path(tree)) != str(folder)]
    because = [f"another hooks path is set in {', '.join(others)}"] if others else []
    because += [f"{name} is missing" for name in ("pre-commit", "pre-push") if not os.access(folder / name, os.X_OK)]
    if not because and (fault := _try_commit(repository)):
        because.append(fault)
    return Diagnosis(
        "git", "not in force" if because else "in force", "; ".join(because) or "a trial commit was refused"
    )


def _try_commit(repository: Repository) -> str:
    """Stage a file that no plan names in a temporary index, and ask the hook."""
    tree = str(repository.root)
    with tempfile.TemporaryDirectory() as place:
        index = f"{place}/index"
        blob = git(tree, "hash-object", "-t", "blob", "--stdin").decode().strip()
        if ask_git(tree, "rev-parse", "--verify", "--quiet", "HEAD"):
            git(tree, "read-tree", "HEAD", index=index)
        git(tree, "update-index", "--add", "--info-only", "--cacheinfo", f"100644,{blob},{TRIAL}", index=index)
        environment = os.environ | {"GIT_INDEX_FILE": index, SESSION_VARIABLES[0]: TRIAL}  # a person needs no plan
        hook = str(hooks_folder(repository) / "pre-commit")
        process = subprocess.run([hook], cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return (
        ""
        if process.returncode and TRIAL in process.stdout
        else f"a trial commit was not refused (code {process.returncode})"
    )


def _shared_trees(setting: GuardSetting) -> Iterator[Diagnosis]:
    """Worktrees in which several sessions work: their unplanned changes cannot be told apart."""
    seen: dict[str, set[str]] = {}
    for data in sessions(setting):
        if data.get("tree") and not data.get("agent"):
            seen.setdefault(str(data["tree"]), set()).add(str(data.get("session")))
    for tree, names in sorted(seen.items()):
        if len(names) > 1:
            yield Diagnosis(
                "sessions",
                "in force",
                f"{len(names)} were seen in {tree}: strays there cannot be told apart, give each a worktree",
            )
