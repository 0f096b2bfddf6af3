"""The README is true: what it tells a reader to run prints what it shows, and its links lead somewhere."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, get_args

import pytest

from tests.readme import README, ROOT, anchors, chapters, fits, misprints, readers_folder, run_step, steps
from volition.arbitration.tally import Rule

if TYPE_CHECKING:
    from pathlib import Path

CHAPTERS = chapters(README.read_text(encoding="utf-8"))
FILES = ROOT / "docs" / "files.md"
SHOWN = [title for title, text in CHAPTERS.items() if steps(text) and title]
RUN = {title: CHAPTERS[title] for title in SHOWN} | {
    "a file": chapters(FILES.read_text(encoding="utf-8"))["An example"]
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reader's folder, with the examples in it and `volition` to be found by a shell."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return readers_folder(tmp_path)


@pytest.mark.parametrize("title", RUN)
def test_what_a_chapter_tells_to_run_prints_what_it_shows(title: str, folder: Path) -> None:
    """Every Python block and every command line runs as it is written, in order, and prints exactly what is shown below it.

    A single wrong digit anywhere in what is shown would be noticed.
    """
    for step in steps(RUN[title]):
        code, printed = run_step(step, folder)
        assert code in ({0} if step.shown is None else {0, 3}), step.text
        if step.shown is not None:
            assert step.shown, f"what does it print?\n{step.text}"
            assert fits(step.shown, printed), f"{step.text}\n{printed}"
            assert not any(fits(wrong, printed) for wrong in misprints(step.shown)), step.text


def test_three_parts_are_shown_and_all_have_a_page() -> None:
    """A decision, an evening and plans are shown in a few lines of Python, with what they print and a picture each; for every
    kind of user there is a page to begin with."""
    python = [step for text in CHAPTERS.values() for step in steps(text) if step.kind == "python"]
    assert [name for step in python for name in ("arbitrate(", "play(", "evaluate(") if name in step.text] == [
        "arbitrate(", "play(", "evaluate(",
    ]  # fmt: skip
    assert all(step.shown for step in python)
    assert [len(re.findall(r"^!\[", CHAPTERS[title], re.MULTILINE)) for title in SHOWN] == [1, 1, 1]
    begin = re.findall(r"\]\(docs/(start|tutorials/[\w-]+)\.md\) \|$", CHAPTERS[""], re.MULTILINE)
    assert begin == ["start", *(f"tutorials/{name}" for name in ("characters", "plans", "coding-agents", "bodies"))]


def test_the_opening_is_three_sentences_a_picture_and_two_commands() -> None:
    """A stranger reads three sentences, sees "why" in motion, and has two commands to type, which make knows."""
    title, what, picture, commands, *_ = CHAPTERS[""].split("\n\n")
    assert (title, len(re.findall(r"\.(?:\s|$)", what))) == ("# Volition", 3)
    (image,) = re.findall(r"^!\[.{20,}\]\((.+)\)$", picture)
    picture = (ROOT / image).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert b"acTL" in picture  # PNG's word for a picture that moves
    targets = re.findall(r"^\$ make (\w+) +# \w", commands, re.MULTILINE)
    assert targets == ["run", "test"]
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:.*## ", made, re.MULTILINE) for target in targets)


def test_the_file_shown_is_the_file_decided_over() -> None:
    """The decision in the page about files is the one in the examples, to the byte."""
    page = FILES.read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert shown == (ROOT / "examples" / "route.json").read_text(encoding="utf-8")


def test_the_comparison_is_whole_and_admits_something() -> None:
    """Every row of the comparison has a cell for every tool, and in some row we are the one that says no."""
    table = [line.strip("|").split("|") for line in CHAPTERS["How it compares"].splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in row] for row in table if not row[0].startswith("--")]
    assert {len(row) for row in rows} == {5}
    assert all(all(row[1:]) for row in rows)
    assert sum(row[1].startswith("no") for row in rows) >= 2


def test_the_rules_are_documented() -> None:
    """The documentation of files lists exactly the rules that exist."""
    table = FILES.read_text(encoding="utf-8").partition("The rule is one of:")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(get_args(Rule))


def test_links_lead_somewhere() -> None:
    """Every link of the README to this repository names an existing file, and a heading in it."""
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)", README.read_text(encoding="utf-8"))
    for name, heading in links:
        target = ROOT / name if name else README
        assert target.exists(), name
        assert not heading or heading in anchors(target.read_text(encoding="utf-8")), f"{name}#{heading}"


def test_the_files_to_read_are_there() -> None:
    """Every file and folder that the reading page names is there: by its path in the package or the project, or by its name."""
    page = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[a-z_]+/)*(?:[a-z_]+\.py|(?<=/)))`", page)
    source = ROOT / "src" / "volition"
    files = {str(path.relative_to(source)) for path in source.rglob("*.py")}
    known = files | {path.rpartition("/")[2] for path in files}
    folders = {f"{path.relative_to(source)}/" for path in source.rglob("*") if path.is_dir()}
    assert len(named) > 20
    assert [name for name in named if name not in known | folders and not (ROOT / name).exists()] == []
