"""Claim on first edit, generated files, and refusals that name what lies in a folder."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.agents.desks import MINE, SESSION, event, git, write_setting
from tests.processes import PATIENCE
from tests.warm import warm
from tests.workflow.plans import PROJECT, document
from volition.agents.guard.sessions import Identity, bind_session
from volition.agents.guard.setting import read_setting
from volition.cli.main import main
from volition.core.document import parse_json
from volition.workflow import Store, Team, parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.sentences import Told
    from volition.agents.guard.clients import HookAnswer


@pytest.fixture
def claiming(desk: Desk) -> Desk:
    """A guard that claims on first edit."""
    changed = desk._replace(setting=desk.setting._replace(auto_claim=True))
    write_setting(changed.setting)
    return changed


def write(desk: Desk, path: str, session: str = SESSION) -> HookAnswer:
    """The answer to a visible write of a session."""
    return desk.hook("claude", way="write", path=path, session=session)


def files_of(desk: Desk, plan: str) -> list[str]:
    """What a plan of the registry names."""
    found = parse_json(desk.team().show(plan).document)["scope"]["targets"]["files"]
    return [str(name) for name in found]


def test_a_guard_claims_nothing_unless_it_is_told_to(desk: Desk) -> None:
    """Without the setting, a file that nobody has is refused, and the registry is as it was."""
    assert write(desk, "src/free.py").code == 2
    assert "src/free.py" not in files_of(desk, MINE)


@pytest.mark.req("AG-02")
def test_the_first_write_claims_a_file_for_the_plan(claiming: Desk, told: Told) -> None:
    """The first write of a file that nobody has adds it to the session's plan, as a revision that the registry records; then
    it is refused to others, and what others have is refused as ever, and then nothing at all is claimed."""
    seq = len(claiming.team().history(MINE))
    assert write(claiming, "src/free.py").code == 0
    assert files_of(claiming, MINE) == ["src/mine.py", "src/new", "src/free.py"]
    last = claiming.team().history(MINE)[seq:]
    assert [one.body.get("revises", 0) > 0 for one in last if one.what == "granted"] == [True]
    told(claiming.entries()[-1]["reasons"][0])
    said = write(claiming, "src/free.py", session="other")
    assert (said.code, MINE in said.err) == (2, True)
    assert write(claiming, "src/theirs.py").code == 2
    shell = claiming.hook("claude", way="shell", command="cp a src/more.py; cp a src/theirs.py")
    assert shell.code == 2
    assert "src/more.py" not in files_of(claiming, MINE)


@pytest.mark.req("AG-07")
def test_a_session_without_a_plan_gets_one(claiming: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that has no plan gets one under the identity that the server would give it; its subagents write under it."""
    monkeypatch.setenv("VOLITION_HOLDER", "cy")
    assert write(claiming, "docs/a.md", session="s-7").code == 0
    assert write(claiming, "docs/b.md", session="s-7").code == 0
    assert claiming.hook("claude", path="docs/a.md", session="s-7", agent="sub").code == 0
    (plan,) = [plan for plan in claiming.team().list() if plan.holder == "cy@s-7"]
    assert parse_json(plan.document)["title"] == "Work of s-7"
    assert files_of(claiming, plan.plan_id) == ["docs/a.md", "docs/b.md"]


@pytest.mark.req("AG-06")
def test_what_needs_no_plan_is_not_claimed(claiming: Desk, tmp_path: Path) -> None:
    """Ignored and temporary files, working copies and folders are never claimed."""
    (claiming.repo / ".gitignore").write_text("build/\n*.log\n")
    for path in ("build/out.txt", "x.log", "/tmp/volition-test-x", "src/mine.py.bak"):
        assert write(claiming, path).code == 0, path
    assert claiming.hook("claude", way="shell", command="rm -rf src").code == 2
    assert files_of(claiming, MINE) == ["src/mine.py", "src/new"]


def test_without_a_registry_nothing_is_claimed(claiming: Desk) -> None:
    """While the registry cannot be written, a first write is refused, or passes and is recorded, as the setting says."""
    claiming.registry.rename(claiming.registry.with_suffix(".away"))
    assert write(claiming, "src/free.py").code == 2
    write_setting(claiming.setting._replace(lenient=True))
    assert write(claiming, "src/free.py").code == 0
    assert claiming.entries()[-1]["what"] == "marked"


