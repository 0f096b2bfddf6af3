"""The README keeps its word: its Python runs, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from volition.arbitration import Rule

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]


def test_the_python_example_runs() -> None:
    """The README's Python runs as it stands, and chooses what a reader would expect."""
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["south", "('dry',)"]


def test_the_command_line_example_prints_what_it_says() -> None:
    """The README's file is the example's, and the command prints exactly what the README shows."""
    text = README.read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert shown == (ROOT / "examples" / "route.json").read_text(encoding="utf-8")
    (line, printed) = re.findall(r"^\$ volition (arbitrate examples.*?)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
    command = [sys.executable, "-m", "volition.cli", *line.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == printed


def test_the_rules_are_documented() -> None:
    """The closed list of rules stands in the documentation of files, and nothing else does."""
    table = (ROOT / "docs" / "files.md").read_text(encoding="utf-8").partition("The rule is one of:")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(get_args(Rule))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file that is there."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
