"""The guard: whatever a client reports, no write outside the plan passes, or it is recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.desks import CLIENTS, MINE, SESSION, event, git, write_setting
from tests.workflow.plans import document
from volition.agents.check.changes import staged_changes
from volition.agents.check.checking import check_with_guard
from volition.agents.guard import handling, journal
from volition.agents.guard.hook import OutOfTime, answer_event
from volition.agents.guard.index import read_index
from volition.agents.guard.judge import GuardJudge
from volition.agents.guard.place import Place
from volition.agents.guard.sessions import Identity, bind_session, bind_tree
from volition.agents.guard.setting import GuardFailure
from volition.agents.repository import repository_of

if TYPE_CHECKING:
    from tests.agents.desks import Desk
    from tests.sentences import Told

WAYS = ("write", "edit", "patch", "shell", "heredoc patch")
"""Ways to write that name the file."""
WRONG: tuple[object, ...] = (None, 7, "", [])
BLIND = ("other server", "unknown tool")
"""Ways to write that do not."""


@pytest.mark.req("AG-02")
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_visible_write_is_judged(desk: Desk, client: str, way: str, told: Told) -> None:
    """A file of the plan passes; another's is denied with its holder and what to do; nobody's too; for a subagent alike."""
    assert desk.hook(client, way=way).code == 0
    theirs = desk.hook(client, way=way, path="src/theirs.py")
    assert theirs.code == 2
    assert "src/theirs.py" in theirs.err
    told(theirs.err)
    free = desk.hook(client, way=way, path="src/free.py", agent="worker-7")
    assert free.code == 2
    told(free.err)
    assert [entry["what"] for entry in desk.entries()] == ["pass", "deny", "deny"]


@pytest.mark.req("AG-03")
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("way", BLIND)
def test_a_blind_write_passes_marked_and_is_found(desk: Desk, client: str, way: str, told: Told) -> None:
    """A tool that names no file passes with a mark, strict mode denies it, and the file that it wrote is named after it,
    and again by the check before a commit."""
    assert desk.hook(client, way=way).code == 0
    (desk.repo / "src" / "free.py").write_text("changed")
    said = desk.hook(client, "after", way=way)
    assert said.code == 2
    told(said.err)
    assert [entry["what"] for entry in desk.entries()] == ["marked", "stray"]
    git(desk.repo, "add", "-A")
    checked = check_with_guard(staged_changes(str(desk.repo)), repository_of(desk.repo), ())
    assert [path.path for path in checked.unplanned] == ["src/free.py"]
    write_setting(desk.setting._replace(strict=True))
    assert desk.hook(client, way=way).code == 2


@pytest.mark.req("AG-02")
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("failure", ["crash", "timeout", "registry gone", "setting gone", "journal full"])
def test_every_failure_is_a_no(
    desk: Desk, client: str, failure: str, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """If the guard fails in any way, every call is denied with a reason, even one that the plan allows, and recorded."""
    if failure in {"crash", "timeout"}:
        error = OutOfTime() if failure == "timeout" else ZeroDivisionError("x")
        monkeypatch.setattr(handling, "worktrees_of", lambda setting: _raise(error))
    elif failure == "registry gone":
        desk.registry.unlink()
    elif failure == "setting gone":
        (desk.repo / ".git" / "volition" / "guard.json").unlink()
    else:
        monkeypatch.setattr(journal, "append", lambda home, data: _raise(GuardFailure("no room")))
    answers = [desk.hook(client, way=way, agent=agent) for way in (*WAYS, *BLIND) for agent in ("", "worker-7")]
    assert {answer.code for answer in answers} == {2}
    told(*sorted({answer.err for answer in answers}))
    monkeypatch.undo()
    recorded = [] if failure == "journal full" else ["failure"] * 14
    assert [entry["what"] for entry in desk.entries()] == recorded


@pytest.mark.req("AG-02")
@pytest.mark.parametrize("client", CLIENTS)
def test_malformed_input_is_a_no(desk: Desk, client: str, told: Told) -> None:
    """Input that is not an event of the client is denied and recorded: no JSON, and a field that is missing or wrong."""
    said = event(client, desk.repo, path="src/free.py")
    needed = said.keys() - {"tool_use_id"} - ({"cwd", "workspace_roots"} if client == "cursor" else set())
    wrong = [json.dumps({**said, key: value}).encode() for key in needed for value in WRONG]
    texts = [b"", b"{", b"[]", b"null", b"{}", b'{"hook_event_name": "X"}', b"\xff", b"[" * 100_000, b'{"a": NaN}']
    refusals = set[str]()
    for content in [*texts, *wrong]:
        answer = answer_event(desk.setting.home, client, content)
        assert answer.code == 2, content
        refusals.add(answer.err.partition(" (")[0])
    told(*sorted(refusals))
    assert [entry["what"] for entry in desk.entries()] == ["failure"] * (len(texts) + len(wrong))


def test_the_plan_is_found_by_session_and_subagent(desk: Desk, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """A subagent has its own plan, or else that of its session; an unknown session that of its launcher or worktree, or
    none; a plan that is over is none."""
    bind_session(desk.setting, Identity(SESSION, "w1"), ["intent_theirs"])
    assert desk.hook("codex", path="src/theirs.py", agent="w1").code == 0
    assert desk.hook("codex", path="src/mine.py", agent="w1").code == 2
    assert desk.hook("codex", path="src/mine.py", agent="w2").code == 0
    said = desk.hook("codex", session="unknown")
    assert said.code == 2
    told(said.err)
    assert desk.hook("codex", session="bob", path="src/theirs.py").code == 0
    bind_tree(desk.setting, str(desk.repo), [MINE])
    assert desk.hook("codex", session="unknown").code == 0
    monkeypatch.setenv("VOLITION_PLAN", "intent_theirs")
    assert desk.hook("codex", session="unknown").code == 2
    bind_session(desk.setting, Identity("late"), ["intent_nobody"])
    told(desk.hook("codex", session="late").err)


def test_a_plan_that_an_agent_claimed_itself_is_its_plan(desk: Desk, told: Told) -> None:
    """A holder `NAME@SESSION`, or `NAME@SESSION/AGENT`, is found by its session and agent alone; once the plan is withdrawn,
    or has expired, it permits nothing, and the reason says so."""
    team = desk.team()
    made = team.register(document("claimed", "src/free.py"), "ann@s9/w1", lease=3600)
    assert made.grant
    assert desk.hook("codex", session="s9", agent="w1", path="src/free.py").code == 0
    for session, agent in (("s9", ""), ("s9", "w2"), ("s8", "w1"), ("ann", "w1")):
        assert desk.hook("codex", session=session, agent=agent, path="src/free.py").code == 2
    bind_session(desk.setting, Identity("s8"), ["intent_claimed"])
    assert desk.hook("codex", session="s8", path="src/free.py").code == 0
    team.withdraw("intent_claimed", made.grant.token)
    team.store.close()
    told(desk.hook("codex", session="s8", path="src/free.py").err)
    late = read_index(desk.setting)
    verdict = GuardJudge(late._replace(now=late.plans[MINE].until), [MINE], strict=False)
    told(verdict.judge([Place("tree", "src/mine.py")]).reasons[0])


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".git/hooks/pre-commit", ".git/volition/guard.json", ".claude/settings.json", ".codex/hooks.json",
        "../team.db", "../team.db.guard.json", "~/.claude/settings.json", "src/../.git/config", "~/.gitconfig",
    ],
)  # fmt: skip
def test_what_arms_the_guard_is_out_of_reach(desk: Desk, path: str, told: Told) -> None:
    """No session writes what arms the guard, whatever its plan says."""
    bind_session(desk.setting, Identity(SESSION), [MINE])
    for way in ("write", "shell"):
        answer = desk.hook("claude", way=way, path=path)
        assert answer.code == 2
        told(answer.err)


@pytest.mark.parametrize(
    "command",
    [
        "git commit --no-verify -m x", "git commit -nm x", "git -c core.hooksPath=/dev/null commit -m x",
        "git config core.hooksPath /dev/null", "GIT_CONFIG_COUNT=1 git commit -m x", "env GIT_CONFIG_COUNT=1 git commit",
        "git push --no-verify", "git config --unset core.hooksPath", "cd src && git config --local core.hooksPath x",
    ],
)  # fmt: skip
def test_a_way_around_the_checks_is_denied(desk: Desk, command: str) -> None:
    """A command that skips or disarms the git hooks is denied where it can be seen."""
    assert desk.hook("codex", way="shell", command=command).code == 2


def test_links_and_other_worktrees(desk: Desk, told: Told) -> None:
    """A link is judged by where it leads; another worktree of the repository is another's."""
    (desk.repo / "src" / "new").symlink_to(desk.repo / "src" / "free.py")
    assert desk.hook("claude", path="src/new").code == 2
    git(desk.repo, "worktree", "add", "-q", "../other")
    other = str(desk.repo.parent / "other" / "src" / "mine.py")
    told(desk.hook("claude", path=other).err)
    assert desk.hook("claude", path=other, folder=str(desk.repo.parent / "other")).code == 0


