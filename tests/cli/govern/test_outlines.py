"""`volition govern parts`, and plans that are drafted from a diff."""

from __future__ import annotations

import json
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.govern.desk import govern, govern_json
from tests.governance.outline.repository import commit, git, new_repository, write

if TYPE_CHECKING:
    from tests.sentences import Told

CART = b"""import os

LIMIT = 3


class Cart:
    def add(self, item):
        return 1

    def total(self):
        return 2


def price(item):
    return 3
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a few files, which is the current folder."""
    folder = new_repository(tmp_path / "shop")
    commit(
        folder,
        {"src/cart.py": CART, "src/old.py": b"x = 1\n", "notes.md": b"one\n", "src/a b/\xe4.py": b"def f(): pass\n"},
    )
    monkeypatch.chdir(folder)
    return folder


def draft(capsys: pytest.CaptureFixture[str], diff: str, *more: str) -> dict[str, Any]:
    """The intent that a diff gives."""
    line = ("new", "intent", "Change it", "--project", "shop", "--now", "2026-01-25T10:00:00Z", "--out", "made.json")
    code, _, err = govern(capsys, *line, f"--from-diff={diff}", *more)
    assert code == 0, err
    made: dict[str, Any] = json.loads(Path("made.json").read_bytes())
    Path("made.json").unlink()
    return made


def targets(capsys: pytest.CaptureFixture[str], diff: str, *more: str) -> list[str]:
    found: list[str] = draft(capsys, diff, *more)["scope"]["targets"]["files"]
    return found


