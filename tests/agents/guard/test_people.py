"""People work beside agents: no plan is asked of them, and another's claim stops them with a name and a way on."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import MINE, SESSION, git, install_hooks
from tests.cli.lines import run
from volition.agents.guard.sessions import bind_tree

if TYPE_CHECKING:
    from tests.agents.desks import Desk
    from tests.sentences import Told

pytestmark = pytest.mark.req("AG-06")
SESSIONS = ("VOLITION_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "GEMINI_SESSION_ID")


@pytest.fixture
def at(desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    """The desk with agents and git hooks installed, seen by a person whose name no plan has."""
    monkeypatch.chdir(desk.repo)
    monkeypatch.setattr("volition.agents.install.trials.shutil.which", lambda name: None)
    for name in (*SESSIONS, "VOLITION_WITH_CLAIM", "VOLITION_HOLDER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("USER", "zoe")
    git(desk.repo, "config", "user.name", "Zoe")
    git(desk.repo, "config", "user.email", "zoe@example.org")
    assert run(capsys, "agents", "install", "claude", "--registry", str(desk.registry)).code == 0
    install_hooks(desk, capsys)
    return desk


def commit(desk: Desk, *before: str, **variables: str) -> tuple[int, str]:
    """Commit everything, with the hooks that are installed."""
    git(desk.repo, "add", "-A")
    done = subprocess.run(
        ["git", "-c", "commit.gpgsign=false", *before, "commit", "-qm", "x"],
        cwd=desk.repo, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def write(desk: Desk, name: str) -> None:
    """Change a file of the desk."""
    (desk.repo / "src" / f"{name}.py").write_text(f"changed {os.urandom(4).hex()}\n")


def test_a_person_needs_no_plan(at: Desk) -> None:
    """A person commits what is in nobody's plan, with the files that the installation wrote."""
    write(at, "free")
    code, said = commit(at)
    assert (code, said) == (0, "")
    assert ".claude/settings.json" in git(at.repo, "show", "--name-only", "--format=", "HEAD")


def test_a_person_is_told_whose_it_is(at: Desk, told: Told) -> None:
    """What another has claimed stops a person's commit with the holder and the ways on; each of them goes through, and
    is recorded."""
    ways: list[tuple[tuple[str, ...], dict[str, str]]] = [
        (("-c", "volition.withClaim=true"), {}),
        ((), {"VOLITION_WITH_CLAIM": "1"}),
    ]
    for before, variables in ways:
        write(at, "theirs")
        code, said = commit(at)
        assert code == 1
        told(said)
        assert "src/mine.py" not in said
        assert commit(at, *before, **variables)[0] == 0
    assert [entry["what"] for entry in at.entries()].count("with-claim") == 2


def test_ones_own_claim_is_no_obstacle(at: Desk) -> None:
    """A person who holds a plan under the name that git knows commits its files."""
    git(at.repo, "config", "user.name", "bob")
    write(at, "theirs")
    assert commit(at)[0] == 0


def test_an_agent_is_held_to_its_plan(at: Desk, told: Told) -> None:
    """The same commit in a session is refused for want of a plan, with or without the person's way on; a session is known
    by its environment, or because its call is running above the commit."""
    below = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n'
    (at.repo.parent / "python").write_text(below)  # a hook that is below this process
    write(at, "free")
    alone: dict[str, str] = {}
    for variables in (alone, {"VOLITION_WITH_CLAIM": "1"}):
        code, said = commit(at, VOLITION_SESSION=SESSION, **variables)
        assert code == 1
        told(said)
    assert at.hook("claude", way="shell", command="python3 work.py").code == 0
    assert commit(at)[0] == 1, "the call runs, and this process is below its client"
    at.hook("claude", "after", way="shell")
    assert commit(at)[0] == 0


def test_the_installed_files_need_no_plan(at: Desk) -> None:
    """An agent commits its own file together with what the installation wrote."""
    write(at, "mine")
    assert commit(at, VOLITION_SESSION=SESSION) == (0, "")


def test_without_a_registry_people_go_on(at: Desk, told: Told) -> None:
    """If the registry is gone, a person commits with a warning, and an agent does not."""
    at.registry.unlink()
    write(at, "free")
    assert commit(at, VOLITION_SESSION=SESSION)[0] == 1
    code, said = commit(at)
    assert code == 0
    told(said)


def test_a_finished_plan_can_be_pushed(at: Desk) -> None:
    """Work of a plan that is finished is pushed; what is in no plan is not."""
    remote = at.repo.parent / "remote.git"
    git(at.repo, "init", "-q", "--bare", str(remote))
    git(at.repo, "remote", "add", "origin", str(remote))
    bind_tree(at.setting, str(at.repo), [MINE])
    git(at.repo, "push", "-q", "--no-verify", "origin", "HEAD")
    write(at, "mine")
    assert commit(at, VOLITION_SESSION=SESSION)[0] == 0
    team = at.team()
    plan = team.show(MINE)
    team.finish(MINE, plan.token)
    team.store.close()
    assert push(at, VOLITION_SESSION=SESSION)[0] == 0
    write(at, "free")
    assert commit(at)[0] == 0
    assert push(at, VOLITION_SESSION=SESSION)[0] == 1
    assert push(at)[0] == 0


def push(desk: Desk, **variables: str) -> tuple[int, str]:
    """Push with the hooks that are installed."""
    done = subprocess.run(
        ["git", "push", "-q", "origin", "HEAD"],
        cwd=desk.repo, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_the_doctor_still_tries_as_an_agent(
    at: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """The doctor's trial commit is refused, because it is an agent's."""
    monkeypatch.setattr("volition.agents.install.doctor.try_server", lambda *given: "")  # of no concern to a commit
    done = run(capsys, "agents", "doctor")
    told(done.out)
