"""Unified diffs are read as git writes them, whatever the names and the text."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.outline.repository import commit, git, new_repository, write
from volition.core.errors import InvalidInput
from volition.governance.outline.diffs import Block, FileChange, Hunk, read_diff

if TYPE_CHECKING:
    from pathlib import Path

LONG = b"".join(b"line %d\n" % n for n in range(20))
BEFORE: dict[str, bytes | None] = {
    "a b.py": b"x = 1\ny = 2\n", 'ä "q".py': b"a\nb\n", "crlf.py": b"a\r\nb\r\nc\r\n", "picture": b"\0\1", "gone.py": b"q\n",
    "dir b/old name.py": LONG, "notes.sql": b"-- a\n++ b\nselect\n", "marks.py": "s = 'a\u2028b\x0cc\x1c'\nz = 1\n".encode(),
    "no end.py": b"a\nb", "mode.sh": b"x\n", "lone\rreturn.txt": b"a\rb\nc\n", "tab\there": b"1\n", "b/b.py": b"1\n2\n",
    "back\\slash": b"1\n", "latin.py": b"# \xe4\nx = 1\n", "--- a": b"1\n", "moved.py": LONG + b"end\n", "kind.py": b"text\n",
}  # fmt: skip
AFTER: dict[str, bytes | None] = {
    "a b.py": b"x = 1\ny = 3\n", 'ä "q".py': b"a\nc\n", "crlf.py": b"a\r\nB\r\nc\r\n", "picture": b"\0\2", "gone.py": None,
    "dir b/old name.py": None, "dir b/b/new name.py": LONG, "notes.sql": b"select\n++ c\n-- d\n", "marks.py": b"z = 1\n",
    "no end.py": b"a\nb\n", "lone\rreturn.txt": b"a\rB\nc\n", "tab\there": b"2\n", "b/b.py": b"2\n", "back\\slash": b"2\n",
    "latin.py": b"# \xe4\nx = 2\n", "--- a": b"2\n", "moved.py": None, "there/moved.py": LONG + b"END\n", "new.py": b"1\n",
    "empty.py": b"",
}  # fmt: skip
RENAMED = {"dir b/b/new name.py": "dir b/old name.py", "there/moved.py": "moved.py"}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a change of every kind that is not committed."""
    folder = new_repository(tmp_path_factory.mktemp("changed"))
    commit(folder, BEFORE)
    write(folder, AFTER)
    (folder / "mode.sh").chmod(0o755)
    (folder / "kind.py").unlink()
    (folder / "kind.py").symlink_to("new.py")
    git(folder, "add", "-A")
    return folder


SETTINGS = [
    [*prefix, context, *quoting]
    for prefix, context, quoting in product(
        ([], ["--no-prefix"], ["--src-prefix=i/", "--dst-prefix=w/"], ["--src-prefix=before/", "--dst-prefix=after/"]),
        ("-U0", "-U3", "-U999999"),
        ([], ["-c"]),
    )
]


@pytest.mark.parametrize("given", SETTINGS, ids=" ".join)
def test_every_kind_of_change_is_read(changed: Path, given: list[str]) -> None:
    """Names, renames, additions and removals are those of git, and applying a change to the old text gives the new one,
    whatever prefixes, context and quoting are chosen."""
    quoting = ["-c", "core.quotePath=off"] if "-c" in given else []
    diff = git(changed, *quoting, "diff", "--cached", "-M", *(one for one in given if one != "-c"))
    changes = read_diff(diff)
    added = {name for name in AFTER if name not in BEFORE and name not in RENAMED} | {"kind.py"}
    gone = {name for name, content in AFTER.items() if content is None} - set(RENAMED.values()) | {"kind.py"}
    assert {change.new for change in changes if change.old is None} == added
    assert {change.old for change in changes if change.new is None} == gone
    assert {
        change.new: change.old for change in changes if change.old and change.new and change.old != change.new
    } == RENAMED
    written = {change.path: change for change in changes if change.old and change.new}
    assert written.keys() == {
        *RENAMED,
        "mode.sh",
        *(name for name in AFTER if name in BEFORE and AFTER[name] is not None),
    }
    for name, change in written.items():
        old, new = BEFORE[RENAMED.get(name, name)], AFTER.get(name, BEFORE.get(name))
        assert old is not None
        assert new is not None
        if name == "picture":
            assert change.hunks == ()
            continue
        assert change.apply(old) == new
        assert change.apply(new, backwards=True) == old
    assert {change.path for change in changes if change.special} == {"kind.py"}


