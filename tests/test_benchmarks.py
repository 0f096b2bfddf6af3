"""The benchmarks can be run as the Makefile and their own pages say."""

from __future__ import annotations

import ast
import re
import subprocess
from runpy import run_path
from typing import TYPE_CHECKING

import pytest

from tests.readme import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

BENCHMARKS = ROOT / "benchmarks"
APART = {"crowds", "gpu"}
"""Other commands run these: `make comparison` runs `crowds` once its peers are installed, and `make gpu` runs `gpu`."""


def quick_benchmarks() -> Iterator[str]:
    """The programs in the folder that take the options of a benchmark."""
    for file in BENCHMARKS.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        if "__main__" in texts and ({"options", "argument_parser"} & names or "--quick" in texts):
            yield file.stem


def test_make_bench_runs_every_benchmark_and_nothing_else() -> None:
    """`make bench` names each program that takes `--quick`, and no module that one of them imports or starts."""
    command = subprocess.run(["make", "-n", "bench"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    (named,) = re.findall(r"for name in ([\w ]+);", command)
    assert set(named.split()) == set(quick_benchmarks()) - APART


@pytest.mark.parametrize(
    ("bar", "holds", "printed", "code"),
    [
        (None, None, "1.000 times\n", 0),
        ("", None, "1.000 times\n", 0),
        ("<= 2", True, "1.000 times  <= 2  holds\n", 0),
        (">= 2", False, "1.000 times  >= 2  DOES NOT HOLD\n", 1),
    ],
)
def test_what_is_printed_agrees_with_the_exit_code(
    capsys: pytest.CaptureFixture[str], bar: str | None, holds: bool | None, printed: str, code: int
) -> None:
    """A bar that is missed is printed as missed and ends the benchmark with 1; a figure that nobody judged is a figure."""
    rows = run_path(str(BENCHMARKS / "rows.py"))
    assert rows["show"]("title", [rows["Row"]("a ratio", 1.0, "times", bar, holds)], as_json=False) == code
    assert capsys.readouterr().out.endswith(printed)
