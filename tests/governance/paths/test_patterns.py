"""Path patterns: two of them meet exactly if some path is in both, and one covers another if no path of it is outside."""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.naive_patterns import alternatives, names_inside, names_match
from volition.governance.paths.patterns import (
    ALTERNATIVES,
    anchor_of,
    common_path,
    covers_path,
    expand_braces,
    is_pattern,
    paths_meet,
)

pytestmark = pytest.mark.req("GV-25")

TOKENS = ("a", "b", "/", "*", "?", ".py", "[ab]", "[!a]", "[a-b]", "{a,b}", "{b,a/b}", "**")
LETTERS = ("a", "b", "c", "/", ".py")
UNITS = (*LETTERS, "[ab]", "[!a]", "[a-b]")
"""What the paths are made of over which the oracle looks: sets of characters are names, too."""


def well_formed(pieces: tuple[str, ...]) -> bool:
    """Whether some pieces make a path: no name is empty."""
    text = "".join(pieces)
    return not text.startswith("/") and not text.endswith("/") and "//" not in text


PATHS = sorted({
    "".join(units)
    for some, longest in ((LETTERS, 5), (UNITS, 3))
    for size in range(1, longest + 1)
    for units in product(some, repeat=size)
    if well_formed(units)
})  # fmt: skip
SPLIT = [path.split("/") for path in PATHS]
FEW = ["".join(found) for size in (1, 2) for found in product(TOKENS, repeat=size) if well_formed(found)]
SOME = ["".join(found) for size in (3, 4) for found in product(TOKENS, repeat=size) if well_formed(found)]


@cache
def meant(pattern: str) -> int:
    """The paths that a pattern means, as bits, by trying every one of them."""
    found = 0
    for text in alternatives(pattern):
        patterns = text.split("/")
        for at, names in enumerate(SPLIT):
            if names_match(patterns, names):
                found |= 1 << at
    return found


def assert_agrees(one: str, other: str) -> None:
    """The algebra says of two patterns what trying every path says."""
    wanted = bool(meant(one) & meant(other)) or names_inside(one, other) or names_inside(other, one)
    assert paths_meet(one, other) == paths_meet(other, one) == wanted
    example = common_path(one, other)
    assert (example is not None) == wanted
    if example is not None and meant(one) & meant(other):
        assert all(
            any(names_match(text.split("/"), example.split("/")) for text in alternatives(each))
            for each in (one, other)
        )
    for outer, inner in ((one, other), (other, one)):
        assert covers_path(outer, inner) == (not meant(inner) & ~meant(outer) or names_inside(inner, outer))


def test_all_pairs_of_short_patterns_agree_with_trying_every_path() -> None:
    """For every two patterns of up to two pieces, meeting and covering are what trying all short paths says; of the spellings of one
    set, one is tried with all, and the others with single pieces."""
    different = [pattern for pattern in FEW if not any(spelling in pattern for spelling in ("[a-b]", "{a,b}"))]
    others = [pattern for pattern in FEW if pattern not in different]
    for one, other in chain(combinations_with_replacement(different, 2), product(others, {*TOKENS} & {*FEW})):
        assert_agrees(one, other)


@given(st.sampled_from(SOME), st.sampled_from(FEW + SOME))
def test_longer_patterns_agree_with_trying_every_path(one: str, other: str) -> None:
    """The same holds for longer patterns."""
    assert_agrees(one, other)


@given(st.sampled_from(PATHS), st.sampled_from(FEW + SOME))
def test_plain_paths_agree_with_trying_every_path(path: str, pattern: str) -> None:
    """A plain path is a pattern that means itself and all below it."""
    if "[" not in path:
        assert_agrees(path, pattern)


