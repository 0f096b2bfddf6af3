"""Lines of work by parts: what git merges without a word and breaks all the same, and many branches at once."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.desks import git
from tests.cli.lines import run, run_json
from volition.agents.repository import repository_of
from volition.agents.worktrees import contracts, merging
from volition.agents.worktrees.merging import ChangedPlaces, conflicts_of_pairs
from volition.agents.worktrees.overview import look_at_work
from volition.cli.show.live import overview_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from tests.sentences import Told

    Moves: TypeAlias = Sequence[tuple[str, str]]

pytestmark = pytest.mark.req("AG-03")
CART = "TAX = 3\n\n\ndef total(items):\n    return sum(items)\n\n\nclass Cart:\n    def add(self, item):\n        return item\n\n    def clear(self):\n        return None\n"
OTHER = "import os\n\n\ndef main():\n    return os.sep\n"


@pytest.fixture(scope="module")
def shop(folder_in_memory: Path) -> Path:
    """A repository with a shop, which nobody changes."""
    made = folder_in_memory / "shop-laid-out"
    (made / "shop").mkdir(parents=True)
    git(made, "init", "-q", "--template=")
    (made / "shop" / "cart.py").write_text(CART)
    (made / "shop" / "till.py").write_text(OTHER)
    (made / "app.py").write_text(OTHER)
    git(made, "add", "-A")
    git(made, "commit", "-qm", "begin")
    return made


@pytest.fixture
def repo(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to work at."""
    made = shutil.copytree(shop, tmp_path / "repo")
    monkeypatch.chdir(made)
    return made


def branch(repo: Path, name: str, files: Mapping[str, str | None], moves: Moves = ()) -> None:
    """A branch of main on which files are moved, and then written or removed."""
    import_branches(repo, {name: (files, moves)})


def import_branches(repo: Path, branches: Mapping[str, tuple[Mapping[str, str | None], Moves]]) -> None:
    """Branches of main, each with one commit, by one process of git; the worktree is not touched."""
    stream = bytearray()
    for name, (files, moves) in branches.items():
        stream += f"commit refs/heads/{name}\ncommitter a <a@b> now\n".encode()
        stream += f"data {len(name.encode())}\n{name}\nfrom refs/heads/main\n".encode()
        for old, new in moves:
            stream += b"R %s %s\n" % (quoted(old), quoted(new))
        for file, text in files.items():
            if text is None:
                stream += b"D %s\n" % quoted(file)
            else:
                stream += b"M 100644 inline %s\ndata %d\n%s\n" % (quoted(file), len(text.encode()), text.encode())
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force", "--date-format=now"], cwd=repo, input=stream, check=True
    )


def quoted(path: str) -> bytes:
    """A path as `git fast-import` reads it."""
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"%s"' % escaped


def conflicts(root: str, one: str, other: str) -> list[str]:
    """The paths in which two commits conflict; empty if they merge."""
    return list(conflicts_of_pairs(root, [(one, other)])[one, other])


GONE = {
    "a function": ({"shop/cart.py": CART.replace("total", "sum_of")}, (), "shop/cart.py#total"),
    "a class": ({"shop/cart.py": CART.replace("class Cart", "class Basket")}, (), "shop/cart.py#Cart"),
    "a method": ({"shop/cart.py": CART.replace("def clear", "def empty")}, (), "shop/cart.py#Cart.clear"),
    "a constant": ({"shop/cart.py": CART.replace("TAX = 3\n", "")}, (), "shop/cart.py#TAX"),
    "a file": ({}, (("shop/cart.py", "shop/basket.py"),), "shop/cart.py"),
}
USES = {
    "a function": "from shop.cart import total\n" + OTHER.replace("os.sep", "total([1])"),
    "a class": "from shop import cart\n" + OTHER.replace("os.sep", "cart.Cart()"),
    "a method": "from shop.cart import Cart\n" + OTHER.replace("os.sep", "Cart().clear()"),
    "a constant": "from shop.cart import TAX\n" + OTHER.replace("os.sep", "TAX"),
    "a file": "import shop.cart\n" + OTHER,
}