def test_outside_of_the_repository_is_marked(desk: Desk) -> None:
    """A file elsewhere passes with a mark, one in a folder for temporary files without; strict mode denies the first."""
    assert desk.hook("claude", path="/opt/elsewhere.txt").code == 0
    assert desk.hook("claude", way="shell", command="ls > /dev/null").code == 0
    assert [entry["what"] for entry in desk.entries()] == ["marked", "pass"]
    write_setting(desk.setting._replace(strict=True))
    assert desk.hook("claude", path="/opt/elsewhere.txt").code == 2


def test_reading_costs_nothing_and_is_not_recorded(desk: Desk) -> None:
    """Tools that only look pass without a look at registry or worktree."""
    desk.registry.unlink()
    said = event("claude", desk.repo) | {"tool_name": "Read", "tool_input": {"file_path": "x"}}
    assert answer_event(desk.setting.home, "claude", json.dumps(said).encode()).code == 0
    assert desk.entries() == []


@pytest.mark.parametrize("client", CLIENTS)
def test_unplanned_changes_are_named_until_they_are_undone(desk: Desk, client: str) -> None:
    """A stray is recorded once, named once after a call, and again at the end; sent back once, the agent may stop."""
    desk.hook(client, "start")
    assert desk.hook(client, way="shell", command="python3 work.py").code == 0
    (desk.repo / "src" / "free.py").write_text("changed")
    (desk.repo / "src" / "mine.py").write_text("changed")
    assert "src/free.py" in desk.hook(client, "after", way="shell").err
    assert desk.hook(client, "after", way="shell").code == 0
    end = desk.hook(client, "end")
    assert "src/free.py" in end.out + end.err
    again = desk.hook(client, "end", again=True)
    assert (again.code, again.err, "free" in again.out) == (0, "", False)
    git(desk.repo, "checkout", "--", "src/free.py")
    calm = desk.hook(client, "end")
    assert (calm.code, calm.err) == (0, "")
    assert [entry["what"] for entry in desk.entries()].count("stray") >= 1


