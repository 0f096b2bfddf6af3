"""The check with real git: shallow clones, histories without a common commit, submodules, links, modes and spellings."""

from __future__ import annotations

import shutil
import tempfile
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.check.test_check import change
from tests.agents.desks import MINE, git, write_setting
from tests.cli.lines import run, run_json
from volition.agents.check import changes
from volition.agents.check.changes import CI_SETTINGS, changes_between, pushed_changes, staged_changes
from volition.agents.check.checking import ClaimLookup
from volition.agents.guard.git import git as real_git
from volition.agents.guard.sessions import bind_tree
from volition.core.errors import InvalidInput
from volition.governance import Plan
from volition.governance.claims.algebra import claims_file
from volition.governance.documents.policy import parse_policy
from volition.workflow import Store, Team, parse_store_address
from volition.workflow.team.guard_index import write_index

if TYPE_CHECKING:
    from tests.agents.desks import Desk
    from tests.sentences import Told

pytestmark = pytest.mark.req("AG-03")


@pytest.fixture(scope="module")
def grown(folder_in_memory: Path) -> Path:
    """A repository whose main went on after a branch `work` began; nobody changes it."""
    made = Path(tempfile.mkdtemp(dir=folder_in_memory))
    git(made, "init", "-q")
    for number in range(3):
        change(made, f"old_{number}.py", message=str(number))
    git(made, "checkout", "-qb", "work")
    for number in range(2):
        change(made, "mine.py", f"mine_{number}.py", message=f"work {number}")
    git(made, "checkout", "-q", "main")
    for number in range(2):
        change(made, f"main_{number}.py", message=f"main {number}")
    git(made, "checkout", "-q", "work")
    return made


@pytest.fixture
def repo(grown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to work in."""
    made = shutil.copytree(grown, tmp_path / "repo")
    for name in CI_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize("depth", [1, 2, 3, 9])
def test_a_shallow_clone_is_right_or_refused(repo: Path, depth: int, tmp_path: Path) -> None:
    """However little of the history a clone has, files of main are never blamed on the branch: the answer is that of the
    whole repository, or a refusal that says how to get the history."""
    wanted = changes_between(str(repo), "main..work").paths
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--no-single-branch", f"--depth={depth}", f"file://{repo}", str(clone))
    given = (str(clone), "origin/main..origin/work")
    if depth > 2:
        assert changes_between(*given).paths == wanted
        return
    with pytest.raises(InvalidInput, match="shallow") as refused:
        changes_between(*given)
    assert "fetch-depth: 0" in refused.value.problems[0].remedy


def test_an_older_common_commit_is_not_taken_for_the_last_one(repo: Path, tmp_path: Path) -> None:
    """Where both merged an old side branch, a shallow clone still sees that one in common, and not where they parted: files
    that were in main by then are not blamed on the branch."""
    git(repo, "checkout", "-qb", "side", "main~4")
    change(repo, "side.py")
    for name in ("main", "work"):
        git(repo, "checkout", "-q", name)
        git(repo, "merge", "-q", "side", "-m", "the side branch")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--no-single-branch", "--depth=2", f"file://{repo}", str(clone))
    assert len(git(clone, "merge-base", "--all", "origin/main", "origin/work").split()) == 1
    with pytest.raises(InvalidInput, match="shallow"):
        changes_between(str(clone), "origin/main..origin/work")
    assert set(changes_between(str(repo), "main..work").paths) == {"mine.py", "mine_0.py", "mine_1.py"}


@pytest.mark.parametrize("system", CI_SETTINGS)
def test_the_refusal_names_the_setting_of_the_ci_system(
    repo: Path, system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In each CI system a shallow clone is refused with that system's own setting, whether the base is there or not."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--no-single-branch", "--depth=1", f"file://{repo}", str(clone))
    monkeypatch.setenv(system, "true")
    for base in ("origin/main", "origin/gone"):
        done = run(capsys, "check", f"{base}..HEAD", "--plans", "plans", "--repository", str(clone))
        assert (done.code, CI_SETTINGS[system] in done.err) == (2, True)


def test_a_commit_at_which_history_is_cut_is_not_pushed_as_a_change_of_everything(repo: Path, tmp_path: Path) -> None:
    """A hook in a shallow clone whose first commit is not known to any remote refuses to say what it changed."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", str(clone))
    head = git(clone, "rev-parse", "HEAD").strip()
    git(clone, "update-ref", "-d", "refs/remotes/origin/work")
    git(clone, "update-ref", "-d", "refs/remotes/origin/HEAD")
    with pytest.raises(InvalidInput, match="shallow"):
        pushed_changes(str(clone), [f"refs/heads/work {head} refs/heads/work {'1' * 40}"])


def test_histories_without_a_common_commit_are_refused(repo: Path, told: Told) -> None:
    """Where branch and base have nothing in common there is no answer, and no file is blamed."""
    git(repo, "checkout", "-q", "--orphan", "alone")
    change(repo, "x.py")
    with told.raises(InvalidInput):
        changes_between(str(repo), "main..alone")


