"""docs/gym.md is true: its Python runs, and its tables are those of the code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.processes import PATIENCE
from volition.drama import scenario
from volition.gym import COLUMNS, OPTIONS
from volition.gym.evening_observation import EveningColumns

PAGE = (Path(__file__).parents[2] / "docs" / "gym.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


RUN = """
import json, sys

for number, code in enumerate(json.load(sys.stdin), 1):
    exec(compile(code, f"example {number}", "exec"), {"__name__": "__main__"})
"""


def test_the_examples_run() -> None:
    """Every Python example runs unchanged and without warnings, each in its own namespace; one process runs them all."""
    command, given = [sys.executable, "-W", "error", "-c", RUN], json.dumps(EXAMPLES)
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert len(EXAMPLES) >= 3
    assert (done.returncode, done.stderr) == (0, "")


def test_the_table_of_actions_is_right() -> None:
    """The page gives every action its number and its option."""
    rows = dict(re.findall(r"^\| (\d+)(?: to \d+)? \| `([\w:]+)` \|", PAGE, re.MULTILINE))
    single = {number: option for number, option in rows.items() if option != "move:HEADING:LENGTH"}
    assert single == {str(number): option for number, option in enumerate(OPTIONS) if not 2 <= number <= 25}
    assert rows["2"] == "move:HEADING:LENGTH"
    assert "| 2 to 25 |" in PAGE
    assert OPTIONS[2] == "move:east:0.2"
    assert OPTIONS[5].startswith("move:south-east:")
    assert f"The pilot's {len(OPTIONS)} options" in PAGE


def test_the_columns_are_described() -> None:
    """The page says how many numbers an observation has, and names each kind of them."""
    assert f"A `Box` of {len(COLUMNS)} numbers" in PAGE
    kinds = {re.sub(r"[+-]\d[+-]\d$", "", name) for name in COLUMNS}
    words = {word for kind in kinds for word in kind.split(".")} - {"east", "south", "west", "north", "x", "y"}
    assert [word for word in sorted(words) if not re.search(rf"\b{word}\b", PAGE)] == []
    names = EveningColumns(scenario("dinner-party"), "victor").names
    ends = {name.rpartition(".")[2] for name in names if name.startswith("elena.") and name.count(".") == 1}
    assert [end for end in sorted(ends) if f".{end}`" not in PAGE] == []
