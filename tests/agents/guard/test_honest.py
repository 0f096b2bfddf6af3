"""Honest work and its limits: undoing what one did oneself, a registry that is away, and blame where it belongs."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.desks import MINE, SESSION, git, write_setting
from tests.agents.guard.test_marks import let_the_clock_step
from tests.cli.lines import run
from tests.workflow.plans import document
from volition.agents.guard.sessions import Identity, bind_session
from volition.agents.guard.setting import read_setting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.sentences import Told
    from volition.agents.guard.clients import HookAnswer


def shell(desk: Desk, command: str, moment: str = "before", **about: Any) -> HookAnswer:
    """The answer to a command of the session."""
    return desk.hook("claude", moment, way="shell", command=command, **about)


def call(desk: Desk, command: str, **about: Any) -> HookAnswer:
    """A whole call: judged, run by a real shell, and looked at; the answer after it."""
    assert shell(desk, command, **about).code == 0
    subprocess.run(["bash", "-c", command], cwd=about.get("folder") or desk.repo, capture_output=True, check=False)
    return shell(desk, command, "after", **about)


def test_undo_it_can_be_obeyed(desk: Desk) -> None:
    """After a stray, each way back that the answer asks for is let through, and then nothing is named any more."""
    undo = {
        "src/free.py": (
            "git restore src/free.py",
            "git checkout -- src/free.py",
            "git checkout src/free.py",
            "git restore .",
        ),
        "junk.txt": ("rm junk.txt", "git clean -f junk.txt", "git clean -fd"),
    }
    for path, ways in undo.items():
        for way in ways:
            said = call(desk, f'python3 -c \'open("{path}", "w").write("{way}")\'')
            assert f"{path} changed" in said.err
            assert (call(desk, way).code, way) == (0, way)
            assert desk.hook("claude", "end").err == ""


def test_what_another_changed_is_not_undone(desk: Desk) -> None:
    """A file that somebody else changed, before the session or while it ran nothing, is not set back or removed by it."""
    (desk.repo / "src" / "free.py").write_text("by a person\n")
    desk.hook("claude", "start")
    (desk.repo / "note.txt").write_text("by a person\n")
    (desk.repo / "src" / "theirs.py").write_text("by bob\n")
    assert shell(desk, "ls").code == 0
    for command in (
        "git restore src/free.py", "git restore .", "git checkout -- .", "git checkout src/free.py", "rm note.txt",
        "git clean -fd", "git restore src/theirs.py", "git stash push -- src/free.py", "rm -rf src",
    ):  # fmt: skip
        assert shell(desk, command).code == 2, command
    assert shell(desk, "git restore src/mine.py").code == 0


@pytest.mark.req("AG-06")
def test_nobody_is_blamed_for_anothers_script(desk: Desk, told: Told) -> None:
    """What changed while a session ran nothing is recorded with these words, and not named to it, neither then nor at its
    end; what it did itself is."""
    desk.hook("claude", "start")
    assert call(desk, "ls").code == 0
    (desk.repo / "src" / "free.py").write_text("by bob's script\n")
    assert call(desk, "ls").code == 0
    assert desk.hook("claude", "end").err == ""
    stray = [entry for entry in desk.entries() if entry["what"] == "stray"]
    assert [entry["by"] for entry in stray] == [""]
    told(stray[0]["reasons"][0])
    assert "mess.py changed" in call(desk, 'python3 -c \'open("mess.py", "w")\'').err
    assert "mess.py" in desk.hook("claude", "end").err
    assert [entry["by"] for entry in desk.entries() if entry["what"] == "stray"] == ["", SESSION]


def test_two_at_work_are_both_named(desk: Desk, told: Told) -> None:
    """If another session was running a command too, the record says so."""
    bind_session(desk.setting, Identity("bob"), [MINE], str(desk.repo))
    assert shell(desk, "python3 a.py", session="bob").code == 0
    call(desk, 'python3 -c \'open("mess.py", "w")\'')
    reasons = [entry["reasons"][0] for entry in desk.entries() if entry["what"] == "stray"]
    told(reasons[0])


def test_another_worktree_is_looked_at(desk: Desk) -> None:
    """A program that writes into another worktree is recorded, unless a session of that worktree was at work itself."""
    git(desk.repo, "worktree", "add", "-q", "../other")
    other = desk.repo.parent / "other"
    write = 'python3 -c \'open("../other/src/theirs.py", "a").write("x")\''
    assert f"{other}/src/theirs.py is in another worktree" in call(desk, write).err
    bind_session(desk.setting, Identity("bob"), ["intent_theirs"], str(other))
    assert shell(desk, "python3 a.py", session="bob", folder=str(other)).code == 0
    assert call(desk, write).err == ""


def test_what_was_hidden_in_another_worktree_is_followed(desk: Desk) -> None:
    """A file of another worktree that was hidden after a call whose end was never told is compared around the next one."""
    git(desk.repo, "worktree", "add", "-q", "../other")
    other = desk.repo.parent / "other"
    assert shell(desk, "python3 a.py").code == 0
    git(other, "update-index", "--skip-worktree", "src/free.py")
    write = 'python3 -c \'open("../other/src/free.py", "a").write("x")\''
    assert f"{other}/src/free.py is in another worktree" in call(desk, write).err


def test_another_worktree_may_take_what_a_branch_had(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits that a branch had before a call are not its changes in another worktree, and those that it makes are; a branch that
    moved since the last look is known as it is. Where none moved, git is not asked for them, however many worktrees there are."""
    for name in ("other", "third"):
        git(desk.repo, "worktree", "add", "-q", f"../{name}")
    git(desk.repo, "branch", "topic")
    desk.hook("claude", "start")
    git(desk.repo, "checkout", "-q", "topic")
    (desk.repo / "src" / "free.py").write_text("on a branch\n")
    git(desk.repo, "commit", "-qam", "x")
    git(desk.repo, "checkout", "-q", "main")
    shell(desk, "python3 a.py")
    git(desk.repo.parent / "other", "merge", "-q", "topic")
    assert "other" not in shell(desk, "python3 a.py", "after").err
    shell(desk, "python3 a.py")
    (desk.repo.parent / "third" / "src" / "free.py").write_text("by the call\n")
    git(desk.repo.parent / "third", "commit", "-qam", "y")
    assert "third/src/free.py" in shell(desk, "python3 a.py", "after").err
    let_the_clock_step()
    shell(desk, "python3 a.py", "after")
    asked: list[str] = []
    spawn = os.posix_spawnp

    def start(*words: Any, **ends: Any) -> int:
        asked.extend(words[1])
        return spawn(*words, **ends)

    monkeypatch.setattr(os, "posix_spawnp", start)
    call(desk, "python3 a.py")
    assert (asked.count("status"), asked.count("--branches")) == (5, 0), "two worktrees before and three after"