def test_the_parts_of_files_are_listed(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each part is shown as it is claimed, with its kind and lines; --json has the same as data."""
    code, out, err = govern(capsys, "parts", "src/cart.py")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "claim                   kind      lines",
        "src/cart.py#LIMIT       constant  3-3",
        "src/cart.py#Cart        class     6-11",
        "src/cart.py#Cart.add    method    7-8",
        "src/cart.py#Cart.total  method    10-11",
        "src/cart.py#price       function  14-15",
    ]
    code, data = govern_json(capsys, "parts", "src/cart.py")
    assert (code, data["faults"], data["files"][0]["language"]) == (0, [], "Python")
    assert data["files"][0]["parts"][2] == {
        "claim": "src/cart.py#Cart.add", "name": "Cart.add", "kind": "method", "first": 7, "last": 8
    }  # fmt: skip


def test_a_folder_means_its_tracked_source_files(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that git does not track, links, removed files and files in no known language are not listed."""
    write(shop, {"src/untracked.py": b"y = 1\n", "src/old.py": None})
    (shop / "src" / "link.py").symlink_to("cart.py")
    git(shop, "add", "src/link.py")
    code, data = govern_json(capsys, "parts", ".")
    assert code == 0
    assert [file["path"] for file in data["files"]] == ["src/a b/\xe4.py", "src/cart.py"]


def test_a_folder_before_the_first_commit_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a repository without commits, what was added to git is tracked."""
    folder = new_repository(tmp_path / "new")
    write(folder, {"a.py": b"x = 1\n", "b.py": b"y = 1\n"})
    git(folder, "add", "a.py")
    monkeypatch.chdir(folder)
    assert [file["path"] for file in govern_json(capsys, "parts", ".")[1]["files"]] == ["a.py"]
    assert targets(capsys, "--cached") == ["a.py"]
    code, _, err = govern(capsys, "new", "intent", "Change it", "--project", "p", "--from-diff", "HEAD")
    assert (code, "git diff failed" in err) == (2, True)


def test_what_cannot_be_listed_is_said(shop: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A named file that does not parse is exit code 2, with its line, and the others are listed; in a folder it is a note."""
    commit(shop, {"src/bad.py": b"x = 1\ndef f(:\n"})
    code, out, err = govern(capsys, "parts", "src/cart.py", "src/bad.py", "nowhere.py")
    assert (code, "src/cart.py#price" in out) == (2, True)
    told(err)
    assert "nowhere.py" in err
    code, out, err = govern(capsys, "parts", "src")
    assert (code, "src/cart.py#price" in out) == (0, True)
    told(err)
    code, data = govern_json(capsys, "parts", "src")
    assert [fault["path"] for fault in data["faults"]] == ["src/bad.py"]
    code, out, err = govern(capsys, "parts", "src/bad.py", "notes.md")
    assert (code, out, "2 problems" in err) == (2, "", True)


def test_a_missing_grammar_is_an_honest_answer(
    shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Without a grammar the rest is listed and the answer says what to install; exit code 4 only if nothing is listed."""
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    commit(shop, {"go/a.go": b"package a\n", "go/b.go": b"package a\n"})
    code, out, err = govern(capsys, "parts", ".")
    assert (code, "src/cart.py#price" in out) == (0, True)
    told(err)
    code, out, err = govern(capsys, "parts", "go")
    assert (code, out) == (4, "")
    told(err)


@pytest.mark.parametrize("case", ["outside", "empty"])
def test_a_folder_without_tracked_files_is_refused(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside of a repository, and where no source file is tracked, nothing is guessed."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = new_repository(tmp_path / "there") if case == "empty" else tmp_path
    code, out, err = govern(capsys, "parts", folder)
    assert (code, out, "remedy:" in err) == (2, "", True)


@pytest.mark.req("GV-26")
def test_a_plan_claims_what_the_diff_touches(shop: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Targets are the parts that were changed; what has no parts is claimed whole, with a note. A plan without a command
    gets one that writes, and a budget of its files."""
    commit(
        shop,
        {"src/cart.py": CART.replace(b"return 1", b"return 7").replace(b"return 3", b"return 4"), "notes.md": b"two\n"},
    )
    made = draft(capsys, "HEAD~1..HEAD")
    assert made["scope"]["targets"]["files"] == ["notes.md", "src/cart.py#Cart.add", "src/cart.py#price"]
    assert [command["effects"] for command in made["planned_commands"]] == [["write"]]
    assert made["budgets"]["max_files"] == 2
    line = ("new", "intent", "Change it", "--project", "p", "--out", "x.json", "--from-diff", "HEAD~1..HEAD")
    told(govern(capsys, *line)[2])
    assert govern(capsys, "validate", "--kind", "intent", "x.json")[0] == 0
    made = draft(capsys, "HEAD~1..HEAD", "--file", "more.py", "--command", "do_it: create: do it", "--max-files", "9")
    assert made["scope"]["targets"]["files"][0] == "more.py"
    assert (made["planned_commands"][0]["command_id"], made["budgets"]["max_files"]) == ("do_it", 9)


@pytest.mark.req("GV-26")
def test_every_kind_of_range_is_understood(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two commits, a branch since it parted, what is staged, and what is not committed yet, from any folder inside."""
    git(shop, "checkout", "-q", "-b", "side")
    commit(shop, {"src/cart.py": CART.replace(b"return 3", b"return 4")})
    git(shop, "checkout", "-q", "main")
    commit(shop, {"src/old.py": b"x = 2\n"})
    assert targets(capsys, "main...side") == ["src/cart.py#price"]
    assert targets(capsys, "main side") == ["src/cart.py#price", "src/old.py#x"]
    write(shop, {"src/cart.py": CART.replace(b"LIMIT = 3", b"LIMIT = 4"), "src/old.py": None})
    assert targets(capsys, "HEAD") == ["src/cart.py#LIMIT"]
    git(shop, "add", "src/cart.py")
    assert targets(capsys, "--cached") == ["src/cart.py#LIMIT"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(shop / "src")
        assert targets(capsys, "--cached") == ["src/cart.py#LIMIT"]


def test_a_linked_worktree_has_its_own_changes(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a linked worktree, what is not committed there counts."""
    git(shop, "worktree", "add", "-q", "-b", "side", "../linked")
    linked = shop.parent / "linked"
    write(linked, {"src/cart.py": CART.replace(b"return 2", b"return 9")})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(linked)
        assert targets(capsys, "HEAD") == ["src/cart.py#Cart.total"]
        assert [file["path"] for file in govern_json(capsys, "parts", "src/cart.py")[1]["files"]] == ["src/cart.py"]


@pytest.mark.req("GV-27")
def test_removals_and_renames_are_declared(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a change removes or renames, files and parts of them, is what the plan removes and renames."""
    commit(shop, {"src/cart.py": None, "src/basket.py": CART, "src/old.py": None})
    assert draft(capsys, "HEAD~1..HEAD")["scope"]["targets"]["removes"] == ["src/old.py"]
    assert draft(capsys, "HEAD~1..HEAD")["scope"]["targets"]["renames"] == {"src/cart.py": "src/basket.py"}
    commit(shop, {"src/basket.py": CART.partition(b"def price")[0]})
    assert draft(capsys, "HEAD~1..HEAD")["scope"]["targets"]["removes"] == ["src/basket.py#price"]


@pytest.mark.parametrize("name", ["a b.py", 'say "hi".py', "gr\xf6\xdfe/\u65e5\u672c.py", "b/x.py"])
def test_any_name_can_be_claimed(name: str, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Spaces, quotes and other alphabets in a name are those of the file, whatever git's settings."""
    commit(shop, {name: b"def f():\n    return 1\n"})
    commit(shop, {name: b"def f():\n    return 2\n"})
    for key, value in (
        ("core.quotePath", "true"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("color.ui", "always"),
    ):
        assert targets(capsys, "HEAD~1..HEAD") == [f"{name}#f"]
        git(shop, "config", key, value)


def given_on_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(content)))


def test_a_diff_on_standard_input(
    shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """A diff can be given before it is applied and afterwards; where the files do not fit it, they are claimed whole."""
    changed = CART.replace(b"return 2", b"return 9")
    write(shop, {"src/cart.py": changed})
    diff = git(shop, "diff")
    for content in (changed, CART):
        write(shop, {"src/cart.py": content})
        given_on_stdin(monkeypatch, diff)
        assert targets(capsys, "-") == ["src/cart.py#Cart.total"]
    for other in (b"something = 1\n", None):
        write(shop, {"src/cart.py": other})
        given_on_stdin(monkeypatch, diff)
        assert targets(capsys, "-") == ["src/cart.py"]
    secret = shop.parent / "secret.py"
    secret.write_bytes(CART)
    given_on_stdin(monkeypatch, diff.replace(b"src/cart.py", b"../secret.py"))
    code, _, err = govern(capsys, "new", "intent", "Change it", "--project", "p", "--from-diff", "-")
    assert code == 2
    told(err)


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        ("HEAD..HEAD", "the diff is empty"),
        ("nobody..HEAD", "git diff failed"),
        ("--output=taken", "not a range of commits"),
        ("HEAD --ext-diff", "not a range of commits"),
        ("", "not a range of commits"),
    ],
)
def test_a_wrong_range_is_refused(diff: str, said: str, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty or unknown range, and an option of git in its place, are refused, and nothing is written."""
    before = sorted(shop.rglob("*"))
    code, _, err = govern(capsys, "new", "intent", "Change it", "--project", "p", f"--from-diff={diff}")
    assert (code, said in err) == (2, True), err
    assert [path for path in sorted(shop.rglob("*")) if ".git" not in path.parts] == [
        path for path in before if ".git" not in path.parts
    ]


def test_an_empty_or_broken_diff_on_standard_input(
    shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing, or something that is no diff, is refused."""
    for content in (b"", b"hello\n", b"\xff\xfe"):
        given_on_stdin(monkeypatch, content)
        assert govern(capsys, "new", "intent", "Change it", "--project", "p", "--from-diff", "-")[0] == 2


def test_more_parts_than_a_plan_can_name(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If more is touched than a plan can name, files are claimed whole."""
    many = b"".join(b"def f%d():\n    return 1\n\n\n" % n for n in range(201))
    commit(shop, {"src/many.py": many})
    commit(shop, {"src/many.py": many.replace(b"return 1", b"return 2")})
    assert targets(capsys, "HEAD~1..HEAD") == ["src/many.py"]


def test_the_same_diff_gives_the_same_bytes(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A draft from a diff is deterministic."""
    commit(shop, {"src/cart.py": CART.replace(b"return", b"return 0 +")})
    assert draft(capsys, "HEAD~1..HEAD") == draft(capsys, "HEAD~1..HEAD")
