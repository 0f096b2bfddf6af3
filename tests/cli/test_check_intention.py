"""`volition check-intention` as a person runs it, in their folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import Ended, run_in
from tests.processes import typed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-18")

MODULE = """
from volition.arbitration.intention import constraint, heuristic

@constraint
def dry(tile):
    return tile["tag"] == "water"

@heuristic(weight=2.0)
def near(tile, context):
    return 1.0 if tile["id"] == context else None

def tall(tile):
    return tile["height"] / 10

count = 0
def counting(tile):
    global count
    count += 1
    return False

lazy = lambda tile: False
trees = [{"id": "oak", "height": 30}, {"id": "elm", "height": 5}]
home = "oak"

def growing():
    yield from trees
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "trees.json").write_text('[{"id": "oak", "tag": "water", "height": 4}, {"id": "elm", "tag": "x"}]')
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "bad.json").write_text("[1, 2")
    return tmp_path


def run(folder: Path, *arguments: str) -> Ended:
    return run_in(folder, "check-intention", *arguments)


def test_laws_kept(folder: Path, told: Told) -> None:
    """An intention that keeps the laws ends with 0, and every law is on a line; so it does in a separate process."""
    code, out, _ = run(folder, "mine:dry", "--samples", "trees.json")
    assert typed(folder, "check-intention", "mine:dry", "--samples", "trees.json") == (code, out, "")
    assert code == 0
    told(out.splitlines()[0])
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["answers", "type", "deterministic", "pure", "process"]


def test_laws_broken(folder: Path, told: Told) -> None:
    """An intention that breaks a law ends with 3, with the law, the candidate and the answer."""
    code, out, _ = run(folder, "mine:tall", "--samples", "mine:growing")
    assert code == 3
    told(out)


def test_json(folder: Path) -> None:
    """With --json the findings are one object."""
    code, out, _ = run(folder, "mine:counting", "--json", "--kind", "constraint")
    data = json.loads(out)
    assert (code, data["ok"], data["kind"]) == (3, False, "constraint")
    assert {"law": "pure", "holds": False, "evidence": "asking changed global 'count'", "candidate": None} in data[
        "findings"
    ]


def test_context_and_unnamed_functions(folder: Path) -> None:
    """A context can be named, and a lambda is found by its reference."""
    assert run(folder, "mine:near", "--samples", "mine:trees", "--context", "mine:home")[0] == 0
    assert run(folder, "mine:lazy")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["mine:wet"], "has no 'wet'"),
        (["yours:dry"], "there is no module 'yours'"),
        (["mine"], "is not a reference"),
        (["broken:x"], "raised ZeroDivisionError"),
        (["mine:home"], "is not an intent"),
        (["mine:tall", "--samples", "bad.json"], "not JSON"),
        (["mine:tall", "--samples", "none.json"], "none.json"),
        (["mine:tall", "--samples", "mine:forest"], "has no 'forest'"),
        (["mine:tall"], "raises on every family"),
        (["mine:dry", "--kind", "heuristic"], "is a constraint"),
        (["mine:dry", "--kind", "veto"], "veto"),
    ],
)
def test_invalid_input(folder: Path, arguments: list[str], what: str) -> None:
    """What cannot be found or used ends with 2 and says what is wrong."""
    code, out, err = run(folder, *arguments)
    assert (code, out) == (2, "")
    assert what in err
