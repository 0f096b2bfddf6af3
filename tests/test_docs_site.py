"""The documentation is whole: every page is in the navigation, every link leads somewhere, the tutorials run, and the site
that is made of it loads nothing from outside."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from docs.sphinx.build import run_sphinx
from docs.sphinx.commands import helps
from docs.sphinx.faces import FACES, face_page
from docs.sphinx.navigation import files, sections
from docs.sphinx.outside import in_page, in_script, in_style, outside_requests
from docs.sphinx.schemas import schemas
from docs.sphinx.staging import MADE, navigation_of, stage, staged_path, staged_text
from tests.readme import ROOT, anchors, fits, misprints
from tests.test_faces import FACES as SNAPSHOT
from tests.test_faces import MODULES
from tests.tutorials import DOCS, TYPED, refreshed, typed

sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import PARTS, table, written

if TYPE_CHECKING:
    from pathlib import Path

INDEX = (DOCS / "index.md").read_text(encoding="utf-8")
PAGES = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)")


with_sphinx = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("sphinx", "furo", "myst_parser")),
    reason="the extra 'docs' is not installed: the site is NOT BUILT here; make docs builds it",
)


def broken_links(page: Path) -> list[str]:
    """The relative links of a page that name no file, or a heading that its file does not have."""
    found = []
    for name, heading in _LINK.findall(
        re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    ):
        target = page.parent / name if name else page
        if not target.exists() or (heading and heading not in anchors(target.read_text(encoding="utf-8"))):
            found.append(f"{name}#{heading}" if heading else name)
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    """The table of contents names every page of docs exactly once, and nothing else, in these sections."""
    navigation = sections(INDEX)
    assert Counter(files(navigation)) == Counter(PAGES.keys() - {"index.md"})
    titles = ["Start here", "Tutorials", "How-to", "Concepts", "Reference", "Comparison", "Words"]
    assert [section.title for section in navigation] == titles


def test_the_site_adds_the_pages_that_are_made() -> None:
    """The navigation of the site has every entry of the table of contents and every page that is made from the code."""
    added = set(files(navigation_of(INDEX))) - set(files(sections(INDEX)))
    assert added == {entry.file for entry in MADE}


@pytest.mark.parametrize("page", PAGES)
def test_links_and_anchors_lead_somewhere(page: str) -> None:
    """Every relative link of a page names an existing file, and a heading in it."""
    assert broken_links(PAGES[page]) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    """A missing file, a missing heading and a missing heading of the page itself are found; code is not read."""
    (tmp_path / "two.md").write_text("# Two\n\n## Far away\n")
    page = tmp_path / "one.md"
    page.write_text("[a](two.md#far-away) [b](three.md) [c](two.md#near) [d](#here)\n```\n[e](no.md)\n```\n")
    assert broken_links(page) == ["three.md", "two.md#near", "#here"]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_a_tutorial_can_be_typed_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    """Every Python block and command line runs as it is written, in an empty folder, and prints what is shown below it."""
    ran = 0
    for step, code, printed in typed(page.read_text(encoding="utf-8"), tmp_path):
        assert code in ({0} if step.shown is None else {0, 3}), step.text
        if step.shown is not None:
            assert fits(step.shown, printed), f"if this is right: make examples\n{step.text}\n{printed}"
            assert not any(fits(wrong, printed) for wrong in misprints(step.shown)), step.text
        ran += 1
    assert ran >= 2


def test_what_a_tutorial_prints_is_stored_again(tmp_path: Path) -> None:
    """Where a page shows something else than what is printed, it is replaced; lines that are left out stay so."""
    page = "```python\nprint(1)\n```\n\n```text\n2\n```\n\n```console\n$ printf 'a\\nb\\n'\na\n...\n$ echo 3\n4\n```\n"
    assert refreshed(page, tmp_path) == page.replace("\n2\n", "\n1\n").replace("\n4\n", "\n3\n")


def test_the_figures_of_the_comparison_are_those_of_the_benchmarks() -> None:
    """Every table of the comparison is written from stored rows, and every part has a table."""
    page = (DOCS / "comparison.md").read_text(encoding="utf-8")
    stored = json.loads((ROOT / "benchmarks" / "comparison.json").read_text(encoding="utf-8"))
    assert written(page, stored) == page
    assert set(re.findall(r"<!-- figures: (\w+) -->", page)) == set(PARTS) == set(stored["parts"])
    prose = re.sub(r"<!-- figures.*?<!-- end -->", "", page, flags=re.DOTALL)
    assert not re.search(r"\d+(?:\.\d+)? (?:times|ms|%|million)|\b20\d\d\b", prose)
    assert table([{"name": "a", "value": 1200.5, "unit": "ms"}]).splitlines()[-1] == "| a | 1,200.5 ms |"
    missed = {"name": "a", "value": 2, "unit": "times", "bar": ">= 3", "holds": False}
    assert table([missed]).splitlines()[-1] == "| a | 2 times (bar >= 3: not met) |"


def test_the_reference_has_every_face_command_and_schema() -> None:
    """The pages made from the code have every public name under a heading, also those of modules, the help of every command, and every schema."""
    assert set(FACES) == set(SNAPSHOT)
    for face, names in SNAPSHOT.items():
        headed = anchors(face_page(face))
        assert [name for name in names if name.lower() not in headed] == []
    for path, names in MODULES.items():
        face, _, module = path.rpartition(".")
        assert {f"{module}{name}".lower() for name in names} <= anchors(face_page(face))
    assert "[`Constraint`](#constraint-1)" in face_page("volition")
    commands = {" ".join(words): text for words, text in helps()}
    assert {"volition", "volition play", "volition govern evaluate", "volition team register"} <= set(commands)
    assert all(text.startswith("Usage: volition") for text in commands.values())
    assert all("$schema" in schema for schema in schemas().values())


def test_links_out_of_the_docs_lead_to_pages_of_the_site() -> None:
    """An example and its output are one page, another file has a place under `files`, and code is left as it is."""
    text = (
        "[a](../../examples/01_x.py) [b](../../examples/output/01_x.txt) [c](../why.md#x)\n```\n[d](../why.md)\n```\n"
    )
    assert staged_text(text, "docs/tutorials/t.md") == (
        "[a](../examples/01_x.md) [b](../examples/01_x.md#output) [c](../why.md#x)\n```\n[d](../why.md)\n```\n"
    )
    assert staged_path("java/README.md") == "files/java/README.md"


@pytest.mark.parametrize(
    ("found", "addresses"),
    [
        (in_page('<script src="https://a.b/x.js"></script>'), 1),
        (in_page('<link rel="stylesheet" href="//a.b/x.css"><img srcset="x.png, https://a.b/y.png 2x">'), 2),
        (in_page('<p style="background: url(https://a.b/x.png)"><style>@import "https://a.b/f.css"</style>'), 2),
        (in_page('<script>fetch("https://a.b/c")</script><iframe src=https://a.b></iframe>'), 2),
        (in_page('<a href="https://a.b">read</a> <img src="x.png"> <link href="x.css">'), 0),
        (in_style("@font-face { src: url('https://a.b/f.woff2') }"), 1),
        (in_style("a { background: url('data:image/svg+xml;utf8,<svg xmlns=http://www.w3.org/2000/svg>') }"), 0),
        (in_script("import('https://a.b/x.js'); // see https://c.d\nconst ns = 'http://www.w3.org/2000/svg'"), 1),
    ],
)
def test_a_request_to_the_outside_is_found(found: object, addresses: int) -> None:
    """Whatever a page would load from elsewhere is found; links that a reader may follow, comments and namespaces are not."""
    assert len(list(found)) == addresses  # type: ignore[call-overload]


def test_a_planted_request_is_found_in_a_site(tmp_path: Path) -> None:
    """Pages, styles and scripts of a folder are read, and the line names the file and the address."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.html").write_text('<img src="https://a.b/p.png">')
    (tmp_path / "x.css").write_text("a { color: red }")
    (tmp_path / "x.js").write_text("load('//a.b/x.js')")
    assert outside_requests(tmp_path) == ["a/x.html: https://a.b/p.png", "x.js: //a.b/x.js"]