@given(st.sampled_from(FEW + SOME), st.sampled_from(FEW + SOME))
def test_all_paths_of_a_pattern_lie_in_its_anchor(one: str, other: str) -> None:
    """Patterns whose anchors lie in different folders do not meet, so an index may look there alone."""
    assert covers_path(anchor_of(one), one)
    if not paths_meet(anchor_of(one), anchor_of(other)):
        assert not paths_meet(one, other)


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("*.md", "src/a.py", False),
        ("**/*.md", "**/*.py", False),
        ("**/*.py", "src/rates.toml", False),
        ("**/*.{py,pyi}", "{docs,notes}/**/*.md", False),
        ("**/*.py", "src", True),
        ("**/*.py", "conf.d", True),
        ("data.json", "data.json/*.csv", True),
        ("data.json/**", "**/*.csv", True),
        ("*.md", "docs/a.md", False),
        ("**/*.md", "docs/a.md", True),
        ("**/*.md", "src/a.py", False),
        ("**/*.md", "src/Acme.Web", True),
        ("tests/test_*.py", "**/*.md", False),
        ("conf.yml/*.x", "conf.yml", True),
        ("conf.yml/a", "conf.yml", True),
        ("packages/*/package.json", "packages/cart/src/a.ts", False),
        ("packages/*/package.json", "packages/cart", True),
        ("src/{a,b}.py", "src/b.py", True),
        ("src/{a,b}.py", "src/c.py", False),
        ("src/?.py", "src/ab.py", False),
        ("src/[ab].py", "src/c.py", False),
        ("src/[!ab].py", "src/c.py", True),
        ("src/*", "src/api/deep/a.py", True),
        ("src/*", "src", True),
        ("tests/test_*.py", "tests/conftest.py", False),
        ("**", ".", True),
        (".github/*", ".github/workflows/ci.yml", True),
        ("*", ".env", True),
        ("app/[id]/page.tsx", "app/[id]", True),
        ("app/[id]/*", "app/[id]/page.tsx", True),
        ("a[", "a[", True),
        ("a[!]", "a[!]", True),
        ("a[]b]", "ab", True),
        ("{a,b", "{a,b", True),
    ],
)
def test_patterns_read_as_in_git_and_shells(one: str, other: str, meet: bool) -> None:
    """Wildcards stay within one name except `**`; brackets that are not closed, and names in brackets, are plain text."""
    assert paths_meet(one, other) == paths_meet(other, one) == meet


NAMES = ("a", "b.py", "c.md")
TREE = ["/".join(names) for size in (1, 2, 3, 4) for names in product(NAMES, repeat=size)]
GLOBS = ["/".join(names) for size in (1, 2) for names in product((*NAMES, "*", "**", "*.py", "?.md"), repeat=size)]


@cache
def meant_of_files(pattern: str) -> frozenset[str]:
    """The paths that a pattern means where `.py` and `.md` are endings of files: nothing lies below a file."""
    names, below = pattern.split("/"), not pattern.endswith((".py", ".md"))
    return frozenset(
        path
        for path in TREE
        if names_match(names, path.split("/")) and (below or names_match([*names, ""], [*path.split("/"), ""]))
    )


def test_no_wildcard_reaches_below_a_file() -> None:
    """What lies below a name with the ending of a file is meant only by a claim that spells this name out."""
    for one, other in product(GLOBS, repeat=2):
        pairs = [(path, deeper) for path, deeper in ((one, other), (other, one)) if not is_pattern(path)]
        spelled = any(f"{anchor_of(deeper)}/".startswith(f"{path}/") for path, deeper in pairs)
        found = spelled or bool(meant_of_files(one) & meant_of_files(other))
        assert paths_meet(one, other) == (common_path(one, other) is not None) == found, (one, other)


def test_the_whole_project_is_every_path() -> None:
    """The root covers every pattern, and only patterns that leave nothing out cover it."""
    for pattern in FEW:
        assert covers_path(".", pattern)
        assert covers_path(pattern, ".") == (meant(pattern) == (1 << len(PATHS)) - 1)


def test_braces_are_bounded() -> None:
    """Spelling out braces ends soon after the limit, however many alternatives there are."""
    assert len(expand_braces("{a,b}" * 30)) == ALTERNATIVES + 1
    assert not is_pattern("a/b.c")