def test_other_programs_write_diffs_too() -> None:
    """A diff without git's headers is read: names with and without prefixes, times, and empty lines without their space."""
    text = (
        b"Only in x: y\n--- a/src/a b.py\t2026-01-01 00:00\n+++ b/src/a b.py\t2026-01-02 00:00\n@@ -1,3 +1,3 @@ def f():\n-a\n+b\n"
        b"\n c\n--- x.py\n+++ x.py\n@@ -1 +1 @@\n-1\n+2\n--- x.py.orig\n+++ x.py\n@@ -1 +1 @@\n-1\n+2\n"
        b"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+1\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n-- \n2.39.5\n"
    )
    changes = read_diff(text)
    names = [(change.old, change.new) for change in changes]
    assert names == [("src/a b.py",) * 2, ("x.py",) * 2, ("x.py",) * 2, (None, "new.py"), ("gone.py", None)]
    assert changes[0].hunks[0].section == "def f():"
    assert changes[0].apply(b"a\n\nc\n") == b"b\n\nc\n"


def test_a_diff_with_other_line_ends_is_read() -> None:
    """A diff of which every line ends in a carriage return and a line feed has the same names."""
    text = b"diff --git a/x y.py b/x y.py\nindex 1..2 100644\n--- a/x y.py\t\n+++ b/x y.py\t\n@@ -1 +1 @@ f\n-1\n+2\n"
    (change,) = read_diff(text.replace(b"\n", b"\r\n"))
    assert (change.path, change.hunks[0].section, change.apply(b"1\r\n")) == ("x y.py", "f", b"2\r\n")


@pytest.mark.parametrize("text", [b"", b"\n", b" \n\n"])
def test_an_empty_diff_changes_nothing(text: bytes) -> None:
    """Nothing is no error."""
    assert read_diff(text) == []


HEAD = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"hello\n", "not a unified diff"),
        (HEAD + b"@@ -1,2 +1,2 @@\n a\n", "line 4"),
        (HEAD + b"@@ -1,2 +1 @@\n a\n+b\n", "line 4"),
        (HEAD + b"@@ -1 +1 @@\nx\n", "line 4"),
        (HEAD + b"@@ -one +1 @@\n-a\n+b\n", "line 4"),
        (b"diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n", "combined"),
        (b'diff --git "a/\\377" "b/\\377"\nold mode 1\n', "not UTF-8"),
        (b'diff --git "a/\\777" "b/\\777"\nold mode 1\n', "not UTF-8"),
    ],
)
def test_what_is_no_diff_is_refused(text: bytes, what: str) -> None:
    """What cannot be read is said, with the line."""
    with pytest.raises(InvalidInput, match=what):
        read_diff(text)


@given(st.binary(max_size=200) | st.lists(st.sampled_from([*HEAD.splitlines(keepends=True), b"@@ -1 +1 @@\n", b"-a\n", b"+b\n", b"\\ No\n", b"\n", b"rename from x\n", b'"'])).map(b"".join))  # fmt: skip
def test_no_text_breaks_the_reader(text: bytes) -> None:
    """Any bytes are read or refused."""
    with suppress(InvalidInput):
        assert isinstance(read_diff(text), list)


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"-- c\n", b"++ d\r\n"]), max_size=8).map(b"".join)


@given(LINES | LINES.map(lambda text: text + b"end"), LINES, st.sampled_from(["-U0", "-U1", "-U9"]))
def test_a_change_applies_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, old: bytes, new: bytes, context: str
) -> None:
    """For any two texts, the diff of git takes one into the other and back, and its blocks cover exactly what differs."""
    folder = tmp_path_factory.mktemp("pair")
    write(folder, {"one": old, "two": new})
    found = new_repository(folder)
    changes = read_diff(_difference(found, context))
    if old == new:
        assert changes == []
        return
    (change,) = changes
    assert change.apply(old) == new
    assert change.apply(new, backwards=True) == old
    bare = FileChange("x", "x", tuple(Hunk(b.old_first, b.new_first, "", tuple([("-", line) for line in b.old] + [("+", line) for line in b.new])) for b in change.blocks()))  # fmt: skip
    assert bare.apply(old) == new


def _difference(folder: Path, context: str) -> bytes:
    import subprocess

    line = ["git", "diff", "--no-index", context, "one", "two"]
    return subprocess.run(line, cwd=folder, capture_output=True, check=False).stdout


def test_a_change_that_does_not_fit_is_not_applied() -> None:
    """Applied to another text, a change gives nothing."""
    (change,) = read_diff(HEAD + b"@@ -2 +2 @@\n-b\n+c\n")
    assert [change.apply(text) for text in (b"a\nb\n", b"b\n", b"a\nx\n", b"")] == [b"a\nc\n", None, None, None]


@pytest.mark.parametrize(
    ("block", "span"),
    [(Block(1, (), 1, (b"x",)), (1, 1)), (Block(9, (), 9, (b"x",)), (8, 9)), (Block(3, (b"a", b"b"), 3, ()), (3, 4))],
)
def test_added_lines_concern_those_on_either_side(block: Block, span: tuple[int, int]) -> None:
    """Two changes that add lines at the same place concern the same lines."""
    assert block.span() == span