@pytest.mark.req("AG-02")
def test_of_two_sessions_one_gets_the_file(claiming: Desk) -> None:
    """Real processes of four sessions that write one file at once: exactly one passes, and the registry says which."""
    program = claiming.repo.parent / "guard"
    warm().program(program, "-I", "-m", "volition.agents.guard", claiming.setting.home, "claude")
    names = [f"racer-{number}" for number in range(4)]
    racers = []
    for name in names:
        process = subprocess.Popen([program], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        racers.append((process, json.dumps(event("claude", claiming.repo, path="src/free.py", session=name)).encode()))
    done = [(process.communicate(said, timeout=PATIENCE)[1], process.returncode) for process, said in racers]
    assert sorted(code for _, code in done) == [0, 2, 2, 2], done
    winner = names[[code for _, code in done].index(0)]
    holders = [plan.holder for plan in claiming.team().list(state="active") if "racer" in plan.holder]
    assert [holder.rpartition("@")[2] for holder in holders] == [winner]


@pytest.mark.req("AG-06")
def test_generated_files_need_no_plan(desk: Desk) -> None:
    """A file that the project's policy calls generated passes before a call and is no stray after one, as in a check; the
    policy is the registry's, and a file of that name that somebody claimed is theirs."""
    assert write(desk, "dist/app.js").code == 2
    policy = '[check]\ngenerated = ["**/*_pb2.py", "dist"]\n'
    with Store(parse_store_address(desk.registry)) as store:
        for plan in Team(store, PROJECT).list(state="active"):  # rules change while no plan is open
            Team(store, PROJECT).withdraw(plan.plan_id, plan.token)
        team = Team(store, PROJECT, policy=policy)
        assert team.register(document("mine_01", "src/mine.py"), "ann", lease=3600).grant
        assert team.register(document("gen_01", "src/special_pb2.py"), "bob", lease=3600).grant
    desk.hook("claude", "start")
    assert write(desk, "dist/app.js").code == 0
    assert write(desk, "src/api_pb2.py").code == 0
    assert write(desk, "src/special_pb2.py").code == 2
    assert write(desk, "src/api.py").code == 2
    assert desk.hook("claude", way="shell", command="python3 generate.py").code == 0
    (desk.repo / "dist").mkdir()
    (desk.repo / "dist" / "app.js").touch()
    (desk.repo / "src" / "api_pb2.py").touch()
    assert desk.hook("claude", "after", way="shell", command="python3 generate.py").err == ""


def test_a_refused_folder_names_its_files(desk: Desk, told: Told) -> None:
    """Who wants to remove or overwrite a folder is told which files in it are whose: those of others first, and a count."""
    for number in range(9):
        (desk.repo / "src" / f"more_{number}.py").touch()
    git(desk.repo, "add", "-A")
    said = desk.hook("claude", way="shell", command="rm -rf src").err
    told(said)
    assert "src/mine.py" not in said


@pytest.mark.req("AG-02")
def test_one_file_has_one_name(desk: Desk) -> None:
    """In a repository whose file system ignores case, every spelling of a path is one path: mine passes, theirs does not, and
    what arms the guard is out of reach; composed and decomposed names are one everywhere."""
    git(desk.repo, "config", "core.ignorecase", "true")
    git(desk.repo, "config", "core.precomposeunicode", "true")
    with Store(parse_store_address(desk.registry)) as store:
        assert Team(store, PROJECT).register(document("leon_01", "src/L\u00e9on.py"), "ann", lease=3600).grant
    bind_session(desk.setting, Identity(SESSION), [MINE, "intent_leon_01"], str(desk.repo))
    for path in ("SRC/Mine.py", "src/MINE.PY", "src/Le\u0301on.py", "SRC/LE\u0301ON.PY", "src/l\u00e9on.py"):
        assert write(desk, path).code == 0, path
    for path in ("SRC/THEIRS.py", ".GIT/config", ".Claude/settings.json", str(desk.repo).upper() + "/src/theirs.py"):
        assert write(desk, path).code == 2, path
    git(desk.repo, "config", "core.ignorecase", "false")
    assert write(desk, "src/Le\u0301on.py").code == 0
    assert write(desk, "SRC/Mine.py").code == 2


@pytest.mark.req("AG-04")
def test_installing_says_whether_first_writes_claim(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """`--auto-claim` is stored with the guard and kept by a later installation, until `--no-auto-claim` takes it back."""
    for words, expected in ((["--auto-claim"], True), ([], True), (["--no-auto-claim"], False), ([], False)):
        assert main(["agents", "install", "claude", "--repository", str(desk.repo), *words]) == 0
        assert read_setting(desk.setting.home).auto_claim is expected
    capsys.readouterr()
