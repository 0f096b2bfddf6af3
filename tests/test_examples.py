"""Every example runs as a reader would run it, and prints the output stored beside it.

Run as a script, this file writes the outputs again (`make examples`).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.warm import warm

EXAMPLES = Path(__file__).parents[1] / "examples"


def examples() -> list[Path]:
    """The numbered examples, in order."""
    return sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))


def output_of(example: Path) -> Path:
    """The file that stores the output of an example."""
    return EXAMPLES / "output" / f"{example.stem}.txt"


def printed(example: Path) -> str:
    """What an example prints, run by itself in an empty folder, as into a file."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COLUMNS": "100", "VOLITION_KEY": f"{folder}/key.pem"}
        done = warm().run(str(example), cwd=folder, env=environment)
    assert done.returncode == 0, f"{example.name} ended with {done.returncode}:\n{done.stderr.decode()}"
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize("example", examples(), ids=lambda path: path.stem)
def test_example_prints_what_is_kept(example: Path) -> None:
    """An example prints exactly its stored output."""
    kept = output_of(example).read_text(encoding="utf-8") if output_of(example).exists() else "(none)"
    assert printed(example) == kept, "if the new output is right: make examples"


def test_examples_and_outputs_are_pairs() -> None:
    """Every example has its output, and every output its example."""
    outputs = {path.name for path in (EXAMPLES / "output").glob("*")}
    assert {output_of(example).name for example in examples()} == outputs


def write_outputs() -> None:
    """Run every example and store what it prints; remove the outputs of examples that no longer exist."""
    fresh = {output_of(example): printed(example) for example in examples()}
    (EXAMPLES / "output").mkdir(exist_ok=True)
    for stale in set((EXAMPLES / "output").glob("*")) - set(fresh):
        stale.unlink()
    for path, text in fresh.items():
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_outputs()
