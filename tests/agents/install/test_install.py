"""Installing arms, uninstalling restores every byte, and the doctor believes only what it tried."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.desks import CLIENTS, MINE, event, git, install_hooks
from tests.cli.lines import Ended, run, run_json
from tests.sentences import lines_about
from volition.agents.guard.sessions import bind_tree
from volition.agents.install import clients, trials
from volition.agents.install.clients import FILES
from volition.workflow import Store, parse_store_address
from volition.workflow.store.database import list_projects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.sentences import Told

HOOKS = {client: FILES[client].hooks for client in CLIENTS}


pytestmark = pytest.mark.req("AG-04")


@pytest.fixture
def at(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk without a guard's setting, and no codex on the path."""
    monkeypatch.chdir(desk.repo)
    (desk.repo / ".git" / "volition" / "guard.json").unlink()
    monkeypatch.setattr("volition.agents.install.trials.shutil.which", lambda name: None)
    return desk


def agents(capsys: pytest.CaptureFixture[str], *words: str) -> Ended:
    """Run one `volition agents` line."""
    return run(capsys, "agents", *words)


def install(capsys: pytest.CaptureFixture[str], desk: Desk, *words: str) -> Ended:
    """Install with the desk's registry."""
    return agents(capsys, "install", *words, "--registry", str(desk.registry))


def files(repo: Path) -> dict[str, bytes]:
    """Every file of the worktree and the configuration of git."""
    found = [path for path in repo.rglob("*") if path.is_file() and ".git" not in path.relative_to(repo).parts]
    return {str(path): path.read_bytes() for path in [*found, repo / ".git" / "config"]}


def keeps(now: Any, before: Any) -> bool:
    """Whether settings have everything that was there before, at the same places."""
    if isinstance(before, dict):
        return all(key in now and keeps(now[key], value) for key, value in before.items())
    if isinstance(before, list):
        return all(now.count(entry) == before.count(entry) for entry in before)
    return bool(now == before)


SETTINGS: dict[str, dict[str, Any]] = {
    "claude": {
        "model": "x",
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]},
    },
    "codex": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}},
    "gemini": {"mcpServers": {"other": {"command": "x"}}, "theme": "dark"},
    "cursor": {"version": 1, "hooks": {"stop": [{"command": "mine"}]}},
}


def test_install_and_uninstall_leave_what_was_there(at: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """A dry run changes nothing; installing keeps every other setting; installing twice changes nothing; uninstalling
    restores each file to what it said, and git's configuration to the byte."""
    (at.repo / ".codex").mkdir()
    (at.repo / ".codex" / "config.toml").write_text('# mine\nmodel = "x"  # kept\n')
    for client, data in SETTINGS.items():
        path = at.repo / HOOKS[client]
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(data, indent=4) + "\n")
    before = files(at.repo)
    shown = install(capsys, at, "--dry-run")
    assert (shown.code, files(at.repo)) == (0, before)
    assert all(f"+++ {at.repo / HOOKS[client]}" in shown.out for client in CLIENTS)
    assert install(capsys, at).code == 0
    armed = files(at.repo)
    assert armed.keys() > before.keys()
    assert b'model = "x"  # kept' in armed[str(at.repo / ".codex" / "config.toml")]
    for client, data in SETTINGS.items():
        now = json.loads(armed[str(at.repo / HOOKS[client])])
        assert keeps(now, data)
    assert agents(capsys, "install").out.startswith("nothing to change")
    assert files(at.repo) == armed
    assert agents(capsys, "uninstall").code == 0
    assert files(at.repo) == before


