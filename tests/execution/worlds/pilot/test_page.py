"""docs/pilot.md is true: its Python runs, and its tables are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.warm import warm
from volition.execution.worlds.pilot import PILOT

PAGE = (Path(__file__).parents[4] / "docs" / "pilot.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_examples_run(code: str, tmp_path: Path) -> None:
    """Every Python example runs unchanged; one that drives reaches its goal."""
    checked = code + ("\nassert course.verdict == 'met'" if "course" in code else "")
    done = warm().run("-c", checked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()


def test_the_tables_are_complete() -> None:
    """The page names every constraint, and every heuristic with its weight, and no other."""
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", PAGE, re.MULTILINE)
    assert {name: float(weight) for name, weight in rows} == {entry.id: entry.weight for entry in PILOT.heuristics}
    named = {*re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)} - {name for name, _ in rows}
    assert named == {entry.id for entry in PILOT.constraints}
