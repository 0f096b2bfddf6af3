"""The parts that a change touches are those whose text differs, and every changed line is in something claimed."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.governance.outline.modules import PIECES, Piece, modules, text_of, unique
from tests.governance.outline.repository import write
from volition.governance.outline.diffs import FileChange, read_diff
from volition.governance.outline.languages import outline_of
from volition.governance.outline.parts import split_lines
from volition.governance.outline.touched import Touched, TouchedParts, touched_by, touched_parts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sentences import Told

BASE = b'''import os
import sys

LIMIT = 3


class Cart:
    """What is bought."""

    size = 0

    def add(self, item):
        self.size += 1

    def total(self):
        return self.size


def price(item):
    return 1


def tax(item):
    return 2
'''


@pytest.fixture
def change_of(tmp_path: Path) -> Callable[[bytes, bytes], FileChange]:
    """Turns two texts of `cart.py` into a change, as git sees it."""
    return lambda old, new: difference(tmp_path, old, new)


def difference(folder: Path, old: bytes, new: bytes, name: str = "cart.py") -> FileChange:
    write(folder, {f"old/{name}": old, f"new/{name}": new})
    line = ["git", "diff", "--no-index", "--no-prefix", "-U0", f"old/{name}", f"new/{name}"]
    found = read_diff(subprocess.run(line, cwd=folder, capture_output=True, check=False).stdout)
    return structs.replace(found[0], old=name, new=name) if found else FileChange(name, name)


@pytest.mark.req("GV-26")
@pytest.mark.parametrize(
    ("edit", "claims", "gone"),
    [
        (("return 1", "return 7"), ["cart.py#price"], []),
        (("self.size += 1", "self.size += 2"), ["cart.py#Cart.add"], []),
        (("size = 0", "size = 9"), ["cart.py#Cart"], []),
        (("class Cart:", "class Cart(Box):"), ["cart.py#Cart"], []),
        (("LIMIT = 3", "LIMIT = 4"), ["cart.py#LIMIT"], []),
        (("import sys", "import json"), ["cart.py#L2-L2"], []),
        (("import sys\n", "import sys\nimport json\n"), ["cart.py#L2-L3"], []),
        (("import os\nimport sys\n", ""), ["cart.py#L1-L2"], []),
        (("def tax(item):\n    return 2\n", ""), [], ["cart.py#tax"]),
        (("def tax(", "def duty("), ["cart.py#duty"], ["cart.py#tax"]),
        (("def price(", "def cost(item):\n    return 0\n\n\ndef price("), ["cart.py#cost"], []),
        (("    def total(", "    def empty(self):\n        return 1\n\n    def total("), ["cart.py#Cart.empty"], []),
        (("    def add(self, item):\n        self.size += 1\n\n", ""), [], ["cart.py#Cart.add"]),
        (
            ("def price(item):\n    return 1\n\n\n", "@cache\ndef price(item):\n    return 1\n\n\n"),
            ["cart.py#price"],
            [],
        ),
        (("\n\n\ndef tax", "\n\n\n\ndef tax"), ["cart.py#L22-L23"], []),
        (("return 2\n", "return 2\n\n\nmain()\n"), ["cart.py#L24-L25"], []),
        (("        self.size += 1\n", "        self.size += 1\n\n"), ["cart.py#Cart"], []),
    ],
    ids=lambda value: value[1][:30] if isinstance(value, tuple) else "",
)
def test_a_change_touches_what_it_changes(
    edit: tuple[str, str], claims: list[str], gone: list[str], change_of: Callable[[bytes, bytes], FileChange]
) -> None:
    """A change inside a part touches the innermost one; a new part is its own; what is outside of all is claimed by its
    old lines; a name that is gone is removed; blank lines count only by themselves."""
    new = BASE.decode().replace(*edit).encode()
    for end in (b"\n", b"\r\n"):
        old_text, new_text = BASE.replace(b"\n", end), new.replace(b"\n", end)
        change = change_of(old_text, new_text)
        found = touched_parts(change, old_text, new_text)
        assert found.claims("cart.py") == claims
        assert [f"cart.py#{name}" for name in found.gone] == gone


def test_lines_are_those_outside_of_every_part(change_of: Callable[[bytes, bytes], FileChange]) -> None:
    """Where one diff changes imports and functions, the lines claimed are those of the imports alone."""
    new = (
        BASE.replace(b"import sys", b"import json").replace(b"return 1", b"return 7").replace(b"return 2", b"return 8")
    )
    found = touched_parts(change_of(BASE, new), BASE, new)
    assert found.claims("cart.py") == ["cart.py#price", "cart.py#tax", "cart.py#L2-L2"]


def own_texts(content: bytes) -> dict[str, list[bytes]]:
    """The lines of every definition that are in no definition inside it, without blank ones; '' has the rest."""
    lines = content.split(b"\n")
    owner = [""] * len(lines)
    waiting: list[tuple[ast.AST, str]] = [(ast.parse(content), "")]
    for node, name in waiting:
        inner = name
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{name}.{node.name}".strip(".")
            first = min([node.lineno] + [one.lineno for one in node.decorator_list])
            owner[first - 1 : node.end_lineno] = [inner] * ((node.end_lineno or 0) - first + 1)
        waiting += [(child, inner) for child in ast.iter_child_nodes(node)]
    found: dict[str, list[bytes]] = {}
    for line, name in zip(lines, owner, strict=True):
        if line.strip():
            found.setdefault(name, []).append(line)
    return found


def outermost(names: set[str]) -> set[str]:
    return {name for name in names if not any(name.startswith(f"{other}.") for other in names)}


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[Piece], list[Piece]]:
    """A module and the same one with pieces added, taken away and changed, but none put elsewhere."""
    old = unique(draw(modules()))

    def edited(pieces: list[Piece], depth: int = 0) -> list[Piece]:
        made: list[Piece] = []
        for piece in pieces:
            act = draw(st.sampled_from(["keep", "keep", "inside", "drop", "decorate", "before"]))
            if act == "before":
                made += [replace(one, name=f"new{depth}_{len(made)}" if one.name else "") for one in [draw(PIECES)]]
            if act == "decorate" and piece.name:
                made.append(replace(piece, decorated=not piece.decorated))
            elif act == "inside" and piece.name:
                made.append(replace(piece, inner=(piece.inner[0], *edited(list(piece.inner[1:]), depth + 1))))
            elif act != "drop":
                made.append(piece)
        return made

    return old, edited(old)


@pytest.mark.req("GV-26")
@settings(max_examples=60)
@given(edits())
def test_touched_parts_are_those_whose_text_differs(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[list[Piece], list[Piece]]
) -> None:
    """Comparing the text of every part before and after finds the same parts written and gone, unless something changed
    places; and lines are claimed where something outside of every part differs."""
    old, new = (text_of(pieces) for pieces in pair)
    before, after = own_texts(old), own_texts(new)
    change = difference(tmp_path_factory.mktemp("pair"), old, new)
    found = touched_parts(change, old, new)
    differ = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    written = outermost({name for name in differ if name in after and name})
    assert set(found.gone) == outermost({name for name in differ if name not in after and name})
    assert written <= set(found.names) if _reordered(pair) else written == set(found.names)
    if "" in differ:
        assert found.lines
    assert_covered(change, old, new, set(found.names), set(found.gone), found.lines, differ)


def _reordered(pair: tuple[list[Piece], list[Piece]]) -> bool:
    """Whether equal lines that are in no part stand between other parts than before, or a block has blank lines only."""
    old, new = (text_of(pieces).decode() for pieces in pair)
    before, after = own_texts(old.encode()), own_texts(new.encode())
    same = {name for name in before if before[name] == after.get(name)}

    def layout(text: str) -> list[str]:
        lines = split_lines(text.encode())
        owners = outline_of("a.py", text.encode()).owners(len(lines))
        names = [".".join(one) for line, one in zip(lines, owners, strict=True) if line.strip()]
        kept = [name for name in names if name in same]
        return [name for n, name in enumerate(kept) if not n or kept[n - 1] != name]

    return layout(old) != layout(new)


def assert_covered(
    change: FileChange, old: bytes, new: bytes, names: set[str], gone: set[str], lines: tuple[tuple[int, int], ...], differ: set[str]
) -> None:  # fmt: skip
    """Every changed line that is not blank is in something claimed, unless its part reads the same before and after."""
    claimed = names | gone
    for block in change.blocks():
        for first, side, text in ((block.old_first, block.old, old), (block.new_first, block.new, new)):
            owners = outline_of("a.py", text).owners(len(split_lines(text)))
            for row, line in enumerate(side, first - 1):
                name = ".".join(owners[row])
                covered = any(name == one or name.startswith(f"{one}.") for one in claimed) if name else bool(lines)
                assert covered or not line.strip() or name not in differ


def test_parts_that_change_places_are_touched(change_of: Callable[[bytes, bytes], FileChange]) -> None:
    """If nothing but the order differs, the parts are claimed whose lines the diff has."""
    one, other = b"def a():\n    return 1\n\n\n", b"def b():\n    return 2\n\n\n"
    found = touched_parts(change_of(one + other, other + one), one + other, other + one)
    assert len(found.names) == 1
    assert set(found.names) < {"a", "b"}


def test_a_neighbour_with_the_same_end_is_not_touched(change_of: Callable[[bytes, bytes], FileChange]) -> None:
    """Where git shows the end of one function as added, because the new one ends alike, only the new one is touched."""
    old = b"def f():\n    a()\n    return x\n"
    new = old + b"\n\ndef g():\n    b()\n    return x\n"
    shown = read_diff(
        b"--- a/cart.py\n+++ b/cart.py\n@@ -2,2 +2,7 @@\n     a()\n+    return x\n+\n+\n+def g():\n+    b()\n     return x\n"
    )
    assert shown[0].apply(old) == new
    assert touched_parts(shown[0], old, new).claims("cart.py") == ["cart.py#g"]


def test_a_name_that_is_defined_twice_is_one_claim(change_of: Callable[[bytes, bytes], FileChange]) -> None:
    """A change of the setter touches the property."""
    old = b"class A:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n"
    new = old.replace(b"v): ...", b"v): pass")
    assert touched_parts(change_of(old, new), old, new).claims("cart.py") == ["cart.py#A.x"]


def test_equal_texts_touch_nothing() -> None:
    """No change, no claim."""
    assert touched_parts(FileChange("a.py", "a.py"), BASE, BASE) == TouchedParts((), (), ())


DIFF = b"""diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+x = 1
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x = 1
diff --git a/was.py b/is.py
similarity index 100%
rename from was.py
rename to is.py
diff --git a/picture.png b/picture.png
index 1..2 100644
Binary files a/picture.png and b/picture.png differ
diff --git a/broken.py b/broken.py
index 1..2 100644
--- a/broken.py
+++ b/broken.py
@@ -1 +1 @@
-def f(:
+def g(:
diff --git a/notes.md b/notes.md
index 1..2 100644
--- a/notes.md
+++ b/notes.md
@@ -1 +1 @@
-one
+two
diff --git a/link.py b/link.py
index 1..2 120000
--- a/link.py
+++ b/link.py
@@ -1 +1 @@
-a
+b
diff --git "a/\\303\\244 b.py" "b/\\303\\244 b.py"
index 1..2 100644
--- "a/\\303\\244 b.py"
+++ "b/\\303\\244 b.py"
@@ -1,2 +1,2 @@
 def f():
-    return 1
+    return 2
diff --git a/far.py b/far.py
index 1..2 100644
--- a/far.py
+++ b/far.py
@@ -9 +9 @@
-x
+y
diff --git a/kind b/kind
deleted file mode 100644
--- a/kind
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/kind b/kind
new file mode 120000
--- /dev/null
+++ b/kind
@@ -0,0 +1 @@
+y
"""


def whole(change: FileChange) -> tuple[bytes, bytes] | None:
    """The texts of a file from a diff that holds all of it."""
    if change.path == "far.py":
        return None
    return b"".join(change.hunks[0].side("+")), b"".join(change.hunks[0].side("-"))


@pytest.mark.req("GV-26")
def test_what_has_no_parts_is_claimed_whole(told: Told) -> None:
    """Added files are claimed by their path, removed ones are removed, renamed ones renamed; what is binary, does not parse,
    is in no known language or has no known text is claimed whole, and it is said why."""
    found = touched_by(read_diff(DIFF), whole)
    assert found == Touched(
        files=["new.py", "picture.png", "broken.py", "notes.md", "link.py", "ä b.py#f", "far.py", "kind"],
        removes=["gone.py"],
        renames={"was.py": "is.py"},
        whole=found.whole,
    )
    assert list(found.whole) == ["picture.png", "broken.py", "notes.md", "link.py", "far.py"]
    told(found.whole["broken.py"])
    assert touched_by([], whole) == Touched()