@pytest.mark.req("GV-26")
@pytest.mark.parametrize("what", GONE)
def test_a_part_that_one_removes_and_another_uses(repo: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Git merges the two branches; the overview names the part, who removes or renames it, and where the other uses it."""
    files, moves, part = GONE[what]
    branch(repo, "ann", dict(files), moves)
    branch(repo, "bob", {"app.py": USES[what]})
    assert conflicts(str(repo), "ann", "bob") == []
    code, seen = run_json(capsys, "worktrees")
    (pair,) = seen["pairs"]
    assert (code, pair["state"]) == (3, "contract conflict")
    wanted = {"remover": "ann", "part": part, "user": "bob", "file": "app.py"}
    assert wanted in pair["contracts"]
    text = run(capsys, "worktrees").out
    assert f"contract conflict: ann and bob: ann removes or renames {part}, which bob uses in app.py" in text


@pytest.mark.parametrize("what", GONE)
def test_what_is_no_contract_conflict(repo: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same word in a file that has nothing to do with the part, a file that defines the name itself, a branch that
    removes it too, and a part that is moved and imported again, are none."""
    files, moves, _ = GONE[what]
    branch(repo, "ann", dict(files), moves)
    branch(repo, "bob", {"app.py": OTHER.replace("os.sep", "os.total(Cart, TAX).clear()")})
    branch(
        repo,
        "dan",
        {"own.py": "# A cart.\ndef total():\n    return total\n\n\nclass Cart:\n    pass\n\n\nTAX = Cart\n"},
    )
    branch(repo, "eve", dict(files), moves)
    pairs = run_json(capsys, "worktrees")[1]["pairs"]
    assert [pair for pair in pairs if pair["contracts"] or "conflict" in pair["state"]] == []


def test_a_part_that_is_still_offered(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function that was moved to another file, and is imported from there, can be used as before."""
    moved = CART.replace("def total(items):\n    return sum(items)\n", "from shop.sums import total\n")
    branch(repo, "ann", {"shop/cart.py": moved, "shop/sums.py": "def total(items):\n    return sum(items)\n"})
    branch(repo, "bob", {"app.py": USES["a function"]})
    assert run_json(capsys, "worktrees")[1]["pairs"] == []


def test_a_branch_with_a_history_of_its_own_is_said_and_stops_nothing(
    repo: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """A branch without a common commit, as pages often have, is named in a note; all others are compared."""
    branch(repo, "ann", {"app.py": "a = 1\n"})
    branch(repo, "bob", {"app.py": "b = 1\n"})
    git(repo, "checkout", "-q", "--orphan", "pages")
    git(repo, "commit", "-qm", "pages")
    git(repo, "checkout", "-q", "main")
    code, seen = run_json(capsys, "worktrees")
    assert (code, [pair["state"] for pair in seen["pairs"]]) == (3, ["undeclared conflict"])
    assert seen["notes"] == ["pages has no commit in common with the base: it was not compared"]
    told(run(capsys, "worktrees").out)


def test_a_worktree_inside_a_worktree_is_not_its_change(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Clients put worktrees into folders of the main one: what lies there is no change of the main one."""
    git(repo, "worktree", "add", "-q", str(repo / ".claude" / "worktrees" / "ann"), "-b", "ann")
    (repo / ".claude" / "worktrees" / "ann" / "app.py").write_text("x = 1\n")
    _, seen = run_json(capsys, "worktrees")
    assert [(line["name"], line["changed"]) for line in seen["lines"]] == [("ann", ["app.py"])]
    (repo / "new.py").write_text("x = 1\n")
    _, seen = run_json(capsys, "worktrees")
    assert [(line["name"], line["changed"]) for line in seen["lines"]] == [("ann", ["app.py"]), ("main", ["new.py"])]


def test_names_of_branches_and_files_are_escaped(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a file with a line feed and a command in its name, nor a branch with markup in it, is printed raw."""
    nasty = "a\n::error::\x1b[31m##[error]x.py"
    for name in ("[red]ann", "bob"):
        branch(repo, name.replace("[", "(").replace("]", ")"), {nasty: f"{name}\n"})
    done = run(capsys, "worktrees")
    assert done.code == 3
    assert "\x1b" not in done.out
    assert not any(line.strip().startswith("::") or "##[" in line for line in done.out.splitlines())
    table = overview_table(look_at_work(repository_of(repo), git(repo, "rev-parse", "main").strip(), guarded=False))
    assert table.row_count == 2


def test_names_that_are_no_text(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file whose name is not UTF-8 is compared like any other, and given as text and as JSON in its visible form."""
    for name in ("ann", "bob"):
        branch(repo, name, {"\udcff.py": f"{name} = 1\n"})
    _, seen = run_json(capsys, "worktrees")
    assert seen["pairs"][0]["conflicts"] == ["\\xff.py"]
    assert "\\xff.py" in run(capsys, "worktrees").out


def test_a_hundred_branches_cost_few_processes(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git is started a few times for each branch, and a few times for all pairs; a second look starts it for no pair."""
    changed = ("app.py" if number % 2 else f"own_{number}.py" for number in range(24))
    import_branches(repo, {f"b{number:02}": ({file: f"x = {number}\n"}, ()) for number, file in enumerate(changed)})
    asked: list[int] = []
    real = merging._ask

    def count(root: str, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
        asked.append(len(pairs))
        return real(root, pairs)

    monkeypatch.setattr(merging, "_ask", count)
    base = git(repo, "rev-parse", "main").strip()
    seen: list[tuple[int, int]] = []
    first = look_at_work(repository_of(repo), base, guarded=False, progress=lambda done, of: seen.append((done, of)))
    assert (len(first.pairs), sum(asked), len(asked)) == (12 * 11 // 2, 12 * 11 // 2, 2)
    assert seen[-1] == (66, 66)
    assert look_at_work(repository_of(repo), base, guarded=False) == first
    assert len(asked) == 2


def test_more_source_files_than_are_read_are_said(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a line changed more source files than are read by parts, that is said."""
    monkeypatch.setattr(contracts, "MOST_FILES", 2)
    branch(repo, "ann", {f"x{number}.py": "x = 1\n" for number in range(3)})
    seen = look_at_work(repository_of(repo), git(repo, "rev-parse", "main").strip(), guarded=False)
    assert seen.notes == ("ann changed too many source files to read all their parts",)


def test_a_file_in_a_folder_that_another_renames(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Git asks where a file belongs that is put into a folder which another branch renamed, though they share no path."""
    branch(repo, "ann", {}, (("shop", "store"),))
    branch(repo, "bob", {"shop/new.txt": "new\n"})
    assert conflicts(str(repo), "ann", "bob")
    _, seen = run_json(capsys, "worktrees")
    assert seen["pairs"][0]["conflicts"] == conflicts(str(repo), "ann", "bob")


PATHS = ("a", "a/b", "lib/x", "lib/y", "src/x", "new/x")
EDIT = st.tuples(st.sampled_from(PATHS), st.sampled_from(["one", "two", None]))
BODY = "".join(f"line {number}\n" for number in range(9))
LIBRARY = {name: f"{BODY}{name}\n" for name in ("lib/x", "lib/y")}


@pytest.fixture(scope="module")
def library(folder_in_memory: Path) -> Path:
    """A repository with a library, whose branches every trial replaces."""
    made = folder_in_memory / "library"
    (made / "lib").mkdir(parents=True)
    git(made, "init", "-q", "--template=")
    for name, text in LIBRARY.items():
        (made / name).write_text(text)
    git(made, "add", "-A")
    git(made, "commit", "-qm", "begin")
    return made


def edited(edits: list[tuple[str, str | None]]) -> dict[str, str]:
    """The files of the library after some edits; what is below a file, or a folder already, is not written."""
    files = dict(LIBRARY)
    for path, text in edits:
        if text is None:
            files.pop(path, None)
        elif not any(path.startswith(f"{file}/") or file.startswith(f"{path}/") for file in files):
            files[path] = f"{BODY}{text}\n"
    return files


@given(st.lists(st.lists(EDIT, min_size=1, max_size=4), min_size=3, max_size=3))
def test_pairs_that_are_not_asked_do_not_conflict(library: Path, lines: list[list[tuple[str, str | None]]]) -> None:
    """Two branches whose places cannot conflict are merged by git without a conflict, whatever they add, remove and
    move."""
    branches: dict[str, tuple[dict[str, str | None], Moves]] = {}
    places = {}
    for number, edits in enumerate(lines):
        files = edited(edits)
        removed = LIBRARY.keys() - files.keys()
        changed = [path for path in files if files[path] != LIBRARY.get(path)]
        branches[f"b{number}"] = {**dict.fromkeys(removed), **{path: files[path] for path in changed}}, ()
        places[f"b{number}"] = ChangedPlaces.of([*removed, *changed], removed)
    import_branches(library, branches)
    pairs = [pair for pair in combinations(places, 2) if not places[pair[0]].may_conflict(places[pair[1]])]
    assert not any(conflicts_of_pairs(str(library), pairs).values())