def test_branches_that_were_merged_into_each_other(repo: Path) -> None:
    """After merges in both directions there are two best common commits: what the branch took over from main is main's, and
    what the branch changed, even back to an older state, is the branch's."""
    git(repo, "branch", "-f", "before", "work")
    git(repo, "merge", "-q", "main", "-m", "main into work")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "before", "-m", "work into main")
    git(repo, "checkout", "-q", "work")
    assert len(git(repo, "merge-base", "--all", "main", "work").split()) == 2
    assert changes_between(str(repo), "main..work").paths == ()
    change(repo, "later.py")
    git(repo, "rm", "-q", "main_0.py")
    git(repo, "commit", "-qm", "back to how it was")
    assert changes_between(str(repo), "main..work").paths == ("later.py", "main_0.py")


def test_submodules_cannot_be_hidden(repo: Path) -> None:
    """A submodule that moves is a change of its path, also where the branch says that git should ignore it."""
    commit = git(repo, "rev-parse", "HEAD").strip()
    older = git(repo, "rev-parse", "HEAD~1").strip()
    (repo / ".gitmodules").write_text('[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n\tignore = all\n')
    git(repo, "add", ".gitmodules")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{older},lib")
    git(repo, "commit", "-qm", "a submodule")
    git(repo, "branch", "-f", "begin")
    git(repo, "update-index", "--cacheinfo", f"160000,{commit},lib")
    assert staged_changes(str(repo)).paths == ("lib",)
    git(repo, "commit", "-qm", "moved", "--allow-empty")
    assert changes_between(str(repo), "begin..HEAD").paths == ("lib",)


def test_links_modes_types_and_renames(repo: Path) -> None:
    """A link, a mode, a file that becomes a link, a folder that becomes a file and a rename are changes of every path
    involved, with or without rename detection in the configuration."""
    (repo / "folder").mkdir()
    change(repo, "folder/a.py", "run.sh", "typed.py", "moved.py")
    git(repo, "branch", "-f", "begin")
    git(repo, "config", "diff.renames", "copies")
    (repo / "link").symlink_to("/etc/passwd")
    (repo / "run.sh").chmod(0o755)
    (repo / "typed.py").unlink()
    (repo / "typed.py").symlink_to("run.sh")
    git(repo, "mv", "moved.py", "name with space.py")
    (repo / "folder" / "a.py").unlink()
    (repo / "folder").rmdir()
    (repo / "folder").write_text("file")
    git(repo, "add", "-A")
    wanted = {"folder", "folder/a.py", "link", "moved.py", "name with space.py", "run.sh", "typed.py"}
    assert set(staged_changes(str(repo)).paths) == wanted
    git(repo, "commit", "-qm", "x")
    assert set(changes_between(str(repo), "begin..HEAD").paths) == wanted


@pytest.mark.req("AG-06")
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_one_claim_for_every_spelling(
    desk: Desk, form: Literal["NFC", "NFD"], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that macOS spells decomposed, and another writes composed, is one claim; in a project that ignores case so is
    every case, for files, folders and parts, and lines stay lines."""
    monkeypatch.chdir(desk.repo)
    put_base(desk.repo, "[names]\nignore_case = true\n", "src/Café/menu.py", "src/cart.py#L1-L2")
    (desk.repo / "src" / "cart.py").write_text("import a\nimport b\n\n\ndef add(): ...\n")
    git(desk.repo, "add", "-A")
    git(desk.repo, "commit", "-qm", "cart")
    git(desk.repo, "checkout", "-qb", "work")
    (desk.repo / "src" / "cart.py").write_text("import a\nimport c\n\n\ndef add(): ...\n")
    change(desk.repo, unicodedata.normalize(form, "SRC/café/Menu.py"))
    assert run_json(capsys, "check", "main..HEAD", "--plans", "plans")[1]["strays"] == []


def put_base(repo: Path, policy: str, *files: str, status: str = "approved") -> Path:
    """Commit a folder of plans with a policy and one plan for these files; returns the plan's file."""
    (repo / "plans").mkdir(exist_ok=True)
    (repo / "plans" / "policy.toml").write_text(policy)
    plan = Plan("Some plan", id="intent_spelled", files=list(files), commands=["do_it: write: do it"], status=status)
    file = repo / "plans" / "intent_spelled.json"
    file.write_bytes(msgspec.json.encode(plan.intent))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "plans")
    return file