@with_sphinx
def test_the_site_is_whole(tmp_path: Path) -> None:
    """Sphinx reads every page and follows every link without a warning, and what it writes loads nothing from outside.

    Pages are written by the same templates, so that one of them is enough here; `make docs` looks at all.
    """
    source, alone = tmp_path / "source", tmp_path / "alone"
    stage(source)
    assert run_sphinx("dummy", source, tmp_path / "read", tmp_path / "nothing") == []
    alone.mkdir()
    (alone / "index.md").write_text((source / "names.md").read_text(encoding="utf-8"), encoding="utf-8")
    run_sphinx("html", alone, tmp_path / "read_alone", tmp_path / "site")
    assert (tmp_path / "site" / "index.html").is_file()
    assert outside_requests(tmp_path / "site") == []
    assert {entry.file for entry in MADE} <= {path.relative_to(source).as_posix() for path in source.rglob("*.md")}


@with_sphinx
def test_a_broken_link_of_the_site_is_found(tmp_path: Path) -> None:
    """A link to no page, an anchor that no page has, a missing picture and a page outside the navigation are warnings."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "index.md").write_text("# One\n\n[a](two.md) [b](#far) [c](lost.md#x)\n\n![d](none.png)\n")
    (tmp_path / "source" / "lost.md").write_text("# Lost\n")
    said = run_sphinx("dummy", tmp_path / "source", tmp_path / "read", tmp_path / "nothing")
    assert len(said) == 5
    assert {line.partition(":")[0] for line in said} == {"index.md", "lost.md"}