@pytest.mark.req("AG-06")
@pytest.mark.parametrize("command", ["ls", "cat src/theirs.py", "git status", "git diff > /tmp/x.patch", "pytest -q"])
def test_without_a_registry_reading_goes_on(desk: Desk, command: str) -> None:
    """While the registry is away, what only reads, tests or builds passes, whatever changed meanwhile."""
    desk.hook("claude", "start")
    desk.registry.unlink()
    (desk.repo / "src" / "free.py").write_text("x\n")
    assert shell(desk, command).code == 0


def test_without_a_registry_writes_are_refused_or_recorded(
    desk: Desk, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """While the registry is away, a write is refused with the reason; where the setting says so it passes and is recorded,
    but never into what arms the guard; and when the registry is back, what strayed is found."""
    desk.hook("claude", "start")
    kept = desk.registry.read_bytes()
    desk.registry.unlink()
    refused = shell(desk, "echo x > src/mine.py")
    assert (refused.code, str(desk.registry) in refused.err) == (2, True)
    done = run(capsys, "guard", "unreachable", "record", "--repository", str(desk.repo))
    assert (done.code, read_setting(desk.setting.home).lenient) == (0, True)
    assert shell(desk, "echo x > src/free.py").code == 0
    told(desk.entries()[-1]["reasons"][0])
    assert shell(desk, "echo x > .git/config").code == 2
    (desk.repo / "src" / "free.py").write_text("x\n")
    desk.registry.write_bytes(kept)
    assert "src/free.py" in shell(desk, "true", "after").err
    assert run(capsys, "guard", "unreachable", "refuse", "--repository", str(desk.repo)).code == 0
    assert read_setting(desk.setting.home).lenient is False


def test_a_plan_may_permit_to_rewrite_history(desk: Desk) -> None:
    """`git reset --hard` and a push by force are refused with the way to get them, and pass if the plan names it."""
    commands = ("git reset --hard HEAD", "git push --force origin main", "git push origin +main", "git branch -D x")
    for command in commands:
        said = shell(desk, command)
        assert (said.code, ".git/refs" in said.err) == (2, True)
    team = desk.team()
    assert team.register(document("history", "src/own.py", ".git/refs"), "ann@s9", lease=3600).grant
    team.store.close()
    for command in commands:
        assert shell(desk, command, session="s9").code == 0
    assert shell(desk, "echo x > .git/refs/heads/main", session="s9").code == 2


@pytest.mark.req("AG-03")
@pytest.mark.parametrize(
    ("how", "path"),
    [
        ("git update-index --assume-unchanged src/free.py; echo x > src/free.py", "src/free.py"),
        ("git update-index --skip-worktree src/free.py; echo x > src/free.py", "src/free.py"),
        ("git update-index --skip-worktree src/free.py", "src/free.py"),
        ("echo 'new*' >> .git/info/exclude; touch newer", ".git/info/exclude"),
        ("git config core.hooksPath /dev/null", ".git/config"),
        (
            "echo '{}' > .git/volition/guard.json.bak; cp .git/volition/guard.json.bak .git/volition/hooks.json",
            ".git/volition",
        ),
        ("mkdir -p .codex; echo .codex >> .gitignore; echo '{}' > .codex/hooks.json", ".codex/hooks.json"),
    ],
)
def test_what_hides_or_disarms_is_found(desk: Desk, tmp_path: Path, how: str, path: str) -> None:
    """A script that hides a file from git, or rewrites what holds the session, is found by the look after it; set back, it is
    not named again."""
    script = tmp_path / "how.sh"
    script.write_text(how)
    desk.hook("claude", "start")
    assert path in call(desk, f"bash {script}").err


@pytest.mark.req("AG-03")
def test_what_arms_a_linked_worktree_is_found_in_the_main_one(desk: Desk, tmp_path: Path) -> None:
    """Codex reads the hooks of the main worktree in a linked one: a script that rewrites them from there is found."""
    git(desk.repo, "worktree", "add", "-q", "../linked")
    script = tmp_path / "how.sh"
    script.write_text(f"mkdir -p {desk.repo}/.codex; echo '{{}}' > {desk.repo}/.codex/hooks.json")
    linked = desk._replace(repo=desk.repo.parent / "linked")
    linked.hook("claude", "start")
    assert ".codex/hooks.json" in call(linked, f"bash {script}").err


def test_a_hidden_file_is_followed(desk: Desk) -> None:
    """A file that was hidden earlier is compared at every look."""
    git(desk.repo, "update-index", "--skip-worktree", "src/free.py")
    desk.hook("claude", "start")
    assert call(desk, "ls").code == 0
    assert "src/free.py changed" in call(desk, 'python3 -c \'open("src/free.py", "a").write("x")\'').err


def test_ordinary_settings_are_no_stray(desk: Desk) -> None:
    """Setting one's name, or a branch to follow, is no change of what holds the session."""
    desk.hook("claude", "start")
    assert call(desk, "git config user.name Ann; git config branch.x.remote origin").code == 0
    assert [entry["what"] for entry in desk.entries() if entry["what"] == "stray"] == []


def test_strict_mode_runs_tests_and_judges_them(desk: Desk) -> None:
    """In strict mode a test run passes, and what it wrote outside of the plan is named after it."""
    write_setting(desk.setting._replace(strict=True))
    (desk.repo / "Makefile").write_text("test:\n\techo x > src/free.py\n")
    desk.hook("claude", "start")
    assert "src/free.py changed" in call(desk, "make test").err
    assert shell(desk, "python3 work.py").code == 2
    assert shell(desk, "F=$(cat x); echo x >& $F").code == 2


def test_siblings_and_passing_files(desk: Desk) -> None:
    """A working copy beside one's own file passes and is no stray; a tracked file, or one of another, is not taken for it."""
    desk.hook("claude", "start")
    assert call(desk, "cp src/mine.py src/mine.py.bak").code == 0
    assert shell(desk, "rm src/mine.py.bak").code == 0
    assert shell(desk, "sort src/mine.py > out.txt && mv out.txt src/mine.py").code == 0
    assert shell(desk, "sort src/mine.py > out.txt").code == 2
    assert shell(desk, "cp src/mine.py src/theirs.py.bak").code == 2
    (desk.repo / "src" / "mine.py.orig").write_text("x")
    git(desk.repo, "add", "-f", "src/mine.py.orig")
    assert shell(desk, "echo x > src/mine.py.orig").code == 2


def test_an_ignored_folder_with_a_tracked_file_is_not_ignored(desk: Desk) -> None:
    """Git's rules decide: a tracked file below an ignored folder keeps the folder from being removed."""
    (desk.repo / ".git" / "info" / "exclude").write_text("build/\n")
    (desk.repo / "build").mkdir()
    (desk.repo / "build" / "kept.py").write_text("x")
    assert shell(desk, "rm -rf build").code == 0
    git(desk.repo, "add", "-f", "build/kept.py")
    assert shell(desk, "rm -rf build").code == 2
    assert shell(desk, "echo x > build/kept.py").code == 2
    assert shell(desk, "echo x > build/other.py").code == 0