@pytest.mark.req("AG-06")
def test_generated_files_need_no_claim(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the policy of the base calls generated passes and is listed; what only the branch calls so does not."""
    monkeypatch.chdir(desk.repo)
    put_base(desk.repo, '[check]\ngenerated = ["**/*_pb2.py", "dist"]\n', "src/free.py")
    git(desk.repo, "checkout", "-qb", "work")
    change(desk.repo, "src/free.py", "api/x_pb2.py", "dist/deep/a.js")
    code, data = run_json(capsys, "check", "main..HEAD", "--plans", "plans")
    assert (code, data["generated"], data["strays"]) == (0, ["api/x_pb2.py", "dist/deep/a.js"], [])
    assert "api/x_pb2.py: generated" in run(capsys, "check", "main..HEAD", "--plans", "plans").out
    (desk.repo / "plans" / "policy.toml").write_text('[check]\ngenerated = ["."]\n')
    change(desk.repo, "other.py")
    code, data = run_json(capsys, "check", "main..HEAD", "--plans", "plans")
    assert (code, [stray["path"] for stray in data["strays"]]) == (3, ["other.py", "plans/policy.toml"])


@pytest.mark.req("AG-06")
def test_the_policy_of_the_registry_names_generated_files_too(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In CI by the registry, and in the git hook of a guarded worktree, what its policy calls generated passes."""
    monkeypatch.chdir(desk.repo)
    with Store(parse_store_address(desk.registry)) as store:
        team = Team(store, "made", policy='[check]\ngenerated = ["**/*.lock"]\n')
        plan = Plan(
            "Some plan", id="intent_made_01", project="made", files=["src/made.py"], commands=["do_it: write: do it"]
        )
        assert team.register(msgspec.json.encode(plan.intent), "ann", lease=3600).grant
        write_index(store, "made")
    write_setting(desk.setting._replace(project="made"))
    bind_tree(desk.setting, str(desk.repo), ["intent_made_01"])
    git(desk.repo, "checkout", "-qb", "work")
    for name in ("a.lock", "src/made.py"):
        (desk.repo / name).write_text("x\n")
    git(desk.repo, "add", "-A")
    code, data = run_json(capsys, "check", "--staged")
    assert (code, data["generated"]) == (0, ["a.lock"])
    git(desk.repo, "commit", "-qm", "x")
    line = ("check", "main..HEAD", "--registry", str(desk.registry), "--project", "made", "--plan", "intent_made_01")
    code, data = run_json(capsys, *line)
    assert (code, data["generated"]) == (0, ["a.lock"])


def test_every_file_of_a_folder_is_named(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is in no plan is refused file by file, and so is what lay in a folder that was removed."""
    monkeypatch.chdir(desk.repo)
    change(desk.repo, *(f"gone/{n}.py" for n in range(3)))
    git(desk.repo, "checkout", "-qb", "work")
    git(desk.repo, "rm", "-rq", "gone")
    change(desk.repo, *(f"new/deep/{n}.py" for n in range(3)))
    done = run(capsys, "check", "main..HEAD", "--registry", str(desk.registry), "--plan", MINE)
    assert done.code == 3
    for name in (*(f"gone/{n}.py" for n in range(3)), *(f"new/deep/{n}.py" for n in range(3))):
        assert f"  {name}: in no plan\n" in done.out


SEGMENT = st.sampled_from(["a", "b", "src", "*", "*.py", "a.py", "**", "[ab]", "{a,b}", "a#b", "?"])
CLAIM = st.one_of(st.just("."), st.lists(SEGMENT, min_size=1, max_size=3).map("/".join))
FILE = st.lists(st.sampled_from(["a", "b", "src", "a.py", "[ab]", "a#b", "*"]), min_size=1, max_size=4).map("/".join)


@given(st.lists(CLAIM | st.builds("{}#Cart".format, CLAIM), max_size=6), FILE)
def test_the_lookup_finds_what_every_comparison_finds(claims: list[str], file: str) -> None:
    """Looking a file up among claims gives the same, in the same order, as comparing it with each."""
    found = ClaimLookup((claim, number) for number, claim in enumerate(claims)).at(file)
    assert found == [(claim, number) for number, claim in enumerate(claims) if claims_file(claim, file)]


def test_many_files_cost_few_processes(
    repo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of times that git is started does not grow with the number of changed files."""
    calls: list[str] = []

    def counting(tree: str, *arguments: str, **more: object) -> bytes:
        calls.append(arguments[0])
        return real_git(tree, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(changes, "git", counting)
    changes_between(str(repo), "main..work")
    few, calls[:] = len(calls), []
    change(repo, *(f"many/{number}.py" for number in range(300)))
    assert len(changes_between(str(repo), "main..work").paths) > 300
    assert len(calls) == few


def test_the_policy_refuses_what_it_cannot_mean() -> None:
    """A key that is none, and a setting that does not exist, are refused with their place."""
    with pytest.raises(InvalidInput):
        parse_policy('[check.approvers]\nann = "abc"')
    with pytest.raises(InvalidInput):
        parse_policy("[check]\ngenerate = []")
    text = f'[check]\ngenerated = ["a"]\n[check.approvers]\nann = "{"0" * 64}"'
    assert parse_policy(text).check.generated == ("a",)
    assert len({parse_policy(one).hash for one in ("", "[check]", text, text.replace('"a"', '"b"'))}) == 3