def test_a_call_without_a_second_event_is_noticed(desk: Desk) -> None:
    """A change for which no event came afterwards is recorded at the next event, and named then."""
    assert desk.hook("codex", way="shell", command="./long_running &").code == 0
    (desk.repo / "stray.py").write_text("x")
    assert desk.hook("codex", way="write").code == 0
    assert [entry["what"] for entry in desk.entries()] == ["marked", "stray", "pass"]
    assert "stray.py" in desk.hook("codex", "after", way="shell").err


def test_the_real_process(desk: Desk) -> None:
    """The hook as a process: 0 without a word, 2 with a reason on stderr, 2 for nonsense and for a wrong call."""
    home = desk.setting.home

    def call(*words: str, content: bytes) -> tuple[int, bytes, bytes]:
        line = [sys.executable, "-I", "-m", "volition.agents.guard", *words]
        done = subprocess.run(line, input=content, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    fine = json.dumps(event("claude", desk.repo)).encode()
    assert call(home, "claude", content=fine) == (0, b"", b"")
    code, out, err = call(home, "claude", content=json.dumps(event("claude", desk.repo, path="src/free.py")).encode())
    assert (code, out, err.startswith(b"volition: src/free.py is not in your plan")) == (2, b"", True)
    for words in ([home, "claude"], [home, "emacs"], [], ["/nowhere", "claude"]):
        code, _, err = call(*words, content=b"{" if words == [home, "claude"] else fine)
        assert (code, err.startswith(b"volition: ")) == (2, True)


def test_odd_names(desk: Desk) -> None:
    """Names with spaces, quotes, line ends and bytes that are no text are judged, recorded and named."""
    names = ["a b.py", "quote'\".py", "line\nend.py", os.fsdecode(b"\xff\xfe.py"), "-n", "$HOME"]
    desk.hook("claude", "start")
    for name in names:
        answer = desk.hook("claude", path=str(desk.repo / name))
        assert answer.code == 2
        (desk.repo / name).touch()
    said = desk.hook("claude", "after", way="shell").err
    assert all(name in said for name in names)
    assert set(names) <= {name for entry in desk.entries() for name in entry.get("targets", ())}


def _raise(error: BaseException) -> Any:
    raise error