@pytest.mark.parametrize("broken", ['{// a comment\n"a": 1}', "{", '{"a": 1, "a": 2}', "[]", '{"hooks": []}', "\udcff"])
def test_settings_that_cannot_be_kept_are_not_touched(
    at: Desk, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Comments, broken JSON and duplicate keys stop the installation before anything is written, anywhere."""
    path = at.repo / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(broken.encode(errors="surrogateescape"))
    before = files(at.repo)
    done = install(capsys, at)
    assert (done.code, str(path) in done.err, files(at.repo)) == (2, True, before)
    assert not (at.repo / ".git" / "volition" / "guard.json").exists()


def test_a_folder_that_cannot_be_written_leaves_nothing_half_installed(
    at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one file cannot be written, those before it are taken back."""
    (at.repo / ".gemini").write_text("a file where a folder should be")
    before = files(at.repo)
    done = install(capsys, at)
    assert (done.code, files(at.repo)) == (2, before)
    assert git(at.repo, "config", "--get-regexp", "^core.bare").strip() == "core.bare false"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_installed_line_denies_whatever_happens(
    at: Desk, client: str, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """The line in the settings, run by a shell: a stray is denied and the plan's file passes; without the interpreter, with
    a crash and with a kill it is still a no with a reason."""
    install(capsys, at, client)
    line = json.dumps(json.loads((at.repo / HOOKS[client]).read_text()))
    assert line.count("volition.agents.guard") == len((*FILES[client].tools, *FILES[client].others))
    first = json.loads(line)["hooks"][FILES[client].tools[0]][0]
    command = first.get("command") or first["hooks"][0]["command"]

    def call(command: str, path: str) -> tuple[int, str]:
        said = json.dumps(event(client, at.repo, path=path))
        done = subprocess.run(["/bin/sh", "-c", command], input=said, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert call(command, "src/mine.py") == (0, "")
    code, said = call(command, "src/free.py")
    assert code == 2
    told(said)
    guard = command.partition("; c=$?")[0]
    for worse in ("/nowhere/python", "exit 1", "exit 3", "kill -9 $$", "exec sleep 100"):
        instead = worse if worse != "kill -9 $$" else "sh -c 'kill -9 $$'"
        instead = instead if "sleep" not in worse else "timeout 0.1 sleep 100"
        instead = f"({instead})" if instead.startswith("exit") else instead
        code, said = call(command.replace(guard, instead), "src/mine.py")
        assert (code, "no verdict" in said) == (2, True)


def test_the_doctor_tries_what_is_installed(at: Desk, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Everything installed is tried and in force; a wrapper that was removed, a hook that lets all pass, a hooks path that
    was changed and a registry that is gone are found."""
    install(capsys, at, "claude", "gemini")
    install_hooks(at, capsys)
    code, found = run_json(capsys, "agents", "doctor")
    states = {part["part"]: part["state"] for part in found["parts"]}
    assert (code, states) == (
        0,
        {"registry": "in force", "claude": "in force", "codex": "not installed", "gemini": "in force",
         "cursor": "not installed", "git": "in force"},
    )  # fmt: skip
    agents(capsys, "uninstall", "gemini")
    settings = at.repo / ".claude" / "settings.json"
    whole = settings.read_text()
    for old, new in ((" -I -c ", " -c pass "), ("exit 2", "exit 0")):
        settings.write_text(whole.replace(old, new))
        code, found = run_json(capsys, "agents", "doctor")
        assert (code, next(p["state"] for p in found["parts"] if p["part"] == "claude")) == (3, "not in force")
    settings.write_text(whole)
    git(at.repo, "config", "core.hooksPath", "/dev/null")
    at.registry.unlink()
    done = agents(capsys, "doctor")
    assert done.code == 3
    told(*lines_about(done.out, "git:"))
    told(*lines_about(done.out, "registry:"))


def test_trust_in_codex(
    at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Hooks that Codex does not trust are not in force; where Codex cannot be asked, or is silent, that is not known. What it
    started is not waited for."""
    install(capsys, at, "codex")
    monkeypatch.setattr("volition.agents.install.doctor.try_server", lambda *given: "")  # of no concern to trust
    told(*lines_about(agents(capsys, "doctor").out, "codex trust"))
    fake = at.repo.parent / "codex"
    hook = {"command": "x -m volition.agents.guard y", "trustStatus": "untrusted"}
    monkeypatch.setattr("volition.agents.install.trials.shutil.which", lambda name: str(fake))
    for status, state in (("untrusted", "not in force"), ("trusted", "in force")):
        answer = json.dumps({"id": 2, "result": {"data": [{"hooks": [{**hook, "trustStatus": status}]}]}})
        fake.write_text(f"#!/bin/sh\nread a; echo '{{\"id\": 1}}'\necho '{answer}'\nsleep 600\n")
        fake.chmod(0o755)
        assert f"codex trust: {state}" in agents(capsys, "doctor").out
    fake.write_text("#!/bin/sh\nsleep 600\n")
    monkeypatch.setattr("volition.agents.install.trials.CODEX_PATIENCE", 0.1)
    told(*lines_about(agents(capsys, "doctor").out, "codex trust"))


def test_a_codex_that_ends_at_once(at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Codex that ends before it is asked gives no answer, which is said; nothing is raised."""
    fake = at.repo.parent / "codex"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr("volition.agents.install.trials.shutil.which", lambda name: str(fake))
    ask = trials._ask_codex
    monkeypatch.setattr(trials, "_ask_codex", lambda process, lines: (process.wait(), ask(process, lines))[1])
    trusted, why = trials.trust_of_hooks(at.repo)
    assert (trusted, "codex gave no answer" in why) == (None, True)


def test_hooks_of_git_chain_what_was_there(
    at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """An agent's commit outside of the plan is refused; one inside runs the hook that was there before, with its arguments; a
    linked worktree is guarded too; uninstalling brings the old path back."""
    theirs = at.repo / ".husky"
    theirs.mkdir()
    for name in ("pre-commit", "commit-msg", "pre-push"):
        (theirs / name).write_text(f'#!/bin/sh\necho {name} "$#" >> "{at.repo.parent}/ran"\n')
        (theirs / name).chmod(0o755)
    git(at.repo, "config", "core.hooksPath", ".husky")
    install_hooks(at, capsys)
    monkeypatch.setenv("VOLITION_SESSION", "unbound")
    bind_tree(at.setting, str(at.repo), [MINE])
    (at.repo / "src" / "free.py").write_text("x")
    git(at.repo, "add", "src/free.py")
    with told.raises(AssertionError):
        git(at.repo, "commit", "-qm", "x")
    assert not (at.repo.parent / "ran").exists()
    git(at.repo, "reset", "-q")
    (at.repo / "src" / "mine.py").write_text("x")
    git(at.repo, "commit", "-qm", "x", "src/mine.py")
    git(at.repo.parent, "init", "-q", "--bare", "far.git")
    git(at.repo, "update-ref", "refs/remotes/far/main", "HEAD~1")
    git(at.repo, "push", "-q", str(at.repo.parent / "far.git"), "main")
    assert (at.repo.parent / "ran").read_text().split() == ["pre-commit", "0", "commit-msg", "1", "pre-push", "2"]
    git(at.repo, "worktree", "add", "-q", "../linked")
    linked = at.repo.parent / "linked"
    (linked / "src" / "mine.py").write_text("y")
    with told.raises(AssertionError):
        git(linked, "commit", "-qam", "x")
    monkeypatch.delenv("VOLITION_SESSION")
    agents(capsys, "uninstall", "git")
    assert git(at.repo, "config", "core.hooksPath").strip() == ".husky"
    assert not (at.repo / ".git" / "volition" / "hooks").exists()


def test_a_registry_is_made_where_none_is_named(
    at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first time makes a registry in git's folder, with the repository's name as its project, and says so before; a dry run
    makes nothing. Afterwards it is known, and strict mode stays as it was set."""
    monkeypatch.delenv("VOLITION_REGISTRY", raising=False)
    place = at.repo / ".git" / "volition" / "team.db"
    done = agents(capsys, "install", "claude", "--dry-run")
    assert (done.code, f"make the registry {place} with the project repo" in done.out) == (0, True)
    assert not place.exists()
    assert agents(capsys, "install", "claude", "--strict").code == 0
    with Store(parse_store_address(place)) as store:
        assert list_projects(store) == ["repo"]
    assert at.hook("claude", session="new").code == 2
    again = agents(capsys, "install", "gemini")
    assert (again.code, "make the registry" in again.out) == (0, False)
    setting: dict[str, Any] = json.loads((at.repo / ".git" / "volition" / "guard.json").read_text())
    assert (setting["strict"], setting["registry"], setting["project"]) == (True, str(place), "repo")


@pytest.mark.req("AG-07")
def test_a_linked_worktree_is_armed_by_itself(
    at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is installed in the main worktree does not hold a client in a linked one, and the doctor says so there, with exit code 3;
    installing in it arms it. Codex reads the hooks from the main worktree, and the server from the linked one."""
    monkeypatch.setattr(trials, "start_server", lambda *given: "")  # what is started is the same in every worktree
    git(at.repo, "worktree", "add", "-q", "../linked")
    linked = at.repo.parent / "linked"
    assert install(capsys, at, "codex", "claude").code == 0
    code, found = run_json(capsys, "agents", "doctor", "--repository", str(linked))
    states = {part["part"]: part["state"] for part in found["parts"]}
    assert (code, states["codex"], states["claude"]) == (3, "not in force", "not in force")
    assert agents(capsys, "install", "codex", "--repository", str(linked)).code == 0
    server = tomllib.loads((linked / ".codex" / "config.toml").read_text())["mcp_servers"]["volition"]
    assert (server["required"], "VOLITION_HOLDER" in server["env_vars"]) == (True, True)
    assert not (linked / ".codex" / "hooks.json").exists()
    code, found = run_json(capsys, "agents", "doctor", "--repository", str(linked))
    states = {part["part"]: part["state"] for part in found["parts"]}
    assert (code, states["codex"], states["claude"]) == (3, "in force", "not in force")
    assert agents(capsys, "uninstall", "codex", "--repository", str(linked)).code == 0
    assert (at.repo / ".codex" / "hooks.json").exists()
    assert not (linked / ".codex").exists()


def test_a_server_that_does_not_start_is_found(at: Desk, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A server that was removed from the settings, or replaced, is not in force."""
    install(capsys, at, "cursor")
    settings = at.repo / ".cursor" / "mcp.json"
    whole = settings.read_text()
    for text in ("{}", whole.replace("--guard", "--holder")):
        settings.write_text(text)
        done = agents(capsys, "doctor")
        assert done.code == 3
        told(done.out)


def test_windows_is_told_at_once(at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows nothing is installed, with exit code 4 and the reason."""
    before = files(at.repo)
    monkeypatch.setattr("sys.platform", "win32")
    done = install(capsys, at)
    assert (done.code, "POSIX shell" in done.err, files(at.repo)) == (4, True, before)


def test_the_other_commands_need_no_posix() -> None:
    """Without fcntl, as on Windows, the commands on plans and checks can be imported and asked for help."""
    code = """
import sys
import click, msgspec, sqlalchemy  # they look at the platform too
sys.modules["fcntl"] = None
sys.platform = "win32"
from volition.cli.main import main
for words in (["check"], ["govern"], ["team", "list"], ["team", "register"]):
    try:
        main([*words, "--help"])
    except SystemExit as end:
        assert not end.code, words
import volition.agents.check.checking, volition.agents.check.changes, volition.workflow, volition.cli.team
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    shutil.which("perl") is None, reason="perl is not installed: an installation without timeout is NOT TRIED"
)
def test_the_line_closes_without_the_program_timeout(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no `timeout`, as on macOS, Perl ends a guard that hangs, and that is a no."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "timeout" else which(name))
    monkeypatch.setattr(clients, "PATIENCE", 1)
    line = clients.hook_line(desk.setting, "claude")
    assert line.startswith("perl ")
    guard = line.partition(" 1 ")[2].partition("; c=$?")[0]
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace(guard, "sleep 100")], input="", capture_output=True, text=True, check=False
    )
    assert (done.returncode, "no verdict" in done.stderr) == (2, True)


def test_a_disk_that_cannot_be_written(at: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the guard cannot write its journal, its snapshots or its sessions, a call is denied, and its reason says so."""
    install(capsys, at, "claude")
    home = at.repo / ".git" / "volition"
    for name in ("journal.jsonl", "trees", "sessions"):
        (home / name).rename(home / "away") if (home / name).exists() else None
        (home / name).write_text("") if name != "journal.jsonl" else (home / name).mkdir()
        answer = at.hook("claude", "start" if name == "sessions" else "before")
        assert (answer.code, "cannot be" in answer.err) == (2, True), name
        (home / name).unlink() if name != "journal.jsonl" else (home / name).rmdir()
        (home / "away").rename(home / name) if (home / "away").exists() else None
    assert at.hook("claude").code == 0


def test_no_password_is_written_into_settings(
    at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address with a password is refused before anything is written."""
    address = parse_store_address("postgresql://ann:secret@db.example/team")
    opened = SimpleNamespace(store=SimpleNamespace(address=address), project="shop")
    monkeypatch.setattr("volition.cli.agents.open_team", lambda registry, project: nullcontext(opened))
    done = agents(capsys, "install", "--registry", address.place)
    assert (done.code, "password" in done.err, "secret" in done.err) == (2, True, False)
    assert not (at.repo / ".mcp.json").exists()
