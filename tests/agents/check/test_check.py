"""The check: a change is checked against plans from the base or the registry, never against what the branch says."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.agents.desks import MINE, git
from tests.cli.lines import run, run_json
from tests.warm import warm
from tests.workflow.plans import document
from volition.agents.check.changes import changes_between, pushed_changes, received_changes, staged_changes
from volition.agents.guard.sessions import bind_tree
from volition.governance import Plan

if TYPE_CHECKING:
    from tests.agents.desks import Desk
    from tests.sentences import Told

ZEROS = "0" * 40
CHECKS = Path(__file__).parents[3] / "examples" / "checks"
pytestmark = pytest.mark.req("AG-03")


def change(repo: Path, *names: str, message: str = "work") -> None:
    """Commit a change of these files."""
    for name in names:
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text("changed\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", message)


@pytest.fixture
def branch(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk on a branch `work`, with main moved on."""
    monkeypatch.chdir(desk.repo)
    git(desk.repo, "checkout", "-qb", "work")
    return desk


def test_in_and_out_of_the_plan(branch: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of the plan pass; any other is named, with its holder; what main changed meanwhile does not count."""
    registry = ("--registry", str(branch.registry), "--plan", MINE)
    change(branch.repo, "src/mine.py", "src/new/deep/x.py")
    git(branch.repo, "checkout", "-q", "main")
    change(branch.repo, "elsewhere.py")
    git(branch.repo, "checkout", "-q", "work")
    assert run(capsys, "check", "main..HEAD", *registry).code == 0
    change(branch.repo, "src/theirs.py", "src/free.py")
    code, data = run_json(capsys, "check", "main..work", *registry)
    assert (code, data["changed"], data["plans"]) == (3, 4, [MINE])
    assert data["strays"] == [
        {"path": "src/free.py", "held_by": []},
        {"path": "src/theirs.py", "held_by": ["intent_theirs (bob)"]},
    ]


CART = "import json\n\n\nclass Cart:\n    def add(self):\n        return 1\n\n    def total(self):\n        return 2\n\n\nclass Order:\n    pass\n"


@pytest.mark.req("GV-26")
def test_parts_are_checked_by_the_lines_that_changed(branch: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a plan claims parts of a file, a change of these parts passes, and a change of another part is named, with whoever
    claims it; the same for a range, for what is staged and for what is pushed."""
    git(branch.repo, "checkout", "-q", "main")
    (branch.repo / "cart.py").write_text(CART)
    git(branch.repo, "add", "cart.py")
    git(branch.repo, "commit", "-qm", "a cart")
    git(branch.repo, "checkout", "-q", "-B", "work")
    team = branch.team()
    for name, part, holder in (("part_1", "Cart.add", "ann"), ("part_2", "Order", "bob")):
        plan = Plan(
            "Some part",
            id=f"intent_{name}",
            project=team.project,
            files=[f"cart.py#{part}"],
            commands=["do_it: write: do it"],
        )
        assert team.register(json.dumps(plan.to_data()).encode(), holder).outcome == "granted"
    team.store.close()
    line = ("main..HEAD", "--registry", str(branch.registry), "--plan", "intent_part_1")
    (branch.repo / "cart.py").write_text(CART.replace("return 1", "return 11"))
    git(branch.repo, "add", "-A")
    assert run(capsys, "check", "--staged", *line[1:]).code == 0
    git(branch.repo, "commit", "-qm", "add")
    assert run(capsys, "check", *line).code == 0
    (branch.repo / "cart.py").write_text(
        CART.replace("return 1", "return 11").replace("pass", "size = 3").replace("return 2", "return 22")
    )
    git(branch.repo, "commit", "-qam", "more")
    code, data = run_json(capsys, "check", *line)
    assert (code, data["changed"]) == (3, 1)
    assert data["strays"] == [
        {"path": "cart.py#Cart.total", "held_by": []},
        {"path": "cart.py#Order", "held_by": ["intent_part_2 (bob)"]},
    ]
    (branch.repo / "cart.py").unlink()
    git(branch.repo, "commit", "-qam", "gone")
    code, data = run_json(capsys, "check", *line)
    assert (code, [stray["path"] for stray in data["strays"]]) == (3, ["cart.py"])


def test_which_plan_is_meant(branch: Desk, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A trailer of the commits names the plan; none, an unknown or an ended one is refused; a finished one counts."""
    registry = ("--registry", str(branch.registry))
    change(branch.repo, "src/mine.py")
    told(run(capsys, "check", "main..HEAD", *registry).err)
    change(branch.repo, "src/new/a.py", message=f"more\n\nVolition-Plan: {MINE}")
    assert run(capsys, "check", "main..HEAD", *registry).code == 0
    team = branch.team()
    token = team.show(MINE).token
    team.finish(MINE, token)
    assert run(capsys, "check", "main..HEAD", *registry).code == 0
    made = team.register(document("mine_01", "src/mine.py"), "ann")
    assert made.grant
    team.withdraw(MINE, made.grant.token)
    team.store.close()
    told(run(capsys, "check", "main..HEAD", *registry).err)
    assert run(capsys, "check", "main..HEAD", *registry, "--plan", "intent_nobody").code == 2


def test_a_branch_cannot_approve_itself(branch: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan that only the branch has, or that the base has as a draft, approves nothing; approved in the base, it does."""

    def put_plan(status: str) -> None:
        plan = Plan(
            "Some plan", id="intent_planned", files=["src/free.py"], commands=["do_it: write: do it"], status=status
        )
        (branch.repo / "plans").mkdir(exist_ok=True)
        (branch.repo / "plans" / "intent_planned.json").write_bytes(msgspec.json.encode(plan.intent))

    put_plan("approved")
    change(branch.repo, "src/free.py")
    code, data = run_json(capsys, "check", "main..HEAD", "--plans", "plans")
    assert (code, [stray["path"] for stray in data["strays"]]) == (3, ["plans/intent_planned.json", "src/free.py"])
    git(branch.repo, "checkout", "-q", "main")
    put_plan("draft")
    change(branch.repo, "base.txt")
    git(branch.repo, "checkout", "-qb", "second")
    change(branch.repo, "src/free.py")
    assert run(capsys, "check", "main..HEAD", "--plans", "plans").code == 3
    git(branch.repo, "checkout", "-q", "main")
    put_plan("approved")
    change(branch.repo, "base.txt")
    git(branch.repo, "checkout", "-q", "second")
    assert run(capsys, "check", "main..HEAD", "--plans", "plans").code == 0


def test_before_a_commit(
    branch: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """What is staged is checked against the plans of the worktree and its sessions; without a plan nothing may be committed,
    and without a registry neither."""
    (branch.repo / "src" / "free.py").write_text("x")
    assert run(capsys, "check", "--staged").code == 0
    git(branch.repo, "add", "-A")
    told(run(capsys, "check", "--staged").out)
    git(branch.repo, "reset", "-q", "--hard")
    (branch.repo / "src" / "mine.py").write_text("x")
    git(branch.repo, "add", "-A")
    assert run(capsys, "check", "--staged").code == 0
    other = branch.repo.parent / "other"
    git(branch.repo, "worktree", "add", "-q", str(other))
    (other / "src" / "mine.py").write_text("x")
    git(other, "add", "-A")
    assert run(capsys, "check", "--staged", "--repository", str(other)).code == 3
    bind_tree(branch.setting, str(other), [MINE])
    assert run(capsys, "check", "--staged", "--repository", str(other)).code == 0
    branch.registry.unlink()
    assert run(capsys, "check", "--staged").code == 4


def test_what_a_push_adds(branch: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """New commits are looked at wherever they are pushed; known ones, and a branch that is deleted, are not; a branch that
    loses commits shows what it loses."""
    old = git(branch.repo, "rev-parse", "HEAD").strip()
    change(branch.repo, "src/free.py", message=f"x\n\nVolition-Plan: {MINE}")
    new = git(branch.repo, "rev-parse", "HEAD").strip()
    tree = str(branch.repo)
    git(branch.repo, "update-ref", "refs/remotes/origin/main", old)
    for before in (old, ZEROS):
        assert pushed_changes(tree, [f"refs/heads/work {new} refs/heads/work {before}"]).paths == ("src/free.py",)
    assert pushed_changes(tree, [f"(delete) {ZEROS} refs/heads/work {new}"]).paths == ()
    assert pushed_changes(tree, [f"refs/heads/x {old} refs/heads/x {new}"]).paths == ("src/free.py",)
    assert received_changes(tree, [f"{old} {new} refs/heads/work"]).paths == ()
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"a {new} b {ZEROS}\n"))
    done = run(capsys, "check", "--pushed")
    assert (done.code, "src/free.py" in done.out) == (3, True)


def test_a_repository_on_the_other_side(branch: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pre-receive hook that ships sees, in a bare repository, the new commits before they are accepted, and refuses the push."""
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(branch.repo), str(remote))
    hook = remote / "hooks" / "pre-receive"
    hook.write_bytes((CHECKS / "pre-receive").read_bytes())
    hook.chmod(0o755)
    program = tmp_path / "bin" / "volition"
    program.parent.mkdir()
    warm().program(program, "-m", "volition.cli")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("VOLITION_REGISTRY", str(branch.registry))
    change(branch.repo, "src/free.py", message=f"x\n\nVolition-Plan: {MINE}")
    with pytest.raises(AssertionError, match=r"src/free\.py: in no plan"):
        git(branch.repo, "push", "-q", str(remote), "work")
    git(branch.repo, "reset", "-q", "--hard", "HEAD~1")
    change(branch.repo, "src/mine.py", message=f"x\n\nVolition-Plan: {MINE}")
    git(branch.repo, "push", "-q", str(remote), "work")


@pytest.mark.parametrize("file", ["volition-check.yml", "volition-check.gitlab-ci.yml"])
def test_the_workflows_that_ship_are_checks_of_the_base(
    branch: Desk, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line that a CI system runs is a command of ours, refuses a branch whose file is in no plan of the base, and is
    given the whole history."""
    text = (CHECKS / file).read_text()
    (line,) = re.findall(r"(?:run:|-) volition (check .*)", text)
    change(branch.repo, "src/free.py")
    words = shlex.split(re.sub(r"\$\{\{.*?\}\}|FETCH_HEAD", "main", line))
    assert (run(capsys, *words).code, words[1]) == (3, "main..HEAD")
    assert re.search(r'fetch-depth: 0|GIT_DEPTH: "0"', text)


def test_the_first_push_is_what_later_ones_are_compared_with(branch: Desk, tmp_path: Path) -> None:
    """An empty repository takes the history from before there were plans, and from then on refuses what is in none."""
    remote = tmp_path / "empty.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    head = git(branch.repo, "rev-parse", "HEAD").strip()
    assert received_changes(str(remote), [f"{ZEROS} {head} refs/heads/main"]).paths == ()
    assert pushed_changes(str(branch.repo), [f"refs/heads/main {head} refs/heads/main {ZEROS}"]).paths == ()
    git(branch.repo, "push", "-q", str(remote), "main")
    change(branch.repo, "src/free.py")
    work = git(branch.repo, "rev-parse", "HEAD").strip()
    git(branch.repo, "push", "-q", str(remote), "work:refs/quarantine/work")
    git(remote, "update-ref", "-d", "refs/quarantine/work")
    assert received_changes(str(remote), [f"{ZEROS} {work} refs/heads/work"]).paths == ("src/free.py",)
    assert pushed_changes(str(branch.repo), [f"refs/heads/main {work} refs/heads/main {head}"]).paths != ()


@pytest.mark.parametrize("given", ["main", "nowhere..HEAD", "..HEAD", "main..nowhere", "main..--help", ""])
def test_a_range_that_is_none(branch: Desk, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not a range of two commits is refused, with an example or the name that is not known."""
    done = run(capsys, "check", given, "--registry", str(branch.registry))
    assert (done.code, done.out) == (2, "")


def test_before_the_first_commit(tmp_path: Path) -> None:
    """In a repository without commits everything that is staged is a change."""
    git(tmp_path, "init", "-q")
    (tmp_path / "a b.py").write_text("x")
    git(tmp_path, "add", "-A")
    assert staged_changes(str(tmp_path)).paths == ("a b.py",)


def test_renames_and_deletions_count(branch: Desk) -> None:
    """A file that is renamed or deleted is a change of every path that was involved."""
    git(branch.repo, "mv", "src/free.py", "src/freed.py")
    git(branch.repo, "rm", "-q", "src/theirs.py")
    git(branch.repo, "commit", "-qm", "x")
    found: Any = changes_between(str(branch.repo), "main..HEAD").paths
    assert found == ("src/free.py", "src/freed.py", "src/theirs.py")
    assert json.dumps(found)
