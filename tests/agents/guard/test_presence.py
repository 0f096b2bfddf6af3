"""The plan proposed through the server is the plan that the guard holds: for every client, in every worktree, with real
processes that stand for clients."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.desks import CLIENTS, Desk, event, git
from tests.cli.lines import run
from tests.keys import VARIABLE
from tests.processes import ROOT
from tests.warm import warm
from volition.agents.guard import presence, processes
from volition.agents.guard.clients import PLAN_TOOLS, client_of
from volition.agents.guard.presence import Presence, choose_session, note_session, present
from volition.agents.guard.setting import write_object
from volition.agents.install.clients import FILES, hooks_file, server_of, servers_file
from volition.agents.mcp.access import TeamAccess
from volition.agents.mcp.caller import Callers, PipeSession
from volition.agents.mcp.server import AgentServer
from volition.agents.repository import repository_of
from volition.workflow import parse_store_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.sentences import Told

pytestmark = [
    pytest.mark.req("AG-07"),
    pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="needs a system that shows its processes in files"),
]


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that stands for a client."""
    file = tmp_path_factory.mktemp("client") / "client"
    warm().program(file, "-m", "tests.agents.guard.fake_client")
    return file


def start_client(
    fake: Path, client: str, tree: Path, session: str, file: str, *, hook_first: bool
) -> subprocess.Popen[str]:
    """A client in a worktree, with what is installed there: it proposes a plan for a file through the server, and then
    asks its hook about that file and about src/theirs.py. Hooks begin before the server, or are first asked after it."""
    found = repository_of(tree)
    data = json.loads(hooks_file(found, client).read_text())
    entry = data["hooks"][FILES[client].tools[0]][0]
    server = server_of(servers_file(found, client))
    plan: dict[str, Any] = {
        "name": "propose_plan",
        "arguments": {"title": f"Change {file}", "files": [file]},
    }
    if client == "codex":
        plan["_meta"] = {"sessionId": session, "threadId": session}
    writes = [["hook", event(client, tree, path=path, session=session)] for path in (file, "src/theirs.py")]
    begin = [["hook", event(client, tree, "start", session=session)]] if hook_first else []
    environment = {name: os.environ[name] for name in ("PATH", "HOME", VARIABLE)}
    if client == "claude":
        environment["CLAUDE_CODE_SESSION_ID"] = "of-an-earlier-run"
    said = {
        "server": [server["command"], *server["args"]],
        "folder": str(tree),
        "hook": entry.get("command") or entry["hooks"][0]["command"],
        "environment": environment,
        "steps": [*begin, ["server", None], ["call", plan], *writes],
    }
    process = subprocess.Popen([fake], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdin is not None
    process.stdin.write(json.dumps(said))
    process.stdin.close()
    return process


def ends(processes: Sequence[subprocess.Popen[str]]) -> list[list[Any]]:
    """What came of the steps of each client, the last three: the plan, the write to its file, the one to another's."""
    with ExitStack() as waiting:
        for process in processes:
            waiting.enter_context(process)
        said = [process.stdout.read() for process in processes if process.stdout is not None]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return [[json.loads(line) for line in text.splitlines()][-3:] for text in said]


@pytest.fixture
def linked(desk: Desk, capsys: pytest.CaptureFixture[str]) -> Path:
    """A linked worktree of the desk."""
    git(desk.repo, "worktree", "add", "-q", "../linked")
    return desk.repo.parent / "linked"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_plan_of_the_server_is_the_plan_of_the_guard(
    desk: Desk, linked: Path, fake: Path, client: str, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """Clients in the main worktree and in a linked one work at once, with what is installed and nothing else: each may write
    what it proposed and not what another did, whether its hooks or its server began first. Two clients of one worktree
    are not mixed either."""
    for tree in (desk.repo, linked):
        assert run(capsys, "agents", "install", client, "--repository", tree).code == 0
    files = ["src/free.py", "src/other.py", *(["src/third.py"] if client == "gemini" else [])]
    started = [
        start_client(fake, client, tree, f"session-{number}", file, hook_first=number == 0)
        for number, (tree, file) in enumerate(zip((desk.repo, linked, desk.repo), files, strict=False))
    ]
    for (plan, own, theirs), file in zip(ends(started), files, strict=True):
        assert plan["structuredContent"]["outcome"] == "granted", plan
        assert own == [0, ""]
        assert theirs[0] == 2
        told(theirs[1])
        assert f"Change {file}" in theirs[1]


def here(session: str, *above: str, tree: str = "/repo", at: float = 0.0) -> Presence:
    """Something present in a worktree."""
    return Presence(session, (tree,) if tree else (), above, at)


@pytest.mark.parametrize(
    ("server", "sessions", "found"),
    [
        (here("", "a", "shell"), [here("one", "a", "shell"), here("two", "b", "shell")], "one"),
        (here("", "c", "shell"), [here("one", "a", "shell"), here("two", "b", "shell")], ""),
        (here("", "c", "shell"), [here("one", "a", "shell")], ""),
        (here("", "a"), [here("old", "a", at=1.0), here("new", "a", at=2.0)], "new"),
        (here("", "a"), [here("inner", "b", "a", at=2.0), here("outer", "a", at=1.0)], "outer"),
        (here("", "b", "a"), [here("inner", "b", "a"), here("outer", "a")], "inner"),
        (here("", "launcher", "a"), [here("one", "a")], "one"),
        (here("", "a"), [here("one", "a", tree="/other")], ""),
        (here("", "a", tree=""), [here("one", "a", tree="/other")], "one"),
        (here(""), [here("one")], "one"),
        (here(""), [here("one"), here("two")], ""),
        (here("", "a"), [here("one")], "one"),
        (here("", tree=""), [here("one")], ""),
    ],
)
def test_which_session_a_server_belongs_to(server: Presence, sessions: list[Presence], found: str) -> None:
    """The session of the same client process, the latest one and the nearest one; where processes cannot be seen, the only one
    of the worktree; and none where that is not certain."""
    assert choose_session(server, sessions) == found


def test_clients_that_inherit_one_session_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two clients that were started from one terminal inherit the same name of a session. Their servers claim under different
    ones, so neither client has what the other claimed; a server that is started again has the name as before."""
    home, clients = str(tmp_path), [f"{os.getppid()}:1", f"{os.getpid()}:1"]
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "inherited")
    names = []
    for number, client in enumerate([clients[0], clients[0], clients[1]]):
        monkeypatch.setattr(presence, "_above", lambda client=client: (client, "terminal"))
        monkeypatch.setattr(os, "getpid", lambda number=number: 10 + number)
        server = PipeSession(guard=home)
        server.announce()
        note_session(home, f"session of {client}", "/repo", again=True)
        names.append(server._own)
    assert names[0] == names[1] == "inherited" != names[2]
    found = {client: presence.sessions_of_servers(home, f"session of {client}") for client in clients}
    assert found == {clients[0]: ["inherited"], clients[1]: [names[2]]}


def test_clients_that_ended_are_forgotten(tmp_path: Path) -> None:
    """A new session removes the notes of clients that have ended, and no others."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name, above in (("gone", f"{gone.pid}:1"), ("here", f"{os.getpid()}:1")):
        write_object(f"{tmp_path}/present/session-{name}.json", here(name, above)._asdict())
    note_session(str(tmp_path), "new", "/repo", again=False)
    assert {one.session for one in present(str(tmp_path))} == {"here", "new"}


def test_processes_are_listed_where_files_do_not_show_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without files of processes, `ps` tells the same numbers."""
    by_files = [one.pid for one in processes.processes_above()]
    assert by_files
    monkeypatch.setattr(processes, "PROCESSES", "/nowhere")
    monkeypatch.setattr(processes, "_asked", [])
    assert [one.pid for one in processes.processes_above()] == by_files
    monkeypatch.setattr(processes, "_asked", [])
    monkeypatch.setenv("PATH", "/nowhere")
    assert processes.processes_above() == []


def test_the_guard_knows_every_tool_of_the_server(desk: Desk) -> None:
    """The tools that only talk to the registry are those of the server, and no other server's."""
    server = AgentServer(TeamAccess(parse_store_address(desk.registry)), Callers("ann"), forms="approvals")
    assert {tool.name for tool in server._tool_manager.list_tools()} == PLAN_TOOLS
    for client, prefix in (("claude", "mcp__volition__"), ("gemini", "mcp_volition_"), ("cursor", "MCP:")):
        for name, kind in (("propose_plan", "plan"), ("evil_write", "unknown")):
            said = {**event(client, desk.repo), "tool_name": f"{prefix}{name}"}
            assert client_of(client).read(said).kind == kind
